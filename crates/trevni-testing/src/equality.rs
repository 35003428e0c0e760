//! Equality of the values of two arrays: equal types, dictionaries and run ends by their values, unions by the
//! selected branch, null slots ignored.

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;

/// Panics unless `found` is a valid array of the type and the rows of `expected`.
#[track_caller]
pub fn assert_same(expected: &ArrayRef, found: &ArrayRef) {
    let data_type = found.data_type();
    found.to_data().validate_full().unwrap_or_else(|e| panic!("{data_type}: {e}"));
    same(expected, found).unwrap_or_else(|e| panic!("{data_type}: {e}"));
}

/// Compares two arrays. Returns the first difference.
pub fn same(a: &dyn Array, b: &dyn Array) -> Result<(), String> {
    if a.data_type() != b.data_type() || a.len() != b.len() {
        return Err(format!(
            "{} of {} and {} of {}",
            a.len(),
            a.data_type(),
            b.len(),
            b.data_type()
        ));
    }
    match a.data_type() {
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => return same_packed(a, b),
        DataType::Union(..) => {
            let (a, b) = (a.as_union(), b.as_union());
            return (0..a.len()).try_for_each(|i| {
                if a.type_id(i) != b.type_id(i) {
                    return Err(format!("row {i}: branch {} and {}", a.type_id(i), b.type_id(i)));
                }
                same(&a.value(i), &b.value(i)).map_err(|e| format!("row {i}: {e}"))
            });
        }
        _ => {}
    }
    let valid = |array: &dyn Array| -> BooleanArray {
        (0..array.len())
            .map(|i| Some(array.data_type() == &DataType::Null || array.is_valid(i)))
            .collect()
    };
    let (valid_a, valid_b) = (valid(a), valid(b));
    if valid_a != valid_b {
        return Err(format!("validity {valid_a:?} and {valid_b:?}"));
    }
    // Row by row rather than with Arrow's kernels, which lose rows of no bytes.
    if a.null_count() > 0 && a.data_type() != &DataType::Null {
        let rows = (0..a.len()).filter(|row| a.is_valid(*row));
        return rows.into_iter().try_for_each(|row| same_valid(&a.slice(row, 1), &b.slice(row, 1)));
    }
    same_valid(a, b)
}

fn same_valid(a: &dyn Array, b: &dyn Array) -> Result<(), String> {
    let each = |value: &dyn Fn(&dyn Array, usize) -> ArrayRef| {
        (0..a.len()).try_for_each(|i| {
            same(&value(a, i), &value(b, i)).map_err(|e| format!("item {i}: {e}"))
        })
    };
    match a.data_type() {
        DataType::Struct(fields) => fields.iter().enumerate().try_for_each(|(i, field)| {
            let (a, b) = (a.as_struct().column(i), b.as_struct().column(i));
            same(a, b).map_err(|e| format!("field {:?}: {e}", field.name()))
        }),
        DataType::List(_) => each(&|a, i| a.as_list::<i32>().value(i)),
        DataType::LargeList(_) => each(&|a, i| a.as_list::<i64>().value(i)),
        DataType::ListView(_) => each(&|a, i| a.as_list_view::<i32>().value(i)),
        DataType::LargeListView(_) => each(&|a, i| a.as_list_view::<i64>().value(i)),
        DataType::FixedSizeList(..) => each(&|a, i| a.as_fixed_size_list().value(i)),
        DataType::Map(..) => each(&|a, i| std::sync::Arc::new(a.as_map().value(i))),
        _ if a.to_data() == b.to_data() => Ok(()),
        _ => Err(format!("{a:?} and {b:?}")),
    }
}

/// Compares the values of dictionaries or run-end arrays. A null key equals the key of a null; a union has no
/// validity.
fn same_packed(a: &dyn Array, b: &dyn Array) -> Result<(), String> {
    let (values_a, rows_a) = packed(a);
    let (values_b, rows_b) = packed(b);
    let nulls = |values: &ArrayRef| match values.data_type() {
        DataType::Union(..) => None,
        _ => values.logical_nulls(),
    };
    let (nulls_a, nulls_b) = (nulls(&values_a), nulls(&values_b));
    let present = |nulls: &Option<NullBuffer>, row: Option<u64>| {
        let row = row.map(|row| row as usize);
        row.filter(|row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row)))
    };
    for (i, (a, b)) in rows_a.into_iter().zip(rows_b).enumerate() {
        match (present(&nulls_a, a), present(&nulls_b, b)) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                same(&values_a.slice(a, 1), &values_b.slice(b, 1))
                    .map_err(|e| format!("item {i}: {e}"))?;
            }
            (a, b) => return Err(format!("item {i}: key {a:?} and {b:?}")),
        }
    }
    Ok(())
}

/// Returns the values of a dictionary or run-end array, and which of them each row has.
fn packed(array: &dyn Array) -> (ArrayRef, Vec<Option<u64>>) {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let keys = dictionary.keys();
        let numbers = arrow::compute::cast(keys, &DataType::UInt64).unwrap();
        return (
            dictionary.values().clone(),
            numbers.as_primitive::<UInt64Type>().iter().collect(),
        );
    }
    downcast_run_array! {
        array => {
            let rows = (0..array.len()).map(|i| Some(array.get_physical_index(i) as u64));
            (array.values().clone(), rows.collect())
        },
        _ => unreachable!(),
    }
}

/// Compares rows of batches that are cut differently.
pub fn same_rows(expected: &[RecordBatch], read: &[RecordBatch]) -> Result<(), String> {
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    if rows(expected) != rows(read) {
        return Err(format!("{} rows and {}", rows(expected), rows(read)));
    }
    let (mut at, mut i) = (0, 0);
    for batch in expected {
        let mut done = 0;
        while done < batch.num_rows() {
            let other = &read[i];
            let n = (batch.num_rows() - done).min(other.num_rows() - at);
            for (c, field) in batch.schema().fields().iter().enumerate() {
                same(&batch.column(c).slice(done, n), &other.column(c).slice(at, n))
                    .map_err(|e| format!("column {c} {:?}: {e}", field.name()))?;
            }
            done += n;
            at += n;
            if at == other.num_rows() {
                (at, i) = (0, i + 1);
            }
        }
    }
    Ok(())
}
