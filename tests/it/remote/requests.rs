//! Which requests are made, to the byte.
//!
//! ```text
//! boolean-multiblock   0 header  143 table of plain  183 ▐ 3268 ▐ 6353 ▐  6668 table of arr  6696 ▐ 9978 ▐ 11966
//! rows                                               0    524281 1048562                     0    697801  1100000
//! ```

use std::sync::Arc;

use trevni::object_store::FetchOptions;
use trevni::{RemoteFile, Values};

use super::run;
use trevni_testing::data::reference_file;
use trevni_testing::store::{Fault, RecordingStore};

/// Returns options with which the first column's table is in the first read, and the second's is not.
fn options() -> FetchOptions {
    FetchOptions::default().with_first_read(256).with_gap(0)
}

async fn opened(options: FetchOptions) -> (Arc<RecordingStore>, RemoteFile) {
    let store =
        RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
    let file = RemoteFile::open(store.clone(), "file.trv", options).await.unwrap();
    (store, file)
}

#[test]
fn a_small_file_is_one_request() {
    run(async {
        let (store, file) = opened(FetchOptions::default()).await;
        assert_eq!(store.gets(), [0..524_288]);
        file.fetch_rows(&[0, 1], &[0..1_100_000]).await.unwrap();
        assert_eq!(file.file().read_column(1).unwrap().lengths.unwrap().len(), 1_100_000);
        assert!(file.file().verify(|_| ()).faults.is_empty());
        assert!(store.requests().is_empty());
    });
}

#[test]
fn a_size_that_is_known_is_not_passed() {
    run(async {
        let store =
            RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
        let listed = object_store::ObjectStoreExt::head(&store.inner, &"file.trv".into()).await;
        let options = FetchOptions::default();
        RemoteFile::open(store.clone(), listed.unwrap(), options).await.unwrap();
        assert_eq!(store.gets(), [0..11_966]);
    });
}

#[test]
fn tables_and_blocks_are_fetched_once_and_alone() {
    run(async {
        let (store, file) = opened(options()).await;
        assert_eq!(store.gets(), [0..256]);
        // The table of the first column is available, and of its blocks the second is needed.
        file.fetch_rows(&[0], &[600_000..600_010]).await.unwrap();
        assert_eq!(store.gets(), [3268..6353]);
        let read = file.file().read_rows(0, 600_000..600_010).unwrap();
        assert_eq!(read.values.len(), 10);
        // Of the second the table is guessed to be of 18 blocks; it has two, and the guess reaches into the first.
        file.fetch_rows(&[1], &[600_000..600_010]).await.unwrap();
        assert_eq!(store.gets(), [6668..6888, 6888..9978]);
        // Everything but the outer blocks is available by now.
        file.fetch_rows(&[0, 1], &[0..1, 700_000..1_100_000]).await.unwrap();
        assert_eq!(store.gets(), [256..3268, 6353..6668, 9978..11_966]);
        file.fetch_rows(&[0, 1], &[0..1_100_000]).await.unwrap();
        assert!(store.requests().is_empty());
        assert!(matches!(file.file().read_column(0).unwrap().values, Values::Boolean(_)));
    });
}

#[test]
fn over_a_gap_one_request_is_enough() {
    run(async {
        let (store, file) = opened(options().with_gap(600)).await;
        assert_eq!(store.gets(), [0..256]);
        let rows = [600_000..600_001, 700_000..700_001];
        file.fetch_rows(&[0, 1], &rows).await.unwrap();
        // A table; then a block of the first column and, 535 bytes on, both of the second.
        assert_eq!(store.gets(), [6668..6888, 3268..11_966]);
        let (store, file) = opened(options().with_gap(600).with_largest_request(4000)).await;
        file.fetch_rows(&[0, 1], &rows).await.unwrap();
        assert_eq!(store.gets()[2..], [3268..7268, 7268..11_268, 11_268..11_966]);
    });
}

#[test]
fn what_was_not_fetched_is_an_error() {
    run(async {
        let (_, file) = opened(options()).await;
        let e = file.file().read_rows(0, 600_000..600_010).unwrap_err().to_string();
        assert_eq!(
            e,
            "column \"plain\", block 1, offset 3268: 3085 bytes at 3268 have not been fetched"
        );
        let e = file.file().read_rows(1, 0..1).unwrap_err().to_string();
        assert_eq!(e, "column \"arr\", offset 6668: 4 bytes at 6668 have not been fetched");
    });
}

#[test]
fn longer_headers_and_tables_take_one_more_request() {
    run(async {
        let store =
            RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
        let options = FetchOptions::default().with_first_read(100).with_gap(0);
        RemoteFile::open(store.clone(), "file.trv", options.clone()).await.unwrap();
        assert_eq!(store.gets(), [0..100, 100..11_966]);
        // Four descriptors with first values of 405 bytes, where 21 of 44 bytes were guessed.
        let store = RecordingStore::with_file(
            &reference_file("index-duplicates-multiblock"),
            Fault::Nothing,
        )
        .await;
        let options = options.with_first_read(200);
        let file = RemoteFile::open(store.clone(), "file.trv", options).await.unwrap();
        file.fetch_rows(&[0], &[]).await.unwrap();
        assert_eq!(store.gets(), [0..200, 200..1063, 1063..1991]);
        assert_eq!(file.file().blocks(0).unwrap().len(), 4);
    });
}

/// Guesses hold the tables of all of the reference's files but those with long first values.
#[test]
fn two_rounds_are_enough_for_tables() {
    run(async {
        for path in crate::testdata::reference_files() {
            let name = crate::testdata::stem(&path).to_owned();
            if crate::testdata::REFUSED.contains(&name.as_str()) {
                continue;
            }
            let store = RecordingStore::with_file(&path, Fault::Nothing).await;
            let file = RemoteFile::open(store.clone(), "file.trv", options().with_first_read(1));
            let Ok(file) = file.await else { panic!("{name}") };
            store.requests();
            let columns: Vec<_> = (0..file.file().columns().len()).collect();
            file.fetch_tables(&columns, 0).await.unwrap();
            let once = store.gets().len() <= columns.len();
            assert!(once || file.file().columns().iter().any(|c| c.is_indexed()), "{name}");
            for column in columns {
                let found = file.file().blocks(column).unwrap();
                let read = trevni::FileReader::try_new(std::fs::File::open(&path).unwrap());
                assert_eq!(found, read.unwrap().blocks(column).unwrap(), "{name}");
            }
        }
    });
}
