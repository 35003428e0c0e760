//! JSON: the layouts of rows, types, and the errors of bad rows.

use super::{code, out, run, run_with, said, str};

/// Runs a command on text from standard input. Returns its output.
fn printed(args: &[&str], text: &str) -> String {
    let output = run_with(&[args, &["-", "--from", "jsonl"]].concat(), text.as_bytes());
    assert_eq!(code(&output), 0, "{text}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn fault(args: &[&str], text: &str) -> String {
    let output = run_with(&[args, &["-", "--from", "jsonl"]].concat(), text.as_bytes());
    assert_eq!(code(&output), 1, "{text}");
    let text = said(&output);
    text.trim_end().strip_prefix("error: standard input: ").unwrap_or(&text).to_owned()
}

#[test]
fn rows_are_lines_or_values_or_elements() {
    let rows = "{\"a\":1,\"b\":\"[{\\\"\"}\n{\"a\":2,\"b\":null}\n{\"a\":null,\"b\":\"}\"}\n";
    for text in [
        rows.to_owned(),
        format!("\u{feff}{rows}"),
        rows.replace('\n', "\r\n\n"),
        rows.replace('\n', " "),
        rows.replace("{\"a", "{\n  \"a"),
        rows.replace(',', " ,\n\t "),
        format!("[{}]", rows.trim_end().replace('\n', ",")),
        format!("\u{feff} \n[\n{}\n]\n\n", rows.trim_end().replace('\n', "\n,\n")),
        format!("[{}]", rows.trim_end().replace('\n', "] [")),
        format!("[] [{}] []", rows.trim_end().replace('\n', ",\n")),
    ] {
        assert_eq!(printed(&["cat"], &text), rows, "{text}");
        for batch in ["1", "2"] {
            assert_eq!(printed(&["cat", "--batch-size", batch, "--infer-rows", "1"], &text), rows);
        }
        assert_eq!(printed(&["cat", "--infer-rows", "0"], &text), rows, "{text}");
        assert_eq!(printed(&["count"], &text), "3\n");
        // The layout is detected from the first bytes.
        let output = run_with(&["cat", "-"], text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stdout), rows, "{text}");
    }
    for text in ["", " \n", "[]", "[ ]\n"] {
        assert_eq!(printed(&["count"], text), "0\n");
    }
}

