//! Commits: the files that a data set adds and removes.
//!
//! ```text
//! _commits/00000000000000000007.trv     a file of rows, one for each file of the data set
//!   path: utf8   rows: uint64   bytes: uint64   min: {a, b}   max: {a, b}   nulls: {a: uint64, b: uint64}
//!
//! metadata   dataset.version      1
//!            dataset.schema       the schema of the rows, as ARROW:schema has it; missing without rows
//!            dataset.partitions   ["year","city"], if their values are in the paths
//!            dataset.replaces     "true": replaces earlier commits
//!            dataset.known        the last commit when the write of one that replaces began
//!            dataset.write        the identifier of the write, if it may be repeated
//!            dataset.codec, dataset.layout, dataset.checksum      how its files are written
//! ```
//! A commit appears atomically under the next free number and is never changed. Its content is not trusted: paths
//! must be below the folder, and row counts are compared with the files.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use bytes::Bytes;

use super::file_names;
use super::file_statistics::ColumnBounds;
use crate::arrow::{ArrowReaderBuilder, ArrowWriter, FileSettings, Layout};
use crate::arrow::{schema_from_ipc, schema_to_ipc};
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::format::metadata::Metadata;
use crate::keys;

/// The version of commits that is read and written.
const VERSION: &str = "1";

/// A file of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    pub(super) path: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl DataFile {
    /// Returns where it is, from the data set; with `/` between folders.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What a commit has added to a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommitSummary {
    /// Its number.
    pub number: u64,
    /// Whether it replaced the rows of the commits before it.
    pub replaces: bool,
    /// Rows of its files.
    pub rows: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// How many files it has.
    pub files: usize,
}

impl CommitSummary {
    pub(super) fn of(number: u64, commit: &Commit) -> Self {
        let sum =
            |of: fn(&DataFile) -> u64| commit.files.iter().map(of).fold(0, u64::saturating_add);
        let (rows, bytes) = (sum(DataFile::rows), sum(DataFile::bytes));
        Self { number, replaces: commit.replaces, rows, bytes, files: commit.files.len() }
    }
}

/// The content of a commit.
#[derive(Debug, Clone, Default)]
pub(super) struct Commit {
    /// The schema of the rows, with partition columns; `None` if there are no rows yet.
    pub(super) schema: Option<SchemaRef>,
    /// The columns whose values are in the paths.
    pub(super) partitions: Vec<String>,
    /// Whether it replaces the commits before it.
    pub(super) replaces: bool,
    /// The last commit when the write of one that replaces began; of a new data set the one that is its beginning.
    pub(super) known: Option<u64>,
    /// The identifier of the write.
    pub(super) write: Option<String>,
    pub(super) settings: FileSettings,
    pub(super) files: Vec<DataFile>,
    /// Of these files, each.
    pub(super) bounds: Vec<ColumnBounds>,
}

impl Commit {
    /// Decodes the commit of a number. Errors name its file.
    pub(super) fn decode_numbered(number: u64, bytes: Vec<u8>) -> Result<Self> {
        Self::decode(bytes.into()).map_err(|e| e.in_file(&file_names::commit(number)))
    }

