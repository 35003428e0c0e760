//! Containers of the Blosc family, by other implementations and by our own.

mod golden;
mod hostile;
mod limits;
mod round;

use std::path::{Path, PathBuf};

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::{cast, concat_batches};
use trevni_convert::{Format, ReadOptions, Rows, Source};

use trevni_testing::equality::same;

/// Returns the rows of a container.
fn open(path: &Path, options: &ReadOptions) -> trevni::Result<Rows> {
    let mut source = Source::open(path)?;
    let format = Format::of_source(&mut source)?;
    (format.expect("a known format").open)(source, options)
}

fn read(path: &Path, options: &ReadOptions) -> trevni::Result<RecordBatch> {
    let rows = open(path, options)?;
    let schema = rows.schema();
    let batches = rows.collect::<Result<Vec<_>, _>>()?;
    assert!(batches.iter().all(|batch| batch.num_rows() <= options.batch_size));
    Ok(concat_batches(&schema, &batches)?)
}

/// Whether columns hold the same values, whatever fields within are called and may be null.
#[track_caller]
fn same_columns(a: &[ArrayRef], b: &[ArrayRef]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        let a = cast(a, b.data_type()).unwrap();
        same(&a, b).unwrap();
    }
}

/// Returns a folder of containers of one kind: of the corpora if they exist, of the selection otherwise.
fn containers(kind: &str) -> (PathBuf, bool) {
    match trevni_testing::data::corpus(&format!("golden/blosc/{kind}")) {
        Some(folder) => (folder, true),
        None => (trevni_testing::data::selected("blosc").join(kind), false),
    }
}

/// Returns the containers of a folder, with what they hold.
fn items(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let expected = trevni_testing::data::files(folder, "arrow").into_iter();
    let item = |path: &PathBuf| {
        let plain = path.with_extension("");
        let packed = path.with_extension("blp");
        if plain.exists() { plain } else { packed }
    };
    expected.map(|path| (item(&path), path)).collect()
}