#[test]
fn types_are_those_of_all_values() {
    for (values, expected) in [
        (&["1", "2"][..], "Int64"),
        (&["1", "2.5"], "Float64"),
        (&["18446744073709551615", "1"], "UInt64"),
        (&["1", "null"], "Int64"),
        (&["null"], "Null"),
        (&["true", "false"], "Boolean"),
        (&["1", "\"x\""], "Utf8"),
        (&["\"00501\""], "Utf8"),
        (&["\"2024-01-01\""], "Utf8"),
        (&["[]", "[1.5]"], "List\n  item: Float64"),
        (&["{\"x\":1}", "{\"y\":[]}"], "Struct\n  x: Int64\n  y: List\n    item: Null"),
    ] {
        let rows: Vec<_> = values.iter().map(|value| format!("{{\"a\":{value}}}")).collect();
        for text in [rows.join("\n"), format!("[{}]", rows.join(","))] {
            assert_eq!(printed(&["schema"], &text), format!("a: {expected}\n"), "{text}");
            assert_eq!(printed(&["cat"], &text).lines().count(), values.len());
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let inferred = "types were inferred from the first 1 rows: --infer-rows 0 infers from all rows";
    let one = &["--infer-rows", "1"][..];
    for (text, options, expected) in [
        (
            "[{\"a\":1},\n[2]]",
            &[][..],
            "line 2, object 2: a row is an object of names and values, and this is an array",
        ),
        (
            "{\"a\":1}\n\"x\"\n",
            &[],
            "line 2: a row is an object of names and values, and this is a string",
        ),
        ("{\"a\":1}\n{\"a\":}\n", &[], "line 2, column 6: not JSON: expected value"),
        ("{\n\"a\":1}\n{\n\"a\":\n}", &[], "line 5, object 2, column 1: not JSON: expected value"),
        ("{\"a\":1}\n{\"a\":1", &[], "line 2, column 6: not JSON: EOF while parsing an object"),
        ("[{\"a\":1}", &[], "line 1: not JSON: the file ends within an array"),
        ("[{\"a\":1},]", &[], "line 1: not JSON: an element of an array is missing"),
        ("[{\"a\":1}] {", &[], "line 1: not JSON: text after an array"),
        (
            "{\"a\":1}\n{\"a\":{\"b\":1}}\n",
            one,
            "line 2, field \"a\": an object, and the type is Int64 (",
        ),
        (
            "{\"a\":1}\n{\"a\":\"x\"}\n",
            one,
            "line 2, field \"a\": a string, and the type is Int64 (",
        ),
        ("{\"a\":1}\n{\"a\":0.5}\n", one, "line 2, field \"a\": 0.5, and the type is Int64 ("),
        (
            "{\"a\":1}\n{\"a\":\"05\"}\n",
            one,
            "line 2, field \"a\": a string, and the type is Int64 (",
        ),
        (
            "{\"a\":[{\"b\":0}]}\n{\"a\":[{\"b\":1e-1}]}\n",
            one,
            "line 2, field \"a.b\": 1e-1, and the type is Int64 (",
        ),
        ("{\"a\":1}\n{\"b\":2}\n", one, "line 2, field \"b\": not among the fields ("),
        (
            "{\"a\":0.5}\n{\"a\":1e400}\n",
            one,
            "line 2, field \"a\": 1e400 would lose digits as a floating-point number (",
        ),
        (
            "{\"a\":1}\n{\"b\":2,\"a\":1,\"b\":3}\n",
            &[],
            "line 2, field \"b\": the name comes twice in an object",
        ),
    ] {
        let text_said = fault(&[&["cat"][..], options].concat(), text);
        assert!(text_said.starts_with(&format!("malformed: {expected}")), "{text}: {text_said}");
        assert_eq!(text_said.contains(inferred), options == one, "{text_said}");
        // The rows before it are printed, unless there is no schema for them.
        let output =
            run_with(&[&["cat", "-", "--from", "jsonl"], options].concat(), text.as_bytes());
        let rows = String::from_utf8_lossy(&output.stdout).lines().count();
        assert!(
            rows == 1
                || text_said.contains("(--type")
                || text_said.contains("this is a number")
                || text.contains("1e400"),
            "{text}: {rows}"
        );
        // If the next record cannot be found, nothing is skipped.
        let is_broken = ["ends within", "missing", "after"].iter().any(|w| text_said.contains(w));
        let options = [&["count", "-", "--from", "jsonl", "--skip-bad", "9"], options].concat();
        let output = run_with(&options, text.as_bytes());
        assert_eq!(code(&output), i32::from(is_broken), "{text}: {}", said(&output));
    }
}

#[test]
fn types_that_do_not_hold_are_inferred_from_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("x.json"), folder.path().join("x.parquet"));
    let rows: String = (0..3000).map(|n| format!("{{\"a\":{n}}}\n")).collect();
    for (last, schema) in [
        ("{\"a\":0.5}", "a: Float64\n"),
        ("{\"a\":\"x\"}", "a: Utf8\n"),
        ("{\"a\":[]}", "a: Utf8\n"),
        ("{\"b\":[null]}", "a: Int64\nb: List\n  item: Null\n"),
    ] {
        std::fs::write(&from, format!("{rows}{last}\n")).unwrap();
        let output = run(&["convert", "--force", str(&from), str(&to)]);
        assert_eq!(code(&output), 0, "{}", said(&output));
        assert!(
            said(&output)
                .starts_with("types that were inferred from the first 1000 rows do not hold")
        );
        assert_eq!(out(&["schema", str(&to)]), schema);
        assert_eq!(out(&["count", str(&to)]), "3001\n");
        assert_eq!(out(&["count", str(&from)]), "3001\n");
    }
}

#[test]
fn rows_are_not_longer_than_they_may_be() {
    let text = |size| format!("[{{\"a\":1}},{{\"a\":2,\"b\":\"{}\"}}]", "x".repeat(size));
    let options = ["cat", "--max-row-size", "4k"];
    assert_eq!(printed(&options, &text(4000)).lines().count(), 2);
    let what = "malformed: line 1: a row is longer than 4096 bytes; --max-row-size sets the limit";
    assert_eq!(fault(&options, &text(5000)), what);
    for text in [text(5000).replace("},{", "}\n{").replace(['[', ']'], ""), text(70_000_000)] {
        let text_said = fault(if text.len() > 10_000 { &options[..1] } else { &options }, &text);
        assert!(text_said.contains("--max-row-size sets the limit"), "{text_said}");
    }
    let output = run_with(&["cat", "-", "--from", "csv", "--max-row-size", "1k"], b"a\n1\n");
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("--max-row-size is for jsonl, and the input is csv"));
}

