//! Several files, folders and patterns as one table.

use super::*;

/// Returns the files of one table, in three formats: columns differ, numbers are widened.
fn files(folder: &Path) -> Vec<PathBuf> {
    let at = |name: &str| folder.join(name);
    std::fs::write(at("a.csv"), "id,name\n1,one\n2,two\n").unwrap();
    std::fs::write(at("b.jsonl"), "{\"id\":3.5,\"city\":\"Ulm\"}\n{\"id\":4,\"city\":null}\n")
        .unwrap();
    std::fs::write(at("c.source"), "name,id\nfive,5\n").unwrap();
    out(&["convert", "--from", "csv", str(&at("c.source")), str(&at("c.trv"))]);
    std::fs::remove_file(at("c.source")).unwrap();
    ["a.csv", "b.jsonl", "c.trv"].map(at).to_vec()
}

const ROWS: &str = "id,name,city\n1.0,one,\n2.0,two,\n3.5,,Ulm\n4.0,,\n5.0,five,\n";

#[test]
fn every_way_to_name_files_gives_one_table() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    let files = files(&folder);
    let pattern = format!("{}/*", str(&folder));
    let [a, b, c] = [0, 1, 2].map(|i| str(&files[i]));
    // A folder that has Trevni files at its top is a data set.
    let below = home.path().join("more/data");
    std::fs::create_dir(home.path().join("more")).unwrap();
    std::fs::rename(&folder, &below).unwrap();
    std::os::unix::fs::symlink(&below, &folder).unwrap();
    let above = home.path().join("more");
    for inputs in [&[a, b, c][..], &[&pattern], &[str(&above)]] {
        let with = |args: &[&str]| out(&[&args[..1], inputs, &args[1..]].concat());
        assert_eq!(with(&["cat", "--format", "csv"]), ROWS, "{inputs:?}");
        assert_eq!(with(&["head", "-n", "3"]).lines().count(), 3);
        let schema = with(&["schema"]);
        assert_eq!(schema, "id: Float64\nname: Utf8\ncity: Utf8\n", "{inputs:?}");
        let csv = |extra: &[&str]| with(&[&["cat", "--format", "csv"], extra].concat());
        assert_eq!(csv(&["--columns", "city", "--rows", "1..4"]), "city\n\nUlm\n\n");
        assert_eq!(csv(&["--where", "name = 'five'"]), "id,name,city\n5.0,five,\n");
        assert_eq!(csv(&["--where", "id > 3.7", "--columns", "name"]), "name\n\nfive\n");
        assert_eq!(csv(&["--where", "city is not null", "-n", "1"]), "id,name,city\n3.5,,Ulm\n");
        let to = home.path().join("all.csv");
        out(&[&["convert"], inputs, &["--force", str(&to)]].concat());
        assert_eq!(std::fs::read_to_string(&to).unwrap(), ROWS);
        let output = run(&[&["cat"], inputs, &["--columns", "nobody"]].concat());
        assert_ne!(code(&output), 0);
        assert!(said(&output).contains("nobody") && said(&output).contains("city"));
    }
    let all = home.path().join("all.csv");
    for input in [&pattern, str(&above)] {
        assert_eq!(out(&["count", input]), "5\n");
        assert_eq!(out(&["count", "--where", "id > 3", input]), "3\n");
        assert!(out(&["diff", input, str(&all)]).starts_with("equal: 5 rows"));
    }
    let each = out(&["count", a, &pattern]);
    assert!(each.contains("2\t") && each.ends_with("7\ttotal\n"), "{each}");
    // Standard input is a file among others.
    let piped = run_with(&["cat", "-", a, "--from", "csv", "--format", "csv"], b"id,x\n9,y\n");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), "id,x,name\n9,y,\n1,,one\n2,,two\n");
}

#[test]
fn folders_of_values_are_columns() {
    let home = tempfile::tempdir().unwrap();
    for (folder, text) in
        [("year=2025/city=Ulm%20b", "n\n1\n"), ("year=2026/city=Oslo", "n\n2\n3\n")]
    {
        std::fs::create_dir_all(home.path().join(folder)).unwrap();
        std::fs::write(home.path().join(folder).join("x.csv"), text).unwrap();
    }
    let expected = "n,year,city\n1,2025,Ulm b\n2,2026,Oslo\n3,2026,Oslo\n";
    let pattern = format!("{}/*/*/*.csv", str(home.path()));
    for input in [str(home.path()), &pattern] {
        assert_eq!(out(&["cat", "--format", "csv", input]), expected);
        assert_eq!(out(&["count", "--where", "year = 2026 and n > 2", input]), "1\n");
    }
    let table = format!("{}/table/", str(tempfile::tempdir().unwrap().path()));
    out(&["convert", str(home.path()), &table, "--partition-by", "year"]);
    assert_eq!(out(&["count", "--where", "city = 'Oslo'", &table]), "2\n");
}

#[test]
fn errors_name_the_file() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    std::fs::write(at("a.csv"), "n\n1\n").unwrap();
    std::fs::write(at("b.csv"), "n\nx\n").unwrap();
    std::fs::write(at("c.jsonl"), "{\"n\": 1}\n{\"n\"\n").unwrap();
    std::fs::write(at("d.parquet"), "no such thing").unwrap();
    let (a, b, c, d) = (at("a.csv"), at("b.csv"), at("c.jsonl"), at("d.parquet"));
    let text = |inputs: &[&Path]| {
        let mut args = vec!["cat"];
        args.extend(inputs.iter().map(|path| str(path)));
        let output = run(&args);
        assert_eq!(code(&output), 1, "{args:?}");
        said(&output)
    };
    let conflict = text(&[&a, &b]);
    assert!(conflict.contains(str(&a)) && conflict.contains(str(&b)), "{conflict}");
    assert!(text(&[&a, &c]).contains(str(&c)));
    assert!(text(&[&a, &d]).contains(str(&d)));
    assert!(text(&[&a, &at("none.csv")]).contains("none.csv"));
    assert!(text(&[&at("*.avro")]).contains("no file matches"));
    std::fs::create_dir(at("empty")).unwrap();
    assert!(text(&[&at("empty")]).contains("folder without files"));
    // A missing file does not keep the others from being counted.
    let output = run(&["count", str(&at("none.csv")), str(&a), str(&d), str(&a)]);
    assert_eq!(code(&output), 1);
    let counted = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(counted, format!("1\t{0}\n1\t{0}\n2\ttotal\n", str(&a)));
    assert!(said(&output).contains("none.csv") && said(&output).contains("d.parquet"));
}
