//! CSV as people have it: types, nulls, dialects, encodings, compression, and types that do not hold.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::{code, out, run, run_with, said, str};

/// Returns what `schema` prints of a text, and what `cat` does.
fn read(text: &[u8], options: &[&str]) -> (String, Vec<Json>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text).unwrap();
    let schema = out(&[&["schema", str(&path)], options].concat());
    let rows = out(&[&["cat", str(&path)], options].concat());
    (schema, rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the error of a text that cannot be read.
fn fault(text: &[u8], options: &[&str]) -> String {
    let output = run_with(&[&["cat", "-", "--from", "csv"], options].concat(), text);
    assert_ne!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stdout));
    said(&output)
}

/// A column of values, its type, and the values as JSON.
type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a str, Json);

fn check(cases: &[Case<'_>]) {
    for (values, options, data_type, expected) in cases {
        let rows: String = values.iter().enumerate().map(|(i, v)| format!("{i},{v}\n")).collect();
        let (schema, rows) = read(format!("id,x\n{rows}").as_bytes(), options);
        assert_eq!(schema, format!("id: Int64\nx: {data_type}\n"), "{values:?} {options:?}");
        let found: Vec<Json> = rows.into_iter().map(|row| row["x"].clone()).collect();
        assert_eq!(Json::from(found), *expected, "{values:?} {options:?}");
    }
}

#[test]
fn types_are_inferred() {
    check(&[
        (&["true", "FALSE"], &[], "Boolean", json!([true, false])),
        (&["1", "-2"], &[], "Int64", json!([1, -2])),
        (&["18446744073709551615", "1"], &[], "UInt64", json!([u64::MAX, 1])),
        (&["1", "2.5"], &[], "Float64", json!([1.0, 2.5])),
        (&["00501", "10001"], &[], "Utf8", json!(["00501", "10001"])),
        (&["0", "0.5", "-0.5"], &[], "Float64", json!([0.0, 0.5, -0.5])),
        (&["2020-01-31"], &[], "Date32", json!(["2020-01-31"])),
        (&["2013-01-01 10:00:00"], &[], "Timestamp(µs)", json!(["2013-01-01T10:00:00"])),
        (
            &["2013-01-01T10:00:00.1234567"],
            &[],
            "Timestamp(ns)",
            json!(["2013-01-01T10:00:00.123456700"]),
        ),
        (
            &["2013-01-01T10:00:00Z", "2013-01-01T12:00:00+02:00"],
            &[],
            "Timestamp(µs, \"UTC\")",
            json!(["2013-01-01T10:00:00Z", "2013-01-01T10:00:00Z"]),
        ),
        (
            &["2013-01-01T10:00:00Z", "2013-01-01T10:00:00"],
            &[],
            "Utf8",
            json!(["2013-01-01T10:00:00Z", "2013-01-01T10:00:00"]),
        ),
        (&["10:00:00", "23:59"], &[], "Time64(µs)", json!(["10:00:00", "23:59:00"])),
        (&["", ""], &[], "Utf8", json!([null, null])),
    ]);
}

#[test]
fn nulls_are_those_of_the_column() {
    check(&[
        (&["1", "NA", "N/A", "\\N", "null"], &[], "Int64", json!([1, null, null, null, null])),
        (&["1.5", "NaN", ""], &[], "Float64", json!([1.5, null, null])),
        (&["a", "NA", ""], &[], "Utf8", json!(["a", "NA", null])),
        (&["NA", ""], &[], "Utf8", json!(["NA", null])),
        (&["1", "-", ""], &["--null-value", "-"], "Int64", json!([1, null, null])),
        (&["a", "-", "NA"], &["--null-value", "-"], "Utf8", json!(["a", null, "NA"])),
        (
            &["1", "-", "?"],
            &["--null-value", "-", "--null-value", "?"],
            "Int64",
            json!([1, null, null]),
        ),
        (&["1", "999"], &["--null-value", "999"], "Int64", json!([1, null])),
        // NaN is a number in a declared float column; JSON cannot represent it, but a predicate can test it.
        (
            &["1.5", "NaN"],
            &["--type", "x=float64", "--where", "x is not null"],
            "Float64",
            json!([1.5, null]),
        ),
        (
            &["1.5", "NA"],
            &["--type", "x=float64", "--where", "x is not null"],
            "Float64",
            json!([1.5]),
        ),
    ]);
}

#[test]
fn types_of_single_columns_are_given() {
    check(&[
        (&["501", "10001"], &["--type", "x=utf8"], "Utf8", json!(["501", "10001"])),
        (&["501"], &["--type", "x=int32"], "Int32", json!([501])),
        (&["1", "0", "true"], &["--type", "x=bool"], "Boolean", json!([true, false, true])),
        (&["1.5", "2"], &["--type", "x=decimal(10,2)"], "Decimal128(10, 2)", json!([1.5, 2.0])),
        (
            &["2013-01-01T10:00:00+01:00"],
            &["--type", "x=timestamp[ms,UTC]"],
            "Timestamp(ms, \"UTC\")",
            json!(["2013-01-01T09:00:00Z"]),
        ),
        (
            &["2013-01-01"],
            &["--type", "x=timestamp[s]"],
            "Timestamp(s)",
            json!(["2013-01-01T00:00:00"]),
        ),
        (
            &["a", "b"],
            &["--type", "x=Dictionary(Int8, Utf8)"],
            "Dictionary(Int8, Utf8)",
            json!(["a", "b"]),
        ),
    ]);
    for (text, options, expected) in [
        ("x\n1\n", &["--type", "y=utf8"][..], "the file has no column \"y\": there are x"),
        ("x\n1\n", &["--type", "x=number"], "no type \"number\""),
        ("x\n1\n", &["--type", "x"], "types are given as NAME=TYPE"),
        ("x\n1\n", &["--type", "x=binary"], "no type \"binary\""),
        ("x\n1\n", &["--type", "x=Binary"], "CSV holds no Binary"),
        ("x\n300\n", &["--type", "x=int8"], "line 2, column \"x\": \"300\" is not an Int8\n"),
        ("x\n1.239\n", &["--type", "x=decimal(5,2)"], "\"1.239\" is not a Decimal128(5, 2)"),
        ("x\n12:00:00.5\n", &["--type", "x=timestamp"], "\"12:00:00.5\" is not a Timestamp(µs)"),
        ("x\n2020-01-01T00:00:00Z\n", &["--type", "x=timestamp"], "is not a Timestamp(µs)"),
        ("x\n2020-01-01 00:00:00.5\n", &["--type", "x=timestamp[s]"], "is not a Timestamp(s)"),
    ] {
        assert!(
            fault(text.as_bytes(), options).contains(expected),
            "{}",
            fault(text.as_bytes(), options)
        );
    }
    let output =
        run(&["cat", "testdata/arrow/empty_dictionary_in_null_struct.arrow", "--type", "x=utf8"]);
    assert_eq!(code(&output), 2);
    assert!(
        said(&output).contains("--type is for csv and jsonl, and the input is arrow"),
        "{}",
        said(&output)
    );
}

#[test]
fn schemas_may_name_some_columns() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("s.json");
    let field = |name: &str, data_type: &str| json!({"name": name, "data_type": data_type, "nullable": true, "dict_id": 0, "dict_is_ordered": false, "metadata": {}});
    let write = |fields: Json| {
        std::fs::write(&schema, json!({"fields": fields, "metadata": {}}).to_string()).unwrap();
    };
    write(json!([field("zip", "Utf8")]));
    let options = ["--schema", str(&schema)];
    let (types, rows) = read(b"id,zip\n1,501\n", &options);
    assert_eq!(types, "id: Int64\nzip: Utf8\n");
    assert_eq!(rows, [json!({"id": 1, "zip": "501"})]);
    let (types, _) = read(b"id,zip\n1,501\n", &[&options[..], &["--type", "id=float64"]].concat());
    assert_eq!(types, "id: Float64\nzip: Utf8\n");
    assert!(
        fault(b"id,code\n1,501\n", &options)
            .contains("the file has no column \"zip\": there are id, code")
    );
    // Without names, the first fields are those of the schema.
    let (types, _) = read(b"501,1\n", &[&options[..], &["--no-header"]].concat());
    assert_eq!(types, "zip: Utf8\ncolumn_2: Int64\n");
    write(json!([field("a", "Utf8"), field("b", "Utf8"), field("c", "Utf8")]));
    let said = fault(b"1,2\n", &[&options[..], &["--no-header"]].concat());
    assert!(said.contains("the schema has 3 columns, the file 2"), "{said}");
}

