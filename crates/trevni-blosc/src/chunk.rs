//! Chunks: up to 2 GiB of an array, compressed in blocks.
//!
//! ```text
//! header       16 bytes (first generation) or 32 (second)
//! starts       4 bytes a block: where it begins, counted from the start of the chunk
//! [dictionary  4 bytes of length, then the dictionary]
//! blocks       each one stream, or one per byte of an element:
//!                4 bytes of length, then the bytes; if these have the uncompressed size they are stored;
//!                in the second generation, length 0 is zeros, and a negative one a byte that is repeated
//! ```
//! A stored chunk has the uncompressed bytes after its header, a chunk of special values has nothing, and a chunk
//! of a repeated value has that value. The flags of the header distinguish them.
//!
//! [`Encoder`] and [`Decoder`] keep their working memory; there is one of each per thread. [`Header`] is what can
//! be known without opening a chunk. (Specification: `spec/blosc-chunk.md`.)
//!
//! ```
//! use trevni_blosc::chunk::{Decoder, Encoder, Generation, Header, Params};
//!
//! let data: Vec<u8> = (0..10_000_i64).flat_map(i64::to_le_bytes).collect();
//! let mut chunk = Vec::new();
//! Encoder::new(&Params::new(Generation::Blosc2, 8))?.encode(&data, &mut chunk)?;
//! let header = Header::parse(&chunk)?;
//! assert_eq!(header.nbytes, 80_000);
//! assert!(header.cbytes < 8_000);
//!
//! let mut decoder = Decoder::default();
//! let mut element = [0; 8];
//! decoder.decode_range(&chunk, 8 * 1234, &mut element)?;
//! assert_eq!(i64::from_le_bytes(element), 1234);
//! # Ok::<(), trevni::Error>(())
//! ```

mod block_size;
mod blocks;
mod byte_range;
mod decode;
mod dictionary;
mod encode;
mod header;
mod special;
mod special_kind;
mod split;
mod stream;

pub use decode::Decoder;
pub use encode::Encoder;
pub use header::{Content, Header};
pub use special::special;
pub use special_kind::Special;

pub(super) use crate::chunk::byte_range::{HEAD, needed};

use super::{Compressor, Filter, Filters};

/// The maximum uncompressed size of a chunk.
pub const MAX_NBYTES: usize = 0x7fff_ffff - 32;

/// Which chunks are written: those of the first generation (bcolz, Bloscpack) or of the second (frames).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// 16-byte header, version 2.
    Blosc1,
    /// 32-byte header, version 5.
    Blosc2,
}

/// Whether the bytes of a block are compressed in one stream per byte of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Always; in the first generation, wherever its readers can tell.
    Always,
    /// Never.
    Never,
    /// Where the reference finds that it pays.
    Auto,
    /// As readers before 2.0 expect it.
    ForwardCompat,
}

/// How chunks are written: the "cparams" of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Params {
    /// Which chunks.
    pub generation: Generation,
    /// What compresses the streams.
    pub compressor: Compressor,
    /// 0 (stored) to 9.
    pub level: u8,
    /// The filters. The first generation has one shuffle or bit shuffle, in the last slot.
    pub filters: Filters,
    /// Bytes of an element, 1 to 255.
    pub typesize: u8,
    /// Bytes of a block; 0: chosen as the reference does.
    pub block_size: u32,
    /// How blocks are split.
    pub split: Split,
    /// Whether a dictionary is trained for each chunk (second generation, Zstandard).
    pub use_dictionary: bool,
}

impl Params {
    /// Creates parameters for LZ4 at level 5 after a byte shuffle.
    pub fn new(generation: Generation, typesize: u8) -> Self {
        let mut filters = Filters::default();
        filters[5] = Filter::Shuffle { group: 0 };
        Self {
            generation,
            compressor: Compressor::Lz4,
            level: 5,
            filters,
            typesize,
            block_size: 0,
            split: match generation {
                Generation::Blosc1 => Split::ForwardCompat,
                Generation::Blosc2 => Split::Auto,
            },
            use_dictionary: false,
        }
    }
}

#[cfg(test)]
mod tests;
