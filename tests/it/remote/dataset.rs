//! Data sets in object stores: the requests, and what is left when they fail.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::*;
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use trevni::arrow::{ArrowStreamBuilder, Predicate, ProjectionMask, WriterProperties};
use trevni::codec::Codec;
use trevni::dataset::*;
use trevni::object_store::FetchOptions;
use trevni::{ErrorKind, Result};

use super::run;
use trevni_testing::store::{Fault, RecordingStore, Request};

fn rows(ids: std::ops::Range<i64>) -> RecordBatch {
    let column =
        |of: fn(i64) -> i64| Arc::new(ids.clone().map(of).collect::<Int64Array>()) as ArrayRef;
    let columns = [
        ("id", column(|id| id)),
        ("year", column(|id| 2020 + id % 3)),
        ("square", column(|id| id * id)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn properties() -> DatasetPropertiesBuilder {
    let file = WriterProperties::builder().set_codec(Codec::Null).build();
    DatasetProperties::builder().set_writer_properties(file)
}

async fn write(
    store: Arc<RecordingStore>,
    ids: std::ops::Range<i64>,
    properties: DatasetProperties,
) -> Result<DatasetSummary> {
    let schema = rows(0..1).schema();
    let mut writer = AsyncDatasetWriter::try_new(store, "a/table", schema, properties).await?;
    writer.write(&rows(ids)).await?;
    writer.finish().await
}

async fn read(scan: DatasetScan<Prefix>) -> RecordBatch {
    let stream = scan.stream().unwrap();
    let schema = stream.schema().clone();
    let batches: Vec<_> = stream.try_collect().await.unwrap();
    concat_batches(&schema, &batches).unwrap()
}

/// Returns the existing ids, from a store without faults; `None` if there is no data set.
async fn ids(store: &RecordingStore) -> Option<Vec<i64>> {
    let store = Arc::new(store.inner.fork());
    match Dataset::open_in(store, "a/table").await {
        Ok(table) => {
            let rows = read(table.scan().with_projection(["id"])).await;
            let mut ids = rows.column(0).as_primitive::<Int64Type>().values().to_vec();
            ids.sort_unstable();
            Some(ids)
        }
        Err(e) => match e.kind() {
            ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => None,
            _ => panic!("{e}"),
        },
    }
}

/// Returns all keys that are no commits.
async fn files(store: &RecordingStore) -> Vec<String> {
    let listed: Vec<_> = store.inner.list(None).try_collect().await.unwrap();
    let keys = listed.into_iter().map(|meta| meta.location.to_string());
    keys.filter(|key| !key.contains("_commits")).collect()
}

#[test]
fn a_scan_asks_only_for_what_may_pass() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        let by_year = properties().set_partition_by(["year"]).build();
        let summary = write(store.clone(), 0..60_000, by_year.clone()).await.unwrap();
        let commit = |n: usize| {
            let store = store.clone();
            async move {
                let key = Path::from(format!("a/table/_commits/{n:020}.trv"));
                store.inner.head(&key).await.unwrap().size as usize
            }
        };
        let sizes: Vec<usize> = summary.files.iter().map(|file| file.bytes() as usize).collect();
        let (zero, one) = (commit(0).await, commit(1).await);
        let put = Request::Put;
        // The existing commits are read before another one is written.
        let expected = [
            put(zero),
            put(sizes[0]),
            put(sizes[1]),
            put(sizes[2]),
            Request::Get(0..524_288),
            put(one),
        ];
        assert_eq!(store.requests(), expected);

        let fetch = || FetchOptions::default().with_gap(0).with_first_read(4000);
        let table = Dataset::open_with(store.clone(), "a/table", fetch()).await.unwrap();
        let mut gets = store.gets();
        // The two commits, and no file.
        assert_eq!(gets, [0..4000, 0..4000]);
        assert_eq!(table.rows(), 60_000);
        let predicate = || Predicate::parse("square < 1000000").unwrap();
        let both = predicate().and(Predicate::parse("year = 2021").unwrap());
        let scan = table.scan().with_projection(["id", "year"]).with_predicate(both);
        let file = scan.files().unwrap();
        assert_eq!(file.len(), 1);
        assert!(store.requests().is_empty());
        let found = read(scan).await;
        gets = store.gets();

        // The same requests as for that file alone, and not one more.
        let key = Path::parse(format!("a/table/{}", file[0].path())).unwrap();
        let builder =
            ArrowStreamBuilder::new_with_options(store.clone(), key, Default::default(), fetch());
        let builder = builder.await.unwrap();
        let mask = ProjectionMask::columns(builder.schema(), ["id"]).unwrap();
        let stream = builder.with_projection(mask).with_predicate(predicate()).build().unwrap();
        let alone: Vec<_> = stream.try_collect().await.unwrap();
        assert_eq!(gets, store.gets());
        // The header, the table of the squares, the only block of the ids and the first of the squares: not their second.
        assert_eq!(gets, [0..4000, 57_758..57_834, 4000..57_758, 57_834..123_329]);
        assert_eq!(file[0].bytes(), 153_558);
        let schema = alone[0].schema();
        assert_eq!(found.column(0), concat_batches(&schema, &alone).unwrap().column(0));
        assert_eq!((found.num_rows(), found.num_columns()), (333, 2));
        assert!(
            found.column(1).as_primitive::<Int64Type>().values().iter().all(|year| *year == 2021)
        );
    });
}

