//! Tests, by what they are about.

mod any;
mod faults;
mod golden;
mod sets;
mod show;
mod types;
mod writing;

use std::sync::atomic::Ordering;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::compute::concat_batches;

use super::{FORMAT, ProtobufType};
use crate::{ReadOptions, Source, WriteOptions};
use trevni::Result;

/// Messages with their lengths before them.
fn stream<M: AsRef<[u8]>>(messages: &[M]) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        super::wire::put_varint(&mut out, message.as_ref().len() as u64);
        out.extend_from_slice(message.as_ref());
    }
    out
}

/// Reads with the options. Returns the batches.
fn batches(options: &ReadOptions, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
    let rows = (FORMAT.open)(Source::pipe("test", std::io::Cursor::new(bytes.to_vec())), options)?;
    rows.map(|batch| batch.map_err(unwrapped)).collect()
}

/// Returns the error of this crate that went through Arrow's.
fn unwrapped(e: arrow::error::ArrowError) -> trevni::Error {
    match e {
        arrow::error::ArrowError::ExternalError(e) => *e.downcast().unwrap(),
        other => other.into(),
    }
}

fn options(of: &ProtobufType) -> ReadOptions {
    ReadOptions { protobuf: Some(of.clone()), ..ReadOptions::default() }
}

/// Returns all rows in one batch.
fn read(of: &ProtobufType, bytes: &[u8]) -> Result<RecordBatch> {
    let all = batches(&options(of), bytes)?;
    Ok(concat_batches(of.schema(), &all).unwrap())
}

fn write(of: &ProtobufType, batches: &[RecordBatch]) -> Result<Vec<u8>> {
    let options = WriteOptions { protobuf: Some(of.clone()), ..WriteOptions::default() };
    let mut out = Vec::new();
    let schema = batches.first().map_or(of.schema().clone(), RecordBatch::schema);
    let mut sink = (FORMAT.create)(&mut out, schema, &options)?;
    batches.iter().try_for_each(|batch| sink.write(batch))?;
    sink.finish()?;
    Ok(out)
}

#[test]
fn the_type_must_be_given_and_a_schema_must_not() {
    let of = sets::ProtoFile::three("p").message("M", &["a 1 int32"]).of("p.M");
    let none = batches(&ReadOptions::default(), b"").unwrap_err().to_string();
    let wanted = "protobuf rows need a descriptor set and the name of a message";
    assert_eq!(none, format!("invalid: {wanted}"));
    let none = WriteOptions::default();
    let none = (FORMAT.create)(&mut Vec::new(), of.schema().clone(), &none).map(|_| ());
    assert_eq!(none.unwrap_err().to_string(), format!("invalid: {wanted}"));
    let both = ReadOptions { schema: Some(of.schema().clone()), ..options(&of) };
    let both = batches(&both, b"").unwrap_err().to_string();
    assert_eq!(both, "invalid: protobuf files have a schema of their own");
    assert_eq!(format!("{of:?}"), "ProtobufType(\"p.M\")");
    assert!(!(FORMAT.sniff)(b"\x02\x08\x01"));
}

#[test]
fn columns_and_rows_are_chosen() {
    let of = sets::ProtoFile::three("p").message("M", &["a 1 int32", "b 2 int32"]).of("p.M");
    let bytes = stream(&[[8, 1, 16, 4], [8, 2, 16, 5], [8, 3, 16, 6]]);
    let chosen = ReadOptions {
        columns: Some(vec!["b".into()]),
        rows: Some(1..2),
        batch_size: 2,
        ..options(&of)
    };
    let all = batches(&chosen, &bytes).unwrap();
    assert_eq!(show::rows(&all[0])[0].to_string(), r#"{"b":5}"#);
    assert_eq!((all.len(), all[0].num_rows()), (1, 1));
    let sizes = ReadOptions { batch_size: 2, ..options(&of) };
    let sizes = batches(&sizes, &bytes).unwrap();
    assert_eq!(sizes.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn an_empty_stream_has_no_rows_and_a_schema() {
    let of = sets::ProtoFile::three("p").message("M", &[]).of("p.M");
    let source = Source::pipe("test", &b""[..]);
    let mut rows = (FORMAT.open)(source, &options(&of)).unwrap();
    assert_eq!(rows.schema().metadata()["protobuf.message"], "p.M");
    assert!(rows.next().is_none());
    let empty = read(&of, &[0, 0, 0]).unwrap();
    assert_eq!((empty.num_rows(), empty.num_columns()), (3, 0));
    assert_eq!(write(&of, &[empty]).unwrap(), [0, 0, 0]);
}

#[test]
fn unknown_fields_are_counted_wherever_they_are() {
    let of = sets::ProtoFile::three("p")
        .message("M", &["m 1 .p.M2", "l 2 .p.M2 repeated", "o 3 map string .p.M2"])
        .message("M2", &["a 1 int32"])
        .of("p.M");
    let mut message = vec![0x0a, 4, 8, 1, 16, 1]; // in m: a, 2
    message.extend([0x12, 2, 24, 1, 0x12, 0]); // in l: 3
    message.extend([0x1a, 7, 0x0a, 0, 0x12, 3, 0x1b, 8, 7, 0x1c]); // a group that is cut off
    let options = options(&of);
    assert!(batches(&options, &stream(&[&message])).is_err());
    assert_eq!(options.report.unknown_fields.load(Ordering::Relaxed), 0);
    message.truncate(12);
    message.extend([0x1a, 10, 0x0a, 0, 0x12, 4, 0x1b, 8, 7, 0x1c, 24, 1]); // in the entry: a group, and 3
    message.extend([0x20, 0, 0x2d, 0, 0, 0, 0, 0x31, 0, 0, 0, 0, 0, 0, 0, 0]); // 4, 5, 6
    let rows = batches(&options, &stream(&[&message])).unwrap();
    assert_eq!(options.report.unknown_fields.load(Ordering::Relaxed), 7);
    let shown = show::rows(&rows[0])[0].to_string();
    assert_eq!(shown, r#"{"m":{"a":1},"l":[{"a":0},{"a":0}],"o":[["",{"a":0}]]}"#);
}
