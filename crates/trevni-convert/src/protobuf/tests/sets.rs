//! Descriptor sets from a few words.
//!
//! ```text
//! name number type [optional | required | repeated | packed | unpacked | in ONEOF]      name number map KEY VALUE
//! .p.M a message   ~.p.E an enum   !.p.G a group
//! ```

use prost_reflect::prost::Message;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FieldOptions, FileDescriptorProto, FileDescriptorSet, MessageOptions, OneofDescriptorProto,
};

use super::super::ProtobufType;
use trevni::Result;

/// A file of messages.
#[derive(Debug, Clone)]
pub(super) struct ProtoFile(FileDescriptorProto);

impl ProtoFile {
    pub(super) fn three(package: &str) -> Self {
        Self(FileDescriptorProto {
            name: Some(format!("{package}.proto")),
            package: Some(package.to_owned()),
            syntax: Some("proto3".to_owned()),
            ..Default::default()
        })
    }

    pub(super) fn two(package: &str) -> Self {
        let mut file = Self::three(package);
        file.0.syntax = None;
        file
    }

    pub(super) fn message(mut self, name: &str, fields: &[&str]) -> Self {
        let mut message = DescriptorProto { name: Some(name.to_owned()), ..Default::default() };
        let full = format!(".{}.{name}", self.0.package());
        for field in fields {
            add(&mut message, &full, field, self.0.syntax());
        }
        let (own, rest) = message.oneof_decl.drain(..).partition(|o| !o.name().starts_with('_'));
        let (own, rest): (Vec<_>, Vec<_>) = (own, rest);
        message.oneof_decl = own.into_iter().chain(rest).collect();
        for field in &mut message.field {
            let Some(oneof) = field.json_name.take() else { continue };
            let at = message.oneof_decl.iter().position(|other| other.name() == oneof).unwrap();
            field.oneof_index = Some(i32::try_from(at).unwrap());
        }
        self.0.message_type.push(message);
        self
    }

    pub(super) fn enumeration(mut self, name: &str, values: &[(&str, i32)]) -> Self {
        let value = |(name, number): &(&str, i32)| EnumValueDescriptorProto {
            name: Some((*name).to_owned()),
            number: Some(*number),
            ..Default::default()
        };
        self.0.enum_type.push(EnumDescriptorProto {
            name: Some(name.to_owned()),
            value: values.iter().map(value).collect(),
            ..Default::default()
        });
        self
    }

    pub(super) fn set(&self) -> Vec<u8> {
        FileDescriptorSet { file: vec![self.0.clone()] }.encode_to_vec()
    }

    pub(super) fn try_of(&self, message: &str) -> Result<ProtobufType> {
        ProtobufType::try_new(&self.set(), message)
    }

    pub(super) fn of(&self, message: &str) -> ProtobufType {
        self.try_of(message).unwrap()
    }
}

fn typed(field: &mut FieldDescriptorProto, kind: &str) {
    let named = |name: &str| Some(name.to_owned());
    let kind = match (kind.get(..1), kind.get(1..)) {
        (Some("."), _) => {
            field.type_name = named(kind);
            Type::Message
        }
        (Some("~"), Some(name)) => {
            field.type_name = named(name);
            Type::Enum
        }
        (Some("!"), Some(name)) => {
            field.type_name = named(name);
            Type::Group
        }
        _ => Type::from_str_name(&format!("TYPE_{}", kind.to_uppercase())).unwrap(),
    };
    field.set_type(kind);
}

/// Adds a field; the name of its oneof stays in `json_name` until all are known.
fn add(message: &mut DescriptorProto, full: &str, words: &str, syntax: &str) {
    let words: Vec<&str> = words.split(' ').collect();
    let mut field = FieldDescriptorProto {
        name: Some(words[0].to_owned()),
        number: words[1].parse().ok(),
        ..Default::default()
    };
    field.set_label(Label::Optional);
    if words[2] == "map" {
        let name = format!("{}Entry", words[0].to_uppercase());
        let mut entry = DescriptorProto { name: Some(name.clone()), ..Default::default() };
        add(&mut entry, "", &format!("key 1 {}", words[3]), syntax);
        add(&mut entry, "", &format!("value 2 {}", words[4]), syntax);
        entry.options = Some(MessageOptions { map_entry: Some(true), ..Default::default() });
        message.nested_type.push(entry);
        typed(&mut field, &format!("{full}.{name}"));
        field.set_label(Label::Repeated);
    } else {
        typed(&mut field, words[2]);
    }
    let mut oneof = None;
    match words.get(3).copied() {
        Some("optional") if syntax == "proto3" => {
            field.proto3_optional = Some(true);
            oneof = Some(format!("_{}", words[0]));
        }
        Some("required") => field.set_label(Label::Required),
        Some("repeated") => field.set_label(Label::Repeated),
        Some(packed @ ("packed" | "unpacked")) => {
            field.set_label(Label::Repeated);
            let packed = Some(packed == "packed");
            field.options = Some(FieldOptions { packed, ..Default::default() });
        }
        Some("in") => oneof = Some(words[4].to_owned()),
        _ => {}
    }
    if let Some(name) = &oneof
        && !message.oneof_decl.iter().any(|other| other.name() == name)
    {
        message.oneof_decl.push(OneofDescriptorProto { name: oneof.clone(), ..Default::default() });
    }
    field.json_name = oneof;
    message.field.push(field);
}
