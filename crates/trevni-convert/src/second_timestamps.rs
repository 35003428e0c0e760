//! Converts times in seconds to milliseconds, for formats without seconds.
//!
//! ```text
//! Timestamp(s)  Time32(s)  ──► Timestamp(ms)  Time32(ms)        at any depth; other types are unchanged
//! ```

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::map_types;
use trevni::{Error, Result};

/// Returns the schema with milliseconds for seconds; `None` if it has no seconds.
pub(super) fn in_milliseconds(schema: &Schema) -> Option<SchemaRef> {
    let changed = map_types::map_schema(schema, milliseconds);
    (changed.fields() != schema.fields()).then(|| Arc::new(changed))
}

/// Returns a field with milliseconds for seconds.
#[cfg(feature = "parquet")]
pub(super) fn field_in_milliseconds(
    field: &arrow::datatypes::FieldRef,
) -> arrow::datatypes::FieldRef {
    map_types::map_field(field, milliseconds)
}

fn milliseconds(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))
        }
        DataType::Time32(TimeUnit::Second) => Some(DataType::Time32(TimeUnit::Millisecond)),
        _ => None,
    }
}

/// Returns the batch with the units of another schema.
pub(super) fn cast(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    cast_by(batch, schema, cast_column)
}

/// Returns the batch with another schema, whose columns `cast` returns.
pub(super) fn cast_by(
    batch: &RecordBatch,
    schema: &SchemaRef,
    cast: impl Fn(&ArrayRef, &Field) -> Result<ArrayRef>,
) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}

/// Returns the column with the type of a field.
pub(super) fn cast_column(column: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    if column.data_type() == field.data_type() {
        return Ok(column.clone());
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, field.data_type(), &options).map_err(|e| {
        let (name, data_type) = (field.name(), field.data_type());
        Error::invalid(format!("column {name:?} does not become {data_type}: {e}"))
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::{ListArray, TimestampSecondArray};
    use arrow::datatypes::TimestampSecondType;

    use super::*;

    #[test]
    fn seconds_come_and_go_at_any_depth() {
        let seconds = TimestampSecondArray::from(vec![Some(1), None, Some(-3)]);
        let lists = [Some(vec![Some(1), None]), None, Some(vec![])];
        let lists = ListArray::from_iter_primitive::<TimestampSecondType, _, _>(lists);
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("a", Arc::new(seconds) as ArrayRef, true),
            ("b", Arc::new(lists) as ArrayRef, true),
        ]);
        let batch = batch.unwrap();
        let schema = in_milliseconds(&batch.schema()).unwrap();
        let unit = DataType::Timestamp(TimeUnit::Millisecond, None);
        assert_eq!(schema.field(0).data_type(), &unit);
        assert_eq!(schema.field(1).data_type(), &DataType::new_list(unit, true));
        assert!(in_milliseconds(&schema).is_none());
        let millis = cast(&batch, &schema).unwrap();
        assert_eq!(cast(&millis, &batch.schema()).unwrap(), batch);
        let far = TimestampSecondArray::from(vec![i64::MAX]);
        let far = RecordBatch::try_from_iter([("a", Arc::new(far) as ArrayRef)]).unwrap();
        let schema = in_milliseconds(&far.schema()).unwrap();
        assert!(cast(&far, &schema).unwrap_err().to_string().contains("column \"a\""));
    }
}
