//! The floor under a reader: each block of a file decompressed and its CRC-32 computed, and nothing else.
//!
//! No reader of the file can be faster with the same libraries. What a reader takes beyond it is spent on
//! values: decoding them and building arrays.

use bytes::Bytes;
use trevni::FileReader;
use trevni::checksum::Checksum;
use trevni::codec::Codec;

use crate::Result;

/// The blocks of a file, found beforehand.
pub struct Floor {
    blocks: Vec<Block>,
}

struct Block {
    codec: Codec,
    stored: Bytes,
    raw_len: usize,
    /// `None` where the column has no checksum.
    crc: Option<u32>,
}

impl Floor {
    pub fn of(file: &Bytes) -> Result<Self> {
        let reader = FileReader::try_new(file.clone())?;
        let mut blocks = Vec::new();
        for column in 0..reader.columns().len() {
            let codec = reader.header().codec(column)?;
            let checksum = reader.header().checksum(column)?;
            for block in reader.blocks(column)?.iter() {
                let start = usize::try_from(block.offset)?;
                let end = start + block.compressed_size as usize;
                let crc = match checksum {
                    Checksum::Null => None,
                    _ => Some(u32::from_be_bytes(file[end..end + 4].try_into()?)),
                };
                let (stored, raw_len) = (file.slice(start..end), block.uncompressed_size as usize);
                blocks.push(Block { codec, stored, raw_len, crc });
            }
        }
        Ok(Self { blocks })
    }

    /// Goes through all blocks. Returns the bytes before compression.
    pub fn walk(&self) -> Result<usize> {
        let mut openers = Openers::new()?;
        let mut raw = Vec::new();
        let mut total = 0;
        for block in &self.blocks {
            let bytes = openers.open(block, &mut raw)?;
            if block.crc.is_some_and(|crc| crc != crc32fast::hash(bytes)) {
                return Err("a block's checksum is wrong".into());
            }
            total += bytes.len();
        }
        Ok(total)
    }
}

/// What keeps memory from block to block.
struct Openers {
    snappy: snap::raw::Decoder,
    inflate: libdeflater::Decompressor,
    zstd: zstd::bulk::Decompressor<'static>,
}

impl Openers {
    fn new() -> Result<Self> {
        Ok(Self {
            snappy: snap::raw::Decoder::new(),
            inflate: libdeflater::Decompressor::new(),
            zstd: zstd::bulk::Decompressor::new()?,
        })
    }

    fn open<'a>(&mut self, block: &'a Block, raw: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let Block { codec, stored, raw_len, .. } = block;
        if *codec == Codec::Null || codec.is_value_codec() {
            return Ok(stored);
        }
        if raw.len() < *raw_len {
            raw.resize(*raw_len, 0);
        }
        let raw = &mut raw[..*raw_len];
        let len = match codec {
            Codec::Snappy => self.snappy.decompress(stored, raw)?,
            Codec::Deflate => self.inflate.deflate_decompress(stored, raw)?,
            Codec::Zstd => self.zstd.decompress_to_buffer(stored, raw)?,
            Codec::Lz4 => lz4_flex::block::decompress_into(stored, raw)?,
            other => return Err(format!("no floor for codec {}", other.name()).into()),
        };
        if len != raw.len() {
            return Err("a block has another length than it says".into());
        }
        Ok(raw)
    }
}
