//! Rows to containers and back, by every format, codec, shuffle and size of chunk.

use std::path::Path;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use proptest::prelude::*;
use trevni_convert::{ATTRIBUTES_KEY, BloscOptions, Format, ReadOptions, WriteOptions};

use super::{read, same_columns};

/// Columns of all that NumPy has.
fn rows(n: usize) -> RecordBatch {
    let each = |i: usize| (i as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64) >> (i % 60);
    let numbers = || (0..n).map(each);
    let pairs = Float32Array::from_iter_values((0..2 * n).map(|i| i as f32 / 3.0));
    let item = Arc::new(Field::new_list_field(DataType::Float32, false));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("flag", Arc::new(BooleanArray::from_iter(numbers().map(|v| Some(v % 3 == 0))))),
        ("small", Arc::new(Int8Array::from_iter_values(numbers().map(|v| v as i8)))),
        ("count", Arc::new(UInt32Array::from_iter_values(0..n as u32))),
        ("id", Arc::new(Int64Array::from_iter_values(numbers()))),
        ("ratio", Arc::new(Float64Array::from_iter_values(numbers().map(|v| v as f64 / 7.0)))),
        (
            "at",
            Arc::new(TimestampNanosecondArray::from_iter(numbers().map(|v| (v != 0).then_some(v)))),
        ),
        ("took", Arc::new(DurationMillisecondArray::from_iter_values(numbers().map(|v| v >> 8)))),
        (
            "name",
            Arc::new(StringArray::from_iter_values(numbers().map(|v| format!("é{}", v % 1000)))),
        ),
        (
            "key",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    numbers().map(|v| Some(v.to_be_bytes())),
                    8,
                )
                .unwrap(),
            ),
        ),
        ("pair", Arc::new(FixedSizeListArray::new(item, 2, Arc::new(pairs), None))),
    ];
    let nullable = |name: &str| matches!(name, "at" | "took");
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, nullable(name))),
    )
    .unwrap()
}

fn write(format: &str, path: &Path, batch: &RecordBatch, step: usize, options: &WriteOptions) {
    let create = Format::named(format).unwrap().create_at.unwrap();
    let mut sink = create(path, false, batch.schema(), options).unwrap();
    for start in (0..batch.num_rows()).step_by(step) {
        sink.write(&batch.slice(start, step.min(batch.num_rows() - start))).unwrap();
    }
    sink.finish().unwrap();
}

