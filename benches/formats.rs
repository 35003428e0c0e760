//! Writing and reading a flat and a nested table, beside `parquet` and Arrow IPC in the same run.
//!
//! `cargo bench --features full --bench formats`. One thread, in memory, batches of 8192 rows dropped at once;
//! ours with snappy and CRC-32, parquet with snappy and its defaults (it writes no checksums), IPC with LZ4.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
#![allow(missing_docs, unreachable_pub)]

mod tables;

use std::hint::black_box;
use std::io::Cursor;

use ::arrow::array::RecordBatch;
use ::arrow::ipc::CompressionType;
use ::arrow::ipc::reader::FileReader;
use ::arrow::ipc::writer::{FileWriter, IpcWriteOptions};
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parquet::arrow::ArrowWriter as ParquetWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties as ParquetProperties;
use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, Layout, WriterProperties};

const BATCH: usize = 8192;

fn write_trevni(batches: &[RecordBatch], layout: Layout) -> Vec<u8> {
    let properties = WriterProperties::builder().set_layout(layout).build();
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    out
}

fn read_trevni(file: &Bytes) -> usize {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap().with_batch_size(BATCH);
    builder.build().unwrap().map(|batch| black_box(batch.unwrap()).num_rows()).sum()
}

fn write_parquet(batches: &[RecordBatch]) -> Vec<u8> {
    let properties = ParquetProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer =
        ParquetWriter::try_new(&mut out, batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    out
}

fn read_parquet(file: &Bytes) -> usize {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    let reader = builder.with_batch_size(BATCH).build().unwrap();
    reader.map(|batch| black_box(batch.unwrap()).num_rows()).sum()
}

fn write_ipc(batches: &[RecordBatch]) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let mut out = Vec::new();
    let schema = batches[0].schema();
    let mut writer = FileWriter::try_new_with_options(&mut out, &schema, options.unwrap()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    out
}

fn read_ipc(file: &Bytes) -> usize {
    let reader = FileReader::try_new(Cursor::new(file.clone()), None).unwrap();
    reader.map(|batch| black_box(batch.unwrap()).num_rows()).sum()
}

fn formats(c: &mut Criterion) {
    let rows = 200_000;
    for (name, table) in [("flat", tables::flat(rows)), ("nested", tables::nested(rows))] {
        let batches: Vec<_> = (0..rows)
            .step_by(BATCH)
            .map(|from| table.slice(from, BATCH.min(rows - from)))
            .collect();
        let mut group = c.benchmark_group(name);
        group.sample_size(10).throughput(Throughput::Elements(rows as u64));
        group.bench_function("write/trevni", |b| b.iter(|| write_trevni(&batches, Layout::Split)));
        group.bench_function("write/trevni-avro", |b| {
            b.iter(|| write_trevni(&batches, Layout::Avro))
        });
        group.bench_function("write/parquet", |b| b.iter(|| write_parquet(&batches)));
        group.bench_function("write/ipc", |b| b.iter(|| write_ipc(&batches)));
        let files = [
            ("trevni", write_trevni(&batches, Layout::Split)),
            ("trevni-avro", write_trevni(&batches, Layout::Avro)),
            ("parquet", write_parquet(&batches)),
            ("ipc", write_ipc(&batches)),
        ];
        for (format, file) in files {
            println!("{name}: {format} {} bytes", file.len());
            let file = Bytes::from(file);
            let read = match format {
                "parquet" => read_parquet,
                "ipc" => read_ipc,
                _ => read_trevni,
            };
            assert_eq!(read(&file), rows);
            group.bench_function(format!("read/{format}"), |b| b.iter(|| read(&file)));
        }
        group.finish();
    }
}

criterion_group!(benches, formats);
criterion_main!(benches);
