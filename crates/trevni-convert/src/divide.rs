//! Divides batches by the bytes of their values.
//!
//! ```text
//! batch ──► its bytes ≤ most? ──► whole
//!             no ──► halves, each divided in the same way, down to single rows
//! ```
//! Of values that are stored once for many rows (views, dictionaries, runs) every occurrence counts. A null has the
//! bytes of a number, since text has no less.

use std::ops::Range;

use arrow::array::{Array, AsArray, ByteView, OffsetSizeTrait, RecordBatch, downcast_run_array};
use arrow::datatypes::{DataType, Fields};

#[cfg(any(feature = "csv", feature = "json", feature = "parquet"))]
use trevni::{Error, Result};

/// The bytes of a value of a fixed size.
const FIXED: u64 = 8;

/// Returns the parts of a batch, each of at most this many bytes unless it is a single row.
pub(super) fn divide(batch: RecordBatch, most: u64) -> Vec<RecordBatch> {
    let (mut parts, mut rest) = (Vec::new(), vec![batch]);
    while let Some(batch) = rest.pop() {
        let rows = batch.num_rows();
        if rows <= 1 || bytes_of(&batch) <= most {
            parts.push(batch);
        } else {
            rest.push(batch.slice(rows / 2, rows - rows / 2));
            rest.push(batch.slice(0, rows / 2));
        }
    }
    parts
}

/// Fails if a part is a single row of more bytes.
#[cfg(any(feature = "csv", feature = "json", feature = "parquet"))]
pub(super) fn check_row(part: &RecordBatch, most: u64, what: &'static str) -> Result<()> {
    match part.num_rows() {
        1 if bytes_of(part) > most => Err(Error::too_large(what, bytes_of(part), most)),
        _ => Ok(()),
    }
}

/// Returns the bytes of the values of a batch.
fn bytes_of(batch: &RecordBatch) -> u64 {
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
    fields.iter().map(|field| leaves_of(field.data_type())).sum()
}

fn leaves_of(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => leaves(fields),
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            leaves_of(item.data_type())
        }
        _ => 1,
    }
}

fn bytes(array: &dyn Array, rows: Range<usize>) -> u64 {
    let count = rows.len() as u64;
    if rows.is_empty() {
        return 0;
    }
    match array.data_type() {
        DataType::Utf8 => span(array.as_string::<i32>().value_offsets(), &rows).len() as u64,
        DataType::LargeUtf8 => span(array.as_string::<i64>().value_offsets(), &rows).len() as u64,
        DataType::Binary => span(array.as_binary::<i32>().value_offsets(), &rows).len() as u64,
        DataType::LargeBinary => span(array.as_binary::<i64>().value_offsets(), &rows).len() as u64,
        DataType::Utf8View => lengths(array.as_string_view().views(), rows),
        DataType::BinaryView => lengths(array.as_binary_view().views(), rows),
        DataType::FixedSizeBinary(size) => count.saturating_mul(u64::try_from(*size).unwrap_or(0)),
        DataType::Dictionary(..) => bytes_of_keys(&array.slice(rows.start, rows.len())),
        DataType::RunEndEncoded(..) => bytes_of_runs(&array.slice(rows.start, rows.len())),
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

/// Returns the bytes of the values that keys refer to. A dictionary may have more values than there are keys.
fn bytes_of_keys(array: &dyn Array) -> u64 {
    let dictionary = array.as_any_dictionary();
    let (values, count) = (dictionary.values(), array.len());
    if values.len() <= count {
        return (count as u64).saturating_mul(largest(values, 0..values.len()));
    }
    let keys = dictionary.normalized_keys();
    keys.iter().map(|key| bytes(values, *key..*key + 1)).fold(0, u64::saturating_add)
}

/// Returns the bytes of the values of runs, each as large as the largest.
fn bytes_of_runs(array: &dyn Array) -> u64 {
    let count = array.len() as u64;
    downcast_run_array!(
        array => {
            let ends = array.run_ends();
            let runs = ends.get_start_physical_index()..ends.get_end_physical_index() + 1;
            count.saturating_mul(largest(array.values(), runs))
        },
        _ => count.saturating_mul(FIXED)
    )
}

/// Returns the bytes of the largest of some values.
fn largest(values: &dyn Array, of: Range<usize>) -> u64 {
    of.map(|row| bytes(values, row..row + 1)).max().unwrap_or(0)
}

/// Returns the lengths of views, which are in their first four bytes.
fn lengths(views: &[u128], rows: Range<usize>) -> u64 {
    let views = views.get(rows).unwrap_or_default();
    views.iter().map(|view| u64::from(ByteView::from(*view).length)).sum()
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
                let parts = divide(batch.clone(), most);
                assert!(parts.iter().all(|part| part.num_rows() == 1 || bytes_of(part) <= most));
                assert_eq!(concat_batches(&batch.schema(), &parts).unwrap(), batch, "{most}");
            }
        }
    }
}
