//! Columns that were not made from messages.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::*;

use super::sets::ProtoFile;
use super::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

fn file() -> ProtoFile {
    ProtoFile::three("p")
        .enumeration("E", &[("ZERO", 0), ("ONE", 1)])
        .message("M2", &["x 1 int32", "s 2 string optional"])
        .message(
            "M",
            &[
                "i 1 int32",
                "u 2 uint64 optional",
                "d 3 double",
                "s 4 string",
                "b 5 bytes",
                "e 6 ~.p.E optional",
                "l 7 int32 repeated",
                "m 8 .p.M2",
                "o 9 map string int32",
                "c1 10 int32 in c",
                "c2 11 .p.M2 in c",
                "f 12 float",
            ],
        )
}

fn written(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<u8>> {
    write(&file().of("p.M"), &[batch(columns)])
}

fn fault(columns: Vec<(&str, ArrayRef)>) -> String {
    written(columns).unwrap_err().to_string()
}

fn ints(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn structs(fields: Vec<(&str, ArrayRef)>) -> ArrayRef {
    Arc::new(StructArray::from(batch(fields)))
}

#[test]
fn columns_of_other_types_that_fit_are_taken() {
    let wanted = [2, 8, 5, 0];
    let arrays: [ArrayRef; 5] = [
        ints(&[5, 0]),
        Arc::new(UInt8Array::from(vec![5, 0])),
        Arc::new(UInt64Array::from(vec![5, 0])),
        Arc::new(Int16Array::from(vec![5, 0])),
        Arc::new(DictionaryArray::new(
            Int8Array::from(vec![1, 0]),
            Arc::new(Int64Array::from(vec![0, 5])),
        )),
    ];
    for array in arrays {
        assert_eq!(written(vec![("i", array)]).unwrap(), wanted);
    }
    let texts = ["", "q"];
    let arrays: [ArrayRef; 4] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(texts.into_iter().collect::<DictionaryArray<UInt16Type>>()),
    ];
    for array in arrays {
        assert_eq!(written(vec![("s", array.clone())]).unwrap(), [0, 3, 0x22, 1, b'q']);
        assert_eq!(written(vec![("b", array)]).unwrap(), [0, 3, 0x2a, 1, b'q']);
    }
    let blobs: [&[u8]; 1] = [&[1, 2]];
    let arrays: [ArrayRef; 4] = [
        Arc::new(BinaryArray::from_iter_values(blobs)),
        Arc::new(LargeBinaryArray::from_iter_values(blobs)),
        Arc::new(BinaryViewArray::from_iter_values(blobs)),
        Arc::new(FixedSizeBinaryArray::try_from_iter(blobs.into_iter()).unwrap()),
    ];
    for array in arrays {
        assert_eq!(written(vec![("b", array)]).unwrap(), [4, 0x2a, 2, 1, 2]);
    }
    let float: ArrayRef = Arc::new(Float32Array::from(vec![0.5]));
    assert_eq!(written(vec![("d", float)]).unwrap(), [9, 25, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]);
    let list: ArrayRef =
        Arc::new(LargeListArray::from_iter_primitive::<UInt8Type, _, _>([Some([Some(3)])]));
    assert_eq!(written(vec![("l", list)]).unwrap(), [3, 0x3a, 1, 3]);
    let nothing: ArrayRef = Arc::new(NullArray::new(1));
    assert_eq!(written(vec![("m", nothing.clone()), ("u", nothing)]).unwrap(), [0]);
}

#[test]
fn enums_are_taken_by_name_digits_or_number() {
    let names: ArrayRef =
        Arc::new(StringArray::from(vec![Some("ONE"), Some("7"), Some("ZERO"), None]));
    let wanted = [2, 48, 1, 2, 48, 7, 2, 48, 0, 0];
    assert_eq!(written(vec![("e", names)]).unwrap(), wanted);
    let numbers: ArrayRef = Arc::new(UInt8Array::from(vec![Some(1), Some(7), Some(0), None]));
    assert_eq!(written(vec![("e", numbers)]).unwrap(), wanted);
    let other: ArrayRef = Arc::new(StringArray::from(vec!["ONE", "TWO"]));
    assert_eq!(fault(vec![("e", other)]), "invalid: row 1, \"e\": p.E has no value \"TWO\"");
    let far = fault(vec![("e", ints(&[1 << 40]))]);
    assert_eq!(far, "invalid: row 0, \"e\": 1099511627776 is out of the range of int32");
}

#[test]
fn zeros_are_left_out_but_not_negative_ones() {
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0]));
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![0.0, -0.0]));
    let wanted = [0, 14, 25, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x65, 0, 0, 0, 0x80];
    assert_eq!(written(vec![("d", doubles), ("f", floats)]).unwrap(), wanted);
}

