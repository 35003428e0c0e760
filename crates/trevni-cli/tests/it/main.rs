//! The command, run as people run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::cast_possible_truncation, missing_docs, unreachable_pub)]

mod bad_files;
mod bad_rows;
mod bench;
#[cfg(all(feature = "blosc", feature = "parquet"))]
mod blosc;
mod column_names;
mod concat_rewrite_random;
mod convert;
mod csv;
mod damaged_files;
mod dataset;
mod describe;
mod diff;
#[cfg(all(
    unix,
    feature = "sql",
    feature = "blosc",
    feature = "parquet",
    feature = "protobuf",
    feature = "thrift",
    feature = "avro"
))]
mod documents;
#[cfg(unix)]
mod inputs;
mod json;
mod json_tree;
mod other_writers;
#[cfg(unix)]
mod outputs;
#[cfg(feature = "aws")]
mod panics;
mod print;
mod reference;
#[cfg(unix)]
mod signals;
#[cfg(feature = "sql")]
mod sql;
mod tables;
mod trevni_files;
mod urls;
mod vacuum;
mod verify;
mod view;
mod where_filter;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

use crate::json_tree::tree;
use trevni_testing::data::{REFUSED, meta, reference_files, stem};

/// Runs the command with `input` at its standard input.
fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trevni"))
        .current_dir(trevni_testing::data::workspace())
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

/// Returns the standard output of a run that must succeed.
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
    trevni_testing::data::selected("rows").join(name)
}

/// Returns the last block of a column that has a checksum and a codec, in the file where it has the most blocks.
fn a_block_with_checksum() -> (PathBuf, Json, usize) {
    let mut found = Vec::new();
    for path in reference_files().into_iter().filter(|path| !REFUSED.contains(&stem(path))) {
        for column in meta(&path)["columns"].as_array().unwrap() {
            let blocks = column["blocks"].as_array().unwrap().len();
            if column["effectiveChecksum"] == "crc32" && column["effectiveCodec"] != "null" {
                found.push((path.clone(), column.clone(), blocks));
            }
        }
    }
    let (path, column, blocks) = found.into_iter().max_by_key(|(_, _, blocks)| *blocks).unwrap();
    (path, column, blocks.checked_sub(1).expect("a block"))
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
        let singles = float_members(&meta(&path));
        let ours = out(&["tojson", str(&path)]);
        let lines = |text: &str| {
            text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let (expected, ours) = (lines(&expected), lines(&ours));
        assert_eq!(expected.len(), ours.len(), "{name}");
        for (expected, ours) in expected.iter().zip(&ours) {
            let same = tree(expected, &singles) == tree(ours, &singles);
            assert!(same, "{name}: {expected}\n{ours}");
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

/// Returns the names of single-precision members: their text need only parse to the same float.
fn float_members(meta: &Json) -> Vec<String> {
    let columns = meta["columns"].as_array().unwrap().iter();
    let floats = columns.filter(|c| c["type"].as_str().unwrap().eq_ignore_ascii_case("float"));
    floats
        .map(|column| {
            let name = column["name"].as_str().unwrap();
            let parent = column["parent"].as_str().unwrap_or("");
            let short = name.strip_prefix(parent).unwrap_or(name);
            short.strip_prefix(|c: char| !c.is_alphanumeric()).unwrap_or(short).to_owned()
        })
        .collect()
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
    let (path, column, i) = a_block_with_checksum();
    let output = run(&["verify", str(&path)]);
    assert_eq!(code(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(": ok: "), "{text}");

    let block = &column["blocks"][i];
    let offset = block["offset"].as_u64().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[offset as usize + block["compressedSize"].as_u64().unwrap() as usize] ^= 1;
    let bad = folder.path().join("bad.trv");
    std::fs::write(&bad, bytes).unwrap();
    let output = run(&["verify", str(&path), str(&bad), "no such file"]);
    assert_eq!(code(&output), 1);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let name = column["name"].as_str().unwrap();
    let place = format!("column {name:?}, block {i}, offset {offset}: checksum mismatch");
    assert!(text.contains(&place), "{text}");
    assert!(text.contains("FAULTY") && text.contains(": ok: "), "{text}");
    assert!(said(&output).contains("no such file"));
}

#[test]
fn verify_says_what_was_not_proved() {
    for path in reference_files() {
        if stem(&path).ends_with("crc32-zero") || stem(&path) == "arrays-null" {
            let text = out(&["verify", str(&path)]);
            assert!(text.contains("without a checksum: decoded, but not verified"), "{text}");
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
            .current_dir(trevni_testing::data::workspace())
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
    // A failed command leaves nothing behind.
    let output = run(&["convert", "/no/such/file.csv", str(&folder.path().join("new.arrow"))]);
    assert_eq!(code(&output), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
