//! The command, run as people run it.

mod tree;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

use self::tree::tree;
use crate::testdata::{REFUSED, meta, reference_files, stem};

/// Runs the command with `input` at its standard input.
fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trevni"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    // A command that refuses its arguments does not read: then the pipe breaks, and rightly.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

fn run(args: &[&str]) -> Output {
    run_with(args, b"")
}

/// Standard output of a run that must go well.
fn out(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(code(&output), 0, "{args:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn str(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn rows_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rows").join(name)
}

fn a_reference_file(name: &str) -> Option<PathBuf> {
    reference_files().into_iter().find(|path| stem(path) == name)
}

#[test]
fn tojson_prints_what_the_reference_prints() {
    let mut seen = 0;
    for path in reference_files() {
        let name = stem(&path);
        if REFUSED.contains(&name) {
            let output = run(&["tojson", str(&path)]);
            assert_eq!(code(&output), 1, "{name}");
            assert!(said(&output).starts_with(&format!("error: {}: ", path.display())), "{name}");
            continue;
        }
        let Ok(expected) = std::fs::read_to_string(path.with_extension("json")) else { continue };
        let types = meta(&path);
        let of = |name: &str| {
            types["columns"].as_array().unwrap().iter().any(|c| c["type"].as_str() == Some(name))
        };
        // A file that has both is compared both ways; a float's text need only give the same float.
        let both = of("float") && of("double");
        let widths: &[bool] = if both || !of("float") { &[false] } else { &[true] };
        let ours = out(&["tojson", str(&path)]);
        let lines = |text: &str| {
            text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let (expected, ours) = (lines(&expected), lines(&ours));
        assert_eq!(expected.len(), ours.len(), "{name}");
        for (expected, ours) in expected.iter().zip(&ours) {
            for single in widths {
                let (e, o) = (tree(expected, *single), tree(ours, *single));
                assert!(
                    e == o || (both && tree(expected, true) == tree(ours, true)),
                    "{name}: {expected}\n{ours}"
                );
            }
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn tojson_pretty_is_the_same_rows() {
    for path in reference_files() {
        if REFUSED.contains(&stem(&path)) || meta(&path)["rowCount"].as_u64() > Some(200) {
            continue;
        }
        let rows = |args: &[&str]| -> Vec<Json> {
            let text = out(args);
            serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
        };
        let pretty = rows(&["tojson", "--pretty", str(&path)]);
        assert_eq!(pretty, rows(&["tojson", str(&path)]), "{}", stem(&path));
    }
}

#[test]
fn meta_prints_all_pairs_in_order() {
    for path in reference_files() {
        let expected = meta(&path);
        if REFUSED.contains(&stem(&path)) && expected.get("metadata").is_none() {
            continue;
        }
        let output = run(&["meta", str(&path)]);
        if stem(&path).starts_with("syn-magic-") && code(&output) == 1 {
            assert!(REFUSED.contains(&stem(&path)));
            continue;
        }
        let ours: Json = serde_json::from_slice(&output.stdout).unwrap();
        let keys: Vec<_> = ours.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["rowCount", "columnCount", "metadata", "columns"]);
        assert_eq!(ours["rowCount"], expected["rowCount"]);
        assert_eq!(ours["columnCount"], expected["columnCount"]);
        check_pairs(&ours["metadata"], &expected["metadata"]);
        let columns = expected["columns"].as_array().unwrap();
        assert_eq!(ours["columns"].as_array().unwrap().len(), columns.len());
        for (ours, expected) in ours["columns"].as_array().unwrap().iter().zip(columns) {
            check_pairs(ours, &expected["metadata"]);
        }
        let pretty: Json = serde_json::from_str(&out(&["meta", "--pretty", str(&path)])).unwrap();
        assert_eq!(pretty, ours);
    }
}

fn check_pairs(ours: &Json, expected: &Json) {
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    let ours = ours.as_object().unwrap().iter().map(|(k, v)| (k.clone(), text(v)));
    let expected = expected.as_array().unwrap().iter();
    let expected = expected.map(|pair| (text(&pair["key"]), text(&pair["value_latin1"])));
    assert!(ours.eq(expected));
}

#[test]
fn layout_size_and_count_agree_with_the_companions() {
    for path in reference_files() {
        if REFUSED.contains(&stem(&path)) {
            continue;
        }
        let expected = meta(&path);
        let layout: Json = serde_json::from_str(&out(&["layout", "--json", str(&path)])).unwrap();
        let columns = expected["columns"].as_array().unwrap();
        for (ours, expected) in layout["columns"].as_array().unwrap().iter().zip(columns) {
            assert_eq!(ours["name"], expected["name"]);
            assert_eq!(ours["start"], expected["start"]);
            let blocks = ours["blocks"].as_array().unwrap();
            assert_eq!(blocks.len(), expected["blocks"].as_array().unwrap().len());
            for (ours, expected) in blocks.iter().zip(expected["blocks"].as_array().unwrap()) {
                assert_eq!(ours["offset"], expected["offset"]);
                assert_eq!(ours["rows"], expected["rowCount"]);
                assert_eq!(ours["compressedSize"], expected["compressedSize"]);
            }
        }
        let size: Json = serde_json::from_str(&out(&["size", "--json", str(&path)])).unwrap();
        for (ours, expected) in size["columns"].as_array().unwrap().iter().zip(columns) {
            let whole = expected["end"].as_u64().unwrap() - expected["start"].as_u64().unwrap();
            assert_eq!(ours["bytes"].as_u64(), Some(whole), "{}", stem(&path));
        }
        assert_eq!(out(&["count", str(&path)]), format!("{}\n", expected["rowCount"]));
        assert!(out(&["layout", str(&path)]).starts_with(str(&path)));
        assert!(out(&["size", str(&path)]).contains("(file)"));
    }
}

#[test]
fn verify_names_column_block_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    let name = "multiblock-mixed";
    let Some(path) = a_reference_file(name) else { return };
    let output = run(&["verify", str(&path)]);
    assert_eq!(code(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(": ok: 150 rows") && !text.contains("not proved"), "{text}");

    let block = &meta(&path)["columns"][2]["blocks"][1];
    let offset = block["offset"].as_u64().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[offset as usize + block["compressedSize"].as_u64().unwrap() as usize] ^= 1;
    let bad = folder.path().join("bad.trv");
    std::fs::write(&bad, bytes).unwrap();
    let output = run(&["verify", str(&path), str(&bad), "no such file"]);
    assert_eq!(code(&output), 1);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let place = format!("column \"p#s\", block 1, offset {offset}: checksum mismatch");
    assert!(text.contains(&place), "{text}");
    assert!(text.contains("FAULTY") && text.contains(": ok: "), "{text}");
    assert!(said(&output).contains("no such file"));
}

#[test]
fn verify_says_what_was_not_proved() {
    for path in reference_files() {
        if stem(&path).ends_with("crc32-zero") || stem(&path) == "arrays-null" {
            let text = out(&["verify", str(&path)]);
            assert!(text.contains("without a checksum: read, but not proved"), "{text}");
        }
    }
}

#[test]
fn usage_errors_are_2_and_missing_files_1() {
    for args in [
        &["tojson"][..],
        &["no-such-command"],
        &["cat", "--rows", "5..3", "x"],
        &["convert", "a.csv", "b.unknown"],
        &["convert", "a.csv", "b.trv", "--codec", "gzip"],
        &["convert", "a.csv", "b.jsonl", "--codec", "snappy"],
        &["convert", "a.csv", "b.trv", "--from", "xls"],
    ] {
        let output = run(args);
        assert_eq!(code(&output), 2, "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    for command in ["tojson", "meta", "count", "layout", "size", "verify", "schema", "cat", "head"]
    {
        let output = run(&[command, "/no/such/file.trv"]);
        assert_eq!(code(&output), 1, "{command}");
        assert!(said(&output).contains("/no/such/file.trv"), "{}", said(&output));
    }
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let big = rows_file("parcels.csv");
    let rows = std::fs::read_to_string(&big).unwrap();
    let (head, body) = rows.split_once('\n').unwrap();
    let many = format!("{head}\n{}", body.repeat(100));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.csv");
    std::fs::write(&path, many).unwrap();
    for args in [&["cat", str(&path)][..], &["convert", str(&path), "-", "--to", "arrows"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trevni"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 0, "{args:?}");
        assert_eq!(said(&output), "");
    }
}

#[test]
fn files_are_replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("out.arrow");
    std::fs::write(&to, "mine").unwrap();
    let from = rows_file("parcels.csv");
    let output = run(&["convert", str(&from), str(&to)]);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("--force"), "{}", said(&output));
    assert_eq!(std::fs::read(&to).unwrap(), b"mine");
    out(&["convert", str(&from), str(&to), "--force"]);
    assert_ne!(std::fs::read(&to).unwrap(), b"mine");
    // What fails leaves nothing behind.
    let output = run(&["convert", "/no/such/file.csv", str(&folder.path().join("new.arrow"))]);
    assert_eq!(code(&output), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

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
                // JSON has no dates and times of its own: there the schema says.
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
        assert_eq!(code(&output), 1, "{way}");
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
    assert!(text.contains("line 6 (a)") && text.contains("--infer-rows"), "{text}");
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

/// Each batch brings a dictionary of its own; an IPC file can hold only one.
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
                assert_eq!(seen.contains("not proved"), checksum == "null", "{seen}");
                let tojson = out(&["tojson", str(&to)]);
                assert_eq!(tojson.lines().count(), 200);
            }
        }
        let avro = out(&["schema", "--format", "avro", str(&from)]);
        assert!(serde_json::from_str::<Json>(&avro).unwrap()["fields"].is_array());
    }
}
