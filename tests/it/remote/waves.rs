//! How many round trips reads of a file in a store take, and how many bytes they fetch.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use trevni::RemoteFile;
use trevni::arrow::{
    ArrowStream, ArrowStreamBuilder, ArrowWriter, Predicate, ProjectionMask, WriterProperties,
};
use trevni::codec::Codec;
use trevni::dataset::{AsyncDatasetWriter, Dataset, DatasetProperties};
use trevni::object_store::FetchOptions;
use trevni_testing::store::{Fault, RecordingStore};

const MIB: u64 = 1 << 20;

/// Ascending ids, and columns of numbers that do not compress.
fn table(rows: i64, columns: i64) -> RecordBatch {
    let random = |seed: i64| {
        let number = move |n: i64| (n + seed * 7_919).wrapping_mul(-7_046_029_254_386_353_131);
        Arc::new(Int64Array::from_iter_values((0..rows).map(number).map(|n| n ^ n >> 29)))
            as ArrayRef
    };
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let more = (1..columns).map(|column| (format!("c{column}"), random(column)));
    RecordBatch::try_from_iter([("id".to_owned(), ids)].into_iter().chain(more)).unwrap()
}

async fn store(batch: &RecordBatch) -> Arc<RecordingStore> {
    let properties = WriterProperties::builder().set_codec(Codec::Pack).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    let store = RecordingStore::with_latency(Fault::Nothing, Duration::from_millis(30));
    store.inner.put(&"file.trv".into(), writer.finish().unwrap().0.into()).await.unwrap();
    Arc::new(store)
}

/// Returns the rows of a stream, with the round trips, the requests and the bytes that they took.
async fn cost(
    store: &Arc<RecordingStore>,
    build: impl FnOnce(ArrowStreamBuilder) -> ArrowStream,
) -> (usize, usize, usize, u64) {
    store.waves();
    store.requests();
    let builder = ArrowStreamBuilder::new(store.clone(), "file.trv").await.unwrap();
    let batches: Vec<RecordBatch> = build(builder).try_collect().await.unwrap();
    let gets = store.gets();
    let bytes = gets.iter().map(|range| range.end - range.start).sum();
    (batches.iter().map(RecordBatch::num_rows).sum(), store.waves(), gets.len(), bytes)
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
}

#[test]
fn a_header_is_one_request() {
    run(async {
        let store = store(&table(100_000, 10)).await;
        let file = RemoteFile::open(store.clone(), "file.trv", FetchOptions::default());
        assert_eq!(file.await.unwrap().file().rows(), 100_000);
        assert_eq!((store.waves(), store.gets().len()), (1, 1));
    });
}

#[test]
fn a_column_is_fetched_with_its_block_table() {
    run(async {
        let store = store(&table(400_000, 10)).await;
        let column = |name: &'static str| {
            move |builder: ArrowStreamBuilder| {
                let mask = ProjectionMask::columns(builder.schema(), [name]).unwrap();
                builder.with_projection(mask).build().unwrap()
            }
        };
        let (rows, waves, requests, bytes) = cost(&store, column("c5")).await;
        assert_eq!((rows, waves, requests), (400_000, 2, 2));
        assert!(bytes < 512 * 1024 + 3_300_000, "{bytes}");
        // All of it: the first half of a window with the tables, the rest while that is decoded.
        let (rows, waves, ..) = cost(&store, |builder| builder.build().unwrap()).await;
        assert!(rows == 400_000 && waves <= 4, "{waves}");
        let first = |builder: ArrowStreamBuilder| builder.with_limit(10).build().unwrap();
        let (rows, waves, _, bytes) = cost(&store, first).await;
        assert!(rows == 10 && waves <= 3 && bytes < 6 * MIB, "{waves} {bytes}");
    });
}

#[test]
fn one_column_of_a_thousand_is_two_round_trips() {
    run(async {
        let store = store(&table(1000, 1000)).await;
        let (rows, waves, requests, bytes) = cost(&store, |builder| {
            let mask = ProjectionMask::columns(builder.schema(), ["c700"]).unwrap();
            builder.with_projection(mask).build().unwrap()
        })
        .await;
        assert_eq!((rows, waves, requests), (1000, 2, 2));
        assert!(bytes < MIB, "{bytes}");
    });
}

#[test]
fn few_rows_of_all_columns_are_three_round_trips() {
    run(async {
        let store = store(&table(400_000, 8)).await;
        let one = |predicate: &str| {
            let predicate = Predicate::parse(predicate).unwrap();
            move |builder: ArrowStreamBuilder| builder.with_predicate(predicate).build().unwrap()
        };
        let (rows, waves, _, bytes) = cost(&store, one("id = 123456")).await;
        assert!(rows == 1 && waves == 3 && bytes < 3 * MIB, "{waves} {bytes}");
        // Any row may pass: the other columns are fetched for those that do.
        let rare = "c1 > 9223000000000000000 and id > 200000";
        let (rows, waves, ..) = cost(&store, one(rare)).await;
        assert!((1..50).contains(&rows) && waves == 4, "{rows} {waves}");
        // No block has such rows.
        let (rows, waves, _, bytes) = cost(&store, one("id = 1000000")).await;
        assert!(rows == 0 && waves <= 2 && bytes < 2 * MIB, "{waves} {bytes}");
    });
}

/// 64 files are begun eight at a time: they take far fewer round trips than three for each.
#[test]
fn files_of_a_data_set_are_begun_together() {
    run(async {
        let store = RecordingStore::with_latency(Fault::Nothing, Duration::from_millis(30));
        let store = Arc::new(store);
        let batch = table(64_000, 4);
        let properties = DatasetProperties::builder().set_max_rows_per_file(1000).build();
        let mut writer =
            AsyncDatasetWriter::try_new(store.clone(), "set", batch.schema(), properties)
                .await
                .unwrap();
        writer.write(&batch).await.unwrap();
        assert_eq!(writer.finish().await.unwrap().files.len(), 64);
        let fetch = FetchOptions::default().with_first_read(4096).with_gap(0);
        let table = Dataset::open_with(store.clone(), "set", fetch).await.unwrap();
        store.waves();
        store.requests();
        let predicate = Predicate::parse("c1 > 9000000000000000000").unwrap();
        let scan = table.scan().with_projection(["c2"]).with_predicate(predicate);
        let batches: Vec<RecordBatch> = scan.stream().unwrap().try_collect().await.unwrap();
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        assert!((100..5000).contains(&rows), "{rows}");
        let (waves, gets) = (store.waves(), store.gets());
        let bytes: u64 = gets.iter().map(|range| range.end - range.start).sum();
        assert!(waves <= 40 && bytes < 2 * MIB, "{waves} round trips, {bytes} bytes");
    });
}