fn options(codec: &str, shuffle: &str, level: u8, chunk_rows: u64, threads: usize) -> WriteOptions {
    WriteOptions {
        codec: Some(codec.to_owned()),
        blosc: BloscOptions {
            level: Some(level),
            shuffle: Some(shuffle.to_owned()),
            chunk_rows: Some(chunk_rows),
            threads: Some(threads),
        },
        ..WriteOptions::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_goes_in_comes_out(
        n in 0..700usize,
        step in 1..300usize,
        codec in prop::sample::select(vec!["blosclz", "lz4", "lz4hc", "zlib", "zstd"]),
        shuffle in prop::sample::select(vec!["none", "byte", "bit"]),
        level in 0..10u8,
        chunk_rows in 1..400u64,
        batch_size in 1..500usize,
        threads in 1..3usize,
    ) {
        let batch = rows(n);
        let folder = tempfile::tempdir().unwrap();
        let with = options(codec, shuffle, level, chunk_rows, threads);
        let how = ReadOptions { batch_size, threads, ..ReadOptions::default() };
        for format in ["bloscpack", "bcolz", "superchunk"] {
            let path = folder.path().join(format);
            write(format, &path, &batch, step, &with);
            let back = read(&path, &how).unwrap();
            same_columns(back.columns(), batch.columns());
            let part = ReadOptions {
                columns: Some(vec!["name".into(), "id".into()]),
                rows: Some(n as u64 / 3..n as u64 / 2),
                ..how.clone()
            };
            let back = read(&path, &part).unwrap();
            let wanted = batch.slice(n / 3, n / 2 - n / 3).project(&[3, 7]).unwrap();
            same_columns(back.columns(), wanted.columns());
        }
        for (format, column) in ["b2nd", "sparse", "b2frame"].iter().zip(0..batch.num_columns()).cycle().zip(0..batch.num_columns()).map(|((format, _), column)| (*format, column)) {
            let one = batch.project(&[column]).unwrap();
            let path = folder.path().join(format!("{format}{column}"));
            write(format, &path, &one, step, &with);
            let dtype = (format == "b2frame").then(|| numpy(&one));
            let back = read(&path, &ReadOptions { dtype, ..how.clone() }).unwrap();
            // A plain super-chunk knows no shapes and no rows of no bytes.
            if format != "b2frame" || !matches!(one.column(0).data_type(), DataType::FixedSizeList(..)) {
                same_columns(back.columns(), one.columns());
            }
        }
    }
}

/// Returns the dtype that a column gets.
fn numpy(one: &RecordBatch) -> String {
    let mut widths = trevni_blosc::numpy::Widths::new(&one.schema());
    widths.see(one).unwrap();
    let (dtype, _) = trevni_blosc::numpy::dtype_of(one.schema().field(0), widths.of(0)).unwrap();
    dtype.numpy_str()
}

#[test]
fn attributes_go_both_ways() {
    let said = r#"{"unit":"m","of":[1,2.5,null]}"#;
    let metadata = [(ATTRIBUTES_KEY.to_owned(), said.to_owned())].into_iter().collect();
    let values = rows(10).project(&[3]).unwrap();
    let schema = Arc::new(values.schema().as_ref().clone().with_metadata(metadata));
    let values = values.with_schema(schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for format in ["bloscpack", "bcolz", "superchunk", "b2nd", "sparse", "b2frame"] {
        let path = folder.path().join(format);
        write(format, &path, &values, 4, &WriteOptions::default());
        let back = read(&path, &ReadOptions::default()).unwrap();
        let found: serde_json::Value =
            serde_json::from_str(&back.schema().metadata()[ATTRIBUTES_KEY]).unwrap();
        assert_eq!(found, serde_json::from_str::<serde_json::Value>(said).unwrap(), "{format}");
    }
}

#[test]
fn what_is_there_is_not_overwritten_and_what_fails_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let batch = rows(5);
    for format in ["bloscpack", "bcolz", "superchunk", "b2nd", "sparse", "b2frame"] {
        let one = batch.project(&[2]).unwrap();
        let path = folder.path().join(format);
        write(format, &path, &one, 5, &WriteOptions::default());
        let create = Format::named(format).unwrap().create_at.unwrap();
        let options = WriteOptions::default();
        let again = create(&path, false, one.schema(), &options).and_then(|sink| sink.finish());
        assert!(again.is_err(), "{format}");
        same_columns(
            read(&path, &ReadOptions::default()).unwrap().columns(),
            &retyped(format, &one),
        );
        let before = std::fs::read_dir(folder.path()).unwrap().count();
        let unfinished = folder.path().join(format!("{format}-unfinished"));
        let mut sink = create(&unfinished, false, one.schema(), &options).unwrap();
        sink.write(&one).unwrap();
        drop(sink);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "{format}");
    }
    let e = (Format::named("b2nd").unwrap().create_at.unwrap())(
        &folder.path().join("two"),
        false,
        batch.schema(),
        &WriteOptions::default(),
    );
    let said = e.err().unwrap().to_string();
    assert!(said.contains("one column"), "{said}");
}

/// Returns what comes back of a column that a container keeps without its type.
fn retyped(format: &str, one: &RecordBatch) -> Vec<ArrayRef> {
    if format != "b2frame" {
        return one.columns().to_vec();
    }
    let values = one.column(0).as_primitive::<UInt32Type>().values().inner().clone();
    vec![Arc::new(FixedSizeBinaryArray::new(4, values, None))]
}
