//! Assigns rows to files by partition, and starts a new file when one is large enough.
//!
//! ```text
//! batch ──► rows of each folder ──► slices ──► ArrowWriter of the folder ──► full: a finished file, not yet anywhere
//!                                                     └ too much memory in all: the largest ends
//! ```

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Sink;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::row::{RowConverter, SortField};

use super::file_statistics::FileBounds;
use super::properties::DatasetProperties;
use super::snapshot::without;
use super::{file_names, partition};
use crate::arrow::{ArrowWriter, conform, take};
use crate::error::{Error, Result};
use crate::write::file_chunks::FileChunks;

/// The number of rows between two checks of the size of a file.
const STEP: usize = 8192;

/// Spreads rows over files.
pub(super) struct Rolling {
    properties: DatasetProperties,
    /// Of the batches, and of the files.
    schema: SchemaRef,
    inner: SchemaRef,
    /// The indices of the partition columns.
    partitions: Vec<usize>,
    converter: Option<RowConverter>,
    open: BTreeMap<String, Open>,
    /// Bytes in memory of all of them.
    held: usize,
    /// Rows that are not written yet, each with its folder.
    waiting: VecDeque<(String, RecordBatch)>,
}

/// A file in the making.
struct Open {
    writer: ArrowWriter<Sink>,
    bounds: FileBounds,
}

/// A file that is complete, and not anywhere.
pub(super) struct Finished {
    pub(super) path: String,
    pub(super) chunks: FileChunks,
    pub(super) bounds: FileBounds,
}

impl Rolling {
    pub(super) fn new(
        schema: SchemaRef,
        partitions: &[String],
        properties: DatasetProperties,
    ) -> Result<Self> {
        let place = |name: &String| {
            let found = schema.index_of(name);
            found.map_err(|_| Error::invalid(format!("no column {name:?} to partition by")))
        };
        let places = partitions.iter().map(place).collect::<Result<Vec<_>>>()?;
        for (at, place) in places.iter().enumerate() {
            partition::check(schema.field(*place))?;
            if places.iter().take(at).any(|other| other == place) {
                let name = schema.field(*place).name();
                return Err(Error::invalid(format!("column {name:?} is a partition twice")));
            }
        }
        let fields: Vec<_> = places.iter().map(|at| Arc::new(schema.field(*at).clone())).collect();
        let sorts = fields.iter().map(|field| SortField::new(field.data_type().clone())).collect();
        let converter = (!fields.is_empty()).then(|| RowConverter::new(sorts)).transpose()?;
        let inner = Arc::new(without(&schema, &fields));
        // What cannot be written is found here.
        ArrowWriter::try_new(std::io::sink(), inner.clone(), Some(properties.file.clone()))?;
        let (open, waiting) = (BTreeMap::new(), VecDeque::new());
        let partitions = places;
        Ok(Self { properties, schema, inner, partitions, converter, open, held: 0, waiting })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Takes rows; [`step`](Self::step) writes them.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = conform(batch, &self.schema)?;
        let batch = batch.as_ref();
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let inside = (0..batch.num_columns()).zip(batch.columns());
        let inside = inside.filter(|(at, _)| !self.partitions.contains(at));
        let columns: Vec<ArrayRef> = inside.map(|(_, column)| column.clone()).collect();
        for (folder, rows) in self.folders(batch)? {
            let (columns, count) = match rows {
                None => (columns.clone(), batch.num_rows()),
                Some(rows) => {
                    let taken = columns.iter().map(|column| take(column, &rows));
                    (taken.collect::<Result<_>>()?, rows.len())
                }
            };
            let options = RecordBatchOptions::new().with_row_count(Some(count));
            let batch = RecordBatch::try_new_with_options(self.inner.clone(), columns, &options)?;
            self.waiting.push_back((folder, batch));
        }
        Ok(())
    }

