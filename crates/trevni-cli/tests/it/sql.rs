//! SQL over files.

use super::*;

fn csv(args: &[&str]) -> String {
    out(&[args, &["--format", "csv"]].concat())
}

const QUAKES: &str = "testdata/rows/quakes.csv";

#[test]
fn every_format_is_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "select count(*) as n, round(avg(magnitude), 3) as m, max(place) as p from quakes";
    let expected = csv(&["sql", sql, QUAKES]);
    assert!(expected.starts_with("n,m,p\n"), "{expected}");
    for way in ["trv", "avro", "parquet", "arrow", "arrows", "jsonl", "set/"] {
        let path = folder.path().join(format!("quakes.{way}"));
        let path = str(&path);
        out(&["convert", QUAKES, path]);
        assert_eq!(csv(&["sql", sql, path]), expected, "{way}");
        assert_eq!(csv(&["sql", sql, &format!("quakes={path}")]), expected, "{way}");
        let of_path = sql.replace("from quakes", &format!("from '{path}'"));
        assert_eq!(csv(&["sql", &of_path]), expected, "{way}");
    }
    let stream = std::fs::read(folder.path().join("quakes.arrows")).unwrap();
    let piped =
        run_with(&["sql", &sql.replace("quakes", "stdin"), "-", "--format", "csv"], &stream);
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), expected);
}

#[test]
fn patterns_and_folders_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("a.trv", "0..10"), ("b.trv", "10..25")] {
        out(&["convert", QUAKES, str(&folder.path().join(name)), "--rows", rows]);
    }
    let pattern = folder.path().join("*.trv");
    let sql = format!("select count(*) as n from '{}'", pattern.display());
    assert_eq!(csv(&["sql", &sql]), "n\n25\n");
    let sql = format!("select count(*) as n from '{}'", folder.path().display());
    assert_eq!(csv(&["sql", &sql]), "n\n25\n");
    let plan = out(&["explain", &sql]);
    assert!(plan.contains("PlaceholderRowExec"), "counts come from headers: {plan}");
}

#[test]
fn rows_are_written_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("strong.trv");
    let sql =
        "select place, magnitude from quakes where magnitude > 6 order by magnitude desc, place";
    out(&["sql", sql, QUAKES, "--output", str(&to), "--codec", "pack"]);
    assert_eq!(csv(&["cat", str(&to)]), csv(&["sql", sql, QUAKES]));
    let again = run(&["sql", sql, QUAKES, "--output", str(&to)]);
    assert_eq!(code(&again), 1);
    assert!(said(&again).contains("--force replaces it"), "{}", said(&again));

    let copy = folder.path().join("copy.trv");
    let sql = format!("copy (select 1 as a) to '{}' stored as trevni", copy.display());
    out(&["sql", &sql]);
    assert_eq!(csv(&["cat", str(&copy)]), "a\n1\n");
}

#[test]
fn statements_come_from_standard_input() {
    let script = b"create table t as values (1, 'a'), (2, 'b'); select sum(column1) as s from t;";
    for args in [&["sql", "-", "--format", "csv"][..], &["sql", "--format", "csv"]] {
        let output = run_with(args, script);
        assert_eq!(code(&output), 0, "{}", said(&output));
        // CREATE TABLE prints nothing.
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "s\n3\n");
    }
}

#[test]
fn faults_of_the_call_are_told() {
    for (args, text) in [
        (&["sql", "select nothing from quakes", QUAKES][..], "nothing"),
        (&["sql", "selec 1"], "selec"),
        (&["sql", "select * from missing"], "missing"),
        (&["sql", "select 1", QUAKES, QUAKES], "two tables are called quakes"),
        (&["sql", "select 1", QUAKES, "--where", "magnitude > 1"], "not by --columns"),
        (&["explain", "select 1; select 2"], "one statement"),
    ] {
        let output = run(args);
        assert_eq!(code(&output), 2, "{args:?}: {}", said(&output));
        assert!(said(&output).contains(text), "{args:?}: {}", said(&output));
    }
    let missing = run(&["sql", "select 1", "missing.csv"]);
    assert_eq!(code(&missing), 1);
    assert!(said(&missing).contains("missing.csv: no such file"), "{}", said(&missing));
}

#[test]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.trv");
    out(&["convert", QUAKES, str(&path)]);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() - 100;
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let output = run(&["sql", "select * from x", str(&path)]);
    assert_eq!(code(&output), 1);
    assert!(
        said(&output).contains("x.trv")
            && said(&output).contains("block 0, offset 18045: checksum mismatch"),
        "{}",
        said(&output)
    );
}

#[test]
fn plans_say_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quakes.trv");
    out(&["convert", QUAKES, str(&path)]);
    let sql = "select place from quakes where magnitude > 6";
    let plan = out(&["explain", "--analyze", sql, str(&path)]);
    assert!(plan.contains("bytes_scanned=") && plan.contains("predicate=magnitude"), "{plan}");
    assert!(out(&["explain", "--verbose", sql, str(&path)]).contains("initial_logical_plan"));
}

