//! The header of a frame.
//!
//! ```text
//!  0  9e  a8 "b2frame\0"                   array of 14, magic
//! 10  d2 header_len    15  cf frame_len    from the first byte of the frame
//! 24  a4 general type codec other          four bytes of flags
//! 29  d3 nbytes        38  d3 cbytes       of all chunks; cbytes is the offset of the index after the header
//! 47  d2 typesize      52  d2 blocksize    57  d2 chunksize
//! 62  d1 threads       65  d1 threads      of the writer, when packing and when opening
//! 68  c2 or c3                             whether the trailer has metalayers
//! 69  d8 06 filters[6] codec meta metas[6] flags 00
//! 87  metalayers
//! ```

use bytes::Bytes;

use super::metalayer::{self, Metalayer, MetalayerSection};
use crate::chunk::{Generation, MAX_NBYTES, Params, Split};
use crate::msgpack::{expect, marked, put_marked};
use crate::{Compressor, Filter, Filters};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// Bytes of a header without metalayers.
pub(super) const LEAST: usize = 97;

/// Bytes 0 to 9.
const MAGIC: &[u8; 10] = b"\x9e\xa8b2frame\0";

/// Bit of byte 25: chunks differ in size.
const VARIABLE: u8 = 0x40;

/// Bit of byte 25: blocks differ in size.
const VARIABLE_BLOCKS: u8 = 0x80;

/// Bit of byte 25: offsets have 64 bits.
const WIDE_OFFSETS: u8 = 0x10;

/// The header of a frame, with its fields as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameHeader {
    /// The size of the header as it was read; a new one has [`encoded_len`](Self::encoded_len).
    pub header_len: u32,
    /// The size of the frame; bytes after it in a file are ignored.
    pub frame_len: u64,
    /// Byte 25: the version in the low half, then flags.
    pub general: u8,
    /// Whether the chunks are files of their own.
    pub sparse: bool,
    /// Byte 27: number of the compressor, level in the high half.
    pub codec: u8,
    /// Byte 28: how blocks are split.
    pub split: u8,
    /// The uncompressed size of all chunks.
    pub nbytes: u64,
    /// Bytes of all chunks; in a contiguous frame with the holes between them.
    pub cbytes: u64,
    /// The size of an element, at least 1.
    pub typesize: u32,
    /// Bytes of a block; 0 if the writer chose them.
    pub block_size: u32,
    /// The uncompressed size of all chunks but the last; 0 if they differ, -1 if there never was one.
    pub chunk_size: i32,
    /// Threads of the writer, when packing and when opening.
    pub threads: [i16; 2],
    /// Byte 70: how many filters count.
    pub filter_count: u8,
    /// Bytes 71 to 76: numbers of the filters.
    pub filters: [u8; 6],
    /// Byte 77: number of the compressor, of those outside the first 16 too.
    pub user_codec: u8,
    /// Byte 78: the compressor's own.
    pub codec_meta: u8,
    /// Bytes 79 to 84: the filters' own.
    pub filters_meta: [u8; 6],
    /// Bytes 85, 86; bit 0: dictionaries.
    pub flags2: [u8; 2],
    /// Whether the trailer has metalayers.
    pub has_vlmetalayers: bool,
    /// Named bytes, fixed in size.
    pub metalayers: Vec<Metalayer>,
}

impl FrameHeader {
    /// Returns the element size of a frame without a type: the typesize, or 1 if the frame does not have complete
    /// elements of that.
    pub(super) fn element_size(&self) -> u32 {
        if self.nbytes.is_multiple_of(self.typesize.into()) { self.typesize } else { 1 }
    }

    /// Returns the header of a new, empty frame.
    ///
    /// # Errors
    /// `Invalid` for parameters of the first generation, and compressors that only that has.
    pub fn new(params: &Params, sparse: bool, typesize: u32) -> Result<Self> {
        if params.generation != Generation::Blosc2 || params.compressor == Compressor::Snappy {
            return Err(Error::invalid("frames hold chunks of the second generation only"));
        }
        if typesize == 0 {
            return Err(Error::invalid("elements of 0 bytes"));
        }
        let mut filters = [0; 6];
        let mut filters_meta = [0; 6];
        let slots = filters.iter_mut().zip(&mut filters_meta);
        slots.zip(params.filters).for_each(|((id, meta), filter)| [*id, *meta] = filter.to_bytes());
        Ok(Self {
            header_len: 0,
            frame_len: 0,
            general: WIDE_OFFSETS | 2,
            sparse,
            codec: params.compressor.code() | params.level << 4,
            split: params.split as u8,
            nbytes: 0,
            cbytes: 0,
            typesize,
            block_size: params.block_size,
            chunk_size: -1,
            threads: [1, 1],
            filter_count: 6,
            filters,
            user_codec: params.compressor.code(),
            codec_meta: 0,
            filters_meta,
            flags2: [u8::from(params.use_dictionary), 0],
            has_vlmetalayers: false,
            metalayers: Vec::new(),
        })
    }

