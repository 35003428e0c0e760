//! `--where`: rows by the values in them, of every format.

use serde_json::Value as Json;

use super::{code, out, rows_file, run, said, str};

/// Returns the lines of `cat` for which this is true.
fn lines(text: &str, is: impl Fn(&Json) -> bool) -> Vec<Json> {
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut rows: Vec<Json> = rows.filter(|row| is(row)).collect();
    // Avro has no instants in seconds: there it is a number.
    rows.iter_mut().for_each(|row| drop(row.as_object_mut().unwrap().remove("shipped")));
    rows
}

fn printed(args: &[&str]) -> Vec<Json> {
    lines(&out(args), |_| true)
}

#[test]
fn rows_of_every_format_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let csv = rows_file("parcels.csv");
    let all = out(&["cat", str(&csv)]);
    for format in ["csv", "trv", "avro", "parquet", "arrow", "arrows"] {
        let path = folder.path().join(format!("parcels.{format}"));
        out(&["convert", str(&csv), str(&path)]);
        let path = str(&path);
        let heavy = lines(&all, |row| {
            row["weight"].as_f64().is_some_and(|w| w > 10.5) && row["express"] == true
        });
        assert!(heavy.len() > 20 && heavy.len() < 200);
        let condition = "weight > 10.5 and express";
        assert!(printed(&["cat", path, "--where", condition]) == heavy, "{format}");
        assert_eq!(printed(&["head", path, "--where", condition]), heavy[..10], "{format}");
        assert_eq!(
            printed(&["cat", path, "--where", condition, "-n", "3"]),
            heavy[..3],
            "{format}"
        );
        assert_eq!(out(&["count", path, "--where", condition]), format!("{}\n", heavy.len()));
        assert_eq!(out(&["count", path]), "200\n", "{format}");
        assert_eq!(out(&["count", path, "--rows", "150.."]), "50\n", "{format}");
        let pattern = "city like 'São%' and customer not ilike '%MART_'";
        let some = lines(&all, |row| {
            row["city"].as_str().is_some_and(|city| city.starts_with("São"))
                && row["customer"].as_str().is_some_and(|name| !name.contains("Mart"))
        });
        assert!(!some.is_empty() && printed(&["cat", path, "--where", pattern]) == some);
        let columns = "weight * 100 > cents";
        assert_eq!(code(&run(&["cat", path, "--where", columns])), 2);
        let more = lines(&all, |row| {
            let (items, weight) = (row["items"].as_f64(), row["weight"].as_f64());
            items.zip(weight).is_some_and(|(items, weight)| items > weight)
        });
        assert!(!more.is_empty() && more.len() < 200);
        assert_eq!(printed(&["cat", path, "--where", "items > weight"]), more, "{format}");
        // Row numbers are those of the file; columns that only the predicate uses are not printed.
        let args = ["cat", path, "--where", condition, "--columns", "id,city", "--rows", "20..60"];
        let part = lines(&all, |row| (1020..1060).contains(&row["id"].as_i64().unwrap()));
        let part = part.iter().filter(|row| heavy.contains(row));
        let part: Vec<_> = part.map(|row| (row["id"].clone(), row["city"].clone())).collect();
        let found: Vec<_> = printed(&args)
            .into_iter()
            .map(|row| {
                assert!(row.as_object().unwrap().len() <= 2);
                (row["id"].clone(), row["city"].clone())
            })
            .collect();
        assert_eq!(found, part, "{format}");
        let to = folder.path().join("some.csv");
        let args = ["convert", path, str(&to), "--force", "--columns", "city", "--where"];
        out(&[&args[..], &["city in ('Oslo', 'Kraków') and shipped is null"]].concat());
        let oslo = lines(&all, |row| {
            ["Oslo", "Kraków"].iter().any(|city| row["city"] == *city) && row["shipped"].is_null()
        });
        let text = std::fs::read_to_string(&to).unwrap();
        assert_eq!((text.lines().next(), text.lines().count()), (Some("city"), oslo.len() + 1));
    }
    let visits = rows_file("visits.jsonl");
    let all = out(&["cat", str(&visits)]);
    let ada = lines(&all, |row| row["user"]["name"] == "Ada");
    assert_eq!(printed(&["cat", str(&visits), "--where", "user.name = 'Ada'"]), ada);
    let args = ["count", str(&visits), str(&visits), "--where", "user is null"];
    let nobody = lines(&all, |row| row["user"].is_null()).len();
    assert!(out(&args).ends_with(&format!("{}\ttotal\n", nobody * 2)));
}

