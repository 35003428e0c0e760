//! Complete files: written and read, in both layouts.
//!
//! ```text
//! batches -> ArrowWriter -> bytes -> ArrowReader -> the same batches
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::compute;
use arrow::datatypes::*;
use bytes::Bytes;

use super::super::*;
use super::sample;
use crate::codec::Codec;
use crate::error::{ErrorKind, Result};
use crate::format::column_data::ColumnSlice;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::ValueType;
use crate::format::values_ref::ValuesRef;
use crate::write::file_writer::FileWriter;
use trevni_testing::arrays::array_of;
use trevni_testing::data;
use trevni_testing::equality::assert_same;
use trevni_testing::numbers::Numbers;

fn write(batches: &[RecordBatch], schema: &SchemaRef, layout: Layout) -> Result<Bytes> {
    let properties = WriterProperties::builder().set_layout(layout).set_block_size(100).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    Ok(writer.into_inner()?.into())
}

fn read(file: &Bytes, batch_size: usize) -> Vec<RecordBatch> {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap().with_batch_size(batch_size);
    builder.build().unwrap().map(|batch| batch.unwrap()).collect()
}

fn one(name: &str, array: ArrayRef) -> RecordBatch {
    let field = Field::new(name, array.data_type().clone(), true);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap()
}

fn comes_back(batch: &RecordBatch, layout: Layout) -> Result<()> {
    let schema = batch.schema();
    let file = write(&[batch.slice(0, 7), batch.slice(7, batch.num_rows() - 7)], &schema, layout)?;
    let back = read(&file, 1000);
    assert_eq!((back.len(), back[0].schema()), (1, schema));
    batch.columns().iter().zip(back[0].columns()).for_each(|(a, b)| assert_same(a, b));
    Ok(())
}

fn all_types() -> impl Iterator<Item = DataType> {
    let inner = sample::types().into_iter().chain(sample::nested_types());
    inner.flat_map(|inner| sample::around(&inner).into_iter().chain([inner]))
}

#[test]
fn every_type_comes_back_from_a_file() {
    let numbers = &mut Numbers(6);
    for data_type in all_types() {
        let batch = one("f", array_of(&data_type, true, 30, numbers));
        match comes_back(&batch, Layout::Split) {
            Ok(()) => {}
            // Arrow's messages have no dictionaries of dictionaries.
            Err(e) => assert!(
                e.to_string().contains("cannot be represented as an Arrow IPC message"),
                "{e}"
            ),
        }
    }
}

#[test]
fn every_type_with_an_avro_form_comes_back_from_one() {
    let numbers = &mut Numbers(7);
    let (mut back, mut refused) = (0, std::collections::BTreeSet::new());
    for data_type in all_types() {
        let batch = one("f", array_of(&data_type, true, 30, numbers));
        match comes_back(&batch, Layout::Avro) {
            Ok(()) => back += 1,
            Err(e) => {
                let e = e.to_string();
                refused.insert(e.split_once(": ").unwrap().1.to_owned());
            }
        }
    }
    println!("{back} {refused:#?}");
    assert!(back > 500, "{back}");
}

