//! Random rows of every schema of the reference's files round-trip.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use trevni::arrow::{Layout, schema_from_avro};
use trevni_convert::random_rows;

use super::avro::golden;
use super::{
    Table, assert_same, collect, in_batches_of, read, table, with_codec, with_layout, write,
};
use trevni_testing::data::stem;

pub(super) const CODECS: [&str; 6] = ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"];

fn random(schema: &SchemaRef, rows: u64, seed: u64) -> Table {
    collect(random_rows(schema.clone(), rows, seed, 64)).unwrap()
}

#[test]
fn random_rows_of_golden_schemas_come_back() {
    let mut schemas = 0;
    for path in golden() {
        let name = stem(&path);
        let text = std::fs::read_to_string(path.with_extension("avsc")).unwrap();
        let schema = Arc::new(schema_from_avro(&text).unwrap());
        for seed in 0..12 {
            let expected = random(&schema, 100, seed);
            assert_eq!(expected.rows(), 100);
            let codec = CODECS[seed as usize % CODECS.len()];
            let avro = write("avro", &expected, &with_codec(codec)).unwrap();
            let name = format!("{name}, {codec}, seed {seed}");
            assert_same(&name, &expected, &read("avro", &avro, &in_batches_of(33)).unwrap());
            for layout in [Layout::Avro, Layout::Split] {
                let trv = write("trv", &expected, &with_layout(layout)).unwrap();
                assert_same(&name, &expected, &table("trv", &trv));
            }
        }
        schemas += 1;
    }
    if !golden().is_empty() {
        assert_eq!(schemas, 27);
    }
}

/// Rows that fill several blocks, and blocks that fill several batches.
#[test]
fn many_random_rows_come_back() {
    let text = r#"{"type":"record","name":"R","fields":[
        {"name":"a","type":["null","long"]},{"name":"b","type":{"type":"array","items":"string"}},
        {"name":"c","type":["int","string","null"]},{"name":"d","type":{"type":"map","values":"double"}}]}"#;
    let schema = Arc::new(schema_from_avro(text).unwrap());
    let expected = collect(random_rows(schema, 20_000, 5, 3000)).unwrap();
    for codec in CODECS {
        let avro = write("avro", &expected, &with_codec(codec)).unwrap();
        for batch_size in [999, 8192, 100_000] {
            let found = read("avro", &avro, &in_batches_of(batch_size)).unwrap();
            assert_same(codec, &expected, &found);
        }
    }
}
