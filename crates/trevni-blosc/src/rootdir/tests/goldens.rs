//! Directories written by bcolz 1.2.1 and bcolz-zipline 1.13, compared with their contents.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use serde_json::Value;

use super::*;
use crate::{ByteOrder, DtypeKind, Files};
use trevni::io::ReadAt;

/// Returns the folder of such directories, if it exists.
fn corpus() -> Option<PathBuf> {
    trevni_testing::data::corpus("golden/blosc")
}

/// Returns the directories, in order.
fn directories() -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let list = |name: &str| {
        std::fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path())
    };
    let mut found: Vec<_> =
        list("bcolz").chain(list("bcolz121")).filter(|path| path.is_dir()).collect();
    found.sort();
    assert_eq!(found.len(), 64 + 14 + 1);
    found
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    PathBuf::from(format!("{}.{extension}", path.display()))
}

/// Returns the little-endian bytes of an array's values.
fn bytes_of(array: &dyn Array, width: usize) -> Vec<u8> {
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(u8::from).collect(),
        DataType::Utf8 => {
            let mut out = Vec::new();
            for text in array.as_string::<i32>().iter() {
                let start = out.len();
                out.extend(text.unwrap().chars().flat_map(|c| u32::from(c).to_le_bytes()));
                out.resize(start + width, 0);
            }
            out
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            (0..list.len()).flat_map(|row| bytes_of(&list.value(row), width)).collect()
        }
        DataType::FixedSizeBinary(size) => {
            assert_eq!(*size as usize, width);
            array.as_fixed_size_binary().iter().flat_map(|value| value.unwrap().to_vec()).collect()
        }
        other => {
            let size = other.primitive_width().unwrap();
            let data = array.to_data();
            data.buffers()[0][data.offset() * size..][..data.len() * size].to_vec()
        }
    }
}

/// Returns the columns of an Arrow file.
fn expected(path: &Path) -> Vec<(String, Vec<ArrayRef>)> {
    let file = std::fs::File::open(beside(path, "arrow")).unwrap();
    let reader = arrow::ipc::reader::FileReader::try_new(file, None).unwrap();
    let names =
        reader.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let mut columns: Vec<(String, Vec<ArrayRef>)> =
        names.into_iter().map(|name| (name, Vec::new())).collect();
    for batch in reader {
        let batch = batch.unwrap();
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            column.1.push(array.clone());
        }
    }
    columns
}

