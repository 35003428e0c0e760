//! Messages that another implementation made: see `tests/rows/protobuf_peer.py`.

use serde_json::Value;

use super::*;

pub(super) fn file(name: &str) -> Vec<u8> {
    let folder = trevni_testing::data::selected("protobuf");
    std::fs::read(folder.join(name)).unwrap()
}

pub(super) fn every() -> ProtobufType {
    ProtobufType::try_new(&file("every.desc"), "every.Every").unwrap()
}

fn edition() -> ProtobufType {
    ProtobufType::try_new(&file("edition.desc"), "every.Edition").unwrap()
}

#[test]
fn values_are_those_that_the_other_wrote() {
    compare(&read(&every(), &file("every.pb")).unwrap(), "every.json");
}

#[test]
fn features_of_editions_say_how_fields_lie() {
    let (of, bytes) = (edition(), file("edition.pb"));
    let rows = read(&of, &bytes).unwrap();
    compare(&rows, "edition.json");
    assert!(write(&of, &[rows]).unwrap() == bytes);
    // In descriptors, the edition is field 14.
    let mut newer = file("edition.desc");
    let at = newer.windows(3).position(|part| part == [0x70, 0xe8, 7]).unwrap();
    newer[at + 1] = 0xf8;
    let fault = ProtobufType::try_new(&newer, "every.Edition").unwrap_err().to_string();
    assert_eq!(fault, "unsupported: edition.proto has the syntax \"editions\", edition 1016");
}

fn compare(rows: &RecordBatch, wanted: &str) {
    let wanted = String::from_utf8(file(wanted)).unwrap();
    let wanted: Vec<Value> =
        wanted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let given = show::rows(rows);
    assert_eq!(given.len(), wanted.len());
    for (i, (given, wanted)) in given.iter().zip(&wanted).enumerate() {
        let (given, wanted) = (given.as_object().unwrap(), wanted.as_object().unwrap());
        let names = |row: &serde_json::Map<String, Value>| row.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(given), names(wanted), "message {i}");
        for (name, wanted) in wanted {
            let sorted = |value: &Value| match value {
                // The order of a map has no meaning.
                Value::Array(entries) if name.starts_with("m_") => {
                    let mut entries = entries.clone();
                    entries.sort_by_key(|entry| entry[0].to_string());
                    Value::Array(entries)
                }
                value => value.clone(),
            };
            assert_eq!(sorted(&given[name]), sorted(wanted), "message {i}, {name}");
        }
    }
}

#[test]
fn bytes_come_back_as_they_were() {
    let (of, bytes) = (every(), file("every.pb"));
    for batch_size in [1, 7, 8192] {
        let all = batches(&ReadOptions { batch_size, ..options(&of) }, &bytes).unwrap();
        assert!(write(&of, &all).unwrap() == bytes, "in batches of {batch_size}");
    }
}

#[test]
fn a_descriptor_set_without_its_imports_is_refused() {
    use prost_reflect::prost::Message;
    let mut set =
        prost_reflect::prost_types::FileDescriptorSet::decode(file("every.desc").as_slice())
            .unwrap();
    set.file.retain(|file| file.name() != "google/protobuf/any.proto");
    let fault = ProtobufType::try_new(&set.encode_to_vec(), "every.Every").unwrap_err().to_string();
    let wanted = "every.Every.s_any: there is no type \"google.protobuf.Any\"";
    let hint = "was the descriptor set made with its imports?";
    assert_eq!(fault, format!("invalid: {wanted}: {hint}"));
}
