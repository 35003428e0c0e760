//! `convert`, `cat` and `schema`: rows from every format to every other.

use serde_json::Value as Json;

use super::{code, out, rows_file, run, run_with, said, str};

const WAYS: [&str; 4] = ["trv", "arrow", "arrows", "jsonl"];

/// From one format to the next and back: the text at the end is the text at the start.
#[test]
fn rows_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["parcels.csv", "visits.jsonl"] {
        let from = rows_file(name);
        let text = out(&["cat", str(&from)]);
        let schema = folder.path().join(format!("{name}.schema"));
        std::fs::write(&schema, out(&["schema", "--format", "json", str(&from)])).unwrap();
        for first in WAYS {
            let one = folder.path().join(format!("{name}.1.{first}"));
            out(&["convert", str(&from), str(&one)]);
            for second in WAYS {
                let two = folder.path().join(format!("{name}.{first}.{second}"));
                // JSON has no dates and times, so the schema is given.
                let given = ["--schema", str(&schema)];
                let given = if first == "jsonl" { &given[..] } else { &[] };
                out(&[&["convert", str(&one), str(&two)], given].concat());
                let given = ["--schema", str(&schema)];
                let given = if second == "jsonl" { &given[..] } else { &[] };
                let again = out(&[&["cat", str(&two)], given].concat());
                assert!(again == text, "{name} by {first} and {second}");
            }
        }
    }
}

#[test]
fn csv_comes_back_as_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("parcels.csv");
    for way in WAYS {
        let between = folder.path().join(format!("x.{way}"));
        out(&["convert", str(&from), str(&between)]);
        let again = out(&["convert", str(&between), "-", "--to", "csv"]);
        assert!(again == std::fs::read_to_string(&from).unwrap(), "{way}");
    }
}

/// The number of threads does not change the bytes; declared types are kept if requested.
#[test]
fn threads_and_sampling_are_settable() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("quakes.csv");
    let to = folder.path().join("quakes.trv");
    let made = |options: &[&str]| {
        out(&[&["convert", str(&from), str(&to), "--force"], options].concat());
        std::fs::read(&to).unwrap()
    };
    let one = made(&["--threads", "1"]);
    assert!(one == made(&["--threads", "3"]) && one == made(&[]));
    let names_no_codec =
        |file: &[u8]| file.windows(12).filter(|w| w == b"trevni.codec").count() == 1;
    assert!(!names_no_codec(&one), "some column is better without a codec");
    assert!(names_no_codec(&made(&["--no-sampling"])));
    let csv = folder.path().join("quakes.csv");
    assert_eq!(code(&run(&["convert", str(&from), str(&csv), "--threads", "2"])), 2);
}

#[test]
fn pipes_are_sniffed_and_converted() {
    let from = std::fs::read(rows_file("visits.jsonl")).unwrap();
    let text = out(&["cat", str(&rows_file("visits.jsonl"))]);
    for way in WAYS {
        let there = run_with(&["convert", "-", "-", "--to", way], &from);
        assert_eq!(code(&there), 0, "{}", said(&there));
        assert_eq!(said(&there).lines().count(), 1, "one line at the end: {}", said(&there));
        assert!(said(&there).starts_with("200 rows, 6 columns, "), "{}", said(&there));
        let back = run_with(&["cat", "-"], &there.stdout);
        assert_eq!(code(&back), 0, "{way}: {}", said(&back));
        assert!(back.stdout == text.as_bytes(), "{way}");
    }
}

#[test]
fn rows_and_columns_are_chosen_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("visits.jsonl");
    let chosen = ["--columns", "visit,user.name,pages.path", "--rows", "150..153"];
    let text = out(&[&["cat", str(&from)][..], &chosen].concat());
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["visit"], 1051);
    assert_eq!(lines[0].as_object().unwrap().len(), 3);
    for way in WAYS {
        let path = folder.path().join(format!("x.{way}"));
        out(&["convert", str(&from), str(&path)]);
        assert_eq!(out(&[&["cat", str(&path)][..], &chosen].concat()), text, "{way}");
        assert_eq!(out(&["head", str(&path)]).lines().count(), 10);
        let two = out(&["head", "-n", "2", str(&path), "--rows", "199.."]);
        assert_eq!(two.lines().count(), 1);
        let output = run(&["cat", str(&path), "--columns", "nobody"]);
        assert_eq!(code(&output), 2, "{way}");
        assert!(said(&output).contains("nobody"), "{}", said(&output));
    }
}

#[test]
fn rows_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("x.arrow");
    let convert = |from: &str, input: &str| {
        let output = run_with(
            &["convert", "-", str(&to), "--from", from, "--infer-rows", "2"],
            input.as_bytes(),
        );
        assert_eq!(code(&output), 1);
        assert!(!to.exists());
        said(&output)
    };
    // The quoted field holds an end of line, so the fourth record begins on line 6.
    let text = convert("csv", "a,b\n1,x\n2,\"y\nz\"\n3,z\nfour,z\n");
    assert!(text.contains("line 6, column \"a\"") && text.contains("--infer-rows"), "{text}");
    let text = convert("jsonl", "{\"a\":1}\n{\"a\":2}\n\n{\"a\":\"x\"}\n");
    assert!(text.contains("line 4") && text.contains("--schema"), "{text}");
    let text = convert("jsonl", "{\"a\":1}\n{\"a\":2}\n{\"a\":3,\"late\":0}\n");
    assert!(text.contains("line 3") && text.contains("late"), "{text}");
}

