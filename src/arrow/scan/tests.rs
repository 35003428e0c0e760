//! What scans of several files open, and when they stop.

#![allow(clippy::cast_possible_truncation)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use bytes::Bytes;

use super::file_plan::Adapter;
use super::ordered_scan::{OrderedScan, ScanOptions};
use super::part::Part;
use super::trim::Trim;
use crate::arrow::{ArrowReaderBuilder, ArrowWriter, Predicate};
use crate::error::Error;
use crate::io::Limits;
use crate::parallelism::threads;

const BATCH: usize = 100;

/// A file of ascending numbers.
fn file(rows: i64) -> Bytes {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let batch = RecordBatch::try_from_iter([("n", column)]).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap().0.into()
}

/// A scan of some files, which counts those that are opened: each time, its schema is parsed, the predicate bound and the
/// blocks pruned.
fn scan(
    files: usize,
    rows: i64,
    limit: u64,
    count: usize,
) -> (OrderedScan<Bytes>, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let file = file(rows);
    let schema = ArrowReaderBuilder::try_new(file.clone()).unwrap().schema().clone();
    let parts = (0..files).map(|_| {
        let (file, opened) = (file.clone(), opened.clone());
        let open = move || {
            opened.fetch_add(1, Ordering::Relaxed);
            let predicate: Predicate = "n >= 0".parse()?;
            let builder = ArrowReaderBuilder::try_new(file.clone())?.with_batch_size(BATCH);
            Ok(Some(builder.with_predicate(predicate).into_plan()?.0))
        };
        (Part::closed(open), 0..rows as u64)
    });
    let pool = threads::pool(count).unwrap();
    let trim = Trim::new(0, limit);
    let options = ScanOptions { limits: Limits::default(), trim, pool, joins: false };
    (OrderedScan::new(parts, &schema, BATCH, options), opened)
}

fn rows_of(mut scan: OrderedScan<Bytes>) -> usize {
    std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.num_rows()).sum()
}

#[test]
fn each_file_is_opened_once() {
    for count in [1, 2, 8] {
        let (scan, opened) = scan(64, 3000, u64::MAX, count);
        assert_eq!(rows_of(scan), 64 * 3000);
        assert_eq!(opened.load(Ordering::Relaxed), 64, "{count} threads");
    }
}

#[test]
fn a_limit_opens_no_more_files_than_are_read_ahead() {
    for count in [1, 2, 8] {
        let used = threads::pool(count).unwrap().map_or(1, |pool| pool.current_num_threads() + 1);
        let (scan, opened) = scan(64, 200, 10, count);
        assert_eq!(rows_of(scan), 10);
        let opened = opened.load(Ordering::Relaxed);
        assert!(opened <= used + 1, "{opened} files are opened by {used} threads");
    }
}

#[cfg(feature = "object_store")]
#[test]
fn a_scan_that_is_polled_returns_the_same_rows() {
    use std::task::{Context, Poll, Waker};

    for count in [1, 2, 8] {
        let (mut scan, _) = scan(64, 1000, u64::MAX, count);
        let (mut rows, mut cx) = (0, Context::from_waker(Waker::noop()));
        loop {
            match scan.poll_next(&mut cx) {
                Poll::Pending => std::thread::yield_now(),
                Poll::Ready(batch) => match batch.unwrap() {
                    Some(batch) => rows += batch.num_rows(),
                    None => break,
                },
            }
        }
        assert_eq!(rows, 64_000, "{count} threads");
    }
}

#[test]
fn what_fails_is_returned_after_the_rows_before_it() {
    for count in [1, 2, 8] {
        let good = file(1000);
        let schema = ArrowReaderBuilder::try_new(good.clone()).unwrap().schema().clone();
        let parts = (0..10).map(|i| {
            let good = good.clone();
            let open = move || match i {
                7 => Err(Error::invalid("file 7")),
                _ => {
                    let builder = ArrowReaderBuilder::try_new(good.clone())?;
                    Ok(Some(builder.with_batch_size(BATCH).into_plan()?.0))
                }
            };
            (Part::closed(open), 0..1000)
        });
        let pool = threads::pool(count).unwrap();
        let options =
            ScanOptions { limits: Limits::default(), trim: Trim::none(), pool, joins: true };
        let mut scan = OrderedScan::new(parts, &schema, BATCH, options);
        let mut rows = 0;
        let error = loop {
            match scan.next_batch() {
                Ok(batch) => rows += batch.unwrap().num_rows(),
                Err(e) => break e,
            }
        };
        assert_eq!((rows, error.to_string().contains("file 7")), (7000, true), "{count} threads");
    }
}

#[test]
fn a_scan_that_is_dropped_stops_within_a_batch() {
    let (count, converted) = (4, Arc::new(AtomicUsize::new(0)));
    let file = file(3000);
    let schema = ArrowReaderBuilder::try_new(file.clone()).unwrap().schema().clone();
    let parts = (0..64).map(|_| {
        let (file, converted) = (file.clone(), converted.clone());
        let open = move || {
            let builder = ArrowReaderBuilder::try_new(file.clone())?.with_batch_size(BATCH);
            let converted = converted.clone();
            let finish = move |batch: &RecordBatch| {
                converted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
                Ok(batch.clone())
            };
            let adapter = Adapter { name: "a".into(), keeps_rows: true, finish: Box::new(finish) };
            Ok(Some(builder.into_plan()?.0.with_adapter(adapter)))
        };
        (Part::closed(open), 0..3000)
    });
    let pool = threads::pool(count).unwrap();
    let options = ScanOptions { limits: Limits::default(), trim: Trim::none(), pool, joins: false };
    let mut scan = OrderedScan::new(parts, &schema, BATCH, options);
    assert!(scan.next_batch().unwrap().is_some());
    drop(scan);
    let then = converted.load(Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(100));
    assert!(converted.load(Ordering::Relaxed) <= then + count);
}