    /// Returns the bytes of its file.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let batch = self.batch()?;
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
        writer.append_key_value_metadata(keys::DATASET_VERSION, VERSION)?;
        if let Some(schema) = &self.schema {
            writer.append_key_value_metadata(keys::DATASET_SCHEMA, schema_to_ipc(schema)?)?;
        }
        if !self.partitions.is_empty() {
            let names = serde_json::Value::from(self.partitions.clone());
            writer.append_key_value_metadata(keys::DATASET_PARTITIONS, names.to_string())?;
        }
        if self.replaces {
            writer.append_key_value_metadata(keys::DATASET_REPLACES, "true")?;
        }
        if let Some(write) = &self.write {
            writer.append_key_value_metadata(keys::DATASET_WRITE, write.as_str())?;
        }
        if let Some(known) = self.known {
            writer.append_key_value_metadata(keys::DATASET_KNOWN, known.to_string())?;
        }
        let FileSettings { codec, layout, checksum } = self.settings;
        let names = [
            (keys::DATASET_CODEC, codec.map(Codec::name)),
            (keys::DATASET_LAYOUT, layout.map(Layout::name)),
            (keys::DATASET_CHECKSUM, checksum.map(Checksum::name)),
        ];
        for (key, name) in names {
            name.map_or(Ok(()), |name| writer.append_key_value_metadata(key, name))?;
        }
        writer.write(&batch)?;
        writer.into_inner()
    }

    fn batch(&self) -> Result<RecordBatch> {
        let paths = self.files.iter().map(|file| &file.path);
        let rows = self.files.iter().map(|file| file.rows);
        let bytes = self.files.iter().map(|file| file.bytes);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("path", Arc::new(StringArray::from_iter_values(paths))),
            ("rows", Arc::new(UInt64Array::from_iter_values(rows))),
            ("bytes", Arc::new(UInt64Array::from_iter_values(bytes))),
        ];
        if !self.bounds.is_empty() {
            let nulls = |bounds: &ColumnBounds| Arc::new(bounds.nulls.clone()) as ArrayRef;
            columns.push(("min", self.record(|bounds| bounds.min.clone())));
            columns.push(("max", self.record(|bounds| bounds.max.clone())));
            columns.push(("nulls", self.record(nulls)));
        }
        let columns = columns.into_iter().map(|(name, column)| (name, column, false));
        Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
    }

    fn record(&self, column: impl Fn(&ColumnBounds) -> ArrayRef) -> ArrayRef {
        let field = |bounds: &ColumnBounds| {
            let array = column(bounds);
            (Arc::new(Field::new(&bounds.name, array.data_type().clone(), true)), array)
        };
        Arc::new(StructArray::from(self.bounds.iter().map(field).collect::<Vec<_>>()))
    }

    /// Reads the bytes of its file.
    pub(super) fn decode(bytes: Bytes) -> Result<Self> {
        let builder = ArrowReaderBuilder::try_new(bytes)?;
        let mut commit = Self::of_metadata(&builder.file().header().metadata)?;
        let schema = builder.schema().clone();
        let rows = usize::try_from(builder.rows()).unwrap_or(usize::MAX).max(1);
        // Rows without bytes would come without end; a path has some.
        let batches = builder.with_batch_size(rows.min(1 << 16)).build()?;
        let batches = batches.collect::<std::result::Result<Vec<_>, _>>()?;
        let batch = arrow::compute::concat_batches(&schema, &batches)?;
        commit.files = files(&batch)?;
        commit.bounds = bounds(&batch)?;
        Ok(commit)
    }

    fn of_metadata(metadata: &Metadata) -> Result<Self> {
        let version = metadata.get(keys::DATASET_VERSION);
        let version =
            version.ok_or_else(|| Error::malformed("no commit: it has no dataset.version"))?;
        if version != VERSION.as_bytes() {
            let version = String::from_utf8_lossy(version);
            return Err(Error::unsupported(format!("commits of version {version}")));
        }
        let schema =
            metadata.get(keys::DATASET_SCHEMA).map(schema_from_ipc).transpose()?.map(Arc::new);
        let wrong = |e| Error::malformed(format!("dataset.partitions: {e}"));
        let partitions =
            metadata.get(keys::DATASET_PARTITIONS).map(serde_json::from_slice::<Vec<String>>);
        let partitions = partitions.transpose().map_err(wrong)?.unwrap_or_default();
        let replaces = metadata.get(keys::DATASET_REPLACES).is_some_and(|said| said == b"true");
        let write =
            metadata.get(keys::DATASET_WRITE).map(|id| String::from_utf8_lossy(id).into_owned());
        let known = metadata.get_str(keys::DATASET_KNOWN).and_then(|number| number.parse().ok());
        let is_column = |name: &String| {
            schema.as_ref().is_some_and(|schema| schema.field_with_name(name).is_ok())
        };
        if let Some(unknown) = partitions.iter().find(|name| !is_column(name)) {
            let what =
                format!("dataset.partitions names {unknown:?}, which is not in dataset.schema");
            return Err(Error::malformed(what));
        }
        let settings = settings(metadata);
        Ok(Self { schema, partitions, replaces, known, write, settings, ..Self::default() })
    }
}

/// Returns how the files are written. Names that later versions add are no reason not to read a commit.
fn settings(metadata: &Metadata) -> FileSettings {
    FileSettings {
        codec: metadata.get_str(keys::DATASET_CODEC).and_then(|name| Codec::from_name(name).ok()),
        layout: metadata.get_str(keys::DATASET_LAYOUT).and_then(Layout::from_name),
        checksum: metadata
            .get_str(keys::DATASET_CHECKSUM)
            .and_then(|name| Checksum::from_name(name).ok()),
    }
}

fn files(batch: &RecordBatch) -> Result<Vec<DataFile>> {
    let missing =
        |name: &str| Error::malformed(format!("the commit has no proper column {name:?}"));
    let paths = batch.column_by_name("path").and_then(|paths| paths.as_string_opt::<i32>());
    let paths = paths.filter(|paths| paths.null_count() == 0).ok_or_else(|| missing("path"))?;
    let numbers = |name| {
        let column = batch.column_by_name(name);
        let column = column.and_then(|column| column.as_primitive_opt::<UInt64Type>());
        column.filter(|column| column.null_count() == 0).ok_or_else(|| missing(name))
    };
    let (rows, bytes) = (numbers("rows")?, numbers("bytes")?);
    let three = paths.iter().flatten().zip(rows.values()).zip(bytes.values());
    three
        .map(|((path, rows), bytes)| {
            file_names::check(path)?;
            Ok(DataFile { path: path.to_owned(), rows: *rows, bytes: *bytes })
        })
        .collect()
}

/// Returns the bounds; of a column of which some are missing there are none.
fn bounds(batch: &RecordBatch) -> Result<Vec<ColumnBounds>> {
    let record = |name| batch.column_by_name(name).and_then(|column| column.as_struct_opt());
    let (Some(min), Some(max), Some(nulls)) = (record("min"), record("max"), record("nulls"))
    else {
        return Ok(Vec::new());
    };
    let column = |(field, low): (&FieldRef, &ArrayRef)| {
        let high = max.column_by_name(field.name())?.clone();
        let nulls = nulls.column_by_name(field.name())?.as_primitive_opt::<UInt64Type>()?.clone();
        let same = high.data_type() == low.data_type();
        let bounds =
            ColumnBounds { name: field.name().clone(), min: low.clone(), max: high, nulls };
        same.then_some(bounds)
    };
    Ok(min.fields().iter().zip(min.columns()).filter_map(column).collect())
}
