//! Another reader of Avro, `arrow-avro`: what it can read it reads as we do, and what we write it reads.

use std::io::Cursor;
use std::sync::Arc;

use arrow_avro::reader::ReaderBuilder;
use trevni::arrow::schema_from_avro;
use trevni_convert::random_rows;

use super::avro::{apaches, golden};
use super::avro_random::CODECS;
use super::{Table, assert_alike, collect, table, with_codec, write};
use trevni_testing::data::stem;

/// Its errors for files that it cannot read, besides those without a record at the top.
const REFUSED: [(&str, &str); 1] = [(
    "avro-arrays-of-arrays",
    "Invalid argument error: Non-nullable field of ListArray \"item\" cannot contain nulls",
)];

/// Columns that it makes something else of: a union whose only branch is null is a union there, and null here.
const OTHER: [(&str, &str); 1] = [("avro-unions", "only_null")];

fn peers(bytes: &[u8]) -> Result<Table, String> {
    // In a second batch it takes the offsets of unions for those of the first.
    let reader = ReaderBuilder::new().with_batch_size(1 << 16).build(Cursor::new(bytes.to_vec()));
    let reader = reader.map_err(|e| e.to_string())?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    Ok(Table { schema, batches })
}

/// Returns the table without a column.
fn without(table: &Table, column: &str) -> Table {
    let keep = |i: &usize| table.schema.field(*i).name() != column;
    let kept: Vec<_> = (0..table.schema.fields().len()).filter(keep).collect();
    let batches = table.batches.iter().map(|batch| batch.project(&kept).unwrap()).collect();
    Table { schema: Arc::new(table.schema.project(&kept).unwrap()), batches }
}

#[test]
fn it_reads_what_we_read() {
    let (mut same, mut no_record) = (0, 0);
    for path in [golden(), apaches()].concat() {
        let (name, bytes) = (stem(&path), std::fs::read(&path).unwrap());
        let ours = table("avro", &bytes);
        let found = |list: &[(&str, &'static str)]| {
            list.iter().find(|(other, _)| *other == name).map(|(_, what)| *what)
        };
        match peers(&bytes) {
            Ok(theirs) => {
                let other = found(&OTHER).unwrap_or_default();
                assert_alike(name, &without(&ours, other), &without(&theirs, other));
                same += 1;
            }
            Err(said) if name.starts_with("avro-top-") => {
                let why = "Parser error: Expected a Record schema to build an AvroField";
                assert!(said.starts_with(why), "{name}: {said}");
                no_record += 1;
            }
            Err(said) => assert_eq!(Some(said.as_str()), found(&REFUSED), "{name}"),
        }
    }
    if same > 0 {
        assert_eq!((same, no_record), (24, 12));
    }
}

#[test]
fn it_reads_what_we_write() {
    let text = r#"{"type":"record","name":"R","fields":[
        {"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":["null","long"]},
        {"name":"f","type":"float"},{"name":"d","type":["double","null"]},{"name":"s","type":"string"},
        {"name":"y","type":["null","bytes"]},{"name":"x","type":{"type":"fixed","name":"X","size":4}},
        {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},
        {"name":"a","type":{"type":"array","items":["null","int"]}},
        {"name":"m","type":{"type":"map","values":"string"}},
        {"name":"r","type":["null",{"type":"record","name":"P","fields":[{"name":"x","type":"int"}]}]},
        {"name":"u","type":["int","string","double"]},
        {"name":"t","type":{"type":"long","logicalType":"timestamp-micros"}},
        {"name":"n","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":3}}]}"#;
    let schema = Arc::new(schema_from_avro(text).unwrap());
    let expected = collect(random_rows(schema, 5000, 11, 1000)).unwrap();
    for codec in CODECS {
        let avro = write("avro", &expected, &with_codec(codec)).unwrap();
        assert_alike(codec, &expected, &peers(&avro).unwrap());
    }
}
