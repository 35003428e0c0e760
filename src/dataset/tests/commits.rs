//! Commits: which are used, and the errors of bad ones.

use super::*;
use crate::dataset::commit::Commit;
use crate::dataset::file_statistics::ColumnBounds;

fn put(folder: &Path, number: u64, commit: &Commit) {
    std::fs::create_dir_all(folder.join("_commits")).unwrap();
    std::fs::write(folder.join(file_names::commit(number)), commit.encode().unwrap()).unwrap();
}

fn properties() -> DatasetProperties {
    DatasetProperties::default()
}

#[test]
fn commits_add_up_until_one_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for first in [0, 10, 20] {
        write(path, &[rows(first..first + 10)], properties());
    }
    let before = Dataset::open(path).unwrap();
    assert_eq!((before.commit(), before.rows()), (Some(3), 30));
    let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite);
    let other = rows(0..4).project(&[0]).unwrap();
    write(path, std::slice::from_ref(&other), replace.build());
    assert_eq!(read(path), other);
    // A data set that was opened before is unchanged.
    assert_eq!(ids(&collect(before.scan())), (0..30).collect::<Vec<_>>());
    write(path, &[rows(4..6).project(&[0]).unwrap()], properties());
    assert_eq!(ids(&read(path)), (0..6).collect::<Vec<_>>());
}

#[test]
fn a_data_set_is_read_as_it_was_after_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for first in [0, 10] {
        write(path, &[rows(first..first + 10)], properties());
    }
    let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite).build();
    write(path, &[rows(40..44)], replace);
    let list = Dataset::commits(path).unwrap();
    let list: Vec<_> = list.iter().map(|c| (c.number, c.replaces, c.rows, c.files)).collect();
    assert_eq!(list, [(0, false, 0, 0), (1, false, 10, 1), (2, false, 10, 1), (3, true, 4, 1)]);
    for (commit, expected) in [(1, 0..10), (2, 0..20), (3, 40..44)] {
        let table = Dataset::open_at(path, commit).unwrap();
        assert_eq!(table.commit(), Some(commit));
        assert_eq!(ids(&collect(table.scan())), expected.collect::<Vec<_>>());
    }
    for commit in [0, 4] {
        let e = Dataset::open_at(path, commit).unwrap_err();
        assert!(e.to_string().ends_with(&format!("no commit {commit} with rows")), "{e}");
    }
    Dataset::remove_replaced(path).unwrap();
    assert!(Dataset::open_at(path, 2).is_err());
    assert_eq!(Dataset::commits(path).unwrap().len(), 1);
}

#[test]
fn statistics_of_commits_are_compared_with_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[rows(3..40)], properties());
    let verify = || -> Vec<String> {
        let faults = Dataset::open(path).unwrap().verify_statistics().unwrap();
        faults.iter().map(ToString::to_string).collect()
    };
    assert_eq!(verify(), [""; 0]);
    let at = path.join(file_names::commit(1));
    let right = Commit::decode(std::fs::read(&at).unwrap().into()).unwrap();
    let column = right.bounds.iter().position(|bounds| bounds.name == "id").unwrap();
    let one = |value: i64| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    type Change = fn(&mut ColumnBounds, ArrayRef);
    let wrong: [(Change, i64, &str); 5] = [
        (|bounds, value| bounds.min = value, 2, "no row has the minimum of the commit"),
        (|bounds, value| bounds.min = value, 4, "a value exceeds the minimum of the commit"),
        (|bounds, value| bounds.max = value, 38, "a value exceeds the maximum of the commit"),
        (|bounds, value| bounds.max = value, 40, "no row has the maximum of the commit"),
        (|bounds, _| bounds.nulls = vec![1].into(), 0, "0 nulls, but 1 by the commit"),
    ];
    for (change, value, expected) in wrong {
        let mut commit = Commit::decode(right.encode().unwrap().into()).unwrap();
        change(&mut commit.bounds[column], one(value));
        std::fs::write(&at, commit.encode().unwrap()).unwrap();
        let found = verify();
        assert_eq!(found.len(), 1, "{found:?}");
        let expected = format!("column \"id\": malformed: {expected}");
        assert!(found[0].ends_with(&expected), "{found:?}");
    }
}

#[test]
fn what_is_committed_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for first in [0, 10] {
        let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite).build();
        let mut writer = DatasetWriter::try_new(path, rows(0..1).schema(), replace).unwrap();
        writer.write(&rows(90..99)).unwrap();
        write(path, &[rows(first..first + 10)], properties());
        let e = writer.finish().unwrap_err().to_string();
        assert!(
            e.ends_with("was made since this write began, which would replace its rows"),
            "{e}"
        );
        assert_eq!(ids(&read(path)), (0..first + 10).collect::<Vec<_>>());
        assert_eq!(files_in(path).len() as i64, first / 10 + 1);
    }
}

