//! Rows chosen while they are read: whatever the predicates, selections, projections and files, they are those that
//! Arrow's kernels choose of all.

pub(crate) mod blocks_read;
mod nested_fields;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::*;
use arrow::compute::kernels::cmp;
use arrow::datatypes::*;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::arrow::*;
use trevni::codec::Codec;

use super::arrow::write;
use super::testdata::Numbers;
use trevni_testing::arrays::batches;
use trevni_testing::equality::same_rows;
use trevni_testing::numbers::below;

/// Random columns, and some for which predicates can be generated.
fn tables(seed: u64) -> (SchemaRef, Vec<RecordBatch>) {
    let (schema, batches) = batches(seed);
    let n = &mut Numbers(seed ^ 77);
    let inner = Fields::from(vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8, false),
    ]);
    let words = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into());
    let mut fields: Vec<FieldRef> = schema.fields().to_vec();
    let middle = fields.len() / 2;
    let more = [
        Field::new("k", DataType::Int64, true),
        Field::new("w", words, true),
        Field::new("s", DataType::Struct(inner.clone()), true),
    ];
    fields.splice(middle..middle, more.map(Arc::new));
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let batches = batches.iter().map(|batch| {
        let rows = batch.num_rows();
        let mut some = |of: usize| -> Vec<Option<usize>> {
            (0..rows).map(|_| Some(below(n, of + 1)).filter(|i| *i < of)).collect()
        };
        let k: ArrayRef =
            Arc::new(some(10).into_iter().map(|i| i.map(|i| i as i64)).collect::<Int64Array>());
        let word = |i: Option<usize>| i.map(|i| ["a", "b", "c"][i]);
        let w: ArrayRef =
            Arc::new(some(3).into_iter().map(word).collect::<DictionaryArray<Int8Type>>());
        let a: ArrayRef =
            Arc::new(some(9).into_iter().map(|i| i.map(|i| i as i32)).collect::<Int32Array>());
        let b = some(3).into_iter().map(|i| word(i).unwrap_or("none"));
        let b: ArrayRef = Arc::new(StringArray::from_iter_values(b));
        let nulls = some(4).into_iter().map(|i| i.is_some()).collect::<Vec<_>>();
        let s: ArrayRef = Arc::new(StructArray::new(inner.clone(), vec![a, b], Some(nulls.into())));
        let mut columns = batch.columns().to_vec();
        columns.splice(middle..middle, [k, w, s]);
        RecordBatch::try_new(schema.clone(), columns).unwrap()
    });
    let batches = batches.collect();
    (schema, batches)
}

const CONDITIONS: [&str; 12] = [
    "k < 5",
    "k is not null and k >= 0",
    "k > 100",
    "k = 3",
    "w = 'b'",
    "not w in ('a', 'c') or k = 1",
    "s.a > 3 or k is null",
    "s.b in ('a', 'none') and k >= 2 and s.a < 7",
    "k between 2 and 8 and w != 'a' and k != 5",
    "s is null",
    "s.a is null and not k = 2",
    "k <= 9 and w is not null and s.b < 'c'",
];

/// Returns a predicate in Rust: whether `k` is below a number; it receives other columns, too.
fn below_k(schema: &Schema, roots: &[usize], most: i64) -> Box<dyn ArrowPredicate> {
    let k = schema.index_of("k").unwrap();
    let roots = roots.iter().copied().chain([k]);
    let mask = ProjectionMask::roots(schema, roots).unwrap();
    let predicate = ArrowPredicateFn::new(mask, move |batch| {
        let k = batch.column_by_name("k").unwrap();
        cmp::lt(k, &Int64Array::new_scalar(most))
    });
    Box::new(predicate.with_excluded_rows(most % 2 == 0))
}

/// Returns the rows of batches for which masks are true, after an offset and up to a limit.
fn kept(
    batches: &[RecordBatch],
    masks: &[Vec<bool>],
    from: usize,
    most: usize,
) -> Vec<RecordBatch> {
    let rows = batches.iter().zip(masks).flat_map(|(batch, mask)| {
        (0..batch.num_rows()).filter(|row| mask[*row]).map(|row| batch.slice(row, 1))
    });
    rows.skip(from).take(most).collect()
}

