//! Logical equality: what rows mean, not how they are kept.
//!
//! ```text
//! dictionaries, run ends    their values        unions    the branch of the row
//! lists of any kind         their items         nulls     all alike, whatever lies beneath
//! ```

use arrow::array::*;
use arrow::datatypes::*;

/// Fails unless both have the same type and the same rows.
pub(crate) fn assert_same(a: &ArrayRef, b: &ArrayRef) {
    assert_eq!(a.data_type(), b.data_type());
    assert_eq!(a.len(), b.len(), "{}", a.data_type());
    b.to_data().validate_full().unwrap_or_else(|e| panic!("{}: {e}", b.data_type()));
    for row in 0..a.len() {
        assert!(
            same(a, row, b, row),
            "{} row {row}:\n{:?}\n{:?}",
            a.data_type(),
            a.slice(row, 1),
            b.slice(row, 1)
        );
    }
}

fn same(a: &dyn Array, i: usize, b: &dyn Array, j: usize) -> bool {
    match (unpacked(a, i), unpacked(b, j)) {
        (Some((a, i)), Some((b, j))) => same_value(&a, i, &b, j),
        (None, None) => true,
        _ => false,
    }
}

/// The array and row where the value is; `None` for a null.
fn unpacked(array: &dyn Array, row: usize) -> Option<(ArrayRef, usize)> {
    if array.is_null(row) || array.data_type().is_null() {
        return None;
    }
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = dictionary.normalized_keys()[row];
            unpacked(dictionary.values(), key)
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => run::<Int16Type>(array, row),
            DataType::Int32 => run::<Int32Type>(array, row),
            _ => run::<Int64Type>(array, row),
        },
        _ => Some((make_array(array.to_data()), row)),
    }
}

fn run<R: RunEndIndexType>(array: &dyn Array, row: usize) -> Option<(ArrayRef, usize)> {
    let runs = array.as_any().downcast_ref::<RunArray<R>>().unwrap();
    unpacked(runs.values(), runs.get_physical_index(row))
}

fn same_value(a: &ArrayRef, i: usize, b: &ArrayRef, j: usize) -> bool {
    use DataType::*;
    match a.data_type() {
        List(_) => rows(&a.as_list::<i32>().value(i), &b.as_list::<i32>().value(j)),
        LargeList(_) => rows(&a.as_list::<i64>().value(i), &b.as_list::<i64>().value(j)),
        ListView(_) => rows(&a.as_list_view::<i32>().value(i), &b.as_list_view::<i32>().value(j)),
        LargeListView(_) => {
            rows(&a.as_list_view::<i64>().value(i), &b.as_list_view::<i64>().value(j))
        }
        FixedSizeList(..) => {
            rows(&a.as_fixed_size_list().value(i), &b.as_fixed_size_list().value(j))
        }
        Map(..) => {
            let (a, b) = (a.as_map().value(i), b.as_map().value(j));
            a.columns().iter().zip(b.columns()).all(|(a, b)| rows(a, b))
        }
        Struct(_) => {
            let (a, b) = (a.as_struct(), b.as_struct());
            a.columns().iter().zip(b.columns()).all(|(a, b)| same(a, i, b, j))
        }
        Union(..) => {
            let (a, b) = (a.as_union(), b.as_union());
            let id = a.type_id(i);
            id == b.type_id(j)
                && same(a.child(id), a.value_offset(i), b.child(id), b.value_offset(j))
        }
        _ => a.slice(i, 1).to_data() == b.slice(j, 1).to_data() || bits(a, i) == bits(b, j),
    }
}

fn rows(a: &ArrayRef, b: &ArrayRef) -> bool {
    a.len() == b.len() && (0..a.len()).all(|row| same(a, row, b, row))
}

/// NaNs are equal if their bits are.
fn bits(array: &ArrayRef, row: usize) -> Option<u64> {
    Some(match array.data_type() {
        DataType::Float16 => u64::from(array.as_primitive::<Float16Type>().value(row).to_bits()),
        DataType::Float32 => u64::from(array.as_primitive::<Float32Type>().value(row).to_bits()),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_bits(),
        // Different for each: no bits, no equality.
        _ => return Some(std::ptr::from_ref(array).addr() as u64),
    })
}
