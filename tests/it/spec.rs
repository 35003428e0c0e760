//! The examples of `spec/trevni.md`: each is read, and written again to the byte.

use bytes::Bytes;
use trevni::checksum::Checksum;
use trevni::wire::{self, Cursor};
use trevni::{ColumnData, FileReader, FileWriter, Value};

const SPEC: &str = include_str!("../../spec/trevni.md");

fn unhex(text: &str) -> Vec<u8> {
    let text = text.lines().map(|line| line.split('#').next().unwrap());
    text.flat_map(str::split_whitespace).map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

/// Returns the rows of the table whose first heading this is.
fn table(heading: &str) -> Vec<(&'static str, Vec<u8>)> {
    let start = SPEC.find(&format!("| {heading} | bytes |")).expect("a table");
    let rows = SPEC[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &'static str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        (cells.next().unwrap(), unhex(cells.next().unwrap()))
    };
    rows.map(cells).collect()
}

/// Returns the text of each block fenced with this word.
fn fenced(word: &str) -> Vec<&'static str> {
    let fence = format!("```{word}\n");
    SPEC.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn longs() {
    let rows = table("long");
    assert!(rows.len() > 5);
    for (value, bytes) in rows {
        let mut out = Vec::new();
        wire::put_long(&mut out, value.parse().unwrap());
        assert_eq!(out, bytes, "{value}");
        assert_eq!(Cursor::new(&bytes).long("value").unwrap().to_string(), value);
    }
}

#[test]
fn lengths() {
    use trevni::{ColumnMetadata, ColumnSlice, ValueType, ValuesRef};
    let rows = table("lengths of a null array");
    assert!(rows.len() > 3);
    for (lengths, bytes) in rows {
        let lengths: Vec<u32> = lengths.split(' ').map(|l| l.parse().unwrap()).collect();
        let column = ColumnMetadata::new("p", ValueType::Null).array();
        let builder = FileWriter::builder().set_checksum(Checksum::Null);
        let mut writer = builder.build(Vec::new(), vec![column]).unwrap();
        let values = ValuesRef::Null(lengths.iter().sum::<u32>() as usize);
        writer.write(lengths.len(), &[ColumnSlice::array(&lengths, values)]).unwrap();
        let (file, _) = writer.finish().unwrap();
        assert!(file.ends_with(&bytes), "{lengths:?}");
        let file = FileReader::try_new(Bytes::from(file)).unwrap();
        assert_eq!(file.blocks(0).unwrap()[0].uncompressed_size as usize, bytes.len());
        assert_eq!(file.read_column(0).unwrap().lengths.unwrap(), lengths);
    }
}

#[test]
fn files() {
    let (files, columns) = (fenced("hex"), fenced("columns"));
    assert_eq!(files.len(), columns.len());
    assert!(files.len() >= 4);
    for (hex, expected) in files.iter().zip(columns) {
        let bytes = unhex(hex);
        let file = FileReader::try_new(Bytes::from(bytes.clone())).unwrap();
        let all = 0..file.columns().len();
        // A build without a codec reads the examples without it.
        if all.clone().any(|i| !file.header().codec(i).unwrap().is_available()) {
            continue;
        }
        let data: Vec<_> = all.map(|i| file.read_column(i).unwrap()).collect();
        let named = file.columns().iter().zip(&data);
        let text: String =
            named.map(|(c, data)| format!("{}: {}\n", c.name(), shown(data))).collect();
        assert_eq!(text, expected);
        let header = file.header();
        let mut writer = FileWriter::builder()
            .set_metadata(header.metadata.clone())
            .build(Vec::new(), header.columns.clone())
            .unwrap();
        let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
        writer.write(header.rows as usize, &slices).unwrap();
        assert_eq!(writer.finish().unwrap().0, bytes);
    }
}

fn shown(data: &ColumnData) -> String {
    let all = data.values.as_slice();
    let value = |i: usize| match all.get(i).unwrap() {
        Value::Null => "null".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        other => panic!("{other:?}"),
    };
    let Some(lengths) = &data.lengths else {
        return (0..all.len()).map(value).collect::<Vec<_>>().join(" ");
    };
    let mut at = 0;
    let arrays = lengths.iter().map(|length| {
        let values: Vec<_> = (at..at + *length as usize).map(value).collect();
        at += *length as usize;
        format!("[{}]", values.join(" "))
    });
    arrays.collect::<Vec<_>>().join(" ")
}

#[cfg(feature = "arrow")]
pub mod of_arrow {
    use std::sync::Arc;

    use arrow::array::RecordBatch;
    use arrow::datatypes::*;
    use trevni::FileReader;
    use trevni::arrow::{ArrowWriter, WriterProperties};

    const SPEC: &str = include_str!("../../spec/columns.md");

    /// Returns the field that a row of the table speaks of.
    fn field(text: &str) -> Field {
        use DataType::*;
        let x = |data_type, nullable| Field::new("x", data_type, nullable);
        let of = |data_type, nullable| Arc::new(Field::new("item", data_type, nullable));
        let strings = |names: [&str; 2], nullable| -> Fields {
            names
                .into_iter()
                .filter(|n| !n.is_empty())
                .map(|n| Field::new(n, Utf8, nullable))
                .collect()
        };
        match text {
            "x: int32, not null" => x(Int32, false),
            "x: int32" => x(Int32, true),
            "x: null" => x(Null, true),
            "x: list of int32, nothing null" => x(List(of(Int32, false)), false),
            "x: list of int32" => x(List(of(Int32, true)), true),
            "x: struct of a, b: utf8, nothing null" => x(Struct(strings(["a", "b"], false)), false),
            "x: struct of a: utf8" => x(Struct(strings(["a", ""], true)), true),
            "x: map of utf8 to int64, only values null" => {
                let (key, value) =
                    (Field::new("key", Utf8, false), Field::new("value", Int64, true));
                Field::new_map("x", "entries", key, value, false, false)
            }
            "x: union of a: utf8, b: float64, nothing null" => {
                let fields = [Field::new("a", Utf8, false), Field::new("b", Float64, false)];
                x(Union(UnionFields::try_new([0, 1], fields).unwrap(), UnionMode::Dense), false)
            }
            other => panic!("the test does not know {other:?}"),
        }
    }

    #[test]
    fn columns_of_the_split_layout() {
        let start = SPEC.find("| field | columns of the split layout |").unwrap();
        let rows = SPEC[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut count = 0;
        for row in rows {
            let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            assert_eq!(columns(cells[0], None), cells[1], "{}", cells[0]);
            count += 1;
        }
        assert!(count > 5);
    }

    /// Returns the columns of a file of this field.
    pub fn columns(text: &str, properties: Option<WriterProperties>) -> String {
        let schema = Arc::new(Schema::new(vec![field(text)]));
        let batch = RecordBatch::new_empty(schema.clone());
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, properties).unwrap();
        writer.write(&batch).unwrap();
        let (bytes, _) = writer.finish().unwrap();
        let file = FileReader::try_new(bytes::Bytes::from(bytes)).unwrap();
        let columns = file.columns().iter().map(|column| {
            let array = if column.is_array() { " array" } else { "" };
            let parent = column.parent().map_or(String::new(), |p| format!(", parent {p}"));
            format!("{} {}{array}{parent}", column.name(), column.value_type())
        });
        columns.collect::<Vec<_>>().join("; ")
    }
}

mod of_statistics {
    use bytes::Bytes;
    use trevni::*;

    const SPEC: &str = include_str!("../../spec/statistics.md");

    /// Returns the statistics in a file of one column.
    fn entry(column: ColumnMetadata, cuts: &[(usize, ColumnSlice<'_>)], size: usize) -> Vec<u8> {
        let column = column.with_statistics(Order::Natural);
        let builder = FileWriter::builder().set_block_size(size);
        let mut writer = builder.build(Vec::new(), vec![column]).unwrap();
        for (rows, slice) in cuts {
            writer.write(*rows, std::slice::from_ref(slice)).unwrap();
        }
        let file = FileReader::try_new(Bytes::from(writer.finish().unwrap().0)).unwrap();
        assert!(file.statistics(0).unwrap().is_some());
        let blocks = file.blocks(0).unwrap();
        let sizes: Vec<_> = blocks.iter().map(|b| (b.rows, b.uncompressed_size)).collect();
        println!("{sizes:?}");
        file.columns()[0].metadata().get("arrow.statistics").unwrap().to_vec()
    }

    #[test]
    fn entries() {
        let mut examples =
            SPEC.split("```hex\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        let ints = [-3, 400, 1, 2, 3, 4, 5, 6];
        let last = [401; 6];
        let lengths = [1, 1, 0, 1, 1, 1, 0, 1, 1, 1];
        let slices = [
            (10, ColumnSlice::array(&lengths, ValuesRef::Int(&ints))),
            (6, ColumnSlice::array(&[1; 6], ValuesRef::Int(&last))),
        ];
        let column = ColumnMetadata::new("n", ValueType::Int).array();
        assert_eq!(entry(column, &slices, 19), super::unhex(examples.next().unwrap()));
        let text = format!("appleapricot{}", "z".repeat(60));
        let offsets = [0, 5, text.len() as i32];
        let slice = ColumnSlice::array(&[1, 0, 1], ValuesRef::strings(&offsets, text.as_bytes()));
        let column = ColumnMetadata::new("s", ValueType::String).array();
        assert_eq!(entry(column, &[(3, slice)], 100), super::unhex(examples.next().unwrap()));
        assert_eq!(examples.next(), None);
    }
}