#[test]
fn scans_are_those_of_a_folder() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        let folder = tempfile::tempdir().unwrap();
        for first in [0, 1000, 2500] {
            let properties =
                properties().set_partition_by(["year"]).set_max_rows_per_file(200).build();
            write(store.clone(), first..first + 1000, properties.clone()).await.unwrap();
            let schema = rows(0..1).schema();
            let mut writer = DatasetWriter::try_new(folder.path(), schema, properties).unwrap();
            writer.write(&rows(first..first + 1000)).unwrap();
            writer.finish().unwrap();
        }
        let validity = Dataset::open_in(store.clone(), "a/table").await.unwrap();
        let home = Dataset::open(folder.path()).unwrap();
        assert_eq!((validity.schema(), validity.rows()), (home.schema(), home.rows()));
        for text in ["id < 0", "id >= 0", "year = 2021 or id = 3", "id > 1500 and square < 9000000"]
        {
            for (offset, limit) in [(0, u64::MAX), (100, 50), (0, 1)] {
                let predicate = Predicate::parse(text).unwrap();
                let ours = validity
                    .scan()
                    .with_predicate(predicate.clone())
                    .with_offset(offset)
                    .with_limit(limit);
                let theirs =
                    home.scan().with_predicate(predicate).with_offset(offset).with_limit(limit);
                let reader = theirs.with_batch_size(70).build().unwrap();
                let schema = reader.schema();
                let expected =
                    concat_batches(&schema, &reader.map(|b| b.unwrap()).collect::<Vec<_>>())
                        .unwrap();
                assert_eq!(
                    read(ours.with_batch_size(70).with_parallelism(2)).await,
                    expected,
                    "{text}"
                );
            }
        }
    });
}

#[test]
fn an_error_at_any_request_leaves_the_old_or_the_new() {
    run(async {
        let files_of = || properties().set_max_rows_per_file(15).build();
        for old in [None, Some((0..10).collect::<Vec<_>>())] {
            let mut failed = 0;
            for number in 0.. {
                // Reading the existing rows takes some requests, too.
                let before = if old.is_some() { 4 } else { 0 };
                let store = Arc::new(RecordingStore::new(Fault::Fails(before + number)));
                if old.is_some() {
                    write(store.clone(), 0..10, files_of()).await.unwrap();
                    assert_eq!(store.requests().len(), before);
                }
                let written = write(store.clone(), 10..50, files_of()).await;
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
                let found = ids(&store).await;
                let kept = if old.is_some() { 1 } else { 0 };
                match written {
                    Ok(_) => {
                        let first = if old.is_some() { 0 } else { 10 };
                        assert_eq!(found, Some((first..50).collect()));
                        break;
                    }
                    Err(e) => {
                        assert!(e.to_string().contains("this request fails"), "{e}");
                        assert_eq!(found, old, "{number}");
                        failed += 1;
                        // The files stay only where the commit may have been written for all that is known.
                        let asked = store.requests();
                        let puts = asked.iter().filter(|asked| matches!(asked, Request::Put(_)));
                        let commit = puts.count() == if old.is_some() { 4 } else { 5 };
                        let left = files(&store).await.len();
                        assert!(left == kept || commit, "{number}: {left} {asked:?}");
                        if old.is_some() {
                            let store = store.clone();
                            let gone = Dataset::vacuum_in(store, "a/table", Duration::ZERO).await;
                            assert_eq!(gone.unwrap().files as usize, left - kept);
                        }
                        assert_eq!(ids(&store).await, old, "{number}");
                    }
                }
            }
            assert!(failed >= 5, "{failed}");
        }
    });
}

#[test]
fn a_writer_that_is_dropped_or_aborted_leaves_nothing() {
    run(async {
        for abort in [true, false] {
            let store = Arc::new(RecordingStore::new(Fault::Nothing));
            let few = properties().set_max_rows_per_file(10).build();
            let schema = rows(0..1).schema();
            let writer = AsyncDatasetWriter::try_new(store.clone(), "a/table", schema, few);
            let mut writer = writer.await.unwrap();
            writer.write(&rows(0..95)).await.unwrap();
            assert_eq!(files(&store).await.len(), 9);
            assert_eq!(ids(&store).await, None);
            match abort {
                true => writer.abort().await.unwrap(),
                false => drop(writer),
            }
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            assert!(files(&store).await.is_empty());
            assert_eq!(ids(&store).await, None);
        }
    });
}

#[test]
fn two_writers_at_once_both_land() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        let one = |first| write(store.clone(), first..first + 10, properties().build());
        let all = futures_util::future::join_all((0..8).map(|writer| one(writer * 10))).await;
        assert!(all.iter().all(Result::is_ok));
        assert_eq!(ids(&store).await, Some((0..80).collect()));
        let table = Dataset::open_in(store.clone(), "a/table").await.unwrap();
        assert_eq!(table.commit(), Some(8));
        // Without conditional requests, at least one after another.
        let store = Arc::new(RecordingStore::new(Fault::Unconditional));
        for first in [0, 10] {
            write(store.clone(), first..first + 10, properties().build()).await.unwrap();
        }
        assert_eq!(ids(&store).await, Some((0..20).collect()));
    });
}

#[test]
fn what_nobody_names_is_removed() {
    run(async {
        let store = Arc::new(RecordingStore::new(Fault::Nothing));
        write(store.clone(), 0..10, properties().build()).await.unwrap();
        store.inner.put(&Path::from("a/table/year=1/part-x.trv"), "12345".into()).await.unwrap();
        store.inner.put(&Path::from("a/table2/part-x.trv"), "12345".into()).await.unwrap();
        let vacuum = |older| Dataset::vacuum_in(store.clone(), "a/table", older);
        assert_eq!(vacuum(Duration::from_secs(3600)).await.unwrap(), VacuumReport::default());
        let gone = vacuum(Duration::ZERO).await.unwrap();
        assert_eq!((gone.files, gone.bytes), (1, 5));
        assert_eq!(files(&store).await.len(), 2);
        assert_eq!(ids(&store).await, Some((0..10).collect()));
    });
}
