//! Adapts the batches of a file to the schema of the table.
//!
//! ```text
//! file     a: int32 1 2                     table   a: int64 1 2    b: utf8 - -    year: int64 2026 2026
//! path     year=2026/…                              wider           missing        from the path
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::kernels::cmp::not_distinct;
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, FieldRef, SchemaRef};

use crate::arrow::take;
use crate::error::{Error, Result};

/// Adapts a batch to a schema: columns are matched by name and cast to wider types. A missing column is null, unless
/// `constants` has its field with an array of one value, which is then repeated.
///
/// Fails if a column has a type that does not become the wanted one without loss, or another value than the constant of its
/// name.
pub fn adapt_batch(
    batch: &RecordBatch,
    to: &SchemaRef,
    constants: &[(FieldRef, ArrayRef)],
) -> Result<RecordBatch> {
    let rows = batch.num_rows();
    let column = |field: &FieldRef| {
        let constant = constants.iter().find(|(constant, _)| constant.name() == field.name());
        let found = match (constant, batch.column_by_name(field.name())) {
            (Some((_, value)), found) => {
                found.map_or(Ok(()), |found| check_constant(found, value))?;
                evolve(&repeat(value, rows)?, field.data_type())
            }
            (None, Some(column)) => evolve(column, field.data_type()),
            (None, None) => Ok(new_null_array(field.data_type(), rows)),
        };
        found.map_err(|e| e.in_column(field.name()))
    };
    let columns = to.fields().iter().map(column).collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(to.clone(), columns, &options)?)
}

/// Fails if a column of a file has another value than the folder that is called by its name.
fn check_constant(column: &ArrayRef, value: &ArrayRef) -> Result<()> {
    let in_path = cast(value, column.data_type())?;
    if in_path.is_null(0) && value.is_valid(0) && column.len() > column.logical_null_count() {
        return Err(differs(column, value));
    }
    let same = not_distinct(column, &Scalar::new(in_path))?;
    match same.values().iter().position(|same| !same) {
        Some(row) => Err(differs(&column.slice(row, 1), value)),
        None => Ok(()),
    }
}

/// The error of the first value of a column.
fn differs(column: &ArrayRef, value: &ArrayRef) -> Error {
    let text = |array: &ArrayRef| match cast(array, &DataType::Utf8) {
        Ok(text) if text.is_valid(0) => text.as_string::<i32>().value(0).to_owned(),
        Ok(_) => "null".to_owned(),
        Err(_) => format!("a value of {}", array.data_type()),
    };
    let (found, expected) = (text(column), text(value));
    Error::malformed(format!("a row has {found}, and the folder of the file says {expected}"))
}

/// Repeats the first value of an array for a number of rows.
fn repeat(value: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    take(value, &UInt64Array::from_value(0, rows))
}

/// Returns an array as a wider type, or with more or fewer fields.
pub(super) fn evolve(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    use DataType::*;
    if array.data_type() == to {
        return Ok(array.clone());
    }
    match (array.data_type(), to) {
        (Struct(_), Struct(fields)) => {
            let whole = array.as_struct();
            let child = |field: &FieldRef| match whole.column_by_name(field.name()) {
                Some(child) => evolve(child, field.data_type()),
                None => Ok(new_null_array(field.data_type(), whole.len())),
            };
            let children = fields.iter().map(child).collect::<Result<_>>()?;
            let (fields, nulls) = (fields.clone(), whole.nulls().cloned());
            Ok(Arc::new(StructArray::try_new_with_length(fields, children, nulls, whole.len())?))
        }
        (List(_), List(item)) => list::<i32>(array, item),
        (LargeList(_), LargeList(item)) => list::<i64>(array, item),
        (FixedSizeList(_, size), FixedSizeList(item, same)) if size == same => {
            fixed_size_list(array.as_fixed_size_list(), item)
        }
        (Map(..), Map(entries, sorted)) => map(array.as_map(), entries, *sorted),
        (List(item), LargeList(_)) => evolve(&strictly(array, &LargeList(item.clone()))?, to),
        (from, to) if from.is_nested() || to.is_nested() => {
            Err(Error::invalid(format!("{from} does not become {to}")))
        }
        (_, to) => strictly(array, to),
    }
}

/// No value is lost.
fn strictly(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    Ok(cast_with_options(array, to, &options)?)
}

fn list<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Result<ArrayRef> {
    let whole = array.as_list::<O>();
    let values = evolve(whole.values(), item.data_type())?;
    let (offsets, nulls) = (whole.offsets().clone(), whole.nulls().cloned());
    Ok(Arc::new(GenericListArray::<O>::try_new(item.clone(), offsets, values, nulls)?))
}

