//! Objects as sources of rows, for those who wait: only what is wanted is fetched of a Trevni file, and of others all.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use object_store::ObjectStoreExt;
use trevni::convert::{Format, ReadOptions, Source};

use super::requests::golden;
use super::store::{Asked, Noting, Wrong};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap()
}

fn source(store: &Arc<Noting>, runtime: &tokio::runtime::Runtime) -> Source {
    Source::in_store("object", store.clone(), "file.trv".into(), runtime.handle().clone())
}

fn with_file(path: &Path, runtime: &tokio::runtime::Runtime) -> Arc<Noting> {
    runtime.block_on(Noting::with_file(path, Wrong::Nothing))
}

#[test]
fn bytes_come_once_whoever_asks() {
    let runtime = runtime();
    let path = golden("runs-long");
    let bytes = std::fs::read(&path).unwrap();
    let store = with_file(&path, &runtime);
    let mut seen = source(&store, &runtime);
    assert_eq!(seen.size(), None);
    assert_eq!(seen.head().unwrap(), &bytes[..4096]);
    assert_eq!(seen.size(), Some(bytes.len() as u64));
    let mut all = Vec::new();
    seen.into_file().unwrap().read_to_end(&mut all).unwrap();
    assert_eq!(all, bytes);
    assert_eq!(store.asked(), [Asked::All]);
    let (unseen, mut all) = (source(&store, &runtime), Vec::new());
    unseen.into_read().read_to_end(&mut all).unwrap();
    assert_eq!((all, store.asked()), (bytes, vec![Asked::All]));

    runtime.block_on(store.inner.delete(&"file.trv".into())).unwrap();
    let e = source(&store, &runtime).into_read().read(&mut [0]).unwrap_err();
    assert_eq!(e.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn of_a_trevni_file_the_wanted_columns_and_rows_are_fetched() {
    let runtime = runtime();
    let path = golden("runs-long");
    let trv = Format::named("trv").unwrap();
    let mut options = ReadOptions { rows: Some(35_000..35_003), ..ReadOptions::default() };
    options.columns = Some(vec!["all_one".into(), "v".into()]);
    let at_home = (trv.open)(Source::open(&path).unwrap(), &options).unwrap();
    let at_home: Vec<RecordBatch> = at_home.collect::<Result<_, _>>().unwrap();
    let store = with_file(&path, &runtime);
    let rows = (trv.open)(source(&store, &runtime), &options).unwrap();
    assert_eq!(rows.schema(), at_home[0].schema());
    assert_eq!(rows.collect::<Result<Vec<_>, _>>().unwrap(), at_home);
    assert_eq!(store.asked(), [Asked::Get(0..65_536), Asked::Get(106_168..120_632)]);
    options.columns = Some(vec!["nothing".into()]);
    assert!((trv.open)(source(&store, &runtime), &options).is_err());
}

#[test]
fn a_store_without_ranges_gives_the_whole_file() {
    let runtime = runtime();
    let path = golden("boolean-multiblock");
    let store = runtime.block_on(Noting::with_file(&path, Wrong::NoRanges));
    let trv = Format::named("trv").unwrap();
    let rows = (trv.open)(source(&store, &runtime), &ReadOptions::default()).unwrap();
    let rows = rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!((rows, store.asked()), (1_100_000, vec![Asked::Get(0..65_536), Asked::All]));
}
