//! Pruning of blocks by statistics: for any table, predicate and file, the rows are those of a full scan.

mod blocks;
mod tables;

use bytes::Bytes;
use proptest::prelude::*;
use trevni::arrow::*;
use trevni::codec::Codec;

use self::tables::{Kind, condition, table};
use super::arrow::write;
use super::testdata::Numbers;
use trevni_testing::equality::same_rows;

#[derive(Debug, Clone)]
struct Writing {
    codec: Codec,
    layout: Layout,
    block_size: usize,
    block_rows: usize,
    statistics: bool,
    filters: bool,
    sorted: bool,
    threads: usize,
}

fn writings() -> impl Strategy<Value = Writing> {
    (
        prop::sample::select(vec![Codec::Snappy, Codec::Null, Codec::Pack]),
        prop::bool::weighted(0.2),
        prop::sample::select(vec![1usize, 30, 200, 65_536]),
        prop::sample::select(vec![1usize, 16, 100]),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.4),
        prop::sample::select(vec![1usize, 1, 3]),
    )
        .prop_map(
            |(codec, avro, block_size, block_rows, statistics, filters, sorted, threads)| {
                let layout = if avro { Layout::Avro } else { Layout::Split };
                Writing {
                    codec,
                    layout,
                    block_size,
                    block_rows,
                    statistics,
                    filters,
                    sorted,
                    threads,
                }
            },
        )
}

fn properties(writing: &Writing, kinds: &[Kind]) -> WriterPropertiesBuilder {
    let mut builder = WriterProperties::builder()
        .set_codec(writing.codec)
        .set_layout(writing.layout)
        .set_block_size(writing.block_size)
        .set_block_rows(writing.block_rows)
        .set_statistics_enabled(writing.statistics)
        .set_bloom_filter_enabled(writing.filters)
        .set_parallelism(writing.threads);
    if writing.sorted {
        let columns = kinds.iter().take(2).map(|kind| SortingColumn::ascending(kind.name()));
        builder = builder.set_sorting_columns(columns.collect());
    }
    builder
}

fn read(
    file: &Bytes,
    predicate: &Predicate,
    pruning: bool,
    threads: usize,
    cut: (u64, u64),
) -> Vec<arrow::array::RecordBatch> {
    let reader = ArrowReaderBuilder::try_new(file.clone())
        .unwrap()
        .with_predicate(predicate.clone())
        .with_pruning(pruning)
        .with_parallelism(threads)
        .with_offset(cut.0)
        .with_limit(cut.1)
        .build()
        .unwrap();
    reader.map(|batch| batch.unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pruned_reads_are_full_scans(seed: u64, writing in writings(), rows in 0usize..300) {
        let n = &mut Numbers(seed);
        let mut kinds = tables::kinds(n, if writing.layout == Layout::Avro { tables::AVRO } else { tables::ALL });
        if writing.sorted {
            kinds.retain(|kind| tables::sorts(*kind));
            kinds.retain(|kind| *kind != Kind::Key);
            kinds.push(Kind::Key);
        }
        let batch = table(n, &kinds, rows, writing.sorted);
        let builder = properties(&writing, &kinds);
        let half = rows / 2;
        let batches = [batch.slice(0, half), batch.slice(half, rows - half)];
        let file = write(&batch.schema(), &batches, builder.build()).unwrap();
        for _ in 0..6 {
            let predicate = condition(n, &kinds, 2);
            let mask = predicate.evaluate(&batch).unwrap();
            let expected = arrow::compute::filter_record_batch(&batch, &mask).unwrap();
            for cut in [(0, u64::MAX), (2, 5)] {
                let from = (cut.0 as usize).min(expected.num_rows());
                let most = usize::try_from(cut.1).unwrap_or(usize::MAX);
                let expected = expected.slice(from, most.min(expected.num_rows() - from));
                for pruning in [true, false] {
                    let got = read(&file, &predicate, pruning, writing.threads, cut);
                    if let Err(e) = same_rows(std::slice::from_ref(&expected), &got) {
                        prop_assert!(false, "seed {seed}: {writing:?}: {predicate}: pruning {pruning}: {e}");
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_are_around_the_values(seed: u64, writing in writings(), rows in 1usize..200) {
        let n = &mut Numbers(seed);
        let kinds = tables::kinds(n, tables::ALL);
        let batch = table(n, &kinds, rows, false);
        let writing = Writing { layout: Layout::Split, sorted: false, statistics: true, ..writing };
        let file = write(&batch.schema(), std::slice::from_ref(&batch), properties(&writing, &kinds).build()).unwrap();
        let builder = ArrowReaderBuilder::try_new(file).unwrap();
        for (kind, array) in kinds.iter().zip(batch.columns()) {
            let Some(statistics) = builder.statistics(kind.name().as_str()).unwrap() else {
                prop_assert!(matches!(kind, Kind::Intervals), "{kind:?}");
                continue;
            };
            if let Err(e) = tables::check(kind, array, &statistics) {
                prop_assert!(false, "seed {seed}: {writing:?}: {kind:?}: {e}");
            }
        }
    }
}