#[derive(Debug, Clone)]
struct Reading {
    condition: Option<&'static str>,
    own: Option<i64>,
    projection: u16,
    own_projection: u16,
    selectors: Option<Vec<(u64, bool)>>,
    rows: (u64, u64),
    offset: u64,
    limit: Option<u64>,
    batch_size: usize,
    threads: usize,
}

fn readings() -> impl Strategy<Value = Reading> {
    let rows = (prop_oneof![Just(0u64), 0u64..40], prop_oneof![Just(1000u64), 0u64..100]);
    (
        (
            proptest::option::weighted(0.8, prop::sample::select(CONDITIONS.to_vec())),
            proptest::option::of(0i64..12),
            (any::<u16>(), any::<u16>()),
            proptest::option::of(prop::collection::vec((0u64..30, any::<bool>()), 0..12)),
            rows,
        ),
        (
            prop_oneof![Just(0u64), 0u64..20],
            proptest::option::weighted(0.3, 0u64..30),
            1usize..40,
            prop::sample::select(vec![1usize, 2, 4]),
        ),
    )
        .prop_map(
            |((condition, own, masks, selectors, rows), (offset, limit, batch_size, threads))| {
                Reading {
                    condition,
                    own,
                    projection: masks.0,
                    own_projection: masks.1,
                    selectors,
                    rows,
                    offset,
                    limit,
                    batch_size,
                    threads,
                }
            },
        )
}

fn roots(schema: &Schema, bits: u16) -> Vec<usize> {
    (0..schema.fields().len()).filter(|i| bits >> i & 1 == 1).collect()
}

fn check(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    file: Bytes,
    reading: &Reading,
) -> Result<(), String> {
    let Reading { condition, own, selectors, rows, .. } = reading;
    let predicate = condition.map(|condition| Predicate::parse(condition).unwrap());
    let projection = roots(schema, reading.projection);
    // The rows that Arrow's kernels choose.
    let mut at = 0u64;
    let masks: Vec<Vec<bool>> = batches
        .iter()
        .map(|batch| {
            let asked = predicate.as_ref().map(|p| p.evaluate(batch).unwrap());
            let k = batch.column_by_name("k").unwrap().as_primitive::<Int64Type>();
            (0..batch.num_rows())
                .map(|row| {
                    let place = at;
                    at += 1;
                    let mut end = 0;
                    let selected = selectors.as_ref().is_none_or(|selectors| {
                        selectors.iter().any(|(n, skip)| {
                            let start = end;
                            end += n;
                            !skip && (start..end).contains(&place)
                        })
                    });
                    selected
                        && (rows.0..rows.1).contains(&place)
                        && asked
                            .as_ref()
                            .is_none_or(|asked| asked.is_valid(row) && asked.value(row))
                        && own.is_none_or(|most| k.is_valid(row) && k.value(row) < most)
                })
                .collect()
        })
        .collect();
    let all = kept(
        batches,
        &masks,
        reading.offset as usize,
        reading.limit.map_or(usize::MAX, |n| n as usize),
    );
    let expected: Vec<_> = all.iter().map(|row| row.project(&projection).unwrap()).collect();

    let mut builder = ArrowReaderBuilder::try_new(file)
        .map_err(|e| e.to_string())?
        .with_batch_size(reading.batch_size)
        .with_parallelism(reading.threads)
        .with_projection(ProjectionMask::roots(schema, projection.iter().copied()).unwrap())
        .with_row_range(rows.0..rows.1)
        .with_offset(reading.offset);
    if let Some(limit) = reading.limit {
        builder = builder.with_limit(limit);
    }
    if let Some(predicate) = predicate {
        builder = builder.with_predicate(predicate);
    }
    if let Some(most) = own {
        let looked_at = roots(schema, reading.own_projection);
        builder = builder.with_row_filter(RowFilter::new(vec![
            below_k(schema, &looked_at, *most + 2),
            below_k(schema, &[], *most),
        ]));
    }
    if let Some(selectors) = selectors {
        let selectors: Vec<_> =
            selectors.iter().map(|(n, skip)| RowSelector { row_count: *n, skip: *skip }).collect();
        builder = builder.with_row_selection(selectors.into());
    }
    let reader = builder.build().map_err(|e| e.to_string())?;
    assert_eq!(reader.schema(), Arc::new(schema.project(&projection).unwrap()));
    let read = reader.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    let sizes: Vec<_> = read.iter().map(RecordBatch::num_rows).collect();
    // Dictionaries of few keys may halve batches; of these there are none so large.
    let size = reading.batch_size;
    assert!(sizes.iter().all(|n| *n <= size), "{sizes:?} by {size}");
    let whole = sizes.split_last().map_or(&[][..], |(_, whole)| whole);
    // Several threads each evaluate a predicate on rows of their own.
    if reading.threads == 1 || reading.condition.is_none() {
        assert!(whole.iter().all(|n| *n == size), "{sizes:?} by {size}");
    }
    same_rows(&expected, &read)
}

