//! Arrow to NumPy's bytes and back, and refused types.

#![allow(clippy::cast_possible_truncation)]

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::MutableBuffer;
use arrow::datatypes::*;

use super::*;
use trevni::ErrorKind;

/// Returns the bytes of an array, and the array decoded from them.
fn there_and_back(field: &Field, array: &ArrayRef) -> (Dtype, Vec<u8>, ArrayRef) {
    let schema = Arc::new(Schema::new(vec![field.clone()]));
    let mut widths = Widths::new(&schema);
    widths.see(&RecordBatch::try_new(schema, vec![array.clone()]).unwrap()).unwrap();
    let (dtype, shape) = dtype_of(field, widths.of(0)).unwrap();
    let mut bytes = Vec::new();
    from_arrow(array, &dtype, &shape, &mut bytes).unwrap();
    let mut buffer = MutableBuffer::new(bytes.len());
    buffer.extend_from_slice(&bytes);
    let back = to_arrow(&dtype, &shape, array.len(), buffer).unwrap();
    let from_dtype = field_of(field.name(), &dtype, &shape).unwrap();
    assert_eq!(from_dtype.data_type(), back.data_type());
    assert_eq!(dtype_of(&from_dtype, None).unwrap(), (dtype.clone(), shape));
    (dtype, bytes, back)
}

fn check(array: impl Array + 'static, numpy: &str, first: &[u8]) -> ArrayRef {
    let array: ArrayRef = Arc::new(array);
    let field = Field::new("a", array.data_type().clone(), true);
    let (dtype, bytes, back) = there_and_back(&field, &array);
    assert_eq!(dtype.numpy_str(), numpy);
    assert_eq!(&bytes[..first.len()], first, "{numpy}");
    if back.data_type() == array.data_type() {
        assert_eq!(&back, &array, "{numpy}");
    }
    // Slices are only their rows.
    let slice = array.slice(1, array.len() - 1);
    let (_, of_slice, _) = there_and_back(&field, &slice);
    assert_eq!(of_slice.len(), bytes.len() / array.len() * (array.len() - 1));
    back
}

#[test]
fn every_type_that_numpy_has_goes_both_ways() {
    check(BooleanArray::from(vec![true, false, true]), "|b1", &[1, 0, 1]);
    check(Int8Array::from(vec![-1, 2]), "|i1", &[255, 2]);
    check(Int16Array::from(vec![-2, 2]), "<i2", &[254, 255, 2, 0]);
    check(Int32Array::from(vec![1, 2]), "<i4", &[1, 0, 0, 0]);
    check(Int64Array::from(vec![i64::MIN, 2]), "<i8", &[0, 0, 0, 0, 0, 0, 0, 128]);
    check(UInt8Array::from(vec![255, 2]), "|u1", &[255]);
    check(UInt16Array::from(vec![513, 2]), "<u2", &[1, 2]);
    check(UInt32Array::from(vec![u32::MAX, 2]), "<u4", &[255; 4]);
    check(UInt64Array::from(vec![u64::MAX, 2]), "<u8", &[255; 8]);
    check(Float32Array::from(vec![1.0, f32::NAN]), "<f4", &[0, 0, 128, 63]);
    check(Float64Array::from(vec![-0.0, f64::NAN]), "<f8", &[0, 0, 0, 0, 0, 0, 0, 128]);
    check(StringArray::from(vec!["é", "", "abc"]), "<U3", &[0xe9, 0, 0, 0, 0, 0, 0, 0, 0]);
    check(TimestampSecondArray::from(vec![1, 2]), "<M8[s]", &[1, 0]);
    check(DurationNanosecondArray::from(vec![Some(1), None]), "<m8[ns]", &[1, 0]);
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab\0", b"cde"].into_iter());
    check(fixed.unwrap(), "|S3", b"ab\0cde");
}

