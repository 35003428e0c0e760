//! Containers written by bloscpack, bcolz and C-Blosc2, compared with what these read.

use std::fs::File;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::ipc::reader::FileReader;
use trevni_convert::ReadOptions;

use super::{containers, items, read, same_columns};

fn expected(path: &Path) -> RecordBatch {
    let file = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = file.schema();
    let batches = file.collect::<Result<Vec<_>, _>>().unwrap();
    concat_batches(&schema, &batches).unwrap()
}

/// Returns the dtype of the only column of the companion.
fn said_dtype(expected: &RecordBatch) -> String {
    let said: serde_json::Value =
        serde_json::from_str(&expected.schema().metadata()["numpy"]).unwrap();
    let name = expected.schema().field(0).name().clone();
    said[name]["dtype"].as_str().unwrap().to_owned()
}

/// Every container equals its companion: read at once, and in small batches.
fn check(item: &Path, companion: &Path) {
    let expected = expected(companion);
    let contents = trevni_blosc::open(item).unwrap_or_else(|e| panic!("{}: {e}", item.display()));
    let untyped = match contents.arrays.as_slice() {
        [(name, _)] => name == "bytes",
        _ => false,
    };
    let dtype = untyped.then(|| said_dtype(&expected));
    for batch_size in [7, 333, 8192] {
        let options = ReadOptions { batch_size, dtype: dtype.clone(), ..ReadOptions::default() };
        let found = read(item, &options).unwrap_or_else(|e| panic!("{}: {e}", item.display()));
        if !untyped {
            let names = |batch: &RecordBatch| -> Vec<String> {
                batch.schema().fields().iter().map(|field| field.name().clone()).collect()
            };
            assert_eq!(names(&found), names(&expected), "{}", item.display());
        }
        assert_eq!(found.num_rows(), expected.num_rows(), "{}", item.display());
        same_columns(found.columns(), expected.columns());
    }
    for (_, array) in &contents.arrays {
        array.container().verify().unwrap();
    }
}

fn check_all(kind: &str, count: usize) {
    let (folder, whole) = containers(kind);
    let items = items(&folder);
    items.iter().for_each(|(item, companion)| check(item, companion));
    assert!(if whole { items.len() == count } else { !items.is_empty() }, "{}", items.len());
    println!("{kind}: {} containers as their companions say", items.len());
}

#[test]
fn bloscpack() {
    check_all("bloscpack", 84);
}

#[test]
fn bcolz() {
    check_all("bcolz", 64);
}

#[test]
fn bcolz_of_old() {
    check_all("bcolz121", 14);
    let (folder, _) = containers("bcolz121");
    let e = trevni_blosc::open(folder.join("object_pickled")).unwrap_err();
    assert!(e.to_string().contains("pickle"), "{e}");
}

#[test]
fn blosc2() {
    check_all("blosc2", 124);
    // Values that were never written have no companion.
    let (folder, whole) = containers("blosc2");
    if whole {
        for name in ["special_uninit.b2frame", "special_uninit_s.b2frame"] {
            let rows = read(&folder.join(name), &ReadOptions::default()).unwrap();
            assert!(rows.num_rows() > 0);
        }
    }
}
