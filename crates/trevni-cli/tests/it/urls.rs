//! Objects in stores, as inputs and as outputs; here the store is a folder.

use super::*;

fn url(path: &Path) -> String {
    format!("file://{}", str(path))
}

#[cfg(feature = "object_store")]
#[test]
fn urls_are_read_and_written_as_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let (home, there) = (folder.path().join("home.trv"), folder.path().join("a/there.trv"));
    let quakes = rows_file("quakes.csv");
    out(&["convert", str(&quakes), str(&home)]);
    out(&["convert", &url(&quakes), &url(&there)]);
    assert_eq!(std::fs::read(&home).unwrap(), std::fs::read(&there).unwrap());
    for args in [
        &["count"][..],
        &["meta"],
        &["schema"],
        &["head"],
        &["schema", "--format", "avro"],
        &["cat", "--columns", "id,place", "--rows", "10..300"],
        &["cat", "--from", "trv", "--format", "csv"],
        &["size"],
    ] {
        let with = |name: &str| out(&[&args[..1], &[name], &args[1..]].concat());
        let (there, home) = (with(&url(&there)), with(str(&home)));
        // Sizes begin with the name of the file.
        let rest = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        match args {
            ["size"] => assert_eq!(rest(&there), rest(&home)),
            _ => assert_eq!(there, home, "{args:?}"),
        }
    }
    // Formats that are read from end to end, and one that is read at any position.
    for name in ["rows.jsonl", "rows.arrow"] {
        let other = folder.path().join(name);
        out(&["convert", &url(&there), &url(&other)]);
        assert_eq!(out(&["cat", &url(&other)]), out(&["cat", str(&home)]));
    }
}

#[cfg(feature = "object_store")]
#[test]
fn objects_are_refused_as_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there.trv");
    let quakes = rows_file("quakes.csv");
    out(&["convert", str(&quakes), &url(&there)]);
    let refused = run(&["convert", str(&quakes), &url(&there)]);
    assert_eq!(code(&refused), 1);
    assert!(said(&refused).contains("exists; --force replaces it"), "{}", said(&refused));
    out(&["convert", str(&quakes), &url(&there), "--force"]);

    let missing = run(&["count", &url(&folder.path().join("missing.trv"))]);
    assert_eq!(code(&missing), 1);
    assert!(said(&missing).contains("missing.trv"), "{}", said(&missing));
    let unknown = run(&["cat", "nowhere://a/b.trv"]);
    assert_eq!(code(&unknown), 1);
    assert!(said(&unknown).contains("nowhere://a/b.trv"), "{}", said(&unknown));
    // What cannot be made leaves nothing.
    let bad =
        run(&["convert", "--from", "trv", str(&quakes), &url(&folder.path().join("new.trv"))]);
    assert_eq!(code(&bad), 1);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[cfg(not(feature = "object_store"))]
#[test]
fn urls_are_refused_where_there_are_no_stores() {
    let output = run(&["count", &url(&rows_file("quakes.csv"))]);
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("object_store"), "{}", said(&output));
}
