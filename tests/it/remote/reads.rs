//! Streams return the batches of the synchronous reader, and request the planned ranges.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use bytes::Bytes;
use futures_util::TryStreamExt;
use trevni::arrow::*;
use trevni::object_store::FetchOptions;

use super::run;
use crate::testdata::{self, Numbers};
use trevni_testing::data::reference_file;
use trevni_testing::store::{Fault, RecordingStore};

/// A read, and its fetch options.
struct Case {
    columns: Option<Vec<usize>>,
    rows: std::ops::Range<u64>,
    selection: Option<RowSelection>,
    /// For each predicate, its column, and that it keeps one of this many rows.
    predicates: Vec<(usize, u64)>,
    offset: u64,
    limit: u64,
    batch_size: usize,
    threads: usize,
    window: u64,
    prefetch: usize,
    fetch: FetchOptions,
}

impl Case {
    fn of(numbers: &mut Numbers, rows: u64, columns: usize) -> Self {
        let mut next = |n: u64| (numbers.next31() as u64) % n.max(1);
        let predicates = (0..if columns == 0 { 0 } else { next(4).saturating_sub(1) })
            .map(|_| (next(columns as u64) as usize, [1, 2, 7, 300][next(4) as usize]))
            .collect();
        let columns = (next(2) == 0).then(|| (0..columns).filter(|_| next(3) == 0).collect());
        let start = if next(2) == 0 { 0 } else { next(rows) };
        let end = if next(2) == 0 { rows } else { start + next(rows - start) };
        let selection = (next(2) == 0).then(|| {
            let ranges: Vec<_> = (0..next(8)).map(|_| next(rows)).collect();
            let ranges = ranges.into_iter().map(|row| row..row + 1 + next(rows / 8 + 1));
            RowSelection::from_consecutive_ranges(ranges, rows)
        });
        let fetch = FetchOptions::default()
            .with_first_read([1, 200, 4000, 1 << 16][next(4) as usize])
            .with_gap([0, 100, 1 << 20][next(3) as usize])
            .with_largest_request([50, 1000, 1 << 23][next(3) as usize])
            .with_concurrency(1 + next(4) as usize);
        Self {
            columns,
            rows: start..end,
            selection,
            predicates,
            offset: if next(4) == 0 { next(rows) } else { 0 },
            limit: if next(4) == 0 { next(rows) } else { u64::MAX },
            batch_size: (rows as usize / (1 + next(9) as usize)).max(1),
            threads: if next(5) == 0 { 2 } else { 1 },
            window: [1, 500, 20_000, 1 << 25][next(4) as usize],
            prefetch: next(4) as usize,
            fetch,
        }
    }

    fn read(&self, path: &Path) -> Vec<RecordBatch> {
        let bytes = Bytes::from(std::fs::read(path).unwrap());
        let builder = ArrowReaderBuilder::try_new(bytes).unwrap();
        let mut builder =
            builder.with_row_range(self.rows.clone()).with_batch_size(self.batch_size);
        if let Some(columns) = &self.columns {
            let mask = ProjectionMask::roots(builder.schema(), columns.clone()).unwrap();
            builder = builder.with_projection(mask);
        }
        if let Some(selection) = &self.selection {
            builder = builder.with_row_selection(selection.clone());
        }
        if let Some(filter) = self.filter(builder.schema()) {
            builder = builder.with_row_filter(filter);
        }
        let builder = builder.with_offset(self.offset).with_limit(self.limit);
        builder.build().unwrap().collect::<Result<_, _>>().unwrap()
    }

    async fn stream(&self, store: Arc<RecordingStore>) -> ArrowStream {
        let (options, fetch) = (ArrowReaderOptions::new(), self.fetch.clone());
        let builder = ArrowStreamBuilder::new_with_options(store, "file.trv", options, fetch);
        let mut builder = builder
            .await
            .unwrap()
            .with_row_range(self.rows.clone())
            .with_batch_size(self.batch_size)
            .with_parallelism(self.threads)
            .with_window_bytes(self.window)
            .with_prefetch(self.prefetch);
        if let Some(columns) = &self.columns {
            let mask = ProjectionMask::roots(builder.schema(), columns.clone()).unwrap();
            builder = builder.with_projection(mask);
        }
        if let Some(selection) = &self.selection {
            builder = builder.with_row_selection(selection.clone());
        }
        if let Some(filter) = self.filter(builder.schema()) {
            builder = builder.with_row_filter(filter);
        }
        builder.with_offset(self.offset).with_limit(self.limit).build().unwrap()
    }

    /// Predicates that keep some of their rows, however these are batched.
    fn filter(&self, schema: &Schema) -> Option<RowFilter> {
        let predicates = self.predicates.iter().map(|(column, one_of)| {
            let (mask, mut seen, one_of) = (ProjectionMask::roots(schema, [*column]), 0, *one_of);
            let keep = move |batch: RecordBatch| {
                let rows = seen..seen + batch.num_rows() as u64;
                seen = rows.end;
                Ok(rows.map(|row| Some(row * 7919 % 1009 % one_of == 0)).collect())
            };
            Box::new(ArrowPredicateFn::new(mask.unwrap(), keep)) as Box<dyn ArrowPredicate>
        });
        let predicates: Vec<_> = predicates.collect();
        (!predicates.is_empty()).then(|| RowFilter::new(predicates))
    }
}

