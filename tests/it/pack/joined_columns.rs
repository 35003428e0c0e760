//! Joined leaves: the columns of fields, as the table in `spec/pack.md` has them; readers of slots and of bits
//! accept counts of any kind.

use std::sync::Arc;

use arrow::array::*;
use trevni::FileWriter;
use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, WriterProperties};
use trevni::codec::Codec;

use super::*;

fn packed() -> WriterProperties {
    WriterProperties::builder().set_codec(Codec::Pack).build()
}

#[test]
fn leaves_are_joined_as_the_page_says() {
    let spec = include_str!("../../../spec/pack.md");
    let start = spec.find("| field | columns under `pack` |").unwrap();
    let rows = spec[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut count = 0;
    for row in rows {
        let (field, columns) = row.trim_matches('|').split_once(" | ").unwrap();
        let found = crate::spec::of_arrow::columns(field.trim(), Some(packed()));
        assert_eq!(found, columns.trim(), "{field}");
        count += 1;
    }
    assert!(count > 5);
}

fn batch() -> RecordBatch {
    let validity = |i: &i32| i % 3 != 1;
    let some = || (0..300).map(|i| validity(&i).then_some(i));
    let decimals: Decimal128Array = some().map(|v| v.map(i128::from)).collect();
    let names: Vec<Option<String>> =
        some().map(|v| v.map(|v| format!("a name that is long enough: {v}"))).collect();
    let inner: Int32Array = some().collect();
    let fields = vec![arrow::datatypes::Field::new("a", inner.data_type().clone(), true)];
    let nulls = (0..300).map(|i| i % 7 > 0).collect::<Vec<bool>>();
    let records = StructArray::new(fields.into(), vec![Arc::new(inner)], Some(nulls.into()));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("int", Arc::new(some().collect::<Int32Array>())),
        ("decimal", Arc::new(decimals.with_precision_and_scale(8, 2).unwrap())),
        ("bool", Arc::new(some().map(|v| v.map(|v| v % 2 == 0)).collect::<BooleanArray>())),
        ("view", Arc::new(names.iter().map(Option::as_deref).collect::<StringViewArray>())),
        ("name", Arc::new(names.iter().map(Option::as_deref).collect::<StringArray>())),
        ("record", Arc::new(records)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn read_batch(file: Vec<u8>, schema: &arrow::datatypes::SchemaRef) -> RecordBatch {
    let builder = ArrowReaderBuilder::try_new(Bytes::from(file)).unwrap().with_batch_size(97);
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    arrow::compute::concat_batches(schema, &batches).unwrap()
}

/// A file that is copied column by column has lengths where bits were.
#[test]
fn lengths_of_0_and_1_are_bits_to_arrow() {
    let batch = batch();
    let schema = batch.schema();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(packed())).unwrap();
    writer.write(&batch).unwrap();
    let (file, _) = writer.finish().unwrap();
    assert_eq!(read_batch(file.clone(), &batch.schema()), batch);
    if let Some((found, _)) = decoded_bytes(&file) {
        assert_same(&found, &read(&file), "decode.py");
    }
    let from = FileReader::try_new(Bytes::from(file)).unwrap();
    let builder = FileWriter::builder().set_metadata(from.header().metadata.clone());
    let mut copy = builder.build(Vec::new(), from.columns().to_vec()).unwrap();
    let data: Vec<_> = (0..from.columns().len()).map(|i| from.read_column(i).unwrap()).collect();
    let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
    copy.write(batch.num_rows(), &slices).unwrap();
    let (copy, _) = copy.finish().unwrap();
    assert_eq!(read_batch(copy, &batch.schema()), batch);
}
