//! Raw columns: the million rows of the reference's own timing, written and read without Arrow.
//!
//! `cargo bench --features full --bench columns`. The reference (Java, same machine class): write 220 ms, read
//! by column 115 ms with codec null; 224 and 131 with snappy; 1246 and 300 with deflate.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
#![allow(missing_docs)]

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::trevni::*;

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
    let builder = FileWriter::builder().set_codec(codec).set_checksum(checksum);
    let mut writer = builder.build(Vec::new(), columns()).unwrap();
    let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
    writer.write(ROWS, &slices).unwrap();
    writer.finish().unwrap().0
}

fn read(file: &Bytes) {
    let file = FileReader::try_new(file.clone()).unwrap();
    for (i, column) in file.columns().iter().enumerate() {
        let mut reader = file.rows_reader(&[i]).unwrap();
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

criterion_group!(benches, timing);
criterion_main!(benches);