/// Every file of the reference, in ways that chance chooses. A plan that leaves a byte out is an error here.
#[test]
fn every_file_reads_as_it_does_at_home() {
    let mut numbers = Numbers(2026);
    let mut read = 0;
    for path in testdata::reference_files() {
        let name = testdata::stem(&path);
        if testdata::REFUSED.contains(&name) {
            continue;
        }
        let file = std::fs::File::open(&path).unwrap();
        let Ok(builder) = ArrowReaderBuilder::try_new(file) else { continue };
        let (rows, fields) = (builder.rows(), builder.schema().fields().len());
        for _ in 0..if rows > 10_000 { 4 } else { 12 } {
            let case = Case::of(&mut numbers, rows, fields);
            let expected = case.read(&path);
            let batches: Vec<_> = run(async {
                let store = RecordingStore::with_file(&path, Fault::Nothing).await;
                case.stream(store).await.try_collect().await
            })
            .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(batches, expected, "{name}");
            read += batches.len();
        }
    }
    assert!(read > 500, "{read}");
}

/// Returns the requests of a stream over boolean-multiblock, and its rows.
fn requests_of(
    set: impl FnOnce(ArrowStreamBuilder) -> ArrowStreamBuilder,
) -> (Vec<[u64; 2]>, usize) {
    run(async {
        let store =
            RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
        let fetch = FetchOptions::default().with_first_read(256).with_gap(600);
        let options = ArrowReaderOptions::new();
        let builder =
            ArrowStreamBuilder::new_with_options(store.clone(), "file.trv", options, fetch);
        let stream = set(builder.await.unwrap()).build().unwrap();
        let batches: Vec<_> = stream.try_collect().await.unwrap();
        let mut gets: Vec<_> = store.gets().iter().map(|range| [range.start, range.end]).collect();
        gets[1..].sort_unstable();
        (gets, batches.iter().map(RecordBatch::num_rows).sum())
    })
}

fn only(builder: ArrowStreamBuilder, name: &str) -> ArrowStreamBuilder {
    let mask = ProjectionMask::columns(builder.schema(), [name]).unwrap();
    builder.with_projection(mask)
}

#[test]
fn requests_are_those_of_the_plan() {
    // Nothing is fetched before the stream is polled.
    let none = requests_of(|builder| builder.with_row_range(5..5));
    assert_eq!(none, (vec![[0, 256], [6668, 6888]], 0));
    let whole = requests_of(|builder| builder);
    assert_eq!(whole, (vec![[0, 256], [256, 11_966]], 1_100_000));
    let column = requests_of(|builder| only(builder, "arr"));
    assert_eq!(column, (vec![[0, 256], [6668, 11_966]], 1_100_000));
    let range = requests_of(|builder| only(builder, "plain").with_row_range(600_000..600_010));
    assert_eq!(range, (vec![[0, 256], [3268, 6353]], 10));
    let rows = [7, 600_000, 1_099_999].map(|row| row..row + 1);
    let scattered = RowSelection::from_consecutive_ranges(rows.into_iter(), 1_100_000);
    let scattered = requests_of(|builder| only(builder, "plain").with_row_selection(scattered));
    assert_eq!(scattered, (vec![[0, 256], [256, 6668]], 3));
    // Windows of one block: each is fetched once, and the next while one is decoded.
    let windows = requests_of(|builder| {
        only(builder, "plain").with_window_bytes(3100).with_batch_size(100_000).with_prefetch(2)
    });
    assert_eq!(windows, (vec![[0, 256], [256, 3268], [3268, 6353], [6353, 6668]], 1_100_000));
}

#[test]
fn columns_come_only_for_rows_that_pass() {
    // Both columns are few bytes: they are fetched together, before it is known that no row matches.
    let none = requests_of(|builder| {
        only(builder, "arr").with_predicate(Predicate::parse("plain and not plain").unwrap())
    });
    assert_eq!(none, (vec![[0, 256], [256, 11_966], [6668, 6888]], 0));
    // Only rows at the end match, in its second block; windows of one block each.
    let last = requests_of(|builder| {
        let mask = ProjectionMask::columns(builder.schema(), ["plain"]).unwrap();
        let mut seen = 0;
        let keep = move |batch: RecordBatch| {
            let rows = seen..seen + batch.num_rows();
            seen = rows.end;
            Ok(rows.map(|row| Some(row >= 1_090_000)).collect())
        };
        let filter = RowFilter::new(vec![Box::new(ArrowPredicateFn::new(mask, keep))]);
        let builder = only(builder, "arr").with_row_filter(filter);
        builder.with_window_bytes(3100).with_batch_size(100_000)
    });
    let blocks = [[256, 3268], [3268, 6353], [6353, 6668]];
    let requests = [&[[0, 256]][..], &blocks, &[[6668, 6888], [9978, 11_966]]].concat();
    assert_eq!(last, (requests, 10_000));
}

#[test]
fn a_small_column_comes_with_its_table() {
    run(async {
        let store =
            RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
        let fetch = FetchOptions::default().with_first_read(256);
        let options = ArrowReaderOptions::new();
        let builder =
            ArrowStreamBuilder::new_with_options(store.clone(), "file.trv", options, fetch);
        let stream = only(builder.await.unwrap(), "arr").build().unwrap();
        stream.try_collect::<Vec<_>>().await.unwrap();
        assert_eq!(store.gets(), [0..256, 6668..11_966]);
    });
}

#[test]
fn no_runtime_is_needed_and_a_stream_is_sent() {
    use futures_util::FutureExt;
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let work = async {
        let store =
            RecordingStore::with_file(&reference_file("boolean-multiblock"), Fault::Nothing).await;
        let stream = ArrowStreamBuilder::new(store, "file.trv").await.unwrap().build().unwrap();
        let batches: Vec<_> = stream.try_collect().await.unwrap();
        batches.iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!(sent(work).now_or_never(), Some(1_100_000));
}
