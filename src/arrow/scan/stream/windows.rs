//! Splits the selected rows into windows that are fetched together.
//!
//! ```text
//! rows      ├── batch ──┼── batch ──┼── batch ──┼── batch ──┼─ ...
//! window    ├──────────── as many as come to its bytes ─────┤
//! column      │ block │  block  │  block  │  block  │         a block over the end of a window is fetched with it,
//! column    │     block     │     block     │     block      │ and reused by the next
//! ```

use std::ops::Range;

use crate::arrow::selection::RowSelection;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::io::{Ranges, without};
use crate::object_store::FetchOptions;
use crate::read::file_reader::FileReader;

/// Gaps of up to this many rows, if they have no whole block, are planned as if they were read: a filter that passes
/// every tenth row leaves very many.
const BRIDGE: u64 = 1024;

/// The maximum number of batches of a window: blocks of a few bytes can have any number of rows.
const BATCHES: usize = 1024;

/// A range of rows, and the requests that fetch the missing bytes for it.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) rows: MaskedSelection,
    pub(super) requests: Vec<Range<u64>>,
}

/// What windows are cut from.
pub(super) struct Cutter<'a> {
    pub(super) file: &'a FileReader<std::sync::Arc<Ranges>>,
    pub(super) columns: &'a [usize],
    pub(super) pieces: &'a Ranges,
    pub(super) options: &'a FetchOptions,
    /// The ranges that are being fetched.
    pub(super) under_way: Vec<Range<u64>>,
    pub(super) batch_size: usize,
    pub(super) bytes: u64,
}

impl Cutter<'_> {
    /// A window of all rows, however many bytes they need.
    pub(super) fn all(&self, rows: &MaskedSelection) -> Result<Window> {
        self.window(rows.clone(), &self.spans(rows)?)
    }

    /// Returns the rows with the gaps between them that are planned as if they were read.
    fn spans(&self, rows: &MaskedSelection) -> Result<RowSelection> {
        Ok(rows.bridged(self.file.gap_within_blocks(self.columns, BRIDGE)?))
    }

    /// Removes and returns the rows of a window. The number of batches is doubled until the size is exceeded, since
    /// only planning tells the size.
    pub(super) fn cut(&self, rows: &mut MaskedSelection) -> Result<Window> {
        let spans = self.spans(rows)?;
        let mut batches = 1;
        let mut window = self.window(rows.first_rows(self.batch_size as u64), &spans)?;
        while batches < BATCHES && window.rows.row_count() < rows.row_count() {
            batches *= 2;
            let most = (self.batch_size as u64).saturating_mul(batches as u64);
            let larger = self.window(rows.first_rows(most), &spans)?;
            let bytes: u64 = larger.requests.iter().map(|range| range.end - range.start).sum();
            if bytes > self.bytes {
                break;
            }
            window = larger;
        }
        rows.split_off_first(window.rows.row_count());
        Ok(window)
    }

    /// Returns a window of rows, whose blocks are those of the spans before its end.
    fn window(&self, rows: MaskedSelection, spans: &RowSelection) -> Result<Window> {
        let (spans, _) = spans.clone().split_at(rows.end());
        let blocks = self.file.block_ranges(self.columns, spans.ranges())?;
        let missing = blocks.into_iter().flat_map(|range| self.pieces.missing(range));
        let missing = missing.flat_map(|range| without(range, self.under_way.iter().cloned()));
        let requests = self.options.requests(&missing.collect::<Vec<_>>());
        Ok(Window { rows, requests })
    }
}
