//! Selects columns and rows after reading, for formats that cannot select while reading.
//!
//! ```text
//! rows of the file ──► range ──► predicate ──► limit ──► columns
//! ```

mod filter;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, GenericListArray, OffsetSizeTrait, RecordBatch, RecordBatchOptions,
    RecordBatchReader, StructArray,
};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::{ReadOptions, Rows};
use crate::divide::leaves;
use crate::select::filter::Passing;
use trevni::arrow::ColumnPath;
use trevni::{Error, Result};

/// The bytes that a column takes, whatever its values: those of its field, of the state that reads or writes it, of
/// buffers.
const COLUMN: usize = 4096;

/// Returns the columns and rows that are wanted of all there are.
pub(super) fn select(rows: Rows, options: &ReadOptions) -> Result<Rows> {
    let (columns, most) = (leaves(rows.schema().fields()), options.limits.memory / COLUMN);
    if columns > most {
        return Err(Error::too_large("columns", columns as u64, most as u64));
    }
    let rows = match &options.rows {
        Some(range) => Box::new(RowRange::new(rows, range.clone())),
        None => rows,
    };
    let rows = match (&options.predicate, options.limit) {
        (None, None) => rows,
        (predicate, limit) => Box::new(Passing::new(rows, predicate.as_ref(), limit)?),
    };
    Ok(match &options.columns {
        Some(names) => Box::new(Columns::new(rows, names)?),
        None => rows,
    })
}

/// Returns the top-level fields that the wanted columns and the predicate need, in the order of the schema.
#[cfg(any(feature = "json", feature = "parquet"))]
pub(super) fn roots(schema: &Schema, options: &ReadOptions) -> Result<Vec<usize>> {
    let Some(names) = &options.columns else { return Ok((0..schema.fields().len()).collect()) };
    let picks = pick(schema.fields(), &paths(names, schema.fields()))?;
    let mut roots: Vec<usize> = picks.iter().map(|pick| pick.at).collect();
    if let Some(predicate) = &options.predicate {
        predicate.check(schema)?;
        let paths = predicate.columns().into_iter().map(ColumnPath::from);
        roots.extend(paths.filter_map(|path| path.root(schema.fields())));
    }
    roots.sort_unstable();
    roots.dedup();
    Ok(roots)
}

/// A field that is wanted.
#[derive(Debug)]
struct Pick {
    at: usize,
    field: FieldRef,
    /// The selected children; `None` for all.
    parts: Option<Vec<Pick>>,
}

struct Columns {
    rows: Rows,
    picks: Vec<Pick>,
    schema: SchemaRef,
}

impl Columns {
    fn new(rows: Rows, names: &[String]) -> Result<Self> {
        let all = rows.schema();
        let picks = pick(all.fields(), &paths(names, all.fields()))?;
        let fields: Fields = picks.iter().map(|pick| pick.field.clone()).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, all.metadata().clone()));
        Ok(Self { rows, picks, schema })
    }

    fn choose(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = self.picks.iter().map(|pick| pick.take(batch.columns()));
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = columns.collect::<Result<_, _>>()?;
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

impl Iterator for Columns {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.rows.next()?;
        Some(batch.and_then(|batch| self.choose(&batch)))
    }
}