#[test]
fn csv_refuses_nested_columns_by_name() {
    let output = run(&["cat", "--format", "csv", str(&rows_file("visits.jsonl"))]);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("\"user\""), "{}", said(&output));
}

#[test]
fn schemas_are_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("parcels.csv");
    let lines = out(&["schema", str(&from)]);
    assert!(lines.starts_with("id: Int64\nordered: Date32\n"), "{lines}");
    let schema = folder.path().join("s.json");
    let text = out(&["schema", "--format", "json", str(&from)]);
    std::fs::write(&schema, text.replacen("\"Int64\"", "\"Utf8\"", 1)).unwrap();
    let row = out(&["head", "-n1", str(&from), "--schema", str(&schema)]);
    assert!(row.starts_with("{\"id\":\"1000\","), "{row}");
    let output = run(&["cat", str(&rows_file("visits.jsonl")), "--schema", str(&from)]);
    assert_eq!(code(&output), 1);
}

/// Each batch has its own dictionary; an IPC file can have only one.
#[test]
fn dictionaries_that_change_go_to_streams() {
    use arrow::array::{ArrayRef, DictionaryArray, RecordBatch};
    use arrow::datatypes::Int8Type;
    let batch = |words: [&str; 3]| {
        let words: DictionaryArray<Int8Type> = words.into_iter().collect();
        RecordBatch::try_from_iter([("w", std::sync::Arc::new(words) as ArrayRef)]).unwrap()
    };
    let (one, two) = (batch(["a", "b", "a"]), batch(["c", "a", "c"]));
    let mut stream = arrow::ipc::writer::StreamWriter::try_new(Vec::new(), &one.schema()).unwrap();
    stream.write(&one).unwrap();
    stream.write(&two).unwrap();
    let stream = stream.into_inner().unwrap();
    let expected = "{\"w\":\"a\"}\n{\"w\":\"b\"}\n{\"w\":\"a\"}\n{\"w\":\"c\"}\n{\"w\":\"a\"}\n{\"w\":\"c\"}\n";
    for way in ["arrows", "trv"] {
        let there = run_with(&["convert", "-", "-", "--to", way], &stream);
        assert_eq!(code(&there), 0, "{way}: {}", said(&there));
        let back = run_with(&["cat", "-"], &there.stdout);
        assert_eq!(String::from_utf8(back.stdout).unwrap(), expected, "{way}");
    }
    let refused = run_with(&["convert", "-", "-", "--to", "arrow"], &stream);
    assert_eq!(code(&refused), 1);
    assert!(said(&refused).contains("stream (arrows)"), "{}", said(&refused));
}

#[test]
fn every_setting_of_the_writer_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let from = rows_file("parcels.csv");
    let text = out(&["cat", str(&from)]);
    for layout in ["split", "avro"] {
        for codec in ["null", "deflate", "snappy", "bzip2", "zstd", "lz4"] {
            for checksum in ["crc32", "null"] {
                let to = folder.path().join(format!("{layout}.{codec}.{checksum}.trv"));
                let settings = ["--layout", layout, "--codec", codec, "--checksum", checksum];
                let sizes = ["--block-size", "1k", "--memory-budget", "4k"];
                out(&[&["convert", str(&from), str(&to)][..], &settings, &sizes].concat());
                assert!(out(&["cat", str(&to)]) == text, "{layout} {codec} {checksum}");
                let described = out(&["layout", str(&to)]);
                assert!(described.contains(&format!("codec {codec}, checksum {checksum}")));
                let seen = out(&["verify", str(&to)]);
                assert_eq!(seen.contains("not verified"), checksum == "null", "{seen}");
                let tojson = out(&["tojson", str(&to)]);
                assert_eq!(tojson.lines().count(), 200);
            }
        }
        let avro = out(&["schema", "--format", "avro", str(&from)]);
        assert!(serde_json::from_str::<Json>(&avro).unwrap()["fields"].is_array());
    }
}

/// An Avro schema gives the types of a text file.
#[test]
fn avro_schemas_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, rows) = (folder.path().join("s.avsc"), folder.path().join("rows.csv"));
    let avro = r#"{"type":"record","name":"R","fields":[{"name":"id","type":"int"},
        {"name":"name","type":["null","string"]}]}"#;
    std::fs::write(&schema, avro).unwrap();
    std::fs::write(&rows, "id,name\n1,a\n2,\n").unwrap();
    let trv = folder.path().join("rows.trv");
    let schema = ["--schema", str(&schema), "--layout", "avro"];
    out(&[&["convert", str(&rows), str(&trv)], &schema[..]].concat());
    let printed = out(&["tojson", str(&trv)]);
    let expected = r#"{"id":1,"name/string":["a"]} {"id":2,"name/string":[]}"#;
    assert_eq!(printed.lines().collect::<Vec<_>>().join(" "), expected);
}
