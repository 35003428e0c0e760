//! The examples of `spec/columns.md`: one kind of row in each schema language, and the columns it becomes.

use std::sync::Arc;

use arrow::datatypes::Schema;
use trevni::FileReader;
use trevni::arrow::{ArrowWriter, Layout, WriterProperties};

const SPEC: &str = include_str!("../../../../spec/columns.md");

/// Returns the content of the block fenced with this word, and the text after it.
fn fenced<'a>(text: &'a str, word: &str) -> (&'a str, &'a str) {
    let fence = format!("```{word}\n");
    let start = text.find(&fence).unwrap_or_else(|| panic!("no {word}")) + fence.len();
    let end = start + text[start..].find("```").unwrap();
    (&text[start..end], &text[end + 3..])
}

fn columns(schema: Schema, layout: Layout) -> String {
    let properties = WriterProperties::builder().set_layout(layout).build();
    let writer = ArrowWriter::try_new(Vec::new(), Arc::new(schema), Some(properties)).unwrap();
    let file: bytes::Bytes = writer.finish().unwrap().0.into();
    let file = FileReader::try_new(file).unwrap();
    let lines = file.columns().iter().map(|column| {
        let array = if column.is_array() { " array" } else { "" };
        let parent = column.parent().map_or(String::new(), |p| format!(", parent {p}"));
        format!("{} {}{array}{parent}\n", column.name(), column.value_type())
    });
    lines.collect()
}

#[test]
#[cfg(feature = "avro")]
fn avro() {
    let (text, rest) = fenced(SPEC, "avro");
    let schema = trevni::arrow::schema_from_avro(text).unwrap();
    let (expected, rest) = fenced(rest, "columns-avro");
    assert_eq!(columns(schema.clone(), Layout::Avro), expected);
    let (expected, _) = fenced(rest, "columns-split");
    assert_eq!(columns(schema, Layout::Split), expected);
}

#[test]
#[cfg(feature = "thrift")]
fn thrift() {
    let (text, rest) = fenced(SPEC, "thrift");
    let row = trevni_convert::ThriftType::try_new(text, "Visit").unwrap();
    let (expected, _) = fenced(rest, "columns-split");
    assert_eq!(columns(row.schema().unwrap().as_ref().clone(), Layout::Split), expected);
}

#[cfg(feature = "protobuf")]
mod protobuf {
    use prost_reflect::prost_types::OneofDescriptorProto;
    use prost_reflect::prost_types::field_descriptor_proto::Type;

    use super::*;
    use crate::descriptors::{entry, field, message, repeated, set};

    /// Returns what `protoc` makes of the example.
    fn descriptors() -> Vec<u8> {
        let tags = repeated("tags", 2, ".Visit.Click.TagsEntry");
        let mut click = message("Click", vec![field("x", 1, Type::Int32), tags]);
        click.nested_type = vec![entry("TagsEntry", Type::String, Type::Int64)];
        let mut referrer = field("referrer", 2, Type::String);
        (referrer.proto3_optional, referrer.oneof_index) = (Some(true), Some(1));
        let (mut id, mut name) = (field("id", 4, Type::Int32), field("name", 5, Type::String));
        (id.oneof_index, name.oneof_index) = (Some(0), Some(0));
        let clicks = repeated("clicks", 3, ".Visit.Click");
        let page = field("page", 1, Type::String);
        let mut visit = message("Visit", vec![page, referrer, clicks, id, name]);
        visit.nested_type = vec![click];
        let oneof =
            |name: &str| OneofDescriptorProto { name: Some(name.to_owned()), options: None };
        visit.oneof_decl = vec![oneof("key"), oneof("_referrer")];
        set("visit.proto", visit)
    }

    #[test]
    fn protobuf() {
        let (text, rest) = fenced(SPEC, "proto");
        assert!(text.contains("oneof key { int32 id = 4; string name = 5; }"));
        let row = trevni_convert::ProtobufType::try_new(&descriptors(), "Visit").unwrap();
        let (expected, _) = fenced(rest, "columns-split");
        assert_eq!(columns(row.schema().as_ref().clone(), Layout::Split), expected);
    }
}
