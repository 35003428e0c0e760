//! `zstd`: one frame per block. Outside the specification.

use std::cell::RefCell;

use zstd::zstd_safe::zstd_sys::ZSTD_EndDirective::{ZSTD_e_end, ZSTD_e_flush};
use zstd::zstd_safe::{
    self, CCtx, CParameter, InBuffer, OutBuffer, ResetDirective, compress_bound, get_error_name,
};

use super::{Compress, Decompress, read_stream};
use crate::error::{Error, Result};

/// Comparable to snappy in speed; callers can set a higher level.
const DEFAULT_LEVEL: i32 = 1;

/// The smallest frame of Zstandard is larger than this fraction of the data.
const MOST_RATIO: usize = 1 << 8;

/// A context that has more bytes is not kept.
const LARGEST: usize = 1 << 22;

thread_local! {
    /// What this thread compresses with: to make one, and to touch its memory, takes as long as some blocks.
    static CONTEXT: RefCell<Option<CCtx<'static>>> = const { RefCell::new(None) };
}

struct Compressor {
    level: i32,
}

/// Creating its context takes longer than decompressing a small block.
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
        self.compress_pieces(&[raw], out)
    }

    /// One frame with blocks for each piece, so that the statistics of one piece are not used for another.
    fn compress_pieces(&mut self, pieces: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
        let kept = CONTEXT.try_with(|kept| kept.try_borrow_mut().ok()?.take()).ok().flatten();
        let context = kept.or_else(CCtx::try_create);
        let mut context = context.ok_or(std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        put_frame(&mut context, self.level, pieces, out)
            .map_err(|code| std::io::Error::other(format!("zstd: {}", get_error_name(code))))?;
        if context.sizeof() <= LARGEST {
            // A thread that ends keeps nothing.
            let _ = CONTEXT
                .try_with(|kept| kept.try_borrow_mut().map(|mut kept| kept.replace(context)));
        }
        Ok(())
    }
}

/// The piece of a frame without any.
const NOTHING: &[u8] = &[];

/// Appends a frame of pieces.
fn put_frame(
    context: &mut CCtx<'static>,
    level: i32,
    pieces: &[&[u8]],
    out: &mut Vec<u8>,
) -> std::result::Result<(), zstd_safe::ErrorCode> {
    let size: usize = pieces.iter().map(|piece| piece.len()).sum();
    context.reset(ResetDirective::SessionAndParameters)?;
    context.set_parameter(CParameter::CompressionLevel(level))?;
    context.set_pledged_src_size(Some(size as u64))?;
    // With enough room, a frame of one piece is written at once.
    out.reserve(compress_bound(size));
    let (last, before) = pieces.split_last().unwrap_or((&NOTHING, &[]));
    let ends = before.iter().map(|piece| (piece, ZSTD_e_flush)).chain([(last, ZSTD_e_end)]);
    for (piece, end) in ends {
        let mut input = InBuffer::around(piece);
        loop {
            let at = out.len();
            let left =
                context.compress_stream2(&mut OutBuffer::around_pos(out, at), &mut input, end)?;
            if left == 0 {
                break;
            }
            out.reserve(left);
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(level: i32, pieces: &[&[u8]]) -> Vec<u8> {
        let mut out = b"before".to_vec();
        compressor(Some(level)).compress_pieces(pieces, &mut out).unwrap();
        out
    }

    #[test]
    fn frames_are_the_same_whatever_the_context_made_before() {
        let mixed: Vec<u8> =
            (0..90_000u64).map(|i| ((i * i) >> (i % 13)).to_le_bytes()[0]).collect();
        let zeros = vec![0; 70_000];
        let cases: [&[&[u8]]; 5] =
            [&[], &[b""], &[b"abc"], &[&mixed, &zeros, b"", &mixed], &[&zeros, b"abc"]];
        for level in [1, 19, -5, 1] {
            for pieces in cases {
                let used = frame(level, pieces);
                let fresh = std::thread::scope(|s| s.spawn(|| frame(level, pieces)).join());
                assert_eq!(used, fresh.unwrap());
                let body = used.strip_prefix(b"before").unwrap();
                let raw = pieces.concat();
                assert_eq!(zstd::bulk::decompress(body, raw.len()).unwrap(), raw);
            }
        }
    }
}
