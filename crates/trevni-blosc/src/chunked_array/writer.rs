//! Writes rows as chunks.
//!
//! ```text
//! rows ──► pending, less than a band ──► chunks, several at a time ──► Build ──► container
//!
//! threads   chunks 0 to 7 made │ chunks 8 to 15 made         │ ...
//!                              │ chunks 0 to 7 handed on too │
//! ```

use super::chunk_coder::Coders;
use super::flat;
use super::grid::Grid;
use crate::array::{Attributes, Build, Chunking, Layout};
use crate::chunk::{Encoder, Params};
use trevni::{Error, Result};

/// Chunks for each thread that are made before they are handed on.
const WAVE: usize = 4;

/// Makes an array of rows that come one after another.
pub struct ArrayWriter {
    build: Box<dyn Build>,
    params: Params,
    encoders: Coders<Encoder>,
    layout: Layout,
    grid: Option<Grid>,
    band_bytes: usize,
    pending: Vec<u8>,
    /// Chunks that are made and not handed on, in order.
    ready: Vec<Vec<u8>>,
    /// Memory for chunks to come.
    spare: Vec<Vec<u8>>,
    rows: u64,
}

impl ArrayWriter {
    /// Returns a writer to a container in the making, of an array as `layout` has it but for the number of rows.
    pub fn try_new(build: Box<dyn Build>, params: &Params, layout: &Layout) -> Result<Self> {
        let grid = Grid::of(layout)?;
        let row = layout.row_bytes()?;
        let band_bytes = match &grid {
            Some(grid) => usize::try_from(grid.band_rows()).ok().and_then(|n| n.checked_mul(row)),
            None => flat::chunk_bytes(layout).and_then(|bytes| usize::try_from(bytes).ok()),
        };
        let band_bytes = band_bytes.filter(|bytes| *bytes > 0 && row > 0);
        let band_bytes =
            band_bytes.ok_or_else(|| Error::invalid("an array whose chunks have no size"))?;
        let encoders = Coders::writers(1);
        encoders.keep(Encoder::new(params)?);
        Ok(Self {
            build,
            params: params.clone(),
            encoders,
            layout: layout.clone(),
            grid,
            band_bytes,
            pending: Vec::new(),
            ready: Vec::new(),
            spare: Vec::new(),
            rows: 0,
        })
    }

    /// Sets the number of threads that make chunks. Default: 1.
    pub fn with_parallelism(mut self, threads: usize) -> Self {
        self.encoders = Coders::writers(threads);
        self
    }

    /// Takes rows.
    pub fn write(&mut self, rows: &[u8]) -> Result<()> {
        let row = self.layout.row_bytes()?;
        if !rows.len().is_multiple_of(row) {
            let what = format!("{} bytes are not rows of {row} bytes", rows.len());
            return Err(Error::invalid(what));
        }
        self.rows += (rows.len() / row) as u64;
        let mut rows = rows;
        if !self.pending.is_empty() {
            let missing = self.band_bytes.saturating_sub(self.pending.len());
            let (head, rest) = rows.split_at_checked(missing).unwrap_or((rows, &[]));
            self.pending.extend_from_slice(head);
            rows = rest;
            if self.pending.len() < self.band_bytes {
                return Ok(());
            }
            let band = std::mem::take(&mut self.pending);
            self.bands(&[&band])?;
            self.pending = band;
            self.pending.clear();
        }
        let bands: Vec<&[u8]> = rows.chunks_exact(self.band_bytes).collect();
        for wave in bands.chunks(WAVE * self.encoders.threads) {
            self.bands(wave)?;
        }
        self.pending.extend_from_slice(rows.chunks_exact(self.band_bytes).remainder());
        Ok(())
    }

    /// Writes the chunks of complete bands.
    fn bands(&mut self, bands: &[&[u8]]) -> Result<()> {
        match self.grid.clone() {
            None => self.chunks(bands),
            Some(grid) => bands.iter().try_for_each(|band| self.grid_band(&grid, band)),
        }
    }

    fn grid_band(&mut self, grid: &Grid, band: &[u8]) -> Result<()> {
        let rows = 0..(band.len() / self.layout.row_bytes()?) as u64;
        let (grid, bytes) = (grid.with_rows(rows.end), grid.chunk_bytes()?);
        let numbers: Vec<u64> = (0..grid.in_band()).collect();
        for wave in numbers.chunks(WAVE * self.encoders.threads) {
            let chunks = wave.iter().map(|number| {
                let mut blocks = vec![0; bytes];
                grid.gather(*number, &rows, band, &mut blocks)?;
                Ok(blocks)
            });
            let chunks = chunks.collect::<Result<Vec<_>>>()?;
            self.chunks(&chunks.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Makes chunks and hands them on; with several threads, while the next are made.
    fn chunks(&mut self, parts: &[&[u8]]) -> Result<()> {
        let parallel = self.encoders.threads > 1;
        for parts in parts.chunks(if parallel { parts.len().max(1) } else { 1 }) {
            let rooms = parts.iter().map(|_| self.spare.pop().unwrap_or_default());
            let jobs = parts.iter().copied().zip(rooms).collect();
            if !parallel {
                self.ready = self.encoders.encode(&self.params, jobs)?;
                self.hand_on()?;
                continue;
            }
            let (made, handed_on) = {
                let (encoders, params) = (&self.encoders, &self.params);
                let (build, ready) = (&mut self.build, &self.ready);
                rayon::join(
                    || encoders.encode(params, jobs),
                    || ready.iter().try_for_each(|chunk| build.push(chunk)),
                )
            };
            handed_on?;
            self.spare.append(&mut self.ready);
            self.ready = made?;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> Result<()> {
        self.ready.iter().try_for_each(|chunk| self.build.push(chunk))?;
        self.spare.append(&mut self.ready);
        Ok(())
    }

    /// Writes the remaining rows and the metadata. Returns the number of rows.
    pub fn finish(mut self, attributes: &Attributes) -> Result<u64> {
        let mut rest = std::mem::take(&mut self.pending);
        if !rest.is_empty() {
            if self.grid.is_none() && matches!(self.layout.chunking, Chunking::Grid { .. }) {
                rest.resize(self.band_bytes, 0);
            }
            self.bands(&[&rest])?;
        }
        self.hand_on()?;
        let shape = self.layout.shape.iter().skip(1).copied();
        let shape: Vec<u64> = std::iter::once(self.rows).chain(shape).collect();
        self.build.finish(&shape, attributes)?;
        Ok(self.rows)
    }
}

impl std::fmt::Debug for ArrayWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrayWriter").field("layout", &self.layout).finish_non_exhaustive()
    }
}
