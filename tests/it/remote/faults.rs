//! Stores that fail, truncate, or return other bytes: an error or all rows, and never an endless wait.

use std::time::Duration;

use futures_util::TryStreamExt;
use trevni::Result;
use trevni::arrow::*;
use trevni::object_store::FetchOptions;

use super::run;
use trevni_testing::data::reference_file;
use trevni_testing::store::{Fault, RecordingStore};

/// Reads all of a file by five requests. Returns the number of rows, and of requests.
async fn read(wrong: Fault) -> (Result<usize>, usize) {
    let store = RecordingStore::with_file(&reference_file("boolean-multiblock"), wrong).await;
    let rows = async {
        let fetch = FetchOptions::default().with_first_read(100).with_gap(0).with_concurrency(2);
        let options = ArrowReaderOptions::new();
        let builder =
            ArrowStreamBuilder::new_with_options(store.clone(), "file.trv", options, fetch);
        let builder = builder.await?.with_window_bytes(1);
        let mask = ProjectionMask::columns(builder.schema(), ["plain"])?;
        let stream = builder.with_projection(mask).with_batch_size(100_000).build()?;
        stream.try_fold(0, async |rows, batch| Ok(rows + batch.num_rows())).await
    };
    let rows = tokio::time::timeout(Duration::from_secs(20), rows).await.expect("no hang");
    (rows, store.gets().len())
}

#[test]
fn an_error_at_any_request_ends_the_stream() {
    run(async {
        let (rows, requests) = read(Fault::Nothing).await;
        assert_eq!((rows.unwrap(), requests), (1_100_000, 2));
        for number in 0..2 {
            let (rows, _) = read(Fault::Fails(number)).await;
            assert!(rows.unwrap_err().to_string().contains("this request fails"), "{number}");
            // What ends too early is requested again.
            let (rows, requests) = read(Fault::Short(number)).await;
            assert_eq!((rows.unwrap(), requests), (1_100_000, 3), "{number}");
        }
        let (rows, _) = read(Fault::Changes(1)).await;
        rows.unwrap_err();
    });
}
