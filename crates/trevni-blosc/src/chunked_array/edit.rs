//! Computes the chunks that an edit changes.
//!
//! ```text
//! before    ──── 0 ──── ──── 1 ──── ─ 2 ─
//! put                         ▒▒▒▒▒ ▒▒▒▒▒▒▒▒▒ ▒▒▒       chunks 1 and 2 are opened, changed and made again, 3 is new
//! truncate  ──── 0 ──── ── 1                            chunk 1 is cut, 2 is dropped
//! grow      ──── 0 ──── ──── 1 ──── ─ 2 ─░░░░ ░░░       chunk 2 is filled up, 3 is new
//! ```
//! Chunks that exceed the array (those of a grid) keep their content there when it is truncated, and are
//! overwritten when it grows.

use std::borrow::Cow;

use super::chunk_coder::{self, Coders};
use super::flat;
use super::grid::Grid;
use crate::array::{Chunking, Container, Edit, Layout, Order};
use crate::chunk::{Decoder, Encoder};
use trevni::io::Limits;
use trevni::{Error, Result};

/// Bytes of a chunk that is added where no two chunks need be alike.
const VARIED: usize = 1 << 20;

/// The most bytes of a chunk that is changed, or of rows that are filled.
const MOST: usize = 1 << 30;

/// Rows, some of which may be past the end, from `first` on.
pub(crate) fn put(
    container: &dyn Container,
    threads: usize,
    first: u64,
    rows: &[u8],
) -> Result<Edit> {
    let layout = changeable(container)?;
    let count = (rows.len() / layout.row_bytes()?.max(1)) as u64;
    let len = layout.rows().max(first.saturating_add(count));
    let (chunks, count) = match Grid::of(layout)? {
        Some(grid) => {
            put_grid(container, &grid.with_rows(len), threads, first..first + count, rows)?
        }
        None => put_flat(container, threads, first, rows)?,
    };
    Ok(Edit { chunks, count, shape: with_rows(layout, len), attributes: None })
}

/// No rows from `len` on.
pub(crate) fn truncate(container: &dyn Container, len: u64) -> Result<Edit> {
    let layout = changeable(container)?;
    let shape = with_rows(layout, len);
    let keep = |chunks, count| Ok(Edit { chunks, count, shape, attributes: None });
    if let Some(grid) = Grid::of(layout)? {
        return keep(Vec::new(), grid.chunks_for(len));
    }
    let total = total(layout, len)?;
    if total == 0 {
        return keep(Vec::new(), 0);
    }
    let last = flat::chunk_of(layout, total - 1).unwrap_or(0);
    let (start, end) = flat::bounds(layout, last, u64::MAX).unwrap_or_default();
    if end <= total || is_padded(layout) {
        return keep(Vec::new(), last + 1);
    }
    let mut kept = vec![0; size(total - start)?];
    flat::read(container, &Coders::readers(1, &Limits::default()), start, &mut kept)?;
    let chunk = chunk_coder::encode(1, container.params(), vec![&kept])?;
    keep(chunk.into_iter().map(|chunk| (last, chunk)).collect(), last + 1)
}

/// Returns the rows of the fill value until there are `len`.
pub(crate) fn grow(container: &dyn Container, len: u64) -> Result<Edit> {
    let layout = changeable(container)?;
    let (old, row) = (layout.rows(), layout.row_bytes()?);
    // The rows of a chunk, if it has complete rows.
    let chunk = flat::chunk_bytes(layout).unwrap_or(VARIED as u64);
    let band = match Grid::of(layout)? {
        Some(grid) => grid.band_rows(),
        None if row > 0 && chunk.is_multiple_of(row as u64) => chunk / row as u64,
        None => 0,
    };
    // The fill of the last chunk, then complete chunks, which are equal, then the rest.
    let edge = if band == 0 { len } else { old.next_multiple_of(band).min(len) };
    let head = put(container, 1, old, &fill(layout, rows_size(edge - old, row)?))?;
    let whole = (len - edge).checked_div(band).unwrap_or(0);
    let tail = len - edge - whole * band;
    let mut chunks = head.chunks;
    let mut count = if edge == old { layout.chunks_in_use(old)? } else { head.count };
    for (rows, times) in [(band, whole), (tail, u64::from(tail > 0))] {
        if times > 0 {
            let filled = filled(container, rows)?;
            for _ in 0..times {
                for chunk in &filled {
                    chunks.push((count, chunk.clone()));
                    count += 1;
                }
            }
        }
    }
    Ok(Edit { chunks, count, shape: with_rows(layout, len), attributes: None })
}

