//! Decodes a few elements of blocks whose streams each hold one byte of every element.
//!
//! ```text
//! streams    a0 b0 c0 d0 ...   stored: looked into
//!            0                 a run: known
//!            (a2 b2 c2)        compressed: opened up to the last that is wanted          ──►  b0 0 b2 c0 0 c2
//! ```

use super::super::stream::Stream;
use super::{Body, Reader, slice};
use crate::filter::room;
use trevni::Result;

/// If at most one byte in this many is needed, the block is not decoded completely.
pub(super) const FEW: usize = 16;

impl Reader {
    /// Fills `out` with bytes of a block of `len`, from `skip` on.
    pub(super) fn few(
        &mut self,
        body: &Body<'_>,
        (index, len): (usize, usize),
        skip: usize,
        out: &mut [u8],
    ) -> Result<()> {
        let width = body.blocks.streams(len);
        let elements = skip / width..(skip + out.len()).div_ceil(width);
        let behind = skip - elements.start * width;
        let mut cursor = body.block(index)?;
        for place in 0..width {
            let stream = Stream::take(&mut cursor, body.generation, len / width)?;
            let Self { decompress, streams, .. } = self;
            let bytes = match stream {
                Stream::Stored(bytes) => bytes,
                Stream::Run(byte) => {
                    let room = room(streams, elements.end);
                    room.iter_mut().skip(elements.start).for_each(|to| *to = byte);
                    room
                }
                Stream::Compressed(bytes) => {
                    let stream = room(streams, len / width);
                    decompress.decompress_start(body.compressor, bytes, stream, elements.end)?;
                    stream
                }
            };
            let column = slice(bytes, elements.start, elements.len())?;
            // The first element may have begun before `out` does.
            let (from, first) = match place.checked_sub(behind) {
                Some(first) => (column, first),
                None => (column.get(1..).unwrap_or_default(), place + width - behind),
            };
            let rest = out.get_mut(first..).unwrap_or_default();
            rest.iter_mut().step_by(width).zip(from).for_each(|(to, byte)| *to = *byte);
        }
        Ok(())
    }
}
