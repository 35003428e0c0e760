//! Reads several files as one table.
//!
//! ```text
//! files ──► each opened for its schema ──► one schema ──► opened one after another ──► batches as the table has them
//!                                                         columns, condition           range, condition, limit, columns
//! ```
//! Schemas are merged as those of data sets are: a column that a file lacks is null, and numbers are widened.

mod float_columns;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;

use self::float_columns::{loses_digits, with_floats};
use super::{ReadOptions, Rows, select};
use trevni::arrow::ColumnPath;
use trevni::dataset::{FileSchema, MergedSchema, adapt_batch};
use trevni::{Error, Result};

/// Opens a file, with these options as far as its format has use for them.
pub type OpenInput = Box<dyn FnMut(&ReadOptions) -> Result<Rows> + Send>;

/// One of several files that are read as one table.
pub struct InputFile {
    /// What it is called in errors.
    pub name: String,
    /// Its path, with `/` between names: folders of it that are called `key=value` are columns.
    pub path: String,
    /// Whether it can be opened only once, as a pipe.
    pub once: bool,
    /// Opens it.
    pub open: OpenInput,
}

impl std::fmt::Debug for InputFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputFile").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the rows of several files, one file after another.
///
/// ```
/// # #[cfg(feature = "csv")]
/// # fn main() -> trevni::Result<()> {
/// use trevni_convert::{Format, InputFile, ReadOptions, Source, rows_of};
///
/// let part = |name: &str, text: &'static str| InputFile {
///     name: name.to_owned(),
///     path: name.to_owned(),
///     once: false,
///     open: Box::new(move |options| {
///         (Format::named("csv")?.open)(Source::pipe("text", text.as_bytes()), options)
///     }),
/// };
/// let parts = vec![part("day=1/a.csv", "x\n1\n"), part("day=2/b.csv", "y,x\nu,2\n")];
/// let rows = rows_of(parts, &ReadOptions::default())?;
/// let names: Vec<_> = rows.schema().fields().iter().map(|f| f.name().clone()).collect();
/// assert_eq!(names, ["x", "y", "day"]);
/// assert_eq!(rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "csv"))]
/// # fn main() {}
/// ```
pub fn rows_of(parts: Vec<InputFile>, options: &ReadOptions) -> Result<Rows> {
    let (mut files, mut waiting) = (Vec::new(), Vec::new());
    for mut part in parts {
        // A column without values has the type that it has in others.
        let options = ReadOptions { null_columns: true, ..whole(options) };
        let rows = (part.open)(&options).map_err(|e| e.in_file(&part.name))?;
        let schema = rows.schema();
        files.push(FileSchema { name: part.name.clone(), path: part.path.clone(), schema });
        waiting.push((part.once.then_some(rows), part));
    }
    let mut union = MergedSchema::try_new(&with_floats(&files))?;
    if union.schema().fields().iter().any(|field| field.data_type() == &DataType::Null) {
        retype_nulls(&mut waiting, &mut files, options)?;
        union = MergedSchema::try_new(&with_floats(&files))?;
    }
    // Unknown columns are errors of the table.
    let none = RecordBatchIterator::new(std::iter::empty(), union.schema().clone());
    select::select(Box::new(none), options)?;
    let schema = needed(union.schema(), options);
    let mut queue = VecDeque::new();
    for (number, ((opened, part), file)) in waiting.into_iter().zip(&files).enumerate() {
        let constants = union.partition_values(number);
        let options = options_of(options, &file.schema, &schema, &constants);
        queue.push_back(LazyRows { part, opened, options, constants });
    }
    // That of the last file.
    options.report.row_count.store(0, Ordering::Relaxed);
    let many = Many { schema, queue, current: None, lossy: options.lossy, failed: false };
    select::select(Box::new(many), options)
}

/// Gives columns without values in any file the type that the format has for them.
fn retype_nulls(
    parts: &mut [(Option<Rows>, InputFile)],
    files: &mut [FileSchema],
    options: &ReadOptions,
) -> Result<()> {
    for ((opened, part), file) in parts.iter_mut().zip(files) {
        let has_nulls = file.schema.fields().iter().any(|f| f.data_type() == &DataType::Null);
        if opened.is_none() && has_nulls {
            let inferred = Some(file.schema.clone());
            let options = ReadOptions { inferred, ..whole(options) };
            file.schema = (part.open)(&options).map_err(|e| e.in_file(&part.name))?.schema();
        }
    }
    Ok(())
}

/// Returns a batch of a file under the schema of the table. Unless `lossy`, an integer that would lose digits is an
/// error.
fn as_table(
    batch: &RecordBatch,
    to: &SchemaRef,
    constants: &[(FieldRef, ArrayRef)],
    lossy: bool,
) -> Result<RecordBatch> {
    let table = adapt_batch(batch, to, constants)?;
    for (field, column) in to.fields().iter().zip(table.columns()) {
        if let Some(before) = batch.column_by_name(field.name()).filter(|_| !lossy)
            && loses_digits(before, column)?
        {
            let what =
                "an integer would lose digits as float64, which the column is in another file";
            return Err(Error::invalid(what).in_column(field.name()));
        }
    }
    Ok(table)
}

/// Options that choose nothing, and count nothing.
fn whole(options: &ReadOptions) -> ReadOptions {
    let (columns, rows, predicate, limit, report) = (None, None, None, None, Arc::default());
    ReadOptions { columns, rows, predicate, limit, report, ..options.clone() }
}