/// Returns chunks of this many rows of the fill value, at most one band.
fn filled(container: &dyn Container, rows: u64) -> Result<Vec<Vec<u8>>> {
    let layout = container.layout();
    if let Some(grid) = Grid::of(layout)? {
        let one = fill(layout, size(grid.chunk_bytes()? as u64)?);
        let chunk = chunk_coder::encode(1, container.params(), vec![&one])?;
        let times = grid.in_band();
        return Ok((0..times).flat_map(|_| chunk.iter().cloned()).collect());
    }
    let bytes = match flat::chunk_bytes(layout).filter(|_| is_padded(layout)) {
        Some(whole) => size(whole)?,
        None => rows_size(rows, layout.row_bytes()?)?,
    };
    chunk_coder::encode(1, container.params(), vec![&fill(layout, bytes)])
}

type Chunks = (Vec<(u64, Vec<u8>)>, u64);

fn put_flat(container: &dyn Container, threads: usize, first: u64, rows: &[u8]) -> Result<Chunks> {
    let layout = container.layout();
    let (old, start) = (total(layout, layout.rows())?, total(layout, first)?);
    let end = start.saturating_add(rows.len() as u64);
    let mut parts: Vec<(u64, Cow<[u8]>)> = Vec::new();
    let mut at = start;
    while at < end {
        let Some((number, lo, hi)) = place(layout, at, old, end) else {
            return Err(Error::malformed("there are fewer chunks than the shape needs"));
        };
        let taken = hi.min(end);
        let new = rows.get(place_in(at - start)..place_in(taken - start)).unwrap_or_default();
        let whole = if is_padded(layout) { hi } else { hi.min(old.max(end)) };
        if lo == at && whole == taken {
            parts.push((number, Cow::Borrowed(new)));
        } else {
            let mut bytes = vec![0; size(whole - lo)?];
            let there = size(old.min(whole).saturating_sub(lo))?;
            flat::read(
                container,
                &Coders::readers(1, &Limits::default()),
                lo,
                bytes.get_mut(..there).unwrap_or_default(),
            )?;
            let from = size(at - lo)?;
            if let Some(to) = bytes.get_mut(from..from + new.len()) {
                to.copy_from_slice(new);
            }
            parts.push((number, Cow::Owned(bytes)));
        }
        at = taken;
    }
    let count =
        parts.last().map_or(0, |(number, _)| number + 1).max(layout.chunks_in_use(layout.rows())?);
    let encoded = chunk_coder::encode(
        threads,
        container.params(),
        parts.iter().map(|(_, part)| &**part).collect(),
    )?;
    Ok((parts.iter().map(|(number, _)| *number).zip(encoded).collect(), count))
}

/// Returns the chunk in which a byte is or will be, and where it begins and may end.
fn place(layout: &Layout, at: u64, old: u64, end: u64) -> Option<(u64, u64, u64)> {
    if at < old || !matches!(layout.chunking, Chunking::Varied { .. }) {
        let number = flat::chunk_of(layout, at)?;
        let (lo, hi) = flat::bounds(layout, number, u64::MAX)?;
        return Some((number, lo, hi));
    }
    // Where chunks may differ in size, the new ones have complete rows.
    let row = layout.row_bytes().ok()? as u64;
    let each = (VARIED as u64).checked_div(row)?.max(1).checked_mul(row)?;
    let behind = (at - old) / each;
    let lo = old + behind * each;
    Some((layout.chunks.checked_add(behind)?, lo, lo.saturating_add(each).min(end)))
}