#[test]
fn errors_name_the_field() {
    let list = |item| DataType::List(Arc::new(Field::new("item", item, true)));
    let of = |fields: Vec<Field>| DataType::Struct(fields.into());
    let int = |name: &str| Field::new(name, DataType::Int32, true);
    let union =
        |fields: Vec<Field>| DataType::Union(UnionFields::from_fields(fields), UnionMode::Dense);
    for (data_type, what) in [
        (list(DataType::UInt64), "field f.item has no Avro form: Avro has no unsigned"),
        (DataType::Interval(IntervalUnit::DayTime), "no such interval"),
        (of(vec![int("a b")]), "field f.a b has no Avro form: Avro accepts no such name"),
        (of(vec![int("a"), int("a")]), "field f.a has no Avro form: another field has its name"),
        (union(vec![int("a"), int("b")]), "f.b has no Avro form: the union has another branch int"),
        (union(vec![Field::new("u", union(vec![]), true)]), "a union directly in a union"),
    ] {
        let schema = Arc::new(Schema::new(vec![Field::new("f", data_type, true)]));
        let error = write(&[], &schema, Layout::Avro).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let schema = Arc::new(Schema::new(vec![Field::new("f", DataType::Int32, false)]));
    let wrong = one("f", Arc::new(StringArray::from(vec!["a"])));
    let error = write(&[wrong], &schema, Layout::Split).unwrap_err().to_string();
    assert_eq!(error, "invalid: field f: Utf8 given for Int32");
}

#[test]
fn projections_and_row_ranges_are_parts() {
    let int = |name: &str| Field::new(name, DataType::Int32, true);
    let inner = DataType::Struct(vec![int("x"), int("y"), int("z.z")].into());
    let list = DataType::List(Arc::new(Field::new("item", inner.clone(), true)));
    let fields = vec![int("a"), Field::new("s", inner, true), Field::new("l", list, true)];
    let schema = Arc::new(Schema::new(fields));
    let numbers = &mut Numbers(8);
    let arrays =
        schema.fields().iter().map(|f| array_of(f.data_type(), true, 200, numbers)).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let file = write(std::slice::from_ref(&batch), &schema, Layout::Split).unwrap();
    let mask = ProjectionMask::columns(&schema, ["l.y", "s.z.z", "s.x"]).unwrap();
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    let reader = builder.with_projection(mask).with_row_range(50..150).with_batch_size(100);
    let read = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(read.num_columns(), 2);
    let expected = batch.slice(50, 100);
    let structs = (expected.column(1).as_struct(), read.column(0).as_struct());
    assert_eq!(structs.1.column_names(), ["x", "z.z"]);
    assert_eq!(structs.0.nulls(), structs.1.nulls());
    for row in (0..100).filter(|row| structs.0.is_valid(*row)) {
        assert_same(&structs.0.column(0).slice(row, 1), &structs.1.column(0).slice(row, 1));
        assert_same(&structs.0.column(2).slice(row, 1), &structs.1.column(1).slice(row, 1));
    }
    let lists = (expected.column(2).as_list::<i32>(), read.column(1).as_list::<i32>());
    for row in (0..100).filter(|row| lists.0.is_valid(*row)) {
        let (a, b) = (lists.0.value(row), lists.1.value(row));
        for item in (0..a.len()).filter(|item| a.is_valid(*item)) {
            let (a, b) = (a.as_struct().column(1), b.as_struct().column(0));
            assert_same(&a.slice(item, 1), &b.slice(item, 1));
        }
    }
    for bad in ["b", "s.q", "a.x", ""] {
        assert!(ProjectionMask::columns(&schema, [bad]).is_err(), "{bad}");
    }
    assert!(ProjectionMask::roots(&schema, [3]).is_err());
}

#[test]
fn batches_are_halved_until_keys_can_count() {
    let words = StringArray::from_iter_values((0..1000).map(|i| i.to_string()));
    let data_type = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let batches: Vec<_> = (0..10)
        .map(|i| one("f", compute::cast(&words.slice(i * 100, 100), &data_type).unwrap()))
        .collect();
    let file = write(&batches, &batches[0].schema(), Layout::Split).unwrap();
    let back = read(&file, 1000);
    assert!(back.len() > 1);
    let unpacked = back.iter().map(|b| compute::cast(b.column(0), &DataType::Utf8).unwrap());
    let unpacked: Vec<_> = unpacked.collect();
    let all = compute::concat(&unpacked.iter().map(|a| a.as_ref()).collect::<Vec<_>>()).unwrap();
    assert_same(&(Arc::new(words) as _), &all);
}

#[test]
fn no_columns_are_still_rows() {
    let schema = Arc::new(Schema::empty());
    let options = RecordBatchOptions::new().with_row_count(Some(10));
    let batch = RecordBatch::try_new_with_options(schema.clone(), vec![], &options).unwrap();
    for layout in [Layout::Split, Layout::Avro] {
        let file = write(std::slice::from_ref(&batch), &schema, layout).unwrap();
        let rows: Vec<_> = read(&file, 4).iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, [4, 4, 2]);
        assert!(read(&write(&[], &schema, layout).unwrap(), 4).is_empty());
    }
}

#[test]
fn enums_are_written_as_ordinals() {
    let text = br#"{"type":"record","name":"R","fields":[{"name":"e","type":["null",{"type":"enum","name":"E","symbols":["A","B"]}]}]}"#;
    let schema = Arc::new(avro::to_arrow(&avro::Avro::parse(text).unwrap()).unwrap());
    // Another dictionary than that of the symbols.
    let array: DictionaryArray<Int32Type> = [Some("B"), None, Some("A")].into_iter().collect();
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(array)]).unwrap();
    let file = write(std::slice::from_ref(&batch), &schema, Layout::Avro).unwrap();
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    assert_eq!(builder.file().columns()[0].name(), "e/E");
    assert_eq!(builder.file().columns()[0].value_type(), ValueType::Int);
    assert_same(batch.column(0), read(&file, 10)[0].column(0));
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let skipped = ArrowReaderBuilder::try_new_with_options(file.clone(), options).unwrap();
    assert_eq!(skipped.schema().fields(), schema.fields());
    assert_same(batch.column(0), skipped.build().unwrap().next().unwrap().unwrap().column(0));
    let array: DictionaryArray<Int32Type> = [Some("C")].into_iter().collect();
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(array)]).unwrap();
    let error = write(&[batch], &schema, Layout::Avro).unwrap_err().to_string();
    assert!(error.contains("field e: a value is no symbol"), "{error}");
}