    /// Returns the partition folders of the rows of a batch, each with its rows, or `None` if all rows are in it.
    fn folders(&self, batch: &RecordBatch) -> Result<Vec<(String, Option<UInt64Array>)>> {
        let Some(converter) = &self.converter else { return Ok(vec![(String::new(), None)]) };
        let columns: Vec<ArrayRef> =
            self.partitions.iter().filter_map(|at| batch.columns().get(*at).cloned()).collect();
        let rows = converter.convert_columns(&columns)?;
        let mut places: HashMap<Box<[u8]>, usize> = HashMap::new();
        let mut groups: Vec<Vec<u64>> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let place = match places.get(row.as_ref()) {
                Some(place) => *place,
                None => {
                    places.insert(row.as_ref().into(), groups.len());
                    groups.push(Vec::new());
                    groups.len() - 1
                }
            };
            groups.get_mut(place).into_iter().for_each(|group| group.push(at as u64));
        }
        let texts = columns.iter().map(|column| cast(column, &DataType::Utf8));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let folder = |rows: &[u64]| {
            let first = rows.first().and_then(|row| usize::try_from(*row).ok()).unwrap_or(0);
            let names = self.partitions.iter().zip(&texts).map(|(at, texts)| {
                let texts = texts.as_string::<i32>();
                let value = texts.is_valid(first).then(|| texts.value(first));
                partition::folder(self.schema.field(*at).name(), value)
            });
            names.collect::<Vec<_>>().join("/")
        };
        let alone = groups.len() == 1;
        let group = |rows: Vec<u64>| (folder(&rows), (!alone).then(|| UInt64Array::from(rows)));
        Ok(groups.into_iter().map(group).collect())
    }

    /// Writes rows that wait, until a file is finished; `None` if there are no more.
    pub(super) fn step(&mut self) -> Result<Option<Finished>> {
        while let Some((folder, batch)) = self.waiting.pop_front() {
            if !self.open.contains_key(&folder) {
                let properties = Some(self.properties.file.clone());
                let writer = ArrowWriter::try_new(std::io::sink(), self.inner.clone(), properties)?;
                let bounds = FileBounds::new(&self.inner);
                self.open.insert(folder.clone(), Open { writer, bounds });
            }
            let Some(open) = self.open.get_mut(&folder) else { continue };
            let left = self.properties.rows.saturating_sub(open.writer.rows());
            let some = usize::try_from(left).unwrap_or(STEP).min(STEP).min(batch.num_rows());
            let slice = batch.slice(0, some);
            let before = open.writer.memory_size();
            open.writer.write(&slice)?;
            self.held = (self.held + open.writer.memory_size()).saturating_sub(before);
            open.bounds.see(&slice)?;
            let full = open.writer.rows() >= self.properties.rows
                || open.writer.bytes_written() >= self.properties.target;
            if some < batch.num_rows() {
                let rest = batch.slice(some, batch.num_rows() - some);
                self.waiting.push_front((folder.clone(), rest));
            }
            if full {
                return self.end(&folder);
            }
            if let Some(largest) = self.too_much() {
                return self.end(&largest);
            }
        }
        Ok(None)
    }

    /// Returns the folder of the largest open file, if all of them exceed the memory budget.
    fn too_much(&self) -> Option<String> {
        if self.held <= self.properties.memory || self.open.len() < 2 {
            return None;
        }
        let largest = self.open.iter().max_by_key(|(_, open)| open.writer.memory_size());
        largest.map(|(folder, _)| folder.clone())
    }

    fn end(&mut self, folder: &str) -> Result<Option<Finished>> {
        let Some(Open { writer, bounds }) = self.open.remove(folder) else { return Ok(None) };
        self.held = self.held.saturating_sub(writer.memory_size());
        let (_, chunks) = writer.into_chunks()?;
        Ok(Some(Finished { path: file_names::new_file(folder), chunks, bounds }))
    }

    /// Ends one of the files that are still open.
    pub(super) fn end_any(&mut self) -> Result<Option<Finished>> {
        match self.open.keys().next().cloned() {
            Some(folder) => self.end(&folder),
            None => Ok(None),
        }
    }
}

impl std::fmt::Debug for Rolling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rolling").field("open", &self.open.keys()).finish_non_exhaustive()
    }
}
