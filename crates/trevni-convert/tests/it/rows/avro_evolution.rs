//! Rows of one Avro schema read as rows of another.

use std::sync::Arc;

use trevni::arrow::schema_from_avro;
use trevni_convert::ReadOptions;

use super::container::{B, D, F, N, Part, S, bytes, field, file_of, record};
use super::{Table, read};

fn options(reader: &str, lossy: bool) -> ReadOptions {
    let schema = Some(Arc::new(schema_from_avro(reader).unwrap()));
    ReadOptions { schema, lossy, ..ReadOptions::default() }
}

fn evolved(writer: &str, row: &[Part], options: &ReadOptions) -> trevni::Result<Table> {
    // Twice, so that leftovers of a row are detected.
    let row = bytes(row);
    read("avro", &file_of(writer, &[(2, &row.repeat(2)), (1, &row)]), options)
}

/// Returns the one line that all rows are, or why there is none.
fn line(writer: &str, row: &[Part], reader: &str) -> Result<String, String> {
    line_of(evolved(writer, row, &options(reader, false)))
}

fn line_of(table: trevni::Result<Table>) -> Result<String, String> {
    // Without the column.
    let of_block = |e: trevni::Error| {
        let text = e.to_string();
        text.find("block ").and_then(|at| text.get(at..)).unwrap_or(&text).to_owned()
    };
    let lines = table.map_err(of_block)?.lines();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| *line == lines[0]), "{lines:?}");
    Ok(lines[0].clone())
}

fn ok(line: &str) -> Result<String, String> {
    Ok(line.to_owned())
}

/// Returns where the first row of a file of `writer` is reported as wrong.
fn err(writer: &str, what: &str) -> Result<String, String> {
    let offset = file_of(writer, &[]).len();
    Err(format!("block 0, offset {offset}: malformed: row 0: {what}"))
}

