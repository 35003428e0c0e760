//! Objects as blocking sources of rows: of a Trevni file only the needed bytes are fetched, of others all.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use object_store::ObjectStoreExt;
use trevni_convert::{Format, ReadOptions, Source};

use trevni_testing::data::reference_file;
use trevni_testing::store::{Fault, RecordingStore, Request};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap()
}

fn source(store: &Arc<RecordingStore>, runtime: &tokio::runtime::Runtime) -> Source {
    Source::in_store("object", store.clone(), "file.trv".into(), runtime.handle().clone())
}

fn with_file(path: &Path, runtime: &tokio::runtime::Runtime) -> Arc<RecordingStore> {
    runtime.block_on(RecordingStore::with_file(path, Fault::Nothing))
}

#[test]
fn bytes_come_once_whoever_asks() {
    let runtime = runtime();
    let path = reference_file("runs-long");
    let bytes = std::fs::read(&path).unwrap();
    let store = with_file(&path, &runtime);
    let mut seen = source(&store, &runtime);
    assert_eq!(seen.size(), None);
    assert_eq!(seen.head().unwrap(), &bytes[..4096]);
    assert_eq!(seen.size(), Some(bytes.len() as u64));
    let mut all = Vec::new();
    seen.into_file().unwrap().read_to_end(&mut all).unwrap();
    assert_eq!(all, bytes);
    assert_eq!(store.requests(), [Request::All]);
    let (unseen, mut all) = (source(&store, &runtime), Vec::new());
    unseen.into_read().read_to_end(&mut all).unwrap();
    assert_eq!((all, store.requests()), (bytes, vec![Request::All]));

    runtime.block_on(store.inner.delete(&"file.trv".into())).unwrap();
    let e = source(&store, &runtime).into_read().read(&mut [0]).unwrap_err();
    assert_eq!(e.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn of_a_trevni_file_the_wanted_columns_and_rows_are_fetched() {
    let runtime = runtime();
    let path = reference_file("runs-long");
    let trv = Format::named("trv").unwrap();
    let mut options = ReadOptions { rows: Some(35_000..35_003), ..ReadOptions::default() };
    options.columns = Some(vec!["all_one".into(), "v".into()]);
    let at_home = (trv.open)(Source::open(&path).unwrap(), &options).unwrap();
    let at_home: Vec<RecordBatch> = at_home.collect::<Result<_, _>>().unwrap();
    let store = with_file(&path, &runtime);
    let rows = (trv.open)(source(&store, &runtime), &options).unwrap();
    assert_eq!(rows.schema(), at_home[0].schema());
    assert_eq!(rows.collect::<Result<Vec<_>, _>>().unwrap(), at_home);
    assert_eq!(store.requests(), [Request::Get(0..65_536), Request::Get(106_168..120_632)]);
    options.columns = Some(vec!["nothing".into()]);
    assert!((trv.open)(source(&store, &runtime), &options).is_err());
}

#[test]
fn a_store_without_ranges_gives_the_whole_file() {
    let runtime = runtime();
    let path = reference_file("boolean-multiblock");
    let store = runtime.block_on(RecordingStore::with_file(&path, Fault::NoRanges));
    let trv = Format::named("trv").unwrap();
    let rows = (trv.open)(source(&store, &runtime), &ReadOptions::default()).unwrap();
    let rows = rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!((rows, store.requests()), (1_100_000, vec![Request::Get(0..65_536), Request::All]));
}

/// Returns a store with the files of a folder.
async fn with_folder(folder: &Path) -> Arc<RecordingStore> {
    let store = RecordingStore::new(Fault::Nothing);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let key = object_store::path::Path::from("frame")
            .join(path.file_name().unwrap().to_str().unwrap());
        store.inner.put(&key, std::fs::read(&path).unwrap().into()).await.unwrap();
    }
    Arc::new(store)
}

#[test]
fn a_frame_below_a_prefix_is_rows_for_those_who_wait() {
    let folder = trevni_testing::data::selected("blosc/blosc2/nd_3d_u2_s.b2nd");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let store = runtime.block_on(with_folder(&folder));
    let below = Source::below("frame", store, "frame".into(), runtime.handle().clone());
    let read = |mut source: Source| -> Vec<RecordBatch> {
        let format = Format::of_source(&mut source).unwrap().unwrap();
        let options = ReadOptions { batch_size: 7, threads: 2, ..ReadOptions::default() };
        (format.open)(source, &options).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let rows = read(below);
    assert!(!rows.is_empty());
    assert_eq!(rows, read(Source::open(&folder).unwrap()));
}
