//! Files that a data set needs no more: after `--force`, and by `vacuum`.

use super::dataset::places;
use super::*;

/// Files of rows and commits, with their sizes.
fn files(table: &Path) -> Vec<(PathBuf, u64)> {
    let mut all = Vec::new();
    for folder in [table.to_owned(), table.join("_commits")] {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let about = entry.as_ref().unwrap().metadata().unwrap();
            if about.is_file() {
                all.push((entry.unwrap().path(), about.len()));
            }
        }
    }
    all
}

/// Returns the folder of a location.
fn folder_of(place: &str) -> PathBuf {
    place.strip_prefix("file://").unwrap_or(place).into()
}

#[test]
fn replacing_a_data_set_removes_what_it_held() {
    let home = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    for place in places(home.path()) {
        let convert = |rows: &str, how: &[&str]| {
            let output = run(&[&["convert", str(&quakes), &place, "--rows", rows], how].concat());
            assert_eq!(code(&output), 0, "{}", said(&output));
            said(&output)
        };
        let folder = folder_of(&place);
        convert("0..100", &["--file-rows", "30"]);
        let before: u64 =
            files(&folder).iter().filter(|(path, _)| !is_commit(path)).map(|f| f.1).sum();
        // The message has the added files.
        let text = convert("100..120", &["--append"]);
        let after: u64 =
            files(&folder).iter().filter(|(path, _)| !is_commit(path)).map(|f| f.1).sum();
        assert!(
            text.starts_with("20 rows, ") && text.contains(&format!("-> {} bytes", after - before)),
            "{text}"
        );
        assert_eq!(files(&folder).len(), 5 + 3, "{place}");
        // A file of a writer that has not committed stays.
        std::fs::write(folder.join("part-other.trv"), "young").unwrap();
        convert("200..210", &["--force"]);
        assert_eq!(out(&["count", &place]), "10\n");
        assert_eq!(files(&folder).len(), 1 + 1 + 1, "{place}: {:?}", files(&folder));
        assert!(folder.join("part-other.trv").exists());
        // From itself to itself.
        let output = run(&["convert", &place, &place, "--force", "--file-rows", "5"]);
        assert_eq!(code(&output), 0, "{}", said(&output));
        assert_eq!(out(&["cat", &place]), out(&["cat", str(&quakes), "--rows", "200..210"]));
        assert_eq!(files(&folder).len(), 2 + 1 + 1, "{place}");
    }
}

fn is_commit(path: &Path) -> bool {
    path.parent().unwrap().ends_with("_commits")
}

#[test]
fn vacuum_removes_what_no_commit_names() {
    let home = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    for place in places(home.path()) {
        let folder = folder_of(&place);
        out(&["convert", str(&quakes), &place, "--rows", "0..100"]);
        let left = folder.join("part-left.trv");
        std::fs::write(&left, "12345").unwrap();
        let vacuum = |args: &[&str]| {
            let output = run(&[&["vacuum", &place], args].concat());
            assert_eq!(code(&output), 0, "{}", said(&output));
            (String::from_utf8(output.stdout.clone()).unwrap(), said(&output))
        };
        let none = (String::new(), "deleted 0 files of 0 bytes, 0 commits\n".to_owned());
        assert_eq!(vacuum(&[]), none, "it is young");
        let (paths, text) = vacuum(&["--older-than", "0s", "--dry-run"]);
        assert_eq!(paths, "part-left.trv\n");
        assert_eq!(text, "would delete 1 files of 5 bytes, 0 commits\n");
        assert!(left.exists());
        let (_, text) = vacuum(&["--older-than", "0s"]);
        assert_eq!(text, "deleted 1 files of 5 bytes, 0 commits\n");
        assert!(!left.exists());
        assert_eq!(out(&["count", &place]), "100\n");
    }
    let wrong = run(&["vacuum", str(home.path()), "--older-than", "1"]);
    assert_eq!(code(&wrong), 2);
    let none = run(&["vacuum", str(home.path())]);
    assert_eq!(code(&none), 1);
}