#[test]
fn schemas_that_do_not_fit_the_columns_are_errors() {
    let batch = one("a", Arc::new(Int32Array::from(vec![1])));
    let file = write(std::slice::from_ref(&batch), &batch.schema(), Layout::Split).unwrap();
    let message = ArrowReaderBuilder::try_new(file).unwrap();
    let message = message.file().header().metadata.get("ARROW:schema").unwrap().to_vec();
    let column = ColumnMetadata::new("b", ValueType::Int);
    let mut writer = FileWriter::builder().build(Vec::new(), vec![column]).unwrap();
    writer.write(1, &[ColumnSlice::plain(ValuesRef::Int(&[1]))]).unwrap();
    writer.metadata_mut().set("ARROW:schema", message).unwrap();
    let file: Bytes = writer.finish().unwrap().0.into();
    let error = ArrowReaderBuilder::try_new(file.clone()).unwrap_err().to_string();
    assert!(error.contains("the schema has 2 columns, the file has 1"), "{error}");
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ArrowReaderBuilder::try_new_with_options(file, options).unwrap();
    assert_eq!(builder.schema().field(0), &Field::new("b", DataType::Int32, false));
}

#[test]
fn the_references_files_are_tables() {
    let mut read = 0;
    for path in data::reference_files() {
        let file: Bytes = std::fs::read(&path).unwrap().into();
        if data::REFUSED.contains(&data::stem(&path)) {
            continue;
        }
        let builder = match ArrowReaderBuilder::try_new(file) {
            Ok(builder) => builder,
            Err(e) => panic!("{}: {e}", path.display()),
        };
        let rows = builder.rows();
        let reader = match builder.build() {
            Ok(reader) => reader,
            // Only some features have all codecs.
            Err(e) if matches!(e.kind(), ErrorKind::Unsupported(_)) => continue,
            Err(e) => panic!("{}: {e}", path.display()),
        };
        let batches = reader.collect::<Result<Vec<_>, _>>();
        let batches = batches.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>(), rows);
        read += 1;
    }
    println!("{read} files");
    assert!(read > 5);
}

#[test]
fn a_path_means_the_column_of_its_name_or_a_field_within() {
    let inner: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let a = StructArray::from(vec![(Arc::new(Field::new("b", DataType::Int32, true)), inner)]);
    let columns: [(&str, ArrayRef); 2] =
        [("a", Arc::new(a)), ("a.b", Arc::new(StringArray::from(vec!["x", "y", "z"])))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_column_codec("\"a\".b", Codec::Deflate)
        .set_column_statistics_enabled("a.b", false)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    let file = Bytes::from(writer.into_inner().unwrap());
    let open = || ArrowReaderBuilder::try_new(file.clone()).unwrap();
    let read = |path: &str| {
        let builder = open();
        let mask = ProjectionMask::columns(builder.schema(), [path]).unwrap();
        let mut reader = builder.with_projection(mask).build().unwrap();
        let batch = reader.next().unwrap().unwrap();
        let schema = batch.schema();
        let fields: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
        fields.join("|")
    };
    for (path, expected) in [("a.b", "a.b"), ("\"a.b\"", "a.b"), ("\"a\".b", "a"), ("a.\"b\"", "a")]
    {
        assert_eq!(read(path), expected, "{path}");
    }
    for (text, rows) in [("a.b = 'y'", 1), ("\"a\".b >= 2", 2), ("\"a.b\" = 'y'", 1)] {
        let reader = open().with_predicate(Predicate::parse(text).unwrap()).build().unwrap();
        assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), rows, "{text}");
    }
    // The settings are of one of the two.
    assert!(open().statistics("a.b").unwrap().is_none());
    assert!(open().statistics("\"a\".b").unwrap().is_some());
    let builder = open();
    let columns = &builder.file().header().columns;
    let deflated = columns.iter().filter(|column| column.codec().unwrap() == Some(Codec::Deflate));
    assert_eq!(deflated.map(|column| column.name()).collect::<Vec<_>>(), ["a#b", "a#b#value"]);
}
