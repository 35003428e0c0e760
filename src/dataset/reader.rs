//! Reads the record batches of a data set in a folder.
//!
//! ```text
//! one thread    file 0 ──► batches ──► file 1 ──► …
//! more          units of rows: file 0: 0 │ 1 │ 2   file 1: 3 │ 4 …
//!               pool               ██  ██  █▒      as many under way as there are threads
//!               returned       ◄── 0                the next starts when one is returned
//! ```

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::file_scan::{FileScan, ScanPredicate, unwrapped};
use super::folder::Folder;
use super::scan::{DatasetScan, ScanPart, ScanPlan, Trim};
use crate::arrow::{ArrowReader, ArrowReaderBuilder, ArrowReaderOptions};
use crate::error::{Error, Result};
use crate::io::Limits;
use crate::read::file_reader::FileReader;

/// Batches of a unit.
const UNIT: u64 = 8;

/// An iterator over the record batches of a scan, in the order of the files. After an error it ends.
pub struct DatasetReader {
    schema: SchemaRef,
    trim: Trim,
    way: ReadMode,
}

enum ReadMode {
    One(Box<OneByOne>),
    Many(SideBySide),
    Ended,
}

impl DatasetScan<Folder> {
    /// Starts to read.
    pub fn build(self) -> Result<DatasetReader> {
        let ScanPlan { question, parts, trim, batch_size, limits } = self.plan()?;
        let schema = question.output.clone();
        let opener = Arc::new(Opener {
            folder: self.place,
            question,
            batch_size,
            limits,
            most: trim.most(),
        });
        let files = parts.into_iter().map(|part| Arc::new(Opened { part, file: Mutex::default() }));
        let files: Vec<_> = files.collect();
        let way = match self.parallelism {
            1 => ReadMode::One(Box::new(OneByOne { opener, files: files.into(), current: None })),
            threads => ReadMode::Many(SideBySide::new(opener, &files, threads)?),
        };
        Ok(DatasetReader { schema, trim, way })
    }
}

/// Opens files.
struct Opener {
    folder: Folder,
    question: Arc<ScanPredicate>,
    batch_size: usize,
    limits: Limits,
    /// Rows that are needed of all.
    most: u64,
}

/// A file that is opened when its first rows are read.
struct Opened {
    part: ScanPart,
    file: Mutex<Option<FileReader<File>>>,
}

/// Rows of one file.
struct PartReader {
    reader: ArrowReader<File>,
    ask: FileScan,
    file: Arc<Opened>,
}

impl Opener {
    /// Opens some rows of a file; `None` if none of the file can pass.
    fn open(&self, file: &Arc<Opened>, rows: Range<u64>) -> Result<Option<PartReader>> {
        self.try_open(file, rows).map_err(|e| e.in_file(file.part.file.path()))
    }

    fn try_open(&self, file: &Arc<Opened>, rows: Range<u64>) -> Result<Option<PartReader>> {
        let reader = {
            let mut held = file.file.lock().unwrap_or_else(PoisonError::into_inner);
            match &*held {
                Some(reader) => reader.clone(),
                None => {
                    let reader = FileReader::try_new(self.folder.open(file.part.file.path())?)?;
                    held.insert(reader).clone()
                }
            }
        };
        check_rows(&file.part, reader.rows())?;
        let reader = reader.with_limits(self.limits);
        let builder = ArrowReaderBuilder::from_file(reader, ArrowReaderOptions::new())?;
        let constants = file.part.constants.clone();
        let Some(ask) = self.question.ask(builder.schema(), constants)? else { return Ok(None) };
        let mut builder = builder
            .with_batch_size(self.batch_size)
            .with_projection(ask.mask.clone())
            .with_row_range(rows);
        if let Some(predicate) = &ask.predicate {
            builder = builder.with_predicate(predicate.clone());
        }
        if ask.is_settled() {
            builder = builder.with_limit(self.most);
        }
        Ok(Some(PartReader { reader: builder.build()?, ask, file: file.clone() }))
    }
}

