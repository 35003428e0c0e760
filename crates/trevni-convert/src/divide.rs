//! Divides batches by the bytes of their values.
//!
//! ```text
//! batch ──► its bytes ≤ most? ──► whole
//!             no ──► halves, each divided in the same way, down to single rows
//! ```
//! Of values that are stored once for many rows (views, dictionaries, runs) every occurrence counts. A null has the
//! bytes of a number, since text has no less.

use std::ops::Range;

use arrow::array::{Array, AsArray, OffsetSizeTrait, RecordBatch, downcast_run_array};
use arrow::datatypes::{DataType, Fields};

/// The bytes of a value of a fixed size.
const FIXED: u64 = 8;

/// Appends the parts of a batch, each of at most this many bytes unless it is a single row.
pub(super) fn divide(batch: RecordBatch, most: u64, into: &mut impl Extend<RecordBatch>) {
    let rows = batch.num_rows();
    if rows <= 1 || bytes_of(&batch) <= most {
        into.extend([batch]);
        return;
    }
    divide(batch.slice(0, rows / 2), most, into);
    divide(batch.slice(rows / 2, rows - rows / 2), most, into);
}

/// Returns the bytes of the values of a batch.
pub(super) fn bytes_of(batch: &RecordBatch) -> u64 {
    let columns = batch.columns().iter();
    columns.map(|column| bytes(column, 0..column.len())).fold(0, u64::saturating_add)
}

/// Returns the bytes of a row of these fields in arrays, without those of text and of items of lists.
#[cfg(feature = "json")]
pub(super) fn width(fields: &Fields) -> u64 {
    let widths = fields.iter().map(|field| match field.data_type() {
        DataType::Struct(fields) => width(fields),
        _ => FIXED,
    });
    widths.fold(0, u64::saturating_add)
}

/// Returns the number of columns of these fields.
pub(super) fn leaves(fields: &Fields) -> usize {
    let leaves = fields.iter().map(|field| match field.data_type() {
        DataType::Struct(fields) => leaves(fields),
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            match item.data_type() {
                DataType::Struct(fields) => leaves(fields),
                _ => 1,
            }
        }
        _ => 1,
    });
    leaves.sum()
}

fn bytes(array: &dyn Array, rows: Range<usize>) -> u64 {
    let count = rows.len() as u64;
    match array.data_type() {
        DataType::Utf8 => span(array.as_string::<i32>().value_offsets(), &rows).len() as u64,
        DataType::LargeUtf8 => span(array.as_string::<i64>().value_offsets(), &rows).len() as u64,
        DataType::Binary => span(array.as_binary::<i32>().value_offsets(), &rows).len() as u64,
        DataType::LargeBinary => span(array.as_binary::<i64>().value_offsets(), &rows).len() as u64,
        DataType::Utf8View => lengths(array.as_string_view().views(), rows),
        DataType::BinaryView => lengths(array.as_binary_view().views(), rows),
        DataType::FixedSizeBinary(size) => count.saturating_mul(u64::try_from(*size).unwrap_or(0)),
        DataType::Dictionary(..) => {
            count.saturating_mul(largest(array.as_any_dictionary().values()))
        }
        DataType::RunEndEncoded(..) => {
            downcast_run_array!(
                array => count.saturating_mul(largest(array.values())),
                _ => count.saturating_mul(FIXED)
            )
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.map(|column| bytes(column, rows.clone())).fold(0, u64::saturating_add)
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            bytes(list.values(), span(list.value_offsets(), &rows))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            bytes(list.values(), span(list.value_offsets(), &rows))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            bytes(map.entries(), span(map.value_offsets(), &rows))
        }
        DataType::FixedSizeList(..) => {
            let list = array.as_fixed_size_list();
            let size = usize::try_from(list.value_length()).unwrap_or(0);
            bytes(list.values(), rows.start * size..rows.end * size)
        }
        _ => count.saturating_mul(FIXED),
    }
    .max(count)
}

/// Returns the bytes of the largest value.
fn largest(values: &dyn Array) -> u64 {
    (0..values.len()).map(|row| bytes(values, row..row + 1)).max().unwrap_or(0)
}

/// Returns the lengths of views, which are in their first four bytes.
fn lengths(views: &[u128], rows: Range<usize>) -> u64 {
    let views = views.get(rows).unwrap_or_default();
    let length =
        |view: &u128| view.to_le_bytes().first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
    views.iter().map(|view| u64::from(length(view))).sum()
}

/// Returns the items of rows of lists.
fn span<O: OffsetSizeTrait>(offsets: &[O], rows: &Range<usize>) -> Range<usize> {
    let offset = |row: usize| offsets.get(row).map_or(0, |offset| offset.as_usize());
    offset(rows.start)..offset(rows.end)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::*;
    use arrow::compute::concat_batches;
    use arrow::datatypes::{Field, Int32Type};

    use super::*;

    fn of(array: ArrayRef) -> RecordBatch {
        RecordBatch::try_from_iter([("a", array)]).unwrap()
    }

    #[test]
    fn every_occurrence_counts() {
        let long = "x".repeat(1000);
        let rows = 100usize;
        let views: StringViewArray = (0..rows).map(|_| Some(&long)).collect();
        let strings: StringArray = (0..rows).map(|_| Some(&long)).collect();
        let keys = Int32Array::from(vec![0; rows]);
        let values = Arc::new(StringArray::from(vec![long.as_str()]));
        let dictionary = DictionaryArray::<Int32Type>::new(keys, values.clone());
        let runs = RunArray::try_new(&Int32Array::from(vec![100]), values.as_ref()).unwrap();
        let nulls = Arc::new(NullArray::new(100_000));
        let item = Arc::new(Field::new("item", DataType::Null, true));
        let list = FixedSizeListArray::try_new(item, 1000, nulls, None).unwrap();
        let arrays: [(ArrayRef, u64); 5] = [
            (Arc::new(views), 100_000),
            (Arc::new(strings), 100_000),
            (Arc::new(dictionary), 100_000),
            (Arc::new(runs), 100_000),
            (Arc::new(list), 800_000),
        ];
        for (array, bytes) in arrays {
            let batch = of(array);
            assert_eq!(bytes_of(&batch), bytes, "{}", batch.column(0).data_type());
            for most in [0, 999, 5000, 30_000, 1_000_000] {
                let mut parts = Vec::new();
                divide(batch.clone(), most, &mut parts);
                assert!(parts.iter().all(|part| part.num_rows() == 1 || bytes_of(part) <= most));
                assert_eq!(concat_batches(&batch.schema(), &parts).unwrap(), batch, "{most}");
            }
        }
    }
}
