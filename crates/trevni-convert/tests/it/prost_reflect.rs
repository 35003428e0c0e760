//! Why messages are not decoded by `prost-reflect` 0.16: its trees of values take many times the memory of columns,
//! without a limit, and do not have the order of the entries of a map.

use ::prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use ::prost_reflect::{DescriptorPool, DynamicMessage, Value};
use arrow::array::AsArray;
use arrow::datatypes::Int32Type;
use trevni_convert::{Format, ProtobufType, ReadOptions, Source};
use trevni_testing::allocator::peak;

use crate::descriptors::{entry, field, message, repeated, set};

/// `message Row { repeated bool flags = 1; map<int32, int32> map = 2; }`
fn descriptors() -> Vec<u8> {
    let mut flags = field("flags", 1, Type::Bool);
    flags.label = Some(Label::Repeated.into());
    let mut row = message("Row", vec![flags, repeated("map", 2, ".Row.MapEntry")]);
    row.nested_type = vec![entry("MapEntry", Type::Int32, Type::Int32)];
    set("row.proto", row)
}

/// Returns a message after its length.
fn delimited(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    ::prost_reflect::prost::encoding::encode_varint(message.len() as u64, &mut out);
    out.extend_from_slice(message);
    out
}

fn by_library(descriptors: &[u8], message: &[u8]) -> DynamicMessage {
    let pool = DescriptorPool::decode(descriptors).unwrap();
    DynamicMessage::decode(pool.get_message_by_name("Row").unwrap(), message).unwrap()
}

fn by_us(descriptors: &[u8], message: &[u8]) -> arrow::array::RecordBatch {
    let protobuf = Some(ProtobufType::try_new(descriptors, "Row").unwrap());
    let options = ReadOptions { protobuf, ..ReadOptions::default() };
    let source = Source::pipe("rows", std::io::Cursor::new(delimited(message)));
    let mut rows = (Format::named("protobuf").unwrap().open)(source, &options).unwrap();
    rows.next().unwrap().unwrap()
}

#[test]
fn packed_values_take_many_times_their_bytes() {
    const COUNT: usize = 1 << 20;
    let descriptors = descriptors();
    let mut message = vec![0x0a];
    ::prost_reflect::prost::encoding::encode_varint(COUNT as u64, &mut message);
    message.resize(message.len() + COUNT, 1);
    let (tree, held) = peak(|| by_library(&descriptors, &message));
    let flags = tree.get_field_by_name("flags").unwrap();
    assert_eq!(flags.as_list().unwrap().len(), COUNT);
    assert!(held > 32 * COUNT, "{held}");
    let (batch, held) = peak(|| by_us(&descriptors, &message));
    assert_eq!(batch.column(0).as_list::<i32>().values().len(), COUNT);
    assert!(held < 16 * COUNT, "{held}");
}

#[test]
fn entries_of_maps_lose_their_order() {
    let descriptors = descriptors();
    let message: Vec<u8> = (0..100).rev().flat_map(|key| [0x12, 4, 8, key, 16, 1]).collect();
    let expected: Vec<i32> = (0..100).rev().collect();
    let tree = by_library(&descriptors, &message);
    let Value::Map(entries) = tree.get_field_by_name("map").unwrap().into_owned() else {
        panic!("a map")
    };
    let keys: Vec<i32> = entries.keys().filter_map(|key| key.as_i32()).collect();
    assert_ne!(keys, expected);
    let batch = by_us(&descriptors, &message);
    let keys = batch.column(1).as_map().keys().as_primitive::<Int32Type>().clone();
    assert_eq!(keys.values().to_vec(), expected);
}
