//! Proves once, before any clock runs, that a configuration gives back what was written.

use std::ops::Range;

use arrow::array::{Array, RecordBatch, UInt64Array};
use arrow::compute::{cast, concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;

use crate::Result;
use crate::filter::Condition;
use crate::formats::{File, Format, Wanted};
use crate::tables::Table;

/// What a table comes back as.
pub struct Expected {
    whole: RecordBatch,
    views: Option<SchemaRef>,
}

impl Expected {
    pub fn of(table: &Table) -> Result<Self> {
        let whole = concat_batches(&table.schema, &table.batches)?;
        Ok(Self { whole, views: table.with_views() })
    }

    /// Reads a file in every way that is timed.
    pub fn check(
        &self,
        format: &dyn Format,
        file: &File,
        rows: &[usize],
        condition: Option<&Condition>,
    ) -> Result<()> {
        check_one(format, file, Wanted::All, &self.whole)?;
        for column in 0..self.whole.num_columns() {
            check_one(format, file, Wanted::Column(column), &self.whole.project(&[column])?)?;
        }
        if let Some(views) = self.views.as_ref().filter(|_| format.has_views()) {
            check_one(format, file, Wanted::Views(views), &self.whole)?;
        }
        if let Some(condition) = condition.filter(|_| format.has_filters()) {
            let expected = condition.rows_of(&self.whole)?;
            check_one(format, file, Wanted::Filter(condition), &expected)?;
        }
        let places = UInt64Array::from_iter_values(rows.iter().map(|row| *row as u64));
        let expected = take_record_batch(&self.whole, &places)?;
        check_one(format, file, Wanted::Rows(rows), &expected)
    }
}

fn check_one(
    format: &dyn Format,
    file: &File,
    wanted: Wanted<'_>,
    expected: &RecordBatch,
) -> Result<()> {
    let schema = match wanted {
        Wanted::Views(schema) => schema.clone(),
        Wanted::All => format.schema_of_all(expected.schema_ref()),
        Wanted::Column(_) | Wanted::Rows(_) | Wanted::Filter(_) => expected.schema(),
    };
    let mut at = 0;
    format.open(file, wanted)?(&mut |batch| {
        let rows = at..at + batch.num_rows();
        at = rows.end;
        compare(&batch, expected, rows, &schema)
    })?;
    match at == expected.num_rows() {
        true => Ok(()),
        false => Err(format!("{at} rows came of {}", expected.num_rows()).into()),
    }
}

/// Compares a batch with the rows that it should be, whatever batches they were written in, and its types with those of
/// a schema.
fn compare(
    batch: &RecordBatch,
    expected: &RecordBatch,
    rows: Range<usize>,
    schema: &SchemaRef,
) -> Result<()> {
    if rows.end > expected.num_rows() || batch.num_columns() != expected.num_columns() {
        return Err(
            format!("more rows or other columns than written, at row {}", rows.start).into()
        );
    }
    let expected = expected.slice(rows.start, batch.num_rows());
    let fields = schema.fields().iter();
    for ((field, found), expected) in fields.zip(batch.columns()).zip(expected.columns()) {
        if found.data_type() != field.data_type() {
            let (found, wanted) = (found.data_type(), field.data_type());
            return Err(format!("{} is {found}, not {wanted}", field.name()).into());
        }
        if *cast(found, expected.data_type())? != **expected {
            return Err(format!("{} differs in rows {rows:?}", field.name()).into());
        }
    }
    Ok(())
}
