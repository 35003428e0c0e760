//! What a writer decides from a column's first blocks, and that threads change nothing.

use std::sync::Arc;

use arrow::array::*;
use bytes::Bytes;
use trevni::arrow::*;
use trevni::codec::Codec;
use trevni::{FileReader, ValueType};

use super::testdata::Numbers;

const ROWS: usize = 60_000;

/// Columns whose best encoding is known.
fn table() -> RecordBatch {
    let n = &mut Numbers(7);
    let wide: Int64Array = (0..ROWS).map(|_| (n.next31() << 33).wrapping_add(n.next31())).collect();
    let small: Int64Array = (0..ROWS).map(|_| n.next31() % 50).collect();
    let same: Int64Array = (0..ROWS).map(|_| 77).collect();
    let random: Int32Array = (0..ROWS).map(|_| (n.next31() - (1 << 30)) as i32 * 2).collect();
    let optional: Int64Array =
        (0..ROWS).map(|_| (n.next31() % 3 > 0).then(|| n.next31() << 32)).collect();
    let text: StringArray = (0..ROWS).map(|i| Some(format!("row {} of many", i % 10))).collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("wide", Arc::new(wide)),
        ("small", Arc::new(small)),
        ("same", Arc::new(same)),
        ("random", Arc::new(random)),
        ("optional", Arc::new(optional)),
        ("text", Arc::new(text)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(batch: &RecordBatch, properties: WriterPropertiesBuilder, rows: usize) -> Bytes {
    let mut writer =
        ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build())).unwrap();
    for from in (0..batch.num_rows()).step_by(rows) {
        writer.write(&batch.slice(from, rows.min(batch.num_rows() - from))).unwrap();
    }
    writer.finish().unwrap().0.into()
}

fn read(file: &Bytes) -> RecordBatch {
    read_by(file, 1)
}

fn read_by(file: &Bytes, threads: usize) -> RecordBatch {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap().with_batch_size(7000);
    let builder = builder.with_parallelism(threads);
    let reader = builder.build().unwrap();
    let schema = arrow::array::RecordBatchReader::schema(&reader);
    let batches: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
    arrow::compute::concat_batches(&schema, &batches).unwrap()
}

/// Returns the value type and the codec of each column.
fn chosen(file: &Bytes) -> Vec<(String, ValueType, Codec)> {
    let file = FileReader::try_new(file.clone()).unwrap();
    let columns = file.columns().iter().enumerate();
    columns
        .map(|(i, c)| (c.name().to_owned(), c.value_type(), file.header().codec(i).unwrap()))
        .collect()
}

#[test]
fn columns_are_written_as_their_first_blocks_suggest() {
    let batch = table();
    use Codec::{Null, Snappy};
    use ValueType::{Fixed32, Fixed64, Int, Long, String};
    let file = write(&batch, WriterProperties::builder(), ROWS);
    let expected = [
        ("wide", Fixed64, Null),
        ("small", Long, Null),
        ("same", Long, Snappy),
        ("random", Fixed32, Null),
        ("optional", ValueType::Null, Null),
        ("optional#value", Fixed64, Null),
        ("text", String, Snappy),
    ];
    let chosen_for: Vec<_> = chosen(&file);
    let named: Vec<_> = chosen_for.iter().map(|(name, t, c)| (name.as_str(), *t, *c)).collect();
    assert_eq!(named, expected);
    assert_eq!(read(&file), batch);
    let plain = write(&batch, WriterProperties::builder().set_sampling(false), ROWS);
    let declared = chosen(&plain);
    assert!(declared.iter().all(|(_, t, c)| *c == Snappy && !matches!(t, Fixed32 | Fixed64)));
    assert!(declared.iter().any(|(_, t, _)| *t == Int));
    assert_eq!(read(&plain), batch);
    assert!(file.len() < plain.len(), "{} of {}", file.len(), plain.len());
}

#[test]
fn what_is_asked_for_is_not_sampled() {
    let batch = table();
    let properties = WriterProperties::builder()
        .set_column_codec("wide", Codec::Snappy)
        .set_column_value_type("random", ValueType::Int)
        .set_column_value_type("small", ValueType::Fixed64);
    let file = write(&batch, properties, 5000);
    let chosen = chosen(&file);
    let of = |name: &str| chosen.iter().find(|(n, _, _)| n == name).map(|(_, t, c)| (*t, *c));
    assert_eq!(of("wide"), Some((ValueType::Fixed64, Codec::Snappy)));
    assert_eq!(of("random").unwrap().0, ValueType::Int);
    assert_eq!(of("small").unwrap().0, ValueType::Fixed64);
    assert_eq!(read(&file), batch);
    for (name, value_type, what) in [
        ("none", ValueType::Int, "no column \"none\""),
        ("text", ValueType::Int, "a column of string is no int"),
    ] {
        let properties = WriterProperties::builder().set_column_value_type(name, value_type);
        let writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build()));
        let e = writer.err().unwrap().to_string();
        assert!(e.contains(what), "{e}");
    }
}

#[test]
fn any_number_of_threads_writes_and_reads_the_same() {
    let batch = table();
    for codec in [Codec::Snappy, Codec::Null, Codec::Pack] {
        for block_size in [3000, 65_536] {
            let properties =
                || WriterProperties::builder().set_codec(codec).set_block_size(block_size);
            let one = write(&batch, properties(), 1000);
            for threads in [2, 3, 8] {
                let more = write(&batch, properties().set_parallelism(threads), 1000);
                assert!(one == more, "{threads} threads");
                assert_eq!(read_by(&one, threads), batch);
            }
            assert_eq!(read(&one), batch);
        }
    }
}

/// A fault is the same fault, and the batches before it the same batches, with any number of threads.
#[test]
fn threads_find_the_same_faults() {
    let batch = table();
    let file = write(&batch, WriterProperties::builder().set_block_size(3000), 1000);
    let mut faults = 0;
    for at in (file.len() / 4..file.len()).step_by(file.len() / 40) {
        let mut spoiled = file.to_vec();
        spoiled[at] ^= 0x10;
        let spoiled = Bytes::from(spoiled);
        let read = |threads: usize| {
            let builder =
                ArrowReaderBuilder::try_new(spoiled.clone()).map_err(|e| e.to_string())?;
            let builder = builder.with_batch_size(1000).with_parallelism(threads);
            let reader = builder.build().map_err(|e| e.to_string())?;
            let batches: Vec<_> = reader.map(|batch| batch.map_err(|e| e.to_string())).collect();
            Ok::<_, String>(batches)
        };
        let one = read(1);
        faults += usize::from(one.as_ref().is_ok_and(|batches| batches.iter().any(Result::is_err)));
        for threads in [2, 5] {
            assert_eq!(read(threads), one, "{threads} threads, byte {at}");
        }
    }
    assert!(faults > 10, "{faults}");
}