fn fixed_size_list(whole: &FixedSizeListArray, item: &FieldRef) -> Result<ArrayRef> {
    let values = evolve(whole.values(), item.data_type())?;
    let (nulls, rows) = (whole.nulls().cloned(), whole.len());
    let size = whole.value_length();
    let list = FixedSizeListArray::try_new_with_length(item.clone(), size, values, nulls, rows)?;
    Ok(Arc::new(list))
}

/// Keys and values are found by their places.
fn map(whole: &MapArray, entries: &FieldRef, sorted: bool) -> Result<ArrayRef> {
    let DataType::Struct(fields) = entries.data_type() else {
        return Err(Error::invalid("the entries of a map are no struct"));
    };
    let columns = whole.entries().columns().iter().zip(fields);
    let columns = columns.map(|(column, field)| evolve(column, field.data_type()));
    let children = columns.collect::<Result<_>>()?;
    let pairs = StructArray::try_new(fields.clone(), children, None)?;
    let (offsets, nulls) = (whole.offsets().clone(), whole.nulls().cloned());
    Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, sorted)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::{Field, Int32Type, Schema};

    #[test]
    fn columns_are_widened_filled_and_taken_from_the_path() {
        let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
        let (a, b) = (field("a", DataType::Int64), field("b", DataType::Utf8));
        let year = field("year", DataType::Int16);
        let schema = Arc::new(Schema::new(vec![b, a, year.clone()]));
        let value: ArrayRef = Arc::new(Int16Array::from(vec![2026]));
        let evolved = adapt_batch(&batch, &schema, &[(year, value)]).unwrap();
        assert_eq!(evolved.column(0).null_count(), 2);
        assert_eq!(evolved.column(1).as_ref(), &Int64Array::from(vec![1, 2]) as &dyn Array);
        assert_eq!(evolved.column(2).as_ref(), &Int16Array::from(vec![2026; 2]) as &dyn Array);
        let none = adapt_batch(&batch, &Arc::new(Schema::empty()), &[]).unwrap();
        assert_eq!(none.num_rows(), 2);
    }

    #[test]
    fn fields_within_are_widened_filled_and_left_out() {
        let x: ArrayRef = Arc::new(Int8Array::from(vec![Some(1), None]));
        let y: ArrayRef = Arc::new(Int8Array::from(vec![3, 4]));
        let fields = |names: &[(&str, DataType)]| {
            names.iter().map(|(n, t)| Field::new(*n, t.clone(), true)).collect::<Vec<_>>().into()
        };
        let narrow = fields(&[("x", DataType::Int8), ("y", DataType::Int8)]);
        let array = StructArray::new(narrow, vec![x, y], Some(vec![true, false].into()));
        let to = fields(&[("z", DataType::Utf8), ("x", DataType::Int64)]);
        let evolved = evolve(&(Arc::new(array) as ArrayRef), &DataType::Struct(to)).unwrap();
        let evolved = evolved.as_struct();
        assert!(evolved.is_null(1) && evolved.column(0).null_count() == 2);
        assert_eq!(
            evolved.column(1).as_ref(),
            &Int64Array::from(vec![Some(1), None]) as &dyn Array
        );

        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None]);
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let to = DataType::LargeList(item);
        let evolved = evolve(&(Arc::new(list) as ArrayRef), &to).unwrap();
        assert_eq!(evolved.data_type(), &to);
        assert_eq!((evolved.null_count(), evolved.as_list::<i64>().value_length(0)), (1, 2));
    }

    #[test]
    fn maps_and_lists_of_a_fixed_size_are_widened() {
        let pairs = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
            [Some([Some(1), None]), None],
            2,
        );
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let to = DataType::FixedSizeList(item, 2);
        let evolved = evolve(&(Arc::new(pairs) as ArrayRef), &to).unwrap();
        assert_eq!((evolved.data_type(), evolved.null_count()), (&to, 1));

        let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
        builder.keys().append_value("a");
        builder.values().append_value(7);
        builder.append(true).unwrap();
        builder.append(false).unwrap();
        let map: ArrayRef = Arc::new(builder.finish());
        let entries =
            [Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Int64, true)];
        let entries = DataType::Struct(entries.into_iter().collect());
        let to = DataType::Map(Arc::new(Field::new("entries", entries, false)), true);
        let evolved = evolve(&map, &to).unwrap();
        assert_eq!((evolved.data_type(), evolved.null_count()), (&to, 1));
        let values = evolved.as_map().value(0);
        assert_eq!(values.column(1).as_ref(), &Int64Array::from(vec![7]) as &dyn Array);
    }

    #[test]
    fn values_that_do_not_fit_are_an_error() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![300]));
        assert!(evolve(&array, &DataType::Int8).is_err());
        let list = DataType::List(Arc::new(Field::new("item", DataType::Int64, true)));
        assert!(evolve(&array, &list).is_err());
    }
}