#[test]
fn dialects_and_encodings_are_found_or_given() {
    let expected = [json!({"name": "é,x", "n": 1}), json!({"name": "b", "n": 2})];
    let plain = "name,n\n\"é,x\",1\nb,2\n";
    let other = |delimiter: &str| format!("name{delimiter}n\né,x{delimiter}1\nb{delimiter}2\n");
    let utf16 = |bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        format!("{mark}{plain}").encode_utf16().flat_map(bytes).collect()
    };
    let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
    let cases: &[(Vec<u8>, &[&str])] = &[
        (plain.into(), &[]),
        (plain.replace('\n', "\r\n").into(), &[]),
        (plain.replace('\n', "\r").into(), &[]),
        (format!("\u{feff}{plain}").into(), &[]),
        (other(";").into(), &[]),
        (other("\t").into(), &[]),
        (other("|").into(), &[]),
        (other(":").into(), &["--delimiter", ":"]),
        (plain.replace('"', "'").into(), &["--quote", "'"]),
        (other(";").into(), &["--quote", "none"]),
        (utf16(u16::to_le_bytes, "\u{feff}"), &[]),
        (utf16(u16::to_be_bytes, "\u{feff}"), &[]),
        (utf16(u16::to_le_bytes, ""), &["--encoding", "utf-16le"]),
        (utf16(u16::to_be_bytes, ""), &["--encoding", "utf-16be"]),
        (latin.clone(), &["--encoding", "latin-1"]),
        (latin.clone(), &["--encoding", "windows-1252"]),
    ];
    for (text, options) in cases {
        let (schema, rows) = read(text, options);
        assert_eq!(schema, "name: Utf8\nn: Int64\n", "{options:?}");
        assert_eq!(rows, expected, "{options:?}");
    }
    let (schema, rows) = read(b"1,a\n2,b\n", &["--no-header"]);
    assert_eq!(schema, "column_1: Int64\ncolumn_2: Utf8\n");
    assert_eq!(rows[1], json!({"column_1": 2, "column_2": "b"}));
    let said = fault(&latin, &[]);
    assert!(
        said.contains("line 2: byte 0xe9 is not UTF-8; --encoding names the encoding"),
        "{said}"
    );
    assert_eq!(code(&run(&["cat", "x.csv", "--encoding", "klingon"])), 2);
}

