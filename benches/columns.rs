//! Raw columns: the million rows of the reference's own timing, written and read without Arrow. And of a million rows
//! of Arrow those that pass a condition, found while they are read, beside all read and then filtered.
//!
//! `cargo bench --features full --bench columns`; the latter alone with `-- filter`. `benches/reference/run.sh` takes
//! the reference's times on the same machine.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
#![allow(missing_docs)]

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::filter_record_batch;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, Predicate, WriterProperties};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::{ColumnData, ColumnMetadata, FileReader, FileWriter, ValueType};

const ROWS: usize = 1_000_000;

fn columns() -> Vec<ColumnMetadata> {
    vec![
        ColumnMetadata::new("id", ValueType::Long),
        ColumnMetadata::new("n", ValueType::Int),
        ColumnMetadata::new("x", ValueType::Double),
        ColumnMetadata::new("s", ValueType::String),
        ColumnMetadata::new("opt", ValueType::String).array(),
    ]
}

fn rows() -> Vec<ColumnData> {
    let mut state = 42u64;
    let mut next31 = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as i64
    };
    let mut data: Vec<_> = columns().iter().map(ColumnData::of).collect();
    for id in 0..ROWS as i64 {
        data[0].values.push(&id.into()).unwrap();
        data[1].values.push(&((next31() - (1 << 30)) as i32).into()).unwrap();
        data[2].values.push(&(next31() as f64 / 1000.0).into()).unwrap();
        let s: String = (0..12).map(|_| char::from(b'a' + (next31() % 26) as u8)).collect();
        data[3].values.push(&s.as_str().into()).unwrap();
        let present = next31() % 3 != 0;
        data[4].lengths.as_mut().unwrap().push(u32::from(present));
        if present {
            data[4].values.push(&format!("v{}", next31() % 1000).as_str().into()).unwrap();
        }
    }
    data
}

fn write(data: &[ColumnData], codec: Codec, checksum: Checksum) -> Vec<u8> {
    let builder = FileWriter::builder().set_codec(codec).set_checksum(checksum).set_sampling(true);
    let mut writer = builder.build(Vec::new(), columns()).unwrap();
    let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
    writer.write(ROWS, &slices).unwrap();
    writer.finish().unwrap().0
}

fn read(file: &Bytes) {
    let file = FileReader::try_new(file.clone()).unwrap();
    for (i, column) in file.columns().iter().enumerate() {
        let mut reader = file.projected_reader(&[i]).unwrap();
        loop {
            let mut data = [ColumnData::of(column)];
            if reader.read(8192, &mut data).unwrap() == 0 {
                break;
            }
            black_box(&data);
        }
    }
}

fn timing(c: &mut Criterion) {
    let data = rows();
    let mut group = c.benchmark_group("columns");
    group.sample_size(10).throughput(Throughput::Elements(ROWS as u64));
    for codec in [Codec::Null, Codec::Snappy, Codec::Deflate, Codec::Zstd, Codec::Lz4] {
        for checksum in [Checksum::Null, Checksum::Crc32] {
            let name = format!("{}/{}", codec.name(), checksum.name());
            group.bench_function(format!("write/{name}"), |b| {
                b.iter(|| write(&data, codec, checksum))
            });
            let file = Bytes::from(write(&data, codec, checksum));
            group.bench_function(format!("read/{name}"), |b| b.iter(|| read(&file)));
        }
    }
    group.finish();
}

/// Returns a sorted column, one in no order with the same values, and some to be given out with them.
fn table() -> RecordBatch {
    let rows = ROWS as i64;
    let mut state = 42u64;
    let mut next31 = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as i64
    };
    let numbers = |of: &mut dyn FnMut(i64) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..rows).map(of)))
    };
    let price = Float64Array::from_iter_values((0..rows).map(|_| next31() as f64 / 1000.0));
    let text =
        StringArray::from_iter_values((0..rows).map(|_| format!("item {}", next31() % 50_000)));
    let note =
        (0..rows).map(|i| (next31() % 3 != 0).then(|| format!("note {} of row {i}", next31())));
    RecordBatch::try_from_iter_with_nullable([
        ("sorted", numbers(&mut |i| i), false),
        ("mixed", numbers(&mut |i| i * 7919 % rows), false),
        ("count", numbers(&mut |i| i % 97), false),
        ("price", Arc::new(price) as ArrayRef, false),
        ("text", Arc::new(text), false),
        ("note", Arc::new(StringArray::from_iter(note)), true),
    ])
    .unwrap()
}

/// Reads the rows that pass; `late` while they are read, or all, and then filters.
fn rows_that_pass(file: &Bytes, condition: &Predicate, late: bool) -> usize {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    if late {
        let reader = builder.with_predicate(condition.clone()).build().unwrap();
        return reader.map(|batch| black_box(batch.unwrap()).num_rows()).sum();
    }
    let filtered = builder.build().unwrap().map(|batch| {
        let batch = batch.unwrap();
        let passed = filter_record_batch(&batch, &condition.evaluate(&batch).unwrap()).unwrap();
        black_box(passed).num_rows()
    });
    filtered.sum()
}

fn filters(c: &mut Criterion) {
    let table = table();
    let mut group = c.benchmark_group("filter");
    group.sample_size(10).throughput(Throughput::Elements(ROWS as u64));
    for codec in [Codec::Snappy, Codec::Pack] {
        let properties = WriterProperties::builder().set_codec(codec).build();
        let mut writer =
            ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
        writer.write(&table).unwrap();
        let file = Bytes::from(writer.finish().unwrap().0);
        for (share, name) in [(1000, "0.1%"), (100, "1%"), (10, "10%"), (2, "50%")] {
            for column in ["sorted", "mixed"] {
                let most = ROWS / share;
                let condition = Predicate::parse(&format!("{column} < {most}")).unwrap();
                for (late, way) in [(true, "late"), (false, "all")] {
                    let id = format!("{}/{column}/{name}/{way}", codec.name());
                    assert_eq!(rows_that_pass(&file, &condition, late), most);
                    group
                        .bench_function(id, |b| b.iter(|| rows_that_pass(&file, &condition, late)));
                }
            }
        }
        for column in ["sorted", "mixed"] {
            let condition = Predicate::parse(&format!("{column} >= {}", ROWS / 10)).unwrap();
            for (late, way) in [(true, "late"), (false, "all")] {
                let id = format!("{}/{column}/90%/{way}", codec.name());
                group.bench_function(id, |b| b.iter(|| rows_that_pass(&file, &condition, late)));
            }
        }
    }
    group.finish();
}

criterion_group!(benches, timing, filters);
criterion_main!(benches);
