//! Avro files: those that the reference turned into Trevni files, and Apache's.

use std::path::PathBuf;

use bytes::Bytes;
use trevni::arrow::{Layout, WriterProperties};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::{FileReader, Header};
use trevni_convert::WriteOptions;

use super::{assert_same, file, in_batches_of, read, table, with_layout, write};
use trevni_testing::data::{corpus, files, reference_files, stem};

/// Returns the reference's Avro files.
pub(super) fn golden() -> Vec<PathBuf> {
    corpus("golden/trevni").map_or_else(Vec::new, |folder| files(&folder, "avro"))
}

/// Apache's.
pub(super) fn apaches() -> Vec<PathBuf> {
    corpus("arrow-testing/data/avro").map_or_else(Vec::new, |folder| files(&folder, "avro"))
}

/// To write as the reference wrote the file of a header.
fn settings_of(header: &Header) -> WriteOptions {
    let text = |key| header.metadata.get_str(key);
    let mut properties = WriterProperties::builder();
    properties = match text("trevni.codec") {
        Some(name) => properties.set_codec(Codec::from_name(name).unwrap()),
        None => properties.unset_codec(),
    };
    if let Some(name) = text("trevni.checksum") {
        properties = properties.set_checksum(Checksum::from_name(name).unwrap());
    } else {
        properties = properties.set_checksum(Checksum::Null);
    }
    WriteOptions { properties: properties.build(), ..WriteOptions::default() }
}

/// All but what the codec makes of the blocks.
fn assert_same_but_for_codec(name: &str, theirs: &FileReader<Bytes>, ours: &FileReader<Bytes>) {
    let [header, other] = [theirs.header(), ours.header()];
    assert_eq!(header.metadata, other.metadata, "{name}");
    assert_eq!((header.version, header.rows), (other.version, other.rows), "{name}");
    assert_eq!(header.columns, other.columns, "{name}");
    for i in 0..header.columns.len() {
        let blocks = |file: &FileReader<Bytes>| -> Vec<_> {
            let blocks = file.blocks(i).unwrap();
            blocks.iter().map(|b| (b.rows, b.uncompressed_size, b.first_row)).collect()
        };
        assert_eq!(blocks(theirs), blocks(ours), "{name}, column {i}");
        assert!(theirs.read_column(i).unwrap() == ours.read_column(i).unwrap(), "{name}: {i}");
    }
}

#[test]
fn golden_files_become_the_references_own() {
    let (mut identical, mut alike) = (0, 0);
    for path in golden() {
        let (name, bytes) = (stem(&path), std::fs::read(&path).unwrap());
        let expected = Bytes::from(std::fs::read(path.with_extension("trv")).unwrap());
        let theirs = FileReader::try_new(expected.clone()).unwrap();
        let options = settings_of(theirs.header());
        if !options.properties.codec().is_available() {
            continue;
        }
        for batch_size in [1, 7, 8192] {
            let rows = read("avro", &bytes, &in_batches_of(batch_size)).unwrap();
            let ours = Bytes::from(write("trv", &rows, &options).unwrap());
            if options.properties.codec() == Codec::Null {
                assert!(ours == expected, "{name}, batches of {batch_size}");
                identical += 1;
            } else {
                assert_same_but_for_codec(name, &theirs, &FileReader::try_new(ours).unwrap());
                alike += 1;
            }
        }
    }
    if !golden().is_empty() {
        assert_eq!((identical, alike), (3 * 23, 3 * 4));
    }
}

#[test]
fn golden_files_come_back_from_trevni_and_from_avro() {
    let mut rows = 0;
    for path in golden() {
        let (name, bytes) = (stem(&path), std::fs::read(&path).unwrap());
        let first = table("avro", &bytes);
        let trv = file("trv", &first);
        for batch_size in [1, 7, 8192] {
            let of_avro = read("avro", &bytes, &in_batches_of(batch_size)).unwrap();
            assert!(of_avro.batches.iter().all(|batch| batch.num_rows() <= batch_size), "{name}");
            let of_trv = read("trv", &trv, &in_batches_of(batch_size)).unwrap();
            let again = table("avro", &file("avro", &of_trv));
            for found in [of_avro, of_trv, again] {
                assert_same(name, &first, &found);
            }
        }
        rows += first.rows();
    }
    if !golden().is_empty() {
        assert_eq!(rows, 1024);
    }
}

/// The reference's Trevni file, too, holds the rows of the Avro file.
#[test]
fn the_references_trevni_files_hold_the_rows_of_its_avro_files() {
    let references = reference_files();
    for path in golden() {
        if !references.contains(&path.with_extension("trv")) {
            continue;
        }
        let expected = table("avro", &std::fs::read(&path).unwrap());
        let found = table("trv", &std::fs::read(path.with_extension("trv")).unwrap());
        assert_same(stem(&path), &expected, &found);
    }
}

#[test]
fn apaches_files_come_back_from_every_layout() {
    let mut seen = 0;
    for path in apaches() {
        let (name, bytes) = (stem(&path), std::fs::read(&path).unwrap());
        let first = table("avro", &bytes);
        assert!(first.rows() > 0, "{name}");
        for layout in [None, Some(Layout::Avro), Some(Layout::Split)] {
            let options = layout.map_or_else(WriteOptions::default, with_layout);
            let trv = table("trv", &write("trv", &first, &options).unwrap());
            assert_same(name, &first, &trv);
            assert_same(name, &first, &table("avro", &file("avro", &trv)));
            #[cfg(feature = "parquet")]
            assert_parquet_keeps(name, &trv);
        }
        seen += 1;
    }
    if !apaches().is_empty() {
        assert_eq!(seen, 10);
    }
}

#[cfg(feature = "parquet")]
fn assert_parquet_keeps(name: &str, expected: &super::Table) {
    let parquet = table("parquet", &file("parquet", expected));
    assert_same(name, expected, &parquet);
    assert_same(name, expected, &table("avro", &file("avro", &parquet)));
}

/// What the text of a few of Apache's files shows to the eye.
#[test]
fn apaches_values_are_known() {
    let instants = |second| {
        let [utc, local] = ["Z", ""].map(|zone| format!("1970-01-01T00:00:0{second}{zone}"));
        [[utc.as_str(); 3], [local.as_str(); 3]].concat().join(" | ")
    };
    let decimals = (1..=24).map(|n| format!("{n}.00")).collect();
    let expected = [
        (
            "simple_enum",
            ["a | g | j", "b | h | k", "c | e | null", "d | f | i"].map(str::to_owned).to_vec(),
        ),
        (
            "simple_fixed",
            vec![
                "6162636465 | 666768696a6b6c6d6e6f | 414243444546".to_owned(),
                "3132333435 | 31323334353637383930 | null".to_owned(),
            ],
        ),
        ("int64_decimal", decimals),
        (
            "timestamp_logical_types",
            vec![format!("1 | {}", instants(0)), format!("2 | {}", instants(1))],
        ),
    ];
    for (name, lines) in expected {
        let Some(path) = apaches().into_iter().find(|path| stem(path) == name) else { return };
        assert_eq!(table("avro", &std::fs::read(path).unwrap()).lines(), lines, "{name}");
    }
}
