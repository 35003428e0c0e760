//! Values that do not fit, and malformed structs.

use std::sync::atomic::Ordering;

use super::*;

#[test]
fn what_cannot_be_parsed_is_told_with_its_place() {
    let idl =
        "struct R { 1: required i32 a, 2: optional list<string> b, 3: optional R2 c } struct R2 {}";
    let whole = b"\x08\x00\x01\x00\x00\x00\x07\x00";
    let after = |bytes: &[u8]| [&whole[..], bytes].concat();
    for (bytes, wanted) in [
        (
            &b"\x08\x00"[..],
            "offset 9: malformed: struct 1 at byte 8: input ends 1 bytes short of the id of a field",
        ),
        (
            b"\x08\x00\x01\x00\x00",
            "offset 11: malformed: struct 1 at byte 8: input ends 2 bytes short of an i32",
        ),
        (
            b"\x08\x00\x01\x00\x00\x00\x07",
            "offset 15: malformed: struct 1 at byte 8: input ends 1 bytes short of a field, or the end of a struct",
        ),
        (b"id,name\n", "offset 8: malformed: struct 1 at byte 8: no type has the number 105"),
        (
            b"\x0b\x00\x09\xff\xff\xff\xff",
            "offset 15: malformed: struct 1 at byte 8: a length of -1",
        ),
        (
            b"\x0b\x00\x09\x00\x00\x00\x09abc",
            "offset 15: malformed: struct 1 at byte 8: input ends 6 bytes short of a string",
        ),
        (
            b"\x0f\x00\x02\x0b\x00\x00\x10\x00abcdefgh",
            "offset 16: malformed: struct 1 at byte 8: input ends 16376 bytes short of the items of a list",
        ),
        (
            b"\x0f\x00\x02\x0b\x80\x00\x00\x00",
            "offset 16: malformed: struct 1 at byte 8: -2147483648 items",
        ),
        (
            b"\x0f\x00\x02\x0b\x7f\xff\xff\xff",
            "offset 8: too large: a struct of 8589934596 exceeds the limit of 67108864",
        ),
        (
            b"\x0f\x00\x02\x07\x00\x00\x00\x01",
            "offset 15: malformed: struct 1 at byte 8: no type has the number 7",
        ),
    ] {
        assert_eq!(fault(idl, &after(bytes)), wanted, "{bytes:?}");
    }
    let deep = b"\x0c\x00\x09".repeat(70);
    assert_eq!(
        fault(idl, &deep),
        "offset 192: malformed: struct 0 at byte 0: structs and lists are nested deeper than 64"
    );
}

