//! Data sets, as folders and at URLs that end in `/`.

use super::*;

/// Returns the lines of a command, sorted: partitions change the order of rows.
pub(super) fn lines(args: &[&str]) -> Vec<String> {
    let mut lines: Vec<_> = out(args).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Returns the locations of data sets: a folder and, with object stores, a URL.
pub(super) fn places(folder: &Path) -> Vec<String> {
    let home = format!("{}/home/", str(folder));
    match cfg!(feature = "object_store") {
        true => vec![home, format!("file://{}/there/", str(folder))],
        false => vec![home],
    }
}

#[test]
fn every_command_reads_a_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    let file = folder.path().join("quakes.trv");
    out(&["convert", str(&quakes), str(&file)]);
    for table in places(folder.path()) {
        let table = table.as_str();
        let made = run(&[
            "convert",
            str(&quakes),
            table,
            "--partition-by",
            "magnitude_type",
            "--file-rows",
            "300",
            "--codec",
            "null",
        ]);
        assert_eq!(code(&made), 0, "{}", said(&made));
        assert!(
            said(&made).contains("rows") && !said(&made).contains(" 0 bytes"),
            "{}",
            said(&made)
        );
        for args in [
            &["count"][..],
            &["cat", "--columns", "id,magnitude"],
            &["cat", "--where", "magnitude > 5 and magnitude_type = 'mww'"],
            &[
                "cat",
                "--format",
                "csv",
                "--columns",
                "magnitude_type",
                "--where",
                "magnitude_type is not null",
            ],
            &["count", "--where", "magnitude_type = 'ml' or magnitude < 1"],
            &["schema"],
        ] {
            let with = |name: &str| lines(&[&args[..1], &[name], &args[1..]].concat());
            assert_eq!(with(table), with(str(&file)), "{args:?} {table}");
        }
        assert_eq!(out(&["head", table, "-n", "7"]).lines().count(), 7);
        assert_eq!(out(&["cat", table, "--rows", "10..30"]).lines().count(), 20);
        // Back to one file, and from one data set to another.
        let back = folder.path().join("back.trv");
        out(&["convert", table, str(&back), "--force"]);
        let other = format!("{}/other/", str(folder.path()));
        out(&["convert", table, &other, "--force", "--file-size", "64k"]);
        assert_eq!(lines(&["cat", &other]), lines(&["cat", str(&file)]));
        assert_eq!(lines(&["cat", str(&back)]), lines(&["cat", str(&file)]));
    }
    let home = folder.path().join("home");
    let folders: Vec<_> =
        std::fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(folders.iter().any(|name| name == "magnitude_type=mww"), "{folders:?}");
    // A commit is a file of rows as well.
    let commit = home.join("_commits/00000000000000000001.trv");
    assert!(out(&["cat", str(&commit)]).contains(r#""path":"magnitude_type=mww/part-"#));
}

#[test]
fn a_data_set_is_kept_added_to_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    let part = |rows: &str, table: &str, more: &[&str]| {
        run(&[&["convert", str(&quakes), table, "--rows", rows], more].concat())
    };
    for table in places(folder.path()) {
        let table = table.as_str();
        assert_eq!(code(&part("0..10", table, &[])), 0);
        let refused = part("10..15", table, &[]);
        assert_eq!(code(&refused), 1);
        assert!(said(&refused).contains("exists; --append adds to it"), "{}", said(&refused));
        assert_eq!(code(&part("10..15", table, &["--append"])), 0);
        assert_eq!(out(&["cat", table]), out(&["cat", str(&quakes), "--rows", "0..15"]));
        let other = part("10..15", table, &["--append", "--partition-by", "magnitude_type"]);
        assert_eq!(code(&other), 2);
        assert!(said(&other).contains("partitioned by nothing"), "{}", said(&other));
        assert_eq!(code(&part("20..23", table, &["--force"])), 0);
        assert_eq!(out(&["cat", table]), out(&["cat", str(&quakes), "--rows", "20..23"]));
        // Input that cannot be read changes nothing.
        let bad = run(&["convert", "--from", "trv", str(&quakes), table, "--append"]);
        assert_eq!(code(&bad), 1);
        assert_eq!(out(&["count", table]), "3\n");
        let missing = run(&["count", &format!("{table}none/")]);
        assert_eq!(code(&missing), 1);
    }
    let file = folder.path().join("x.trv");
    let wrong = run(&["convert", str(&quakes), str(&file), "--append"]);
    assert_eq!(code(&wrong), 2);
    assert!(said(&wrong).contains("options for data sets"), "{}", said(&wrong));
    let pipe = run(&["convert", str(&quakes), "-", "--to", "dataset"]);
    assert_ne!(code(&pipe), 0);
}

#[test]
fn a_folder_of_plain_files_is_a_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    for (year, rows) in [("2020", "0..10"), ("2021", "10..30")] {
        let inner = folder.path().join(format!("year={year}"));
        std::fs::create_dir(&inner).unwrap();
        out(&["convert", str(&quakes), str(&inner.join("a.trv")), "--rows", rows]);
    }
    let table = str(folder.path());
    assert_eq!(out(&["count", table]), "30\n");
    assert_eq!(out(&["count", table, "--where", "year = 2021"]), "20\n");
    assert!(out(&["schema", table]).ends_with("year: Int64\n"));
}

#[test]
fn a_data_set_keeps_how_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let quakes = rows_file("quakes.csv");
    let (quakes, table) = (str(&quakes), folder.path().join("t"));
    let convert =
        |more: &[&str]| out(&[&["convert", quakes, &format!("{}/", str(&table))], more].concat());
    // Returns the codecs of the files, by their folders.
    let codecs = || {
        let mut found = std::collections::BTreeMap::new();
        for folder in std::fs::read_dir(&table).unwrap().map(|entry| entry.unwrap().path()) {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            for file in std::fs::read_dir(&folder).into_iter().flatten() {
                let file = std::fs::File::open(file.unwrap().path()).unwrap();
                let file = trevni::FileReader::try_new(file).unwrap();
                let text = |key| file.header().metadata.get_str(key).unwrap_or_default().to_owned();
                let pair = (text("trevni.codec"), text("trevni.checksum"));
                found.entry(name.clone()).or_insert_with(Vec::new).push(pair);
            }
        }
        found.retain(|name, _| !name.starts_with('_'));
        found
    };
    convert(&["--partition-by", "magnitude_type", "--codec", "null", "--checksum", "null"]);
    let first = codecs();
    assert!(first.len() > 2 && first.keys().all(|name| name.starts_with("magnitude_type=")));
    for (way, files) in [("--force", 1), ("--append", 2)] {
        convert(&[way]);
        let now = codecs();
        assert!(now.keys().eq(first.keys()), "{way}: {now:?}");
        let kept =
            |(name, files): (&String, &Vec<_>)| files.iter().all(|file| *file == first[name][0]);
        assert!(now.iter().all(kept), "{way}: {now:?}");
        assert!(now.values().all(|found| found.len() == files), "{way}: {now:?}");
    }
    convert(&["--force", "--partition-by", ""]);
    assert!(codecs().is_empty());
}