#[test]
fn sorts_with_little_memory_use_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let rows = 300_000u64;
    let text: String = (0..rows).map(|n| format!("{n},text {}\n", n * 7919 % rows)).collect();
    std::fs::write(at("x.csv"), format!("n,t\n{text}")).unwrap();
    let query = format!("copy (select * from x order by t, n) to '{}'", str(&at("y.csv")));
    let sorted = |memory: &str| {
        out(&["sql", "--limit-memory", memory, &query, str(&at("x.csv"))]);
        std::fs::read_to_string(at("y.csv")).unwrap()
    };
    let (little, much) = (sorted("24M"), sorted("1G"));
    assert_eq!(little, much);
    assert_eq!(little.lines().count() as u64, rows + 1);
}

/// A sum of 64-bit integers is an error where it has more bits, and is not where only the sum of a part has.
#[test]
fn sums_do_not_wrap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.csv");
    let rows = "a,g\n9223372036854775807,1\n5,2\n1,1\n-10,1\n9223372036854775807,3\n";
    std::fs::write(&path, rows).unwrap();
    let sql = |text: &str| run(&["sql", text, str(&path)]);
    for text in [
        "select sum(a) from s",
        "select sum(a) from s where g = 3 or a = 5",
        "select sum(distinct a), sum(distinct g) from s where a > 0",
        "select sum(a) over (order by g desc rows between 1 preceding and current row) from s",
        "select a, sum(a) from s cross join (values (1), (2)) group by a",
    ] {
        let e = said(&sql(text));
        assert!(e.contains("which Int64 does not have: sum(CAST(... AS DECIMAL(38, 0)))"), "{e}");
    }
    for (text, expected) in [
        ("select sum(a) s from s where g = 1", "{\"s\":9223372036854775798}\n"),
        (
            "select g, sum(a) s from s where g < 3 group by g order by g",
            "{\"g\":1,\"s\":9223372036854775798}\n{\"g\":2,\"s\":5}\n",
        ),
        ("select sum(a) s from s where g = 9", "{\"s\":null}\n"),
        (
            "select sum(cast(a as decimal(38, 0))) s from s where a > 1",
            "{\"s\":18446744073709551619}\n",
        ),
        ("select sum(a) filter (where a < 0) s, sum(g) t from s", "{\"s\":-10,\"t\":8}\n"),
        (
            "select sum(distinct g) s, sum(distinct a / 1000) t from s",
            "{\"s\":6,\"t\":9223372036854775}\n",
        ),
        (
            "select sum(g) over (order by g, a rows between 1 preceding and current row) s from s limit 2",
            "{\"s\":1}\n{\"s\":2}\n",
        ),
    ] {
        assert_eq!(out(&["sql", text, str(&path)]), expected, "{text}");
    }
}

#[test]
fn paths_may_lead_upwards() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    for name in ["x.trv", "x.csv", "x.parquet", "set/", "files/x.trv"] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        out(&["convert", QUAKES, str(&path)]);
    }
    let up = |name: &str| format!("{}/../{name}", str(&below));
    for name in ["x.trv", "x.csv", "x.parquet", "set/", "set", "files", "x*.trv", "fil*/*.trv"] {
        let sql = "select count(*) as n from t";
        assert_eq!(csv(&["sql", sql, &format!("t={}", up(name))]), "n\n400\n", "{name}");
        let sql = format!("select count(*) as n from '{}'", up(name));
        assert_eq!(csv(&["sql", &sql]), "n\n400\n", "{name}");
    }
    let sql = format!(
        "create external table t stored as trevni location '{}'; select count(*) as n from t",
        up("x.trv")
    );
    assert_eq!(csv(&["sql", &sql]), "n\n400\n");
}

#[test]
fn columns_with_dots_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, file) = (folder.path().join("a.jsonl"), folder.path().join("a.trv"));
    std::fs::write(&rows, "{\"a\":{\"b\":1},\"a.b\":\"x\"}\n{\"a\":{\"b\":2},\"a.b\":\"y\"}\n")
        .unwrap();
    out(&["convert", str(&rows), str(&file)]);
    for path in [str(&rows), str(&file)] {
        let cat = |names: &str| out(&["convert", path, "-", "--to", "jsonl", "--columns", names]);
        assert_eq!(cat("a.b"), "{\"a.b\":\"x\"}\n{\"a.b\":\"y\"}\n", "{path}");
        assert_eq!(cat("\"a.b\""), "{\"a.b\":\"x\"}\n{\"a.b\":\"y\"}\n", "{path}");
        assert_eq!(cat("\"a\".b"), "{\"a\":{\"b\":1}}\n{\"a\":{\"b\":2}}\n", "{path}");
        for (text, n) in [("a.b = 'x'", "1"), ("\"a\".b > 0", "2"), ("\"a.b\" = 'y'", "1")] {
            assert_eq!(out(&["count", path, "--where", text]).trim(), n, "{path}: {text}");
        }
        let sql = "select \"a.b\" as flat, t.a['b'] as deep from t order by 1 desc limit 1";
        assert_eq!(csv(&["sql", sql, &format!("t={path}")]), "flat,deep\ny,2\n", "{path}");
    }
}
