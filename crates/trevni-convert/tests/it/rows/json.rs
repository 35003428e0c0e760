//! JSON: the same rows and errors, whatever the layout, the threads and the chunks are.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use trevni_convert::{Format, ReadOptions, Source};

use super::{Table, file};

/// Values of a field, which may be null or absent.
fn field() -> impl Strategy<Value = Vec<Option<Value>>> {
    let numbers = prop_oneof![any::<i64>().prop_map(Value::from), (-9i64..9).prop_map(Value::from)];
    let floats = prop_oneof![
        any::<f64>().prop_filter("finite", |v| v.is_finite()).prop_map(Value::from),
        (-9i64..9).prop_map(Value::from),
        (1i64 << 52..1 << 54).prop_map(Value::from),
    ];
    let text = prop_oneof!["\\PC*", "[a-c\"\\\\\n\u{1F600}]*"].prop_map(Value::from);
    let mixed = prop_oneof![any::<i32>().prop_map(Value::from), "[a-z]*".prop_map(Value::from)];
    let lists = vec(prop_oneof![Just(Value::Null), any::<i16>().prop_map(Value::from)], 0..4);
    let structs = (any::<bool>(), "[a-z]*", any::<bool>())
        .prop_map(|(a, b, all)| if all { json!({"a": a, "b": b}) } else { json!({ "b": b }) });
    let nested = vec(prop_oneof![Just(json!({"x": [1]})), Just(json!({}))], 0..3);
    prop_oneof![
        values(numbers),
        values(floats),
        values(text),
        values(mixed),
        values(any::<u64>().prop_map(Value::from)),
        values(any::<bool>().prop_map(Value::from)),
        values(lists.prop_map(Value::from)),
        values(structs),
        values(nested.prop_map(Value::from)),
    ]
}

fn values(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<Option<Value>>> {
    let value =
        prop_oneof![6 => value.prop_map(Some), 1 => Just(Some(Value::Null)), 1 => Just(None)];
    vec(value, 0..60)
}

fn objects() -> impl Strategy<Value = Vec<Value>> {
    vec(field(), 1..5).prop_map(|fields| {
        let rows = fields.iter().map(Vec::len).max().unwrap_or(0);
        let object = |row: usize| {
            let mut members = Map::from_iter([("k".to_owned(), json!(row))]);
            for (n, values) in fields.iter().enumerate() {
                if let Some(Some(value)) = values.get(row) {
                    members.insert(format!("f{n}"), value.clone());
                }
            }
            Value::from(members)
        };
        (0..rows).map(object).collect()
    })
}

/// Returns objects as lines, over several lines, and as an array.
fn layouts(objects: &[Value]) -> [String; 3] {
    let lines = objects.iter().map(|object| format!("{object}\n")).collect();
    let values = objects.iter().map(|object| format!("{object:#}\n")).collect();
    [lines, values, Value::from(objects.to_vec()).to_string()]
}

/// Returns the rows, and the error after them.
fn read(text: &str, options: &ReadOptions) -> (Option<RecordBatch>, Option<String>) {
    let source = Source::pipe("text", std::io::Cursor::new(text.to_owned().into_bytes()));
    let rows = match (Format::named("jsonl").unwrap().open)(source, options) {
        Ok(rows) => rows,
        Err(e) => return (None, Some(e.to_string())),
    };
    let (schema, mut batches, mut error) = (rows.schema(), Vec::new(), None);
    for batch in rows {
        match batch {
            Ok(batch) => batches.push(batch),
            Err(e) => error = Some(e.to_string()),
        }
    }
    (Some(concat_batches(&schema, &batches).unwrap()), error)
}

fn options(threads: usize, batch_size: usize) -> ReadOptions {
    ReadOptions { threads, batch_size, infer_rows: Some(1000), ..ReadOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_do_not_depend_on_layout_threads_or_batches(
        objects in objects(), threads in 1usize..5, batch_size in 1usize..80,
    ) {
        let texts = layouts(&objects);
        // A declared type leaves all values to the other decoder.
        let types = vec![Arc::new(Field::new("k", DataType::Int64, true))];
        let expected = match objects.is_empty() {
            true => read(&texts[0], &options(1, 1000)),
            false => read(&texts[0], &ReadOptions { types, ..options(1, 1000) }),
        };
        for text in &texts {
            let (rows, error) = read(text, &options(threads, batch_size));
            if expected.1.is_none() {
                prop_assert_eq!(&rows, &expected.0);
            }
            prop_assert_eq!(error.is_some(), expected.1.is_some());
        }
        // Of some columns the same.
        let (Some(all), None) = expected else { return Ok(()) };
        let some = ReadOptions {
            columns: Some(vec!["k".to_owned()]),
            predicate: Some("k >= 3".parse().unwrap()),
            ..options(threads, batch_size)
        };
        if objects.len() > 3 {
            let (rows, error) = read(&texts[0], &some);
            prop_assert_eq!(error, None);
            let rows = rows.unwrap();
            prop_assert_eq!(rows, all.slice(3, all.num_rows() - 3).project(&[0]).unwrap());
        }
        let none = ReadOptions { columns: Some(Vec::new()), ..options(threads, batch_size) };
        let (rows, error) = read(&texts[2], &none);
        prop_assert_eq!((rows.map(|rows| rows.num_rows()), error), (Some(all.num_rows()), None));
    }

    #[test]
    fn errors_do_not_depend_on_threads_or_batches(
        objects in objects(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        threads in 2usize..5, batch_size in 1usize..80, skip_bad in 0u64..3,
    ) {
        for text in layouts(&objects) {
            let mut bytes = text.into_bytes();
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let one = read(&text, &ReadOptions { skip_bad, ..options(1, 1000) });
            let other = read(&text, &ReadOptions { skip_bad, ..options(threads, batch_size) });
            prop_assert_eq!(one, other);
        }
    }
}

/// Arrow does not enforce the precision of decimals, and its text leaves out the digits behind it.
#[test]
fn decimals_of_more_digits_than_their_type_are_written_whole() {
    let decimals = arrow::array::Decimal128Array::from(vec![Some(1000), Some(-12810), None]);
    let decimals = decimals.with_precision_and_scale(3, 2).unwrap();
    let decimals: arrow::array::ArrayRef = std::sync::Arc::new(decimals);
    let list = arrow::array::ListArray::new(
        std::sync::Arc::new(arrow::datatypes::Field::new(
            "item",
            decimals.data_type().clone(),
            true,
        )),
        arrow::buffer::OffsetBuffer::from_lengths([1, 1, 1]),
        decimals.clone(),
        None,
    );
    let flat = arrow::array::RecordBatch::try_from_iter([("d", decimals)]).unwrap();
    let table = Table { schema: flat.schema(), batches: vec![flat] };
    assert_eq!(String::from_utf8(file("csv", &table)).unwrap(), "d\n10.00\n-128.10\n\"\"\n");
    let json = "{\"d\":10.00}\n{\"d\":-128.10}\n{\"d\":null}\n";
    assert_eq!(String::from_utf8(file("json", &table)).unwrap(), json);
    let list: arrow::array::ArrayRef = std::sync::Arc::new(list);
    let nested = arrow::array::RecordBatch::try_from_iter([("l", list)]).unwrap();
    let table = Table { schema: nested.schema(), batches: vec![nested] };
    let json = "{\"l\":[10.00]}\n{\"l\":[-128.10]}\n{\"l\":[null]}\n";
    assert_eq!(String::from_utf8(file("json", &table)).unwrap(), json);
}
