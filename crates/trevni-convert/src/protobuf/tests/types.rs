//! Every kind of field, and unusual but valid messages.

use super::sets::ProtoFile;
use super::*;

fn shown(of: &ProtobufType, messages: &[&[u8]]) -> Vec<String> {
    show::rows(&read(of, &stream(messages)).unwrap()).iter().map(ToString::to_string).collect()
}

/// Returns the rows that these messages are, which must come back as the same bytes.
fn there_and_back(of: &ProtobufType, messages: &[&[u8]]) -> Vec<String> {
    let bytes = stream(messages);
    let rows = read(of, &bytes).unwrap();
    assert_eq!(write(of, &[rows]).unwrap(), bytes);
    shown(of, messages)
}

fn columns(of: &ProtobufType) -> Vec<String> {
    let column = |field: &std::sync::Arc<arrow::datatypes::Field>| {
        let null = if field.is_nullable() { "?" } else { "" };
        format!("{}{null}: {}", field.name(), field.data_type())
    };
    of.schema().fields().iter().map(column).collect()
}

const COLORS: &[(&str, i32)] = &[("ZERO", 0), ("ONE", 1), ("NEG", -1)];

#[test]
fn each_scalar_has_its_type() {
    let pairs = [
        ("double", "Float64"),
        ("float", "Float32"),
        ("int32", "Int32"),
        ("int64", "Int64"),
        ("uint32", "UInt32"),
        ("uint64", "UInt64"),
        ("sint32", "Int32"),
        ("sint64", "Int64"),
        ("fixed32", "UInt32"),
        ("fixed64", "UInt64"),
        ("sfixed32", "Int32"),
        ("sfixed64", "Int64"),
        ("bool", "Boolean"),
        ("string", "Utf8"),
        ("bytes", "Binary"),
    ];
    for (kind, wanted) in pairs {
        let fields = [
            format!("a 1 {kind}"),
            format!("b 2 {kind} optional"),
            format!("c 3 {kind} repeated"),
            format!("d 4 {kind} in o"),
        ];
        let fields = fields.each_ref().map(String::as_str);
        let of = ProtoFile::three("p").message("M", &fields).of("p.M");
        let union = format!("o?: Union(Dense, 0: (\"null\": Null), 1: (\"d\": non-null {wanted}))");
        let list = format!("c: List(non-null {wanted})");
        assert_eq!(columns(&of), [format!("a: {wanted}"), format!("b?: {wanted}"), list, union]);
    }
}

#[test]
fn nested_kinds_have_theirs() {
    let of = ProtoFile::two("p")
        .enumeration("E", COLORS)
        .message("M2", &["x 1 int32 required", "y 2 ~.p.E"])
        .message(
            "M",
            &[
                "b 9 .p.M2",
                "a 1 .p.M2 repeated",
                "g 3 !.p.M2",
                "m 4 map string .p.M2",
                "e 5 ~.p.E required",
            ],
        )
        .of("p.M");
    let names = "Dictionary(Int32, Utf8)";
    let inner = format!("Struct(\"x\": non-null Int32, \"y\": {names})");
    let entries = format!(
        "Map(\"entries\": non-null Struct(\"key\": non-null Utf8, \"value\": non-null {inner}), unsorted)"
    );
    let wanted = [
        format!("b?: {inner}"),
        format!("a: List(non-null {inner})"),
        format!("g?: {inner}"),
        format!("m: {entries}"),
        format!("e: {names}"),
    ];
    assert_eq!(columns(&of), wanted);
}

