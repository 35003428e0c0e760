//! Sparse frames in stores: the values that they have in folders, and the requests that these take.

use std::path::Path as FilePath;
use std::sync::Arc;

use object_store::ObjectStoreExt;
use object_store::path::Path;
use trevni::object_store::FetchOptions;
use trevni_blosc as blosc;
use trevni_blosc::frame::RemoteFrame;

use super::run;
use trevni_testing::data;
use trevni_testing::numbers::Numbers;
use trevni_testing::store::{Fault, RecordingStore, Request};

/// Returns a store with the files of a folder.
async fn with_folder(folder: &FilePath) -> Arc<RecordingStore> {
    let store = RecordingStore::new(Fault::Nothing);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let key = Path::from("frame").join(path.file_name().unwrap().to_str().unwrap());
        store.inner.put(&key, std::fs::read(&path).unwrap().into()).await.unwrap();
    }
    Arc::new(store)
}

fn check(folder: &FilePath, numbers: &mut Numbers) {
    let name = folder.display();
    let mut local = blosc::open(folder).unwrap();
    let (_, local) = local.arrays.pop().unwrap();
    run(async {
        let store = with_folder(folder).await;
        let frame = RemoteFrame::open(store.clone(), "frame", FetchOptions::default()).await;
        let frame = frame.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(frame.layout().layout().shape, local.shape(), "{name}");
        // The headers of chunks that differ in size are fetched.
        let varied = matches!(local.layout().chunking, blosc::Chunking::Varied { .. });
        let heads = if varied { local.layout().chunks as usize } else { 0 };
        assert_eq!(store.requests().len(), 1 + heads, "{name}");
        for _ in 0..8 {
            let mut next = |n: u64| numbers.next31() as u64 % n.max(1);
            let start = next(local.len() + 1);
            let end = start + next(local.len() + 1 - start);
            let found = frame.read(start..end).await.unwrap();
            assert_eq!(found, local.read(start..end).unwrap(), "{name} {start}..{end}");
            frame.fetch_rows(start..end).await.unwrap();
            // Only the fetched chunks are available.
            frame.keep_rows(start..end).unwrap();
            assert_eq!(frame.array().read(start..end).unwrap(), found, "{name}");
        }
        let all = frame.read(0..local.len()).await.unwrap();
        assert_eq!(all, local.read(0..local.len()).unwrap(), "{name}");
        assert!(frame.fetch_rows(0..local.len() + 1).await.is_err());
    });
}

#[test]
fn every_sparse_frame_reads_as_it_does_at_home() {
    const SELECTED: usize = 6;
    let ours = data::selected("blosc/blosc2");
    let whole = data::corpus("golden/blosc/blosc2");
    let mut numbers = Numbers(2027);
    let mut checked = 0;
    for folder in whole.iter().chain([&ours]) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.join("chunks.b2frame").is_file() {
                check(&path, &mut numbers);
                checked += 1;
            }
        }
    }
    println!("{checked} sparse frames");
    assert_eq!(checked, if whole.is_some() { 63 + SELECTED } else { SELECTED });
}

/// Returns a frame of ten chunks of a thousand numbers.
async fn numbered() -> Arc<RecordingStore> {
    use trevni_blosc::chunk::{Generation, Params};
    use trevni_blosc::frame::{Cut, NewFrame};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.b2frame");
    let params = Params::new(Generation::Blosc2, 8);
    let cut = Cut::Flat { typesize: 8, chunk_bytes: 8000 };
    let new = NewFrame { params: params.clone(), cut, metalayers: Vec::new() };
    let mut frame = new.sparse(&path, false).unwrap();
    for chunk in 0..10 {
        let values: Vec<u8> =
            (chunk * 1000..(chunk + 1) * 1000).flat_map(i64::to_le_bytes).collect();
        let mut encoded = Vec::new();
        blosc::chunk::Encoder::new(&params).unwrap().encode(&values, &mut encoded).unwrap();
        frame.push(&encoded).unwrap();
    }
    frame.finish(&[10_000], &blosc::Attributes::new()).unwrap();
    with_folder(&path).await
}

#[test]
fn opening_costs_one_read_and_rows_their_chunks() {
    run(async {
        let store = numbered().await;
        let frame =
            RemoteFrame::open(store.clone(), "frame", FetchOptions::default()).await.unwrap();
        assert_eq!(store.gets(), [0..524_288]);
        let rows = frame.read(2500..4001).await.unwrap();
        assert_eq!(rows[..8], 2500i64.to_le_bytes());
        assert_eq!(store.requests(), [Request::All, Request::All, Request::All]);
        // These chunks are available now; the next one is not.
        frame.read(2000..4500).await.unwrap();
        assert!(store.requests().is_empty());
        let e = frame.array().read(4500..5001).unwrap_err().to_string();
        assert!(e.contains("chunk 5 has not been fetched"), "{e}");
        frame.keep_rows(4000..5000).unwrap();
        assert!(frame.array().read(3000..3001).is_err());
        assert_eq!(frame.array().read(4999..5000).unwrap(), 4999i64.to_le_bytes());
        let mut array = frame.array();
        assert!(array.truncate(3).is_err());
    });
}

#[test]
fn what_is_missing_or_cut_short_is_an_error() {
    run(async {
        let store = numbered().await;
        let open = || RemoteFrame::open(store.clone(), "frame", FetchOptions::default());
        let key = Path::from("frame/00000003.chunk");
        let chunk = store.inner.get(&key).await.unwrap().bytes().await.unwrap();
        store.inner.put(&key, chunk.slice(..chunk.len() - 1).into()).await.unwrap();
        let e = open().await.unwrap().read(0..10_000).await.unwrap_err().to_string();
        assert!(e.contains("chunk 3"), "{e}");
        store.inner.delete(&key).await.unwrap();
        let e = open().await.unwrap().read(3000..3001).await.unwrap_err().to_string();
        assert!(e.contains("chunk 3"), "{e}");
        assert_eq!(open().await.unwrap().read(4000..4001).await.unwrap(), 4000i64.to_le_bytes());
        let index = Path::from("frame/chunks.b2frame");
        let bytes = store.inner.get(&index).await.unwrap().bytes().await.unwrap();
        for len in 0..bytes.len() {
            store.inner.put(&index, bytes.slice(..len).into()).await.unwrap();
            assert!(open().await.is_err(), "{len}");
        }
    });
}
