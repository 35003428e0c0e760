//! Reads Parquet files.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaDataReader;

use super::chunks::Chunks;
use super::{FORMAT, batch_memory, caught, claims, fault, footer, int96, view_values, windows};
use crate::source::planned_read::Window;
use crate::{ReadOptions, Report, Rows, Source, refuse_schema, second_timestamps, select};
use trevni::arrow::schema_from_ipc;
use trevni::io::Limits;
use trevni::keys::ARROW_SCHEMA;
use trevni::{Error, ErrorKind, Result};

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    let (file, page_bytes) = (source.into_planned_read()?, options.limits.block_bytes);
    let file = Chunks { file, page_bytes };
    let rows = caught(fault, || File::try_new(file, options))?;
    // The first rows are skipped already.
    let rest = options.rows.as_ref().map(|range| 0..range.end.saturating_sub(range.start));
    select::select(Box::new(rows), &ReadOptions { rows: rest, ..options.clone() })
}

/// Rows with the schema's metadata, which the library's own batches are without.
struct File {
    file: Chunks,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    batch_size: usize,
    limits: Limits,
    /// None after an error: what panicked is not read again.
    batches: Option<ParquetRecordBatchReader>,
    /// The parts of the last batch that are next, with views.
    pieces: VecDeque<RecordBatch>,
    schema: SchemaRef,
    /// Rows that were read, and those of all row groups.
    read: u64,
    rows: u64,
}

impl File {
    fn try_new(file: Chunks, options: &ReadOptions) -> Result<Self> {
        let (metadata, in_seconds) = load(&file, &options.report)?;
        let rows = footer::rows(metadata.metadata())?;
        options.report.set_row_count(rows, options);
        let roots = select::roots(metadata.schema(), options)?;
        let mask = ProjectionMask::roots(metadata.parquet_schema(), roots.iter().copied());
        let metadata = int96::with_units(&file, &metadata, &mask)?.unwrap_or(metadata);
        let schema = metadata.schema();
        let schema = in_seconds.map_or(schema.clone(), |said| Arc::new(restored(schema, &said)));
        let schema = Arc::new(schema.project(&roots)?);
        let most = batch_memory::batch_rows(metadata.metadata(), &mask, &options.limits)?;
        let views = batch_memory::with_views(metadata.schema());
        let views = ArrowReaderOptions::new().with_schema(Arc::new(views));
        let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), views);
        let mut rows = Self {
            file,
            schema,
            metadata: metadata.map_err(fault)?,
            mask,
            batch_size: options.batch_size.min(most),
            limits: options.limits,
            batches: None,
            pieces: VecDeque::new(),
            read: options.rows.as_ref().map_or(0, |range| range.start.min(rows)),
            rows,
        };
        let end = options.rows.as_ref().map_or(u64::MAX, |range| range.end);
        rows.file.file.set_plan(rows.windows(end)?);
        rows.batches = Some(rows.build()?);
        Ok(rows)
    }

    /// Returns the chunks of the columns that are read, from the next row to this one, by row groups. There are none if
    /// chunks overlap: then there may be any number of them.
    fn windows(&self, end: u64) -> Result<Vec<Window>> {
        let (mut all, mut first_row, mut left) = (Vec::new(), 0u64, self.file.file.len()?);
        for group in self.metadata.metadata().row_groups() {
            let rows =
                first_row..first_row.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            first_row = rows.end;
            if rows.end <= self.read || rows.start >= end {
                continue;
            }
            let columns = group.columns().iter().enumerate();
            let columns = columns.filter(|(leaf, _)| self.mask.leaf_included(*leaf));
            let chunks: Vec<_> = columns.filter_map(|(_, column)| footer::span(column)).collect();
            for chunk in &chunks {
                match left.checked_sub(chunk.end - chunk.start) {
                    Some(rest) => left = rest,
                    None => return Ok(Vec::new()),
                }
            }
            all.extend(windows::divide(&chunks));
        }
        Ok(all)
    }

    /// Returns the library's reader, from the next row on.
    fn build(&self) -> Result<ParquetRecordBatchReader> {
        let builder = Builder::new_with_metadata(self.file.clone(), self.metadata.clone());
        let builder = match usize::try_from(self.read) {
            Ok(0) | Err(_) => builder,
            Ok(read) => builder.with_offset(read),
        };
        let builder = builder.with_projection(self.mask.clone());
        builder.with_batch_size(self.batch_size).build().map_err(fault)
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                self.read += piece.num_rows() as u64;
                return caught(fault, || view_values::without_views(&piece, &self.schema))
                    .map(Some);
            }
            let Some(mut batches) = self.batches.take() else { return Ok(None) };
            let batch = caught(fault, || batches.next().transpose().map_err(of_batch));
            match batch.map_err(|e| self.located(e))? {
                Some(batch) => {
                    self.pieces = batch_memory::pieces(batch, &self.limits)?.into();
                    self.batches = Some(batches);
                }
                None if self.read == self.rows => return Ok(None),
                None => {
                    let (rows, read) = (self.rows, self.read);
                    let what =
                        format!("parquet: the row groups have {rows} rows, but {read} were read");
                    return Err(Error::malformed(what));
                }
            }
        }
    }

    /// Returns an error of the next rows with the column and the row that it is of, if that is found: the rows are read
    /// again, one by one, in each column.
    fn located(&self, e: Error) -> Error {
        if !matches!(e.kind(), ErrorKind::Malformed(_) | ErrorKind::Arrow(_)) {
            return e;
        }
        let parquet = self.metadata.parquet_schema();
        let roots = (0..parquet.root_schema().get_fields().len()).filter(|root| {
            let leaves = 0..parquet.num_columns();
            let of_root = |leaf: &usize| parquet.get_column_root_idx(*leaf) == *root;
            leaves.filter(of_root).any(|leaf| self.mask.leaf_included(leaf))
        });
        for root in roots {
            let mask = ProjectionMask::roots(parquet, [root]);
            if let Err((row, e)) = self.read_one_by_one(mask) {
                let name = self.metadata.schema().field(root).name();
                let what = match e.kind() {
                    ErrorKind::Malformed(what) => what.clone(),
                    _ => e.to_string(),
                };
                return Error::malformed(format!("row {row}: {what}")).in_column(name);
            }
        }
        e
    }

    /// Reads the rows of the next batch one by one. Fails with the row that cannot be read.
    fn read_one_by_one(&self, mask: ProjectionMask) -> std::result::Result<(), (u64, Error)> {
        let at = |row| move |e| (row, e);
        let start = self.read;
        let rows = caught(fault, || Self { mask, batch_size: 1, ..self.again() }.build());
        let mut rows = rows.map_err(at(start))?;
        for row in (start..self.rows).take(self.batch_size) {
            caught(fault, || rows.next().transpose().map_err(of_batch)).map_err(at(row))?;
        }
        Ok(())
    }

    /// Returns the same file, of which nothing is read yet.
    fn again(&self) -> Self {
        Self {
            file: self.file.clone(),
            metadata: self.metadata.clone(),
            mask: self.mask.clone(),
            batches: None,
            pieces: VecDeque::new(),
            schema: self.schema.clone(),
            ..*self
        }
    }
}