#[test]
fn columns_that_no_field_takes() {
    let one = || ints(&[1]);
    assert_eq!(fault(vec![("x", one())]), "invalid: column \"x\": p.M has no such field");
    assert_eq!(
        fault(vec![("m", structs(vec![("y", one())]))]),
        "invalid: column \"m.y\": p.M2 has no such field"
    );
    assert_eq!(
        fault(vec![("c1", one())]),
        "invalid: column \"c1\": it is of the oneof \"c\": a union of that name can fill it"
    );
    let twice = Schema::new(vec![Field::new("i", DataType::Int64, true); 2]);
    let twice = RecordBatch::try_new(Arc::new(twice), vec![one(), one()]).unwrap();
    let twice = write(&file().of("p.M"), &[twice]).unwrap_err().to_string();
    assert_eq!(twice, "invalid: two columns are named \"i\"");
}

#[test]
fn columns_whose_type_does_not_fit() {
    let double: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    let list: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>([Some([Some(3.0)])]));
    let cases: [(&str, ArrayRef, &str); 12] = [
        ("i", text.clone(), "column \"i\": Utf8 cannot become int32"),
        ("i", double.clone(), "column \"i\": Float64 cannot become int32"),
        ("i", Arc::new(NullArray::new(1)), "column \"i\": Null cannot become int32"),
        ("f", double.clone(), "column \"f\": Float64 cannot become float"),
        (
            "s",
            Arc::new(BinaryArray::from_iter_values([b"q"])),
            "column \"s\": Binary cannot become string",
        ),
        ("e", double, "column \"e\": Float64 cannot become p.E"),
        ("l", ints(&[1]), "column \"l\": Int64 cannot become repeated int32"),
        ("l", list, "column \"l\": Float64 cannot become int32"),
        ("m", ints(&[1]), "column \"m\": Int64 cannot become p.M2"),
        ("m", structs(vec![("x", text.clone())]), "column \"m.x\": Utf8 cannot become int32"),
        ("o", text.clone(), "column \"o\": Utf8 cannot become a map"),
        ("c", text, "column \"c\": Utf8 cannot become a oneof, only a dense union"),
    ];
    for (name, array, wanted) in cases {
        assert_eq!(fault(vec![(name, array)]), format!("invalid: {wanted}"));
    }
}

#[test]
fn nulls_that_no_message_can_say() {
    let null: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let list = |rows: Vec<Option<Vec<Option<i32>>>>| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
    };
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k");
    map.values().append_null();
    map.append(true).unwrap();
    let map_of_null: ArrayRef = Arc::new(map.finish());
    map.append(false).unwrap();
    let no_map: ArrayRef = Arc::new(map.finish());
    let cases: [(&str, ArrayRef, &str); 6] = [
        ("i", null.clone(), "row 1, \"i\": a null, and the field cannot be absent"),
        ("m", structs(vec![("x", null)]), "row 1, \"m.x\": a null, and the field cannot be absent"),
        ("l", list(vec![None]), "row 0, \"l\": a null, and a repeated field can only be empty"),
        (
            "l",
            list(vec![Some(vec![None])]),
            "row 0, \"l\": a null, and an item of a repeated field cannot be absent",
        ),
        (
            "o",
            map_of_null,
            "row 0, \"o.value\": a null, and an entry of a map has a key and a value",
        ),
        ("o", no_map, "row 0, \"o\": a null, and a map can only be empty"),
    ];
    for (name, array, wanted) in cases {
        assert_eq!(fault(vec![(name, array)]), format!("invalid: {wanted}"));
    }
}

