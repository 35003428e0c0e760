//! Arrays that are chunked along their rows.
//!
//! ```text
//! bytes    0 ................................ end
//! chunks   ──── 0 ──── ──── 1 ──── ─ 2 ─            a byte range is the end of one, some complete, the start of one
//! Fortran  the first index runs fastest: a range of rows is many short runs
//! ```

use crate::array::{Chunking, Container, Layout};
use crate::chunk::{self, Decoder};
use trevni::io::Limits;
use trevni::{Error, Result};

use super::chunk_coder::Coders;

/// Below this number of bytes, several threads do not help.
const FEW: usize = 1 << 16;

/// The minimum number of bytes of a chunk that are read at a time.
const PART: usize = 1 << 18;

/// The part of a chunk that is read, and its destination.
struct Piece<'a> {
    chunk: u64,
    start: usize,
    out: &'a mut [u8],
}

/// Returns where a chunk begins and ends in the bytes of the array, which end at `total`.
pub(super) fn bounds(layout: &Layout, chunk: u64, total: u64) -> Option<(u64, u64)> {
    match &layout.chunking {
        Chunking::Varied { ends } => {
            let at = usize::try_from(chunk).ok()?;
            let start = if at == 0 { 0 } else { *ends.get(at - 1)? };
            Some((start, *ends.get(at)?))
        }
        _ => {
            let bytes = chunk_bytes(layout)?;
            let start = chunk.checked_mul(bytes)?;
            Some((start, start.saturating_add(bytes).min(total)))
        }
    }
}

/// Returns the chunk that holds a byte.
pub(super) fn chunk_of(layout: &Layout, byte: u64) -> Option<u64> {
    match &layout.chunking {
        Chunking::Varied { ends } => Some(ends.partition_point(|end| *end <= byte) as u64),
        _ => Some(byte / chunk_bytes(layout)?),
    }
}

/// Returns the bytes of every chunk but the last; of a grid that is one, those of the padded chunk.
pub(super) fn chunk_bytes(layout: &Layout) -> Option<u64> {
    let bytes = match &layout.chunking {
        Chunking::Flat { chunk_bytes } => *chunk_bytes,
        Chunking::Grid { chunk_shape, .. } => {
            let size = layout.dtype.size as u64;
            chunk_shape.iter().try_fold(size, |product, n| product.checked_mul(*n))?
        }
        Chunking::Varied { .. } => return None,
    };
    (bytes > 0).then_some(bytes)
}

/// Fills `out` with the bytes of the array from `start` on.
pub(super) fn read(
    container: &dyn Container,
    readers: &Coders<Decoder>,
    start: u64,
    out: &mut [u8],
) -> Result<()> {
    let pieces = pieces(container.layout(), start, out)?;
    if pieces.len() < readers.threads {
        return pieces.into_iter().try_for_each(|piece| read_shared(container, readers, piece));
    }
    readers.read(pieces, |decoder, piece| read_piece(container, decoder, piece)).map(drop)
}

/// Reads a piece; of a chunk of several blocks block by block, so that the bytes are in the cache when they are
/// decoded.
fn read_piece(container: &dyn Container, decoder: &mut Decoder, piece: Piece<'_>) -> Result<()> {
    let of_chunk = |e: Error| e.in_chunk(piece.chunk);
    let mut head = container.chunk_part(piece.chunk, 0..chunk::HEAD as u64)?;
    let block = chunk::Header::parse(&head).map_err(of_chunk)?.block_size.max(1) as usize;
    for (start, out) in parts(piece.start, piece.out, block.max(PART) / block * block) {
        let end = start.saturating_add(out.len());
        let needed = chunk::needed(&head, &(start..end)).map_err(of_chunk)?;
        let range = needed.start as u64..needed.end as u64;
        if needed.start == 0 && needed.end > head.len() {
            // All of it, which is available then.
            head = container.chunk_part(piece.chunk, range)?;
        } else if needed.end > head.len() {
            let bytes = (needed.start, &container.chunk_part(piece.chunk, range)?[..]);
            decoder.decode_part(&head, bytes, start, out).map_err(of_chunk)?;
            continue;
        }
        decoder.decode_part(&head, (0, &head), start, out).map_err(of_chunk)?;
    }
    Ok(())
}

/// Divides the bytes of a chunk from `start` at multiples of `each`.
fn parts(mut start: usize, out: &mut [u8], each: usize) -> Vec<(usize, &mut [u8])> {
    let (mut parts, mut rest) = (Vec::new(), out);
    while !rest.is_empty() {
        let len = each.saturating_sub(start % each.max(1)).clamp(1, rest.len());
        let (part, behind) = rest.split_at_mut(len);
        parts.push((start, part));
        (start, rest) = (start.saturating_add(len), behind);
    }
    parts
}

