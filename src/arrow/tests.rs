//! Every Arrow type, through shred and assemble and back.
//!
//! ```text
//! sample(type) -> lower -> shred -> ColumnData -> assemble -> raise == sample, row by row
//! ```
#![allow(clippy::cast_possible_truncation)]

mod files;
pub(super) mod sample;

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::*;

use super::Layout;
use super::encoded;
use crate::arrow::field_path::FieldPath;
use crate::arrow::layout::field_layout::LayoutPlan;
use crate::arrow::layout::split;
use crate::arrow::leaf::borrowed_column::{BorrowedValues, ShreddedColumn};
use crate::arrow::leaf::types::to_values;
use crate::arrow::read::assemble::{Decoded, assemble};
use crate::arrow::write::shred::Shredder;
use crate::error::Result;
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::format::values_ref::ValuesRef;
use trevni_testing::arrays::array_of;
use trevni_testing::equality::assert_same;
use trevni_testing::numbers::Numbers;

use sample::{nested_types, types};

/// As if written and read: the same data in buffers of our own.
fn copied(shredded: &ShreddedColumn, column: &ColumnMetadata) -> ColumnData {
    let slice = shredded.as_slice();
    let bits = matches!(slice.values, ValuesRef::Boolean { .. });
    let presence = bits && column.value_type() == ValueType::Null;
    let mut data = if presence { ColumnData::presence() } else { ColumnData::of(column) };
    if !presence {
        slice.values.check(column.value_type()).unwrap();
    }
    assert_eq!(data.lengths.is_some(), slice.lengths.is_some(), "{column:?}");
    if let (Some(to), Some(from)) = (&mut data.lengths, slice.lengths) {
        to.extend_from_slice(from);
        let total: usize = from.iter().map(|n| *n as usize).sum();
        assert_eq!(total, slice.values.len(), "{column:?}");
    }
    (0..slice.values.len()).for_each(|i| data.values.push(&slice.values.get(i).unwrap()).unwrap());
    data
}

fn shred(
    plan: &LayoutPlan,
    stored: &Fields,
    fields: &Fields,
    batch: &[ArrayRef],
) -> Result<Decoded> {
    let mut shredder = Shredder::new(&plan.columns, &[]);
    for (((shape, stored), field), array) in plan.shapes.iter().zip(stored).zip(fields).zip(batch) {
        let path = FieldPath::new(field.name());
        let array = encoded::to_stored(array, field, stored, &path)?;
        assert_eq!(array.data_type(), stored.data_type());
        shredder.shred(shape, stored, &array, &path)?;
    }
    let columns = shredder.finish();
    let columns = columns.iter().zip(&plan.columns).map(|(c, p)| copied(c, &p.metadata)).collect();
    Ok(Decoded { columns, ..Decoded::default() })
}

fn round_trip(field: &Field, array: &ArrayRef) -> Result<ArrayRef> {
    let fields = Fields::from(vec![field.clone()]);
    let stored = encoded::stored_fields(&fields, Layout::Split);
    let plan = split::plan(&stored, &|_, _| false).unwrap();
    let mut data = shred(&plan, &stored, &fields, std::slice::from_ref(array))?;
    let path = FieldPath::new(field.name());
    let back = assemble(&plan.shapes[0], &stored[0], array.len(), &mut data, &path)?;
    Ok(encoded::from_stored(&back, field)?.expect("fits its keys"))
}

#[test]
fn every_type_comes_back() {
    let numbers = &mut Numbers(1);
    for data_type in types().into_iter().chain(nested_types()) {
        for n in [0, 1, 5, 60] {
            let field = Field::new("f", data_type.clone(), true);
            let array = array_of(&data_type, true, n, numbers);
            let back = round_trip(&field, &array).unwrap_or_else(|e| panic!("{data_type}: {e}"));
            assert_same(&array, &back);
            let slice = array.slice(n / 3, n - n / 2);
            assert_same(&slice, &round_trip(&field, &slice).unwrap());
        }
    }
}

#[test]
fn every_type_comes_back_from_within_others() {
    let numbers = &mut Numbers(2);
    for inner in types().into_iter().chain(nested_types()) {
        for data_type in sample::around(&inner) {
            let field = Field::new("f", data_type.clone(), true);
            let array = array_of(&data_type, true, 20, numbers);
            let back = round_trip(&field, &array).unwrap_or_else(|e| panic!("{data_type}: {e}"));
            assert_same(&array, &back);
            let slice = array.slice(3, 11);
            assert_same(&slice, &round_trip(&field, &slice).unwrap());
        }
    }
}

#[test]
fn fields_without_nulls_have_no_counts() {
    let numbers = &mut Numbers(3);
    for data_type in types().into_iter().chain(nested_types()) {
        let field = Field::new("f", data_type.clone(), false);
        let array = array_of(&data_type, false, 30, numbers);
        assert_same(&array, &round_trip(&field, &array).unwrap());
    }
}

