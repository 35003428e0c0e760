//! Columns of other types, and columns that do not fit.

use arrow::datatypes::{Field, Int8Type, Schema};

use super::*;

const IDL: &str = "enum Color { RED, GREEN } struct P { 1: required i32 x, 2: string s }
    struct R { 1: required i16 a, 2: optional Color c, 3: string t, 4: binary b, 5: list<i32> l, 6: P p, 7: bool f, 8: uuid k }";

fn thrift() -> ThriftType {
    ThriftType::try_new(IDL, "R").unwrap()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn again(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<String>> {
    let batch = batch(columns);
    let bytes = written(&thrift(), batch.schema(), &[batch])?;
    let options = ReadOptions { columns: None, ..reading(&thrift()) };
    Ok(lines(&rows_of(&bytes, &options)?))
}

fn ids(n: usize) -> (&'static str, ArrayRef) {
    ("a", Arc::new(UInt64Array::from_iter_values((0..n).map(|n| n as u64))))
}

#[test]
fn other_types_are_taken_where_they_fit() {
    let text: DictionaryArray<Int8Type> = ["GREEN", "7"].into_iter().collect();
    let found = again(vec![
        ("t", Arc::new(StringViewArray::from(vec!["x", "y"]))),
        ids(2),
        ("c", Arc::new(text)),
        ("b", Arc::new(LargeStringArray::from(vec!["\u{1}", ""]))),
        ("f", Arc::new(NullArray::new(2))),
        ("k", Arc::new(BinaryArray::from(vec![Some(&[1u8; 16][..]), None]))),
    ]);
    let key = "01".repeat(16);
    assert_eq!(
        found.unwrap(),
        [
            format!(
                r#"{{"a":0,"c":"GREEN","t":"x","b":"01","l":null,"p":null,"f":null,"k":"{key}"}}"#
            ),
            r#"{"a":1,"c":"7","t":"y","b":"","l":null,"p":null,"f":null,"k":null}"#.to_owned(),
        ]
    );
}

#[test]
fn columns_that_cannot_be_are_refused_at_once() {
    let type_of = |name: &str, data_type: DataType| {
        let id = Field::new("a", DataType::Int32, true);
        Arc::new(Schema::new(vec![id, Field::new(name, data_type, true)]))
    };
    let point = |fields: Vec<Field>| DataType::Struct(fields.into());
    let x = |data_type: DataType| Field::new("x", data_type, true);
    for (schema, wanted) in [
        (Arc::new(Schema::empty()), "column \"a\" is missing, and required in R"),
        (type_of("z", DataType::Int32), "column \"z\": struct R has no such field"),
        (type_of("t", DataType::Int32), "column \"t\" is Int32, which is no string"),
        (type_of("c", DataType::Float64), "column \"c\" is Float64, which is no Color"),
        (type_of("l", DataType::Utf8), "column \"l\" is Utf8, which is no list"),
        (
            type_of("l", DataType::new_list(DataType::Utf8, true)),
            "column \"l.item\" is Utf8, which is no i32",
        ),
        (type_of("p", point(vec![])), "column \"p.x\" is missing, and required in P"),
        (
            type_of("p", point(vec![x(DataType::Null)])),
            "column \"p.x\" is required, and has nulls only",
        ),
        (type_of("p", point(vec![x(DataType::Utf8)])), "column \"p.x\" is Utf8, which is no i32"),
        (type_of("a", DataType::Int32), "column \"a\" is there twice"),
        (
            type_of("k", DataType::FixedSizeBinary(4)),
            "column \"k\" is FixedSizeBinary(4), which is no uuid",
        ),
    ] {
        let e = written(&thrift(), schema, &[]).unwrap_err().to_string();
        assert_eq!(e, format!("invalid: {wanted}"));
    }
    let mut out = Vec::new();
    let e = create(&mut out, Arc::new(Schema::empty()), &WriteOptions::default());
    let e = e.err().unwrap().to_string();
    assert_eq!(e, "invalid: rows of thrift need an IDL, and the name of a struct in it");
}

#[test]
fn values_that_cannot_be_are_told_with_their_row() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None])]);
    let x: ArrayRef = Arc::new(Int32Array::from(vec![None]));
    let point = StructArray::from(vec![(Arc::new(Field::new("x", DataType::Int32, true)), x)]);
    let many: ArrayRef = Arc::new(Int64Array::from(vec![1, 70_000]));
    let none: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    for (columns, wanted) in [
        (vec![("a", many)], "row 1, field a: 70000 does not fit 16 bits"),
        (vec![("a", none)], "row 1, field a: required, and null"),
        (
            vec![ids(1), ("c", Arc::new(StringArray::from(vec!["BLUE"])))],
            "row 0, field c: Color has no \"BLUE\"",
        ),
        (
            vec![ids(1), ("l", Arc::new(list))],
            "row 0, field l: an item is null, which Thrift cannot represent",
        ),
        (vec![ids(1), ("p", Arc::new(point))], "row 0, field p.x: required, and null"),
        (
            vec![ids(1), ("k", Arc::new(BinaryArray::from(vec![&b"a"[..]])))],
            "row 0, field k: a uuid of 1 bytes",
        ),
    ] {
        assert_eq!(again(columns).unwrap_err().to_string(), format!("invalid: {wanted}"));
    }
}

