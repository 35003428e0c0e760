//! Selected columns and rows, compared with those of the same table in a Trevni file, whose reader selects itself.

use std::path::PathBuf;

use arrow::datatypes::{DataType, Fields};
use trevni_convert::ReadOptions;

use super::{Table, assert_same, file, read, table};
use trevni_testing::data::stem;

/// Returns the paths of all fields that can be selected.
fn paths(fields: &Fields, above: &str) -> Vec<String> {
    let mut all = Vec::new();
    for field in fields {
        let path = format!("{above}{}", field.name());
        let inner = match field.data_type() {
            DataType::List(item) => item.data_type(),
            other => other,
        };
        if let DataType::Struct(fields) = inner {
            all.extend(paths(fields, &format!("{path}.")));
        }
        all.push(path);
    }
    all
}

fn options(columns: &[&str], batch_size: usize) -> ReadOptions {
    let columns = Some(columns.iter().map(|column| column.to_string()).collect());
    ReadOptions { columns, batch_size, ..ReadOptions::default() }
}

/// Checks each column alone, and pairs. Returns how many were selected.
fn check_columns(format: &str, files: &[PathBuf]) -> usize {
    let mut asked = 0;
    for path in files {
        let bytes = std::fs::read(path).unwrap();
        let all = table(format, &bytes);
        let trv = file("trv", &all);
        let paths = paths(all.schema.fields(), "");
        for (i, path_of) in paths.iter().enumerate() {
            let other = &paths[(i * 7 + 3) % paths.len()];
            for columns in [&[path_of.as_str()][..], &[other, path_of]] {
                let options = options(columns, 10);
                let expected = read("trv", &trv, &options).unwrap();
                let found = read(format, &bytes, &options).unwrap();
                let name = format!("{} {columns:?}", stem(path));
                assert_same(&name, &expected, &found);
                asked += 1;
            }
        }
    }
    asked
}

fn part(all: &Table, from: u64, to: u64) -> Table {
    let batch = arrow::compute::concat_batches(&all.schema, &all.batches).unwrap();
    let rows = batch.num_rows() as u64;
    let (from, to) = (from.min(rows), to.min(rows));
    let batches =
        if from < to { vec![batch.slice(from as usize, (to - from) as usize)] } else { Vec::new() };
    Table { schema: all.schema.clone(), batches }
}

/// Checks rows of all columns, and of the first.
fn check_rows(format: &str, files: &[PathBuf]) {
    for path in files {
        let bytes = std::fs::read(path).unwrap();
        let first = table(format, &bytes).schema.field(0).name().clone();
        for columns in [None, Some(vec![first])] {
            let whole = ReadOptions { columns, ..ReadOptions::default() };
            let all = read(format, &bytes, &whole).unwrap();
            for (from, to) in [(0, 0), (0, 1), (2, 7), (5, u64::MAX), (1 << 40, 1 << 41)] {
                for batch_size in [1, 3, 8192] {
                    let options = ReadOptions { rows: Some(from..to), batch_size, ..whole.clone() };
                    let found = read(format, &bytes, &options).unwrap();
                    let name = format!("{} {from}..{to}", stem(path));
                    assert_same(&name, &part(&all, from, to), &found);
                }
            }
        }
    }
}

fn fault(format: &str, bytes: &[u8], column: &str) -> String {
    read(format, bytes, &options(&[column], 10)).unwrap_err().to_string()
}

#[cfg(feature = "avro")]
#[test]
fn columns_and_rows_of_avro() {
    use super::avro::{apaches, golden};
    let files = [golden(), apaches()].concat();
    let asked = check_columns("avro", &files);
    check_rows("avro", &files);
    assert!(files.is_empty() || asked == 566, "{asked}");

    let inner = super::container::record(&[r#"{"name":"a","type":{"type":"map","values":"int"}}"#]);
    let file = super::container::file_of(&inner, &[]);
    assert_eq!(fault("avro", &file, "b"), "invalid: no column \"b\": there are a");
    let map = r#"Map("entries": non-null Struct("key": non-null Utf8, "value": non-null Int32), unsorted)"#;
    let why = format!("invalid: column \"a\" has no fields to choose from: it is {map}");
    assert_eq!(fault("avro", &file, "a.value"), why);
}

#[cfg(feature = "parquet")]
#[test]
fn columns_and_rows_of_parquet() {
    let files = super::parquet::apaches();
    let asked = check_columns("parquet", &files);
    check_rows("parquet", &files);
    assert!(files.is_empty() || asked == 614, "{asked}");
    let Some(path) = files.iter().find(|path| stem(path) == "nullable.impala") else { return };
    let bytes = std::fs::read(path).unwrap();
    let all = "id, int_array, int_array_Array, int_map, int_Map_Array, nested_struct";
    let why = format!("invalid: no column \"no.such\": there are {all}");
    assert_eq!(fault("parquet", &bytes, "no.such"), why);
    let why = "invalid: column \"id\" has no fields to choose from: it is Int64";
    assert_eq!(fault("parquet", &bytes, "id.x"), why);
    let why = "invalid: no column \"x\": there are A, b, C, g";
    assert_eq!(fault("parquet", &bytes, "nested_struct.x"), why);
}
