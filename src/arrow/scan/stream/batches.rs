//! Decodes fetched windows into batches.
//!
//! ```text
//! without predicates     output   window 0   fetch ──► pieces ──► decode, decode, decode
//!                                 window 1              fetch ───────────────► pieces ──► decode, ...
//! with predicates        filter   window 0   fetch ──► pieces ──► evaluate        window 1 ...
//!                        output                                   rows that passed: fetch ──► decode, ...
//! few rows may match     both     fetched together
//! ```
//! Bytes before the current window are dropped.

use std::ops::Range;

use arrow::array::RecordBatch;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, try_unfold};

use super::ArrowStreamBuilder;
use super::prefetch::Windows;
use super::push_reader::PushReader;
use crate::arrow::scan::ordered_scan::{self, ScanOptions};
use crate::arrow::scan::settings::ScanSettings;
use crate::arrow::scan::shares;
use crate::arrow::scan::trim::Trim;
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::read::remote_file::{RemoteFile, insert_pieces};

type Batches = BoxStream<'static, Result<RecordBatch>>;

/// Returns the batches of a file.
pub(super) fn batches(builder: ArrowStreamBuilder, columns: Vec<usize>) -> Batches {
    StreamState::Begin(Box::new(builder), columns).batches()
}

/// Returns the batches of a file, of which the first are being fetched.
pub(super) async fn start(builder: ArrowStreamBuilder, columns: Vec<usize>) -> Result<Batches> {
    let mut reading = Reading::begin(builder, columns).await?;
    reading.fetch_ahead(1)?;
    Ok(StreamState::GoOn(Box::new(reading)).batches())
}

enum StreamState {
    Begin(Box<ArrowStreamBuilder>, Vec<usize>),
    GoOn(Box<Reading>),
}

impl StreamState {
    fn batches(self) -> Batches {
        let steps = try_unfold(self, |step| async move {
            let mut reading = step.into_reading().await?;
            let batch = reading.next().await?;
            Ok(batch.map(|batch| (batch, StreamState::GoOn(reading))))
        });
        steps.boxed()
    }

    async fn into_reading(self) -> Result<Box<Reading>> {
        match self {
            StreamState::Begin(builder, columns) => {
                Ok(Box::new(Reading::begin(*builder, columns).await?))
            }
            StreamState::GoOn(reading) => Ok(reading),
        }
    }
}

/// A file that is being read.
struct Reading {
    file: RemoteFile,
    reader: PushReader,
    /// Windows of the predicate columns, if there are predicates.
    filter: Option<Windows>,
    /// Windows of the output columns.
    output: Windows,
    prefetch: usize,
    /// The number of windows that predicates are evaluated on before the rows that pass are output. With a row pruner it
    /// grows: the first batches come soon, and the pruner takes account of them, but later ones need fewer requests.
    step: usize,
    /// The changes of the row pruner that are known.
    changes: u64,
}

impl Reading {
    async fn begin(builder: ArrowStreamBuilder, columns: Vec<usize>) -> Result<Self> {
        let filters = builder.reader.has_filters();
        let windows = builder.prefetch.saturating_add(1);
        let windows = windows.saturating_mul(if filters { 2 } else { 1 });
        let (most, limits) = shares::of_windows(&builder.reader.settings.limits, windows);
        let window = builder.window.min(most);
        builder.file.fetch_tables(&columns, builder.bytes_ahead(window)).await?;
        let ArrowStreamBuilder { reader: builder, file, prefetch, .. } = builder;
        let ScanSettings { offset, limit, batch_size, parallelism, .. } = builder.settings;
        let (mut plan, hooks) = builder.into_plan()?;
        let step = if hooks.pruner.is_some() { 1 } else { usize::MAX };
        if !filters {
            plan.rows = plan.rows.offset(offset).limit(limit);
        }
        let rows = std::mem::take(&mut plan.rows);
        // Predicates and what is called while rows are read are evaluated on the task.
        let threads = if filters || !hooks.is_empty() { 1 } else { parallelism };
        let pool = ordered_scan::pool(threads, 1, rows.row_count(), batch_size)?;
        let options = ScanOptions { limits, pool, joins: false, trim: Trim::none() };
        let reader = PushReader::new(plan, hooks, Trim::new(offset, limit), options)?;
        let windows = |columns| Windows::new(columns, batch_size, window);
        let mut filter = reader.predicate_columns().map(windows);
        let output = reader.columns_of_output().map_or(columns, <[usize]>::to_vec);
        let mut output = windows(output);
        filter.as_mut().unwrap_or(&mut output).rest = (&rows).into();
        let mut reading = Self { file, reader, filter, output, prefetch, step, changes: 0 };
        reading.fetch_together(window).await?;
        Ok(reading)
    }

