//! Fetches windows and decodes them.
//!
//! ```text
//! window 0   fetch ──► pieces ──► decode, decode, decode
//! window 1                  fetch ───────────────► pieces ──► decode, ...      what lies behind is dropped
//! ```

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use arrow::array::RecordBatch;
use futures_util::future::{BoxFuture, MaybeDone, maybe_done};
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{FutureExt, StreamExt};

use super::ArrowStreamBuilder;
use super::windows::{Cutter, Window};
use crate::arrow::reader::ArrowReader;
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::Ranges;
use crate::object_store::{Fetched, beside};
use crate::trevni::{RemoteFile, insert_pieces};

/// The batches of a file.
pub(super) fn batches(
    builder: ArrowStreamBuilder,
    columns: Vec<usize>,
) -> BoxStream<'static, Result<RecordBatch>> {
    let begun = Turn::Begin(Box::new(builder), columns);
    let turns = try_unfold(begun, |turn| async move {
        let mut reading = turn.into_reading().await?;
        let batch = reading.next().await?;
        Ok(batch.map(|batch| (batch, Turn::GoOn(reading))))
    });
    turns.boxed()
}

enum Turn {
    Begin(Box<ArrowStreamBuilder>, Vec<usize>),
    GoOn(Box<Reading>),
}

impl Turn {
    async fn into_reading(self) -> Result<Box<Reading>> {
        match self {
            Turn::Begin(builder, columns) => Ok(Box::new(Reading::begin(*builder, columns).await?)),
            Turn::GoOn(reading) => Ok(reading),
        }
    }
}

/// A file that is being read.
struct Reading {
    file: RemoteFile,
    reader: ArrowReader<std::sync::Arc<Ranges>>,
    columns: Vec<usize>,
    /// The rows that no window has yet.
    rest: RowSelection,
    ahead: VecDeque<Ahead>,
    prefetch: usize,
    window: u64,
    batch_size: usize,
}

/// A window that is being fetched.
struct Ahead {
    window: Window,
    pieces: MaybeDone<BoxFuture<'static, Result<Fetched>>>,
}

impl Reading {
    async fn begin(builder: ArrowStreamBuilder, columns: Vec<usize>) -> Result<Self> {
        let ArrowStreamBuilder { file, reader, window, prefetch } = builder;
        // Where all rows are read, a small column is fetched with its table.
        let spare = if reader.reads_all_rows() { window } else { 0 };
        file.fetch_tables(&columns, spare).await?;
        let batch_size = reader.batch_size();
        let mut reader = reader.build()?;
        let rest = reader.take_rows();
        let ahead = VecDeque::new();
        Ok(Self { file, reader, columns, rest, ahead, prefetch, window, batch_size })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.fetch_ahead(self.prefetch)?;
            self.drive().await;
            if let Some(batch) = self.reader.next_of_portion()? {
                return Ok(Some(batch));
            }
            self.fetch_ahead(1)?;
            let Some(mut next) = self.ahead.pop_front() else { return Ok(None) };
            (&mut next.pieces).await;
            let pieces = Pin::new(&mut next.pieces).take_output().transpose()?;
            insert_pieces(self.file.pieces(), pieces.unwrap_or_default())?;
            self.enter(next.window.rows)?;
        }
    }

    /// Begins to fetch the next windows, so that `windows` are on their way.
    fn fetch_ahead(&mut self, windows: usize) -> Result<()> {
        while self.ahead.len() < windows && self.rest.row_count() > 0 {
            let under_way = self.ahead.iter().flat_map(|ahead| &ahead.window.requests).cloned();
            let mut under_way: Vec<_> = under_way.collect();
            under_way.sort_unstable_by_key(|range| range.start);
            let cutter = Cutter {
                file: self.file.file(),
                columns: &self.columns,
                pieces: self.file.pieces(),
                options: self.file.object().options(),
                under_way,
                batch_size: self.batch_size,
                bytes: self.window,
            };
            let window = cutter.cut(&mut self.rest)?;
            let (object, requests) = (self.file.object().clone(), window.requests.clone());
            let fetch = match requests.is_empty() {
                true => std::future::ready(Ok(Vec::new())).boxed(),
                false => beside(async move { object.fetch(&requests).await }),
            };
            self.ahead.push_back(Ahead { window, pieces: maybe_done(fetch) });
        }
        Ok(())
    }

    /// Lets what is on its way go on, without waiting for it.
    async fn drive(&mut self) {
        poll_fn(|cx| {
            for ahead in &mut self.ahead {
                let _ = Pin::new(&mut ahead.pieces).poll(cx);
            }
            Poll::Ready(())
        })
        .await
    }

    /// Goes to a window that is there, and drops what no row from it on needs.
    fn enter(&mut self, rows: RowSelection) -> Result<()> {
        if let Some(first) = rows.ranges().first() {
            let needed = first.start..self.file.file().rows();
            let needed = self.file.file().block_ranges(&self.columns, &[needed])?;
            self.file.pieces().keep(&needed);
        }
        self.reader.give_rows(rows);
        Ok(())
    }
}