#[test]
fn what_is_no_condition_is_the_callers_fault() {
    let folder = tempfile::tempdir().unwrap();
    let csv = rows_file("parcels.csv");
    let trv = folder.path().join("parcels.trv");
    out(&["convert", str(&csv), str(&trv)]);
    for path in [&csv, &trv] {
        for (condition, why) in [
            (
                "weight >> 10",
                "expected a literal or a column instead of `>`, at character 9\n  weight >> 10\n          ^",
            ),
            ("", "expected a column instead of the end,"),
            ("size = 1", "no column size: there are id, ordered, "),
            (
                "weight = 'much'",
                "column weight is Float64: it cannot be compared with the text 'much', but with a number",
            ),
        ] {
            for command in ["cat", "head", "count"] {
                let output = run(&[command, str(path), "--where", condition]);
                assert_eq!(code(&output), 2, "{condition}: {}", said(&output));
                assert!(said(&output).contains(why), "{}", said(&output));
                assert!(output.stdout.is_empty());
            }
        }
    }
}

#[test]
fn layout_shows_what_is_known_of_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let csv = rows_file("parcels.csv");
    let path = folder.path().join("parcels.trv");
    out(&["convert", str(&csv), str(&path), "--block-size", "100"]);
    let layout: Json = serde_json::from_str(&out(&["layout", "--json", str(&path)])).unwrap();
    let rows: Vec<Json> = printed(&["cat", str(&csv)]);
    let column = |name: &str| {
        let mut columns = layout["columns"].as_array().unwrap().iter();
        columns.find(|column| column["name"] == name).unwrap()["blocks"].as_array().unwrap().clone()
    };
    let blocks = column("id#value");
    assert!(blocks.len() > 1);
    for block in &blocks {
        let first = block["firstRow"].as_u64().unwrap() as usize;
        let ids = rows[first..first + block["rows"].as_u64().unwrap() as usize].iter();
        let ids: Vec<i64> = ids.map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(block["least"].as_i64(), ids.iter().min().copied());
        assert_eq!(block["greatest"].as_i64(), ids.iter().max().copied());
        assert_eq!((&block["nulls"], &block["exact"]), (&Json::from(0), &Json::from(true)));
    }
    let nulls: u64 =
        column("weight#value").iter().map(|block| block["nulls"].as_u64().unwrap()).sum();
    assert_eq!(nulls, rows.iter().filter(|row| row["weight"].is_null()).count() as u64);
    assert!(out(&["layout", str(&path)]).contains("nulls  least"));
    // Put together, and rewritten, files know the same; without, nothing.
    let both = folder.path().join("both.trv");
    out(&["concat", str(&both), str(&path), str(&path)]);
    let again = folder.path().join("again.trv");
    out(&["rewrite", str(&both), str(&again), "--codec", "null", "--block-size", "700"]);
    for path in [&both, &again] {
        assert!(out(&["layout", str(path)]).contains("nulls  least"));
        assert_eq!(out(&["count", str(path), "--where", "id = 1010"]), "2\n");
    }
    out(&["convert", str(&csv), str(&path), "--force", "--no-statistics"]);
    assert!(!out(&["layout", str(&path)]).contains("least"));
}
