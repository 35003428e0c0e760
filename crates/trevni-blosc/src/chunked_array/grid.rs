//! Arrays of several dimensions that are chunked into boxes, which are divided into smaller boxes.
//!
//! ```text
//! shape 5 × 7, chunks 4 × 4, blocks 2 × 2           chunk 0, as stored
//! ┌────┬────┬────┬──··                              blocks    ▪▪▪▪ ▪▪▪▪ ▪▪▪▪ ▪▪▪▪
//! │ 0 0│ 0 0│ 1 1│ 1··   chunk 1 and chunk 2, 3               0    1    2    3
//! │ 0 0│ 0 0│ 1 1│ 1··   go past the edges: what            elements of a block row by row
//! ├────┼────┼────┼──··   is there is of no meaning
//! ```
//! Both ways walk the same runs: for every block of a chunk, every line of it that is inside the array and inside
//! the wanted rows. (C-Blosc2, README_B2ND_METALAYER.)

use std::ops::Range;

use crate::array::{Chunking, Container, Layout};
use crate::chunk::Decoder;
use trevni::io::Limits;
use trevni::{Error, Result};

use super::chunk_coder::Coders;

/// The dimensions of a grid: vectors of equal length, at least 1, without zeros.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    block: Vec<u64>,
    size: usize,
}

/// A line of elements that is one run of bytes, in the chunk and in the rows.
struct Line {
    in_chunk: usize,
    in_rows: usize,
    bytes: usize,
}

impl Grid {
    /// Returns the grid of an array whose bytes are not simply cut.
    pub(super) fn of(layout: &Layout) -> Result<Option<Self>> {
        let Chunking::Grid { chunk_shape, block_shape } = &layout.chunking else {
            return Ok(None);
        };
        let grid = Self {
            shape: layout.shape.clone(),
            chunk: chunk_shape.clone(),
            block: block_shape.clone(),
            size: layout.dtype.size,
        };
        grid.check()?;
        Ok((!grid.is_flat()).then_some(grid))
    }

    fn check(&self) -> Result<()> {
        let dimensions = self.shape.len();
        let alike = self.chunk.len() == dimensions && self.block.len() == dimensions;
        if !alike || self.chunk.contains(&0) || self.block.contains(&0) || self.size == 0 {
            let what = format!("shape {:?} in {:?} of {:?}", self.shape, self.chunk, self.block);
            return Err(Error::malformed(what));
        }
        self.chunk_bytes().map(drop)
    }

    /// Returns whether chunks and blocks are complete rows, so that bytes are in memory order.
    fn is_flat(&self) -> bool {
        let rest = |of: &'_ [u64]| of.get(1..).unwrap_or_default().to_vec();
        let whole =
            rest(&self.shape) == rest(&self.chunk) && rest(&self.chunk) == rest(&self.block);
        whole
            && match (self.chunk.first(), self.block.first()) {
                (Some(chunk), Some(block)) => chunk % block == 0,
                _ => true,
            }
    }

    /// Returns the size of a chunk, which has complete blocks.
    pub(super) fn chunk_bytes(&self) -> Result<usize> {
        let wide =
            self.chunk.iter().zip(&self.block).map(|(n, of)| n.div_ceil(*of).checked_mul(*of));
        let elements = wide.into_iter().try_fold(1u64, |product, n| product.checked_mul(n?));
        elements
            .and_then(|n| usize::try_from(n).ok()?.checked_mul(self.size))
            .filter(|bytes| *bytes <= crate::chunk::MAX_NBYTES)
            .ok_or_else(|| Error::malformed(format!("chunks of {:?} elements", self.chunk)))
    }

    /// Returns the bytes of a row of the array.
    fn row_bytes(&self) -> usize {
        let row = self.shape.iter().skip(1).fold(1u64, |product, n| product.saturating_mul(*n));
        usize::try_from(row).unwrap_or(usize::MAX).saturating_mul(self.size)
    }

    /// Returns how many chunks there are along each dimension.
    fn counts(&self) -> Vec<u64> {
        self.shape.iter().zip(&self.chunk).map(|(n, of)| n.div_ceil(*of)).collect()
    }

    /// Returns how many chunks a band of rows has.
    pub(super) fn in_band(&self) -> u64 {
        self.counts().iter().skip(1).fold(1, |product, n| product.saturating_mul(*n))
    }

    /// Returns how many rows a band of chunks has.
    pub(super) fn band_rows(&self) -> u64 {
        self.chunk.first().copied().unwrap_or(1)
    }

    /// Sets the same grid for another number of rows.
    pub(super) fn with_rows(&self, rows: u64) -> Self {
        let mut other = self.clone();
        if let Some(first) = other.shape.first_mut() {
            *first = rows;
        }
        other
    }

    /// Returns the number of chunks for this many rows.
    pub(super) fn chunks_for(&self, rows: u64) -> u64 {
        rows.div_ceil(self.band_rows()).saturating_mul(self.in_band())
    }

