//! Bytes that can be read at any position are a source like a file or a pipe.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use trevni_convert::{Format, ReadOptions, Source, WriteOptions};

const ROWS: i64 = 5000;

fn table() -> RecordBatch {
    let numbers = || 0..ROWS;
    let columns: [(&str, ArrayRef); 3] = [
        ("a", Arc::new(Int64Array::from_iter_values(numbers()))),
        (
            "b",
            Arc::new(Float64Array::from_iter(
                numbers().map(|n| (n % 7 > 0).then_some(n as f64 / 8.0)),
            )),
        ),
        ("c", Arc::new(StringArray::from_iter_values(numbers().map(|n| format!("text {n}"))))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn rows(format: &Format, source: Source, options: &ReadOptions) -> RecordBatch {
    let rows = (format.open)(source, options).unwrap();
    let schema = rows.schema();
    concat_batches(&schema, &rows.collect::<Result<Vec<_>, _>>().unwrap()).unwrap()
}

#[test]
fn bytes_are_read_as_a_pipe_is_in_every_format() {
    let table = table();
    for name in ["trv", "arrow", "arrows", "avro", "parquet", "csv", "jsonl"] {
        let format = Format::named(name).unwrap();
        let mut file = Vec::new();
        let mut sink =
            (format.create)(&mut file, table.schema(), &WriteOptions::default()).unwrap();
        sink.write(&table).unwrap();
        sink.finish().unwrap();
        for rows_wanted in
            [None, Some(0..10), Some(1234..1239), Some(4990..u64::MAX), Some(9000..9001)]
        {
            let options =
                ReadOptions { rows: rows_wanted.clone(), batch_size: 64, ..ReadOptions::default() };
            let bytes = || Source::bytes(name, file.clone());
            assert_eq!(bytes().size(), Some(file.len() as u64));
            assert_eq!(bytes().head().unwrap(), &file[..file.len().min(4096)]);
            let found = rows(format, bytes(), &options);
            let pipe = Source::pipe(name, std::io::Cursor::new(file.clone()));
            assert_eq!(found, rows(format, pipe, &options), "{name}");
            let range = rows_wanted.unwrap_or(0..u64::MAX);
            let start = range.start.min(ROWS as u64) as usize;
            let end = range.end.min(ROWS as u64) as usize;
            let expected = table.slice(start, end - start);
            assert_eq!(found.columns(), expected.columns(), "{name}");
        }
    }
}
