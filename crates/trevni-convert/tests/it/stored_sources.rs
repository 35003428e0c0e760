//! Objects as blocking sources of rows: of files that are read by ranges only the needed bytes are fetched, of others all.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use object_store::ObjectStoreExt;
use trevni::arrow::WriterProperties;
use trevni::codec::Codec;
use trevni_convert::{Format, ReadOptions, Source, WriteOptions};

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
    assert_eq!(store.requests(), [Request::Get(0..524_288)]);
    options.columns = Some(vec!["nothing".into()]);
    assert!((trv.open)(source(&store, &runtime), &options).is_err());
}

/// Ten columns of numbers that do not compress, in batches that are row groups.
fn numbers() -> Vec<RecordBatch> {
    let number = |n: i64| n.wrapping_mul(-7_046_029_254_386_353_131);
    let column = |from: i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((from..from + 50_000).map(number)))
    };
    let batch = |group: i64| {
        let columns = (0..10).map(|c| (format!("c{c}"), column(group * 50_000 + c * 1_000_000)));
        RecordBatch::try_from_iter(columns).unwrap()
    };
    (0..4).map(batch).collect()
}

/// Of files that end with a footer, it is one request; then the chunks of the columns that are wanted, a window of them
/// together, and the next one meanwhile.
#[test]
fn of_parquet_and_arrow_files_the_wanted_chunks_are_fetched() {
    let runtime = runtime();
    for (name, most) in [("parquet", 6_000_000), ("arrow", 18_000_000)] {
        let format = Format::named(name).unwrap();
        let (batches, mut bytes) = (numbers(), Vec::new());
        let properties = WriterProperties::builder().set_codec(Codec::Null).build();
        let options = WriteOptions { properties, ..WriteOptions::default() };
        let mut sink = (format.create)(&mut bytes, batches[0].schema(), &options).unwrap();
        batches.iter().for_each(|batch| sink.write(batch).unwrap());
        sink.finish().unwrap();
        let size = bytes.len() as u64;
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        runtime.block_on(store.inner.put(&"file.trv".into(), bytes.clone().into())).unwrap();
        let mut options = ReadOptions::default();
        for columns in [None, Some(vec!["c3".to_owned(), "c7".to_owned()]), Some(Vec::new())] {
            options.columns = columns;
            let rows = |source| {
                let rows = (format.open)(source, &options).unwrap();
                rows.collect::<Result<Vec<_>, _>>().unwrap()
            };
            let found = rows(source(&store, &runtime));
            assert_eq!(found, rows(Source::bytes("bytes", bytes::Bytes::from(bytes.clone()))));
            let requests = store.requests();
            let fetched = |request: &Request| match request {
                Request::Get(range) => range.end - range.start,
                Request::Tail(bytes) => *bytes,
                other => panic!("{other:?}"),
            };
            let fetched: u64 = requests.iter().map(fetched).sum();
            assert_eq!(requests[0], Request::Tail(1 << 20));
            match &options.columns {
                None => assert!(fetched < size + (2 << 20), "{name}: {fetched} of {size}"),
                Some(none) if none.is_empty() && name == "parquet" => assert_eq!(requests.len(), 1),
                Some(_) => assert!(fetched < most, "{name}: {fetched}"),
            }
        }
    }
}

#[test]
fn a_parquet_file_of_a_faulty_store_gives_all_rows_or_an_error() {
    let runtime = runtime();
    let format = Format::named("parquet").unwrap();
    let (batches, mut bytes) = (numbers(), Vec::new());
    let mut sink =
        (format.create)(&mut bytes, batches[0].schema(), &WriteOptions::default()).unwrap();
    batches.iter().for_each(|batch| sink.write(batch).unwrap());
    sink.finish().unwrap();
    let read = |fault| {
        let store = Arc::new(RecordingStore::new(fault));
        runtime.block_on(store.inner.put(&"file.trv".into(), bytes.clone().into())).unwrap();
        let rows = (format.open)(source(&store, &runtime), &ReadOptions::default())?;
        rows.map(|batch| Ok(batch?.num_rows())).sum::<trevni::Result<usize>>()
    };
    for fault in [Fault::Fails(0), Fault::Fails(1), Fault::Changes(1)] {
        assert!(read(fault).is_err(), "{fault:?}");
    }
    // What ends too early is requested again. A store that knows no ranges gives all.
    for fault in [Fault::Nothing, Fault::Short(0), Fault::Short(1), Fault::NoRanges] {
        assert_eq!(read(fault).unwrap(), 200_000, "{fault:?}");
    }
}

#[test]
fn a_store_without_ranges_gives_the_whole_file() {
    let runtime = runtime();
    let path = reference_file("boolean-multiblock");
    let store = runtime.block_on(RecordingStore::with_file(&path, Fault::NoRanges));
    let trv = Format::named("trv").unwrap();
    let rows = (trv.open)(source(&store, &runtime), &ReadOptions::default()).unwrap();
    let rows = rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!((rows, store.requests()), (1_100_000, vec![Request::Get(0..524_288), Request::All]));
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