    /// Returns the numbers of the chunks that have some of these rows.
    pub(super) fn chunks_of(&self, rows: &Range<u64>) -> Range<u64> {
        let (from, to) = (rows.start / self.band_rows(), rows.end.div_ceil(self.band_rows()));
        from.saturating_mul(self.in_band())..to.saturating_mul(self.in_band())
    }

    /// Returns the first index of a chunk along each dimension.
    fn corner(&self, chunk: u64) -> Vec<u64> {
        let mut rest = chunk;
        let mut corner: Vec<u64> = Vec::with_capacity(self.shape.len());
        for (n, of) in self.counts().iter().zip(&self.chunk).rev() {
            corner.push((rest % (*n).max(1)).saturating_mul(*of));
            rest /= (*n).max(1);
        }
        corner.reverse();
        corner
    }

    /// Returns the rows of a chunk that are wanted, counted from the chunk's first.
    fn rows_in(&self, chunk: u64, rows: &Range<u64>) -> Range<u64> {
        let corner = self.corner(chunk).first().copied().unwrap_or(0);
        let end = rows.end.saturating_sub(corner).min(self.band_rows());
        rows.start.saturating_sub(corner).min(end)..end
    }

    /// Returns the bytes of a chunk with some of its rows: complete blocks, which are adjacent.
    fn bytes_in(&self, within: &Range<u64>) -> Result<Range<usize>> {
        let high = self.block.first().copied().unwrap_or(1);
        let layers = self.band_rows().div_ceil(high).max(1);
        let layer = self.chunk_bytes()? as u64 / layers;
        let bytes = |n: u64| usize::try_from(n.saturating_mul(layer)).unwrap_or(usize::MAX);
        Ok(bytes(within.start / high)..bytes(within.end.div_ceil(high)))
    }

    /// Visits the lines of a chunk in `rows` of the array, with their offsets in these rows and in the chunk.
    fn lines(&self, chunk: u64, rows: &Range<u64>, mut visit: impl FnMut(Line)) -> Result<()> {
        let corner = self.corner(chunk);
        let block_bytes = self.block_bytes();
        let blocks: Vec<u64> =
            self.chunk.iter().zip(&self.block).map(|(n, of)| n.div_ceil(*of)).collect();
        let within = self.rows_in(chunk, rows);
        let high = self.block.first().copied().unwrap_or(1);
        let last = within.end.div_ceil(high);
        let mut at = Counter::new(&blocks);
        at.start_at(within.start / high);
        let mut number = usize::try_from(at.place()).unwrap_or(usize::MAX);
        while at.first() < last {
            self.lines_of_block(
                &corner,
                at.index(),
                number.saturating_mul(block_bytes),
                rows,
                &mut visit,
            );
            number = number.saturating_add(1);
            if !at.next() {
                break;
            }
        }
        Ok(())
    }

    fn block_bytes(&self) -> usize {
        let elements = self.block.iter().fold(1u64, |product, n| product.saturating_mul(*n));
        usize::try_from(elements).unwrap_or(usize::MAX).saturating_mul(self.size)
    }

    /// Walks the lines of one block, which begins at `start` in its chunk.
    fn lines_of_block(
        &self,
        corner: &[u64],
        block: &[u64],
        start: usize,
        rows: &Range<u64>,
        visit: &mut impl FnMut(Line),
    ) {
        let Some(part) = BlockSlice::new(self, corner, block, rows) else { return };
        let line = usize::try_from(part.line()).unwrap_or(0).saturating_mul(self.size);
        let mut at = Counter::new(&part.lines());
        loop {
            let (in_block, in_rows) = part.places(self, at.index(), rows.start);
            visit(Line {
                in_chunk: start.saturating_add(in_block.saturating_mul(self.size)),
                in_rows: in_rows.saturating_mul(self.size),
                bytes: line,
            });
            if !at.next() {
                return;
            }
        }
    }
}

/// What of a block is inside the array, the chunk and the wanted rows: where it begins, in the array and in the
/// block, and its shape.
struct BlockSlice {
    origin: Vec<u64>,
    skipped: Vec<u64>,
    extent: Vec<u64>,
}

impl BlockSlice {
    fn new(grid: &Grid, corner: &[u64], block: &[u64], rows: &Range<u64>) -> Option<Self> {
        let mut this = Self { origin: Vec::new(), skipped: Vec::new(), extent: Vec::new() };
        let dimensions = grid.shape.iter().zip(&grid.chunk).zip(&grid.block).zip(corner).zip(block);
        for (d, ((((shape, chunk), side), corner), number)) in dimensions.enumerate() {
            let origin = corner + number * side;
            let mut end = (origin + side).min(corner + chunk).min(*shape);
            let mut from = origin;
            if d == 0 {
                (from, end) = (from.max(rows.start), end.min(rows.end));
            }
            if from >= end {
                return None;
            }
            this.origin.push(from);
            this.skipped.push(from - origin);
            this.extent.push(end - from);
        }
        Some(this)
    }