    /// Returns the size of the header that begins with these bytes; at least 97, and maybe more than are available.
    ///
    /// # Errors
    /// `Malformed` if no frame begins so.
    pub fn len_at_start(bytes: &[u8]) -> Result<usize> {
        let mut cursor = Cursor::new(bytes);
        if cursor.array("frame header")? != *MAGIC {
            return Err(Error::malformed("no Blosc2 frame: it does not begin with \"b2frame\""));
        }
        let len = i32::from_be_bytes(marked(&mut cursor, 0xd2, "length of the header")?);
        usize::try_from(len)
            .ok()
            .filter(|len| *len >= LEAST)
            .ok_or_else(|| Error::malformed(format!("frame header of {len} bytes")))
    }

    /// Parses the header at the start of `bytes`.
    ///
    /// # Errors
    /// `Malformed`, or `Unsupported` for versions before 2 and after 3.
    pub fn parse(bytes: &Bytes) -> Result<Self> {
        let len = Self::len_at_start(bytes)?;
        Cursor::new(bytes).take(len, "frame header")?;
        let whole = bytes.slice(..len);
        let mut header = Self::fields(&mut Cursor::new(&whole))?;
        header.metalayers = metalayer::parse(&whole, MetalayerSection::Header)?;
        if header.frame_len < (len + super::trailer::LEAST) as u64 {
            let text = format!("frame of {} bytes, header of {len}", header.frame_len);
            return Err(Error::malformed(text));
        }
        Ok(header)
    }

    fn fields(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.take(11, "frame header")?;
        let header_len = u32::from_be_bytes(cursor.array("length of the header")?);
        let frame_len = u64::from_be_bytes(marked(cursor, 0xcf, "length of the frame")?);
        let [general, kind, codec, split] = marked(cursor, 0xa4, "flags")?;
        let nbytes = size(i64::from_be_bytes(marked(cursor, 0xd3, "nbytes")?), "nbytes")?;
        let cbytes = size(i64::from_be_bytes(marked(cursor, 0xd3, "cbytes")?), "cbytes")?;
        let typesize = i32::from_be_bytes(marked(cursor, 0xd2, "typesize")?);
        let block_size = i32::from_be_bytes(marked(cursor, 0xd2, "blocksize")?);
        let chunk_size = i32::from_be_bytes(marked(cursor, 0xd2, "chunksize")?);
        let packing = i16::from_be_bytes(marked(cursor, 0xd1, "threads")?);
        let opening = i16::from_be_bytes(marked(cursor, 0xd1, "threads")?);
        let [vlmetalayers] = cursor.array("the flag of variable-length metalayers")?;
        expect(cursor, 0xd8, "filters")?;
        let header = Self {
            header_len,
            frame_len,
            general,
            sparse: kind == 1,
            codec,
            split,
            nbytes,
            cbytes,
            typesize: u32::try_from(size(typesize.into(), "typesize")?).unwrap_or(0),
            block_size: u32::try_from(size(block_size.into(), "blocksize")?).unwrap_or(0),
            chunk_size,
            threads: [packing, opening],
            filter_count: cursor.array::<1>("filters")?[0],
            filters: cursor.array("filters")?,
            user_codec: cursor.array::<1>("compressor")?[0],
            codec_meta: cursor.array::<1>("compressor")?[0],
            filters_meta: cursor.array("filters")?,
            flags2: cursor.array("flags")?,
            has_vlmetalayers: vlmetalayers == 0xc3,
            metalayers: Vec::new(),
        };
        header.check(kind, vlmetalayers).map(|()| header)
    }

    fn check(&self, kind: u8, vlmetalayers: u8) -> Result<()> {
        let version = self.general & 0x0f;
        if !(2..=3).contains(&version) || self.general & WIDE_OFFSETS == 0 {
            let text = format!("frame of version {version}, flags {:02x}", self.general);
            return Err(Error::unsupported(text));
        }
        if kind > 1 {
            return Err(Error::unsupported(format!("frame of type {kind}")));
        }
        if !matches!(vlmetalayers, 0xc2 | 0xc3) {
            return Err(Error::malformed(format!("byte {vlmetalayers:02x} for yes or no")));
        }
        if self.typesize == 0 || self.filter_count > 6 || self.chunk_size < -1 {
            let Self { typesize, filter_count, chunk_size, .. } = self;
            return Err(Error::malformed(format!(
                "typesize {typesize}, {filter_count} filters, chunksize {chunk_size}"
            )));
        }
        if i64::from(self.chunk_size) > MAX_NBYTES as i64 {
            return Err(Error::malformed(format!("chunks of {} bytes", self.chunk_size)));
        }
        if self.nbytes > 0 && self.chunk_size < 0 {
            return Err(Error::malformed("a frame with bytes, but without a chunksize"));
        }
        Ok(())
    }

