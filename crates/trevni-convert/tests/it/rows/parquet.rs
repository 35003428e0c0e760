//! Parquet files: Apache's, and malformed ones.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch};
use arrow::datatypes::{Field, Schema};
use proptest::prelude::*;
use trevni::arrow::Layout;
use trevni_convert::ReadOptions;

use super::{
    Table, assert_same, file, in_batches_of, open, read, table, with_codec, with_layout, write,
};
use trevni_testing::data::{corpus, files, stem};

pub(super) fn apaches() -> Vec<PathBuf> {
    let folder = corpus("parquet-testing/data");
    folder.map_or_else(Vec::new, |folder| files(&folder, "parquet"))
}

/// Files that Avro has no form for, and why.
const NO_AVRO: [(&str, &str); 2] = [
    (
        "nested_maps.snappy",
        "invalid: field a.value has no Avro form: keys of an Avro map are strings",
    ),
    (
        "nested_structs.rust",
        "invalid: field roll_num.count has no Avro form: Avro has no unsigned 64-bit integers",
    ),
];

#[test]
fn apaches_files_come_back_from_every_layout() {
    let (mut seen, mut avro) = (0, 0);
    for path in apaches() {
        let (name, bytes) = (stem(&path), std::fs::read(&path).unwrap());
        let first = table("parquet", &bytes);
        assert!(first.rows() > 0, "{name}");
        for batch_size in [1, 7] {
            assert_same(
                name,
                &first,
                &read("parquet", &bytes, &in_batches_of(batch_size)).unwrap(),
            );
        }
        let trv = table("trv", &file("trv", &first));
        assert_same(name, &first, &trv);
        assert_same(name, &first, &table("parquet", &file("parquet", &trv)));
        let why = NO_AVRO.iter().find(|(other, _)| *other == name).map(|(_, why)| *why);
        match write("trv", &first, &with_layout(Layout::Avro)) {
            Ok(trv) => {
                assert_same(name, &first, &table("trv", &trv));
                assert_eq!(why, None, "{name}");
                avro += 1;
            }
            Err(e) => assert_eq!(Some(e.to_string().as_str()), why, "{name}"),
        }
        seen += 1;
    }
    if seen > 0 {
        assert_eq!((seen, avro), (10, 8));
    }
}

fn ints(metadata: &[(&str, &str)]) -> Table {
    let pairs = metadata.iter().map(|(key, value)| (key.to_string(), value.to_string()));
    let field = Field::new("a", arrow::datatypes::DataType::Int32, false);
    let field = field.with_metadata([("unit".to_owned(), "m".to_owned())].into());
    let schema = Arc::new(Schema::new_with_metadata(vec![field], pairs.collect()));
    let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
    Table { schema, batches: vec![batch] }
}

#[test]
fn key_value_metadata_is_kept() {
    let expected = ints(&[("k", "v"), ("é", ""), ("", "empty")]);
    let parquet = file("parquet", &expected);
    assert_same("of parquet", &expected, &table("parquet", &parquet));
    let through = table("parquet", &file("parquet", &table("trv", &file("trv", &expected))));
    assert_same("of trv", &expected, &through);
    let none = ints(&[]);
    assert_same("none", &none, &table("parquet", &file("parquet", &none)));

    let pairs = |name: &str| {
        let path = apaches().into_iter().find(|path| stem(path) == name)?;
        let metadata = table("parquet", &std::fs::read(path).unwrap()).schema.metadata().clone();
        let mut keys: Vec<_> = metadata.into_keys().collect();
        keys.sort();
        Some(keys)
    };
    let spark = "org.apache.spark.sql.parquet.row.metadata";
    let expected = [
        ("datapage_v2.snappy", spark),
        ("list_columns", "pandas"),
        ("nullable.impala", "parquet.avro.schema"),
    ];
    for (name, key) in expected {
        assert!(pairs(name).is_none_or(|keys| keys == [key]), "{name}");
    }
}

#[test]
fn every_codec_is_read() {
    let expected = ints(&[]);
    for codec in ["null", "snappy", "lz4", "gzip", "zstd", "brotli"] {
        let parquet = write("parquet", &expected, &with_codec(codec)).unwrap();
        assert_same(codec, &expected, &table("parquet", &parquet));
    }
    let said = write("parquet", &expected, &with_codec("lzo")).unwrap_err().to_string();
    let all = "there are null, snappy, lz4, gzip, zstd, brotli";
    assert_eq!(said, format!("invalid: Parquet codec \"lzo\": {all}"));
}

fn fault(bytes: &[u8]) -> String {
    read("parquet", bytes, &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn what_is_no_parquet_file() {
    for (bytes, expected) in [
        (&b""[..], "Parquet file too small. Size is 0 but need 8"),
        (b"PAR1", "Parquet file too small. Size is 4 but need 8"),
        (b"not a Parquet file, by its end", "Invalid Parquet file. Corrupt footer"),
        (
            b"PAR1 and an end too far\xff\xff\xff\x7fPAR1",
            "Parquet file too small. Size is 31 but need 2147483655",
        ),
    ] {
        assert_eq!(fault(bytes), format!("malformed: parquet: {expected}"));
    }
    let whole = file("parquet", &ints(&[]));
    assert_eq!(
        fault(&whole[..whole.len() - 1]),
        "malformed: parquet: Invalid Parquet file. Corrupt footer"
    );
    for end in 0..whole.len() {
        assert!(fault(&whole[..end]).starts_with("malformed: parquet: "), "{end}");
    }
    let options = ReadOptions { schema: Some(ints(&[]).schema), ..ReadOptions::default() };
    let said = read("parquet", &whole, &options).unwrap_err().to_string();
    assert_eq!(said, "invalid: parquet files have a schema of their own");
}

/// Reads what there is.
fn read_some(bytes: &[u8]) {
    let Ok(rows) = open("parquet", bytes, &in_batches_of(100)) else { return };
    for batch in rows.take(50) {
        if batch.is_err() {
            break;
        }
    }
}

/// The library that reads Parquet panics on some of these; here that is an error like others.
#[test]
fn flipped_bytes_end_in_rows_or_an_error() {
    for path in apaches().iter().filter(|path| path.metadata().unwrap().len() < 4000) {
        let whole = std::fs::read(path).unwrap();
        for at in 0..whole.len() {
            for bits in [1, 0x10, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= bits;
                read_some(&bytes);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_end_in_rows_or_an_error(
        which: prop::sample::Index, cut: Option<prop::sample::Index>,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let files: Vec<_> = apaches();
        if files.is_empty() { return Ok(()); }
        let mut bytes = std::fs::read(which.get(&files)).unwrap();
        changes.iter().for_each(|(at, to)| *at.get_mut(&mut bytes) = *to);
        if let Some(cut) = cut { bytes.truncate(cut.index(bytes.len())); }
        read_some(&bytes);
    }
}
