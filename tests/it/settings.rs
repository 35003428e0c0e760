//! Settings out of their range and schemas that do not fit are errors of the caller, with the cause.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray, StructArray};
use arrow::datatypes::{DataType, Field, Schema};
use bytes::Bytes;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions, ArrowWriter, ProjectionMask};
use trevni::arrow::{WriterProperties, WriterPropertiesBuilder};
use trevni::codec::Codec;
use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};

fn batch() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let name: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("z")]));
    let child = Arc::new(Field::new("y", DataType::Utf8, true));
    let nested: ArrayRef = Arc::new(StructArray::from(vec![(child, name.clone())]));
    RecordBatch::try_from_iter_with_nullable([
        ("id", id, false),
        ("name", name, true),
        ("st", nested, true),
    ])
    .unwrap()
}

fn file() -> Bytes {
    let batch = batch();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap().into()
}

fn refused(properties: WriterPropertiesBuilder) -> String {
    let writer = ArrowWriter::try_new(Vec::new(), batch().schema(), Some(properties.build()));
    writer.err().unwrap().to_string()
}

#[test]
fn writers_refuse_settings_out_of_range() {
    let new = WriterProperties::builder;
    for (properties, what) in [
        (new().set_block_size(0), "a block size of 0 bytes"),
        (new().set_block_rows(0), "blocks of 0 rows"),
        (new().set_fsst_threshold(200), "an FSST threshold above 100"),
        (new().set_parallelism(0), "a parallelism of 0 threads"),
        (new().set_codec(Codec::Deflate).set_codec_level(Some(-5)), "its levels are 0 to 12"),
        (new().set_codec(Codec::Bzip2).set_codec_level(Some(10)), "its levels are 1 to 9"),
        (new().set_codec(Codec::Zstd).set_codec_level(Some(999)), "level 999 of codec zstd"),
        (
            new().set_codec(Codec::PackZstd).set_codec_level(Some(999)),
            "level 999 of codec pack+zstd",
        ),
        (new().set_column_codec("st.z", Codec::Null), "there are id, name, st, st.y"),
    ] {
        let error = refused(properties);
        assert!(error.contains("invalid: ") && error.contains(what), "{error}");
    }
}

#[test]
fn readers_refuse_settings_out_of_range() {
    let builder = || ArrowReaderBuilder::try_new(file()).unwrap();
    let error = builder().with_batch_size(0).build().err().unwrap().to_string();
    assert_eq!(error, "invalid: a batch size of 0 rows");
    let error = builder().with_parallelism(0).build().err().unwrap().to_string();
    assert_eq!(error, "invalid: a parallelism of 0 threads");
    let wide = Schema::new(
        (0..9).map(|i| Field::new(format!("f{i}"), DataType::Int8, true)).collect::<Vec<_>>(),
    );
    let mask = ProjectionMask::columns(&wide, ["f8"]).unwrap();
    let error = builder().with_projection(mask).build().err().unwrap().to_string();
    assert_eq!(error, "invalid: the projection has field 8, the schema has 3 fields");
}

#[test]
fn paths_in_properties_are_dotted() {
    let batch = batch();
    let properties = WriterProperties::builder().set_column_codec("st.y", Codec::Null).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    let (_, summary) = writer.finish().unwrap();
    let names: Vec<_> = summary.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["id", "name", "name#value", "st", "st#y", "st#y#value"]);
}

#[test]
fn schemas_that_do_not_fit_are_described_by_their_fields() {
    let field = Field::new;
    let own = batch().schema();
    let open = |fields: Vec<Field>| {
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        ArrowReaderBuilder::try_new_with_options(file(), options).err().map(|e| e.to_string())
    };
    let (name, st) = (own.field(1).clone(), own.field(2).clone());
    let id = field("id", DataType::Int32, false);
    assert_eq!(open(vec![id.clone(), name.clone(), st.clone()]), None);
    for (fields, what) in [
        (vec![id.clone()], "the schema has 1 fields, the file has 3"),
        (
            vec![name.clone(), id.clone(), st.clone()],
            "the schema has field \"name\", the file \"id\"",
        ),
        (
            vec![field("id", DataType::Utf8, false), name.clone(), st.clone()],
            "field id: Utf8 not null asked for, the file has Int32 not null",
        ),
        (
            vec![id, field("name", DataType::Utf8, false), st],
            "field name: Utf8 not null asked for, the file has Utf8",
        ),
    ] {
        assert_eq!(open(fields), Some(format!("invalid: {what}")));
    }
}

#[test]
fn data_sets_take_batches_of_their_schema_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let batch = batch();
    let mut writer =
        DatasetWriter::try_new(&path, batch.schema(), DatasetProperties::default()).unwrap();
    let turned = batch.project(&[1, 0, 2]).unwrap();
    let error = writer.write(&turned).unwrap_err().to_string();
    assert!(error.contains("column 0 of the batch is \"name\", of the schema \"id\""), "{error}");
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let scan = Dataset::open(&path).unwrap().scan();
    let error = scan.clone().with_batch_size(0).build().err().unwrap().to_string();
    assert_eq!(error, "invalid: a batch size of 0 rows");
    let rows = scan.build().unwrap().map(|batch| batch.unwrap().num_rows());
    assert_eq!(rows.sum::<usize>(), 3);
}
