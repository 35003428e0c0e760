//! The header of a chunk.
//!
//! ```text
//!  0  u8   version        1, 2: first generation; 3, 4, 5, 6: second
//!  1  u8   stream version of the compressor: 1
//!  2  u8   flags          1 shuffle, 2 stored, 4 bitshuffle, 8 delta, 16 not split, bits 5 to 7: compressor format;
//!                         1 and 4 both: the header has 32 bytes, with filters
//!  3  u8   typesize
//!  4  u32  nbytes         the uncompressed size
//!  8  u32  block size
//! 12  u32  cbytes         the chunk, header included
//! 16  6    filter codes   applied first to last
//! 22  u8   compressor code
//! 23  u8   meta byte of the compressor
//! 24  6    filter meta bytes
//! 30  u8   more flags     1: blocks of various sizes
//! 31  u8   more flags     1 dictionary, 2 big-endian writer, 8 not complete, bits 4 to 6: special values,
//!                         128: timings instead of data
//! ```

use super::special_kind::Special;
use super::split::is_split;
use super::{Generation, Params};
use crate::{Compressor, Filter, Filters};
use trevni::wire::Cursor;
use trevni::{Error, Result};

pub(super) const SHUFFLE: u8 = 0x01;
pub(super) const STORED: u8 = 0x02;
pub(super) const BITSHUFFLE: u8 = 0x04;
pub(super) const DELTA: u8 = 0x08;
pub(super) const NOT_SPLIT: u8 = 0x10;
const EXTENDED: u8 = SHUFFLE | BITSHUFFLE;
const DICTIONARY: u8 = 0x01;

/// The newest version.
const NEWEST: u8 = 6;

/// Returns the largest blocks that the references read.
pub(super) fn largest(generation: Generation) -> u32 {
    match generation {
        Generation::Blosc1 => 715_827_542,
        Generation::Blosc2 => 536_866_816,
    }
}

/// What follows the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Blocks of streams.
    Blocks,
    /// The bytes themselves.
    Stored,
    /// Nothing.
    Special(Special),
    /// One value, all over again.
    Repeated,
}

/// The header of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The uncompressed size in bytes.
    pub nbytes: u32,
    /// Bytes of the chunk, this header included.
    pub cbytes: u32,
    /// Bytes of a block.
    pub block_size: u32,
    /// Bytes of an element.
    pub typesize: u8,
    /// The version of the format: 1 and 2 are of the first generation.
    pub version: u8,
    /// What follows.
    pub content: Content,
    /// Whether blocks are marked as split: one stream per byte of an element.
    pub is_split: bool,
    /// Whether the chunk has a dictionary.
    pub has_dictionary: bool,
    stream_version: u8,
    flags: u8,
    filter_codes: [u8; 6],
    compressor_code: u8,
    filter_metas: [u8; 6],
}

impl Header {
    /// Parses the header at the start of a chunk; the first 32 bytes are enough (16 for the first generation).
    pub fn parse(chunk: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(chunk);
        let [version, stream_version, flags, typesize] = cursor.array("the header of a chunk")?;
        let nbytes = cursor.fixed32("the size of a chunk")?;
        let block_size = cursor.fixed32("the block size of a chunk")?;
        let cbytes = cursor.fixed32("the compressed size of a chunk")?;
        let mut header = Self {
            nbytes,
            cbytes,
            block_size,
            typesize,
            version,
            content: if flags & STORED == 0 { Content::Blocks } else { Content::Stored },
            is_split: flags & NOT_SPLIT == 0,
            has_dictionary: false,
            stream_version,
            flags,
            filter_codes: [0; 6],
            compressor_code: 0,
            filter_metas: [0; 6],
        };
        if version == 0 || version > NEWEST {
            return Err(Error::unsupported(format!("a chunk of version {version}")));
        }
        header.check_flags()?;
        if header.size() == 32 {
            header.parse_extension(&mut cursor)?;
        }
        header.check_sizes()?;
        Ok(header)
    }

