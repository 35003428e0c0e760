//! Decodes fetched windows into batches.
//!
//! ```text
//! without predicates     output   window 0   fetch ──► pieces ──► decode, decode, decode
//!                                 window 1              fetch ───────────────► pieces ──► decode, ...
//! with predicates        asked    window 0   fetch ──► pieces ──► sift            window 1 ...
//!                        output                                   rows that passed: fetch ──► decode, ...
//! ```
//! Bytes before the current window are dropped.

use arrow::array::RecordBatch;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, try_unfold};

use super::prefetch::Windows;
use super::{ArrowStreamBuilder, Fetching};
use crate::arrow::read::arrow_reader::ArrowReader;
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::Ranges;
use crate::read::remote_file::RemoteFile;

/// Returns the batches of a file.
pub(super) fn batches(
    builder: ArrowStreamBuilder,
    columns: Vec<usize>,
) -> BoxStream<'static, Result<RecordBatch>> {
    let begun = StreamState::Begin(Box::new(builder), columns);
    let steps = try_unfold(begun, |step| async move {
        let mut reading = step.into_reading().await?;
        let batch = reading.next().await?;
        Ok(batch.map(|batch| (batch, StreamState::GoOn(reading))))
    });
    steps.boxed()
}

enum StreamState {
    Begin(Box<ArrowStreamBuilder>, Vec<usize>),
    GoOn(Box<Reading>),
}

impl StreamState {
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
    reader: ArrowReader<std::sync::Arc<Ranges>>,
    /// Windows of the predicate columns, if there are predicates.
    asked: Option<Windows>,
    /// Windows of the output columns.
    output: Windows,
    prefetch: usize,
}

impl Reading {
    async fn begin(builder: ArrowStreamBuilder, columns: Vec<usize>) -> Result<Self> {
        let Fetching { file, window, .. } = &builder.fetching;
        // Where all rows are read, a small column is fetched with its table.
        let pool = if builder.reads_all_rows() { *window } else { 0 };
        file.fetch_tables(&columns, pool).await?;
        let batch_size = builder.batch_size();
        let (mut reader, Fetching { file, window, prefetch }) =
            builder.on_one_thread_if_filtered().into_reader()?;
        let windows = |columns| Windows::new(columns, batch_size, window);
        let mut asked = reader.columns_asked().map(windows);
        let output = reader.columns_of_output().map_or(columns, <[usize]>::to_vec);
        let mut output = windows(output);
        asked.as_mut().unwrap_or(&mut output).rest = reader.take_rows();
        Ok(Self { file, reader, asked, output, prefetch })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.fetch_ahead(self.prefetch)?;
            self.output.drive().await;
            if let Some(asked) = &mut self.asked {
                asked.drive().await;
            }
            if let Some(batch) = self.reader.next_of_portion()? {
                return Ok(Some(batch));
            }
            if let Some(rows) = self.output.arrive(&self.file).await? {
                self.drop_behind(&rows)?;
                self.reader.give_rows(rows);
            } else if !self.ask().await? {
                return Ok(None);
            }
        }
    }

    /// Starts to fetch the next windows, up to this number of each kind.
    fn fetch_ahead(&mut self, windows: usize) -> Result<()> {
        self.output.fetch_ahead(windows, &self.file)?;
        let Some(asked) = &mut self.asked else { return Ok(()) };
        asked.fetch_ahead(windows, &self.file)
    }

    /// Evaluates predicates on windows until a batch of rows matches, or there are no more. Returns whether any
    /// matches.
    async fn ask(&mut self) -> Result<bool> {
        let Some(asked) = &mut self.asked else { return Ok(false) };
        loop {
            let last = match asked.arrive(&self.file).await? {
                None => true,
                Some(rows) => {
                    asked.fetch_ahead(self.prefetch, &self.file)?;
                    asked.drive().await;
                    !self.reader.sift(rows)?
                }
            };
            if last {
                asked.clear();
            }
            let passed = self.reader.passed(last);
            if passed.selects_any() {
                self.output.rest = passed;
                return Ok(true);
            }
            if last {
                return Ok(false);
            }
        }
    }

    /// Drops what no row from these on needs.
    fn drop_behind(&self, rows: &RowSelection) -> Result<()> {
        let Some(first) = rows.ranges().first() else { return Ok(()) };
        let file = self.file.file();
        let from = |columns: &[usize], row: u64| {
            file.block_ranges(columns, std::slice::from_ref(&(row..file.rows())))
        };
        let mut needed = from(&self.output.columns, first.start)?;
        if let Some(asked) = &self.asked
            && let Some(first) = asked.first_row()
        {
            needed.extend(from(&asked.columns, first)?);
        }
        self.file.pieces().keep(&needed);
        Ok(())
    }
}