fn file(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    codec: usize,
    block_size: usize,
    layout: Layout,
) -> Option<Bytes> {
    let codecs: Vec<_> = Codec::ALL.into_iter().filter(|codec| codec.is_available()).collect();
    let properties = WriterProperties::builder()
        .set_codec(codecs[codec % codecs.len()])
        .set_block_size(block_size)
        .set_layout(layout)
        .build();
    match write(schema, batches, properties) {
        Ok(file) => Some(file),
        Err(_) if layout == Layout::Avro => None,
        Err(e) => panic!("{e}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chosen_rows_are_those_of_arrows_kernels(
        seed: u64, reading in readings(), codec in 0usize..12,
        block_size in prop::sample::select(vec![1usize, 20, 300, 65_536]),
        avro in prop::bool::weighted(0.2),
    ) {
        let (schema, batches) = tables(seed);
        let layout = if avro { Layout::Avro } else { Layout::Split };
        let layouts = [layout, Layout::Split];
        let file = layouts.iter().find_map(|layout| file(&schema, &batches, codec, block_size, *layout)).unwrap();
        if let Err(e) = check(&schema, &batches, file, &reading) {
            prop_assert!(false, "seed {}: {:?}: {}: {}", seed, reading, schema, e);
        }
    }
}

/// More rows than a window has, so that windows, pieces and batches cut each other anywhere.
#[test]
fn long_tables_are_cut_anywhere() {
    let n = 60_000usize;
    let k: ArrayRef = Arc::new(Int64Array::from_iter(
        (0..n).map(|i| (i % 11 != 3).then_some((i * 7919 % 1000) as i64)),
    ));
    let sorted: ArrayRef = Arc::new(Int32Array::from_iter_values(0..n as i32));
    let text: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..n).map(|i| format!("row {i}"))));
    let keyed: ArrayRef = Arc::new(
        (0..n).map(|i| Some(["x", "y", "z"][i / 7 % 3])).collect::<DictionaryArray<Int8Type>>(),
    );
    let table = RecordBatch::try_from_iter_with_nullable([
        ("k", k, true),
        ("sorted", sorted, false),
        ("text", text, false),
        ("keyed", keyed, true),
    ])
    .unwrap();
    let schema = table.schema();
    for codec in [Codec::Null, Codec::Snappy, Codec::Pack] {
        let properties = WriterProperties::builder().set_codec(codec).set_block_size(4000).build();
        let file = write(&schema, std::slice::from_ref(&table), properties).unwrap();
        for (condition, batch_size, offset, limit) in [
            ("k < 1", 100, 0, 1_000_000),
            ("k < 900", 8192, 0, 1_000_000),
            ("k < 100", 20_000, 5, 4000),
            ("sorted >= 30000 and k < 500", 1000, 10_000, 1_000_000),
            ("k >= 0 and keyed = 'y'", 8192, 3, 9000),
            ("sorted in (5, 20000, 59999)", 2, 1, 1),
            ("k < 20 or k is null", 50_000, 0, 1_000_000),
            ("k is null and sorted < 40000 and text > 'row 3'", 777, 0, 1_000_000),
        ] {
            let predicate = Predicate::parse(condition).unwrap();
            let mask = predicate.evaluate(&table).unwrap();
            let expected = arrow::compute::filter_record_batch(&table, &mask).unwrap();
            let from = offset.min(expected.num_rows());
            let expected = expected.slice(from, limit.min(expected.num_rows() - from));
            let reader = ArrowReaderBuilder::try_new(file.clone())
                .unwrap()
                .with_batch_size(batch_size)
                .with_predicate(predicate)
                .with_offset(offset as u64)
                .with_limit(limit as u64)
                .build()
                .unwrap();
            let read: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
            let sizes = read.iter().map(RecordBatch::num_rows);
            let whole = expected.num_rows().div_ceil(batch_size);
            assert_eq!(sizes.len(), whole, "{condition}");
            same_rows(&[expected], &read).unwrap_or_else(|e| panic!("{condition} {codec:?}: {e}"));
        }
    }
}

