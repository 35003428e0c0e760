//! What Apache's Python package wrote (`tests/rows/thrift_peer.py`).

use std::io::Read;
use std::sync::atomic::Ordering;

use super::*;

const PROTOCOLS: [ThriftProtocol; 2] = [ThriftProtocol::Binary, ThriftProtocol::Compact];

fn golden(protocol: ThriftProtocol) -> Vec<u8> {
    std::fs::read(folder().join(format!("every.{}", protocol.name()))).unwrap()
}

/// Returns the lines of `every.json`, numbers in the digits of this side.
fn expected() -> Vec<String> {
    let text = std::fs::read_to_string(folder().join("every.json")).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap().to_string()).collect()
}

#[test]
fn both_protocols_give_the_expected_values() {
    let expected = expected();
    for protocol in PROTOCOLS {
        let options = reading(&every().with_protocol(protocol));
        let found = lines(&rows_of(&golden(protocol), &options).unwrap());
        assert_eq!(found.len(), expected.len());
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "struct {row} of {protocol:?}");
        }
        assert_eq!(options.report.unknown_fields.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn what_is_written_is_read_again() {
    let expected = expected();
    for from in PROTOCOLS {
        let options = ReadOptions { batch_size: 7, ..reading(&every().with_protocol(from)) };
        let batches = rows_of(&golden(from), &options).unwrap();
        assert_eq!(batches.len(), 8);
        for to in PROTOCOLS {
            let thrift = every().with_protocol(to);
            let bytes = written(&thrift, batches[0].schema(), &batches).unwrap();
            let again = rows_of(&bytes, &reading(&thrift)).unwrap();
            assert_eq!(lines(&again), expected, "{from:?} to {to:?}");
            assert_eq!(written(&thrift, again[0].schema(), &again).unwrap(), bytes);
        }
    }
}

/// Returns one byte at a time.
struct Drops(Cursor<Vec<u8>>);

impl Read for Drops {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let one = into.len().min(1);
        self.0.read(&mut into[..one])
    }
}

#[test]
fn a_slow_pipe_gives_the_same() {
    for protocol in PROTOCOLS {
        let options = reading(&every().with_protocol(protocol));
        let source = Source::pipe("slow", Drops(Cursor::new(golden(protocol))));
        let batches: Vec<_> = open(source, &options).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(lines(&batches), expected());
    }
}

#[test]
fn every_cut_is_told() {
    for protocol in PROTOCOLS {
        let options = reading(&every().with_protocol(protocol));
        let bytes = golden(protocol);
        let mut whole = 0;
        for end in (0..bytes.len()).step_by(97) {
            match rows_of(&bytes[..end], &options) {
                Ok(_) => whole += 1,
                Err(e) => assert!(e.to_string().contains("bytes short of"), "{e}"),
            }
        }
        assert!(whole < 10, "{whole}");
    }
}

#[test]
fn columns_and_rows_are_chosen() {
    let options = ReadOptions {
        columns: Some(vec!["id".into(), "plain_point.x".into()]),
        rows: Some(0..2),
        ..reading(&every())
    };
    let batches = rows_of(&golden(ThriftProtocol::Binary), &options).unwrap();
    assert_eq!(
        lines(&batches),
        [r#"{"id":0,"plain_point":{"x":0.0}}"#, r#"{"id":0,"plain_point":{"x":0.0}}"#]
    );
}

#[test]
fn dictionaries_of_all_batches_are_the_same() {
    let options = ReadOptions { batch_size: 5, ..reading(&every()) };
    let batches = rows_of(&golden(ThriftProtocol::Binary), &options).unwrap();
    for batch in &batches[..1] {
        let color = batch.column_by_name("plain_color").unwrap().as_dictionary::<Int32Type>();
        let names: Vec<_> = color.values().as_string::<i32>().iter().flatten().collect();
        assert_eq!(names[..3], ["RED", "GREEN", "BLUE"]);
    }
}

#[test]
fn the_schema_is_that_of_the_declaration() {
    let idl = "enum E { A } struct P { 1: required double x }
        union U { 1: P p, 2: E e }
        struct R { 3: required i64 id, 1: optional set<string> tags, 2: map<i8, uuid> keys = {}, 4: U u,
                   5: list<P> ps, 6: E e = E.A, 7: bool b, 8: i16 s, 9: i32 i, 10: binary y, 11: double d }";
    let schema = ThriftType::try_new(idl, "R").unwrap().record.schema().unwrap();
    assert_eq!(schema.metadata()["thrift.struct"], "R");
    let fields = schema.fields().iter().map(|f| {
        let null = if f.is_nullable() { "" } else { " not null" };
        format!("{}: {}{null}", f.name(), f.data_type())
    });
    let wanted = [
        "id: Int64 not null",
        "tags: List(non-null Utf8)",
        "keys: Map(\"entries\": non-null Struct(\"key\": non-null Int8, \"value\": non-null FixedSizeBinary(16)), unsorted) not null",
        "u: Union(Dense, 0: (\"p\": Struct(\"x\": non-null Float64)), 1: (\"e\": Dictionary(Int32, Utf8)))",
        "ps: List(non-null Struct(\"x\": non-null Float64))",
        "e: Dictionary(Int32, Utf8) not null",
        "b: Boolean",
        "s: Int16",
        "i: Int32",
        "y: Binary",
        "d: Float64",
    ];
    assert_eq!(fields.collect::<Vec<_>>(), wanted);
    assert_eq!(schema.field(1).metadata()["thrift.kind"], "set");
}
