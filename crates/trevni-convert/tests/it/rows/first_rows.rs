//! Types that are inferred from the first rows, and hold, are those of all rows.

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use proptest::prelude::*;
use trevni_convert::{Format, ReadOptions, Source};

/// Values of CSV, and of JSON, from which columns are made.
const CSV: &[&str] = &[
    "",
    "1",
    "-2",
    "0",
    "2.5",
    "1e5",
    "00501",
    "9223372036854775808",
    "9007199254740993",
    "0.12345678901234567891",
    "true",
    "2020-01-31",
    "2020-01-31 10:00",
    "2020-01-31T10:00:00Z",
    "10:00:00.1234567",
    "x",
    "NA",
    "\"\"",
];
const JSON: &[&str] = &[
    "null",
    "1",
    "-2",
    "0",
    "2.5",
    "1e5",
    "18446744073709551615",
    "9007199254740993",
    "0.12345678901234567891",
    "1e400",
    "true",
    "\"x\"",
    "[]",
    "[1]",
    "[\"x\"]",
    "[[1]]",
    "{}",
    "{\"b\":1}",
    "{\"b\":\"x\"}",
    "{\"c\":[1.5]}",
    "NaN",
];

/// Returns the rows, or none if the types of the first rows do not hold.
fn read(format: &str, text: &str, infer_rows: Option<usize>) -> Option<RecordBatch> {
    let options = ReadOptions { infer_rows, reads_again: true, ..ReadOptions::default() };
    let source = Source::bytes("text", text.as_bytes().to_vec());
    let rows = (Format::named(format).unwrap().open)(source, &options).unwrap();
    let schema = rows.schema();
    let batches: Result<Vec<_>, _> = rows.collect();
    match batches {
        Ok(batches) => Some(concat_batches(&schema, &batches).unwrap()),
        Err(e) => {
            use std::sync::atomic::Ordering;
            assert!(options.report.inference_failed.load(Ordering::Relaxed), "{text}: {e}");
            None
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn types_that_hold_are_those_of_all_rows(
        pool in proptest::collection::vec(0usize..64, 1..4),
        rows in proptest::collection::vec((0usize..4, 0usize..4), 1..30),
        first in 1usize..10,
    ) {
        for (format, values) in [("csv", CSV), ("jsonl", JSON)] {
            let value = |at: usize| values[pool[at % pool.len()] % values.len()];
            let row = |(a, b): &(usize, usize)| match format {
                "csv" => format!("{},{}", value(*a), value(*b)),
                _ => format!("{{\"a\":{},\"b\":{}}}", value(*a), value(*b)),
            };
            let mut text = if format == "csv" { "a,b\n".to_owned() } else { String::new() };
            rows.iter().for_each(|one| text += &(row(one) + "\n"));
            let all = read(format, &text, None);
            prop_assert!(all.is_some(), "{}", text);
            if let Some(some) = read(format, &text, Some(first)) {
                prop_assert_eq!(Some(&some), all.as_ref(), "{}", text);
            }
        }
    }
}

/// A schema that was inferred before gives the same rows, where columns have one name, too.
#[test]
fn types_that_are_known_are_those_that_were_inferred() {
    for (format, text) in [
        ("csv", "a,b,a\n1,x,2020-01-31\n,,\n2,y,2020-02-01\n"),
        ("jsonl", "{\"a\":1,\"b\":[1]}\n{\"a\":2.5,\"b\":\"x\"}\n"),
    ] {
        let all = read(format, text, None).unwrap();
        let options = ReadOptions { inferred: Some(all.schema()), ..ReadOptions::default() };
        let source = Source::bytes("text", text.as_bytes().to_vec());
        let rows = (Format::named(format).unwrap().open)(source, &options).unwrap();
        let schema = rows.schema();
        let batches: Vec<_> = rows.map(Result::unwrap).collect();
        assert_eq!(concat_batches(&schema, &batches).unwrap(), all, "{text}");
    }
}
