//! Rows printed as tables, and the other formats of `cat` and `head`.

use super::{code, out, run, said};

const QUAKES: &str = "testdata/rows/quakes.csv";

#[test]
fn tables_are_cut_to_a_width() {
    let columns = ["--columns", "id,magnitude,felt,place"];
    let table = out(&[&["head", "-n2", "--format", "table", QUAKES], &columns[..]].concat());
    let expected = "\
┌─────────┬───────────┬───────┬────────────────────┐
│      id ┆ magnitude ┆  felt ┆ place              │
│   Int64 ┆   Float64 ┆ Int64 ┆ Utf8               │
╞═════════╪═══════════╪═══════╪════════════════════╡
│ 7000000 ┆       3.1 ┆  null ┆ Kermadec Islands   │
│ 7000001 ┆       3.6 ┆  1623 ┆ Île de la Désirade │
└─────────┴───────────┴───────┴────────────────────┘
";
    assert_eq!(table, expected);
    let narrow = ["head", "-n2", "--format", "table", "--width", "50", QUAKES];
    let expected = "\
┌─────────┬───────────┬───────┬──────────────────┐
│      id ┆ magnitude ┆  felt ┆ place            │
│   Int64 ┆   Float64 ┆ Int64 ┆ Utf8             │
╞═════════╪═══════════╪═══════╪══════════════════╡
│ 7000000 ┆       3.1 ┆  null ┆ Kermadec Islands │
│ 7000001 ┆       3.6 ┆  1623 ┆ Île de la Désir… │
└─────────┴───────────┴───────┴──────────────────┘
";
    assert_eq!(out(&[&narrow[..], &columns[..]].concat()), expected);
    let few = out(&["head", "-n1", "--format", "table", "--width", "40", QUAKES]);
    assert!(few.lines().all(|line| line.chars().count() <= 40), "{few}");
    assert!(few.ends_with("… 8 more columns: latitude, longitude, …\n"), "{few}");
}

#[test]
fn every_format_of_rows_is_printed() {
    let head = |format: &str| out(&["head", "-n1", "--columns", "id,place", "-f", format, QUAKES]);
    let row = "7000000 | Kermadec Islands";
    assert_eq!(head("markdown"), format!("| id | place |\n|---:|---|\n| {row} |\n"));
    assert_eq!(head("csv"), "id,place\n7000000,Kermadec Islands\n");
    let json = "{\"id\":7000000,\"place\":\"Kermadec Islands\"}\n";
    assert_eq!(head("json"), json);
    // Outputs other than a terminal get JSON lines.
    assert_eq!(out(&["head", "-n1", "--columns", "id,place", QUAKES]), json);
    let arrow = run(&["cat", "--format", "arrow", QUAKES]).stdout;
    let again = super::run_with(&["count", "--from", "arrows", "-"], &arrow);
    assert_eq!((code(&again), said(&again).as_str()), (0, ""));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), out(&["count", QUAKES]));
}

#[test]
fn tables_stream_and_escape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let rows: String = (0..2000).map(|i| format!("{i},\"a\u{1b}[2J|\nb\"\n")).collect();
    std::fs::write(&path, format!("n,t\n{rows}")).unwrap();
    let path = super::str(&path);
    let table = out(&["cat", "--format", "table", path]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 2000 + 5, "one header, one bottom border, a line a row");
    assert!(!table.contains('\u{1b}'));
    assert_eq!(lines[4], r"│     0 ┆ a\u{1b}[2J|\nb │");
    assert_eq!(lines[2003], r"│  1999 ┆ a\u{1b}[2J|\nb │");
    let markdown = out(&["head", "-n1", "--format", "markdown", path]);
    assert_eq!(markdown.lines().last(), Some(r"| 0 | a\\u{1b}[2J\|\\nb |"));
    let none = out(&["cat", "--format", "table", "--where", "n < 0", path]);
    assert_eq!(none.lines().count(), 5, "{none}");
}

#[test]
fn the_last_rows_and_some_of_all_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let all = out(&["cat", QUAKES]);
    let all: Vec<_> = all.lines().collect();
    for format in ["csv", "trv", "parquet", "arrow", "avro", "jsonl"] {
        let path = folder.path().join(format!("quakes.{format}"));
        out(&["convert", QUAKES, super::str(&path)]);
        let path = super::str(&path);
        let lines = |args: &[&str]| -> Vec<String> {
            let printed = out(&[args, &["--batch-size", "7", path]].concat());
            printed.lines().map(str::to_owned).collect()
        };
        assert_eq!(lines(&["tail"]), all[all.len() - 10..], "{format}");
        assert_eq!(lines(&["tail", "-n", "15"]), all[all.len() - 15..], "{format}");
        assert_eq!(lines(&["tail", "-n", "0"]), [""; 0], "{format}");
        assert_eq!(lines(&["tail", "-n", "99999"]), all, "{format}");
        assert_eq!(lines(&["tail", "-n", "3", "--rows", "..20"]), all[17..20], "{format}");
        let felt = lines(&["cat", "--where", "felt > 100"]);
        assert_eq!(lines(&["tail", "-n", "3", "--where", "felt > 100"]), felt[felt.len() - 3..]);

        let sample = lines(&["sample", "-n", "40", "--seed", "5"]);
        let places: Vec<_> =
            sample.iter().map(|row| all.iter().position(|other| other == row).unwrap()).collect();
        assert!(places.len() == 40 && places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert_eq!(sample, lines(&["sample", "-n", "40", "--seed", "5"]), "{format}");
        assert_ne!(sample, lines(&["sample", "-n", "40", "--seed", "6"]), "{format}");
        assert_eq!(lines(&["sample", "-n", "99999"]), all, "{format}");
        assert_eq!(lines(&["sample"]).len(), 10, "{format}");

        let names = "there are id, time, latitude, longitude,";
        for args in [&["cat"][..], &["head"], &["tail"], &["sample"], &["count"], &["schema"]] {
            let output = run(&[args, &["--columns", "id,nix", path]].concat());
            assert_eq!((code(&output), output.stdout.len()), (2, 0), "{format} {args:?}");
            assert!(said(&output).contains(names), "{}", said(&output));
        }
    }
}