impl RecordBatchReader for Columns {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Returns the paths that texts are.
fn paths(texts: &[String], fields: &Fields) -> Vec<ColumnPath> {
    texts.iter().map(|text| ColumnPath::among(text, fields)).collect()
}

/// Returns the fields at these paths, in the order of the schema. Each path must find one.
fn pick(fields: &Fields, paths: &[ColumnPath]) -> Result<Vec<Pick>> {
    let mut parts: BTreeMap<usize, Option<Vec<ColumnPath>>> = BTreeMap::new();
    for path in paths {
        let steps = path.steps(fields);
        let Some(first) = steps.first() else {
            let all: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
            let name = path.names().join(".");
            return Err(Error::invalid(format!(
                "no column {name:?}: there are {}",
                all.join(", ")
            )));
        };
        // Longer names come first; those that have no such field within them are not meant.
        let root = path.root(fields).unwrap_or(first.index);
        let depth = steps.iter().find(|step| step.index == root).map(|step| &step.rest);
        for step in steps.iter().filter(|step| Some(&step.rest) == depth) {
            match (&step.rest, parts.entry(step.index).or_insert_with(|| Some(Vec::new()))) {
                (Some(rest), Some(inner)) => inner.push(rest.clone()),
                (None, whole) => *whole = None,
                (Some(_), None) => {}
            }
        }
    }
    let pick = |(at, inner): (usize, Option<Vec<ColumnPath>>)| {
        let field = fields.get(at).ok_or_else(|| Error::invalid("no such column"))?;
        match inner {
            None => Ok(Pick { at, field: field.clone(), parts: None }),
            Some(inner) => pick_inside(at, field, &inner),
        }
    };
    parts.into_iter().map(pick).collect()
}

fn pick_inside(at: usize, field: &FieldRef, paths: &[ColumnPath]) -> Result<Pick> {
    let (fields, item) = match field.data_type() {
        DataType::Struct(fields) => (fields, None),
        DataType::List(item) | DataType::LargeList(item) => match item.data_type() {
            DataType::Struct(fields) => (fields, Some(item)),
            _ => return Err(no_inside(field)),
        },
        _ => return Err(no_inside(field)),
    };
    let parts = pick(fields, paths)?;
    let kept = DataType::Struct(parts.iter().map(|pick| pick.field.clone()).collect());
    let kept = match item {
        None => kept,
        Some(item) => {
            let item = Arc::new(with_type(item, kept));
            match field.data_type() {
                DataType::LargeList(_) => DataType::LargeList(item),
                _ => DataType::List(item),
            }
        }
    };
    Ok(Pick { at, field: Arc::new(with_type(field, kept)), parts: Some(parts) })
}

fn with_type(field: &Field, data_type: DataType) -> Field {
    field.clone().with_data_type(data_type)
}

fn no_inside(field: &Field) -> Error {
    let (name, kind) = (field.name(), field.data_type());
    Error::invalid(format!("column {name:?} has no fields to choose from: it is {kind}"))
}

impl Pick {
    fn take(&self, columns: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
        let array = columns.get(self.at).ok_or_else(|| missing(&self.field))?;
        let Some(parts) = &self.parts else { return Ok(array.clone()) };
        match self.field.data_type() {
            DataType::List(item) => list::<i32>(array, item, parts),
            DataType::LargeList(item) => list::<i64>(array, item, parts),
            _ => record(array, parts),
        }
    }
}

fn record(array: &ArrayRef, parts: &[Pick]) -> Result<ArrayRef, ArrowError> {
    let Some(whole) = array.as_struct_opt() else {
        return Err(ArrowError::SchemaError("a struct was announced".into()));
    };
    let columns = parts.iter().map(|part| part.take(whole.columns())).collect::<Result<_, _>>()?;
    let fields = parts.iter().map(|part| part.field.clone()).collect();
    let nulls = whole.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, nulls, whole.len())?))
}

fn list<O: OffsetSizeTrait>(
    array: &ArrayRef,
    item: &FieldRef,
    parts: &[Pick],
) -> Result<ArrayRef, ArrowError> {
    let Some(whole) = array.as_list_opt::<O>() else {
        return Err(ArrowError::SchemaError("a list was announced".into()));
    };
    let values = record(whole.values(), parts)?;
    let (offsets, nulls) = (whole.offsets().clone(), whole.nulls().cloned());
    Ok(Arc::new(GenericListArray::<O>::try_new(item.clone(), offsets, values, nulls)?))
}

fn missing(field: &Field) -> ArrowError {
    ArrowError::SchemaError(format!("column {:?} is missing from a batch", field.name()))
}

/// Some rows of all.
struct RowRange {
    rows: Rows,
    at: u64,
    range: Range<u64>,
}

impl RowRange {
    fn new(rows: Rows, range: Range<u64>) -> Self {
        Self { rows, at: 0, range }
    }
}

impl Iterator for RowRange {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.range.end {
            let batch = match self.rows.next()? {
                Ok(batch) => batch,
                Err(e) => return Some(Err(e)),
            };
            let (start, len) = (self.at, batch.num_rows() as u64);
            self.at += len;
            let from = self.range.start.saturating_sub(start).min(len);
            let to = (self.range.end - start).min(len);
            if from < to {
                let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                return Some(Ok(batch.slice(place(from), place(to - from))));
            }
        }
        None
    }
}

impl RecordBatchReader for RowRange {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}