    /// Fetches what all rows that may match need, of the predicate columns and of the others, if the others have no more
    /// bytes than a round trip is worth.
    async fn fetch_together(&mut self, window: u64) -> Result<()> {
        let most = self.file.object().options().round_trip_bytes().min(window);
        let Some(filter) = self.filter.as_ref().filter(|_| most > 0) else { return Ok(()) };
        if self.output.columns.is_empty() {
            return Ok(());
        }
        let of_predicates = filter.missing(&filter.columns, &self.file)?;
        let of_others = filter.missing(&self.output.columns, &self.file)?;
        let bytes = |requests: &[Range<u64>]| requests.iter().map(|r| r.end - r.start).sum::<u64>();
        if bytes(&of_others) > most || bytes(&of_predicates) > window {
            return Ok(());
        }
        let requests = [of_predicates, of_others].concat();
        insert_pieces(self.file.pieces(), self.file.object().fetch(&requests).await?)
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.prune();
            self.fetch_ahead(self.prefetch)?;
            self.output.poll_requests().await;
            if let Some(filter) = &mut self.filter {
                filter.poll_requests().await;
            }
            if let Some(batch) = self.reader.next_of_rows().await? {
                return Ok(Some(batch));
            }
            if let Some(rows) = self.output.next_window(&self.file).await? {
                self.drop_behind(&rows)?;
                self.reader.set_rows(&rows);
            } else if !self.evaluate().await? {
                return Ok(None);
            }
        }
    }

    /// Fetches no rows that a pruner has excluded.
    fn prune(&mut self) {
        if let Some(needed) = self.reader.needed_since(&mut self.changes) {
            let windows = self.filter.as_mut().unwrap_or(&mut self.output);
            windows.rest = (&windows.rest.to_selection().intersection(needed)).into();
        }
    }

    /// Starts to fetch the next windows, up to this number of each kind.
    fn fetch_ahead(&mut self, windows: usize) -> Result<()> {
        self.output.fetch_ahead(windows, &self.file)?;
        let Some(filter) = &mut self.filter else { return Ok(()) };
        filter.fetch_ahead(windows, &self.file)
    }

    /// Evaluates predicates on windows until a batch of rows matches, or there are no more. Returns whether any
    /// matches.
    async fn evaluate(&mut self) -> Result<bool> {
        loop {
            self.prune();
            let Some(filter) = &mut self.filter else { return Ok(false) };
            let last = match self.reader.first_row_to_evaluate() {
                Some(_) => !self.reader.evaluate(self.step)?,
                None => match filter.next_window(&self.file).await? {
                    None => true,
                    Some(rows) => {
                        filter.fetch_ahead(self.prefetch, &self.file)?;
                        filter.poll_requests().await;
                        self.reader.set_rows_to_evaluate(rows.to_selection());
                        continue;
                    }
                },
            };
            if last {
                filter.clear();
            }
            let passed = self.reader.passed(last);
            if passed.selects_any() {
                self.step = self.step.saturating_mul(2);
                self.output.rest = passed;
                return Ok(true);
            }
            if last {
                return Ok(false);
            }
        }
    }

    /// Drops what no row from these on needs.
    fn drop_behind(&mut self, rows: &MaskedSelection) -> Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let file = self.file.file();
        let from = |columns: &[usize], row: u64| {
            file.block_ranges(columns, std::slice::from_ref(&(row..file.rows())))
        };
        let mut needed = from(&self.output.columns, first)?;
        if let Some(filter) = &self.filter
            && let Some(first) = self.reader.first_row_to_evaluate().or(filter.first_row())
        {
            needed.extend(from(&filter.columns, first)?);
        }
        self.file.pieces().keep(&needed);
        Ok(())
    }
}
