//! `bench`: what it prints; never how long things take.

use serde_json::Value as Json;

use super::{code, out, rows_file, run, run_with, said, str};

const MEASURES: [&str; 5] = ["writeMs", "readMs", "columnMs", "rowsMs", "filterMs"];

fn bench(args: &[&str]) -> Json {
    let text = out(&[&["bench", "--rounds", "1", "--json"], args].concat());
    serde_json::from_str(&text).unwrap()
}

fn names(result: &Json) -> Vec<&str> {
    result["results"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect()
}

#[test]
fn measures_a_file_in_all_formats() {
    let quakes = rows_file("quakes.csv");
    let rows: u64 = out(&["count", str(&quakes)]).trim().parse().unwrap();
    let found = bench(&[str(&quakes)]);
    assert_eq!(found["rows"], rows);
    assert_eq!(found["limitedBy"], Json::Null);
    assert_eq!(found["scatteredRows"], rows.min(1000));
    assert_eq!(found["threads"], 1);
    assert_eq!(found["optimized"], !cfg!(debug_assertions));
    assert_eq!((&found["leftOut"], &found["rounds"]), (&serde_json::json!([]), &1.into()));
    assert!(!found["machine"]["cpu"].as_str().unwrap().is_empty());

    // The file holds what the command's own conversion makes.
    let dir = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for codec in ["snappy", "pack", "pack+zstd"] {
        if trevni::codec::Codec::from_name(codec).is_ok_and(trevni::codec::Codec::is_available) {
            let file = dir.path().join(format!("{codec}.trv"));
            out(&["convert", str(&quakes), str(&file), "--codec", codec]);
            expected.push((format!("trevni {codec}"), file.metadata().unwrap().len()));
        }
    }
    let results = found["results"].as_array().unwrap();
    for ((name, bytes), result) in expected.iter().zip(results) {
        assert_eq!(
            (result["name"].as_str(), result["bytes"].as_u64()),
            (Some(&**name), Some(*bytes))
        );
    }
    let parquet = results.iter().filter(|r| r["name"].as_str().unwrap().starts_with("parquet"));
    assert_eq!(parquet.count(), if cfg!(feature = "parquet") { 2 } else { 0 });
    for result in results {
        for measure in MEASURES {
            let time = |key: &str| result[measure][key].as_f64().unwrap();
            assert!(time("min") > 0.0 && time("min") <= time("median"), "{result}");
            assert!(time("median") <= time("max"), "{result}");
        }
    }
}

#[test]
fn the_filter_keeps_what_count_counts() {
    let quakes = rows_file("quakes.csv");
    let kept = |condition: &str| -> u64 {
        out(&["count", str(&quakes), "--where", condition]).trim().parse().unwrap()
    };
    let chosen = bench(&[str(&quakes)])["filter"].clone();
    assert_eq!(chosen["rows"], kept(chosen["where"].as_str().unwrap()));
    assert_ne!(chosen["rows"], 0);
    let given = bench(&[str(&quakes), "--where", "magnitude > 5 and depth_km < 100"]);
    assert_eq!(given["filter"]["where"], "magnitude > 5 and depth_km < 100");
    assert_eq!(given["filter"]["rows"], kept("magnitude > 5 and depth_km < 100"));
}

/// Returns the filter that is chosen for a table of one column.
fn chosen(values: impl arrow::array::Array + 'static) -> Json {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.arrow");
    write_arrow(&path, vec![("v", std::sync::Arc::new(values))]);
    bench(&[str(&path)])["filter"].clone()
}

fn write_arrow(path: &std::path::Path, columns: Vec<(&str, arrow::array::ArrayRef)>) {
    let batch = arrow::array::RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_filter_is_chosen_by_the_values() {
    use arrow::array::{
        BooleanArray, Decimal128Array, Float64Array, Int64Array, LargeStringArray, NullArray,
        StringViewArray, TimestampSecondArray,
    };
    use serde_json::json;

    // 0 to 4999, shuffled: the largest hundredth begins at 4949.
    let numbers = || (0..5000).map(|n| n * 1777 % 5000);
    let words: Vec<_> = numbers().map(|n| format!("it's {}", n % 100)).collect();
    let cents = Decimal128Array::from_iter_values(numbers().map(i128::from));
    let decimals = cents.with_precision_and_scale(9, 2).unwrap();
    let seconds = TimestampSecondArray::from_iter_values(numbers()).with_timezone("+00:00");
    for (found, condition, rows) in [
        (chosen(Int64Array::from_iter_values(numbers())), json!("v >= 4949"), 51),
        (chosen(decimals), json!("v >= 49.49"), 51),
        (chosen(seconds), json!("v >= '1970-01-01T01:22:29Z'"), 51),
        (chosen(LargeStringArray::from_iter_values(&words)), json!("v = 'it''s 0'"), 50),
        (chosen(StringViewArray::from_iter_values(&words)), json!("v = 'it''s 0'"), 50),
    ] {
        assert_eq!((&found["where"], &found["rows"]), (&condition, &rows.into()));
    }
    // NaN is above all numbers for us, and in no statistics of Parquet.
    assert_eq!(chosen(Float64Array::from(vec![f64::NAN, 1.0, 2.0])), Json::Null);
    assert_eq!(chosen(BooleanArray::from(vec![true, false])), Json::Null);
    assert_eq!(chosen(NullArray::new(3)), Json::Null);
}

#[test]
fn columns_and_rows_can_be_chosen() {
    let quakes = rows_file("quakes.csv");
    let found =
        bench(&[str(&quakes), "--columns", "magnitude,place", "--column", "place", "--rows", "3"]);
    assert_eq!((&found["columns"], &found["rows"]), (&2.into(), &3.into()));
    assert_eq!((&found["column"], &found["limitedBy"]), (&"place".into(), &"rows".into()));
    assert_eq!(found["scatteredRows"], 3);
}

#[test]
fn reading_stops_where_memory_ends() {
    let lines: String = (0..30_000).map(|n| format!("{n},x{n}\n")).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.csv");
    std::fs::write(&path, format!("n,t\n{lines}")).unwrap();
    let found = bench(&[str(&path), "--memory", "100k"]);
    assert_eq!((&found["limitedBy"], &found["rows"]), (&"memory".into(), &8192.into()));
    assert_eq!(bench(&[str(&path)])["rows"], 30_000);
}

#[cfg(feature = "parquet")]
#[test]
fn what_a_format_cannot_hold_is_left_out_and_named() {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array, IntervalMonthDayNanoArray};
    use arrow::datatypes::IntervalMonthDayNano;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spans.arrow");
    let spans = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, 3); 4]);
    let columns: Vec<(_, ArrayRef)> =
        vec![("span", Arc::new(spans)), ("n", Arc::new(Int32Array::from(vec![1, 2, 3, 4])))];
    write_arrow(&path, columns);

    let found = bench(&[str(&path)]);
    assert_eq!((&found["columns"], &found["column"]), (&1.into(), &"n".into()));
    assert_eq!(found["leftOut"][0]["column"], "span");
    let reason = found["leftOut"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("Parquet cannot hold intervals"), "{reason}");
    assert_eq!(names(&found).len(), 5);
    let text = out(&["bench", "--rounds", "1", str(&path)]);
    assert!(text.contains("Left out: column span, "), "{text}");
    // Alone it leaves nothing to measure.
    let output = run(&["bench", str(&path), "--columns", "span"]);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("no column that all formats hold"), "{}", said(&output));
}

