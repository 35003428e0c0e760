//! The memory that a scan takes at its peak: all threads together, of one file and of a data set, local and in a store.
//!
//! Alone in its process, since what all threads hold is counted.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
#![allow(clippy::cast_possible_truncation)]

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use futures_util::StreamExt;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use trevni::arrow::{ArrowReaderBuilder, ArrowStreamBuilder, ArrowWriter, Predicate};
use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};
use trevni::io::Limits;
use trevni_testing::allocator::{CountingAllocator, peak_of_all_threads};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const FILES: i64 = 64;

const ROWS_OF_FILE: i64 = 10_000;

const LIMIT: usize = 16 << 20;

/// A quarter more than the limit: what is known of a file is not a part of it.
const MOST: usize = LIMIT + LIMIT / 4;

fn rows(from: i64, to: i64) -> RecordBatch {
    let text = |i: i64| format!("row {i} of {}, {:x}", from, i.wrapping_mul(0x9e37_79b9_7f4a));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(from..to))),
        ("text", Arc::new(StringArray::from_iter_values((from..to).map(text)))),
        ("value", Arc::new(Float64Array::from_iter_values((from..to).map(|i| i as f64 * 0.37)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(folder: &Path) {
    let schema = rows(0, 0).schema();
    let properties =
        DatasetProperties::builder().set_max_rows_per_file(ROWS_OF_FILE as u64).build();
    let mut dataset =
        DatasetWriter::try_new(folder.join("set"), schema.clone(), properties).unwrap();
    let file = std::fs::File::create(folder.join("one.trv")).unwrap();
    let mut one = ArrowWriter::try_new(file, schema, None).unwrap();
    for at in 0..FILES {
        let batch = rows(at * ROWS_OF_FILE, (at + 1) * ROWS_OF_FILE);
        dataset.write(&batch).unwrap();
        one.write(&batch).unwrap();
    }
    assert_eq!(dataset.finish().unwrap().files.len(), FILES as usize);
    one.finish().unwrap();
}

/// Reads batches, and keeps none. Returns how many rows there are.
fn drain<E: std::fmt::Debug>(batches: impl Iterator<Item = Result<RecordBatch, E>>) -> usize {
    batches.map(|batch| batch.unwrap().num_rows()).sum()
}

async fn drain_stream<E: std::fmt::Debug>(
    stream: impl futures_util::Stream<Item = Result<RecordBatch, E>>,
) -> usize {
    stream.fold(0, |sum, batch| async move { sum + batch.unwrap().num_rows() }).await
}

#[test]
fn a_scan_takes_no_more_memory_than_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let store: Arc<dyn ObjectStore> =
        Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    let limits = Limits::of_memory(LIMIT);
    for threads in [1, 2, 8] {
        for condition in [None, Some("value > 1000 and value < 150000")] {
            let predicate = condition.map(|text| text.parse::<Predicate>().unwrap());
            macro_rules! set {
                ($builder:expr) => {{
                    let builder = $builder.with_limits(limits).with_parallelism(threads);
                    match &predicate {
                        Some(predicate) => builder.with_predicate(predicate.clone()),
                        None => builder,
                    }
                }};
            }
            let local_file = || {
                let file = std::fs::File::open(folder.path().join("one.trv")).unwrap();
                drain(set!(ArrowReaderBuilder::try_new(file).unwrap()).build().unwrap())
            };
            let local_set = || {
                let dataset = Dataset::open(folder.path().join("set")).unwrap();
                drain(set!(dataset.scan()).build().unwrap())
            };
            let remote_file = || {
                runtime.block_on(async {
                    let builder = ArrowStreamBuilder::new(store.clone(), "one.trv").await.unwrap();
                    drain_stream(set!(builder).build().unwrap()).await
                })
            };
            let remote_set = || {
                runtime.block_on(async {
                    let dataset = Dataset::open_in(store.clone(), "set").await.unwrap();
                    drain_stream(set!(dataset.scan()).stream().unwrap()).await
                })
            };
            let scans: [(&str, &dyn Fn() -> usize); 4] = [
                ("file", &local_file),
                ("data set", &local_set),
                ("file of a store", &remote_file),
                ("data set of a store", &remote_set),
            ];
            let mut found = Vec::new();
            for (name, scan) in scans {
                let (rows, held) = peak_of_all_threads(scan);
                println!("{name}, {threads} threads, {condition:?}: {} kB", held >> 10);
                assert!(held <= MOST, "{name}, {threads} threads, {condition:?}: {held} bytes");
                found.push(rows);
            }
            assert!(found.iter().all(|rows| *rows == found[0] && *rows > 100_000), "{found:?}");
        }
    }
}
