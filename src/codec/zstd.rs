//! `zstd`: one frame a block. Outside the specification.

use std::io::Write;

use super::{Compress, Decompress, read_stream};
use crate::error::{Error, Result};

/// Fast enough to stand beside snappy; callers may ask for more.
const DEFAULT_LEVEL: i32 = 1;

/// Zstandard's smallest frame for a block is far above this share of what it stands for.
const MOST_RATIO: usize = 1 << 8;

struct Compressor {
    level: i32,
}

/// Its context takes longer to make than a small block to undo.
#[derive(Default)]
struct Decompressor(Option<zstd::bulk::Decompressor<'static>>);

pub(super) fn compressor(level: Option<i32>) -> Box<dyn Compress> {
    Box::new(Compressor { level: level.unwrap_or(DEFAULT_LEVEL) })
}

pub(super) fn decompressor() -> Box<dyn Decompress> {
    Box::new(Decompressor::default())
}

impl Compress for Compressor {
    fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.append(&mut zstd::bulk::compress(raw, self.level)?);
        Ok(())
    }

    /// One frame, in which each piece has blocks of its own: what zstd learns of a piece is of it alone.
    fn compress_pieces(&mut self, pieces: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
        let mut frame = zstd::stream::write::Encoder::new(out, self.level)?;
        let size: usize = pieces.iter().map(|piece| piece.len()).sum();
        frame.set_pledged_src_size(Some(size as u64))?;
        for (i, piece) in pieces.iter().enumerate() {
            if i > 0 {
                frame.flush()?;
            }
            frame.write_all(piece)?;
        }
        frame.finish()?;
        Ok(())
    }
}

impl Decompress for Decompressor {
    fn decompress(&mut self, stored: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
        if raw_len <= stored.len().saturating_mul(MOST_RATIO) {
            // The usual case, in one call: a capacity of one more shows an excess.
            let malformed = |e| Error::malformed(format!("compressed block: {e}"));
            let context = match &mut self.0 {
                Some(context) => context,
                none => none.insert(zstd::bulk::Decompressor::new()?),
            };
            out.clear();
            out.reserve_exact(raw_len.saturating_add(1));
            context.decompress_to_buffer(stored, out).map_err(malformed)?;
            return super::check_len(out.len(), raw_len);
        }
        read_stream(zstd::stream::read::Decoder::with_buffer(stored)?, raw_len, out)
    }
}
