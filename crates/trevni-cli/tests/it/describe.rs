//! `describe`: profiles of columns.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use serde_json::{Value as Json, json};

use super::{code, out, run, run_with, said, str};

/// Returns a file of 10,000 rows with columns of many kinds.
fn file(folder: &std::path::Path) -> String {
    let rows = 10_000i64;
    let dictionary: DictionaryArray<Int8Type> =
        (0..rows).map(|i| if i % 10 == 0 { "rare" } else { "common" }).collect();
    let times = TimestampSecondArray::from_iter_values((0..rows).map(|i| i * 60));
    let float = |i: i64| match i % 100 {
        0 => None,
        1 => Some(f64::NAN),
        _ => Some(i as f64 / 2.0),
    };
    let list = ListArray::from_iter_primitive::<Int8Type, _, _>(
        (0..rows).map(|i| (i % 2 == 0).then(|| vec![Some(1)])),
    );
    let decimals = Decimal128Array::from_iter_values((0..rows).map(i128::from));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..rows))),
        ("float", Arc::new(Float64Array::from_iter((0..rows).map(float)))),
        ("kind", Arc::new(dictionary)),
        ("at", Arc::new(times.with_timezone("Europe/Berlin"))),
        ("price", Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())),
        ("list", Arc::new(list)),
        ("nothing", Arc::new(NullArray::new(10_000))),
        ("bytes", Arc::new(BinaryArray::from_iter_values((0..rows).map(|i| [i as u8])))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let path = folder.join("x.arrow");
    write_arrow(&path, &batch.unwrap());
    str(&path).to_owned()
}

fn write_arrow(path: &std::path::Path, batch: &RecordBatch) {
    let to = std::fs::File::create(path).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(to, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// Returns whether a number is near another: within two in a hundred.
fn is_near(value: &Json, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value / expected - 1.0).abs() < 0.02)
}

#[test]
fn columns_of_every_kind_are_described() {
    let folder = tempfile::tempdir().unwrap();
    let arrow = file(folder.path());
    for format in ["arrow", "trv", "parquet"] {
        let path = folder.path().join(format!("x.{format}"));
        if format != "arrow" {
            out(&["convert", &arrow, str(&path)]);
        }
        for batch_size in ["8192", "333"] {
            let args = ["describe", "--json", "--batch-size", batch_size, str(&path)];
            let all: Json = serde_json::from_str(&out(&args)).unwrap();
            let of = |name: &str| -> Json {
                let columns = all["columns"].as_array().unwrap();
                columns.iter().find(|column| column["name"] == name).unwrap().clone()
            };
            assert_eq!(all["rows"], 10_000);
            let id = of("id");
            assert_eq!(
                (&id["nulls"], &id["min"], &id["max"]),
                (&json!(0), &json!(0), &json!(9999))
            );
            assert!(is_near(&id["distinct"], 1e4) && is_near(&id["mean"], 4999.5), "{id}");
            let counts = id["histogram"]["counts"].as_array().unwrap();
            assert!(
                counts.len() == 16
                    && counts.iter().all(|n| (n.as_f64().unwrap() - 625.0).abs() < 40.0)
            );
            let float = of("float");
            assert_eq!((&float["nulls"], &float["min"]), (&json!(100), &json!(1.0)));
            assert_eq!(float["max"], json!(4999.5));
            assert!(is_near(&float["distinct"], 9801.0), "{float}");
            let kind = of("kind");
            let top = json!([{"value": "common", "count": 9000}, {"value": "rare", "count": 1000}]);
            assert_eq!((&kind["distinct"], &kind["top"]), (&json!(2), &top));
            let at = of("at");
            assert_eq!(at["min"], "1970-01-01T01:00:00+01:00");
            assert_eq!(at["max"], "1970-01-07T23:39:00+01:00");
            assert_eq!(at["mean"], "1970-01-04T12:19:30+01:00");
            assert_eq!(of("price")["max"], json!(99.99));
            assert!(is_near(&of("price")["mean"], 49.995));
            assert_eq!(of("list")["nulls"], 5000);
            assert!(of("list").get("distinct").is_none());
            assert_eq!(of("nothing")["nulls"], 10_000);
            assert_eq!(
                (of("bytes")["distinct"].as_u64(), &of("bytes")["max"]),
                (Some(256), &json!("ff"))
            );
        }
    }
}

#[test]
fn a_description_is_a_few_lines_a_column() {
    let csv = b"n,word,none\n1,a\"b,\n2,a\"b,\n3,\x1b[2J,\n";
    let output = run_with(&["describe", "--from", "csv", "-"], csv);
    let expected = "\
standard input: 3 rows, 3 columns

n     Int64  no nulls, 3 distinct
      1 to 3, mean 2.0000
      █       █      █

word  Utf8  no nulls, 2 distinct
      \\u{1b}[2J to a\"b
      a\"b 67%, \\u{1b}[2J 33%

none  Utf8  3 nulls, 0 distinct
";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let empty = run_with(&["describe", "--from", "csv", "-"], b"a,b\n");
    assert_eq!(
        String::from_utf8(empty.stdout).unwrap(),
        "standard input: 0 rows, 2 columns\n\na  Utf8  no nulls, 0 distinct\n\nb  Utf8  no nulls, 0 distinct\n"
    );
}

#[test]
fn pages_hold_what_is_known_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    out(&["convert", "testdata/rows/quakes.csv", str(&at("x.trv"))]);
    let page = out(&["describe", "--html", "-", str(&at("x.trv"))]);
    let count = |text: &str| page.matches(text).count();
    assert_eq!((count("<section"), count("</section>"), count("<html")), (10, 10, 1));
    assert_eq!((count("<h2>Bytes by column</h2>"), count("<h2>Blocks</h2>")), (1, 1));
    assert!(page.contains("<dt>max</dt><dd>2024-03-28T23:39:33.892Z</dd>"), "{page}");
    for other in ["://", "src=", "url(", "<script", "@import"] {
        assert!(!page.contains(other), "{other}");
    }
    // Of other formats, nothing is known of blocks.
    let output =
        run_with(&["describe", "--html", "-", "-", "--from", "csv"], b"<b>,b\n\x1b[2J,2\n");
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("<h3>&lt;b&gt;</h3>") && page.contains("\\u{1b}[2J"), "{page}");
    assert!(!page.contains("<b>") && !page.contains("<h2>Blocks"), "{page}");
}

