//! Reads the record batches of a data set in a folder.
//!
//! ```text
//! one thread    file 0 ──► batches ──► file 1 ──► …
//! more          units of rows: file 0: 0 │ 1 │ 2   file 1: 3 │ 4 …
//!               threads            ██  ██  █▒      the caller's is one
//!               returned       ◄── 0                the next starts when one is returned
//! ```

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use rayon::ThreadPool;

use super::file_scan::{FileScan, unwrapped};
use super::folder::Folder;
use super::scan::{DatasetScan, FileSettings, ScanPart, ScanPlan, Trim};
use crate::arrow::{ArrowReader, ArrowReaderBuilder, ArrowReaderOptions};
use crate::error::Result;
use crate::parallelism::ordered::Ordered;
use crate::parallelism::threads;
use crate::read::file_reader::FileReader;

/// Batches of a unit.
const UNIT: u64 = 8;

/// An iterator over the record batches of a scan, in the order of the files. After an error it ends.
pub struct DatasetReader {
    schema: SchemaRef,
    trim: Trim,
    mode: ReadMode,
}

enum ReadMode {
    Sequential(Box<SequentialReader>),
    Parallel(ParallelReader),
    Ended,
}

impl DatasetScan<Folder> {
    /// Starts to read.
    pub fn build(self) -> Result<DatasetReader> {
        let ScanPlan { settings, parts, trim } = self.plan()?;
        let schema = settings.predicate.output.clone();
        let opener = Arc::new(Opener { folder: self.place, settings });
        let files = parts.into_iter().map(|part| Arc::new(Opened { part, file: Mutex::default() }));
        let files = files.collect();
        let mode = match threads::pool(self.parallelism)? {
            None => {
                ReadMode::Sequential(Box::new(SequentialReader { opener, files, current: None }))
            }
            Some(pool) => ReadMode::Parallel(ParallelReader::new(opener, &files, pool)),
        };
        Ok(DatasetReader { schema, trim, mode })
    }
}

/// Opens files.
struct Opener {
    folder: Folder,
    settings: FileSettings,
}

/// A file that is opened when its first rows are read.
struct Opened {
    part: ScanPart,
    file: Mutex<Option<FileReader<File>>>,
}

/// Rows of one file.
struct PartReader {
    reader: ArrowReader<File>,
    scan: FileScan,
    file: Arc<Opened>,
}

impl Opener {
    /// Opens some rows of a file; `None` if none of the file can match.
    fn open(&self, file: &Arc<Opened>, rows: Range<u64>) -> Result<Option<PartReader>> {
        self.try_open(file, rows).map_err(|e| e.in_file(file.part.file.path()))
    }

    /// Reads the batches of some rows of a file.
    fn read_unit(&self, file: &Arc<Opened>, rows: Range<u64>) -> UnitBatches {
        let part = match self.open(file, rows) {
            Ok(part) => part,
            Err(e) => return vec![Err(e)],
        };
        let mut batches = Vec::new();
        for batch in part.into_iter().flatten() {
            let failed = batch.is_err();
            batches.push(batch);
            if failed {
                break;
            }
        }
        batches
    }

    fn try_open(&self, file: &Arc<Opened>, rows: Range<u64>) -> Result<Option<PartReader>> {
        let reader = {
            let mut held = threads::lock(&file.file);
            match &*held {
                Some(reader) => reader.clone(),
                None => {
                    let reader = FileReader::try_new(self.folder.open(file.part.file.path())?)?;
                    held.insert(reader).clone()
                }
            }
        };
        let builder = ArrowReaderBuilder::from_file(reader, ArrowReaderOptions::new())?;
        let configured = self.settings.configure(builder, &file.part, rows)?;
        let Some((builder, scan)) = configured else { return Ok(None) };
        Ok(Some(PartReader { reader: builder.build()?, scan, file: file.clone() }))
    }
}

impl Iterator for PartReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?.map_err(unwrapped);
        let batch = batch.and_then(|batch| self.scan.finish(&batch));
        Some(batch.map_err(|e| e.in_file(self.file.part.file.path())))
    }
}

/// Reads on the caller's thread.
struct SequentialReader {
    opener: Arc<Opener>,
    files: VecDeque<Arc<Opened>>,
    current: Option<PartReader>,
}

impl SequentialReader {
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

/// The batches of a unit, up to its first error.
type UnitBatches = Vec<Result<RecordBatch>>;

/// Reads units on several threads.
struct ParallelReader {
    opener: Arc<Opener>,
    rows: VecDeque<(Arc<Opened>, Range<u64>)>,
    units: Ordered<(), UnitBatches>,
    /// Batches of a unit that is done.
    ready: std::vec::IntoIter<Result<RecordBatch>>,
}

impl ParallelReader {
    fn new(opener: Arc<Opener>, files: &VecDeque<Arc<Opened>>, pool: Arc<ThreadPool>) -> Self {
        let unit = UNIT.saturating_mul(opener.settings.batch_size as u64);
        let mut rows = VecDeque::new();
        for file in files {
            let Range { start, end } = file.part.rows;
            let mut at = start;
            while at < end {
                let next = at.saturating_add(unit).min(end);
                rows.push_back((file.clone(), at..next));
                at = next;
            }
        }
        Self { opener, rows, units: Ordered::new(pool), ready: Vec::new().into_iter() }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.next() {
                return batch.map(Some);
            }
            while self.units.has_room()
                && let Some((file, rows)) = self.rows.pop_front()
            {
                let opener = self.opener.clone();
                self.units.push((), move || opener.read_unit(&file, rows));
            }
            let Some(unit) = self.units.pop().transpose()? else { return Ok(None) };
            self.ready = unit.1.into_iter();
        }
    }
}

impl DatasetReader {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while !self.trim.is_done() {
            let batch = match &mut self.mode {
                ReadMode::Sequential(reader) => reader.next()?,
                ReadMode::Parallel(reader) => reader.next()?,
                ReadMode::Ended => None,
            };
            let Some(batch) = batch else { break };
            let batch = self.trim.trim(&batch);
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        self.mode = ReadMode::Ended;
        Ok(None)
    }
}

impl Iterator for DatasetReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch();
        if batch.is_err() {
            self.mode = ReadMode::Ended;
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
