//! The commands that look into Trevni files, on data sets, folders and patterns.

use super::dataset::{lines, places};
use super::*;

fn json(args: &[&str]) -> Json {
    serde_json::from_str(&out(args)).unwrap()
}

/// A data set of some files, in folders of values.
fn make(place: &str) {
    let quakes = rows_file("quakes.csv");
    let options = ["--rows", "0..200", "--partition-by", "magnitude_type", "--file-rows", "60"];
    out(&[&["convert", str(&quakes), place], &options[..]].concat());
}

#[test]
fn data_sets_are_looked_into_file_by_file() {
    let home = tempfile::tempdir().unwrap();
    for place in places(home.path()) {
        make(&place);
        let text = out(&["verify", &place]);
        let last = text.lines().last().unwrap();
        let files = text.lines().count() - 1;
        assert!(files > 3, "{text}");
        assert!(last.ends_with(&format!("/: ok: 200 rows, {files} files")), "{text}");
        let meta = json(&["meta", &place]);
        assert_eq!(meta["rowCount"], 200);
        assert_eq!(meta["fileCount"], files);
        assert_eq!(meta["files"].as_array().unwrap().len(), files);
        let layout = json(&["layout", "--json", &place]);
        assert_eq!(layout["rows"], 200);
        let size = json(&["size", "--json", &place]);
        let of_files: u64 =
            size["files"].as_array().unwrap().iter().map(|f| f["bytes"].as_u64().unwrap()).sum();
        let of_columns: u64 =
            size["columns"].as_array().unwrap().iter().map(|c| c["bytes"].as_u64().unwrap()).sum();
        assert_eq!(size["bytes"], of_files);
        assert_eq!(layout["bytes"], of_files);
        assert_eq!(of_columns + size["header"].as_u64().unwrap(), of_files);
        let text = out(&["layout", &place]);
        assert!(text.ends_with(&format!("{files} files, 200 rows, {of_files} bytes\n")), "{text}");
        assert!(out(&["size", &place]).contains("part-"));
    }
}

#[test]
fn a_fault_in_one_file_is_named_and_the_others_are_verified() {
    let home = tempfile::tempdir().unwrap();
    let place = format!("{}/table/", str(home.path()));
    make(&place);
    let meta = json(&["meta", &place]);
    let paths: Vec<PathBuf> = meta["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["path"].as_str().unwrap().into())
        .collect();
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&paths[1], bytes).unwrap();
    std::fs::remove_file(&paths[2]).unwrap();
    // A file that is another one.
    std::fs::copy(&paths[0], &paths[3]).unwrap();
    let output = run(&["verify", &place]);
    assert_eq!(code(&output), 1);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains(&format!("{}: FAULTY", str(&paths[1]))), "{text}");
    assert!(text.contains(&format!("{}: ok", str(&paths[0]))), "{text}");
    assert!(text.contains("rows, but the commit says"), "{text}");
    assert!(text.lines().last().unwrap().contains(": FAULTY: "), "{text}");
    assert!(said(&output).contains(str(&paths[2])), "{}", said(&output));
}

#[test]
fn folders_and_patterns_are_looked_into() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data/below");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, rows) in [("a.trv", "0..10"), ("b.trv", "10..30")] {
        out(&["convert", str(&rows_file("quakes.csv")), str(&folder.join(name)), "--rows", rows]);
    }
    std::fs::write(folder.join("notes.csv"), "a\n1\n").unwrap();
    let pattern = format!("{}/*.trv", str(&folder));
    let above = home.path().join("data");
    for input in [&pattern, str(&above)] {
        assert!(out(&["verify", input]).ends_with(": ok: 30 rows, 2 files\n"), "{input}");
        assert_eq!(json(&["meta", input])["rowCount"], 30);
        assert_eq!(json(&["size", "--json", input])["rows"], 30);
    }
    let to = home.path().join("all.trv");
    out(&["concat", str(&to), &pattern]);
    assert_eq!(
        out(&["cat", str(&to)]),
        out(&["cat", str(&rows_file("quakes.csv")), "--rows", "0..30"])
    );
    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(code(&run(&["verify", str(&empty)])), 1);
}

#[test]
fn a_data_set_is_rewritten_in_one_commit() {
    let home = tempfile::tempdir().unwrap();
    let (from, to) = (format!("{}/from/", str(home.path())), format!("{}/to/", str(home.path())));
    make(&from);
    let rows = out(&["cat", &from]);
    let files = json(&["meta", &from])["fileCount"].clone();
    let rewrite = |args: &[&str]| {
        let output = run(&[&["rewrite"], args].concat());
        assert_eq!(code(&output), 0, "{}", said(&output));
        said(&output)
    };
    let text = rewrite(&[&from, &to, "--codec", "zstd", "--checksum", "null"]);
    assert!(text.starts_with(&format!("200 rows, {files} files, ")), "{text}");
    assert_eq!(out(&["cat", &to]), rows);
    let meta = json(&["meta", &to]);
    assert_eq!(meta["fileCount"], files);
    assert_eq!(meta["files"][0]["metadata"]["trevni.codec"], "zstd");
    assert!(meta["files"][0]["path"].as_str().unwrap().contains("/magnitude_type="));
    let again = run(&["rewrite", &from, &to]);
    assert_eq!(code(&again), 1);
    assert!(said(&again).contains("--force"), "{}", said(&again));
    // In place, with fewer columns. The codec is kept.
    rewrite(&[&to, &to, "--force", "--drop", "place,felt"]);
    assert_eq!(lines(&["cat", &to]), lines(&["cat", &from, "--columns", &columns(&to)]));
    assert_eq!(json(&["meta", &to])["files"][0]["metadata"]["trevni.codec"], "zstd");
    assert!(!columns(&to).contains("place"));
    assert!(out(&["verify", &to]).contains(&format!("200 rows, {files} files")));
    for wrong in
        [&[&from[..], "x.trv"][..], &[&from, "s3://bucket/x/"], &[&from, &to, "--drop", "x"]]
    {
        assert_ne!(code(&run(&[&["rewrite"], wrong].concat())), 0, "{wrong:?}");
    }
    // One file of all, with the columns that are in paths.
    let one = home.path().join("one.trv");
    out(&["concat", str(&one), &from]);
    assert_eq!(out(&["cat", str(&one)]), rows);
    out(&["concat", "--force", str(&one), &from, &to]);
    assert_eq!(out(&["count", str(&one)]), "400\n");
    assert_eq!(code(&run(&["concat", str(&one), &from])), 1);
}

/// Returns the columns of a file, with commas between.
fn columns(path: &str) -> String {
    let schema = out(&["schema", path]);
    schema.lines().map(|line| line.split(':').next().unwrap()).collect::<Vec<_>>().join(",")
}