impl Iterator for File {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for File {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Converts an error of the library about a batch.
fn of_batch(e: ArrowError) -> Error {
    match e {
        ArrowError::ParquetError(text) => {
            let what = text.strip_prefix("Parquet error: ").unwrap_or(&text);
            Error::malformed(format!("parquet: {what}"))
        }
        other => Error::from(other),
    }
}

type Builder = ParquetRecordBatchReaderBuilder<Chunks>;

/// Returns the footer, and the Arrow schema of the file if it has seconds, which are stored as milliseconds.
fn load(file: &Chunks, report: &Report) -> Result<(ArrowReaderMetadata, Option<Schema>)> {
    let plain = match footer::bytes(file.file.as_ref())? {
        Some(footer) => {
            claims::check_footer(&footer)?;
            let parquet = ParquetMetaDataReader::decode_metadata(&footer).map_err(fault)?;
            ArrowReaderMetadata::try_new(Arc::new(parquet), ArrowReaderOptions::new())
        }
        // The library says what is wrong with the file, of which it does not read page headers only.
        None => {
            let file = Chunks { page_bytes: usize::MAX, ..file.clone() };
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        }
    };
    let plain = plain.map_err(fault)?;
    let parquet = footer::corrected(plain.metadata(), file.file.as_ref(), report)?;
    let plain = match Arc::ptr_eq(&parquet, plain.metadata()) {
        true => plain,
        false => ArrowReaderMetadata::try_new(parquet, ArrowReaderOptions::new()).map_err(fault)?,
    };
    let pairs = plain.metadata().file_metadata().key_value_metadata();
    let text = pairs.into_iter().flatten().find(|pair| pair.key == ARROW_SCHEMA);
    let said = text.and_then(|pair| schema_from_ipc(pair.value.as_deref()?.as_bytes()).ok());
    let said = said.map(|said| {
        let fields = said.fields().iter().map(without_runs).collect::<Vec<_>>();
        Schema::new_with_metadata(fields, said.metadata().clone())
    });
    let Some(said) = said else { return Ok((plain, None)) };
    // Some writers store seconds as bare integers; those are seconds to the library.
    let fields = said.fields().iter().zip(plain.schema().fields()).map(|(said, plain)| {
        let is_said = said.data_type() == plain.data_type();
        if is_said { said.clone() } else { second_timestamps::field_in_milliseconds(said) }
    });
    let stored = Schema::new_with_metadata(fields.collect::<Vec<_>>(), said.metadata().clone());
    if stored.fields() != said.fields() {
        let options = ArrowReaderOptions::new().with_schema(Arc::new(stored));
        let parquet = plain.metadata().clone();
        if let Ok(metadata) = ArrowReaderMetadata::try_new(parquet, options) {
            return Ok((metadata, Some(said)));
        }
    }
    Ok((plain, None))
}

/// Returns a field with the values of run ends, which is how they are stored.
fn without_runs(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::RunEndEncoded(_, values) => {
            let data_type = values.data_type().clone();
            Arc::new(Field::clone(field).with_data_type(data_type))
        }
        _ => field.clone(),
    }
}

/// Returns a schema with seconds where the original one has them.
fn restored(schema: &Schema, said: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| {
        let said = said.fields().iter().find(|said| said.name() == field.name());
        let is_same = |said: &&FieldRef| {
            second_timestamps::field_in_milliseconds(said).data_type() == field.data_type()
        };
        said.filter(is_same).unwrap_or(field).clone()
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}
