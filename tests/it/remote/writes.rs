//! Files written to object stores: by one request or in parts, complete or not at all.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use object_store::ObjectStoreExt;
use object_store::path::Path;
use trevni::Result;
use trevni::arrow::*;
use trevni::codec::Codec;
use trevni::object_store::ObjectWriter;

use super::run;
use trevni_testing::store::{Fault, RecordingStore, Request};

fn batch() -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values((0..20_000).map(|i| i * i)));
    RecordBatch::try_from_iter([("id", ids)]).unwrap()
}

fn properties() -> WriterProperties {
    WriterProperties::builder().set_codec(Codec::Null).set_memory_budget(50_000).build()
}

/// Returns the same file, written to memory.
fn expected() -> Vec<u8> {
    let batch = batch();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties())).unwrap();
    (0..3).for_each(|_| writer.write(&batch).unwrap());
    writer.into_inner().unwrap()
}

async fn write(store: Arc<RecordingStore>, part: usize, refuse: bool) -> Result<u64> {
    let object = ObjectWriter::new(store, Path::from("ids.trv"))
        .with_part_size(part)
        .with_concurrency(2)
        .with_refuse_existing(refuse);
    let mut writer = AsyncArrowWriter::try_new(object, batch().schema(), Some(properties()))?;
    for _ in 0..3 {
        writer.write(&batch()).await?;
    }
    let summary = writer.finish().await?;
    assert_eq!(
        writer.finish().await.unwrap_err().to_string(),
        "invalid: the file has been written"
    );
    Ok(summary.bytes)
}

async fn written(store: &RecordingStore) -> Option<Vec<u8>> {
    let object = store.inner.get(&Path::from("ids.trv")).await.ok()?;
    Some(object.bytes().await.unwrap().to_vec())
}

#[test]
fn a_file_is_the_same_by_one_put_and_in_parts() {
    let expected = expected();
    let size = expected.len();
    run(async {
        for part in [size, size - 1, 100_000, 7_001] {
            let store = Arc::new(RecordingStore::new(Fault::Nothing));
            assert_eq!(write(store.clone(), part, false).await.unwrap(), size as u64);
            assert_eq!(written(&store).await.as_ref(), Some(&expected), "{part}");
            let asked = store.requests();
            if part == size {
                assert_eq!(asked, [Request::Put(size)]);
                continue;
            }
            let parts = size.div_ceil(part);
            let mut plan = vec![Request::Begin];
            plan.extend((1..parts).map(|_| Request::Part(part)));
            plan.extend([Request::Part(size - (parts - 1) * part), Request::Complete]);
            assert_eq!(asked, plan);
        }
    });
}

#[test]
fn an_error_at_any_request_leaves_nothing() {
    let size = expected().len();
    run(async {
        let requests = 3 + size / 100_000;
        for number in 0..requests {
            let store = Arc::new(RecordingStore::new(Fault::Fails(number)));
            let e = write(store.clone(), 100_000, false).await.unwrap_err();
            assert!(e.to_string().contains("this request fails"), "{number}");
            assert_eq!(written(&store).await, None);
            let aborted = store.requests().last() == Some(&Request::Abort);
            assert_eq!(aborted, number > 0, "{number}");
        }
        let store = Arc::new(RecordingStore::new(Fault::Fails(0)));
        write(store.clone(), size, false).await.unwrap_err();
        assert_eq!(store.requests(), [Request::Put(size)]);
    });
}

#[test]
fn a_file_that_exists_is_refused_where_that_is_asked() {
    let size = expected().len();
    run(async {
        for (wrong, part) in
            [(Fault::Nothing, size), (Fault::Unconditional, size), (Fault::Nothing, 100_000)]
        {
            let store = Arc::new(RecordingStore::new(wrong));
            write(store.clone(), part, true).await.unwrap();
            store.requests();
            let e = write(store.clone(), part, true).await.unwrap_err();
            let trevni::ErrorKind::Io(io) = e.kind() else { panic!("{e}") };
            assert_eq!(io.kind(), std::io::ErrorKind::AlreadyExists);
            let expected = match (wrong, part == size) {
                (Fault::Unconditional, _) => vec![Request::Put(size), Request::Head],
                (_, true) => vec![Request::Put(size)],
                (_, false) => vec![Request::Head],
            };
            assert_eq!(store.requests(), expected);
            write(store.clone(), part, false).await.unwrap();
        }
    });
}

#[test]
fn an_upload_that_is_dropped_is_aborted() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Hangs(3)));
        let work = write(store.clone(), 100_000, false);
        let hung = tokio::time::timeout(std::time::Duration::from_millis(50), work).await;
        assert!(hung.is_err());
        tokio::task::yield_now().await;
        assert_eq!(store.requests().last(), Some(&Request::Abort));
        assert_eq!(written(&store).await, None);

        // A writer that was never used sends no requests.
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        let mut object = ObjectWriter::new(store.clone(), Path::from("a"));
        object.put("few".into()).await.unwrap();
        drop(object);
        assert!(store.requests().is_empty());
    });
}

#[test]
fn parts_are_no_more_than_a_store_takes() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        let mut object = ObjectWriter::new(store.clone(), Path::from("a")).with_part_size(1);
        object.expect(25_000);
        object.put(vec![7; 25_000].into()).await.unwrap();
        assert_eq!(object.finish().await.unwrap(), 25_000);
        let parts =
            store.requests().iter().filter(|asked| matches!(asked, Request::Part(_))).count();
        assert_eq!(parts, 8334);
    });
}
