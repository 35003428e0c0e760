//! Whether two arrays hold the same values: types equal, dictionaries and run-ends by what they stand for,
//! unions by what is selected, and nothing behind a null.

use arrow::array::*;
use arrow::compute::{filter, take};
use arrow::datatypes::*;

/// Compares two arrays; says where they first differ.
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
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
            return same(&unpacked(a), &unpacked(b));
        }
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
    if a.null_count() > 0 && a.data_type() != &DataType::Null {
        return same_valid(&filter(a, &valid_a).unwrap(), &filter(b, &valid_b).unwrap());
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

/// What a dictionary or run-end array stands for, one level deep.
fn unpacked(array: &dyn Array) -> ArrayRef {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let keys = dictionary.keys();
        return take(dictionary.values(), keys, None).unwrap();
    }
    let physical = |i: usize| -> u64 {
        downcast_run_array! {
            array => array.get_physical_index(i) as u64,
            _ => unreachable!(),
        }
    };
    let indices: UInt64Array = (0..array.len()).map(|i| Some(physical(i))).collect();
    let values = downcast_run_array! {
        array => array.values().clone(),
        _ => unreachable!(),
    };
    take(&values, &indices, None).unwrap()
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
