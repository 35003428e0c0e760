//! `concat`, `rewrite` and `random`.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::{code, out, rows_file, run, said, str};
use trevni_testing::data::{reference_files, stem};

fn made(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let to = folder.join(name);
    out(&[&["convert", str(&rows_file("quakes.csv")), str(&to)], options].concat());
    to
}

fn stderr_of(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(code(&output), 0, "{args:?}: {}", said(&output));
    said(&output)
}

/// Returns the output of `layout` for the blocks of a file.
fn layout(path: &Path) -> Json {
    serde_json::from_str(&out(&["layout", "--json", str(path)])).unwrap()
}

#[test]
fn blocks_are_copied_where_settings_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (a, to) = (made(folder.path(), "a.trv", &[]), folder.path().join("to.trv"));
    let text = stderr_of(&["concat", str(&to), str(&a), str(&a), str(&a)]);
    assert!(
        text.starts_with("1200 rows of 3 files, ") && text.ends_with(": blocks copied\n"),
        "{text}"
    );
    let rows = out(&["cat", str(&a)]);
    assert_eq!(out(&["cat", str(&to)]), rows.repeat(3));
    assert!(out(&["verify", str(&to)]).contains(": ok: 1200 rows"));
    let sizes = |path: &Path| -> Vec<Json> {
        let columns = layout(path)["columns"].as_array().unwrap().clone();
        columns.iter().map(|c| c["blocks"][0]["compressedSize"].clone()).collect()
    };
    // The very blocks, not new ones of more rows.
    assert_eq!(sizes(&a), sizes(&to));
    let output = run(&["concat", str(&to), str(&a)]);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("exists; --force replaces it"), "{}", said(&output));
}

#[test]
fn rows_are_written_anew_where_settings_differ() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) =
        (made(folder.path(), "a.trv", &[]), made(folder.path(), "b.trv", &["--codec", "deflate"]));
    let to = folder.path().join("to.trv");
    let text = stderr_of(&["concat", str(&to), str(&a), str(&b)]);
    assert!(
        text.contains(": rows rewritten, because the files differ: column \"id#value\": codec "),
        "{text}"
    );
    assert_eq!(out(&["cat", str(&to)]), out(&["cat", str(&a)]).repeat(2));
    // Another schema cannot follow.
    let other = folder.path().join("other.trv");
    out(&["convert", str(&rows_file("parcels.csv")), str(&other)]);
    let output = run(&["concat", str(&to), "--force", str(&a), str(&other)]);
    assert_eq!(code(&output), 1);
    let expected = format!("error: {} cannot follow: ARROW:schema is another\n", other.display());
    assert_eq!(said(&output), expected);
    // The old content is still there.
    assert!(out(&["count", str(&to)]).starts_with("800"));
}

/// Every reference file twice is every reference file's rows twice.
#[test]
fn reference_files_follow_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("to.trv");
    let mut seen = 0;
    for path in reference_files().iter().filter(|path| stem(path).starts_with("nested-")) {
        out(&["concat", "--force", str(&to), str(path), str(path)]);
        assert_eq!(out(&["tojson", str(&to)]), out(&["tojson", str(path)]).repeat(2));
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn rewriting_changes_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let a = made(folder.path(), "a.trv", &[]);
    let rows = out(&["cat", str(&a)]);
    let to = folder.path().join("to.trv");
    let rewrite = |options: &[&str]| {
        out(&[&["rewrite", "--force", str(&a), str(&to)], options].concat());
        assert!(out(&["verify", str(&to)]).contains(": ok: "), "{options:?}");
        layout(&to)["columns"].as_array().unwrap().clone()
    };
    for codec in ["null", "deflate", "bzip2", "zstd", "lz4", "pack", "pack+zstd"] {
        let columns = rewrite(&["--codec", codec]);
        assert!(columns.iter().any(|column| column["codec"] == codec), "{codec}: {columns:?}");
        assert_eq!(out(&["cat", str(&to)]), rows, "{codec}");
    }
    let columns = rewrite(&["--checksum", "null"]);
    assert!(columns.iter().all(|column| column["checksum"] == "null"), "{columns:?}");
    let columns = rewrite(&["--layout", "avro", "--no-sampling"]);
    assert_eq!(columns[0]["name"], "id/long");
    assert_eq!(out(&["cat", str(&to)]), rows);
    rewrite(&["--columns", "place,time"]);
    assert_eq!(out(&["cat", str(&to), "--format", "csv"]).lines().next(), Some("place,time"));
    assert_eq!(
        out(&["cat", str(&to), "--columns", "time"]),
        out(&["cat", str(&a), "--columns", "time"])
    );
    rewrite(&["--drop", "id,time,latitude,longitude,depth_km,magnitude,magnitude_type,felt"]);
    assert_eq!(out(&["cat", str(&to), "--format", "csv"]).lines().next(), Some("reviewed,place"));
    let output = run(&["rewrite", "--force", str(&a), str(&to), "--drop", "nobody"]);
    assert_eq!(code(&output), 2);
    assert!(said(&output).starts_with("error: no column \"nobody\": there are id, time,"));
}

/// Files without a schema keep their columns, also those whose names have no Arrow.
#[test]
fn reference_files_are_rewritten_column_by_column() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("to.trv");
    for path in reference_files().iter().filter(|path| stem(path) == "nested-3") {
        out(&["rewrite", str(path), str(&to), "--codec", "deflate", "--checksum", "crc32"]);
        assert_eq!(out(&["tojson", str(&to)]), out(&["tojson", str(path)]));
        out(&["rewrite", "--force", str(path), str(&to), "--drop", "id"]);
        let text = out(&["tojson", str(&to)]);
        assert!(text.starts_with("{\"p\":") && !text.contains("\"id\""), "{text}");
    }
}

#[test]
fn random_rows_are_the_same_for_the_same_seed() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, out(&["schema", "--format", "json", str(&rows_file("visits.jsonl"))]))
        .unwrap();
    let made = |name: &str, options: &[&str]| {
        let to = folder.path().join(name);
        out(&[&["random", str(&schema), "500", str(&to)], options].concat());
        to
    };
    let (a, b, c) = (made("a.trv", &[]), made("b.parquet", &[]), made("c.trv", &["--seed", "1"]));
    let columns = out(&["diff", str(&a), str(&b)]);
    assert!(columns.starts_with("equal: 500 rows"), "{columns}");
    assert_eq!(code(&run(&["diff", str(&a), str(&c)])), 1);
    let output = run(&["random", str(&schema), "5", "-", "--to", "jsonl"]);
    assert_eq!(output.stdout.split(|b| *b == b'\n').count(), 6);
}