    fn parse_extension(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        self.filter_codes = cursor.array("the filters of a chunk")?;
        let [code, _meta] = cursor.array("the compressor of a chunk")?;
        self.compressor_code = code;
        self.filter_metas = cursor.array("the filters' meta bytes of a chunk")?;
        let [more, flags] = cursor.array("the flags of a chunk")?;
        if let ([.., filter], [.., meta], 3) =
            (&mut self.filter_codes, &mut self.filter_metas, self.version)
        {
            // The first writers of the second generation had five filters, and left the sixth as it was.
            (*filter, *meta) = (0, 0);
        }
        let what = match (more, flags & 0x8c) {
            (1, _) => "blocks of various sizes",
            (0, 0) => "",
            (0, 8) => "the data elsewhere",
            (0, 0x80) => "timings instead of data",
            _ => "unknown flags",
        };
        if !what.is_empty() {
            return Err(Error::unsupported(format!("a chunk with {what}")));
        }
        self.has_dictionary = flags & DICTIONARY != 0;
        match flags >> 4 & 7 {
            0 => {}
            3 => self.content = Content::Repeated,
            code => self.content = Content::Special(Special::from_code(code)?),
        }
        Ok(())
    }

    fn check_flags(&self) -> Result<()> {
        if self.generation() == Generation::Blosc2 {
            return Ok(());
        }
        if self.flags & DELTA != 0 {
            return Err(Error::unsupported("a first-generation chunk with unknown flags"));
        }
        if self.flags & EXTENDED == EXTENDED {
            return Err(Error::malformed("a first-generation chunk that is shuffled twice"));
        }
        Ok(())
    }

    fn check_sizes(&self) -> Result<()> {
        let &Self { nbytes, cbytes, block_size, typesize, .. } = self;
        let (nbytes, cbytes) = (u64::from(nbytes), u64::from(cbytes));
        let size = self.size() as u64;
        let behind = cbytes.checked_sub(size);
        let wrong = match (self.content, behind) {
            _ if typesize == 0 => "elements of 0 bytes".to_owned(),
            _ if nbytes > 0x7fff_ffff || cbytes > 0x7fff_ffff => "more than 2 GiB".to_owned(),
            (_, None) => format!("{cbytes} bytes in all, fewer than its header"),
            _ if nbytes == 0 => return Ok(()),
            _ if block_size == 0 || u64::from(block_size) > nbytes => {
                format!("blocks of {block_size} of its {nbytes} bytes")
            }
            _ if block_size > largest(self.generation()) => format!("blocks of {block_size} bytes"),
            (Content::Stored, Some(behind)) if behind != nbytes => {
                format!("{nbytes} bytes stored in {behind}")
            }
            (Content::Repeated, Some(value)) if value == 0 || nbytes % value != 0 => {
                format!("{nbytes} bytes of a value of {value}")
            }
            _ => return Ok(()),
        };
        Err(Error::malformed(format!("a chunk with {wrong}")))
    }

    /// Returns the bytes of this header: 16 or 32.
    pub fn size(&self) -> usize {
        if self.version > 2 && self.flags & EXTENDED == EXTENDED { 32 } else { 16 }
    }

    /// Returns whether the chunk is of the first generation or the second.
    pub fn generation(&self) -> Generation {
        if self.version <= 2 { Generation::Blosc1 } else { Generation::Blosc2 }
    }

    /// Returns how many blocks there are, or would be if the content were blocks.
    pub fn block_count(&self) -> u32 {
        self.nbytes.div_ceil(self.block_size.max(1))
    }

    /// Returns the compressor of the streams; [`Unsupported`](trevni::ErrorKind::Unsupported) if it is unknown.
    /// High compression LZ4 is distinguished from LZ4 only in the second generation. Meaningless without streams.
    pub fn compressor(&self) -> Result<Compressor> {
        if self.stream_version != 1 {
            let version = self.stream_version;
            return Err(Error::unsupported(format!("streams of version {version}")));
        }
        let by_format = Compressor::from_format(self.flags >> 5)?;
        Ok(match Compressor::from_code(self.compressor_code) {
            Ok(by_code) if self.size() == 32 && by_code.format() == by_format.format() => by_code,
            _ => by_format,
        })
    }