#[test]
fn what_cannot_be_parsed_in_the_compact_protocol() {
    let thrift = ThriftType::try_new("struct R { 1: i32 a }", "R").unwrap();
    let options = reading(&thrift.with_protocol(ThriftProtocol::Compact));
    for (bytes, wanted) in [
        (
            &b"\x15"[..],
            "offset 1: malformed: struct 0 at byte 0: input ends 1 bytes short of an i32",
        ),
        (
            b"\x15\x80\x80\x80\x80\x20\x00",
            "offset 1: malformed: struct 0 at byte 0: an i32 4294967296 does not fit 32 bits",
        ),
        (b"\x1e", "offset 0: malformed: struct 0 at byte 0: no type has the number 14"),
        (
            b"\x18\xff\xff\xff\xff\x7f",
            "offset 1: malformed: struct 0 at byte 0: the length of a string is 34359738367",
        ),
        (
            b"\x18\xff\xff\xff\xff\xff\x7f",
            "offset 1: malformed: struct 0 at byte 0: the length of a string is longer than five bytes",
        ),
        (
            b"\x05\x80\x80\x04\x02\x00",
            "offset 1: malformed: struct 0 at byte 0: a field's id is 32768",
        ),
        (
            b"\x19\xf5\xff\x01\x02",
            "offset 4: malformed: struct 0 at byte 0: input ends 254 bytes short of the items of a list",
        ),
    ] {
        assert_eq!(rows_of(bytes, &options).unwrap_err().to_string(), wanted, "{bytes:?}");
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_field() {
    let idl = "enum Color { RED } struct P { 1: required i32 x, 2: optional string s }
        union U { 1: i32 n, 2: string s }
        struct R { 1: required P at, 2: optional U u, 3: optional list<i64> l, 4: optional map<i32, P> m, 5: Color c }";
    let at = b"\x0c\x00\x01\x08\x00\x01\x00\x00\x00\x07\x00";
    let with = |bytes: &[u8]| [&at[..], bytes, b"\x00"].concat();
    for (bytes, wanted) in [
        (b"\x00".to_vec(), ", field at: required, and missing"),
        (b"\x0c\x00\x01\x00\x00".to_vec(), ", field at.x: required, and missing"),
        (
            b"\x08\x00\x01\x00\x00\x00\x07\x00".to_vec(),
            ", field at: type i32 is given where P is declared",
        ),
        (with(b"\x0c\x00\x02\x00"), ", field u: union U has no member"),
        (
            with(b"\x0c\x00\x02\x08\x00\x01\x00\x00\x00\x07\x0b\x00\x02\x00\x00\x00\x00\x00"),
            ", field u: union U has two members",
        ),
        (
            with(b"\x0c\x00\x02\x08\x00\x02\x00\x00\x00\x07\x00"),
            ", field u.s: type i32 is given where string is declared",
        ),
        (
            with(b"\x0f\x00\x03\x08\x00\x00\x00\x01\x00\x00\x00\x07"),
            ", field l: type i32 is given where i64 is declared",
        ),
        (
            with(b"\x0e\x00\x03\x0a\x00\x00\x00\x00"),
            ", field l: type set is given where list is declared",
        ),
        (
            with(b"\x0d\x00\x04\x08\x0c\x00\x00\x00\x01\x00\x00\x00\x07\x00"),
            ", field m.x: required, and missing",
        ),
        (
            with(b"\x0b\x00\x05\x00\x00\x00\x00"),
            ", field c: type string is given where Color is declared",
        ),
        (
            b"\x0c\x00\x01\x0b\x00\x02\x00\x00\x00\x01\xff\x00\x00".to_vec(),
            ", field at.s: a string is not UTF-8",
        ),
    ] {
        let bytes = [with(b""), bytes].concat();
        assert_eq!(fault(idl, &bytes), format!("malformed: struct 1 at byte 12{wanted}"));
    }
}

#[test]
fn bad_rows_are_left_out_as_far_as_is_allowed() {
    let thrift =
        ThriftType::try_new("struct R { 1: required i32 a, 2: list<string> l }", "R").unwrap();
    let good = b"\x08\x00\x01\x00\x00\x00\x07\x0f\x00\x02\x0b\x00\x00\x00\x01\x00\x00\x00\x01a\x00";
    let bad = b"\x08\x00\x01\x00\x00\x00\x08\x0f\x00\x02\x0b\x00\x00\x00\x02\x00\x00\x00\x01b\x00\x00\x00\x01\xff\x00";
    let unknown = b"\x0a\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x01\x00\x00\x00\x09\x00";
    let bytes = [&bad[..], good, bad, unknown].concat();
    let options = ReadOptions { skip_bad: 2, ..reading(&thrift) };
    let found = lines(&rows_of(&bytes, &options).unwrap());
    assert_eq!(found, [r#"{"a":7,"l":["a"]}"#, r#"{"a":9,"l":null}"#]);
    assert_eq!(options.report.bad_rows.load(Ordering::Relaxed), 2);
    assert_eq!(options.report.unknown_fields.load(Ordering::Relaxed), 1);
    let options = ReadOptions { skip_bad: 1, ..reading(&thrift) };
    let e = rows_of(&bytes, &options).unwrap_err().to_string();
    assert_eq!(e, "malformed: struct 2 at byte 47, field l: a string is not UTF-8");
    // What cannot be parsed cannot be left out.
    let options = ReadOptions { skip_bad: 9, ..reading(&thrift) };
    assert!(rows_of(&[&bad[..], b"\xff"].concat(), &options).is_err());
}

#[test]
fn what_a_field_says_twice_is_said_last_and_empty_lists_have_no_type() {
    let thrift =
        ThriftType::try_new("struct R { 1: i32 a, 2: list<i64> l, 3: map<i32, i32> m }", "R")
            .unwrap();
    let bytes = b"\x08\x00\x01\x00\x00\x00\x01\x08\x00\x01\x00\x00\x00\x02\x0f\x00\x02\x00\x00\x00\x00\x00\x0d\x00\x03\x00\x00\x00\x00\x00\x00\x00";
    let found = lines(&rows_of(bytes, &reading(&thrift)).unwrap());
    assert_eq!(found, [r#"{"a":2,"l":[],"m":[]}"#]);
}

/// Repeats the same bytes.
struct Endless(&'static [u8], usize);

impl std::io::Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        into.iter_mut().for_each(|b| {
            *b = self.0[self.1 % self.0.len()];
            self.1 += 1;
        });
        Ok(into.len())
    }
}

#[test]
fn a_struct_without_an_end_is_too_large() {
    let thrift = ThriftType::try_new("struct R { 1: bool a, 2: list<bool> b }", "R").unwrap();
    for bytes in [&b"\x02\x00\x01\x01"[..], b"\x02\x00\x09\x01"] {
        let source = Source::pipe("endless", Endless(bytes, 0));
        let e = open(source, &reading(&thrift)).unwrap().next().unwrap().unwrap_err();
        let wanted = "offset 0: too large: a struct of 67108865 exceeds the limit of 67108864";
        assert_eq!(ours(e).to_string(), wanted);
    }
}

#[test]
fn missing_fields_do_not_fill_memory() {
    // A byte an item, and a kilobyte of defaults for each.
    let text = "x".repeat(4000);
    let idl = format!("struct P {{ 1: string s = '{text}' }} struct R {{ 1: list<P> l }}");
    let mut bytes = b"\x0f\x00\x01\x0c\x00\x10\x00\x00".to_vec();
    bytes.resize(bytes.len() + (1 << 20) + 1, 0);
    let wanted = "malformed: struct 0 at byte 0, field l: too large: what missing fields are of 268439130 \
                  exceeds the limit of 268435456";
    assert_eq!(fault(&idl, &bytes), wanted);
}

#[test]
fn options_are_checked() {
    let e = rows_of(b"", &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(e, "invalid: rows of thrift need an IDL, and the name of a struct in it");
    let options =
        ReadOptions { schema: Some(arrow::datatypes::Schema::empty().into()), ..reading(&every()) };
    let e = rows_of(b"", &options).unwrap_err().to_string();
    assert_eq!(e, "invalid: thrift files have a schema of their own");
    let e = ThriftProtocol::from_name("json").unwrap_err().to_string();
    assert_eq!(e, "invalid: no protocol \"json\": there are binary, compact");
    assert_eq!(ThriftProtocol::from_name("compact").unwrap(), ThriftProtocol::Compact);
    assert!(rows_of(b"", &reading(&every())).unwrap().is_empty());
    assert!(!(FORMAT.sniff)(b"\x08\x00\x01\x00\x00\x00\x07\x00"));
}
