//! The condition that is raced: `column >= value`, which about one row in a hundred passes.

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, Scalar};
use arrow::compute::kernels::cmp::gt_eq;
use arrow::compute::{SortOptions, concat, filter_record_batch, sort};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use trevni::arrow::Predicate;

use crate::Result;
use crate::tables::Table;

/// One row in this many passes.
const ONE_IN: usize = 100;

/// At most one row in this many passes, or the column makes no condition.
const AT_MOST: usize = 20;

/// A comparison of a column with a value of its type.
#[derive(Debug, Clone)]
pub struct Condition {
    pub column: usize,
    pub name: String,
    /// One value.
    pub least: ArrayRef,
    /// The same, as `trevni` takes it.
    pub predicate: Predicate,
    /// How many rows of the table pass.
    pub passing: usize,
}

impl Condition {
    /// Chooses the first column of numbers or times that is not sorted and has such a value; `None` if none has.
    pub fn of(table: &Table) -> Result<Option<Self>> {
        for (column, field) in table.schema.fields().iter().enumerate() {
            if !is_ordered(field.data_type()) {
                continue;
            }
            let parts: Vec<_> = table.batches.iter().map(|batch| batch.column(column)).collect();
            let parts: Vec<&dyn Array> = parts.into_iter().map(AsRef::as_ref).collect();
            let values = concat(&parts)?;
            let sorted =
                |descending| sort(&values, Some(SortOptions { descending, nulls_first: false }));
            let (descending, ascending) = (sorted(true)?, sorted(false)?);
            let count = values.len() - values.null_count();
            if count == 0 || *values == *descending || *values == *ascending {
                continue;
            }
            let least = descending.slice((values.len() / ONE_IN).min(count - 1), 1);
            let passing = at_least(&values, &least)?.true_count();
            if passing == 0 || passing > values.len().div_ceil(AT_MOST) {
                continue;
            }
            if let Some(predicate) = predicate(field.name(), &least) {
                let name = field.name().clone();
                return Ok(Some(Self { column, name, least, predicate, passing }));
            }
        }
        Ok(None)
    }

    /// Returns which values pass.
    pub fn evaluate(&self, values: &dyn Array) -> Result<BooleanArray> {
        at_least(values, &self.least)
    }

    /// Returns the rows of a table that pass.
    pub fn rows_of(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        Ok(filter_record_batch(batch, &self.evaluate(batch.column(self.column))?)?)
    }
}

fn at_least(values: &dyn Array, least: &ArrayRef) -> Result<BooleanArray> {
    Ok(gt_eq(&values, &Scalar::new(least))?)
}

/// Returns the comparison with a value; `None` if it has no literal that both understand.
fn predicate(name: &str, least: &ArrayRef) -> Option<Predicate> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(&**least, &options).ok()?;
    let value = formatter.value(0).try_to_string().ok()?;
    // Parquet's statistics leave out NaN, which is the greatest here.
    if value == "NaN" || value == "inf" {
        return None;
    }
    let value = match least.data_type() {
        DataType::Date32 | DataType::Timestamp(..) => format!("'{value}'"),
        _ => value,
    };
    Predicate::parse(&format!("\"{}\" >= {value}", name.replace('"', "\"\""))).ok()
}

fn is_ordered(data_type: &DataType) -> bool {
    data_type.is_numeric() || matches!(data_type, DataType::Date32 | DataType::Timestamp(..))
}