fn put_grid(
    container: &dyn Container,
    grid: &Grid,
    threads: usize,
    rows: std::ops::Range<u64>,
    from: &[u8],
) -> Result<Chunks> {
    let old = container.layout().chunks;
    let (params, bytes) = (container.params(), grid.chunk_bytes()?);
    let make = || Ok((Decoder::default(), Encoder::new(params)?));
    let bytes = size(bytes as u64)?;
    let threads = threads.min(MOST / bytes.max(1)).max(1);
    let numbers: Vec<u64> = grid.chunks_of(&rows).collect();
    let chunks = chunk_coder::each(threads, numbers, make, |(decoder, encoder), number| {
        let mut blocks = vec![0; bytes];
        if number < old {
            let chunk = container.chunk(number)?;
            decoder.decode_range(&chunk, 0, &mut blocks).map_err(|e| e.in_chunk(number))?;
        }
        grid.gather(number, &rows, from, &mut blocks)?;
        let mut chunk = Vec::new();
        encoder.encode(&blocks, &mut chunk)?;
        Ok((number, chunk))
    })?;
    let count = chunks.last().map_or(0, |(number, _)| number + 1).max(old);
    Ok((chunks, count))
}

impl Layout {
    /// Returns the number of chunks for this many rows; a container may have more, if one of them is empty.
    fn chunks_in_use(&self, rows: u64) -> Result<u64> {
        if let Some(grid) = Grid::of(self)? {
            return Ok(grid.chunks_for(rows));
        }
        match total(self, rows)? {
            0 => Ok(0),
            total => Ok(flat::chunk_of(self, total - 1).map_or(0, |last| last + 1)),
        }
    }
}

/// Returns whether the last chunk has the size of the others, whatever is after the end.
fn is_padded(layout: &Layout) -> bool {
    matches!(layout.chunking, Chunking::Grid { .. })
}

fn changeable(container: &dyn Container) -> Result<&Layout> {
    let layout = container.layout();
    if layout.order == Order::F && layout.shape.len() > 1 {
        return Err(Error::unsupported(
            "a change of an array in Fortran order: its rows are not together",
        ));
    }
    if layout.shape.is_empty() {
        return Err(Error::unsupported("a change of an array without dimensions"));
    }
    Ok(layout)
}

fn with_rows(layout: &Layout, rows: u64) -> Vec<u64> {
    std::iter::once(rows).chain(layout.shape.iter().skip(1).copied()).collect()
}

fn total(layout: &Layout, rows: u64) -> Result<u64> {
    let bytes = rows.checked_mul(layout.row_bytes()? as u64);
    bytes.ok_or_else(|| Error::invalid(format!("{rows} rows are past any array")))
}

fn rows_size(rows: u64, row: usize) -> Result<usize> {
    size(rows.saturating_mul(row as u64))
}

/// Converts a byte offset among rows in memory.
fn place_in(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Returns the size of a buffer; fails for more than a change may hold.
fn size(bytes: u64) -> Result<usize> {
    let size = usize::try_from(bytes).ok().filter(|bytes| *bytes <= MOST);
    size.ok_or_else(|| Error::too_large("rows that are changed at once", bytes, MOST as u64))
}

/// Returns this many bytes of repeated fill values.
fn fill(layout: &Layout, bytes: usize) -> Vec<u8> {
    if layout.fill.len() == layout.dtype.size && layout.fill.iter().any(|b| *b != 0) {
        return layout.fill.iter().copied().cycle().take(bytes).collect();
    }
    vec![0; bytes]
}
