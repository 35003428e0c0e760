//! Columns with the same name, and names that a format refuses.

use super::{code, out, run, run_with, said, str};

#[test]
fn duplicates_are_refused_or_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let from = at("x.csv");
    std::fs::write(&from, "a,a,b c,a_2\n1,2,3,4\n").unwrap();
    for name in ["x.csv", "x.parquet", "x.arrow", "x.arrows", "x.trv"] {
        let from = if name == "x.csv" { from.clone() } else { at(&format!("from-{name}")) };
        if name != "x.csv" {
            out(&["convert", str(&at("x.csv")), str(&from)]);
        }
        let output = run(&["convert", str(&from), str(&at("x.jsonl"))]);
        assert_eq!(code(&output), 1, "{name}");
        let text =
            "two fields are named \"a\", but an object can hold only one (--rename-duplicates";
        assert!(said(&output).contains(text), "{}", said(&output));
        assert!(!at("x.jsonl").exists());
        let to = at("renamed.jsonl");
        out(&["convert", "--force", "--rename-duplicates", str(&from), str(&to)]);
        let row = "{\"a\":1,\"a_3\":2,\"b c\":3,\"a_2\":4}\n";
        assert_eq!(std::fs::read_to_string(&to).unwrap(), row, "{name}");
        // The output has all columns, too.
        let output = run(&["head", str(&from)]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), row, "{name}");
        assert!(said(&output).contains("columns with the same name"), "{}", said(&output));
        assert_eq!(out(&["cat", "-f", "csv", str(&from)]), "a,a,b c,a_2\n1,2,3,4\n");
    }
}

#[test]
fn names_are_made_legal_for_avro() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "{\"unit price\":1.5,\"1st\":{\"x-y\":1,\"x y\":[{\"é\":null}]},\"ok\":\"u\"}\n";
    std::fs::write(at("x.jsonl"), text).unwrap();
    let (from, to) = (at("x.jsonl"), at("x.avro"));
    let output = run(&["convert", str(&from), str(&to)]);
    assert_eq!(code(&output), 1);
    let what =
        "field unit price has no Avro form: Avro accepts no such name (--rename avro makes one)";
    assert!(said(&output).contains(what), "{}", said(&output));
    out(&["convert", "--rename", "avro", str(&from), str(&to)]);
    let renamed =
        "{\"unit_price\":1.5,\"_1st\":{\"x_y\":1,\"x_y_2\":[{\"_\":null}]},\"ok\":\"u\"}\n";
    assert_eq!(out(&["cat", str(&to)]), renamed);
    let schema = String::from_utf8_lossy(&std::fs::read(&to).unwrap()).into_owned();
    for name in ["unit price", "1st", "x-y", "x y", "é"] {
        assert!(schema.contains(&format!("\"originalName\":\"{name}\"")), "{name}");
    }
    assert!(!schema.contains("\"originalName\":\"ok\""));
    // A file of the Avro layout keeps the names in its schema as well, and comes back the same.
    let trv = at("x.trv");
    out(&["convert", "--rename", "avro", "--layout", "avro", str(&from), str(&trv)]);
    assert_eq!(out(&["cat", str(&trv)]), renamed);
    assert!(out(&["meta", str(&trv)]).contains("originalName"));
    // Two columns with the same name.
    let output = run_with(&["convert", "-", str(&at("y.avro")), "--from", "csv"], b"a,a\n1,2\n");
    assert!(
        said(&output).contains("another field has its name (--rename avro"),
        "{}",
        said(&output)
    );
    let to = at("y.avro");
    let args = ["convert", "-", str(&to), "--from", "csv", "--rename", "avro"];
    assert_eq!(code(&run_with(&args, b"a,a\n1,2\n")), 0);
    assert_eq!(out(&["cat", str(&at("y.avro"))]), "{\"a\":1,\"a_2\":2}\n");
}

#[test]
fn rows_are_skipped_and_limited() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text: String =
        (0..3000).map(|n| format!("{{\"n\":{n},\"even\":{}}}\n", n % 2 == 0)).collect();
    std::fs::write(at("x.jsonl"), &text).unwrap();
    let numbers = |text: String| -> Vec<u64> {
        let lines =
            text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|row| row["n"].as_u64().unwrap()).collect()
    };
    for name in ["x.jsonl", "x.trv", "x.parquet", "x.csv", "x.avro", "x.arrow", "set/"] {
        let path = at(name);
        if name != "x.jsonl" {
            out(&["convert", str(&at("x.jsonl")), str(&path)]);
        }
        for (options, expected) in [
            (&["--offset", "2990"][..], (2990..3000).collect::<Vec<_>>()),
            (&["--offset", "5", "-n", "3"], vec![5, 6, 7]),
            (&["--offset", "5", "--limit", "3", "--rows", "10..17"], vec![15, 16]),
            (&["--offset", "3", "--rows", "10..12"], vec![]),
            (&["--offset", "4000"], vec![]),
            (&["--where", "even = true", "--offset", "1490", "-n", "2"], vec![2980, 2982]),
            (&["--where", "even = true", "--offset", "2", "--rows", "1..10"], vec![6, 8]),
            (&["--where", "n > 2997", "--offset", "1", "--batch-size", "1"], vec![2999]),
        ] {
            let found = numbers(out(&[&["cat", str(&path)][..], options].concat()));
            assert_eq!(found, expected, "{name} {options:?}");
            let to = at("to.jsonl");
            out(&[&["convert", "--force", str(&path), str(&to)][..], options].concat());
            assert_eq!(
                numbers(std::fs::read_to_string(&to).unwrap()),
                expected,
                "{name} {options:?}"
            );
        }
        assert_eq!(
            numbers(out(&["head", "--offset", "7", str(&path)])),
            (7..17).collect::<Vec<_>>()
        );
    }
}
