//! Files of the reference implementation: read right, described right, refused where they must be, and written
//! again to the byte.

use std::path::Path;

use bytes::Bytes;
use serde_json::Value as Json;
use trevni::codec::Codec;
use trevni::{BlockDescriptor, ColumnData, FileReader, FileWriter, Value, ValueType, Values};

use crate::testdata::{REFUSED, meta, reference_files, stem};

fn open(path: &Path) -> trevni::Result<FileReader<Bytes>> {
    FileReader::try_new(Bytes::from(std::fs::read(path).unwrap()))
}

fn read_all(file: &FileReader<Bytes>) -> trevni::Result<Vec<ColumnData>> {
    (0..file.columns().len()).map(|i| file.read_column(i)).collect()
}

/// Returns the checksum of lengths and values that the companions have.
pub fn values_crc(data: &ColumnData) -> String {
    let mut hash = crc32fast::Hasher::new();
    let mut at = 0;
    let all = data.values.as_slice();
    let mut value = |hash: &mut crc32fast::Hasher| {
        match all.get(at).unwrap() {
            Value::Null => {}
            Value::Boolean(v) => hash.update(&[u8::from(v)]),
            Value::Int(v) => hash.update(&v.to_le_bytes()),
            Value::Long(v) => hash.update(&v.to_le_bytes()),
            Value::Float(v) => hash.update(&v.to_bits().to_le_bytes()),
            Value::Double(v) => hash.update(&v.to_bits().to_le_bytes()),
            Value::Bytes(v) => {
                hash.update(&(v.len() as i32).to_le_bytes());
                hash.update(&v);
            }
        }
        at += 1;
    };
    match &data.lengths {
        Some(lengths) => {
            for length in lengths {
                hash.update(&length.to_le_bytes());
                (0..*length).for_each(|_| value(&mut hash));
            }
        }
        None => (0..all.len()).for_each(|_| value(&mut hash)),
    }
    format!("{:08x}", hash.finalize())
}

