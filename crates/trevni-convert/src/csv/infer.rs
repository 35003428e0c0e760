//! Infers the types of columns from the first records or from all.
//!
//! ```text
//! chunk ──► values of the columns that need a type ──► candidates      merged over chunks, in any order
//! ```
//! Bad records, and values that are null in columns that are not text, are passed over.

use std::io::Read;
use std::sync::Arc;

use super::chunk::{Chunk, Chunks};
use super::inferred_type::{Candidates, InferredType};
use super::nulls::Nulls;
use super::table::{Layout, Table};
use crate::parallel::ordered;
use trevni::Result;

/// Infers the types of the columns that a layout keeps.
#[derive(Debug, Clone)]
pub(super) struct Inference {
    layout: Arc<Layout>,
    nulls: Arc<Nulls>,
    columns: Vec<Candidates>,
    rows: usize,
}

impl Inference {
    pub(super) fn new(layout: Layout, nulls: Nulls, decimal_comma: bool) -> Self {
        let candidates = Candidates::default().with_decimal_comma(decimal_comma);
        let columns = vec![candidates; layout.kept()];
        Self { layout: Arc::new(layout), nulls: Arc::new(nulls), columns, rows: 0 }
    }

    /// Adds the rows of a chunk, up to `most` in total.
    fn add(&mut self, chunk: Chunk, most: usize) {
        let table = Table::new(chunk, &self.layout, 0);
        let rows = table.rows.min(most.saturating_sub(self.rows));
        let text = table.text();
        for (candidates, spans) in self.columns.iter_mut().zip(&table.columns) {
            for span in spans.iter().take(rows) {
                let value = span.of(text);
                if span.is_empty_text() {
                    candidates.add_empty_text();
                } else if !self.nulls.contains(value) {
                    candidates.add(value);
                }
            }
        }
        self.rows += rows;
    }

    fn merge(&mut self, other: &Self) {
        for (candidates, other) in self.columns.iter_mut().zip(&other.columns) {
            candidates.merge(other);
        }
        self.rows += other.rows;
    }

    /// Inspects the first rows. Returns the chunks that were read.
    pub(super) fn first<R: Read>(
        &mut self,
        first: Chunk,
        chunks: &mut Chunks<R>,
        rows: usize,
    ) -> Result<Vec<Chunk>> {
        let mut read = vec![first];
        loop {
            if let Some(last) = read.last() {
                self.add(last.clone(), rows);
            }
            if self.rows >= rows {
                return Ok(read);
            }
            match chunks.next() {
                Some(chunk) => read.push(chunk?),
                None => return Ok(read),
            }
        }
    }

    /// Inspects all rows.
    pub(super) fn all<R: Read + Send + 'static>(
        &mut self,
        first: Chunk,
        chunks: Chunks<R>,
        threads: usize,
    ) -> Result<()> {
        let empty = self.clone();
        let look = move |chunk: Result<Chunk>| -> Result<Inference> {
            let mut of_chunk = empty.clone();
            of_chunk.add(chunk?, usize::MAX);
            Ok(of_chunk)
        };
        for of_chunk in ordered(std::iter::once(Ok(first)).chain(chunks), threads, look) {
            self.merge(&of_chunk??);
        }
        Ok(())
    }

    /// Returns the types of the columns.
    pub(super) fn kinds(&self) -> Vec<InferredType> {
        self.columns.iter().map(Candidates::kind).collect()
    }
}
