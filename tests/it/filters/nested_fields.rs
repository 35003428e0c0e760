//! Selected children of nested fields, and that others are not read.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::*;
use arrow::datatypes::*;
use trevni::arrow::*;
use trevni::codec::Codec;

use super::blocks_read::{blocks_read, noting, opened};
use crate::arrow::write;
use trevni_testing::equality::same;

const ROWS: usize = 600;

fn ints(n: usize, name: &str) -> (FieldRef, ArrayRef) {
    let values = Int32Array::from_iter((0..n).map(|i| (i % 5 != 2).then_some(i as i32)));
    (Arc::new(Field::new(name, DataType::Int32, true)), Arc::new(values))
}

fn texts(n: usize, name: &str) -> (FieldRef, ArrayRef) {
    let values = StringArray::from_iter_values((0..n).map(|i| format!("text {i}")));
    (Arc::new(Field::new(name, DataType::Utf8, false)), Arc::new(values))
}

fn record(n: usize) -> StructArray {
    StructArray::from(vec![ints(n, "x"), texts(n, "y")])
}

/// Returns a column `c` of this array.
fn one(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("c", array, true)]).unwrap()
}

/// Returns a batch of parts, and the columns of the file that were read for them.
fn read(
    batch: &RecordBatch,
    parts: &[&str],
    layout: Layout,
    codec: Codec,
) -> (ArrayRef, Vec<String>) {
    let properties =
        WriterProperties::builder().set_layout(layout).set_codec(codec).set_block_size(300).build();
    let file = write(&batch.schema(), std::slice::from_ref(batch), properties).unwrap();
    let source = noting(&file);
    let builder = opened(&source);
    let names: Vec<_> = builder.file().columns().iter().map(|c| c.name().to_owned()).collect();
    let mask = ProjectionMask::columns(builder.schema(), parts.iter().copied()).unwrap();
    let mut reader = builder.with_projection(mask).build().unwrap();
    let read = reader.next().unwrap().unwrap();
    assert_eq!((reader.schema(), read.num_rows()), (read.schema(), batch.num_rows()));
    let touched = names.into_iter().filter(|name| !blocks_read(&source, name).is_empty());
    (read.column(0).clone(), touched.collect())
}

fn lists(n: usize) -> (OffsetBuffer<i32>, NullBuffer) {
    let lengths = (0..n).map(|i| i % 3);
    (OffsetBuffer::from_lengths(lengths), (0..n).map(|i| i % 4 != 1).collect::<Vec<_>>().into())
}

#[test]
fn siblings_are_not_read() {
    let x = |array: &StructArray| {
        let fields = Fields::from(vec![array.fields()[0].clone()]);
        StructArray::new(fields, vec![array.column(0).clone()], array.nulls().cloned())
    };
    let whole = record(ROWS);
    let (read_struct, touched) =
        read(&one(Arc::new(whole.clone())), &["c.x"], Layout::Split, Codec::Null);
    same(&read_struct, &x(&whole)).unwrap();
    assert_eq!(touched, ["c", "c#x", "c#x#value"]);

    let items = record(ROWS);
    let (offsets, nulls) = lists(ROWS);
    let list = |items: StructArray| {
        let item = Arc::new(Field::new("item", items.data_type().clone(), false));
        ListArray::new(item, offsets.clone(), Arc::new(items), Some(nulls.clone()))
    };
    let items = items.slice(0, offsets[ROWS] as usize);
    for codec in [Codec::Null, Codec::Pack] {
        let (read, touched) =
            read(&one(Arc::new(list(items.clone()))), &["c.x"], Layout::Split, codec);
        let (expected, validity) = (list(x(&items)), read.as_list::<i32>());
        assert_eq!(validity.nulls(), expected.nulls());
        for row in (0..ROWS).filter(|row| expected.is_valid(*row)) {
            same(&validity.value(row), &expected.value(row)).unwrap();
        }
        assert!(!touched.iter().any(|name| name.ends_with("#y")), "{touched:?}");
    }

    let items = record(ROWS * 2);
    let fixed = |items: StructArray| {
        let item = Arc::new(Field::new("item", items.data_type().clone(), false));
        FixedSizeListArray::new(item, 2, Arc::new(items), None)
    };
    let (read, touched) =
        read(&one(Arc::new(fixed(items.clone()))), &["c.x"], Layout::Split, Codec::Null);
    same(&read, &fixed(x(&items))).unwrap();
    assert_eq!(touched, ["c", "c[]", "c[]#x", "c[]#x#value"]);
}

fn map(sorted: bool) -> MapArray {
    let (offsets, nulls) = lists(ROWS);
    let n = offsets[ROWS] as usize;
    let (key, keys) = texts(n, "word");
    let values = record(n);
    let value = Arc::new(Field::new("about", values.data_type().clone(), true));
    let entries = StructArray::from(vec![(key, keys), (value, Arc::new(values) as ArrayRef)]);
    let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    MapArray::new(entry, offsets, entries, Some(nulls), sorted)
}

