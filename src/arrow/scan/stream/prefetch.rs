//! Prefetches windows of rows while others are decoded.
//!
//! ```text
//! rest         ├───────────── rows that no window has yet ──────────────┤
//! prefetched   window, window, ...      fetched concurrently; they are returned in order
//! ```

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::Pin;
use std::task::Poll;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, MaybeDone, maybe_done};

use super::windows::{Cutter, Window};
use crate::arrow::selection::masked::MaskedSelection;
use crate::error::Result;
use crate::object_store::{Fetched, spawn};
use crate::read::remote_file::{RemoteFile, insert_pieces};

/// Fetches rows of some columns, window by window.
pub(super) struct Windows {
    pub(super) columns: Vec<usize>,
    pub(super) rest: MaskedSelection,
    prefetched: VecDeque<Prefetch>,
    batch_size: usize,
    /// Of a window, about.
    bytes: u64,
}

/// A window that is being fetched.
struct Prefetch {
    window: Window,
    pieces: MaybeDone<BoxFuture<'static, Result<Fetched>>>,
}

impl Windows {
    pub(super) fn new(columns: Vec<usize>, batch_size: usize, bytes: u64) -> Self {
        Self {
            columns,
            rest: MaskedSelection::default(),
            prefetched: VecDeque::new(),
            batch_size,
            bytes,
        }
    }

    /// Returns the first row that has not arrived.
    pub(super) fn first_row(&self) -> Option<u64> {
        let next = self.prefetched.front().map_or(&self.rest, |next| &next.window.rows);
        next.first()
    }

    /// Wants no more rows.
    pub(super) fn clear(&mut self) {
        self.rest = MaskedSelection::default();
        self.prefetched.clear();
    }

    /// Starts to fetch the next windows, up to this number.
    pub(super) fn fetch_ahead(&mut self, windows: usize, file: &RemoteFile) -> Result<()> {
        while self.prefetched.len() < windows && self.rest.selects_any() {
            let mut rest = std::mem::take(&mut self.rest);
            let window = self.cutter(&self.columns, file).cut(&mut rest);
            self.rest = rest;
            let window = window?;
            let (object, requests) = (file.object().clone(), window.requests.clone());
            let fetch = match requests.is_empty() {
                true => std::future::ready(Ok(Vec::new())).boxed(),
                false => spawn(async move { object.fetch(&requests).await }),
            };
            self.prefetched.push_back(Prefetch { window, pieces: maybe_done(fetch) });
        }
        Ok(())
    }

    /// Returns the requests that would fetch some columns of all the rows that no window has yet.
    pub(super) fn missing(&self, columns: &[usize], file: &RemoteFile) -> Result<Vec<Range<u64>>> {
        Ok(self.cutter(columns, file).all(&self.rest)?.requests)
    }

    fn cutter<'a>(&self, columns: &'a [usize], file: &'a RemoteFile) -> Cutter<'a> {
        Cutter {
            file: file.file(),
            columns,
            pieces: file.pieces(),
            options: file.object().options(),
            under_way: self.under_way(),
            batch_size: self.batch_size,
            bytes: self.bytes,
        }
    }

    fn under_way(&self) -> Vec<Range<u64>> {
        let requests = self.prefetched.iter().flat_map(|next| &next.window.requests);
        let mut requests: Vec<_> = requests.cloned().collect();
        requests.sort_unstable_by_key(|range| range.start);
        requests
    }

    /// Polls the pending requests, without waiting for them.
    pub(super) async fn poll_requests(&mut self) {
        poll_fn(|cx| {
            for prefetch in &mut self.prefetched {
                let _ = Pin::new(&mut prefetch.pieces).poll(cx);
            }
            Poll::Ready(())
        })
        .await
    }

    /// Waits for the next window: its rows can be read then. `None` if there is no more.
    pub(super) async fn next_window(
        &mut self,
        file: &RemoteFile,
    ) -> Result<Option<MaskedSelection>> {
        self.fetch_ahead(1, file)?;
        let Some(mut next) = self.prefetched.pop_front() else { return Ok(None) };
        (&mut next.pieces).await;
        let pieces = Pin::new(&mut next.pieces).take_output().transpose()?;
        insert_pieces(file.pieces(), pieces.unwrap_or_default())?;
        Ok(Some(next.window.rows))
    }
}
