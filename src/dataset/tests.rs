//! Complete data sets: rows round-trip for every scan and file size.

#![allow(clippy::cast_possible_truncation)]

mod commits;
pub(super) mod crash;
mod evolution;
#[cfg(feature = "object_store")]
mod kept_settings;
mod random;
mod spec;
mod vacuum;
#[cfg(feature = "object_store")]
mod write_id;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::*;
use arrow::compute::concat_batches;
use arrow::datatypes::*;

use super::*;
use crate::arrow::{ArrowWriter, Predicate};

/// Returns the rows of ids from here to there, with a city and a year.
fn rows(ids: std::ops::Range<i64>) -> RecordBatch {
    let city = |id: i64| match id % 5 {
        0 => None,
        1 => Some(""),
        2 => Some("Ulm b"),
        _ => Some("Bonn"),
    };
    let years = ids.clone().map(|id| 2020 + id % 3);
    let cities: StringArray = ids.clone().map(city).collect();
    let values = ids.clone().map(|id| (id % 7 != 0).then_some(id as f64 / 2.0));
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(ids.clone())), false),
        ("city", Arc::new(cities), true),
        ("year", Arc::new(years.map(|year| year as i16).collect::<Int16Array>()), true),
        ("value", Arc::new(values.collect::<Float64Array>()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn write(path: &Path, batches: &[RecordBatch], properties: DatasetProperties) -> DatasetSummary {
    let mut writer = DatasetWriter::try_new(path, batches[0].schema(), properties).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap()
}

fn read(path: &Path) -> RecordBatch {
    collect(Dataset::open(path).unwrap().scan())
}

fn collect(scan: DatasetScan<Folder>) -> RecordBatch {
    let reader = scan.build().unwrap();
    let schema = reader.schema();
    let batches: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
    concat_batches(&schema, &batches).unwrap()
}

/// Returns the ids that are read, sorted.
fn ids(batch: &RecordBatch) -> Vec<i64> {
    let column = batch.column_by_name("id").unwrap().as_primitive::<Int64Type>().clone();
    let mut ids: Vec<i64> = column.values().to_vec();
    ids.sort_unstable();
    ids
}

/// Files in a folder, and below, that are no commits.
fn files_in(path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("_commits") => {}
            true => found.extend(files_in(&path)),
            false => found.push(path.display().to_string()),
        }
    }
    found
}

#[test]
fn files_end_at_rows_and_at_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(0..100_000);
    let properties = DatasetProperties::builder().set_max_rows_per_file(30_000).build();
    let summary = write(&folder.path().join("rows"), std::slice::from_ref(&all), properties);
    let counts: Vec<_> = summary.files.iter().map(DataFile::rows).collect();
    assert_eq!(
        (counts, summary.rows, summary.commit),
        (vec![30_000, 30_000, 30_000, 10_000], 100_000, 1)
    );
    assert_eq!(read(&folder.path().join("rows")), all);

    let properties = DatasetProperties::builder().set_target_file_size(200_000).build();
    let summary = write(&folder.path().join("bytes"), std::slice::from_ref(&all), properties);
    assert!(summary.files.len() >= 3, "{summary:?}");
    let (_, full) = summary.files.split_last().unwrap();
    assert!(full.iter().all(|file| (200_000..500_000).contains(&file.bytes())), "{full:?}");
    assert_eq!(read(&folder.path().join("bytes")), all);
}