#[test]
fn fields_that_the_file_lacks_have_their_defaults() {
    let point = r#"{"type":"record","name":"P","fields":[
        {"name":"x","type":"int"},{"name":"y","type":"string","default":"up"}]}"#;
    let cases = [
        (r#""null""#, "null", "null"),
        (r#""boolean""#, "true", "true"),
        (r#""int""#, "-7", "-7"),
        (r#""long""#, "9223372036854775807", "9223372036854775807"),
        (r#""float""#, "0.1", "0.1"),
        (r#""float""#, "16777216", "16777216.0"),
        (r#""double""#, "0.1", "0.1"),
        (r#""double""#, "-3", "-3.0"),
        (r#""bytes""#, r#""\u00ff\u0000a""#, "ff0061"),
        (r#""string""#, r#""é\n""#, "é\n"),
        (r#"{"type":"fixed","name":"X","size":2}"#, r#""\u00ffA""#, "ff41"),
        (r#"{"type":"enum","name":"E","symbols":["A","B"]}"#, r#""B""#, "B"),
        (r#"{"type":"array","items":"int"}"#, "[1,2]", "[1, 2]"),
        (r#"{"type":"array","items":"int"}"#, "[]", "[]"),
        (r#"{"type":"map","values":"int"}"#, r#"{"k":1,"l":2}"#, "{k: 1, l: 2}"),
        (point, r#"{"x":1}"#, "{x: 1, y: up}"),
        (point, r#"{"y":"down","x":2}"#, "{x: 2, y: down}"),
        (r#"["null","int"]"#, "null", "null"),
        (r#"["int","null"]"#, "3", "3"),
        (r#"["int","string"]"#, "5", "{int=5}"),
        (r#"["string","int"]"#, r#""s""#, "{string=s}"),
        (r#"["int","string"]"#, r#""second""#, "{string=second}"),
        (r#"{"type":"int","logicalType":"date"}"#, "1", "1970-01-02"),
        (r#"{"type":"array","items":["null","int"]}"#, "[null,4]", "[null, 4]"),
    ];
    let writer = record(&[&field("a", r#""int""#)]);
    for (data_type, default, expected) in cases {
        let added = format!(r#"{{"name":"b","type":{data_type},"default":{default}}}"#);
        let reader = record(&[&added, &field("a", r#""int""#)]);
        let found = line(&writer, &[N(6)], &reader);
        assert_eq!(found, Ok(format!("{expected} | 6")), "{data_type}");
    }
}

#[test]
fn defaults_that_are_no_values_are_refused() {
    let cases = [
        (r#""int""#, "2147483648", "int"),
        (r#""int""#, "1.5", "int"),
        (r#""null""#, "0", "null"),
        (r#""boolean""#, "1", "boolean"),
        (r#""string""#, "1", "string"),
        (r#""bytes""#, r#""\u0100""#, "bytes"),
        (r#"{"type":"fixed","name":"X","size":2}"#, r#""abc""#, "X"),
        (r#"{"type":"enum","name":"E","symbols":["A","B"]}"#, r#""C""#, "E"),
        (r#"{"type":"array","items":"int"}"#, r#"["a"]"#, "array"),
        (r#"{"type":"map","values":"int"}"#, "[]", "map"),
        (r#"["null","int"]"#, r#""a""#, "union"),
    ];
    for (data_type, default, name) in cases {
        let added = format!(r#"{{"name":"b","type":{data_type},"default":{default}}}"#);
        let writer = record(&[&field("a", r#""int""#)]);
        let found = line(&writer, &[N(6)], &record(&[&added]));
        let expected = format!("invalid: field b: its default {default} is no {name}");
        assert_eq!(found, Err(expected.replace(r"\u0100", "Ā")));
    }
}

#[test]
fn fields_that_the_reader_lacks_are_passed_over() {
    let point = r#"{"type":"record","name":"P","fields":[
        {"name":"x","type":"int"},{"name":"y","type":["null","string"]}]}"#;
    let ints = r#"{"type":"array","items":"int"}"#;
    let points = format!(r#"{{"type":"array","items":{point}}}"#);
    let texts = r#"{"type":"map","values":"string"}"#;
    let nulls = r#"{"type":"array","items":"null"}"#;
    let cases: [(&str, &[Part]); 20] = [
        (r#""null""#, &[]),
        (r#""boolean""#, &[B(&[1])]),
        (r#""int""#, &[N(-70)]),
        (r#""long""#, &[N(i64::MIN)]),
        (r#""float""#, &[F(1.5)]),
        (r#""double""#, &[D(1.5)]),
        (r#""bytes""#, &[S("abc")]),
        (r#""string""#, &[S("")]),
        (r#"{"type":"fixed","name":"X","size":2}"#, &[B(b"xy")]),
        (r#"{"type":"enum","name":"E","symbols":["A","B"]}"#, &[N(1)]),
        (point, &[N(1), N(1), S("y")]),
        (ints, &[N(0)]),
        (ints, &[N(2), N(1), N(300), N(1), N(4), N(0)]),
        // A negative count, and the size of its items.
        (ints, &[N(-2), N(3), N(1), N(300), N(1), N(4), N(0)]),
        (&points, &[N(-1), N(4), N(1), N(1), S("y"), N(1), N(5), N(0), N(0)]),
        (texts, &[N(1), S("k"), S("v"), N(-1), N(4), S("l"), S("w"), N(0)]),
        (nulls, &[N(1_000_000_000_000), N(0)]),
        (nulls, &[N(-5), N(0), N(0)]),
        (r#"["null","string"]"#, &[N(1), S("s")]),
        (r#"["null","string"]"#, &[N(0)]),
    ];
    let kept = [field("a", r#""int""#), field("c", r#""int""#)];
    let reader = record(&[&kept[0], &kept[1]]);
    for (data_type, value) in cases {
        let writer = record(&[&kept[0], &field("b", data_type), &kept[1]]);
        let row = [&[N(6)], value, &[N(7)]].concat();
        assert_eq!(line(&writer, &row, &reader), ok("6 | 7"), "{data_type}");
    }
}

#[test]
fn blocks_of_items_with_a_size_are_read() {
    let lists = record(&[
        &field("a", r#"{"type":"array","items":"int"}"#),
        &field("m", r#"{"type":"map","values":"int"}"#),
    ]);
    let row = [N(-2), N(3), N(1), N(300), N(1), N(4), N(0)];
    let row = [&row[..], &[N(-1), N(3), S("k"), N(8), N(1), S("l"), N(9), N(0)]].concat();
    assert_eq!(line(&lists, &row, &lists), ok("[1, 300, 4] | {k: 8, l: 9}"));
}

#[test]
fn fields_and_types_are_found_by_their_names_and_aliases() {
    let (int, text) = (field("a", r#""int""#), field("b", r#""string""#));
    let row = [N(6), S("s")];
    let reordered = record(&[&text, &int]);
    assert_eq!(line(&record(&[&int, &text]), &row, &reordered), ok("s | 6"));

    let renamed = r#"{"name":"z","type":"int","aliases":["q","a"]}"#;
    assert_eq!(line(&record(&[&int, &text]), &row, &record(&[renamed, &text])), ok("6 | s"));

    // A field of the same name has precedence over an alias, wherever it is.
    let (old, new) = (field("a", r#""int""#), field("z", r#""int""#));
    for (fields, row) in [([&old, &new], [N(1), N(2)]), ([&new, &old], [N(2), N(1)])] {
        let writer = record(&[fields[0], fields[1]]);
        assert_eq!(line(&writer, &row, &record(&[renamed])), ok("2"));
    }

    let theirs = r#"{"type":"enum","name":"n.Old","symbols":["A","B"]}"#;
    let ours = r#"{"type":"enum","name":"n.New","symbols":["B","A"]}"#;
    let also = r#"{"type":"enum","name":"n.New","aliases":["Old"],"symbols":["B","A"]}"#;
    let writer = record(&[&field("e", theirs)]);
    assert_eq!(line(&writer, &[N(0)], &record(&[&field("e", also)])), ok("A"));
    let unlike = "invalid: field e: n.Old cannot be read as n.New".to_owned();
    assert_eq!(line(&writer, &[N(0)], &record(&[&field("e", ours)])), Err(unlike));

    let theirs = r#"["null",{"type":"record","name":"Old","fields":[{"name":"x","type":"int"}]}]"#;
    let ours = r#"["null","string",{"type":"record","name":"New","aliases":["Old"],"fields":[
        {"name":"y","type":"long","aliases":["x"]}]}]"#;
    let (writer, reader) = (record(&[&field("r", theirs)]), record(&[&field("r", ours)]));
    assert_eq!(line(&writer, &[N(1), N(3)], &reader), ok("{New={y: 3}}"));
    assert_eq!(line(&writer, &[N(0)], &reader), ok("{null=null}"));
}

#[test]
fn numbers_widen_and_text_is_bytes() {
    let cases = [
        ("int", N(-5), "long", "-5"),
        ("int", N(16_777_216), "float", "16777216.0"),
        ("int", N(2_147_483_647), "double", "2147483647.0"),
        ("long", N(1 << 40), "float", "1099511600000.0"),
        ("long", N(1 << 53), "double", "9007199254740992.0"),
        ("float", F(0.1), "double", "0.10000000149011612"),
        ("string", S("aé"), "bytes", "61c3a9"),
        ("bytes", S("aé"), "string", "aé"),
    ];
    for (from, value, to, expected) in cases {
        let [from, to] = [from, to].map(|name| record(&[&field("a", &format!("{name:?}"))]));
        assert_eq!(line(&from, &[value], &to), ok(expected), "{to}");
    }
    let bytes = record(&[&field("a", r#""bytes""#)]);
    let text = record(&[&field("a", r#""string""#)]);
    assert_eq!(line(&bytes, &[N(1), B(&[0xff])], &text), err(&bytes, "string is not UTF-8"));
}

#[test]
fn digits_are_lost_only_if_that_is_asked_for() {
    let cases = [
        ("int", 16_777_217, "float", "16777216.0"),
        ("long", 16_777_217, "float", "16777216.0"),
        ("long", (1 << 53) + 1, "double", "9007199254740992.0"),
        ("long", i64::MAX, "double", "9.223372036854776e18"),
        ("long", i64::MAX, "float", "9.223372e18"),
    ];
    for (from, value, to, expected) in cases {
        let [from, to] = [from, to].map(|name| record(&[&field("a", &format!("{name:?}"))]));
        let why = format!("{value} would lose digits as a floating-point number");
        assert_eq!(line(&from, &[N(value)], &to), err(&from, &why));
        assert_eq!(line_of(evolved(&from, &[N(value)], &options(&to, true))), ok(expected));
    }
}

#[test]
fn unions_take_what_fits_one_of_their_branches() {
    let cases: [(&str, &[Part], &str, &str); 11] = [
        (r#""int""#, &[N(4)], r#"["null","int"]"#, "4"),
        (r#""int""#, &[N(4)], r#"["null","long","int"]"#, "{int=4}"),
        (r#""int""#, &[N(4)], r#"["string","double"]"#, "{double=4.0}"),
        (r#""null""#, &[], r#"["null","int"]"#, "null"),
        (r#"["null","int"]"#, &[N(1), N(4)], r#""int""#, "4"),
        (r#"["null","int"]"#, &[N(1), N(4)], r#""long""#, "4"),
        (r#"["int","null"]"#, &[N(1)], r#"["null","int"]"#, "null"),
        (r#"["int","null"]"#, &[N(0), N(4)], r#"["null","string","long"]"#, "{long=4}"),
        (r#"["int","string"]"#, &[N(1), S("s")], r#"["string","int"]"#, "{string=s}"),
        (r#"["int","string"]"#, &[N(0), N(9)], r#""int""#, "9"),
        (r#"["string"]"#, &[N(0), S("s")], r#""bytes""#, "73"),
    ];
    for (from, value, to, expected) in cases {
        let [from, to] = [from, to].map(|name| record(&[&field("a", name)]));
        assert_eq!(line(&from, value, &to), ok(expected), "{from} {to}");
    }
    let writer = record(&[&field("a", r#"["int","string"]"#)]);
    let reader = record(&[&field("a", r#""int""#)]);
    let why = err(&writer, "string cannot be read as int");
    assert_eq!(line(&writer, &[N(1), S("s")], &reader), why);
    let writer = record(&[&field("a", r#"["null","int"]"#)]);
    assert_eq!(line(&writer, &[N(0)], &reader), err(&writer, "null cannot be read as int"));
}

#[test]
fn symbols_that_the_reader_lacks_are_its_default() {
    let theirs = r#"{"type":"enum","name":"E","symbols":["A","B","C"]}"#;
    let with = r#"{"type":"enum","name":"E","symbols":["U","C"],"default":"U"}"#;
    let without = r#"{"type":"enum","name":"E","symbols":["U","C"]}"#;
    let writer = record(&[&field("e", theirs)]);
    let [with, without] = [with, without].map(|ours| record(&[&field("e", ours)]));
    assert_eq!(line(&writer, &[N(2)], &with), ok("C"));
    assert_eq!(line(&writer, &[N(1)], &with), ok("U"));
    assert_eq!(line(&writer, &[N(2)], &without), ok("C"));
    let why = err(&writer, "the reader's schema has no symbol B");
    assert_eq!(line(&writer, &[N(1)], &without), why);
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_row() {
    let cases = [
        (r#""long""#, r#""int""#, "long cannot be read as int"),
        (r#""double""#, r#""float""#, "double cannot be read as float"),
        (r#""boolean""#, r#""int""#, "boolean cannot be read as int"),
        (r#""string""#, r#"["null","int"]"#, "string cannot be read as union"),
        (r#"["string","bytes"]"#, r#""int""#, "string cannot be read as int"),
        (r#"{"type":"array","items":"string"}"#, r#""string""#, "array cannot be read as string"),
        (
            r#"{"type":"array","items":"string"}"#,
            r#"{"type":"array","items":"int"}"#,
            "string cannot be read as int",
        ),
        (
            r#"{"type":"fixed","name":"X","size":2}"#,
            r#"{"type":"fixed","name":"X","size":3}"#,
            "X cannot be read as X",
        ),
    ];
    for (from, to, why) in cases {
        let [from, to] = [from, to].map(|data_type| record(&[&field("a", data_type)]));
        assert_eq!(line(&from, &[], &to), Err(format!("invalid: field a: {why}")));
    }
    let (a, b) = (record(&[&field("a", r#""int""#)]), record(&[&field("b", r#""int""#)]));
    let why = "invalid: field b is not in the file, and has no default";
    assert_eq!(line(&a, &[], &b), Err(why.to_owned()));
    assert_eq!(line(&a, &[], r#""int""#), Err("invalid: R cannot be read as int".to_owned()));
    assert_eq!(line(r#""int""#, &[], &a), Err("invalid: int cannot be read as R".to_owned()));
}