#[test]
fn lines_that_are_cut_are_left_out() {
    let rows = "{\"a\":2,\"b\":\"x\"}\n{\"a\":3,\"b\":\"y\"}\n";
    for cut in ["{\"a\":1", "{\"a\":1,\"b\":\"x", "{\"a\":", "{", "{\"a\":1,\"b\":[{"] {
        let text = format!("{cut}\n{rows}");
        assert_eq!(printed(&["cat", "--skip-bad", "1"], &text), rows, "{cut}");
        let text_said = fault(&["cat"], &text);
        assert!(text_said.starts_with("malformed: line 1, column "), "{text_said}");
        let text = format!("{rows}{cut}\n{rows}");
        assert_eq!(printed(&["cat", "--skip-bad", "1"], &text), format!("{rows}{rows}"), "{cut}");
    }
}

#[test]
fn types_of_single_fields_are_given() {
    let rows = "{\"a\":1,\"b\":[{\"c\":\"5\"}]}\n{\"a\":{\"x\":[1,null]},\"b\":[{\"c\":true}]}\n{\"a\":null}\n";
    let a = "\"{\\\"x\\\":[1,null]}\"";
    let expected = format!(
        "{{\"a\":\"1\",\"b\":[{{\"c\":\"5\"}}]}}\n{{\"a\":{a},\"b\":[{{\"c\":\"true\"}}]}}\n{{\"a\":null,\"b\":null}}\n"
    );
    for infer in ["0", "1", "1000"] {
        let options = ["cat", "--type", "a=utf8", "--type", "b.c=utf8", "--infer-rows", infer];
        assert_eq!(printed(&options, rows), expected, "{infer}");
        assert_eq!(printed(&[&options[..], &["--batch-size", "1"]].concat(), rows), expected);
    }
    // Dates, decimals, and numbers in strings.
    let text = "[{\"d\":\"2024-02-29\",\"n\":\"7\",\"p\":1.10}]";
    let options = ["--type", "d=date", "--type", "n=int64", "--type", "p=decimal(5,2)"];
    let schema = printed(&[&["schema"][..], &options].concat(), text);
    assert_eq!(schema, "d: Date32\nn: Int64\np: Decimal128(5, 2)\n");
    let row = "{\"d\":\"2024-02-29\",\"n\":7,\"p\":1.10}\n";
    assert_eq!(printed(&[&["cat"][..], &options].concat(), text), row);
    for (options, text, expected) in [
        (
            &["--type", "q=utf8"][..],
            "{\"a\":1}",
            "no field \"q\", whose type is given: there are a",
        ),
        (&["--type", "a=date"], "{\"a\":\"x\"}", "line 1, field \"a\": "),
        (
            &["--type", "a=int64"],
            "{\"a\":[1]}",
            "line 1, field \"a\": an array, and the type is Int64",
        ),
    ] {
        let text_said = fault(&[&["cat"][..], options].concat(), text);
        assert!(text_said.contains(expected), "{text_said}");
    }
    // A schema has text for arrays and objects, too.
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("x.json");
    let fields = r#"{"name":"a","type":["null","string"]}"#;
    let text = format!("{{\"type\":\"record\",\"name\":\"R\",\"fields\":[{fields}]}}");
    std::fs::write(&schema, text).unwrap();
    let with_schema = printed(&["cat", "--schema", str(&schema)], rows);
    assert_eq!(with_schema, format!("{{\"a\":\"1\"}}\n{{\"a\":{a}}}\n{{\"a\":null}}\n"));
    let output = run_with(
        &["cat", "-", "--from", "jsonl", "--schema", str(&schema), "--type", "a=utf8"],
        rows.as_bytes(),
    );
    assert!(said(&output).contains("for rows without a schema"), "{}", said(&output));
}