#[test]
fn dictionaries_partition_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (mut all, mut summary) = (Vec::new(), 0);
    // More folders than keys can count; a batch has fewer.
    for batch in 0..20 {
        let names = (0..10).map(|n| (n > 0).then(|| format!("v{}", batch * 10 + n)));
        let keys: DictionaryArray<Int8Type> =
            names.clone().collect::<Vec<_>>().iter().map(|name| name.as_deref()).collect();
        all.extend(names);
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(batch * 10..batch * 10 + 10));
        let columns = [("id", ids), ("name", Arc::new(keys) as ArrayRef)];
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        );
        let properties = DatasetProperties::builder().set_partition_by(["name"]).build();
        summary += write(path, &[batch.unwrap()], properties).files.len();
    }
    assert_eq!(summary, 200);
    let table = Dataset::open(path).unwrap();
    let mut found = Vec::new();
    for batch in table.scan().build().unwrap() {
        let batch = batch.unwrap();
        let names = arrow::compute::cast(batch.column(1), &DataType::Utf8).unwrap();
        let names = names.as_string::<i32>().iter().map(|name| name.map(str::to_owned));
        found.extend(ids(&batch).into_iter().zip(names));
    }
    found.sort_unstable();
    assert_eq!(found, (0..200).zip(all).collect::<Vec<_>>());
    let scan = table.scan().with_predicate(Predicate::parse("name = 'v137'").unwrap());
    assert_eq!(scan.files().unwrap().len(), 1);
    assert_eq!(ids(&collect(scan)), [137]);
}

#[test]
fn plain_files_are_a_data_set_and_are_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let file = |name: &str, batch: &RecordBatch| {
        let at = path.join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        let file = std::fs::File::create(at).unwrap();
        let mut writer = crate::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
    };
    let inner = |ids| rows(ids).project(&[0, 3]).unwrap();
    file("year=2021/b.trv", &inner(10..20));
    file("year=2020/a.trv", &inner(0..10));
    file("_hidden/c.trv", &inner(20..30));
    file("year=2021/.d.trv", &inner(30..40));
    std::fs::write(path.join("README"), "no rows").unwrap();
    assert!(Dataset::is_one(path));
    let table = Dataset::open(path).unwrap();
    assert_eq!((table.commit(), table.rows()), (None, 20));
    let year = table.schema().field_with_name("year").unwrap();
    assert_eq!((year.data_type(), table.schema().index_of("year").unwrap()), (&DataType::Int64, 2));
    let scan = table.scan().with_predicate(Predicate::parse("year = 2021").unwrap());
    assert_eq!(scan.files().unwrap()[0].path(), "year=2021/b.trv");
    assert_eq!(ids(&collect(scan)), (10..20).collect::<Vec<_>>());
    assert!(Dataset::vacuum(path, Duration::ZERO).is_err());

    let year: ArrayRef = Arc::new(Int64Array::from(vec![2022; 5]));
    let inside = inner(40..45);
    let columns = [("id", inside.column(0)), ("value", inside.column(1)), ("year", &year)];
    let more =
        RecordBatch::try_from_iter(columns.map(|(name, column)| (name, column.clone()))).unwrap();
    let summary = write(path, &[more], properties());
    assert!(summary.files[0].path().starts_with("year=2022/"));
    // From here on only files that commits name are visible.
    file("year=2021/late.trv", &inner(90..99));
    assert_eq!(ids(&read(path)), (0..20).chain(40..45).collect::<Vec<_>>());
    file("year=2023/conflict.trv", &rows(0..1).project(&[1]).unwrap());
    assert_eq!(Dataset::open(path).unwrap().rows(), 25);
}

#[test]
fn two_writers_at_once_both_land() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            scope.spawn(move || {
                for turn in 0..5 {
                    let first = writer * 1000 + turn * 10;
                    let properties = DatasetProperties::builder().set_max_rows_per_file(4).build();
                    write(path, &[rows(first..first + 10)], properties);
                }
            });
        }
    });
    let expected: Vec<i64> = (0..8)
        .flat_map(|writer| {
            (0..5).flat_map(move |turn| (0..10).map(move |i| writer * 1000 + turn * 10 + i))
        })
        .collect();
    assert_eq!(ids(&read(path)), expected);
    assert_eq!(Dataset::open(path).unwrap().commit(), Some(40));
}