#[test]
fn nulls_where_none_may_be_are_named() {
    let inner = Field::new("b", DataType::Int32, false);
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let dictionary: ArrayRef =
        Arc::new(vec![Some("a"), None].into_iter().collect::<DictionaryArray<Int8Type>>());
    let error = round_trip(&inner, &ints).unwrap_err().to_string();
    assert_eq!(error, "invalid: field b is not nullable, but its null count is 1");
    let field = Field::new("d", dictionary.data_type().clone(), false);
    assert!(
        round_trip(&field, &dictionary)
            .unwrap_err()
            .to_string()
            .contains("field d is not nullable")
    );
    // Under a null struct a null is no fault.
    let fields = Fields::from(vec![inner]);
    let nulls = NullBuffer::from(vec![true, false]);
    let masked: ArrayRef = Arc::new(StructArray::new(fields.clone(), vec![ints], Some(nulls)));
    let field = Field::new("a", DataType::Struct(fields), true);
    assert_same(&masked, &round_trip(&field, &masked).unwrap());
}

#[test]
fn null_lists_are_not_empty_lists() {
    let field = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let items: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("d")]));
    let nulls = NullBuffer::from(vec![true, false, true, false, true]);
    let offsets = OffsetBuffer::from_lengths([2, 1, 0, 0, 1]);
    let array: ArrayRef = Arc::new(ListArray::new(field, offsets, items, Some(nulls)));
    let field = Field::new("f", array.data_type().clone(), true);
    let back = round_trip(&field, &array).unwrap();
    assert_same(&array, &back);
    assert_eq!((back.null_count(), back.as_list::<i32>().value(4).len()), (2, 1));
}

#[test]
fn duplicate_and_empty_names_do_not_matter() {
    let twin = |name: &str| Field::new(name, DataType::Int32, true);
    let inner = DataType::Struct(vec![twin(""), twin(""), twin("#value"), twin("[]")].into());
    let data_type = DataType::Struct(
        vec![Field::new("", inner.clone(), true), Field::new("", inner, true)].into(),
    );
    let fields = Fields::from(vec![
        Field::new("", data_type.clone(), true),
        Field::new("", data_type.clone(), true),
    ]);
    let numbers = &mut Numbers(4);
    let arrays = [array_of(&data_type, true, 40, numbers), array_of(&data_type, true, 40, numbers)];
    let plan = split::plan(&fields, &|_, _| false).unwrap();
    let mut data = shred(&plan, &fields, &fields, &arrays).unwrap();
    for ((shape, field), array) in plan.shapes.iter().zip(&fields).zip(&arrays) {
        let back = assemble(shape, field, 40, &mut data, &FieldPath::new("")).unwrap();
        assert_same(array, &back);
    }
}

#[test]
fn hostile_counts_are_errors() {
    let field = Field::new("f", DataType::Int32, true);
    let fields = Fields::from(vec![field.clone()]);
    let plan = split::plan(&fields, &|_, _| false).unwrap();
    let good = || {
        let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
        shred(&plan, &fields, &fields, &[array]).unwrap()
    };
    let read =
        |data: &mut Decoded| assemble(&plan.shapes[0], &field, 3, data, &FieldPath::new("f"));
    assert!(read(&mut good()).is_ok());
    let bad: [fn(&mut Vec<ColumnData>); 4] = [
        |data| data[0].values = Values::Null(2),
        |data| data[0].values.truncate(2),
        |data| {
            let (lengths, values) = (Some(vec![2, 0, 0]), Values::Null(2));
            data[0] = ColumnData { lengths, validity: None, values };
        },
        |data| data[1].values.truncate(1),
    ];
    for spoil in bad {
        let mut data = good();
        spoil(&mut data.columns);
        assert!(read(&mut data).unwrap_err().to_string().contains("malformed: field f"));
    }
}

#[test]
fn keys_that_cannot_count_the_values_say_so() {
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..300));
    let data_type = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Int32));
    let field = Field::new("f", data_type, true);
    assert!(encoded::from_stored(&values, &field).unwrap().is_none());
    assert!(encoded::from_stored(&values.slice(0, 256), &field).unwrap().is_some());
    let ends = Arc::new(Field::new("e", DataType::Int16, false));
    let runs = DataType::RunEndEncoded(ends, Arc::new(Field::new("v", DataType::Int32, true)));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![7; 40_000]));
    assert!(encoded::from_stored(&values, &Field::new("f", runs, true)).unwrap().is_none());
}

#[test]
fn decimals_that_do_not_fit_are_named() {
    let array = Decimal128Array::from(vec![i128::MAX]).with_data_type(DataType::Decimal128(9, 2));
    let field = Field::new("price", DataType::Decimal128(9, 2), false);
    let error = round_trip(&field, &(Arc::new(array) as _)).unwrap_err().to_string();
    assert!(error.contains("field price"), "{error}");
}

