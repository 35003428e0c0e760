//! Files of `testdata/reported`, each once read wrongly or not at all, and what is right.

use trevni_convert::{Format, ReadOptions, Source, WriteOptions};
use trevni_testing::data::selected;

/// What a file gives.
enum Answer {
    /// All rows, as JSON.
    Rows(&'static [&'static str]),
    /// How many rows there are, and the sum of their numbers.
    Sum(usize, i64),
    /// The end of the error.
    Error(&'static str),
}

use Answer::{Error, Rows, Sum};

/// Files, the columns that are read, and the answers. Those of containers are what python-blosc2 4.14.1 and
/// bcolz-zipline 1.13.0 read.
const FILES: &[(&str, Option<&str>, Answer)] = &[
    // Delta after a shuffle.
    ("blosc/bitshuffle_delta.b2nd", None, Sum(5000, 18_383_875)),
    (
        "blosc/embed.b2e",
        None,
        Error("unsupported: a frame that holds an EmbedStore of python-blosc2"),
    ),
    ("blosc/empty_by_blosc2.b2nd", None, Rows(&[])),
    (
        "blosc/lazy.b2nd",
        None,
        Error("unsupported: a frame that holds a lazy expression (LazyExpr) of python-blosc2"),
    ),
    ("blosc/list.b2b", None, Error("unsupported: a frame that holds a ListArray of python-blosc2")),
    // A metalayer `caterva` with content of its own: single bytes.
    ("blosc/meta_foreign.b2frame", None, Sum(1000, 0)),
    (
        "blosc/object.b2frame",
        None,
        Error("unsupported: a frame that holds an ObjectArray of python-blosc2"),
    ),
    (
        "blosc/objt",
        None,
        Error("unsupported: dtype \"object\": objects are Python pickles, which are not read"),
    ),
    ("blosc/objt", Some("b"), Rows(&[r#"{"b":1}"#, r#"{"b":2}"#])),
    (
        "blosc/proxy.b2nd",
        None,
        Error("a frame that holds a Proxy of python-blosc2 that lacks 9 of its 10 chunks"),
    ),
    ("blosc/proxy_complete.b2nd", None, Sum(1000, 499_500)),
    (
        "blosc/rec",
        None,
        Rows(&[
            r#"{"f0":0,"f1":0}"#,
            r#"{"f0":1,"f1":1}"#,
            r#"{"f0":2,"f1":4}"#,
            r#"{"f0":3,"f1":9}"#,
            r#"{"f0":4,"f1":16}"#,
            r#"{"f0":5,"f1":25}"#,
            r#"{"f0":6,"f1":36}"#,
            r#"{"f0":7,"f1":49}"#,
            r#"{"f0":8,"f1":64}"#,
            r#"{"f0":9,"f1":81}"#,
        ]),
    ),
    ("blosc/src.b2nd", None, Sum(1000, 499_500)),
    (
        "blosc/tensor.bl2",
        None,
        Error("unsupported: a frame that holds a tensor of python-blosc2 (pack_tensor)"),
    ),
    ("blosc/tree.b2d", None, Error("unsupported: a folder that is a TreeStore of python-blosc2")),
    ("avro/default-1e300.avro", None, Rows(&[r#"{"x":1.5}"#])),
    ("avro/default-int-minus-zero.avro", None, Rows(&[])),
    // An empty line of one column is a null, as DuckDB and polars write it.
    ("rows/C41.csv", None, Rows(&[r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":3}"#])),
    // As Spark writes quotes.
    ("rows/C47.csv", None, Rows(&[r#"{"a":1,"b":"x \"y\" z"}"#, r#"{"a":2,"b":"q"}"#])),
    (
        "rows/C49.csv",
        None,
        Error(
            "line 2: text after a closing quote; --escape names a character before quotes that do not close, --quote none \
             makes quotes text",
        ),
    ),
    // Excel's line `sep=;`.
    ("rows/C81.csv", None, Rows(&[r#"{"a":1,"b":2}"#])),
    // An empty text and a null.
    (
        "rows/C03.csv",
        None,
        Rows(&[
            r#"{"k":1,"s":"","n":5}"#,
            r#"{"k":2,"s":null,"n":null}"#,
            r#"{"k":3,"s":"x","n":7}"#,
        ]),
    ),
    (
        "rows/C10.csv",
        None,
        Error("line 2: 2 fields where 3 are expected; --pad reads missing ones as null"),
    ),
    // Digits that a float64 does not hold.
    ("rows/C15.csv", None, Rows(&[r#"{"v":9007199254740993.0}"#, r#"{"v":0.5}"#])),
    (
        "rows/C19.csv",
        None,
        Rows(&[
            r#"{"v":0.12345678901234567890,"w":123456789012345678901234.5}"#,
            r#"{"v":0.10000000000000000000,"w":2.0}"#,
        ]),
    ),
    ("rows/J02.jsonl", None, Rows(&[r#"{"v":123456789012345678901234567890}"#, r#"{"v":1}"#])),
    ("rows/J03.jsonl", None, Rows(&[r#"{"v":1e400}"#, r#"{"v":2}"#])),
    (
        "rows/J24.jsonl",
        None,
        Rows(&[
            r#"{"v":1.0000000000000000000001}"#,
            r#"{"v":9007199254740993.0}"#,
            r#"{"v":0.1e-400}"#,
        ]),
    ),
    ("rows/J05.jsonl", None, Error("line 1, field \"a\": the name comes twice in an object")),
    (
        "rows/J07.jsonl",
        None,
        Error("line 1, field \"s\": a string has an escape that is half a character: \\ud83d"),
    ),
    // UTF-16 with a byte-order mark, and a JSON text sequence.
    ("rows/J63.json", None, Rows(&[r#"{"a":1}"#])),
    ("rows/J73.jsonl", None, Rows(&[r#"{"a":1}"#, r#"{"a":2}"#])),
    // Types and fields that change after the first thousand rows.
    ("rows/J80.jsonl", Some("late"), Sum(1201, 2)),
    // Values without a type in common are JSON text.
    (
        "rows/depth.jsonl",
        None,
        Rows(&[
            r#"{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}"#,
            r#"{"type":"MultiPolygon","coordinates":[[[[1,2],[3,4]]]]}"#,
        ]),
    ),
    ("rows/scalar_and_list.jsonl", None, Rows(&[r#"{"arcs":[1,2],"n":1}"#, r#"{"arcs":3,"n":2}"#])),
    ("rows/words.json", None, Rows(&[r#"{"json":"a"}"#, r#"{"json":"b"}"#, r#"{"json":"c"}"#])),
    (
        "rows/A18.avro",
        None,
        Error(
            "column \"x\", block 0, offset 191: malformed: row 0: a decimal has more than 4 digits",
        ),
    ),
    ("rows/A23.avro", None, Error("R has two fields \"a\"")),
    (
        "rows/G02.csv.gz",
        None,
        Error(
            "byte 0x67 follows the gzip data, and begins no more of it: the file is damaged, or other bytes were appended",
        ),
    ),
    ("rows/P15_encc.parquet", None, Error("unsupported: parquet: columns that are encrypted")),
    (
        "rows/P44.parquet",
        None,
        Error(
            "column \"s\": malformed: row 1: parquet: encountered non UTF-8 data: invalid utf-8 sequence of 1 bytes from \
             index 4",
        ),
    ),
];

/// Sets an option.
type Set = fn(&mut ReadOptions);

/// Files that need an option, and their rows.
const WITH_OPTIONS: &[(&str, Set, &[&str])] = &[
    ("rows/C42.csv", |options| options.csv.comment = Some(b'#'), &[r#"{"a":1,"b":2}"#]),
    ("rows/C42.csv", |options| options.csv.skip_lines = 2, &[r#"{"a":1,"b":2}"#]),
    (
        "rows/C10.csv",
        |options| options.csv.pad = true,
        &[
            r#"{"a":1,"b":2,"c":null,"column_4":null}"#,
            r#"{"a":3,"b":4,"c":5,"column_4":null}"#,
            r#"{"a":6,"b":7,"c":8,"column_4":9}"#,
        ],
    ),
    (
        "rows/J65.json",
        |options| options.json.rows_at = vec!["features".to_owned()],
        &[
            r#"{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[1.5,2.0]}}"#,
        ],
    ),
    (
        "rows/C15.csv",
        |options| options.lossy = true,
        &[r#"{"v":9.007199254740992e15}"#, r#"{"v":0.5}"#],
    ),
];

#[test]
fn options_read_what_else_is_refused_or_other_rows() {
    for (name, set, expected) in WITH_OPTIONS {
        let mut options = ReadOptions::default();
        set(&mut options);
        let (rows, _) = read_with(name, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(&rows, expected, "{name}");
    }
}

/// Returns the rows as JSON, and the sum of integers.
fn read(name: &str, columns: Option<&str>) -> trevni::Result<(Vec<String>, i64)> {
    let columns = columns.map(|columns| vec![columns.to_owned()]);
    read_with(name, &ReadOptions { columns, ..ReadOptions::default() })
}

fn read_with(name: &str, options: &ReadOptions) -> trevni::Result<(Vec<String>, i64)> {
    let path = selected("reported").join(name);
    let mut source = Source::open(&path)?;
    if !source.is_folder() {
        source = source.decompressed()?;
    }
    let of_path = Format::of_input(&path).filter(|format| matches!(format.name, "csv" | "jsonl"));
    let format = match of_path {
        Some(format) => format,
        None => Format::of_source(&mut source)?.unwrap(),
    };
    let rows = (format.open)(source, options)?;
    let (mut text, mut sum) = (Vec::new(), 0);
    let jsonl = Format::named("jsonl")?;
    let mut lines = (jsonl.create)(&mut text, rows.schema(), &WriteOptions::default())?;
    for batch in rows {
        let batch = batch?;
        for column in batch.columns() {
            let numbers = arrow::compute::cast(column, &arrow::datatypes::DataType::Int64);
            let numbers = numbers.ok().and_then(|numbers| {
                arrow::compute::sum(arrow::array::AsArray::as_primitive::<
                    arrow::datatypes::Int64Type,
                >(&numbers))
            });
            sum += numbers.unwrap_or(0);
        }
        lines.write(&batch)?;
    }
    lines.finish()?;
    let text = String::from_utf8(text).unwrap();
    Ok((text.lines().map(str::to_owned).collect(), sum))
}

#[test]
fn files_give_what_is_right() {
    for (name, columns, answer) in FILES {
        let found = read(name, *columns);
        match (answer, found) {
            (Rows(expected), Ok((rows, _))) => assert_eq!(&rows, expected, "{name}"),
            (Sum(rows, sum), Ok((found, found_sum))) => {
                assert_eq!((found.len(), found_sum), (*rows, *sum), "{name}");
            }
            (Error(text), Err(e)) => assert!(e.to_string().ends_with(text), "{name}: {e}"),
            (_, found) => panic!("{name}: {found:?}"),
        }
    }
}

/// Java's library prints the schema so, and has written the last.
#[test]
fn schemas_of_avro_are_printed_as_in_java() {
    for (name, default) in [
        ("avro/default-1e300.avro", "\"default\":-1.0E300}"),
        ("avro/default-int-minus-zero.avro", "\"default\":0}"),
        ("avro/default-int-minus-zero.java.trv", "\"default\":0}"),
    ] {
        let source = Source::open(selected("reported").join(name)).unwrap();
        let format = Format::of_path(name.as_ref()).unwrap();
        let rows = (format.open)(source, &ReadOptions::default()).unwrap();
        let text = trevni::arrow::schema_to_avro(&rows.schema()).unwrap();
        assert!(text.contains(default), "{name}: {text}");
    }
}

/// Avro has no durations and no times in nanoseconds: they are integers only where that is accepted.
#[test]
fn units_of_time_are_not_lost_in_avro() {
    let open = || {
        let source = Source::open(selected("reported/rows/P11.parquet")).unwrap();
        (Format::named("parquet").unwrap().open)(source, &ReadOptions::default()).unwrap()
    };
    let schema = open().schema();
    let create = |lossy: bool, only: &[usize]| {
        let schema = std::sync::Arc::new(schema.project(only).unwrap());
        let options = WriteOptions { lossy, ..WriteOptions::default() };
        let mut bytes = Vec::new();
        let created = (Format::named("avro").unwrap().create)(&mut bytes, schema, &options);
        created.map(drop).map_err(|e| e.to_string())
    };
    for (column, name, lost) in [(4, "t64", "Time64(ns)"), (6, "dur", "Duration(µs)")] {
        assert_eq!(schema.field(column).name(), name);
        let e = create(false, &[column]).unwrap_err();
        let expected = format!(
            "column {name:?}: unsupported: {lost} would be a number without its unit in Avro: --lossy writes that"
        );
        assert_eq!(e, expected);
        create(true, &[column]).unwrap();
    }
    create(false, &[0, 1, 2, 3, 5]).unwrap();
}

/// What nests deeper than readers accept is refused before anything is written.
#[test]
fn rows_nested_too_deep_are_refused_by_formats_that_nobody_could_read() {
    let path = selected("reported/rows/J40.jsonl");
    let open = Format::of_path(&path).unwrap().open;
    let schema = open(Source::open(&path).unwrap(), &ReadOptions::default()).unwrap().schema();
    for format in ["parquet", "arrow", "arrows", "trv"] {
        let mut bytes = Vec::new();
        let create = Format::named(format).unwrap().create;
        let created = create(&mut bytes, schema.clone(), &WriteOptions::default());
        let e = created.map(drop).unwrap_err().to_string();
        assert!(e.contains("field ") && e.contains("nested more than"), "{format}: {e}");
        assert!(bytes.is_empty(), "{format}");
    }
}

/// Where two delimiters fit, that is said.
#[test]
fn a_delimiter_that_is_ambiguous_is_a_warning() {
    let warnings = |delimiter: Option<u8>| {
        let mut options = ReadOptions::default();
        options.csv.delimiter = delimiter;
        let source = Source::open(selected("reported/rows/C63.csv")).unwrap();
        let rows = (Format::named("csv").unwrap().open)(source, &options).unwrap();
        let names: Vec<_> = rows.schema().fields().iter().map(|f| f.name().clone()).collect();
        rows.for_each(|batch| drop(batch.unwrap()));
        (names, options.report.warnings())
    };
    let expected = "fields are divided at ',', and ';' fits as well: --delimiter names the one";
    assert_eq!(warnings(None).1, [expected]);
    let names = vec!["Preis, EUR".to_owned(), "Menge".to_owned()];
    assert_eq!(warnings(Some(b';')), (names, Vec::new()));
}

/// A table of one column is one when it is read again, whatever is in it.
#[test]
fn one_column_of_csv_comes_back() {
    let read = |format: &str, source: Source| {
        let options = ReadOptions::default();
        let rows = (Format::named(format).unwrap().open)(source, &options).unwrap();
        let (schema, batches) = (rows.schema(), rows.map(Result::unwrap).collect::<Vec<_>>());
        (schema, batches)
    };
    let (schema, batches) =
        read("jsonl", Source::open(selected("reported/rows/J54.jsonl")).unwrap());
    let mut csv = Vec::new();
    let create = Format::named("csv").unwrap().create;
    let options = trevni_convert::WriteOptions::default();
    let mut sink = create(&mut csv, schema.clone(), &options).unwrap();
    batches.iter().for_each(|batch| sink.write(batch).unwrap());
    sink.finish().unwrap();
    assert_eq!(std::str::from_utf8(&csv).unwrap(), "\"n;m\"\n\"x;y\"\n\"z;w\"\n");
    let (found, rows) = read("csv", Source::pipe("csv", std::io::Cursor::new(csv)));
    assert_eq!(found.field(0).name(), "n;m");
    assert_eq!(rows[0].column(0), batches[0].column(0));
}