/// A file that has other rows than were promised is another file.
pub(super) fn check_rows(part: &ScanPart, rows: u64) -> Result<()> {
    match rows == part.file.rows() {
        true => Ok(()),
        false => {
            let said = part.file.rows();
            Err(Error::malformed(format!("{rows} rows, but the commit says {said}")))
        }
    }
}

impl Iterator for PartReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?.map_err(unwrapped);
        let batch = batch.and_then(|batch| self.ask.finish(&batch));
        Some(batch.map_err(|e| e.in_file(self.file.part.file.path())))
    }
}

/// On the caller's thread.
struct OneByOne {
    opener: Arc<Opener>,
    files: VecDeque<Arc<Opened>>,
    current: Option<PartReader>,
}

impl OneByOne {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.current.as_mut().and_then(Iterator::next) {
                return batch.map(Some);
            }
            let Some(file) = self.files.pop_front() else { return Ok(None) };
            self.current = self.opener.open(&file, file.part.rows.clone())?;
        }
    }
}

/// By several threads. A batch of a unit, or nothing at its end.
type Given = Result<Option<RecordBatch>>;

struct SideBySide {
    opener: Arc<Opener>,
    pool: ThreadPool,
    units: VecDeque<(Arc<Opened>, Range<u64>)>,
    /// Units that are being read, in order.
    ahead: VecDeque<Receiver<Given>>,
    threads: usize,
}

impl SideBySide {
    fn new(opener: Arc<Opener>, files: &[Arc<Opened>], threads: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.thread_name(|i| format!("trevni-dataset-{i}")).build();
        let pool = pool.map_err(|e| Error::from(std::io::Error::other(e)))?;
        let rows = UNIT.saturating_mul(opener.batch_size as u64);
        let mut units = VecDeque::new();
        for file in files {
            let Range { start, end } = file.part.rows;
            let mut at = start;
            while at < end {
                let next = at.saturating_add(rows).min(end);
                units.push_back((file.clone(), at..next));
                at = next;
            }
        }
        Ok(Self { opener, pool, units, ahead: VecDeque::new(), threads })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            while self.ahead.len() <= self.threads
                && let Some((file, rows)) = self.units.pop_front()
            {
                self.ahead.push_back(self.begin(file, rows));
            }
            let Some(first) = self.ahead.front() else { return Ok(None) };
            match first.recv() {
                Ok(Ok(Some(batch))) => return Ok(Some(batch)),
                Ok(Ok(None)) => self.ahead.pop_front(),
                Ok(Err(e)) => return Err(e),
                Err(_) => return Err(std::io::Error::other("a thread that reads has died").into()),
            };
        }
    }

    fn begin(&self, file: Arc<Opened>, rows: Range<u64>) -> Receiver<Given> {
        let (to, from) = channel();
        let opener = self.opener.clone();
        self.pool.spawn_fifo(move || {
            let read = || -> Result<()> {
                for batch in opener.open(&file, rows)?.into_iter().flatten() {
                    if to.send(Ok(Some(batch?))).is_err() {
                        break;
                    }
                }
                Ok(())
            };
            // The receiver may be dropped.
            let _ = to.send(read().map(|()| None));
        });
        from
    }
}

impl DatasetReader {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while !self.trim.is_done() {
            let batch = match &mut self.way {
                ReadMode::One(way) => way.next()?,
                ReadMode::Many(way) => way.next()?,
                ReadMode::Ended => None,
            };
            let Some(batch) = batch else { break };
            let batch = self.trim.trim(&batch);
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        self.way = ReadMode::Ended;
        Ok(None)
    }
}

impl Iterator for DatasetReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch();
        if batch.is_err() {
            self.way = ReadMode::Ended;
        }
        batch.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for DatasetReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl std::fmt::Debug for DatasetReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetReader").field("schema", &self.schema).finish_non_exhaustive()
    }
}