/// Elements and lines that are no objects are one column, whatever they are.
#[test]
fn values_that_are_no_objects_are_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    for (text, schema, rows) in [
        ("[1,2.5]", "json: Float64\n", "{\"json\":1.0}\n{\"json\":2.5}\n"),
        ("\"a\"\n\"b\"\n", "json: Utf8\n", "{\"json\":\"a\"}\n{\"json\":\"b\"}\n"),
        ("[1]\n[2,3]\n", "json: List\n  item: Int64\n", "{\"json\":[1]}\n{\"json\":[2,3]}\n"),
        ("5", "json: Int64\n", "{\"json\":5}\n"),
        // Objects among them, too.
        (
            "[{\"a\": 1}, null, \"x\"]",
            "json: Utf8\n",
            "{\"json\":{\"a\":1}}\n{\"json\":null}\n{\"json\":\"x\"}\n",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(out(&["schema", str(&path)]), schema, "{text}");
        assert_eq!(out(&["cat", str(&path)]), rows, "{text}");
        assert_eq!(out(&["count", str(&path)]), format!("{}\n", rows.lines().count()));
    }
}

/// A field of JSON text is the same value after formats that keep its type, and text in others.
#[test]
fn json_text_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "{\"a\":1.50,\"b\":\"x\"}\n{\"a\":[ {\"c\" : \"\\u00e9 [\"} ],\"b\":\"y\"}\n{\"a\":null,\"b\":null}\n";
    let back = "{\"a\":1.50,\"b\":\"x\"}\n{\"a\":[{\"c\":\"\\u00e9 [\"}],\"b\":\"y\"}\n{\"a\":null,\"b\":null}\n";
    std::fs::write(at("x.jsonl"), text).unwrap();
    for format in ["trv", "parquet", "arrow", "arrows", "jsonl"] {
        let to = at(&format!("y.{format}"));
        let output = run(&["convert", str(&at("x.jsonl")), str(&to)]);
        let warning =
            "warning: field \"a\" is kept as JSON text: a number on line 1, an array on line 2\n";
        assert!(said(&output).ends_with(warning), "{format}: {}", said(&output));
        assert_eq!(out(&["cat", str(&to)]), back, "{format}");
        let difference = run(&["diff", str(&at("x.jsonl")), str(&to)]);
        assert_eq!(
            code(&difference),
            0,
            "{format}: {}",
            String::from_utf8_lossy(&difference.stdout)
        );
    }
    assert_eq!(
        out(&["convert", "--columns", "a", "--to", "csv", str(&at("y.trv")), "-"]),
        "a\n1.50\n\"[{\"\"c\"\":\"\"\\u00e9 [\"\"}]\"\n\n"
    );
    // A type that is declared is as one that is inferred.
    let given = ["cat", "--type", "a=json", "--type", "b=json"];
    assert_eq!(printed(&given, text), back);
    let given = ["cat", "--type", "a.m=map(utf8, int64)"];
    let text = "{\"a\":{\"m\":{\"k\":1,\"l\":2}}}\n{\"a\":{\"m\":{}}}\n";
    assert_eq!(printed(&given, text), text);
}

#[test]
fn fields_within_are_those_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.jsonl", "b.jsonl", "c.jsonl"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], "{\"a\":{\"x\":1},\"l\":[1,2],\"m\":[{\"p\":1}]}\n").unwrap();
    let other = "{\"a\":{\"x\":1.5,\"y\":\"t\"},\"l\":[1.5],\"m\":[{\"p\":2.5,\"q\":true}]}\n";
    std::fs::write(&paths[1], other).unwrap();
    std::fs::write(&paths[2], "{\"l\":[9007199254740993]}\n").unwrap();
    let [a, b, c] = [str(&paths[0]), str(&paths[1]), str(&paths[2])];
    let first = "{\"a\":{\"x\":1.0,\"y\":null},\"l\":[1.0,2.0],\"m\":[{\"p\":1.0,\"q\":null}]}\n";
    assert_eq!(out(&["convert", a, b, "-", "--to", "jsonl"]), format!("{first}{other}"));
    let filtered = ["--where", "a.x >= 1 and a.y is null"];
    assert_eq!(out(&[&["convert", a, b, "-", "--to", "jsonl"], &filtered[..]].concat()), first);
    let lost = run(&["convert", b, c, "-", "--to", "jsonl"]);
    assert_eq!(code(&lost), 1);
    assert!(said(&lost).contains("an integer would lose digits as float64"), "{}", said(&lost));
}
