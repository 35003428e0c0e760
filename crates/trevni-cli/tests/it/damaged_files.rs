//! The exact errors of files of another format and of truncated files.

use super::{code, rows_file, run_with, said};

/// Returns the error of `cat` for bytes in a format.
fn fault(format: &str, bytes: &[u8], options: &[&str]) -> String {
    let output = run_with(&[&["cat", "-", "--from", format], options].concat(), bytes);
    assert_eq!(code(&output), 1, "{format}: {}", said(&output));
    let text = said(&output);
    text.strip_prefix("error: standard input: ").unwrap_or(&text).trim_end().to_owned()
}

fn made(format: &str) -> Vec<u8> {
    let from = std::fs::read(rows_file("parcels.csv")).unwrap();
    let output = run_with(&["convert", "-", "--from", "csv", "-", "--to", format], &from);
    assert_eq!(code(&output), 0, "{}", said(&output));
    output.stdout
}

/// Returns the text of a schema file, in a folder that lives as long as it.
fn schema(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema.json");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn files_that_are_of_another_format() {
    let csv = std::fs::read(rows_file("parcels.csv")).unwrap();
    for (format, expected) in [
        ("trv", "offset 0: malformed: not a Trevni file: it does not start with \"Trv\""),
        ("avro", "offset 0: malformed: no Avro file: it does not start with Obj and 1"),
        ("parquet", "malformed: parquet: Invalid Parquet file. Corrupt footer"),
        ("arrow", "malformed: the file does not end with an Arrow footer"),
        ("arrows", "malformed: the stream ends within a message"),
        ("jsonl", "malformed: line 1, column 1: not JSON: expected value"),
    ] {
        assert_eq!(fault(format, &csv, &[]), expected, "{format}");
    }
}

#[test]
fn files_that_are_cut() {
    for (format, expected) in [
        ("trv", "column \"note#value\", offset 8697: malformed: blocks end at 9058, past 9051"),
        ("avro", "block 0, offset 738: malformed: input ends 1 bytes short of sync marker"),
        ("parquet", "malformed: parquet: Invalid Parquet file. Corrupt footer"),
        ("arrow", "malformed: the file does not end with an Arrow footer"),
    ] {
        let mut bytes = made(format);
        bytes.truncate(bytes.len() - 7);
        // The sync marker of an Avro file is random, but its position is not.
        let text = fault(format, &bytes, &[]);
        assert_eq!(text, expected, "{format}");
    }
    for (format, expected) in [
        ("trv", "offset 0: malformed: input ends 4 bytes short of magic"),
        ("avro", "offset 0: malformed: input ends 1 bytes short of magic"),
        ("parquet", "malformed: parquet: Parquet file too small. Size is 0 but need 8"),
        ("arrows", "malformed: the stream ends before its schema"),
    ] {
        assert_eq!(fault(format, b"", &[]), expected, "{format}");
    }
    let text = fault("jsonl", b"{\"a\":1}\n{\"a\":[", &[]);
    let expected = "malformed: line 2, column 6: not JSON: EOF while parsing a list";
    assert_eq!(text, expected);
}

#[test]
fn values_that_do_not_fit_a_schema() {
    let (_folder, path) =
        schema(r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#);
    for (format, text, expected) in [
        ("csv", "a\n1\nx\n", "malformed: line 3, column \"a\": \"x\" is not an Int32"),
        (
            "csv",
            "a,b\n1,2\n,3\n",
            "malformed: line 3, column \"a\": is null, but the field is not nullable",
        ),
        ("csv", "b\n1\n", "invalid: the file has no column \"a\": there are b"),
        (
            "jsonl",
            "{\"a\":1}\n{\"a\":\"x\"}\n",
            "malformed: line 2, field \"a\": failed to parse \"x\" as Int32",
        ),
        (
            "jsonl",
            "{\"a\":1}\n{}\n",
            "malformed: line 2, field \"a\": missing or null, but the field is not nullable",
        ),
        (
            "jsonl",
            "{\"a\":1}\n{\"a\":3000000000}\n",
            "malformed: line 2, field \"a\": failed to parse 3000000000 as Int32",
        ),
    ] {
        let given = ["--schema", path.as_str()];
        assert_eq!(fault(format, text.as_bytes(), &given), expected, "{text}");
    }
}