#[test]
fn predicates_see_excluded_rows_only_if_they_accept_them() {
    let k: ArrayRef = Arc::new(Int64Array::from_iter_values(0..30_000));
    let batch = RecordBatch::try_from_iter([("k", k)]).unwrap();
    let file = write(&batch.schema(), &[batch], WriterProperties::default()).unwrap();
    for accepts in [false, true] {
        let seen = Arc::new(AtomicUsize::new(0));
        let is_even = |batch: RecordBatch| {
            let k = batch.column(0).as_primitive::<Int64Type>();
            Ok(BooleanArray::from_unary(k, |k| k % 2 == 0))
        };
        let even = ArrowPredicateFn::new(ProjectionMask::all(), is_even);
        let noted = seen.clone();
        let is_small = move |batch: RecordBatch| {
            noted.fetch_add(batch.num_rows(), Ordering::Relaxed);
            cmp::lt(batch.column(0), &Int64Array::new_scalar(20_000))
        };
        let small = ArrowPredicateFn::new(ProjectionMask::all(), is_small);
        let small = small.with_excluded_rows(accepts);
        let filter = RowFilter::new(vec![Box::new(even), Box::new(small)]);
        let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap().with_row_filter(filter);
        let rows = builder.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
        assert_eq!(rows, 10_000);
        // But for the last row of each window, which is odd.
        let seen = seen.load(Ordering::Relaxed);
        assert_eq!(seen > 15_000, accepts, "{seen}");
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    let k: ArrayRef = Arc::new(Int64Array::from_iter_values(0..30_000));
    let batch = RecordBatch::try_from_iter([("k", k)]).unwrap();
    let file = write(&batch.schema(), &[batch], WriterProperties::default()).unwrap();
    let open = || ArrowReaderBuilder::try_new(file.clone()).unwrap();
    let e = open().with_predicate(Predicate::parse("x = 1").unwrap()).build().unwrap_err();
    assert_eq!(e.to_string(), "invalid: no column x: there are k");
    let e = open().with_predicate(Predicate::parse("k = 'a'").unwrap()).build().unwrap_err();
    assert!(e.to_string().contains("it cannot be compared with the text 'a', but with a number"));
    let filter = |answer: fn(RecordBatch) -> Result<BooleanArray, arrow::error::ArrowError>| {
        let predicate = ArrowPredicateFn::new(ProjectionMask::all(), answer);
        let filter = RowFilter::new(vec![Box::new(predicate)]);
        open().with_row_filter(filter).with_batch_size(100).build().unwrap()
    };
    let mut reader = filter(|batch| Ok(BooleanArray::from(vec![true; batch.num_rows() - 1])));
    let e = reader.next().unwrap().unwrap_err().to_string();
    assert!(e.contains("a predicate gave 8191 answers for 8192 rows"), "{e}");
    assert!(reader.next().is_none());
    let mut reader = filter(|batch| match batch.column(0).as_primitive::<Int64Type>().value(0) {
        0 => Ok(BooleanArray::from(vec![Some(true); batch.num_rows()])),
        at => Err(arrow::error::ArrowError::ComputeError(format!("not at {at}"))),
    });
    for _ in 0..81 {
        assert_eq!(reader.next().unwrap().unwrap().num_rows(), 100);
    }
    let e = reader.next().unwrap().unwrap_err().to_string();
    assert!(e.contains("not at 8192"), "{e}");
    assert!(reader.next().is_none());
}
