//! Refused messages, and their errors.

use super::sets::ProtoFile;
use super::*;

fn file() -> ProtoFile {
    ProtoFile::two("p")
        .message(
            "M2",
            &["need 1 int32 required", "text 2 string", "g 3 !.p.M3", "n 4 fixed32 packed"],
        )
        .message("M3", &["x 1 int32"])
        .message(
            "M",
            &[
                "a 1 int32",
                "b 2 .p.M2",
                "l 3 .p.M2 repeated",
                "m 4 map string .p.M2",
                "o 5 .p.M2 in u",
            ],
        )
}

#[test]
fn streams_that_are_cut_off_or_no_streams() {
    let of = file().of("p.M");
    let fault = |bytes: &[u8]| read(&of, bytes).unwrap_err().to_string();
    let whole = stream(&[[8, 1], [8, 2]]);
    for (cut, wanted) in [
        (5, "offset 3: malformed: input ends 1 bytes short of a message"),
        (4, "offset 3: malformed: input ends 2 bytes short of a message"),
    ] {
        assert_eq!(fault(&whole[..cut]), wanted);
    }
    assert_eq!(
        fault(&[0x80]),
        "offset 0: malformed: input ends 1 bytes short of the length of a message"
    );
    let most = "offset 3: too large: a message of 268435455 exceeds the limit of 67108864";
    assert_eq!(fault(&[2, 8, 1, 0xff, 0xff, 0xff, 0x7f]), most);
    let long = "offset 3: malformed: input ends 67108861 bytes short of a message";
    assert_eq!(fault(&[2, 8, 1, 0x80, 0x80, 0x80, 0x20, 8, 1, 0]), long);
    let endless = [&[2, 8, 1], &[0xff; 12][..]].concat();
    assert_eq!(fault(&endless), "offset 3: malformed: the length of message 1 has no end");
    // They are errors however many rows may be bad, and the end.
    let options = ReadOptions { skip_bad: 100, batch_size: 1, ..options(&of) };
    let source = Source::pipe("test", std::io::Cursor::new(whole[..5].to_vec()));
    let mut rows = (FORMAT.open)(source, &options).unwrap();
    assert!(rows.next().unwrap().is_ok() && rows.next().unwrap().is_err() && rows.next().is_none());
}

