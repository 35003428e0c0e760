//! Whatever the bytes, an Avro file ends in rows or an error, and takes little memory.

use proptest::collection::vec;
use proptest::prelude::*;
use trevni_convert::ReadOptions;

use super::avro::golden;
use super::container::{block, file_of, header};
use super::{collect, open};

/// Schemas of everything, for bytes to be read as.
const SCHEMAS: [&str; 8] = [
    r#""null""#,
    r#""string""#,
    r#"["null","int","string"]"#,
    r#"{"type":"array","items":"null"}"#,
    r#"{"type":"map","values":{"type":"array","items":["null","long"]}}"#,
    r#"{"type":"array","items":{"type":"fixed","name":"X","size":0}}"#,
    r#"{"type":"array","items":{"type":"record","name":"E","fields":[]}}"#,
    r#"{"type":"record","name":"R","fields":[
        {"name":"b","type":"boolean"},{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
        {"name":"x","type":{"type":"fixed","name":"X","size":2}},{"name":"f","type":"float"},
        {"name":"t","type":{"type":"int","logicalType":"time-millis"}},
        {"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
        {"name":"u","type":{"type":"fixed","name":"D","size":12,"logicalType":"duration"}},
        {"name":"r","type":["null",{"type":"record","name":"S","fields":[{"name":"y","type":"bytes"}]}]}]}"#,
];

/// Reads rows until an error, or enough of them: a file can claim any number of rows that take no bytes. With any
/// number of threads they are the same.
fn read_some(bytes: &[u8], skip_bad: u64) {
    let [one, three] = [1, 3].map(|threads| {
        let options = ReadOptions { skip_bad, batch_size: 100, threads, ..ReadOptions::default() };
        let rows = open("avro", bytes, &options).ok()?;
        Some(rows.take(50).map(|batch| batch.map_err(|e| e.to_string())).collect::<Vec<_>>())
    });
    for batch in one.iter().flatten().flatten() {
        assert!((1..=100).contains(&batch.num_rows()));
        batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    }
    assert_eq!(one, three);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_rows_of_any_schema(
        schema in prop::sample::select(&SCHEMAS[..]), skip_bad in prop::sample::select(vec![0, 5, u64::MAX]),
        blocks in vec((-2i64..20, vec(prop_oneof![any::<u8>(), 0u8..6], 0..40)), 0..4),
    ) {
        let blocks: Vec<_> = blocks.iter().map(|(rows, stored)| (*rows, &stored[..])).collect();
        read_some(&file_of(schema, &blocks), skip_bad);
    }

    #[test]
    fn any_bytes_behind_a_header_or_the_magic(
        schema in prop::sample::select(&SCHEMAS[..]), rest in vec(prop_oneof![any::<u8>(), 0u8..6], 0..80),
    ) {
        read_some(&[file_of(schema, &[]), rest.clone()].concat(), 0);
        read_some(&[b"Obj\x01".to_vec(), rest.clone()].concat(), 0);
        for codec in super::avro_random::CODECS {
            let head = header(&[("avro.codec", codec), ("avro.schema", schema)]);
            read_some(&[head, block(3, &rest)].concat(), 0);
        }
    }

    #[test]
    fn any_text_as_a_schema(schema in r#"["\[\]{}:,a-z0-9]{0,40}"#, rest in vec(0u8..6, 0..20)) {
        read_some(&file_of(&schema, &[(2, &rest)]), 0);
    }

    #[test]
    fn changed_golden_files(
        which: prop::sample::Index, cut: Option<prop::sample::Index>, skip_bad in prop::sample::select(vec![0, 1000]),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let golden = golden();
        if golden.is_empty() { return Ok(()); }
        let mut bytes = std::fs::read(which.get(&golden)).unwrap();
        changes.iter().for_each(|(at, to)| *at.get_mut(&mut bytes) = *to);
        if let Some(cut) = cut { bytes.truncate(cut.index(bytes.len())); }
        read_some(&bytes, skip_bad);
    }
}

/// A file that ends anywhere but after a block is truncated, and is reported as such.
#[test]
fn cut_golden_files_are_errors_but_between_blocks() {
    for path in golden().iter().filter(|path| path.metadata().unwrap().len() < 4000) {
        let whole = std::fs::read(path).unwrap();
        let sync = &whole[whole.len() - 16..];
        for end in 0..whole.len() {
            let read = open("avro", &whole[..end], &ReadOptions::default()).and_then(collect);
            assert_eq!(read.is_ok(), whole[..end].ends_with(sync), "{}, {end}", path.display());
        }
    }
}
