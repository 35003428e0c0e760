//! Row files of a few bytes that represent many values: any reader stays within its limits, and ends.
//!
//! Files are random: dictionaries of one long value, long lists, deep nesting, many columns, compressed zeros.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int32Type};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use bytes::Bytes;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use proptest::prelude::*;
use serde_json::{Value, json};
use trevni::io::Limits;
use trevni::wire::{put_bytes, put_long};
use trevni_convert::{Format, ReadOptions, Source};

use crate::damaged_files::first_rows;
use crate::hostile::{BESIDES, MEMORY};
use trevni_testing::allocator::peak;

/// A file, and the format that it is read as.
#[derive(Debug, Clone)]
struct Input {
    what: String,
    format: &'static str,
    bytes: Vec<u8>,
}

fn batch(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([("a", array)]).unwrap()
}

/// Returns rows that are all one long text.
fn repeated(rows: usize, length: usize) -> RecordBatch {
    let keys = Int32Array::from(vec![0; rows]);
    let values = Arc::new(StringArray::from(vec!["x".repeat(length)]));
    batch(Arc::new(DictionaryArray::<Int32Type>::new(keys, values)))
}

/// Returns one row that is a list of this many items.
fn list(items: usize, are_null: bool) -> RecordBatch {
    let values: ArrayRef = match are_null {
        true => new_null_array(&DataType::Int64, items),
        false => Arc::new(Int64Array::from(vec![7; items])),
    };
    let offsets = OffsetBuffer::new(vec![0, items as i32].into());
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    batch(Arc::new(ListArray::new(item, offsets, values, None)))
}

/// Returns a file whose dictionaries are not known by an Arrow schema.
fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(batch: &RecordBatch, is_stream: bool) -> Vec<u8> {
    let options = IpcWriteOptions::default();
    let options = options.try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    if is_stream {
        let mut writer =
            StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(batch).unwrap();
        return writer.into_inner().unwrap();
    }
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Returns a file of one block with this many rows.
fn avro(schema: &Value, rows: i64, block: &[u8]) -> Vec<u8> {
    let mut out = b"Obj\x01".to_vec();
    put_long(&mut out, 1);
    put_bytes(&mut out, b"avro.schema");
    put_bytes(&mut out, schema.to_string().as_bytes());
    put_long(&mut out, 0);
    out.extend([7; 16]);
    put_long(&mut out, rows);
    put_bytes(&mut out, block);
    out.extend([7; 16]);
    out
}

fn record(fields: Vec<Value>) -> Value {
    json!({"type": "record", "name": "Row", "fields": fields})
}

/// Returns a file of an enum that many fields refer to.
fn repeated_enum(symbols: usize, fields: usize) -> Vec<u8> {
    let symbols: Vec<String> = (0..symbols).map(|i| format!("s{i}")).collect();
    let first = json!({"name": "e", "type": {"type": "enum", "name": "E", "symbols": symbols}});
    let others = (0..fields).map(|i| json!({"name": format!("f{i}"), "type": "E"}));
    avro(&record([first].into_iter().chain(others).collect()), 1, &vec![0; fields + 1])
}

/// Returns a file of one row with a list of this many items that take no bytes.
fn list_of_nothing(items: usize, is_record: bool) -> Vec<u8> {
    let empty = json!({"type": "record", "name": "Empty", "fields": []});
    let item = if is_record { empty } else { json!("null") };
    let mut block = Vec::new();
    put_long(&mut block, items as i64);
    block.push(0);
    let list = json!({"name": "l", "type": {"type": "array", "items": item}});
    avro(&record(vec![list]), 1, &block)
}

/// Returns what is nested this deep.
fn nested(depth: usize, is_object: bool) -> Vec<u8> {
    let (open, close) = if is_object { ("{\"a\":", "}") } else { ("[", "]") };
    format!("{{\"a\":{}1{}}}\n", open.repeat(depth), close.repeat(depth)).into_bytes()
}

fn input() -> impl Strategy<Value = Input> {
    let size = prop::sample::select(vec![1usize, 100, 5000, 60_000, 1_000_000, 12_000_000]);
    (0..11u8, size, 1..200usize, any::<bool>()).prop_map(|(kind, size, count, flag)| {
        let some = size.min(60_000);
        let (format, bytes) = match kind {
            0 => ("parquet", parquet(&repeated(size.min(2000), size.min(1 << 18)))),
            1 => ("parquet", parquet(&list(size, flag))),
            2 => ("arrow", arrow(&list(size, flag), false)),
            3 => ("arrows", arrow(&list(size, flag), true)),
            4 => ("avro", repeated_enum(some, count)),
            5 => ("avro", list_of_nothing(size, flag)),
            6 => (
                "avro",
                avro(&record(vec![json!({"name": "n", "type": "null"})]), size as i64, &[]),
            ),
            7 => ("jsonl", nested(size, flag)),
            8 => {
                let names = if flag { vec!["a"; some] } else { vec![""; some] };
                ("csv", format!("{}\n{}1\n", names.join(","), "1,".repeat(some - 1)).into_bytes())
            }
            9 => {
                let members = (0..some).map(|i| format!("\"k{i}\":{i}")).collect::<Vec<_>>();
                ("jsonl", format!("{{{}}}\n", members.join(",")).into_bytes())
            }
            _ => (
                "jsonl",
                (0..some.min(5000))
                    .flat_map(|i| format!("{{\"k{i}\":1}}\n").into_bytes())
                    .collect(),
            ),
        };
        Input { what: format!("{kind}, {size}, {count}, {flag}"), format, bytes }
    })
}

/// Reads the first rows of a file.
fn read(input: &Input) -> trevni::Result<usize> {
    let format = Format::named(input.format)?;
    let options = ReadOptions { limits: Limits::of_memory(MEMORY), ..ReadOptions::default() };
    let source = Source::bytes("input", Bytes::from(input.bytes.clone()));
    first_rows((format.open)(source, &options)?, 100_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Any such file gives its rows or an error, within the limits.
    #[test]
    fn row_files_take_no_more_than_the_limit(input in input()) {
        let size = input.bytes.len();
        let (result, held) = peak(|| read(&input));
        // A schema of many fields is larger than its text, and JSON and CSV are read in pieces of 1 MB.
        let allowed = MEMORY + BESIDES + 400 * size.min(1 << 20) + 2 * size;
        prop_assert!(held < allowed, "{}: {held} bytes of {size}: {result:?}", input.what);
    }
}
