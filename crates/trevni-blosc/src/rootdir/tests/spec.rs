//! The examples of the specification.

use std::collections::BTreeMap;

use super::*;
use crate::Order;
use crate::journal::tests::record_of;

/// Returns the named blocks, in bytes.
fn blocks() -> BTreeMap<String, Vec<u8>> {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/rootdir.md"));
    let mut found = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((language, name)) =
            line.strip_prefix("```").and_then(|fence| fence.split_once(' '))
        else {
            continue;
        };
        let body: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
        let bytes = match language {
            "hex" => {
                // The text after the digits is a comment.
                let digits = body.iter().flat_map(|line| line.split("  ").next());
                digits
                    .flat_map(str::split_whitespace)
                    .map(|byte| u8::from_str_radix(byte, 16).unwrap())
                    .collect()
            }
            _ => (body.join("\n") + "\n").into_bytes(),
        };
        assert!(found.insert(name.to_owned(), bytes).is_none(), "{name}");
    }
    found
}

/// Returns the files of an example.
fn example(name: &str) -> BTreeMap<String, Vec<u8>> {
    let blocks = blocks().into_iter();
    blocks
        .filter_map(|(file, bytes)| {
            Some((file.strip_prefix(name)?.strip_prefix(':')?.to_owned(), bytes))
        })
        .collect()
}

pub(super) fn write(root: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (file, bytes) in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

fn hex(bytes: &[u8]) -> String {
    let lines = bytes
        .chunks(16)
        .map(|line| line.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn both_forms_of_an_array_go_both_ways() {
    let home = tempfile::tempdir().unwrap();
    let data: Vec<u8> = (0..5u16).flat_map(u16::to_le_bytes).collect();
    for (name, form) in [
        ("bcolz", DirectoryFormat::Bcolz),
        (
            "superchunk",
            DirectoryFormat::Superchunk(Superchunks { chunks: 2, slack: Slack::Bytes(4) }),
        ),
    ] {
        let expected = example(name);
        let storage = Storage { fill: vec![7, 0], expectedlen: 5, ..storage("int16", 4) };
        let path = home.path().join(name);
        let mut builder = CarrayBuilder::create(&path, storage.clone(), form, false).unwrap();
        chunks_of(&storage, &[5], &data).iter().for_each(|chunk| builder.push(chunk).unwrap());
        let attributes = serde_json::from_str(
            "{\"scale\": \"Celsius\", \"offset\": 0.00001, \"place\": \"Zürich\"}",
        )
        .unwrap();
        Box::new(builder).finish(&[5], &attributes).unwrap();
        let built = files(&path);
        assert!(built.keys().eq(expected.keys()), "{:?}", built.keys());
        for (file, bytes) in &built {
            assert!(
                *bytes == expected[file],
                "{name}:{file}\n{}\n{}",
                hex(bytes),
                String::from_utf8_lossy(bytes)
            );
        }
        let copy = home.path().join(format!("{name} copy"));
        write(&copy, &expected);
        let array = Carray::open(&copy).unwrap();
        assert_eq!((array.form(), array.storage(), decode(&array)), (form, &storage, data.clone()));
        assert_eq!(array.layout().attributes, attributes);
    }
}

#[test]
fn the_table_and_the_journal_are_as_they_are_written() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("table");
    let columns = ["open", "close"].map(|name| (name.to_owned(), storage("int8", 1))).to_vec();
    CtableBuilder::create(&path, columns, DirectoryFormat::Bcolz, false)
        .unwrap()
        .finish(&[vec![0], vec![0]], &Attributes::new())
        .unwrap();
    assert_eq!(files(&path)["__rootdirs__"], example("bcolz-table")["__rootdirs__"]);
    let journal = blocks()["journal"].clone();
    let written = record_of(
        &[("17c3a9e0b2-0", "meta/sizes"), ("17c3a9e0b2-1", "data/__1.blp")],
        &["data/__2.blp"],
    );
    assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(journal).unwrap());
}

/// Returns a superchunk as carray's proposal has it, with offsets from after its header.
fn superchunk_of(chunks: &[Vec<u8>], chunk_size: u32) -> Vec<u8> {
    let mut out = b"blpk\x01\x00\x01\x00".to_vec();
    out.extend(chunk_size.to_le_bytes());
    out.extend([0; 4]);
    let len = 32 + 8 * chunks.len() + chunks.concat().len();
    out.extend((len as u64).to_le_bytes());
    out.extend((chunks.len() as u64).to_le_bytes());
    let mut start = 8 * chunks.len() as u64;
    for chunk in chunks {
        out.extend(start.to_le_bytes());
        start += chunk.len() as u64;
    }
    out.extend(chunks.concat());
    out
}

#[test]
fn the_example_of_the_proposals_is_read() {
    let expected = example("proposal");
    let home = tempfile::tempdir().unwrap();
    write(home.path(), &expected);
    let Rootdir::Ctable(mut table) = Rootdir::open(home.path()).unwrap() else {
        panic!("no table")
    };
    assert_eq!((table.names(), table.rows()), (&["col1".to_owned(), "col2".to_owned()][..], 6));
    assert_eq!(
        serde_json::Value::Object(table.attributes().clone()),
        serde_json::json!({"temperature": 23.5, "ids": [1, 3, 6, 10]})
    );
    let bytes = [
        (0..24).collect::<Vec<u8>>(),
        (0..24u8).flat_map(|i| (f32::from(i) / 2.0).to_be_bytes()).collect(),
    ];
    for ((column, bytes), name) in table.columns().iter().zip(&bytes).zip(["col1", "col2"]) {
        let layout = column.layout();
        assert_eq!((layout.shape.as_slice(), layout.order), (&[6, 4][..], Order::C));
        let parts = bytes.chunks(bytes.len() / 2);
        let chunks: Vec<_> = parts.map(|part| encode(column.storage(), part)).collect();
        let file = superchunk_of(&chunks, u32::try_from(bytes.len() / 2).unwrap());
        assert_eq!(hex(&expected[&format!("data/{name}/__1__.bin")]), hex(&file), "{name}");
        assert_eq!(decode(column), *bytes);
    }
    // A change writes what there is in the words of today, and keeps the types of attributes.
    let edits = table.columns().iter().zip(&bytes).map(|(column, bytes)| {
        let mut longer = bytes.clone();
        longer.extend(&bytes[..bytes.len() / 6]);
        edit(column.storage(), bytes, &[7, 4], &longer)
    });
    let attributes = table.attributes().clone();
    table.commit(edits.collect(), Some(attributes)).unwrap();
    let files = files(home.path());
    assert!(!files.contains_key("meta/shape"));
    assert_eq!(files["meta/storage"], expected["meta/storage"]);
    assert_eq!(files["meta/attributes"], b"{\"temperature\": {\"value\": 23.5, \"type\": \"scalar\", \"dtype\": \"float32\"}, \"ids\": {\"value\": [1, 3, 6, 10], \"type\": \"array\", \"dtype\": \"int32\"}}\n");
    let table = Ctable::open(home.path()).unwrap();
    assert_eq!((table.rows(), decode(&table.columns()[1])[96..].len()), (7, 16));
}