#[cfg(all(feature = "avro", feature = "parquet"))]
#[test]
fn compressed_rows_are_read_in_every_format() {
    use std::io::Write;

    let folder = tempfile::tempdir().unwrap();
    let csv = super::rows_file("parcels.csv");
    let rows = out(&["cat", str(&csv)]);
    for format in ["csv", "arrow", "parquet", "trv", "avro", "arrows"] {
        let plain = folder.path().join(format!("x.{format}"));
        out(&["convert", str(&csv), str(&plain)]);
        let bytes = std::fs::read(&plain).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        let packed = gzip.finish().unwrap();
        let path = folder.path().join(format!("x.{format}.gz"));
        std::fs::write(&path, &packed).unwrap();
        assert!(out(&["cat", str(&path)]) == rows, "{format}");
        assert_eq!(out(&["count", str(&path)]), "200\n", "{format}");
        // A pipe, and a name without an extension.
        let piped = run_with(&["cat", "-"], &packed);
        assert!(piped.stdout == rows.as_bytes(), "{format}: {}", said(&piped));
        let cut = run_with(&["cat", "-"], &packed[..packed.len() / 2]);
        assert_eq!(code(&cut), 1, "{format}");
    }
    // Nothing is written compressed because of a name.
    let output = run(&["convert", str(&csv), str(&folder.path().join("y.csv.gz"))]);
    assert_eq!(code(&output), 2);
}

/// Types that hold for the first thousand rows only: files are read again, pipes get advice that works.
#[test]
fn types_that_do_not_hold_are_inferred_again() {
    let folder = tempfile::tempdir().unwrap();
    let early = |value: &str| format!("{value},x\n").repeat(1500);
    for (value, late, data_type, name) in [
        ("1", "2.5", "Float64", "float64"),
        ("1", "oops", "Utf8", "utf8"),
        ("1", "00501", "Utf8", "utf8"),
        ("1", "18446744073709551615", "UInt64", "decimal(38,0)"),
        ("2020-01-01", "2020-01-01 10:00", "Timestamp(µs)", "timestamp"),
        ("2020-01-01 10:00:00", "2020-01-01 10:00:00.0000001", "Timestamp(ns)", "timestamp[ns]"),
        ("2020-01-01 10:00:00", "2020-01-01 10:00:00Z", "Utf8", "utf8"),
        ("true", "yes", "Utf8", "utf8"),
    ] {
        let text = format!("a b,c\n{}{late},y\n", early(value));
        let path = folder.path().join("x.csv");
        std::fs::write(&path, &text).unwrap();
        for way in ["arrow", "trv", "parquet", "set/"] {
            let to = folder.path().join(format!("x.{way}"));
            let output = run(&["convert", "--force", str(&path), str(&to)]);
            assert_eq!(code(&output), 0, "{late}: {}", said(&output));
            assert!(
                said(&output).contains("inferring from all rows\n1501 rows"),
                "{}",
                said(&output)
            );
            let schema = out(&["schema", str(&to)]);
            assert_eq!(schema, format!("a b: {data_type}\nc: Utf8\n"), "{late} {way}");
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 5, "{left:?}");
        // Again in one pass.
        let schema = out(&["schema", "--infer-rows", "0", str(&path)]);
        assert_eq!(schema, format!("a b: {data_type}\nc: Utf8\n"));
        // From a pipe, the advice works.
        let piped = run_with(&["cat", "-", "--from", "csv"], text.as_bytes());
        assert_eq!(code(&piped), 1);
        let advice =
            format!("--type 'a b={name}' says what it is, --infer-rows 0 infers from all rows)\n");
        assert!(
            said(&piped).contains("line 1502, column \"a b\": ") && said(&piped).ends_with(&advice),
            "{}",
            said(&piped)
        );
        let given = format!("a b={name}");
        for options in [&["--type", given.as_str()][..], &["--infer-rows", "0"]] {
            let piped =
                run_with(&[&["cat", "-", "--from", "csv"], options].concat(), text.as_bytes());
            assert_eq!(code(&piped), 0, "{options:?}: {}", said(&piped));
            assert_eq!(piped.stdout.split(|b| *b == b'\n').count(), 1502);
        }
        let none = out(&["count", str(&path), "--where", "\"a b\" is null"]);
        assert_eq!(none, "0\n");
        assert_eq!(out(&["count", str(&path)]), "1501\n");
        // Rows written to standard output cannot be taken back: types are those of all rows from the start.
        let output = run(&["convert", str(&path), "-", "--to", "arrows"]);
        assert_eq!((code(&output), said(&output).contains("do not hold")), (0, false));
    }
}