#[test]
fn values_are_those_of_the_reference() {
    for path in reference_files() {
        let (name, meta) = (stem(&path), meta(&path));
        if REFUSED.contains(&name) {
            continue;
        }
        let file = open(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let data = read_all(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut written = meta["writtenValuesCrc32"].as_str().unwrap_or("").split(' ');
        for (column, data) in meta["columns"].as_array().unwrap().iter().zip(&data) {
            let written = written.next();
            // Where the reference cannot read its own file, the sum is of what it wrote.
            let read = column["valuesCrc32"].as_str().filter(|sum| !sum.is_empty());
            let Some(expected) = read.or(written).filter(|sum| !sum.is_empty()) else {
                assert!(name.starts_with("syn-"), "{name} has no sum");
                continue;
            };
            assert_eq!(values_crc(data), expected, "{name} {}", column["name"]);
        }
    }
}

#[test]
fn metadata_and_descriptors_are_those_of_the_companions() {
    for path in reference_files() {
        let (name, meta) = (stem(&path), meta(&path));
        if REFUSED.contains(&name) {
            continue;
        }
        let file = open(&path).unwrap();
        let header = file.header();
        assert_eq!(meta["rowCount"], header.rows, "{name}");
        assert_eq!(meta["columnCount"], header.columns.len(), "{name}");
        check_pairs(&meta["metadata"], &header.metadata, name);
        for (i, column) in meta["columns"].as_array().unwrap().iter().enumerate() {
            let ours = &header.columns[i];
            assert_eq!(column["name"], ours.name(), "{name}");
            assert_eq!(column["type"].as_str().unwrap().to_lowercase(), ours.value_type().name());
            assert_eq!(column["array"], ours.is_array());
            assert_eq!(column["parent"].as_str(), ours.parent());
            assert_eq!(column["values"], ours.is_indexed());
            assert_eq!(column["effectiveCodec"], header.codec(i).unwrap().name());
            assert_eq!(column["effectiveChecksum"], header.checksum(i).unwrap().name());
            assert_eq!(column["start"], header.start(i).unwrap());
            check_pairs(&column["metadata"], ours.metadata(), name);
            check_blocks(&column["blocks"], &file.blocks(i).unwrap(), ours.value_type(), name);
        }
    }
}

fn check_pairs(expected: &Json, ours: &trevni::Metadata, name: &str) {
    use base64::Engine;
    let expected = expected.as_array().unwrap();
    assert_eq!(expected.len(), ours.len(), "{name}");
    for (expected, (key, value)) in expected.iter().zip(ours.iter()) {
        assert_eq!(expected["key"], key, "{name}");
        let value = base64::prelude::BASE64_STANDARD.encode(value);
        assert_eq!(expected["value_base64"], value, "{name}");
    }
}

fn check_blocks(expected: &Json, ours: &[BlockDescriptor], value_type: ValueType, name: &str) {
    use base64::Engine;
    let expected = expected.as_array().unwrap();
    assert_eq!(expected.len(), ours.len(), "{name}");
    for (expected, ours) in expected.iter().zip(ours) {
        assert_eq!(expected["rowCount"], ours.rows, "{name}");
        assert_eq!(expected["uncompressedSize"], ours.uncompressed_size, "{name}");
        assert_eq!(expected["compressedSize"], ours.compressed_size, "{name}");
        assert_eq!(expected["offset"], ours.offset, "{name}");
        if let Some(first) = expected["firstValue_base64"].as_str() {
            let bytes = base64::prelude::BASE64_STANDARD.decode(first).unwrap();
            assert_eq!(bytes, serialised(ours.first_value.as_ref().unwrap(), value_type), "{name}");
        }
    }
}

/// Returns a first value as a descriptor has it.
fn serialised(value: &Value<'_>, value_type: ValueType) -> Vec<u8> {
    use trevni::wire;
    let mut out = Vec::new();
    match (value, value_type) {
        (Value::Null, _) => {}
        (Value::Boolean(v), _) => out.push(u8::from(*v)),
        (Value::Int(v), ValueType::Fixed32) => out.extend(v.to_le_bytes()),
        (Value::Int(v), _) => wire::put_int(&mut out, *v),
        (Value::Long(v), ValueType::Fixed64) => out.extend(v.to_le_bytes()),
        (Value::Long(v), _) => wire::put_long(&mut out, *v),
        (Value::Float(v), _) => out.extend(v.to_le_bytes()),
        (Value::Double(v), _) => out.extend(v.to_le_bytes()),
        (Value::Bytes(v), _) => wire::put_bytes(&mut out, v),
    }
    out
}

#[test]
fn what_must_be_refused_is_refused_and_says_why() {
    let texts = [
        ("syn-bad-crc", "checksum mismatch"),
        ("syn-truncated", "column"),
        ("syn-magic-3", "unsupported: Trevni version 3"),
        ("syn-magic-XYZ", "not a Trevni file"),
        ("syn-null-crc32-little-endian", "checksum mismatch"),
    ];
    for path in reference_files() {
        if let Some((_, text)) = texts.iter().find(|(name, _)| *name == stem(&path)) {
            let error = open(&path).and_then(|file| read_all(&file)).unwrap_err().to_string();
            assert!(error.contains(text), "{}: {error}", stem(&path));
            let faults = open(&path).map(|file| file.verify(|_| ()).faults.len());
            assert!(faults.map_or(1, |n| n) > 0);
        }
    }
}

#[test]
fn verify_finds_no_fault_in_what_reads() {
    for path in reference_files() {
        if !REFUSED.contains(&stem(&path)) {
            let seen = open(&path).unwrap().verify(|_| ());
            // The reference does not check that values ascend, and these do so in no order.
            if stem(&path) == "index-strings-multiblock" {
                let fault = seen.faults.first().map(ToString::to_string).unwrap_or_default();
                assert!(seen.faults.len() == 1 && fault.contains("do not ascend"), "{fault}");
                continue;
            }
            assert!(seen.faults.is_empty(), "{}: {:?}", stem(&path), seen.faults);
            if stem(&path).ends_with("crc32-zero") {
                assert!(seen.unchecked > 0);
            }
        }
    }
}

#[test]
fn files_written_again_are_the_same() {
    let (mut same, mut alike) = (0, 0);
    for path in reference_files() {
        let name = stem(&path);
        if name.starts_with("syn-") || name.ends_with("-crc32-zero") {
            continue;
        }
        let file = open(&path).unwrap();
        let data = read_all(&file).unwrap();
        let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
        let header = file.header();
        let mut writer = FileWriter::builder()
            .set_metadata(header.metadata.clone())
            .set_version(header.version)
            .build(Vec::new(), header.columns.clone())
            .unwrap();
        writer.write(header.rows as usize, &slices).unwrap();
        let (bytes, summary) = writer.finish().unwrap();
        assert_eq!(summary.bytes, bytes.len() as u64);
        if (0..data.len()).all(|i| header.codec(i).unwrap() == Codec::Null) {
            assert!(bytes == std::fs::read(&path).unwrap(), "{name}");
            same += 1;
        } else {
            let again = FileReader::try_new(Bytes::from(bytes)).unwrap();
            for (i, data) in data.iter().enumerate() {
                assert!(&again.read_column(i).unwrap() == data, "{name}");
                let sizes = |f: &FileReader<Bytes>| -> Vec<_> {
                    f.blocks(i).unwrap().iter().map(|b| (b.rows, b.uncompressed_size)).collect()
                };
                assert_eq!(sizes(&again), sizes(&file), "{name}");
            }
            alike += 1;
        }
    }
    println!("{same} files the same to the byte, {alike} the same before their codec");
    assert!(same > 5 && (alike > 3 || !Codec::Snappy.is_available()));
}

/// Any batch size gives the same values, nested columns included.
#[test]
fn batches_of_any_size_give_the_same_values() {
    for path in reference_files() {
        let name = stem(&path);
        let Ok(file) = open(&path) else { continue };
        let Ok(whole) = read_all(&file) else { continue };
        let columns: Vec<usize> = (0..whole.len()).collect();
        for batch in [1, 7, 1000] {
            if batch == 1 && file.rows() > 5000 {
                continue;
            }
            let mut reader = file.projected_reader(&columns).unwrap();
            let mut data: Vec<_> = file.columns().iter().map(ColumnData::of).collect();
            while reader.read(batch, &mut data).unwrap() > 0 {}
            assert!(data == whole, "{name} by {batch}");
        }
        assert!(
            whole.iter().all(|c| !matches!(&c.values, Values::Bytes(s) if s.offsets.is_empty()))
        );
    }
}