#[test]
fn partitions_are_folders_and_come_back_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(0..1000);
    let by = |names: &[&str]| DatasetProperties::builder().set_partition_by(names.to_vec()).build();
    let summary = write(folder.path(), std::slice::from_ref(&all), by(&["year", "city"]));
    assert_eq!(summary.files.len(), 3 * 4);
    let paths = summary.files.iter().map(|file| file.path().rsplit_once('/').unwrap().0.to_owned());
    let paths: Vec<_> = paths.collect();
    assert!(paths.contains(&"year=2020/city=__HIVE_DEFAULT_PARTITION__".to_owned()), "{paths:?}");
    assert!(
        paths.contains(&"year=2022/city=Ulm%20b".to_owned())
            && paths.contains(&"year=2021/city=".to_owned())
    );
    let table = Dataset::open(folder.path()).unwrap();
    assert_eq!((table.schema(), table.rows(), table.partitions().len()), (&all.schema(), 1000, 2));
    let expected =
        |keep: &dyn Fn(i64) -> bool| (0..1000).filter(|id| keep(*id)).collect::<Vec<_>>();
    assert_eq!(ids(&collect(table.scan())), expected(&|_| true));
    for (text, files, keep) in [
        ("year = 2021", 4, (|id| id % 3 == 1) as fn(i64) -> bool),
        ("year in (2020, 2021) and city is null", 2, |id| id % 3 < 2 && id % 5 == 0),
        ("city = 'Ulm b' and id < 100", 3, |id| id % 5 == 2 && id < 100),
        ("city = '' or year = 2022", 6, |id| id % 5 == 1 || id % 3 == 2),
        ("year = 2021 or id = 0", 5, |id| id % 3 == 1 || id == 0),
        ("not (year < 2022) and value is null", 4, |id| id % 3 == 2 && id % 7 == 0),
        ("year > 2030", 0, |_| false),
    ] {
        let scan = table.scan().with_predicate(Predicate::parse(text).unwrap());
        assert_eq!(scan.files().unwrap().len(), files, "{text}");
        assert_eq!(ids(&collect(scan)), expected(&keep), "{text}");
    }
    let scan = table
        .scan()
        .with_projection(["year"])
        .with_predicate(Predicate::parse("city = ''").unwrap());
    let years = collect(scan);
    assert_eq!((years.num_columns(), years.num_rows()), (1, 200));
    let none: [&str; 0] = [];
    assert_eq!(collect(table.scan().with_projection(none)).num_rows(), 1000);
    // Existing files are added; others are refused.
    let summary = write(folder.path(), &[rows(1000..1001)], DatasetProperties::default());
    assert!(summary.files[0].path().starts_with("year=2021/city=__HIVE"), "{summary:?}");
    let e = DatasetWriter::try_new(folder.path(), all.schema(), by(&["year"])).unwrap_err();
    assert!(
        e.to_string().contains("partitioned by year, city, the rows that are added by year"),
        "{e}"
    );
    for (names, what) in
        [(&["value"][..], "partitions are of"), (&["x"], "no column"), (&["id", "id"], "twice")]
    {
        let other = folder.path().join("other");
        let e = DatasetWriter::try_new(other, all.schema(), by(names)).unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
    }
}

#[test]
fn many_open_files_end_early_where_memory_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let properties =
        DatasetProperties::builder().set_partition_by(["year"]).set_memory_budget(100_000);
    let batches: Vec<_> = (0..100).map(|i| rows(i * 1000..(i + 1) * 1000)).collect();
    let summary = write(folder.path(), &batches, properties.build());
    assert!(summary.files.len() > 6, "{}", summary.files.len());
    assert_eq!(ids(&read(folder.path())), (0..100_000).collect::<Vec<_>>());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let properties = || DatasetProperties::builder().set_max_rows_per_file(10).build();
    let start =
        |path: &Path| DatasetWriter::try_new(path, rows(0..1).schema(), properties()).unwrap();
    let path = folder.path().join("new");
    let mut writer = start(&path);
    writer.write(&rows(0..5)).unwrap();
    drop(writer);
    assert!(!path.exists());
    let mut writer = start(&path);
    writer.write(&rows(0..95)).unwrap();
    assert_eq!(files_in(&path).len(), 9);
    drop(writer);
    assert!(files_in(&path).is_empty());
    let e = Dataset::open(&path).unwrap_err();
    assert!(
        matches!(e.kind(), crate::ErrorKind::Io(e) if e.kind() == std::io::ErrorKind::NotFound),
        "{e}"
    );

    write(&path, &[rows(0..7)], properties());
    let mut writer = start(&path);
    writer.write(&rows(7..95)).unwrap();
    assert_eq!(ids(&read(&path)), (0..7).collect::<Vec<_>>());
    drop(writer);
    assert_eq!(ids(&read(&path)), (0..7).collect::<Vec<_>>());
    assert_eq!(files_in(&path).len(), 1);
}

#[test]
fn a_table_without_rows_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let schema = rows(0..1).schema();
    let writer =
        DatasetWriter::try_new(folder.path(), schema.clone(), DatasetProperties::default());
    assert!(writer.unwrap().finish().unwrap().files.is_empty());
    assert_eq!(read(folder.path()), RecordBatch::new_empty(schema));
    assert!(Dataset::is_one(folder.path()) && !Dataset::is_one(folder.path().join("x")));
}

#[test]
fn rows_of_another_schema_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let schema = rows(0..1).project(&[0]).unwrap().schema();
    let mut writer =
        DatasetWriter::try_new(folder.path(), schema, DatasetProperties::default()).unwrap();
    assert!(writer.write(&rows(0..1)).is_err());
}
