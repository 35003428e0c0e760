//! Arrow's own files, cut short: rows or an error.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use trevni_convert::{Format, ReadOptions, WriteOptions, random_rows};

use super::{collect, open};

fn made(format: &str) -> Vec<u8> {
    let item = |data_type| Arc::new(Field::new("item", data_type, true));
    let words = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let fields = vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8View, true),
        Field::new("c", DataType::List(item(DataType::Utf8)), true),
        Field::new("d", words, true),
    ];
    let rows = random_rows(Arc::new(Schema::new(fields)), 20, 1, 20);
    let mut bytes = Vec::new();
    let create = Format::named(format).unwrap().create;
    let mut sink = create(&mut bytes, rows.schema(), &WriteOptions::default()).unwrap();
    rows.for_each(|batch| sink.write(&batch.unwrap()).unwrap());
    sink.finish().unwrap();
    bytes
}

#[test]
fn files_cut_anywhere_end_in_rows_or_an_error() {
    for format in ["arrow", "arrows"] {
        let bytes = made(format);
        for end in 0..bytes.len() {
            let rows = open(format, &bytes[..end], &ReadOptions::default()).and_then(collect);
            // A stream that ends between two messages cannot be detected.
            assert!(rows.is_err() || format == "arrows", "{end}");
        }
    }
}

#[test]
fn flipped_bytes_end_in_rows_or_an_error() {
    for format in ["arrow", "arrows"] {
        let bytes = made(format);
        let (mut read, mut refused) = (0, 0);
        for at in 0..bytes.len() {
            for pattern in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= pattern;
                match open(format, &changed, &ReadOptions::default()).and_then(collect) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        println!("{format}: {read} read, {refused} refused");
        assert!(read > 100 && refused > 100);
    }
}

/// What nests deeper than readers accept is refused before anything is written.
#[test]
fn schemas_nested_too_deep_are_refused() {
    let nested = |levels: usize| {
        let innermost = Field::new("x", DataType::Int64, true);
        let field = (1..levels).fold(innermost, |field, _| {
            Field::new("x", DataType::Struct(vec![field].into()), true)
        });
        Arc::new(Schema::new(vec![field]))
    };
    for format in ["arrow", "arrows", "parquet", "trv"] {
        let Ok(format) = Format::named(format) else { continue };
        let mut out = Vec::new();
        let e = (format.create)(&mut out, nested(90), &WriteOptions::default()).map(drop);
        let text = e.unwrap_err().to_string();
        let expected =
            "the schema cannot be represented as an Arrow IPC message: it is nested more than";
        assert!(text.contains("field x.x.x") && text.contains(expected), "{}: {text}", format.name);
        assert!(out.is_empty());
        // The deepest that is written is read.
        for levels in 1..90 {
            let mut out = Vec::new();
            let sink = (format.create)(&mut out, nested(levels), &WriteOptions::default());
            if sink.and_then(|sink| sink.finish()).is_err() {
                assert!(levels > 50, "{}: {levels}", format.name);
                break;
            }
            let read = open(format.name, &out, &ReadOptions::default()).and_then(collect);
            read.unwrap_or_else(|e| panic!("{}: {levels} levels: {e}", format.name));
        }
    }
}