#[test]
fn pages_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("x.html");
    std::fs::write(&page, "before").unwrap();
    let args = ["describe", "testdata/rows/quakes.csv", "--html", str(&page)];
    let output = run(&args);
    assert_eq!(code(&output), 1, "{}", said(&output));
    assert!(said(&output).contains("exists"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "before");
    out(&[&args[..], &["--force"]].concat());
    assert!(std::fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    assert_eq!(code(&run(&[&args[..], &["--force", "--json"]].concat())), 2);
    // Nothing is left of a page of rows that cannot be read.
    let missing = folder.path().join("y.html");
    assert_eq!(code(&run(&["describe", "no.csv", "--html", str(&missing)])), 1);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[test]
fn pages_say_where_the_bytes_of_columns_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["x.trv", "x.parquet"] {
        out(&["convert", "testdata/rows/quakes.csv", str(&at(name))]);
    }
    let to = std::fs::File::create(at("x.trv.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(to, flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &std::fs::read(at("x.trv")).unwrap()).unwrap();
    gzip.finish().unwrap();
    // A text that begins as Trevni files do is none.
    std::fs::write(at("x.csv"), "Trv\n1\n").unwrap();
    let grouped = |bytes: u64| {
        let digits = bytes.to_string();
        let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
        if head.is_empty() { digits } else { format!("{head}\u{202f}{tail}") }
    };
    for (name, sizes, blocks, others) in [
        ("x.trv", 1, 1, ">header<"),
        ("x.parquet", 1, 0, ">footer, indexes<"),
        ("x.trv.gz", 0, 0, ""),
        ("x.csv", 0, 0, ""),
    ] {
        let page = out(&["describe", "--html", "-", str(&at(name))]);
        let count = |text: &str| page.matches(text).count();
        let found = (count("<h2>Bytes by column</h2>"), count("<h2>Blocks</h2>"));
        assert_eq!(found, (sizes, blocks), "{name}");
        assert!(page.contains(others), "{name}");
        let bytes = at(name).metadata().unwrap().len();
        assert!(page.contains(&format!(", {} bytes</p>", grouped(bytes))), "{name}");
        // Every picture has a description.
        assert_eq!(count("<svg "), count("role=\"img\" aria-label=\"") - count("class=\"nulls\""));
    }
    // The sizes of Parquet's columns and the rest sum up to the file.
    let page = out(&["describe", "--html", "-", str(&at("x.parquet"))]);
    let (_, sizes) = page.split_once("<table class=\"sizes\">").unwrap();
    let rows = sizes.split("<tr>").skip(2);
    let bytes = rows.map(|row| {
        let (_, cell) = row.split_once("<td class=\"n\">").unwrap();
        cell.split('<').next().unwrap().replace('\u{202f}', "").parse::<u64>().unwrap()
    });
    assert_eq!(bytes.sum::<u64>(), at("x.parquet").metadata().unwrap().len());
}

#[test]
fn pages_of_many_blocks_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let (from, path) = (folder.path().join("x.arrow"), folder.path().join("x.trv"));
    let values = Float64Array::from_iter_values((0..30_000).map(|row| f64::from(row) / 7.0));
    let column = |n: usize| (format!("c{n}"), Arc::new(values.clone()) as ArrayRef, false);
    let batch = RecordBatch::try_from_iter_with_nullable((0..20).map(column)).unwrap();
    write_arrow(&from, &batch);
    out(&["convert", str(&from), str(&path), "--block-size", "256"]);
    let layout: Json = serde_json::from_str(&out(&["layout", "--json", str(&path)])).unwrap();
    let columns = layout["columns"].as_array().unwrap().iter();
    let blocks: usize = columns.map(|column| column["blocks"].as_array().unwrap().len()).sum();
    assert!(blocks > 10_000, "{blocks}");
    let page = out(&["describe", "--html", "-", str(&path)]);
    assert!(page.len() < 2_000_000, "{}", page.len());
    // Neighbors are shown as one, and none is left out.
    let shown = page.matches(": rows ").count();
    assert!((1000..10_000).contains(&shown), "{shown}");
    assert!(page.contains("to 30000, offset"), "the last rows");
}

/// A file of twelve kilobytes has more rows of nulls than can be read one by one.
#[test]
fn nulls_are_described_by_their_number() {
    let path = trevni_testing::data::selected("odd/null_rows.trv");
    let profile: Json = serde_json::from_str(&out(&["describe", "--json", str(&path)])).unwrap();
    let rows = 4_294_967_295_000u64;
    assert_eq!((&profile["rows"], &profile["columns"][0]["nulls"]), (&json!(rows), &json!(rows)));
}
