//! The printed form of every type: named zones, maps, unions and intervals; and the length of errors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::*;

use super::{code, out, run, run_with, said, str};

/// Writes a table in each of some formats. Returns the paths.
fn files(folder: &Path, columns: Vec<(&str, ArrayRef)>, formats: &[&str]) -> Vec<String> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let arrow = folder.join("x.arrow");
    let file = std::fs::File::create(&arrow).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let made = formats.iter().map(|format| {
        let path = folder.join(format!("x.{format}"));
        if *format != "arrow" {
            out(&["convert", str(&arrow), str(&path)]);
        }
        str(&path).to_owned()
    });
    made.collect()
}

#[test]
fn times_of_named_zones_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let times = |zone: &str| -> ArrayRef {
        let values = vec![Some(1_704_067_200_000_000), None, Some(1_719_792_000_000_000)];
        Arc::new(TimestampMicrosecondArray::from(values).with_timezone(zone))
    };
    let columns = vec![("u", times("UTC")), ("b", times("Europe/Berlin")), ("o", times("+02:00"))];
    for path in files(folder.path(), columns, &["arrow", "arrows", "parquet", "trv"]) {
        let printed = out(&["head", &path]);
        let lines: Vec<_> = printed.lines().collect();
        let first = r#"{"u":"2024-01-01T00:00:00Z","b":"2024-01-01T01:00:00+01:00","o":"2024-01-01T02:00:00+02:00"}"#;
        let last = r#"{"u":"2024-07-01T00:00:00Z","b":"2024-07-01T02:00:00+02:00","o":"2024-07-01T02:00:00+02:00"}"#;
        assert_eq!(lines, [first, r#"{"u":null,"b":null,"o":null}"#, last], "{path}");
        let csv = out(&["head", "--format", "csv", &path]);
        let second = csv.lines().nth(1);
        assert_eq!(
            second,
            Some("2024-01-01T00:00:00Z,2024-01-01T01:00:00+01:00,2024-01-01T02:00:00+02:00")
        );
    }
}

#[test]
fn maps_are_objects_or_arrays_of_key_and_value() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = MapBuilder::new(None, Int32Builder::new(), StringBuilder::new());
    numbers.keys().append_slice(&[1, 2]);
    numbers.values().extend([Some("x"), None]);
    numbers.append(true).unwrap();
    numbers.append(true).unwrap();
    numbers.append(false).unwrap();
    let mut texts = MapBuilder::new(None, StringViewBuilder::new(), Int32Builder::new());
    texts.keys().append_value("a\"b");
    texts.values().append_value(7);
    texts.append(true).unwrap();
    texts.append(false).unwrap();
    texts.append(true).unwrap();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("n", Arc::new(numbers.finish())), ("t", Arc::new(texts.finish()))];
    let expected = concat!(
        r#"{"n":[{"key":1,"value":"x"},{"key":2,"value":null}],"t":{"a\"b":7}}"#,
        "\n",
        r#"{"n":[],"t":null}"#,
        "\n",
        r#"{"n":null,"t":{}}"#,
        "\n"
    );
    for path in files(folder.path(), columns, &["arrow", "parquet", "trv"]) {
        assert_eq!(out(&["cat", &path]), expected, "{path}");
    }
}

#[test]
fn unions_are_objects_of_their_branch_and_intervals_durations() {
    let folder = tempfile::tempdir().unwrap();
    let fields =
        [("int", DataType::Int32), ("text \"x\"", DataType::Utf8), ("null", DataType::Null)];
    let fields = UnionFields::try_new(
        [0, 5, 9],
        fields.map(|(name, data_type)| Field::new(name, data_type, true)),
    )
    .unwrap();
    let children: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None])),
        Arc::new(StringArray::from(vec!["y"])),
        Arc::new(NullArray::new(1)),
    ];
    let union = UnionArray::try_new(
        fields,
        ScalarBuffer::from(vec![0, 5, 9, 0]),
        Some(ScalarBuffer::from(vec![0, 0, 0, 1])),
        children,
    );
    let intervals = IntervalMonthDayNanoArray::from(vec![
        Some(IntervalMonthDayNano::new(14, -3, 500_000_000)),
        None,
        Some(IntervalMonthDayNano::new(0, 0, 0)),
        Some(IntervalMonthDayNano::new(0, 1, 0)),
    ]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("u", Arc::new(union.unwrap())), ("i", Arc::new(intervals))];
    let expected = concat!(
        r#"{"u":{"int":1},"i":"P14M-3DT0.5S"}"#,
        "\n",
        r#"{"u":{"text \"x\"":"y"},"i":null}"#,
        "\n",
        r#"{"u":null,"i":"PT0S"}"#,
        "\n",
        r#"{"u":null,"i":"P1D"}"#,
        "\n"
    );
    for path in files(folder.path(), columns, &["arrow", "arrows", "trv"]) {
        assert_eq!(out(&["cat", &path]), expected, "{path}");
    }
}