#[test]
fn what_is_not_quite_numpys_comes_back_as_what_is() {
    let back = check(TimestampMicrosecondArray::from(vec![Some(7), None]), "<M8[us]", &[7, 0]);
    assert!(back.is_null(1));
    let days = check(Date32Array::from(vec![Some(3), None]), "<M8[D]", &[3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(days.as_primitive::<Int64Type>().value(0), 3);
    assert!(days.is_null(1));
    let words = DictionaryArray::<Int8Type>::from_iter(["x", "yy", "x"]);
    let words = check(words, "<U2", &[b'x', 0, 0, 0, 0]);
    assert_eq!(words.as_string::<i32>().value(1), "yy");
    let bytes = check(LargeBinaryArray::from_vec(vec![b"a", b"bcd"]), "|S3", b"a\0\0bcd");
    assert_eq!(bytes.as_fixed_size_binary().value(0), b"a\0\0");
    check(StringViewArray::from(vec!["", ""]), "<U1", &[0; 8]);
}

#[test]
fn rows_of_several_dimensions_are_lists_of_lists() {
    let numbers = Int16Array::from_iter_values(0..24);
    let inner = Arc::new(Field::new_list_field(DataType::Int16, false));
    let pairs = FixedSizeListArray::new(inner, 3, Arc::new(numbers), None);
    let outer = Arc::new(Field::new_list_field(pairs.data_type().clone(), false));
    let array = FixedSizeListArray::new(outer, 2, Arc::new(pairs), None);
    let back = check(array, "<i2", &[0, 0, 1, 0, 2, 0]);
    assert_eq!(back.len(), 4);
}

#[test]
fn the_metadata_of_a_field_says_more_than_its_type() {
    let with = |data_type: DataType, numpy: &str| {
        let said = [(DTYPE_KEY.to_owned(), numpy.to_owned())].into_iter().collect();
        Field::new("a", data_type, true).with_metadata(said)
    };
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, -2]));
    let (_, bytes, back) = there_and_back(&with(DataType::Int32, ">i4"), &numbers);
    assert_eq!(bytes, [0, 0, 0, 1, 255, 255, 255, 254]);
    assert_eq!(&back, &numbers);
    let hours: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None]));
    let (_, bytes, back) = there_and_back(&with(DataType::Int64, ">M8[2h]"), &hours);
    assert_eq!(bytes[..8], [0, 0, 0, 0, 0, 0, 0, 5]);
    assert_eq!(&back, &hours);
    let parts: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0]));
    let item = Arc::new(Field::new_list_field(DataType::Float32, false));
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::new(item, 2, parts, None));
    let (dtype, _, back) = there_and_back(&with(pairs.data_type().clone(), "<c8"), &pairs);
    assert_eq!((dtype.size, &back), (8, &pairs));
    let e = dtype_of(&with(DataType::Int32, "<i8"), None).unwrap_err();
    assert_eq!(e.to_string(), "column \"a\": invalid: <i8 is no dtype of Int32");
}

#[test]
fn records_are_structs() {
    let dtype =
        Dtype::parse("[('a', '<i4'), ('b', '>f8', (2,)), ('', '|V3'), ('c', 'S2')]").unwrap();
    let mut bytes = MutableBuffer::new(0);
    for row in 0..3i32 {
        bytes.extend_from_slice(&row.to_le_bytes());
        bytes.extend_from_slice(&f64::from(row).to_be_bytes());
        bytes.extend_from_slice(&f64::from(-row).to_be_bytes());
        bytes.extend_from_slice(&[9, 9, 9, b'x', b'y']);
    }
    let array = to_arrow(&dtype, &[], 3, bytes).unwrap();
    let rows = array.as_struct();
    assert_eq!(rows.column_names(), ["a", "b", "c"]);
    assert_eq!(rows.column(0).as_primitive::<Int32Type>().values()[..], [0, 1, 2]);
    let pairs = rows.column(1).as_fixed_size_list();
    assert_eq!(
        pairs.values().as_primitive::<Float64Type>().values()[..],
        [0.0, -0.0, 1.0, -1.0, 2.0, -2.0]
    );
    assert_eq!(rows.column(2).as_fixed_size_binary().value(2), b"xy");
    let field = Field::new("r", array.data_type().clone(), false);
    let (dtype, bytes, back) = there_and_back(&field, &array);
    assert_eq!(
        dtype.numpy_str(),
        "[('a', '<i4'), ('b', '>f8', (2,)), ('c', 'S2')]".replace("'S2'", "'|S2'")
    );
    assert_eq!((bytes.len(), &back), (3 * 22, &array));
}

#[test]
fn what_numpy_has_not_is_refused_with_its_column() {
    let refused = |data_type: DataType| {
        let e = dtype_of(&Field::new("a", data_type, true), Some(3)).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Unsupported(_)), "{e}");
        assert_eq!(e.location().column.as_deref(), Some("a"));
    };
    refused(DataType::Decimal128(5, 2));
    refused(DataType::Null);
    refused(DataType::Time64(TimeUnit::Nanosecond));
    refused(DataType::new_list(DataType::Int32, true));
    refused(DataType::Interval(IntervalUnit::YearMonth));
    let lowered = |array: ArrayRef, dtype: &str| {
        from_arrow(&array, &Dtype::parse(dtype).unwrap(), &[], &mut Vec::new())
            .unwrap_err()
            .to_string()
    };
    let null: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    assert_eq!(lowered(null, "<i4"), "invalid: a null, which NumPy has not");
    let long: ArrayRef = Arc::new(StringArray::from(vec!["abcd"]));
    assert_eq!(lowered(long, "<U3"), "invalid: a string of 16 bytes where there is room for 12");
    let nul: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a\0"]));
    let said = lowered(nul, "|S3");
    assert_eq!(said, "invalid: bytes that end in a NUL, which NumPy strips");
}

#[test]
fn hostile_elements_are_errors() {
    let mut bytes = MutableBuffer::new(0);
    bytes.extend_from_slice(&0xd800u32.to_le_bytes());
    let e = to_arrow(&Dtype::parse("<U1").unwrap(), &[], 1, bytes).unwrap_err();
    assert_eq!(e.to_string(), "malformed: 0xd800 is no character");
    for shape in [vec![u64::MAX], vec![1 << 40, 1 << 40]] {
        assert!(field_of("a", &Dtype::parse("<i4").unwrap(), &shape).is_err());
    }
}
