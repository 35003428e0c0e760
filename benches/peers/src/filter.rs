//! The condition that is raced: `column >= value`, which about one row in a hundred passes.

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, Scalar};
use arrow::compute::kernels::cmp::gt_eq;
use arrow::compute::{SortOptions, concat, filter_record_batch, sort};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};

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
            let condition = Self { column, name: field.name().clone(), least };
            let passing = condition.evaluate(&values)?.true_count();
            // Parquet's statistics leave out NaN, which is the greatest here.
            let is_nan = condition.text().is_none_or(|text| text == "NaN" || text == "inf");
            if passing > 0 && passing <= values.len().div_ceil(AT_MOST) && !is_nan {
                return Ok(Some(condition));
            }
        }
        Ok(None)
    }

    /// Returns which values pass.
    pub fn evaluate(&self, values: &dyn Array) -> Result<BooleanArray> {
        Ok(gt_eq(&values, &Scalar::new(&self.least))?)
    }

    /// Returns the rows of a table that pass.
    pub fn rows_of(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        Ok(filter_record_batch(batch, &self.evaluate(batch.column(self.column))?)?)
    }

    /// Returns the condition as `trevni` takes it.
    pub fn predicate(&self) -> Result<trevni::arrow::Predicate> {
        let value = self.text().ok_or("a value without text")?;
        let value = match self.least.data_type() {
            DataType::Date32 | DataType::Timestamp(..) => format!("'{value}'"),
            _ => value,
        };
        let name = self.name.replace('"', "\"\"");
        Ok(trevni::arrow::Predicate::parse(&format!("\"{name}\" >= {value}"))?)
    }

    fn text(&self) -> Option<String> {
        let options = FormatOptions::default();
        let formatter = ArrayFormatter::try_new(&*self.least, &options).ok()?;
        formatter.value(0).try_to_string().ok()
    }
}

fn is_ordered(data_type: &DataType) -> bool {
    data_type.is_numeric() || matches!(data_type, DataType::Date32 | DataType::Timestamp(..))
}