/// Reads a piece with several threads, each of which opens some of the blocks.
fn read_shared(
    container: &dyn Container,
    readers: &Coders<Decoder>,
    piece: Piece<'_>,
) -> Result<()> {
    if piece.out.len() <= FEW {
        let read = |decoder: &mut Decoder, piece| read_piece(container, decoder, piece);
        return readers.read(vec![piece], read).map(drop);
    }
    let Piece { chunk: number, start, out } = piece;
    let chunk = container.chunk(number)?;
    let block = chunk::Header::parse(&chunk)?.block_size.max(1) as usize;
    let blocks = (start % block).saturating_add(out.len()).div_ceil(block);
    let each = blocks.div_ceil(readers.threads).saturating_mul(block);
    let opened = readers.read(parts(start, out, each), |decoder, (start, out)| {
        decoder.decode_range(&chunk, start, out).map_err(|e| e.in_chunk(number))
    });
    opened.map(drop)
}

fn pieces<'a>(layout: &Layout, start: u64, out: &'a mut [u8]) -> Result<Vec<Piece<'a>>> {
    let total = start.saturating_add(out.len() as u64);
    let lost = || Error::malformed("there are fewer chunks than the shape needs");
    let mut pieces = Vec::new();
    let (mut at, mut rest) = (start, out);
    while !rest.is_empty() {
        let chunk = chunk_of(layout, at).filter(|n| *n < layout.chunks).ok_or_else(lost)?;
        let (from, to) = bounds(layout, chunk, total).ok_or_else(lost)?;
        let len = usize::try_from(to.min(total).saturating_sub(at)).map_err(|_| lost())?;
        if len == 0 || len > rest.len() {
            return Err(lost());
        }
        let (out, behind) = rest.split_at_mut(len);
        let start = usize::try_from(at - from).map_err(|_| lost())?;
        pieces.push(Piece { chunk, start, out });
        (at, rest) = (at + len as u64, behind);
    }
    Ok(pieces)
}

/// Bytes that are read at a time of an array in Fortran order.
const WINDOW: usize = 1 << 22;

/// Fills `out` with rows of an array whose first index runs fastest.
pub(super) fn read_fortran(
    container: &dyn Container,
    readers: &Coders<Decoder>,
    first: u64,
    out: &mut [u8],
    limits: &Limits,
) -> Result<()> {
    let layout = container.layout();
    let (size, row) = (layout.dtype.size, layout.row_bytes()?);
    if size == 0 || row == 0 {
        return Ok(());
    }
    let count = out.len() / row;
    let places = row_places(layout, limits)?;
    let stride = layout.rows().checked_mul(size as u64);
    // Runs that are close together are read as one.
    let run = count.saturating_mul(size);
    let together = match stride.and_then(|stride| usize::try_from(stride).ok()) {
        Some(stride) if stride > 0 => (WINDOW.saturating_sub(run) / stride).max(1),
        _ => return Err(Error::malformed(format!("a shape of {:?}", layout.shape))),
    };
    let stride = stride.unwrap_or_default();
    let mut window = Vec::new();
    for (group, places) in places.chunks(together).enumerate() {
        let from = (group as u64).saturating_mul(together as u64).saturating_mul(stride);
        let start = from.saturating_add(first.saturating_mul(size as u64));
        let between = (places.len() - 1).saturating_mul(usize::try_from(stride).unwrap_or(0));
        window.resize(between.saturating_add(run), 0);
        read(container, readers, start, &mut window)?;
        for (run_of, place) in window.chunks(usize::try_from(stride).unwrap_or(run)).zip(places) {
            let rows = out.chunks_exact_mut(row).zip(run_of.chunks_exact(size));
            for (row, element) in rows {
                if let Some(to) = row.get_mut(place * size..(place + 1) * size) {
                    to.copy_from_slice(element);
                }
            }
        }
    }
    Ok(())
}

/// Returns, for each element of a row in Fortran order, its index in C order.
fn row_places(layout: &Layout, limits: &Limits) -> Result<Vec<usize>> {
    let shape = layout.shape.get(1..).unwrap_or_default();
    let elements = usize::try_from(layout.row_elements()?)
        .map_err(|_| Error::malformed(format!("a shape of {:?}", layout.shape)))?;
    if elements > limits.values {
        let what = "elements of a row in Fortran order";
        return Err(Error::too_large(what, elements as u64, limits.values as u64));
    }
    let mut places = Vec::with_capacity(elements.min(WINDOW));
    for at in 0..elements as u64 {
        // The indices, the first dimension fastest; then their position with the last fastest.
        let (mut rest, mut place, mut index) = (at, 0u64, Vec::with_capacity(shape.len()));
        for n in shape {
            index.push(rest % n);
            rest /= n;
        }
        for (i, n) in index.iter().zip(shape) {
            place = place * n + i;
        }
        places.push(usize::try_from(place).unwrap_or(0));
    }
    Ok(places)
}