    /// Returns how many bytes the header has when it is written.
    pub fn encoded_len(&self) -> usize {
        let of = |layer: &Metalayer| layer.name.len() + layer.content.len() + 11;
        LEAST + self.metalayers.iter().map(of).sum::<usize>()
    }

    /// Sets the lengths of the header and of the frame, given the number of bytes after the header.
    pub(super) fn set_len(&mut self, behind: u64) -> Result<()> {
        let large = || Error::invalid("a frame is too large");
        self.header_len = u32::try_from(self.encoded_len()).map_err(|_| large())?;
        self.frame_len = behind.checked_add(self.header_len.into()).ok_or_else(large)?;
        Ok(())
    }

    /// Appends the header, its length with it.
    ///
    /// # Errors
    /// `Invalid` if a field passes what its bytes can hold, or metalayers are too many or too long.
    pub fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let large = |what| Error::invalid(format!("{what} of a frame is too large"));
        let i64_of = |value, what| i64::try_from(value).map_err(|_| large(what));
        let i32_of = |value, what| i32::try_from(value).map_err(|_| large(what));
        let mut rest = Vec::with_capacity(LEAST);
        put_marked(&mut rest, 0xcf, &self.frame_len.to_be_bytes());
        put_marked(&mut rest, 0xa4, &[self.general, self.sparse.into(), self.codec, self.split]);
        put_marked(&mut rest, 0xd3, &i64_of(self.nbytes, "nbytes")?.to_be_bytes());
        put_marked(&mut rest, 0xd3, &i64_of(self.cbytes, "cbytes")?.to_be_bytes());
        put_marked(&mut rest, 0xd2, &i32_of(self.typesize, "typesize")?.to_be_bytes());
        put_marked(&mut rest, 0xd2, &i32_of(self.block_size, "blocksize")?.to_be_bytes());
        put_marked(&mut rest, 0xd2, &self.chunk_size.to_be_bytes());
        self.threads.iter().for_each(|n| put_marked(&mut rest, 0xd1, &n.to_be_bytes()));
        rest.push(if self.has_vlmetalayers { 0xc3 } else { 0xc2 });
        put_marked(&mut rest, 0xd8, &[self.filter_count]);
        rest.extend_from_slice(&self.filters);
        rest.extend_from_slice(&[self.user_codec, self.codec_meta]);
        rest.extend_from_slice(&self.filters_meta);
        rest.extend_from_slice(&self.flags2);
        metalayer::put(&mut rest, &self.metalayers, MetalayerSection::Header)?;
        let len = u32::try_from(rest.len() + 15).map_err(|_| large("header"))?;
        out.extend_from_slice(MAGIC);
        put_marked(out, 0xd2, &i32_of(len, "header")?.to_be_bytes());
        out.append(&mut rest);
        Ok(())
    }

    /// Returns whether chunks may differ in size.
    pub fn is_variable(&self) -> bool {
        self.chunk_size == 0
    }

    /// Sets the uncompressed size of all chunks but the last; 0 if they differ.
    pub fn set_chunk_size(&mut self, chunk_size: i32) {
        let blocks = self.general & VARIABLE_BLOCKS;
        let (version, variable) = match (chunk_size, blocks) {
            (0, _) => (3, VARIABLE),
            (_, 0) => (2, 0),
            _ => (3, 0),
        };
        self.general = blocks | variable | WIDE_OFFSETS | version;
        self.chunk_size = chunk_size;
    }

    /// Returns how chunks are written.
    ///
    /// # Errors
    /// `Unsupported` for compressors and filters from outside the library.
    pub fn params(&self) -> Result<Params> {
        let code = if self.codec & 0x0f == 6 { self.user_codec } else { self.codec & 0x0f };
        let compressor = match code {
            3 => return Err(Error::unsupported("compressor number 3 in a frame")),
            code => Compressor::from_code(code)?,
        };
        let mut filters = Filters::default();
        let stored = self.filters.into_iter().zip(self.filters_meta);
        for (slot, (id, meta)) in filters.iter_mut().zip(stored).take(self.filter_count.into()) {
            *slot = Filter::from_bytes([id, meta])?;
        }
        Ok(Params {
            generation: Generation::Blosc2,
            compressor,
            level: (self.codec >> 4).min(9),
            filters,
            // Chunks have one byte for it, and count in bytes if that is not enough.
            typesize: u8::try_from(self.typesize).unwrap_or(1),
            block_size: self.block_size,
            split: match self.split & 3 {
                0 => Split::Always,
                1 => Split::Never,
                2 => Split::Auto,
                _ => Split::ForwardCompat,
            },
            use_dictionary: self.flags2[0] & 1 != 0,
        })
    }
}

fn size(value: i64, what: &'static str) -> Result<u64> {
    u64::try_from(value).map_err(|_| Error::malformed(format!("{what} of {value} in a frame")))
}
