//! Parallel reading: any read, of any damaged file, has the same result as with one thread.

use arrow::array::RecordBatch;
use bytes::Bytes;
use trevni::arrow::{ArrowReaderBuilder, Predicate, RowSelection, RowSelector};
use trevni::codec::Codec;
use trevni::io::Limits;

use super::seek::nested_bytes;
use super::testdata::Numbers;

const ROWS: u64 = 3000;

const CODECS: [Codec; 2] = [Codec::Null, Codec::Pack];

fn builder(file: &Bytes, threads: usize) -> ArrowReaderBuilder<Bytes> {
    ArrowReaderBuilder::try_new(file.clone()).unwrap().with_parallelism(threads)
}

/// Reads until an error: the batches before it, and the error.
fn read(builder: ArrowReaderBuilder<Bytes>) -> (Vec<RecordBatch>, Option<String>) {
    let mut reader = match builder.build() {
        Ok(reader) => reader,
        Err(e) => return (Vec::new(), Some(e.to_string())),
    };
    let mut batches = Vec::new();
    loop {
        match reader.next() {
            None => return (batches, None),
            Some(Ok(batch)) => batches.push(batch),
            Some(Err(e)) => {
                assert!(reader.next().is_none());
                return (batches, Some(e.to_string()));
            }
        }
    }
}

fn concat(batches: &[RecordBatch]) -> RecordBatch {
    arrow::compute::concat_batches(batches[0].schema_ref(), batches).unwrap()
}

#[test]
fn all_batches_are_the_same_by_any_number_at_a_time() {
    for codec in CODECS {
        let file = nested_bytes(codec, 400, ROWS as usize);
        for size in [1, 64, 500, 1001, 2999, 3000] {
            let expected = read(builder(&file, 1).with_batch_size(size));
            assert!(expected.1.is_none() && concat(&expected.0).num_rows() == ROWS as usize);
            for threads in [2, 3, 9] {
                assert_eq!(read(builder(&file, threads).with_batch_size(size)), expected);
            }
        }
    }
}

#[test]
fn any_rows_of_any_ranges_are_the_same() {
    let mut random = Numbers(11);
    let mut below = |n: u64| random.next31().cast_unsigned() % n;
    for codec in CODECS {
        let file = nested_bytes(codec, 300, ROWS as usize);
        let names: Vec<String> = {
            let builder = builder(&file, 1);
            builder.schema().fields().iter().map(|field| field.name().clone()).collect()
        };
        for turn in 0..60 {
            let selectors = (0..20)
                .flat_map(|_| [RowSelector::skip(below(90)), RowSelector::select(below(90))]);
            let selection: RowSelection = selectors.collect::<Vec<_>>().into();
            let (start, size) = (below(ROWS), 1 + below(60) as usize);
            let (offset, limit) = (below(50), [below(500), u64::MAX][below(2) as usize]);
            let predicate: Predicate = format!("{:?} is not null", names[0]).parse().unwrap();
            let read = |threads| {
                let builder = builder(&file, threads).with_batch_size(size);
                let builder = match turn % 3 {
                    0 => builder.with_row_selection(selection.clone()),
                    1 => builder.with_row_range(start..ROWS - start / 9),
                    _ => builder.with_predicate(predicate.clone()),
                };
                read(builder.with_offset(offset).with_limit(limit))
            };
            let (one, several) = (read(1), read(3));
            assert_eq!((&one.1, &several.1), (&None, &None), "{turn}");
            match (turn % 3, one.0.is_empty()) {
                // Batches of rows that pass may be smaller.
                (2, false) => assert_eq!(concat(&several.0), concat(&one.0), "{turn}"),
                _ => assert_eq!(several, one, "{turn}"),
            }
        }
    }
}

#[test]
fn rows_that_pass_are_the_same() {
    for codec in CODECS {
        let file = nested_bytes(codec, 400, ROWS as usize);
        let schema = builder(&file, 1).schema().clone();
        for field in schema.fields().iter().filter(|field| field.data_type().is_integer()) {
            for condition in ["> 0", "< 3", "= 1", "is null"] {
                let predicate: Predicate = format!("{} {condition}", field.name()).parse().unwrap();
                let read = |threads| {
                    let builder = builder(&file, threads).with_batch_size(50);
                    let (batches, error) = read(builder.with_predicate(predicate.clone()));
                    assert_eq!(error, None);
                    batches.iter().map(|batch| batch.num_rows()).sum::<usize>()
                };
                assert_eq!(read(1), read(4), "{predicate}");
            }
        }
    }
}

#[test]
fn an_error_is_the_same_and_so_are_the_rows_before_it() {
    for codec in CODECS {
        let bytes = nested_bytes(codec, 400, ROWS as usize);
        let mut broken = 0;
        for at in (bytes.len() / 4..bytes.len()).step_by(bytes.len() / 40) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x41;
            let damaged = Bytes::from(damaged);
            let Ok(_) = ArrowReaderBuilder::try_new(damaged.clone()) else { continue };
            let expected = read(builder(&damaged, 1).with_batch_size(40));
            broken += usize::from(expected.1.is_some());
            for threads in [2, 3] {
                let found = read(builder(&damaged, threads).with_batch_size(40));
                assert!(found == expected, "byte {at}, {threads} threads");
            }
        }
        assert!(broken > 10);
    }
}

#[test]
fn little_memory_makes_smaller_batches() {
    let file = nested_bytes(Codec::Pack, 4000, ROWS as usize);
    let expected = concat(&read(builder(&file, 1)).0);
    for memory in [40_000, 100_000, 1_000_000] {
        let limits = Limits::of_memory(memory);
        let (batches, error) = read(builder(&file, 3).with_batch_size(200).with_limits(limits));
        assert_eq!(error, None, "{memory}");
        assert!(concat(&batches) == expected, "{memory}");
    }
}