#[test]
fn integers_must_be_in_range() {
    let cases = [
        ("i", 1 << 31, "row 1, \"i\": 2147483648 is out of the range of int32"),
        ("u", -1, "row 1, \"u\": -1 is out of range"),
    ];
    for (name, value, wanted) in cases {
        assert_eq!(fault(vec![(name, ints(&[0, value]))]), format!("invalid: {wanted}"));
    }
}

#[test]
fn required_fields_need_a_column_and_values() {
    let of = ProtoFile::two("p")
        .message("M2", &["r 1 int32 required"])
        .message("M", &["a 1 int32 required", "m 2 .p.M2"])
        .of("p.M");
    let fault = |columns| write(&of, &[batch(columns)]).unwrap_err().to_string();
    let missing = fault(vec![("m", structs(vec![("r", ints(&[1]))]))]);
    assert_eq!(missing, "invalid: column \"a\": it is missing, and p.M requires it");
    let empty: ArrayRef = Arc::new(StructArray::new_empty_fields(1, None));
    let inner = fault(vec![("a", ints(&[1])), ("m", empty)]);
    assert_eq!(inner, "invalid: column \"m.r\": it is missing, and p.M2 requires it");
    let null: ArrayRef = Arc::new(Int64Array::from(vec![None]));
    assert_eq!(
        fault(vec![("a", null)]),
        "invalid: row 0, \"a\": a null, and the field is required"
    );
    assert_eq!(write(&of, &[batch(vec![("a", ints(&[0]))])]).unwrap(), [2, 8, 0]);
}

fn union(branches: Vec<(&str, ArrayRef)>, ids: &[i8]) -> ArrayRef {
    let fields =
        branches.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let fields = UnionFields::try_new(0..i8::try_from(branches.len()).unwrap(), fields).unwrap();
    let arrays = branches.into_iter().map(|(_, array)| array).collect();
    let offsets = Some(vec![0; ids.len()].into());
    Arc::new(UnionArray::try_new(fields, ids.to_vec().into(), offsets, arrays).unwrap())
}

#[test]
fn branches_of_a_union_are_found_by_name() {
    let none: ArrayRef = Arc::new(NullArray::new(1));
    let m2 = structs(vec![("x", ints(&[4]))]);
    let all = union(vec![("c2", m2), ("nothing", none), ("c1", ints(&[0]))], &[0, 1, 2]);
    let wanted = [4, 0x5a, 2, 8, 4, 0, 2, 80, 0];
    assert_eq!(written(vec![("c", all)]).unwrap(), wanted);
    let null: ArrayRef = Arc::new(Int64Array::from(vec![None]));
    let cases = [
        (vec![("x", ints(&[0]))], "column \"c\": the oneof has no field \"x\""),
        (
            vec![("c1", ints(&[0])), ("c1", ints(&[0]))],
            "column \"c\": two branches are named \"c1\"",
        ),
        (vec![("c2", ints(&[0]))], "column \"c.c2\": Int64 cannot become p.M2"),
        (vec![("c1", null)], "row 0, \"c1\": a null, and \"c1\" of the oneof is chosen"),
    ];
    for (branches, wanted) in cases {
        assert_eq!(fault(vec![("c", union(branches, &[0]))]), format!("invalid: {wanted}"));
    }
}