#[test]
fn sparse_null_masks_are_kept() {
    // A dense union under a null struct: its rows are dropped, and made up again when reading.
    let data_type = sample::dense_union();
    let fields = Fields::from(vec![Field::new("u", data_type.clone(), true)]);
    let union = array_of(&data_type, true, 4, &mut Numbers(5));
    for bits in [[true, false, true, false], [false; 4]] {
        let nulls = NullBuffer::new(BooleanBuffer::from_iter(bits));
        let array: ArrayRef =
            Arc::new(StructArray::new(fields.clone(), vec![union.clone()], Some(nulls)));
        let field = Field::new("f", array.data_type().clone(), true);
        assert_same(&array, &round_trip(&field, &array).unwrap());
    }
}

#[test]
fn values_of_no_bytes_are_still_values() {
    let nulls = Some(NullBuffer::from(vec![true, false, true]));
    let array = FixedSizeBinaryArray::try_new_with_len(0, Buffer::default(), nulls, 3).unwrap();
    let field = Field::new("f", array.data_type().clone(), true);
    let back = round_trip(&field, &(Arc::new(array) as _)).unwrap();
    assert_eq!((back.len(), back.null_count()), (3, 1));
}

#[test]
fn a_union_of_no_branches_has_no_rows() {
    let none = UnionArray::try_new(UnionFields::empty(), vec![].into(), None, vec![]).unwrap();
    let field = Field::new("f", none.data_type().clone(), true);
    assert_eq!(round_trip(&field, &(Arc::new(none) as _)).unwrap().len(), 0);
}

/// The unused slots of a sparse union's children have values where the used ones do, so lists without nulls can hold it.
#[test]
fn lists_without_nulls_hold_sparse_unions() {
    let inner = UnionFields::try_new([0], [Field::new("u", DataType::Utf8View, false)]).unwrap();
    let types = [
        DataType::Int64,
        DataType::Utf8,
        DataType::FixedSizeBinary(3),
        DataType::Decimal256(50, 2),
        DataType::Struct(vec![Field::new("s", DataType::Boolean, false)].into()),
        DataType::FixedSizeList(Arc::new(Field::new("i", DataType::Int8, false)), 2),
        DataType::List(Arc::new(Field::new("i", DataType::Int8, false))),
        DataType::Union(inner, UnionMode::Sparse),
    ];
    for (a, b) in types.iter().flat_map(|a| types.iter().map(move |b| (a, b))) {
        let fields = [Field::new("a", a.clone(), true), Field::new("b", b.clone(), false)];
        let fields = UnionFields::try_new([0, 1], fields).unwrap();
        // Rows of both branches, and of one only.
        for ids in [vec![0i8, 1, 1], vec![1, 1, 1], vec![0, 0, 0]] {
            let n = &mut Numbers(7);
            let children = [a, b].map(|data_type| array_of(data_type, false, 3, n));
            let union = UnionArray::try_new(fields.clone(), ids.into(), None, children.to_vec());
            let union: ArrayRef = Arc::new(union.unwrap());
            let item = Arc::new(Field::new("item", union.data_type().clone(), false));
            let offsets = OffsetBuffer::from_lengths([2, 0, 1]);
            let large = OffsetBuffer::from_lengths([2, 0, 1]);
            let lists: [ArrayRef; 3] = [
                Arc::new(ListArray::new(item.clone(), offsets, union.clone(), None)),
                Arc::new(LargeListArray::new(item.clone(), large, union.clone(), None)),
                Arc::new(ListViewArray::new(
                    item,
                    vec![0, 0, 2].into(),
                    vec![2, 0, 1].into(),
                    union,
                    None,
                )),
            ];
            for list in lists {
                let field = Field::new("l", list.data_type().clone(), false);
                let back = round_trip(&field, &list).unwrap_or_else(|e| panic!("{a}, {b}: {e}"));
                assert_same(&list, &back);
            }
        }
    }
}

/// The views of null rows may have any length and any place.
#[test]
fn garbage_in_null_views_is_not_read() {
    let data = arrow::buffer::Buffer::from_vec(vec![b'x'; 1 << 20]);
    let long = arrow::array::ByteView::new(1 << 20, b"xxxx").as_u128();
    // Arrow checks the views of nulls when an array is made; what it computes of arrays may have any.
    let array = BinaryViewArray::new(vec![long; 60_000].into(), vec![data], None);
    let mask: BooleanArray = (0..60_000).map(|row| Some(row > 2)).collect();
    let array = arrow::compute::nullif(&array, &mask).unwrap();
    let BorrowedValues::LargeBytes(offsets, values) =
        to_values(&array, ValueType::Bytes, &FieldPath::new("a")).unwrap()
    else {
        panic!("other values");
    };
    assert_eq!((offsets.len(), values.len()), (60_001, 3 << 20));
    assert!(values.capacity() < 4 << 20);
}