#[test]
fn bytes_are_the_ones_of_the_protocols() {
    let idl = "struct R { 2: bool f, 1: required i32 a, 30: list<bool> l }";
    let mut flags = ListBuilder::new(BooleanBuilder::new());
    flags.append_value([Some(true), Some(false)]);
    let batch = batch(vec![
        ("l", Arc::new(flags.finish())),
        ("a", Arc::new(Int32Array::from(vec![-2]))),
        ("f", Arc::new(BooleanArray::from(vec![false]))),
    ]);
    let thrift = ThriftType::try_new(idl, "R").unwrap();
    let bytes = written(&thrift, batch.schema(), std::slice::from_ref(&batch)).unwrap();
    assert_eq!(
        bytes,
        b"\x08\x00\x01\xff\xff\xff\xfe\x02\x00\x02\x00\x0f\x00\x1e\x02\x00\x00\x00\x02\x01\x00\x00"
    );
    let thrift = thrift.with_protocol(ThriftProtocol::Compact);
    let bytes = written(&thrift, batch.schema(), &[batch]).unwrap();
    assert_eq!(bytes, b"\x15\x03\x12\x09\x3c\x21\x01\x02\x00");
}

#[test]
fn structs_without_fields_are_rows() {
    let thrift = ThriftType::try_new("struct R {}", "R").unwrap();
    let batches = rows_of(b"\x00\x00\x00", &reading(&thrift)).unwrap();
    assert_eq!((batches.len(), batches[0].num_rows()), (1, 3));
    assert_eq!(written(&thrift, batches[0].schema(), &batches).unwrap(), b"\x00\x00\x00");
}

#[test]
fn unions_are_written_by_the_names_of_their_branches() {
    let read =
        "union U { 5: string s, 6: i64 n, 7: bool f } struct R { 1: optional U u, 2: list<U> us }";
    let write = "union U { 6: i32 n, 5: string s } struct R { 1: optional U u, 2: list<U> us }";
    let (read, write) =
        (ThriftType::try_new(read, "R").unwrap(), ThriftType::try_new(write, "R").unwrap());
    let bytes = b"\x0c\x00\x01\x0a\x00\x06\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00";
    let batches = rows_of(bytes, &reading(&read)).unwrap();
    assert_eq!(lines(&batches), [r#"{"u":{"n":7},"us":null}"#, r#"{"u":null,"us":null}"#]);
    let e = written(&write, batches[0].schema(), &batches).unwrap_err().to_string();
    assert_eq!(e, "invalid: column \"u.f\": union U has no such member");
    let back = written(&read, batches[0].schema(), &batches).unwrap();
    assert_eq!(back, bytes);
}