#[test]
fn hostile_commits_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let summary = write(path, &[rows(0..10)], properties());
    let good = Commit {
        schema: Some(rows(0..1).schema()),
        files: summary.files.clone(),
        ..Commit::default()
    };
    let with = |file: DataFile| Commit { files: vec![file], ..good.clone() };
    let file = summary.files[0].clone();
    for other in ["../x.trv", "/etc/passwd", "a//b.trv", "a/./b.trv", "", "a\\b.trv"] {
        put(path, 2, &with(DataFile { path: other.into(), ..file.clone() }));
        let e = Dataset::open(path).unwrap_err().to_string();
        assert!(e.starts_with("_commits/00000000000000000002.trv: malformed"), "{e}");
    }
    // Another number of rows than the file has, and a missing file.
    put(path, 2, &with(DataFile { rows: 11, ..file.clone() }));
    let read =
        || Dataset::open(path).unwrap().scan().build().unwrap().collect::<Result<Vec<_>, _>>();
    let e = read().unwrap_err().to_string();
    assert!(e.contains("10 rows, but the commit says 11") && e.contains("part-"), "{e}");
    put(path, 2, &with(DataFile { path: "gone.trv".into(), ..file.clone() }));
    assert!(read().unwrap_err().to_string().contains("gone.trv"));
    // Sums of rows that no number holds.
    put(path, 2, &with(DataFile { rows: u64::MAX, ..file.clone() }));
    assert_eq!(Dataset::open(path).unwrap().rows(), u64::MAX);
    let scan = Dataset::open(path).unwrap().scan().with_row_range(5..u64::MAX).with_parallelism(2);
    assert!(scan.clone().with_offset(u64::MAX).build().unwrap().next().is_none());
    drop(scan);
    // One is missing.
    std::fs::rename(path.join(file_names::commit(2)), path.join(file_names::commit(3))).unwrap();
    let e = Dataset::open(path).unwrap_err().to_string();
    assert!(e.contains("commit 2 is missing"), "{e}");
    std::fs::remove_file(path.join(file_names::commit(3))).unwrap();
    std::fs::remove_file(path.join(file_names::commit(0))).unwrap();
    assert!(Dataset::open(path).unwrap_err().to_string().contains("commit 0 is missing"));
}

#[test]
fn what_is_no_commit_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let summary = write(path, &[rows(0..10)], properties());
    let at = path.join(file_names::commit(summary.commit));
    let whole = std::fs::read(&at).unwrap();
    for len in (0..whole.len()).step_by(11) {
        std::fs::write(&at, &whole[..len]).unwrap();
        assert!(Dataset::open(path).is_err(), "{len}");
    }
    for i in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[i] ^= 0x15;
        std::fs::write(&at, &bytes).unwrap();
        if let Ok(table) = Dataset::open(path) {
            let scan = table.scan().with_predicate(Predicate::parse("id = 3").unwrap());
            let _ = scan.build().map(|reader| reader.collect::<Result<Vec<_>, _>>());
        }
    }
    // A file of rows is no commit.
    std::fs::copy(path.join(summary.files[0].path()), &at).unwrap();
    assert!(Dataset::open(path).unwrap_err().to_string().contains("it has no dataset.version"));
}

#[test]
fn commits_come_back_as_they_went() {
    let folder = tempfile::tempdir().unwrap();
    let properties = DatasetProperties::builder().set_partition_by(["city"]).build();
    let summary = write(folder.path(), &[rows(0..100)], properties);
    let bytes = std::fs::read(folder.path().join(file_names::commit(summary.commit))).unwrap();
    let commit = Commit::decode(bytes.clone().into()).unwrap();
    assert_eq!((&commit.files, &*commit.partitions), (&summary.files, &["city".to_owned()][..]));
    assert_eq!(commit.bounds.iter().map(|b| &*b.name).collect::<Vec<_>>(), ["id", "year", "value"]);
    assert_eq!(commit.encode().unwrap(), bytes);
}

#[test]
fn a_column_of_a_file_and_its_folder_have_one_value() {
    let folder = tempfile::tempdir().unwrap();
    for (name, years) in [("year=2021/a.trv", [2021, 2021]), ("year=2022/b.trv", [2022, 2023])] {
        let columns: [(&str, ArrayRef); 2] = [
            ("id", Arc::new(Int64Array::from(vec![1, 2]))),
            ("year", Arc::new(Int32Array::from(years.to_vec()))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let at = folder.path().join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        let file = File::create(at).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
    let table = Dataset::open(folder.path()).unwrap();
    let rows = |scan: DatasetScan<Folder>| {
        let batches = scan.build()?.collect::<std::result::Result<Vec<_>, _>>()?;
        Ok::<_, Error>(batches.iter().map(RecordBatch::num_rows).sum::<usize>())
    };
    let filtered = |text: &str| table.scan().with_predicate(Predicate::parse(text).unwrap());
    // Rows of the second file have another year than its folder.
    for scan in [table.scan(), filtered("year = 2023"), filtered("year > 2021 and id = 2")] {
        let e = rows(scan).unwrap_err().to_string();
        assert!(e.contains("a row has 2023, and the folder of the file says 2022"), "{e}");
    }
    assert_eq!(rows(table.scan().with_projection(["id"])).unwrap(), 4);
    assert_eq!(rows(table.scan().with_row_range(0..2)).unwrap(), 2);
}