#[test]
fn the_table_names_each_measure() {
    let quakes = rows_file("quakes.csv");
    let text = out(&["bench", "--rounds", "1", str(&quakes)]);
    let titles =
        ["size, MB", "write", "read all", "read one column, ", "scattered rows", "filter, "];
    let mut rest = text.as_str();
    for title in titles {
        let (_, after) = rest.split_once(title).unwrap_or_else(|| panic!("{title}: {text}"));
        rest = after;
        assert!(after.trim_start().contains("trevni pack"), "{title}: {text}");
    }
    assert!(text.contains('█') && text.lines().all(|line| line.chars().count() < 160), "{text}");
}

#[test]
fn bad_calls_are_refused() {
    let quakes = rows_file("quakes.csv");
    for (args, exit, says) in [
        (vec!["--column", "nobody"], 2, "no column \"nobody\": there are "),
        (vec!["--where", "nobody > 1"], 2, "nobody"),
        (vec!["--rounds", "0"], 2, "--rounds"),
        (vec!["--rows", "0"], 2, "--rows"),
    ] {
        let output = run(&[&["bench", str(&quakes)], args.as_slice()].concat());
        assert_eq!(code(&output), exit, "{args:?}: {}", said(&output));
        assert!(said(&output).contains(says), "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty());
    }
    let output = run_with(&["bench", "--from", "csv", "-"], b"a,b\n");
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("no rows"), "{}", said(&output));
}

#[test]
fn an_unoptimized_build_says_so() {
    let output = run(&["bench", "--rounds", "1", str(&rows_file("quakes.csv"))]);
    assert_eq!(said(&output).contains("without optimization"), cfg!(debug_assertions));
}