#[test]
fn maps_without_values_are_lists_of_keys() {
    let whole = map(false);
    let batch = one(Arc::new(whole.clone()));
    for layout in [Layout::Split, Layout::Avro] {
        let (keys, touched) = read(&batch, &["c.word"], layout, Codec::Null);
        let list = keys.as_list::<i32>();
        assert_eq!(keys.data_type(), &DataType::List(whole.entries().fields()[0].clone()));
        assert_eq!(list.nulls(), whole.nulls());
        for row in (0..ROWS).filter(|row| whole.is_valid(*row)) {
            same(&list.value(row), whole.value(row).column(0)).unwrap();
        }
        assert!(
            !touched.iter().any(|name| name.contains("about") || name.contains("value")),
            "{touched:?}"
        );
    }
    let (values, touched) = read(&batch, &["c.about.x"], Layout::Split, Codec::Pack);
    let list = values.as_list::<i32>();
    for row in (0..ROWS).filter(|row| whole.is_valid(*row)) {
        let (a, b) = (list.value(row), whole.value(row));
        same(a.as_struct().column(0), b.column(1).as_struct().column(0)).unwrap();
    }
    assert!(
        !touched.iter().any(|name| name.ends_with("key") || name.ends_with("#y")),
        "{touched:?}"
    );
    // Both, and of the values one field: still a map.
    let (read, touched) = read(&batch, &["c.about.x", "c.word"], Layout::Split, Codec::Null);
    let narrow = read.as_map();
    for row in (0..ROWS).filter(|row| whole.is_valid(*row)) {
        same(narrow.value(row).column(0), whole.value(row).column(0)).unwrap();
    }
    assert!(touched.iter().any(|name| name.ends_with("key")));
    assert!(!touched.iter().any(|name| name.ends_with("#y")), "{touched:?}");
}

#[test]
fn branches_of_a_union_are_nullable_fields() {
    let n = ROWS / 3;
    let fields = UnionFields::try_new(
        [4, 2, 7],
        [
            Field::new("i", DataType::Int32, false),
            Field::new("t", DataType::Utf8, false),
            Field::new("r", record(1).data_type().clone(), false),
        ],
    )
    .unwrap();
    let ids: ScalarBuffer<i8> = (0..ROWS).map(|i| [4, 2, 7][i % 3]).collect();
    let offsets: ScalarBuffer<i32> = (0..ROWS).map(|i| (i / 3) as i32).collect();
    let children = vec![
        Arc::new(Int32Array::from_iter_values(0..n as i32)) as ArrayRef,
        texts(n, "t").1,
        Arc::new(record(n)) as ArrayRef,
    ];
    let union = UnionArray::try_new(fields, ids, Some(offsets), children.clone()).unwrap();
    let batch = RecordBatch::try_from_iter([("c", Arc::new(union) as ArrayRef)]).unwrap();
    for (layout, codec) in
        [(Layout::Split, Codec::Null), (Layout::Split, Codec::Pack), (Layout::Avro, Codec::Null)]
    {
        let (read, touched) = read(&batch, &["c.t", "c.r.x"], layout, codec);
        let parts = read.as_struct();
        assert_eq!(parts.column_names(), ["t", "r"]);
        assert!(parts.fields().iter().all(|field| field.is_nullable()));
        for row in 0..ROWS {
            assert_eq!(parts.column(0).is_valid(row), row % 3 == 1);
            assert_eq!(parts.column(1).is_valid(row), row % 3 == 2);
            if row % 3 == 1 {
                same(&parts.column(0).slice(row, 1), &children[1].slice(row / 3, 1)).unwrap();
            }
            if row % 3 == 2 {
                let x = |array: &ArrayRef, row| array.as_struct().column(0).slice(row, 1);
                same(&x(parts.column(1), row), &x(&children[2], row / 3)).unwrap();
            }
        }
        let others = touched.iter().filter(|name| name.starts_with("c/i") || name.ends_with("#y"));
        assert_eq!(others.count(), 0, "{touched:?}");
    }
}

/// Each child of a struct is read once: by the predicate that uses it, or for the output.
#[test]
fn parts_that_predicates_read_are_not_read_again() {
    let whole = record(ROWS);
    let batch = one(Arc::new(whole.clone()));
    let properties = WriterProperties::builder().set_codec(Codec::Null).set_block_size(300).build();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
    let source = noting(&file);
    let predicate = Predicate::parse("c.x >= 100").unwrap();
    let mask = predicate.evaluate(&batch).unwrap();
    let expected = arrow::compute::filter_record_batch(&batch, &mask).unwrap();
    let builder = opened(&source).with_predicate(predicate);
    let read = builder.build().unwrap().next().unwrap().unwrap();
    same(read.column(0), expected.column(0)).unwrap();
    let once = |column: &str| {
        let blocks = blocks_read(&source, column);
        assert!(!blocks.is_empty() && blocks.is_sorted_by(|a, b| a < b), "{column}: {blocks:?}");
    };
    once("c#x#value");
    once("c#y");
}
