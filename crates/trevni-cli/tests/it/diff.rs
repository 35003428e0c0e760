//! `diff`: the same rows in any format are equal, and what differs is named.

use super::{code, out, rows_file, run, run_with, said, str};

#[test]
fn the_same_rows_are_equal_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("quakes.csv");
    for way in ["trv", "avro", "parquet", "arrow", "arrows"] {
        let to = folder.path().join(format!("quakes.{way}"));
        out(&["convert", str(&from), str(&to)]);
        assert_eq!(out(&["diff", str(&from), str(&to)]), "equal: 400 rows, 10 columns\n", "{way}");
    }
    // By row, too, if batches end elsewhere.
    let (trv, avro) = (folder.path().join("quakes.trv"), folder.path().join("quakes.avro"));
    let args = ["diff", str(&trv), str(&avro), "--batch-size", "7"];
    assert_eq!(out(&args), "equal: 400 rows, 10 columns\n");
}

fn differences(a: &str, b: &str, options: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, a).unwrap();
    let args = [&["diff", str(&path), "-", "--from", "jsonl"], options].concat();
    let output = run_with(&args, b.as_bytes());
    assert_eq!(said(&output), "", "{args:?}");
    (code(&output), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_differs_is_named() {
    let rows = |values: &[i32]| -> String {
        values.iter().map(|v| format!("{{\"a\":{v},\"b\":[{v}]}}\n")).collect()
    };
    let (a, b) = (rows(&[1, 2, 3, 4]), rows(&[1, 7, 3, 8]));
    let lines = "row 1, a: 2 | 7\nrow 1, b: [2] | [7]\nrow 3, a: 4 | 8\nrow 3, b: [4] | [8]\n";
    assert_eq!(differences(&a, &b, &[]), (1, lines.to_owned()));
    let first = "row 1, a: 2 | 7\nrow 1, b: [2] | [7]\n";
    assert_eq!(differences(&a, &b, &["--limit", "1"]), (1, first.to_owned()));
    assert_eq!(differences(&a, &rows(&[1, 2]), &[]), (1, "rows: 4 | 2\n".to_owned()));
    assert_eq!(differences(&a, &a, &[]), (0, "equal: 4 rows, 2 columns\n".to_owned()));
    let null = "row 0, a: 1 | null\n".to_owned();
    assert_eq!(differences("{\"a\":1}\n{\"a\":1}", "{\"a\":null}\n{\"a\":1}", &[]), (1, null));
}

#[test]
fn schemas_that_differ_are_told_first() {
    let (a, b) = ("{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":\"1\",\"d\":2}");
    let lines = "column 0, a: Int64 | Utf8\ncolumn 1: b | d\ncolumn 2: c | -\n";
    assert_eq!(differences(a, b, &[]), (1, lines.to_owned()));
    // A float may have an integral value, but is no integer.
    let lines = "column 0, a: Int64 | Float64\n";
    assert_eq!(differences("{\"a\":1}", "{\"a\":1.0}", &[]), (1, lines.to_owned()));
}

#[test]
fn what_cannot_be_read_is_no_difference() {
    let output = run(&["diff", "/no/such/file.trv", "-"]);
    assert_eq!((code(&output), output.stdout.len()), (1, 0));
    assert!(said(&output).starts_with("error: /no/such/file.trv: "), "{}", said(&output));
}