#[test]
fn moments_of_other_units_are_scaled() {
    let of = golden::every();
    let once = |name: &str, array: ArrayRef| write(&of, &[batch(vec![(name, array)])]);
    let shown = |bytes: &[u8], name: &str| show::rows(&read(&of, bytes).unwrap())[0][name].clone();
    let cases: [(ArrayRef, ArrayRef, i64); 4] = [
        (
            Arc::new(TimestampSecondArray::from(vec![-3])),
            Arc::new(DurationSecondArray::from(vec![-3])),
            -3_000_000_000,
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![-1])),
            Arc::new(DurationMillisecondArray::from(vec![-1])),
            -1_000_000,
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![1_500_000]).with_timezone("+02:00")),
            Arc::new(DurationMicrosecondArray::from(vec![1_500_000])),
            1_500_000_000,
        ),
        (
            Arc::new(TimestampNanosecondArray::from(vec![i64::MIN])),
            Arc::new(DurationNanosecondArray::from(vec![i64::MIN])),
            i64::MIN,
        ),
    ];
    for (at, took, wanted) in cases {
        assert_eq!(shown(&once("at", at).unwrap(), "at"), wanted);
        assert_eq!(shown(&once("took", took).unwrap(), "took"), wanted);
    }
    let far: ArrayRef = Arc::new(TimestampSecondArray::from(vec![253_402_300_800]));
    assert_eq!(
        once("at", far).unwrap_err().to_string(),
        "invalid: row 0, \"at\": 253402300800 s are out of the range of a google.protobuf.Timestamp"
    );
    let long: ArrayRef = Arc::new(DurationSecondArray::from(vec![i64::MIN]));
    assert_eq!(
        once("took", long).unwrap_err().to_string(),
        "invalid: row 0, \"took\": -9223372036854775808 s are out of the range of a google.protobuf.Duration"
    );
}

#[test]
fn slices_and_rows_behind_nulls_are_those_that_they_are() {
    let of = file().of("p.M");
    let bytes = stream(&[
        [8, 1, 0x3a, 2, 1, 2, 0x42, 2, 8, 7].as_slice(),
        &[0x3a, 1, 3, 0x4a, 5, 0x0a, 1, b'k', 16, 9],
        &[8, 3, 0x42, 3, 0x12, 1, b'z', 0x50, 6],
    ]);
    let rows = read(&of, &bytes).unwrap();
    let parts: Vec<_> = (0..3).map(|row| rows.slice(row, 1)).collect();
    assert_eq!(write(&of, &parts).unwrap(), bytes);
    // The content of a null is ignored.
    let x: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, 1]));
    let fields = Fields::from(vec![Field::new("x", DataType::Int64, true)]);
    let m: ArrayRef = Arc::new(StructArray::new(fields, vec![x], Some(vec![false, true].into())));
    assert_eq!(written(vec![("m", m)]).unwrap(), [0, 4, 0x42, 2, 8, 1]);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 0, 1]));
    let item = Arc::new(Field::new("item", DataType::Int64, true));
    let list: ArrayRef = Arc::new(ListArray::new(item, offsets, ints(&[5]), None));
    assert_eq!(written(vec![("l", list.slice(1, 1))]).unwrap(), [3, 0x3a, 1, 5]);
}

#[test]
fn batches_must_be_as_announced() {
    let of = file().of("p.M");
    let (first, other) = (batch(vec![("i", ints(&[1]))]), batch(vec![("u", ints(&[1]))]));
    let fault = write(&of, &[first, other]).unwrap_err().to_string();
    assert_eq!(fault, "invalid: a batch has other columns than were announced");
}

#[test]
fn messages_that_are_too_long_to_be_read_are_not_written() {
    let blob = vec![7u8; 64 << 20];
    let blob: ArrayRef = Arc::new(BinaryArray::from_iter_values([blob]));
    let wanted = "too large: a message of 67108869 exceeds the limit of 67108864";
    assert_eq!(fault(vec![("b", blob)]), wanted);
}
