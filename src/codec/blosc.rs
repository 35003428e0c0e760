//! `blosc`: one Blosc2 chunk a block. Outside the specification.
//!
//! ```text
//! values of one width   a1 a2 a3 a4 b1 b2 b3 b4 ...    bytes, or bits, of equal weight together, then LZ4 or Zstandard
//! others                as they come, then LZ4 or Zstandard
//! ```
//! The chunk says how it was made, so that one name stands for all. Whether bytes or bits are put together is decided
//! for each block by its first 4 KiB. (`spec/blosc-chunk.md`)

use super::{Compress, Decompress};
use crate::blosc::chunk::{Decoder, Encoder, Generation, Header, Params};
use crate::blosc::{Compressor as Stream, Filter};
use crate::error::{Error, Result};

/// Of the levels 0 to 9.
const DEFAULT_LEVEL: u8 = 5;

/// What is tried both ways.
const SAMPLE: usize = 4 << 10;

struct Compressor {
    bytes: Encoder,
    /// For values of more bytes than one.
    bits: Option<Encoder>,
    sample: Vec<u8>,
}

#[derive(Default)]
struct Decompressor(Decoder);

pub(super) fn lz4(level: Option<i32>, width: usize) -> Result<Box<dyn Compress>> {
    compressor(Stream::Lz4, level, width)
}

pub(super) fn zstd(level: Option<i32>, width: usize) -> Result<Box<dyn Compress>> {
    compressor(Stream::Zstd, level, width)
}

fn compressor(stream: Stream, level: Option<i32>, width: usize) -> Result<Box<dyn Compress>> {
    let level = level.map_or(Ok(DEFAULT_LEVEL), u8::try_from);
    let level = level.ok().filter(|level| *level <= 9);
    let level = level.ok_or_else(|| Error::invalid("the levels of blosc are 0 to 9"))?;
    let typesize = u8::try_from(width).unwrap_or(1);
    let mut params =
        Params { compressor: stream, level, ..Params::new(Generation::Blosc2, typesize) };
    if width <= 1 {
        params.filters = Default::default();
    }
    let bytes = Encoder::new(&params)?;
    let bits = match params.filters.last_mut().filter(|_| width > 1) {
        Some(last) => {
            *last = Filter::BitShuffle;
            Some(Encoder::new(&params)?)
        }
        None => None,
    };
    Ok(Box::new(Compressor { bytes, bits, sample: Vec::new() }))
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decompressor::default())
}

impl Compress for Compressor {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Some(bits) = &mut self.bits else { return self.bytes.encode(raw, out) };
        let sample = raw.get(..SAMPLE).unwrap_or(raw);
        let mut size_by = |encoder: &mut Encoder| {
            self.sample.clear();
            encoder.encode(sample, &mut self.sample).map(|()| self.sample.len())
        };
        let by_bits = size_by(bits)? < size_by(&mut self.bytes)?;
        let encoder = if by_bits { bits } else { &mut self.bytes };
        encoder.encode(raw, out)
    }
}

impl Decompress for Decompressor {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        let header = Header::parse(stored)?;
        super::check_len(usize::try_from(header.nbytes).unwrap_or(usize::MAX), raw_len)?;
        // Zeros that nothing but a damaged block asks for are never touched.
        *out = vec![0; raw_len];
        self.0.decode(stored, out)
    }
}
