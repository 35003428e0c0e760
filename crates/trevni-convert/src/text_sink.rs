//! Writes batches that several threads encode as text, in order.
//!
//! ```text
//! batches ──► queue ──► ordered: several threads encode ──► texts, in the order of the batches ──► output
//! ```
//! At most two batches for each thread are in the queue, encoded, or waiting as text, which bounds the memory.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

use arrow::array::RecordBatch;

use crate::Sink;
use crate::divide::{check_row, divide};
use crate::parallel::{Ordered, ordered};
use trevni::{Error, Result};

/// The maximum number of rows that are encoded together, and of the bytes of their values.
const ROWS: usize = 1 << 16;
const BYTES: u64 = 4 << 20;

/// A row of more bytes has no text.
const LARGEST_ROW: u64 = 256 << 20;

/// Writes the texts of batches.
pub(super) struct TextSink<W> {
    to: W,
    /// `None` after the last batch.
    batches: Option<SyncSender<RecordBatch>>,
    texts: Ordered<Result<Vec<u8>>>,
    /// Batches whose text is not written.
    waiting: usize,
    /// How many batches may wait.
    most: usize,
}

impl<W: Write> TextSink<W> {
    /// Creates a sink that encodes batches on this many threads; with one, on the caller's.
    pub(super) fn new(
        to: W,
        threads: usize,
        encode: impl Fn(&RecordBatch) -> Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let most = if threads <= 1 { 0 } else { 2 * threads };
        let (batches, queue) = sync_channel::<RecordBatch>(most + 1);
        let texts = ordered(queue.into_iter(), threads, move |batch| encode(&batch));
        Self { to, batches: Some(batches), texts, waiting: 0, most }
    }

    /// Writes texts until at most `most` batches wait.
    fn write_texts(&mut self, most: usize) -> Result<()> {
        while self.waiting > most {
            let text = self.texts.next().ok_or_else(lost)?;
            self.waiting -= 1;
            self.to.write_all(&text??)?;
        }
        Ok(())
    }
}

fn lost() -> Error {
    io::Error::other("a thread ended before its work was done").into()
}

impl<W: Write> Sink for TextSink<W> {
    /// A few bytes can be many rows, and many bytes of text, so a batch is divided.
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        for start in (0..batch.num_rows()).step_by(ROWS) {
            let some = batch.slice(start, ROWS.min(batch.num_rows() - start));
            for part in divide(some, BYTES) {
                check_row(&part, LARGEST_ROW, "bytes of a row as text")?;
                let batches = self.batches.as_ref().ok_or_else(lost)?;
                batches.send(part).map_err(|_| lost())?;
                self.waiting += 1;
                self.write_texts(self.most)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.batches = None;
        self.write_texts(0)?;
        Ok(self.to.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array};

    use super::*;

    fn batch(n: i32) -> RecordBatch {
        let values: ArrayRef = Arc::new(Int32Array::from(vec![n]));
        RecordBatch::try_from_iter([("n", values)]).unwrap()
    }

    fn number(batch: &RecordBatch) -> i32 {
        batch.column(0).as_any().downcast_ref::<Int32Array>().unwrap().value(0)
    }

    #[test]
    fn texts_are_in_order() {
        for threads in [1, 2, 5] {
            for batches in [0, 1, 2, 100] {
                let mut out = Vec::new();
                let encode = |batch: &RecordBatch| Ok(format!("{} ", number(batch)).into_bytes());
                let mut sink = Box::new(TextSink::new(&mut out, threads, encode));
                (0..batches).for_each(|n| sink.write(&batch(n)).unwrap());
                sink.finish().unwrap();
                let expected: String = (0..batches).map(|n| format!("{n} ")).collect();
                assert_eq!(String::from_utf8(out).unwrap(), expected);
            }
        }
    }

    #[test]
    fn the_texts_before_an_error_are_written() {
        for threads in [1, 3] {
            let mut out = Vec::new();
            let encode = |batch: &RecordBatch| match number(batch) {
                20 => Err(Error::invalid("20")),
                n => Ok(format!("{n} ").into_bytes()),
            };
            let mut sink = Box::new(TextSink::new(&mut out, threads, encode));
            let result = (0..50).try_for_each(|n| sink.write(&batch(n)));
            assert_eq!(result.unwrap_err().to_string(), Error::invalid("20").to_string());
            drop(sink);
            let expected: String = (0..20).map(|n| format!("{n} ")).collect();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
