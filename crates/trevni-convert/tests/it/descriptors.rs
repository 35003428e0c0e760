//! Descriptor sets as `protoc` writes them.

use ::prost_reflect::prost::Message;
use ::prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use ::prost_reflect::prost_types::*;

/// Returns an optional field.
pub(crate) fn field(name: &str, number: i32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        r#type: Some(kind.into()),
        label: Some(Label::Optional.into()),
        ..FieldDescriptorProto::default()
    }
}

/// Returns a repeated field of a message.
pub(crate) fn repeated(name: &str, number: i32, of: &str) -> FieldDescriptorProto {
    let mut field = field(name, number, Type::Message);
    field.label = Some(Label::Repeated.into());
    field.type_name = Some(of.to_owned());
    field
}

pub(crate) fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field, ..DescriptorProto::default() }
}

/// Returns the message of the entries of a map.
pub(crate) fn entry(name: &str, key: Type, value: Type) -> DescriptorProto {
    let mut entry = message(name, vec![field("key", 1, key), field("value", 2, value)]);
    entry.options = Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() });
    entry
}

/// Returns the set of one file of proto3 with one message.
pub(crate) fn set(file: &str, message: DescriptorProto) -> Vec<u8> {
    let file = FileDescriptorProto {
        name: Some(file.to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![message],
        ..FileDescriptorProto::default()
    };
    FileDescriptorSet { file: vec![file] }.encode_to_vec()
}