/// Returns the columns of the table that are read.
fn needed(schema: &SchemaRef, options: &ReadOptions) -> SchemaRef {
    let Some(mut names) = options.columns.clone() else { return schema.clone() };
    names.extend(options.predicate.iter().flat_map(|predicate| predicate.columns()));
    let fields = named(&names, schema).cloned().collect::<Vec<_>>();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns the fields that paths lead to or into.
fn named<'a>(paths: &[String], schema: &'a Schema) -> impl Iterator<Item = &'a FieldRef> {
    let fields = schema.fields();
    let root = |path: &String| ColumnPath::among(path, fields).root(fields);
    let roots: BTreeSet<usize> = paths.iter().filter_map(root).collect();
    roots.into_iter().filter_map(|root| fields.get(root))
}

/// Returns the options for a file, given those for the table.
fn options_of(
    options: &ReadOptions,
    file: &SchemaRef,
    table: &Schema,
    constants: &[(FieldRef, ArrayRef)],
) -> ReadOptions {
    let mut of_file = whole(options);
    of_file.report = options.report.clone();
    // Types are inferred once.
    of_file.inferred = options.schema.is_none().then(|| file.clone());
    of_file.null_columns = true;
    let in_path = |name: &str| constants.iter().any(|(field, _)| field.name() == name);
    let found = |field: &&FieldRef| file.field_with_name(field.name()).is_ok();
    if options.columns.is_some() {
        let fields = table.fields().iter().filter(found);
        of_file.columns = Some(fields.map(|field| field.name().clone()).collect());
    }
    if options.rows.is_some() {
        return of_file;
    }
    // A predicate is pushed down if all its columns are as in the table. It is evaluated on the table too.
    let same = |field: &FieldRef| {
        let types = file.field_with_name(field.name()).map(|found| found.data_type());
        !in_path(field.name()) && types.is_ok_and(|found| found == field.data_type())
    };
    let predicate = options.predicate.as_ref().filter(|predicate| {
        let names = predicate.columns();
        named(&names, table).all(same)
    });
    if predicate.is_some() == options.predicate.is_some() {
        of_file.predicate = predicate.cloned();
        of_file.limit = options.limit;
    }
    of_file
}

/// A file that is opened when its rows are needed.
struct LazyRows {
    part: InputFile,
    /// A pipe that was opened for its schema.
    opened: Option<Rows>,
    options: ReadOptions,
    constants: Vec<(FieldRef, ArrayRef)>,
}

/// A file that is being read.
struct Current {
    name: String,
    rows: Rows,
    constants: Vec<(FieldRef, ArrayRef)>,
}

struct Many {
    schema: SchemaRef,
    queue: VecDeque<LazyRows>,
    current: Option<Current>,
    lossy: bool,
    failed: bool,
}

impl Many {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(current) = &mut self.current else {
                match self.queue.pop_front() {
                    Some(next) => self.current = Some(open(next)?),
                    None => return Ok(None),
                }
                continue;
            };
            let Some(batch) = current.rows.next() else {
                self.current = None;
                continue;
            };
            let of_table =
                |batch: RecordBatch| as_table(&batch, &self.schema, &current.constants, self.lossy);
            let batch = batch.map_err(Error::from).and_then(of_table);
            return batch.map(Some).map_err(|e| e.in_file(&current.name));
        }
    }
}

fn open(next: LazyRows) -> Result<Current> {
    let LazyRows { mut part, opened, options, constants } = next;
    let rows = match opened {
        Some(rows) => rows,
        None => (part.open)(&options).map_err(|e| e.in_file(&part.name))?,
    };
    Ok(Current { name: part.name, rows, constants })
}

impl Iterator for Many {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = self.batch();
        self.failed = batch.is_err();
        batch.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for Many {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Array, Float64Array, Int64Array};
    use arrow::datatypes::Field;

    fn file(path: &str, name: &str, data_type: DataType) -> FileSchema {
        let schema = Arc::new(Schema::new(vec![Field::new(name, data_type, true)]));
        FileSchema { name: path.into(), path: path.into(), schema }
    }

    #[test]
    fn integers_are_floats_where_another_file_has_floats() {
        let files = [file("a", "x", DataType::Int64), file("b", "x", DataType::Float64)];
        let merged = MergedSchema::try_new(&with_floats(&files)).unwrap();
        assert_eq!(merged.schema().field(0).data_type(), &DataType::Float64);
        let files = [file("a", "x", DataType::Utf8), file("b", "x", DataType::Int8)];
        assert!(MergedSchema::try_new(&with_floats(&files)).is_err());
    }

    #[test]
    fn integers_become_floats_without_loss() {
        let to = file("a", "x", DataType::Float64).schema;
        let batch = |n: i64| {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(n), None]));
            RecordBatch::try_from_iter([("x", column)]).unwrap()
        };
        let table = as_table(&batch(7), &to, &[], false).unwrap();
        let expected = Float64Array::from(vec![Some(7.0), None]);
        assert_eq!(table.column(0).as_ref(), &expected as &dyn Array);
        let large = batch((1 << 53) + 1);
        assert!(as_table(&large, &to, &[], false).unwrap_err().to_string().contains("digits"));
        assert!(as_table(&large, &to, &[], true).is_ok());
    }
}
