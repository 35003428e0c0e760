//! CSV against the `csv` crate, and against itself: however it is cut and by however many threads it is parsed.

use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field};
use proptest::prelude::*;
use trevni_convert::{CsvReadOptions, ReadOptions};

use super::{Table, read};

fn options(chunk_size: usize, threads: usize) -> ReadOptions {
    let csv = CsvReadOptions { chunk_size, delimiter: Some(b','), ..CsvReadOptions::default() };
    ReadOptions { csv, threads, ..ReadOptions::default() }
}

/// Returns the rows of a table of text.
fn texts(table: &Table) -> Vec<Vec<Option<String>>> {
    let mut rows = Vec::new();
    for batch in &table.batches {
        for row in 0..batch.num_rows() {
            let value = |column: &dyn Array| {
                let column = column.as_string::<i32>();
                column.is_valid(row).then(|| column.value(row).to_owned())
            };
            rows.push(batch.columns().iter().map(|column| value(column.as_ref())).collect());
        }
    }
    rows
}

/// Returns the records that the `csv` crate finds: of as many fields as the first has.
fn expected(text: &str) -> (usize, Vec<Vec<Option<String>>>) {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    let columns = records.first().map_or(0, csv::StringRecord::len);
    let of_record = |record: &csv::StringRecord| -> Vec<Option<String>> {
        record.iter().map(|value| (!value.is_empty()).then(|| value.to_owned())).collect()
    };
    let alike = records.iter().filter(|record| record.len() == columns);
    (columns, alike.map(of_record).collect())
}

fn check_text(text: &str, chunk_size: usize, threads: usize) {
    let (columns, expected) = expected(text);
    let mut options = options(chunk_size, threads);
    options.csv.header = false;
    options.skip_bad = u64::MAX;
    let text_of = |column| Field::new(format!("column_{column}"), DataType::Utf8, true);
    options.types = (1..=columns).map(|column| Arc::new(text_of(column))).collect();
    let mut found = texts(&read("csv", text.as_bytes(), &options).unwrap());
    // To the crate, an empty text is as nothing.
    let emptied = |value: Option<String>| value.filter(|value| !value.is_empty());
    found.iter_mut().flatten().for_each(|value| *value = emptied(value.take()));
    let mut expected = expected;
    if columns == 1 {
        // An empty line is a null, where the crate has no record.
        found.retain(|row| row[0].is_some());
        expected.retain(|row| row[0].is_some());
    }
    // A record whose quote does not close is bad; to the crate it is a record.
    let closed = expected.len().saturating_sub(1);
    let same = found == expected || found == expected[..closed];
    // So is one with text after a closing quote.
    let is_behind = |pair: &[u8]| pair[0] == b'"' && !b"\",\r\n".contains(&pair[1]);
    let mut rest = expected.iter();
    let is_part = text.as_bytes().windows(2).any(is_behind)
        && found.iter().all(|row| rest.any(|expected| expected == row));
    assert!(same || is_part, "{text:?} by {chunk_size}: {found:?}, not {expected:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_the_records_of_the_csv_crate(
        pieces in prop::collection::vec(
            prop::sample::select(vec![",", "\"", "\"\"", "\n", "\r\n", "\r", " ", "a", "é", "1,2\n", "\"x,\ny\","]),
            0..40,
        ),
        chunk_size in 1usize..50,
        threads in 1usize..4,
    ) {
        check_text(&pieces.concat(), chunk_size, threads);
    }

    #[test]
    fn any_table_comes_back(
        rows in prop::collection::vec(prop::collection::vec("[a\",\n\r é;]{0,6}", 3..4), 1..20),
        chunk_size in 1usize..100,
        threads in 1usize..4,
        crlf in any::<bool>(),
    ) {
        let end = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new().terminator(end).from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        check_text(&text, chunk_size, threads);
    }
}

/// Returns the rows that make every inferred type, with quotes, blank lines and both ends of lines.
fn mixed() -> String {
    let mut text = "id,day,at,zoned,real,flag,text\n".to_owned();
    for n in 0..5000 {
        let end = if n % 7 == 0 { "\r\n" } else { "\n" };
        let note = match n % 5 {
            0 => "\"quoted, \"\"twice\"\"\"".to_owned(),
            1 => "\"on\ntwo lines\"".to_owned(),
            2 => String::new(),
            _ => format!("plain {n}"),
        };
        let (day, hour) = (n % 28 + 1, n % 24);
        text.push_str(&format!(
            "{n},2024-02-{day:02},2024-02-{day:02} {hour:02}:00:00.5,2024-02-{day:02}T{hour:02}:00Z,{}.25,{},{note}{end}",
            n * 3,
            n % 2 == 0,
        ));
        if n % 100 == 0 {
            text.push_str(end);
        }
    }
    text
}

#[test]
fn chunks_and_threads_change_no_row() {
    let text = mixed();
    let whole = read("csv", text.as_bytes(), &options(1 << 20, 1)).unwrap();
    let all = concat_batches(&whole.schema, &whole.batches).unwrap();
    assert_eq!(all.num_rows(), 5000);
    let types: Vec<_> = all.schema().fields().iter().map(|f| f.data_type().to_string()).collect();
    let expected = [
        "Int64",
        "Date32",
        "Timestamp(µs)",
        "Timestamp(µs, \"UTC\")",
        "Float64",
        "Boolean",
        "Utf8",
    ];
    assert_eq!(types, expected);
    for (chunk_size, threads) in [(100, 1), (1000, 2), (4096, 3), (70_000, 2), (1 << 20, 4)] {
        for infer_rows in [None, Some(0), Some(100)] {
            for batch_size in [7, 8192] {
                let options =
                    ReadOptions { infer_rows, batch_size, ..options(chunk_size, threads) };
                let found = read("csv", text.as_bytes(), &options).unwrap();
                assert!(found.batches.iter().all(|batch| batch.num_rows() <= batch_size));
                let found = concat_batches(&found.schema, &found.batches).unwrap();
                assert!(found == all, "{chunk_size} {threads}");
            }
        }
        for columns in [&["text", "id"][..], &["day"], &[]] {
            let names = columns.iter().map(|name| name.to_string()).collect();
            let options = ReadOptions { columns: Some(names), ..options(chunk_size, threads) };
            let found = read("csv", text.as_bytes(), &options).unwrap();
            let found = concat_batches(&found.schema, &found.batches).unwrap();
            let mut places: Vec<_> =
                columns.iter().map(|name| all.schema().index_of(name).unwrap()).collect();
            places.sort_unstable();
            assert!(found == all.project(&places).unwrap(), "{columns:?}");
        }
    }
}

/// The line of an error is that of the file, wherever chunks end.
#[test]
fn errors_name_their_line() {
    let text = mixed();
    let line = text.matches('\n').count() + 1;
    let text = format!("{text}x,2024-02-01,,,,,\n");
    for (chunk_size, threads) in [(100, 1), (1000, 2), (1 << 20, 4)] {
        let e =
            read("csv", text.as_bytes(), &options(chunk_size, threads)).unwrap_err().to_string();
        let expected = format!("malformed: line {line}, column \"id\": \"x\" is not an Int64");
        assert!(e.starts_with(&expected), "{e}");
    }
}
