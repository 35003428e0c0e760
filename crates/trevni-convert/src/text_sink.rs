//! Writes batches that several threads encode as text, in order.
//!
//! ```text
//! batches ──► jobs ──► workers ──► texts, in the order of the batches ──► output
//! ```
//! As many batches are encoded as there are threads, and as many texts wait, which bounds the memory. Threads start with
//! the second batch: a single one is encoded by the caller's.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use arrow::array::RecordBatch;

use crate::Sink;
use trevni::{Error, Result};

/// A batch, and the channel for its text.
type Job = (RecordBatch, SyncSender<Result<Vec<u8>>>);

/// Encodes a batch.
type Encode = dyn Fn(&RecordBatch) -> Result<Vec<u8>> + Send + Sync;

/// Writes the texts of batches.
pub(super) struct TextSink<W> {
    to: W,
    encode: Arc<Encode>,
    threads: usize,
    /// The batch that came first.
    first: Option<RecordBatch>,
    /// `None` until threads are needed.
    jobs: Option<SyncSender<Job>>,
    texts: VecDeque<Receiver<Result<Vec<u8>>>>,
}

impl<W: Write> TextSink<W> {
    /// Creates a sink that encodes batches on this many threads; with one, on the caller's.
    pub(super) fn new(
        to: W,
        threads: usize,
        encode: impl Fn(&RecordBatch) -> Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let (encode, texts) = (Arc::new(encode), VecDeque::new());
        Self { to, encode, threads, first: None, jobs: None, texts }
    }

    fn write_now(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.to.write_all(&(self.encode)(batch)?)?)
    }

    /// Gives a batch to the threads.
    fn submit(&mut self, batch: RecordBatch) -> Result<()> {
        let jobs = match self.jobs.take() {
            Some(jobs) => jobs,
            None => start(self.threads, &self.encode)?,
        };
        if self.texts.len() >= 2 * self.threads {
            self.write_text()?;
        }
        let (place, text) = sync_channel(1);
        jobs.send((batch, place)).map_err(|_| lost())?;
        self.texts.push_back(text);
        self.jobs = Some(jobs);
        Ok(())
    }

    /// Writes the next text. Returns whether there was one.
    fn write_text(&mut self) -> Result<bool> {
        let Some(text) = self.texts.pop_front() else { return Ok(false) };
        self.to.write_all(&text.recv().map_err(|_| lost())??)?;
        Ok(true)
    }
}

/// Starts threads, which end when the jobs do.
fn start(threads: usize, encode: &Arc<Encode>) -> io::Result<SyncSender<Job>> {
    let (jobs, waiting) = sync_channel::<Job>(threads);
    let waiting = Arc::new(Mutex::new(waiting));
    for number in 0..threads {
        let (waiting, encode) = (waiting.clone(), encode.clone());
        let worker = move || {
            loop {
                let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((batch, place)) = job else { return };
                // If the text is not wanted, writing has failed.
                let _ = place.send(encode(&batch));
            }
        };
        Builder::new().name(format!("encoder {number}")).spawn(worker)?;
    }
    Ok(jobs)
}

fn lost() -> Error {
    io::Error::other("a thread ended before its work was done").into()
}

impl<W: Write> Sink for TextSink<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.threads <= 1 {
            return self.write_now(batch);
        }
        match self.first.take() {
            Some(first) => self.submit(first)?,
            None if self.jobs.is_none() => {
                self.first = Some(batch.clone());
                return Ok(());
            }
            None => {}
        }
        self.submit(batch.clone())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Some(first) = self.first.take() {
            self.write_now(&first)?;
        }
        while self.write_text()? {}
        Ok(self.to.flush()?)
    }
}

#[cfg(test)]
mod tests {
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