#[test]
fn messages_that_are_not_of_the_type() {
    let of = file().of("p.M");
    let fault = |message: &[u8]| {
        let good: &[u8] = &[8, 1];
        read(&of, &stream(&[good, message])).unwrap_err().to_string()
    };
    let cases: [(&[u8], &str); 21] = [
        (&[0x20, 0], r#", "m": an entry is a length and bytes, and a varint is there"#),
        (&[0x0a, 0], r#", "a": int32 is a varint, and a length and bytes is there"#),
        (&[0x12, 2, 0x0d, 0], r#", "b.need": int32 is a varint, and 4 bytes is there"#),
        (&[8, 1, 0x12, 0], r#", "b.need": it is required, and missing"#),
        (&[0x1a, 2, 8, 1, 0x1a, 0], r#", "l.need": it is required, and missing"#),
        (&[0x2a, 0], r#", "u.o.need": it is required, and missing"#),
        (&[0x22, 0], r#", "m.value.need": it is required, and missing"#),
        (&[0x22, 2, 8, 1], r#", "m": string is a length and bytes, and a varint is there"#),
        (&[0x22, 2, 16, 1], r#", "m": p.M2 is a length and bytes, and a varint is there"#),
        (&[0x12, 5, 8, 1, 0x12, 1, 0xff], r#", "b.text": a string that is not UTF-8"#),
        (&[0x12, 5, 8, 1, 0x12, 2, 0x41], r#", "b.text": it ends within a value"#),
        (&[0x12, 9], r#", "b": it ends within a value"#),
        (&[8, 0x80], r#", "a": it ends within a value"#),
        (&[8], r#", "a": it ends within a value"#),
        (&[0x88], ": it ends within a value"),
        (&[0x12, 4, 8, 1, 0x1b, 8], r#", "b.g": it ends within a value"#),
        (&[0x12, 4, 8, 1, 0x1a, 0], r#", "b.g": p.M3 is a group, and a length and bytes is there"#),
        (&[0x12, 7, 8, 1, 0x22, 3, 0, 0, 0], r#", "b.n": it ends within a value"#),
        (&[0x0f, 0], ": there is no wire type 7"),
        (&[0x7c], ": a group ends that did not start"),
        (&[0, 0], ": no field has the number 0"),
    ];
    for (message, wanted) in cases {
        assert_eq!(
            fault(message),
            format!("malformed: message 1 at byte 3{wanted}"),
            "{message:x?}"
        );
    }
    let long = [&[8], &[0xff; 10][..]].concat();
    assert_eq!(fault(&long), "malformed: message 1 at byte 3, \"a\": a varint has no end");
    assert!(fault(&[0x7b; 200]).ends_with(": groups are nested too deep"));
}

#[test]
fn moments_that_columns_cannot_hold() {
    let of = golden::every();
    let fault = |message: &[u8]| read(&of, &stream(&[message])).unwrap_err().to_string();
    let at =
        |part: &[u8]| fault(&[&[0xba, 0x04, u8::try_from(part.len()).unwrap()], part].concat());
    let took =
        |part: &[u8]| fault(&[&[0xc2, 0x04, u8::try_from(part.len()).unwrap()], part].concat());
    let start = "malformed: message 0 at byte 0, ";
    assert_eq!(
        at(&[8, 1, 16, 0x80, 0x94, 0xeb, 0xdc, 3]),
        format!("{start}\"at\": 1 s and 1000000000 ns are not well-formed")
    );
    assert_eq!(
        at(&[8, 0x80, 0xa0, 0xb8, 0xf6, 0xaf, 0x01]),
        format!("{start}\"at\": 47224590336 s and 0 ns are more nanoseconds than 64 bits can hold")
    );
    let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    let signs = [&[8, 1, 16], &minus_one[..]].concat();
    assert_eq!(took(&signs), format!("{start}\"took\": 1 s and -1 ns are not well-formed"));
    assert_eq!(
        at(&[0x0a, 0]),
        format!("{start}\"at\": int64 is a varint, and a length and bytes is there")
    );
}

#[test]
fn bad_messages_are_passed_over_while_they_may_be() {
    let of = file().of("p.M");
    let message = |need: u8| vec![8, need, 0x12, 2, 8, need, 0x1a, 2, 8, 7, 0x2a, 2, 8, 1];
    let mut bad = message(9);
    bad.truncate(10); // the list is read before the message within it is found to end
    bad.extend([0x1a, 1, 8]);
    let bytes = stream(&[message(1), bad.clone(), message(2), vec![0x0a], bad, message(3)]);
    for batch_size in [1, 2, 3, 100] {
        let options = ReadOptions { skip_bad: 3, batch_size, ..options(&of) };
        let rows = concat_batches(of.schema(), &batches(&options, &bytes).unwrap()).unwrap();
        assert_eq!(options.report.bad_rows.load(Ordering::Relaxed), 3);
        let good = stream(&[message(1), message(2), message(3)]);
        assert_eq!(write(&of, &[rows]).unwrap(), good);
    }
    let options = ReadOptions { skip_bad: 2, ..options(&of) };
    let fault = batches(&options, &bytes).unwrap_err().to_string();
    assert_eq!(fault, "malformed: message 4 at byte 46, \"l.need\": it ends within a value");
    assert_eq!(options.report.bad_rows.load(Ordering::Relaxed), 2);
}

#[test]
fn types_that_there_are_not() {
    let fault = file().try_of("p.N").unwrap_err().to_string();
    assert_eq!(
        fault,
        "invalid: no message \"p.N\" in the descriptor set: there are p.M2, p.M3, p.M"
    );
    let fault = ProtobufType::try_new(b"", "p.M").unwrap_err().to_string();
    assert_eq!(fault, "invalid: no message \"p.M\" in the descriptor set: there are none");
    let fault = ProtobufType::try_new(b"\xff", "p.M").unwrap_err().to_string();
    assert_eq!(fault, "invalid: the descriptor set: it ends within a value");
    let many = (0..30).fold(ProtoFile::three("p"), |file, i| file.message(&format!("M{i}"), &[]));
    let fault = many.try_of("x").unwrap_err().to_string();
    assert!(fault.ends_with("p.M19, ..."), "{fault}");
}

#[test]
fn types_that_have_no_end() {
    let fault = |file: ProtoFile, name: &str| file.try_of(name).unwrap_err().to_string();
    let own =
        ProtoFile::three("p").message("Tree", &["leaf 1 int32", "children 2 .p.Tree repeated"]);
    let wanted = "unsupported: p.Tree is recursive, which columns cannot hold: p.Tree > p.Tree";
    assert_eq!(fault(own, "p.Tree"), wanted);
    let round = ProtoFile::three("p")
        .message("A", &["b 1 .p.B"])
        .message("B", &["c 1 map string .p.C"])
        .message("C", &["b 1 .p.B in o"]);
    let wanted = "unsupported: p.B is recursive, which columns cannot hold: p.B > p.C > p.B";
    assert_eq!(fault(round, "p.A"), wanted);
    let json = ProtoFile::three("google.protobuf")
        .message("Struct", &["fields 1 map string .google.protobuf.Value"])
        .message("Value", &["struct_value 5 .google.protobuf.Struct in kind"])
        .message("M", &["a 1 .google.protobuf.Struct"]);
    let wanted = "unsupported: google.protobuf.Struct is recursive, which columns cannot hold: \
                  google.protobuf.Struct > google.protobuf.Value > google.protobuf.Struct";
    assert_eq!(fault(json, "google.protobuf.M"), wanted);
}

#[test]
fn types_that_are_too_much() {
    let chain = |n: usize, fields: usize| {
        let start = ProtoFile::three("p").message("M0", &["a 1 int32"]);
        (1..=n).fold(start, |file, i| {
            let field = |at: usize| format!("f{at} {at} .p.M{}", i - 1);
            let lines: Vec<String> = (1..=fields).map(field).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            file.message(&format!("M{i}"), &lines)
        })
    };
    assert!(chain(63, 1).try_of("p.M63").is_ok());
    let fault = chain(64, 1).try_of("p.M64").unwrap_err().to_string();
    assert_eq!(fault, "unsupported: p.M0 is nested more than 64 messages deep");
    let fault = chain(60, 2).try_of("p.M60").unwrap_err().to_string();
    assert!(fault.ends_with(" has more than 65536 fields"), "{fault}");
    let wide: Vec<String> = (1..128).map(|i| format!("a{i} {i} int32 in o")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let fault = ProtoFile::three("p").message("M", &wide).try_of("p.M").unwrap_err().to_string();
    assert_eq!(fault, "unsupported: the oneof \"o\" has more than 126 fields");
    assert!(ProtoFile::three("p").message("M", &wide[1..]).try_of("p.M").is_ok());
}

#[test]
fn few_bytes_that_make_many_values() {
    let wide: Vec<String> = (1..1000).map(|i| format!("a{i} {i} int64 optional")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let of =
        ProtoFile::three("p").message("W", &wide).message("M", &["l 1 .p.W repeated"]).of("p.M");
    let items = |n: usize| [0x0a, 0].repeat(n);
    let fault = read(&of, &stream(&[items(70_000)])).unwrap_err().to_string();
    let wanted = "message 0 at byte 0, \"l\": it makes more values than a batch can hold";
    assert_eq!(fault, format!("malformed: {wanted}"));
    let all = batches(&options(&of), &stream(&vec![items(10_000); 3])).unwrap();
    assert_eq!(all.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn types_that_contradict_themselves() {
    let fault = |fields: &[&str]| {
        let file = ProtoFile::three("p").message("N", &["x 1 int32"]).message("M", fields);
        file.try_of("p.M").unwrap_err().to_string()
    };
    let cases: [(&[&str], &str); 7] = [
        (&["a 1 int32", "b 1 int32"], "p.M has two fields of one name or number"),
        (&["a 1 int32", "a 2 int32"], "p.M has two fields of one name or number"),
        (&["a 1 int32", "b 2 int32 in a"], "p.M has two fields of one name or number"),
        (&["m 1 map double int32"], "p.M.MEntry has no key that a map can have"),
        (&["m 1 map .p.N int32"], "p.M.MEntry has no key that a map can have"),
        (&["a 0 int32"], "the descriptor set: a has no number"),
        (
            &["a 1 .p.X"],
            "p.M.a: there is no type \"p.X\": was the descriptor set made with its imports?",
        ),
    ];
    for (fields, wanted) in cases {
        assert_eq!(fault(fields), format!("invalid: {wanted}"));
    }
    let twice = ProtoFile::three("p").message("M", &[]).message("M", &[]).try_of("p.M");
    let wanted = "invalid: the descriptor set: p.M is declared twice";
    assert_eq!(twice.unwrap_err().to_string(), wanted);
}

#[test]
fn values_that_are_replaced_must_be_well_formed() {
    let of = ProtoFile::three("p")
        .message("N", &["s 1 string"])
        .message("M", &["s 1 string", "n 2 .p.N in o", "x 3 int32 in o", "m 4 map int32 string"])
        .of("p.M");
    let fault = |message: &[u8]| read(&of, &stream(&[message])).unwrap_err().to_string();
    let wanted = |name: &str| {
        format!("malformed: message 0 at byte 0, {name:?}: a string that is not UTF-8")
    };
    assert_eq!(fault(&[0x0a, 1, 0xff, 0x0a, 0]), wanted("s"));
    assert_eq!(fault(&[0x12, 3, 0x0a, 1, 0xff, 0x18, 1]), wanted("o.n"));
    assert_eq!(fault(&[0x22, 5, 8, 1, 0x12, 1, 0xff, 0x22, 4, 8, 1, 0x12, 0]), wanted("m"));
}