#[test]
fn times_out_of_range_are_integers() {
    let folder = tempfile::tempdir().unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", Arc::new(Time32SecondArray::from(vec![Some(86_399), Some(86_400), None]))),
        ("d", Arc::new(Date32Array::from(vec![0, i32::MAX, i32::MIN]))),
        ("s", Arc::new(TimestampSecondArray::from(vec![i64::MIN, 0, 1]).with_timezone("UTC"))),
        ("p", Arc::new(DurationSecondArray::from(vec![i64::MAX, 1, -1]))),
        ("n", Arc::new(TimestampNanosecondArray::from(vec![i64::MIN, i64::MAX, 0]))),
    ];
    let paths = files(folder.path(), columns, &["arrow"]);
    let expected = concat!(
        r#"{"t":"23:59:59","d":"1970-01-01","s":-9223372036854775808,"p":9223372036854775807,"n":"1677-09-21T00:12:43.145224192"}"#,
        "\n",
        r#"{"t":86400,"d":2147483647,"s":"1970-01-01T00:00:00Z","p":"PT1S","n":"2262-04-11T23:47:16.854775807"}"#,
        "\n",
        r#"{"t":null,"d":-2147483648,"s":"1970-01-01T00:00:01Z","p":"-PT1S","n":"1970-01-01T00:00:00"}"#,
        "\n"
    );
    assert_eq!(out(&["cat", &paths[0]]), expected);
    let csv = out(&["cat", "--format", "csv", &paths[0]]);
    let lines: Vec<_> = csv.lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            "86400,2147483647,1970-01-01T00:00:00Z,PT1S,2262-04-11T23:47:16.854775807",
            ",-2147483648,1970-01-01T00:00:01Z,-PT1S,1970-01-01T00:00:00"
        ]
    );
}

/// Extensions of other projects' row files, and their `--from`.
const KINDS: [(&str, &[&str]); 7] = [
    ("parquet", &[]),
    ("arrow_file", &["--from", "arrow"]),
    ("stream", &["--from", "arrows"]),
    ("avro", &[]),
    ("csv", &[]),
    ("feather", &[]),
    ("jsonl", &[]),
];

fn data_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            data_files(&path, into);
        } else {
            into.push(path);
        }
    }
}

/// Every file of Apache's test data of which the schema can be read can be printed and counted.
#[test]
fn what_has_a_schema_can_be_printed() {
    let (mut paths, mut seen, mut wrong) = (Vec::new(), 0, Vec::new());
    for folder in ["parquet-testing", "arrow-testing"] {
        if let Some(folder) = trevni_testing::data::corpus(folder) {
            data_files(&folder, &mut paths);
        }
    }
    for path in &paths {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let Some((_, from)) = KINDS.iter().find(|(kind, _)| *kind == extension) else { continue };
        let run = |command: &[&str]| run(&[command, from, &[str(path)]].concat());
        if code(&run(&["schema"])) != 0 {
            continue;
        }
        seen += 1;
        for command in [
            &["head"][..],
            &["cat"],
            &["count"],
            &["describe"],
            &["tail", "--format", "table"],
            &["head", "--format", "csv"],
        ] {
            let output = run(command);
            let is_nested = said(&output).ends_with("is nested, which CSV cannot hold\n");
            if code(&output) != 0 && !is_nested {
                wrong.push(format!("{command:?}: {}", said(&output)));
            }
            let text = String::from_utf8_lossy(&output.stdout);
            if text.contains("ERROR: ") || text.contains("<invalid>") {
                wrong.push(format!("{command:?} {}: a value is an error", path.display()));
            }
        }
    }
    assert!(wrong.is_empty() && (seen > 60 || paths.is_empty()), "{seen}: {wrong:#?}");
}

#[test]
fn no_error_is_longer_than_a_thousand_characters() {
    let long = format!("[{}", "{\"ä\":1},".repeat(100_000));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.json");
    std::fs::write(&path, &long).unwrap();
    let name = "y".repeat(5000);
    for output in [
        run(&["cat", str(&path)]),
        run(&["convert", str(&path), str(&folder.path().join("x.trv"))]),
        run_with(&["cat", "-", "--from", "jsonl"], format!("{{\"a\":{}", long).as_bytes()),
        run_with(&["cat", "-", "--from", "csv", "--columns", "q"], long.as_bytes()),
        run(&["cat", "--columns", &name, str(&path)]),
        run(&["cat", &name]),
    ] {
        let said = said(&output);
        assert!(matches!(code(&output), 1 | 2) && said.starts_with("error: "), "{said}");
        assert!(said.chars().count() <= 1000, "{} characters", said.chars().count());
    }
}
