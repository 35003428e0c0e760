//! What `verify_rows` compares, and what it does not judge.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use bytes::Bytes;
use trevni::FileReader;
use trevni::arrow::{SortingColumn, WriterProperties, verify_rows};

/// Rows that are not sorted as the file says are a fault.
#[test]
fn rows_that_are_not_sorted_are_a_fault() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![3, 3, 5, 9]));
    let batch = RecordBatch::try_from_iter([("a", values)]).unwrap();
    let sorting = vec![SortingColumn::ascending("a")];
    let properties = WriterProperties::builder().set_sorting_columns(sorting).build();
    let file = crate::arrow::write(&batch.schema(), std::slice::from_ref(&batch), properties);
    let file = file.unwrap();
    let verify = |file: Vec<u8>| verify_rows(&FileReader::try_new(Bytes::from(file)).unwrap(), 1);
    verify(file.to_vec()).unwrap();
    // The value follows its length: one column, the first, ascending with nulls last.
    let key = b"arrow.sorting";
    let at = file.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    let mut wrong = file.to_vec();
    assert_eq!(wrong[at..at + 4], [6, 2, 0, 0]);
    wrong[at + 3] = 1;
    let e = verify(wrong).unwrap_err().to_string();
    assert!(
        e.contains("arrow.sorting") && e.contains("row 2 belongs before the one before"),
        "{e}"
    );
}

/// A time zone that is unknown here may be known elsewhere: what the writer takes is no fault.
#[test]
fn time_zones_are_not_judged() {
    let times = TimestampMicrosecondArray::from(vec![1]).with_timezone("Nowhere/City");
    let batch = RecordBatch::try_from_iter([("a", Arc::new(times) as ArrayRef)]).unwrap();
    let properties = WriterProperties::builder().build();
    let file = crate::arrow::write(&batch.schema(), std::slice::from_ref(&batch), properties);
    let file = file.unwrap();
    assert_eq!(crate::arrow::read(&file, 10).1, [batch]);
    let file = FileReader::try_new(file).unwrap();
    assert!(file.verify(|_| ()).faults.is_empty());
    verify_rows(&file, 1).unwrap();
}