    /// Returns the filters; [`Unsupported`](trevni::ErrorKind::Unsupported) if one is unknown. Meaningless without
    /// streams.
    pub fn filters(&self) -> Result<Filters> {
        let mut filters = Filters::default();
        if self.size() == 32 {
            let bytes = self.filter_codes.into_iter().zip(self.filter_metas);
            for (filter, (code, meta)) in filters.iter_mut().zip(bytes) {
                *filter = Filter::from_bytes([code, meta])?;
            }
            return Ok(filters);
        }
        let [.., delta, last] = &mut filters;
        if self.flags & SHUFFLE != 0 {
            *last = Filter::Shuffle { group: 0 };
        } else if self.flags & BITSHUFFLE != 0 {
            *last = Filter::BitShuffle;
        }
        if self.flags & DELTA != 0 {
            *delta = Filter::Delta;
        }
        Ok(filters)
    }

    /// Creates the header of a chunk with such parameters; `cbytes` is not known yet.
    pub(super) fn new(params: &Params, nbytes: u32, block_size: u32) -> Self {
        let codes = params.filters.map(Filter::to_bytes);
        let mut header = Self {
            nbytes,
            cbytes: 0,
            block_size,
            typesize: params.typesize,
            version: 2,
            content: Content::Blocks,
            is_split: false,
            has_dictionary: false,
            stream_version: 1,
            flags: 0,
            filter_codes: [0; 6],
            compressor_code: params.compressor.code(),
            filter_metas: [0; 6],
        };
        let flag = |filter| match filter {
            Filter::Shuffle { .. } => SHUFFLE,
            Filter::BitShuffle => BITSHUFFLE,
            Filter::Delta => DELTA,
            Filter::None | Filter::TruncPrec { .. } => 0,
        };
        header.flags = params.filters.into_iter().fold(0, |flags, filter| flags | flag(filter));
        if params.generation == Generation::Blosc2 {
            header.version = 5;
            header.flags |= EXTENDED;
            header.filter_codes = codes.map(|[code, _]| code);
            header.filter_metas = codes.map(|[_, meta]| meta);
        }
        header.is_split = is_split(params, block_size);
        header.flags |= params.compressor.format() << 5;
        header.flags |= if header.is_split { 0 } else { NOT_SPLIT };
        header
    }

    /// Marks a chunk that is stored without trying to compress it. The second generation then does not record
    /// filters or compressor.
    pub(super) fn store_at_once(&mut self) {
        if self.generation() == Generation::Blosc2 {
            self.flags = EXTENDED;
        }
        self.content = Content::Stored;
    }

    /// Creates a header without filters and compressor, of special values.
    pub(super) fn without_streams(
        kind: Special,
        nbytes: u32,
        block_size: u32,
        typesize: u8,
    ) -> Self {
        let mut header = Self::new(&Params::new(Generation::Blosc2, typesize), nbytes, block_size);
        (header.flags, header.compressor_code) = (EXTENDED, 0);
        header.filter_codes = [0; 6];
        header.content = Content::Special(kind);
        header.cbytes = 32;
        header
    }

    /// Returns the bytes of a header; [`size`](Self::size) of them count.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        let special = match self.content {
            Content::Special(kind) => kind.code() << 4,
            Content::Repeated => 3 << 4,
            Content::Blocks | Content::Stored => 0,
        };
        let stored = if self.content == Content::Stored { STORED } else { 0 };
        let dictionary = if self.has_dictionary { DICTIONARY } else { 0 };
        let mut bytes = [0; 32];
        let fields: [&[u8]; 10] = [
            &[self.version, self.stream_version, self.flags | stored, self.typesize],
            &self.nbytes.to_le_bytes(),
            &self.block_size.to_le_bytes(),
            &self.cbytes.to_le_bytes(),
            &self.filter_codes,
            &[self.compressor_code],
            &[0],
            &self.filter_metas,
            &[0],
            &[special | dictionary],
        ];
        bytes.iter_mut().zip(fields.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        bytes
    }
}