#[test]
fn bad_rows_are_left_out_wherever_they_are() {
    let text = b"a,b\n1,2\n3\n4,5,6\n7,\xff\n8,9\n\"open,1\n";
    for (rows, printed) in [("0", 1), ("3", 2)] {
        let said = fault(text, &["--skip-bad", rows]);
        let line = if rows == "0" {
            "line 3: 1 field where 2 are expected"
        } else {
            "line 7: a quote is not closed"
        };
        assert!(said.contains(line), "{said}");
        let output = run_with(&["cat", "-", "--from", "csv", "--skip-bad", rows], text);
        let lines = output.stdout.iter().filter(|b| **b == b'\n').count();
        assert_eq!(lines, printed, "the rows before the bad one are printed");
    }
    for command in ["cat", "count"] {
        let output = run_with(&[command, "-", "--from", "csv", "--skip-bad", "4"], text);
        assert_eq!((code(&output), said(&output).as_str()), (0, "4 bad rows left out\n"));
        let expected =
            if command == "cat" { "{\"a\":1,\"b\":2}\n{\"a\":8,\"b\":9}\n" } else { "2\n" };
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
    // Unselected columns are not parsed.
    let text = b"a,b\n1,2\n3,x\n";
    let output =
        run_with(&["cat", "-", "--from", "csv", "--infer-rows", "1", "--columns", "a"], text);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"a\":1}\n{\"a\":3}\n");
}

/// Instants in seconds are no bare integers in formats without such.
#[cfg(all(feature = "avro", feature = "parquet"))]
#[test]
fn seconds_become_milliseconds_where_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("x.csv");
    std::fs::write(&csv, "t,u,v\n2013-01-01T10:00:00,2013-01-01T10:00:00Z,10:00:00\n,,\n").unwrap();
    let types = ["--type", "t=timestamp[s]", "--type", "u=timestamp[s,UTC]", "--type", "v=time[s]"];
    let rows = out(&[&["cat", str(&csv)], &types[..]].concat());
    for (format, schema) in [
        ("parquet", "t: Timestamp(s)\nu: Timestamp(s, \"UTC\")\nv: Time32(s)\n"),
        ("avro", "t: Timestamp(ms)\nu: Timestamp(ms, \"+00:00\")\nv: Time32(ms)\n"),
    ] {
        let to = folder.path().join(format!("x.{format}"));
        out(&[&["convert", str(&csv), str(&to)], &types[..]].concat());
        assert_eq!(out(&["schema", str(&to)]), schema, "{format}");
        assert_eq!(out(&["cat", str(&to)]), rows, "{format}");
        let bytes = std::fs::read(&to).unwrap();
        check_stored(format, &to, &bytes);
    }
}

/// What readers see that know nothing of Arrow's schema.
#[cfg(all(feature = "avro", feature = "parquet"))]
fn check_stored(format: &str, path: &Path, bytes: &[u8]) {
    if format == "avro" {
        let text = String::from_utf8_lossy(bytes);
        assert!(text.contains("timestamp-millis") && text.contains("time-millis"), "{text}");
        return;
    }
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    for (column, kind) in schema.columns().iter().zip(["Timestamp", "Timestamp", "Time"]) {
        let logical = format!("{:?}", column.logical_type_ref());
        assert!(logical.contains(kind), "{logical}");
    }
}