    /// Elements of a line.
    fn line(&self) -> u64 {
        self.extent.last().copied().unwrap_or(1)
    }

    /// Returns how many lines there are along each dimension but the last.
    fn lines(&self) -> Vec<u64> {
        self.extent.split_last().map_or(Vec::new(), |(_, lines)| lines.to_vec())
    }

    /// Returns where a line begins, in elements: in the block, and in rows whose first is `first`.
    fn places(&self, grid: &Grid, line: &[u64], first: u64) -> (usize, usize) {
        let (mut in_block, mut in_rows) = (0u64, 0u64);
        let line = line.iter().chain(std::iter::once(&0));
        let sides = grid.block.iter().zip(&grid.shape);
        let parts = self.origin.iter().zip(&self.skipped).zip(line).zip(sides).enumerate();
        for (d, (((origin, skipped), i), (side, shape))) in parts {
            let from = if d == 0 { first } else { 0 };
            in_block = in_block * side + skipped + i;
            in_rows = in_rows.saturating_mul(*shape) + (origin - from) + i;
        }
        let place = |n| usize::try_from(n).unwrap_or(usize::MAX);
        (place(in_block), place(in_rows))
    }
}

/// Counts through the indices of a shape, the last fastest.
struct Counter {
    shape: Vec<u64>,
    index: Vec<u64>,
}

impl Counter {
    fn new(shape: &[u64]) -> Self {
        Self { shape: shape.to_vec(), index: vec![0; shape.len()] }
    }

    fn start_at(&mut self, first: u64) {
        if let Some(index) = self.index.first_mut() {
            *index = first;
        }
    }

    fn index(&self) -> &[u64] {
        &self.index
    }

    fn first(&self) -> u64 {
        self.index.first().copied().unwrap_or(0)
    }

    fn place(&self) -> u64 {
        self.index
            .iter()
            .zip(&self.shape)
            .fold(0, |place, (i, n)| place.saturating_mul(*n).saturating_add(*i))
    }

    /// Advances; false after the last.
    fn next(&mut self) -> bool {
        for (i, n) in self.index.iter_mut().zip(&self.shape).rev() {
            *i += 1;
            if *i < *n {
                return true;
            }
            *i = 0;
        }
        false
    }
}

/// Fills `out` with rows.
pub(super) fn read(
    container: &dyn Container,
    grid: &Grid,
    readers: &Coders<Decoder>,
    first: u64,
    out: &mut [u8],
    limits: &Limits,
) -> Result<()> {
    let count = out.len() / grid.row_bytes().max(1);
    let rows = first..first.saturating_add(count as u64);
    let chunks: Vec<u64> = grid.chunks_of(&rows).collect();
    // The number in memory at a time.
    let sizes = chunks.iter().map(|chunk| grid.bytes_in(&grid.rows_in(*chunk, &rows)));
    let mut sizes = sizes.map(|range| range.map(|range| range.len()));
    let largest = sizes.try_fold(0, |most, size| size.map(|size: usize| size.max(most)))?;
    if largest > limits.block_bytes {
        let (size, limit) = (largest as u64, limits.block_bytes as u64);
        return Err(Error::too_large("blocks of a chunk", size, limit));
    }
    let at_once = (limits.block_bytes / largest.max(1)).clamp(1, readers.threads);
    for wave in chunks.chunks(at_once) {
        let opened = readers.read(wave.to_vec(), |decoder, number| {
            let bytes = grid.bytes_in(&grid.rows_in(number, &rows))?;
            let chunk = container.chunk(number)?;
            let mut blocks = vec![0; bytes.len()];
            let of_chunk = |e: Error| e.in_chunk(number);
            decoder.decode_range(&chunk, bytes.start, &mut blocks).map_err(of_chunk)?;
            Ok((number, bytes.start, blocks))
        })?;
        for (number, start, blocks) in &opened {
            grid.scatter(*number, &rows, *start, blocks, out)?;
        }
    }
    Ok(())
}

impl Grid {
    /// From the blocks of a chunk, of which `blocks` are those from byte `start` on, to rows.
    pub(super) fn scatter(
        &self,
        chunk: u64,
        rows: &Range<u64>,
        start: usize,
        blocks: &[u8],
        out: &mut [u8],
    ) -> Result<()> {
        self.lines(chunk, rows, |line| {
            let from = line.in_chunk.saturating_sub(start);
            let from = blocks.get(from..from.saturating_add(line.bytes));
            let to = out.get_mut(line.in_rows..line.in_rows.saturating_add(line.bytes));
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
        })
    }

    /// From rows to the blocks of a chunk.
    pub(super) fn gather(
        &self,
        chunk: u64,
        rows: &Range<u64>,
        from: &[u8],
        blocks: &mut [u8],
    ) -> Result<()> {
        self.lines(chunk, rows, |line| {
            let to = blocks.get_mut(line.in_chunk..line.in_chunk.saturating_add(line.bytes));
            let from = from.get(line.in_rows..line.in_rows.saturating_add(line.bytes));
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
        })
    }
}