#[test]
fn numbers_of_an_enum_without_a_name_come_back() {
    let of = ProtoFile::three("p")
        .enumeration("E", COLORS)
        .message("M", &["e 1 ~.p.E", "l 2 ~.p.E repeated", "m 3 map int32 ~.p.E", "o 4 ~.p.E in c"])
        .of("p.M");
    let far = [0x80, 0x80, 0x80, 0x80, 0xf8, 0xff, 0xff, 0xff, 0xff, 1];
    let messages: [&[u8]; 4] = [
        &[],
        &[8, 1, 0x12, 2, 0, 1, 0x1a, 4, 8, 0, 16, 0, 0x20, 0],
        &[&[8], &far[..], &[0x12, 12, 7], &far, &[1]].concat(),
        &[8, 7, 0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ];
    let wanted = [
        r#"{"e":"ZERO","l":[],"m":[],"c":null}"#,
        r#"{"e":"ONE","l":["ZERO","ONE"],"m":[[0,"ZERO"]],"c":{"o":"ZERO"}}"#,
        r#"{"e":"-2147483648","l":["7","-2147483648","ONE"],"m":[],"c":null}"#,
        r#"{"e":"7","l":[],"m":[],"c":{"o":"NEG"}}"#,
    ];
    assert_eq!(there_and_back(&of, &messages), wanted);
}

#[test]
fn names_of_an_enum_are_in_each_batch_the_same() {
    use arrow::array::{Array, AsArray};
    let of = ProtoFile::three("p").enumeration("E", COLORS).message("M", &["e 1 ~.p.E"]).of("p.M");
    let bytes = stream(&[[8u8, 1].as_slice(), &[], &[8, 7]]);
    let all = batches(&ReadOptions { batch_size: 1, ..options(&of) }, &bytes).unwrap();
    let names = |i: usize| {
        let names =
            all[i].column(0).as_dictionary::<arrow::datatypes::Int32Type>().values().clone();
        (0..names.len()).map(|i| names.as_string::<i32>().value(i).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(0), ["ZERO", "ONE", "NEG"]);
    assert_eq!((names(1), names(2).len()), (names(0), 4));
}

#[test]
fn groups_are_messages() {
    let of = ProtoFile::two("p")
        .message("G", &["x 1 int32", "g 2 !.p.H"])
        .message("H", &["y 1 string repeated"])
        .message("M", &["a 1 !.p.G", "b 2 !.p.G repeated"])
        .of("p.M");
    let messages: [&[u8]; 2] = [
        &[0x0b, 8, 5, 0x13, 0x0a, 1, b'q', 0x0a, 0, 0x14, 0x0c, 0x13, 0x14, 0x13, 8, 0, 0x14],
        &[],
    ];
    let wanted = [
        r#"{"a":{"x":5,"g":{"y":["q",""]}},"b":[{"x":null,"g":null},{"x":0,"g":null}]}"#,
        r#"{"a":null,"b":[]}"#,
    ];
    assert_eq!(there_and_back(&of, &messages), wanted);
}

#[test]
fn defaults_of_proto2_are_not_put_in_the_place_of_what_is_absent() {
    use prost_reflect::prost::Message;
    use prost_reflect::prost_types::FileDescriptorSet;
    let file = ProtoFile::two("p").message("M", &["a 1 int32", "b 2 int32 required"]);
    let mut set = FileDescriptorSet::decode(file.set().as_slice()).unwrap();
    set.file[0].message_type[0].field[0].default_value = Some("42".into());
    let of = ProtobufType::try_new(&set.encode_to_vec(), "p.M").unwrap();
    let rows = there_and_back(&of, &[&[16, 0], &[8, 42, 16, 1]]);
    assert_eq!(rows, [r#"{"a":null,"b":0}"#, r#"{"a":42,"b":1}"#]);
}

#[test]
fn what_stands_twice_is_merged_or_replaced() {
    let of = ProtoFile::three("p")
        .message("M2", &["a 1 int32", "l 2 int32 repeated", "m 3 .p.M3"])
        .message("M3", &["x 1 int32 optional", "y 2 int32 optional"])
        .message(
            "M",
            &[
                "n 1 int32",
                "m 2 .p.M2",
                "l 3 int32 repeated",
                "o 4 map int32 .p.M2",
                "c 5 .p.M2 in u",
                "d 6 int32 in u",
            ],
        )
        .of("p.M");
    let all = |messages: &[&[u8]]| shown(&of, messages);
    // The last number counts; lists are continued, packed or not.
    let rows = all(&[&[8, 1, 0x18, 7, 8, 2, 0x1a, 2, 8, 9, 0x18, 10]]);
    assert_eq!(rows, [r#"{"n":2,"m":null,"l":[7,8,9,10],"o":[],"u":null}"#]);
    // Messages are merged, to any depth.
    let rows =
        all(&[&[0x12, 8, 8, 1, 0x10, 4, 0x1a, 2, 8, 5, 0x12, 8, 8, 3, 0x10, 6, 0x1a, 2, 16, 7]]);
    assert_eq!(rows, [r#"{"n":0,"m":{"a":3,"l":[4,6],"m":{"x":5,"y":7}},"l":[],"o":[],"u":null}"#]);
    // An entry replaces that of its key, and is not merged with it.
    let rows =
        all(&[&[0x22, 6, 8, 1, 0x12, 2, 8, 5, 0x22, 2, 8, 2, 0x22, 6, 8, 1, 0x12, 2, 0x10, 6]]);
    assert!(rows[0].contains(r#""o":[[2,{"a":0,"l":[],"m":null}],[1,{"a":0,"l":[6],"m":null}]]"#));
    // A member of a oneof is merged with itself, unless another member was between.
    let rows = all(&[
        &[0x2a, 2, 8, 1, 0x2a, 2, 16, 2],
        &[0x2a, 2, 8, 1, 0x30, 5, 0x2a, 2, 16, 2],
        &[0x2a, 2, 8, 1, 0x30, 5],
    ]);
    assert!(rows[0].ends_with(r#""u":{"c":{"a":1,"l":[2],"m":null}}}"#), "{}", rows[0]);
    assert!(rows[1].ends_with(r#""u":{"c":{"a":0,"l":[2],"m":null}}}"#), "{}", rows[1]);
    assert!(rows[2].ends_with(r#""u":{"d":5}}"#), "{}", rows[2]);
}

#[test]
fn numbers_longer_than_their_type_are_cut_as_others_cut_them() {
    let of = ProtoFile::three("p")
        .message("M", &["a 1 int32", "b 2 uint32", "c 3 bool", "d 4 sint32"])
        .of("p.M");
    let long = [0x81, 0x80, 0x80, 0x80, 0x80, 0x01]; // 2^35 + 1
    let message = [&[8], &long[..], &[16], &long, &[24], &long, &[32], &long].concat();
    assert_eq!(shown(&of, &[&message]), [r#"{"a":1,"b":1,"c":true,"d":-1}"#]);
}

#[test]
fn any_is_a_message_like_others_and_types_that_only_have_the_name_too() {
    let file = ProtoFile::three("google.protobuf")
        .message("Any", &["type_url 1 string", "value 2 bytes"])
        .message("Timestamp", &["seconds 1 int64"])
        .message("Duration", &["seconds 1 int64", "nanos 2 int32"])
        .message(
            "M",
            &[
                "a 1 .google.protobuf.Any",
                "t 2 .google.protobuf.Timestamp",
                "d 3 .google.protobuf.Duration",
            ],
        );
    let wanted = [
        "a?: Struct(\"type_url\": non-null Utf8, \"value\": non-null Binary)",
        "t?: Struct(\"seconds\": non-null Int64)",
        "d?: Duration(ns)",
    ];
    assert_eq!(columns(&file.of("google.protobuf.M")), wanted);
    // As a row, it has its two columns.
    let rows = file.of("google.protobuf.Duration");
    assert_eq!(columns(&rows), ["seconds: Int64", "nanos: Int32"]);
}

#[test]
fn fields_stand_in_the_order_of_declaration_and_are_written_in_that_of_their_numbers() {
    let of = ProtoFile::three("p")
        .message("M", &["z 500 int32", "b 2 int32 in o", "y 3 int32", "a 1 int32 in o"])
        .of("p.M");
    let names: Vec<_> = of.schema().fields().iter().map(|f| f.name().as_str()).collect();
    assert_eq!(names, ["z", "o", "y"]);
    let rows = there_and_back(&of, &[&[8, 1, 24, 3, 0xa0, 0x1f, 5], &[16, 2, 24, 3]]);
    assert_eq!(rows, [r#"{"z":5,"o":{"a":1},"y":3}"#, r#"{"z":0,"o":{"b":2},"y":3}"#]);
    // Another order, as another writer may choose it.
    assert_eq!(shown(&of, &[&[0xa0, 0x1f, 5, 24, 3, 8, 1]]), rows[..1]);
}

#[test]
fn batches_end_before_they_are_too_large() {
    let of = ProtoFile::three("p").message("M", &["b 1 bytes"]).of("p.M");
    let mut message = vec![0x0a, 0x80, 0x80, 0x80, 0x02];
    message.resize(message.len() + (4 << 20), 7);
    let bytes = stream(&vec![message; 6]);
    let all = batches(&options(&of), &bytes).unwrap();
    assert_eq!(all.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [4, 2]);
}