fn assert_column(array: &Carray, expected: &[ArrayRef], what: &str) {
    let dtype = &array.layout().dtype;
    let mut found = decode(array);
    if dtype.order == ByteOrder::Big {
        let width = if dtype.kind == DtypeKind::Unicode { 4 } else { dtype.size };
        found.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    let expected: Vec<u8> = expected.iter().flat_map(|array| bytes_of(array, dtype.size)).collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    assert!(found == expected, "{what}");
}

#[test]
fn every_directory_has_the_values_beside_it() {
    let (mut arrays, mut tables) = (0, 0);
    for path in directories() {
        let what = path.display().to_string();
        if what.ends_with("object_pickled") {
            let e = Rootdir::open(&path).unwrap_err().to_string();
            assert!(e.contains("pickle"), "{e}");
            continue;
        }
        let said: Value =
            serde_json::from_slice(&std::fs::read(beside(&path, "json")).unwrap()).unwrap();
        let expected = expected(&path);
        let attributes = match Rootdir::open(&path).unwrap() {
            Rootdir::Carray(array) => {
                arrays += 1;
                assert_eq!(
                    said["info"]["shape"],
                    Value::from(array.layout().shape.clone()),
                    "{what}"
                );
                assert_column(&array, &expected[0].1, &what);
                array.layout().attributes.clone()
            }
            Rootdir::Ctable(table) => {
                tables += 1;
                let names: Vec<_> = expected.iter().map(|(name, _)| name.clone()).collect();
                assert_eq!(table.names(), names, "{what}");
                for (name, expected) in &expected {
                    assert_column(
                        table.column(name).unwrap(),
                        expected,
                        &format!("{what}, {name}"),
                    );
                }
                table.attributes().clone()
            }
        };
        assert_eq!(Value::Object(attributes), said["attrs"], "{what}");
    }
    println!("{arrays} arrays and {tables} tables");
}

/// Builds a directory again from its parsed contents.
fn rebuild(path: &Path, to: &Path) {
    match Rootdir::open(path).unwrap() {
        Rootdir::Carray(array) => {
            let mut builder =
                CarrayBuilder::create(to, array.storage().clone(), array.form(), false).unwrap();
            for number in 0..array.layout().chunks {
                builder.push(&array.chunk(number).unwrap()).unwrap();
            }
            Box::new(builder).finish(&array.layout().shape, &array.layout().attributes).unwrap();
        }
        Rootdir::Ctable(table) => {
            let columns = table.names().iter().zip(table.columns());
            let columns = columns.map(|(name, column)| (name.clone(), column.storage().clone()));
            let mut builder =
                CtableBuilder::create(to, columns.collect(), table.form(), false).unwrap();
            for (i, column) in table.columns().iter().enumerate() {
                for number in 0..column.layout().chunks {
                    builder.push(i, &column.chunk(number).unwrap()).unwrap();
                }
            }
            let shapes: Vec<_> =
                table.columns().iter().map(|column| column.layout().shape.clone()).collect();
            builder.finish(&shapes, table.attributes()).unwrap();
        }
    }
}

#[test]
fn what_is_built_is_what_bcolz_wrote() {
    let home = tempfile::tempdir().unwrap();
    let mut different = Vec::new();
    let mut same = 0;
    for (i, path) in directories().into_iter().enumerate() {
        if path.ends_with("object_pickled") {
            continue;
        }
        let to = home.path().join(i.to_string());
        rebuild(&path, &to);
        let (old, new) = (files(&path), files(&to));
        let name = path.file_name().unwrap().to_str().unwrap();
        let names: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
        for file in names {
            if old.get(file) == new.get(file) {
                same += 1;
            } else {
                different.push(format!("{name}/{file}"));
            }
        }
        assert!(to.join("data").is_dir() || to.join("__rootdirs__").is_file());
    }
    println!("{same} files are the same, these are not: {different:?}");
    if same > 0 {
        // bcolz loses count when it trims, and leaves an extra chunk.
        assert_eq!(
            different,
            [
                "ctable_trimmed/id/meta/sizes",
                "ctable_trimmed/key/meta/sizes",
                "ctable_trimmed/ok/meta/sizes",
                "ctable_trimmed/price/meta/sizes",
                "resize_shrink/meta/sizes",
                "trim_leftover_exact/data/__4.blp",
                "trim_over_chunks/meta/sizes",
            ]
        );
    }
}

/// The files of a directory, as a store has them.
#[derive(Debug)]
struct StoredFiles(PathBuf);

impl Files for StoredFiles {
    fn open(&self, path: &str) -> Result<Option<Arc<dyn ReadAt>>> {
        let path = self.0.join(path);
        Ok(path.is_file().then(|| -> Arc<dyn ReadAt> { Arc::new(std::fs::read(path).unwrap()) }))
    }

    fn names(&self, folder: &str) -> Result<BTreeSet<String>> {
        let Ok(entries) = std::fs::read_dir(self.0.join(folder)) else {
            return Ok(BTreeSet::new());
        };
        Ok(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
    }
}

#[test]
fn files_elsewhere_are_the_same() {
    for path in directories() {
        let there = crate::open_files(StoredFiles(path.clone()));
        let (mut here, mut there) = match (crate::open(&path), there) {
            (Ok(here), Ok(there)) => (here, there),
            (here, there) => {
                assert_eq!(here.unwrap_err().to_string(), there.unwrap_err().to_string());
                continue;
            }
        };
        assert_eq!(here.kind, there.kind, "{}", path.display());
        assert_eq!(here.attributes, there.attributes);
        for ((name, here), (other, there)) in here.arrays.iter_mut().zip(&mut there.arrays) {
            assert_eq!(name, other);
            let rows = here.len();
            assert_eq!(rows, there.len());
            let rows = 0..rows.min(10_000);
            assert!(here.read(rows.clone()).unwrap() == there.read(rows).unwrap());
            if !there.is_empty() {
                let e = there.truncate(0).unwrap_err();
                assert!(e.to_string().contains("can only be read"), "{e}");
            }
        }
    }
}
