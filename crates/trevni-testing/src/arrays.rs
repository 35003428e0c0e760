//! Random Arrow types and arrays: every type, nested, with nulls, garbage in null slots, and slices.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::*;
use arrow::datatypes::*;

use crate::numbers::{Numbers, below};

/// Batches of a random schema.
pub fn batches(seed: u64) -> (SchemaRef, Vec<RecordBatch>) {
    let n = &mut Numbers(seed);
    let names = ["a", "b", "a", "", "é", "c"];
    let fields: Vec<_> = (0..below(n, 4)).map(|_| field(names[below(n, 6)], 3, n)).collect();
    let metadata =
        [("k".to_owned(), "v".to_owned())].into_iter().filter(|_| seed.is_multiple_of(2));
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata.collect()));
    let batches = (0..below(n, 4)).map(|_| {
        let rows = [0, 1, 5, 40][below(n, 4)];
        let columns = schema.fields().iter().map(|field| array(field, rows, n)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options).unwrap()
    });
    let batches = batches.collect();
    (schema, batches)
}

/// Returns a field of a random type that nests at most `depth` levels.
pub fn field(name: &str, depth: usize, n: &mut Numbers) -> FieldRef {
    let data_type = data_type(depth, n);
    let nullable = has_nulls(&data_type) || below(n, 3) > 0;
    Arc::new(Field::new(name, data_type, nullable))
}

/// Returns whether arrays of a type may have nulls among their values, whatever their field says.
fn has_nulls(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null | DataType::Dictionary(..) => true,
        DataType::RunEndEncoded(_, values) => values.is_nullable(),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| field.is_nullable()),
        _ => false,
    }
}

/// Returns a field that is not nullable.
fn not_null_field(name: &str, depth: usize, n: &mut Numbers) -> FieldRef {
    loop {
        let field = field(name, depth, n);
        if !field.is_nullable() {
            return field;
        }
    }
}

fn leaf_type(n: &mut Numbers) -> DataType {
    use DataType::*;
    let unit =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let unit = unit[below(n, 4)];
    let zone = (below(n, 2) == 0).then(|| "Europe/Berlin".into());
    let types = [
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Decimal32(1 + below(n, 9) as u8, 1),
        Decimal64(1 + below(n, 18) as u8, 0),
        Decimal128(1 + below(n, 38) as u8, 1),
        Decimal256(1 + below(n, 76) as u8, -1),
        Date32,
        Date64,
        Time32([TimeUnit::Second, TimeUnit::Millisecond][below(n, 2)]),
        Time64([TimeUnit::Microsecond, TimeUnit::Nanosecond][below(n, 2)]),
        Timestamp(unit, zone),
        Duration(unit),
        Interval(IntervalUnit::YearMonth),
        Interval(IntervalUnit::DayTime),
        Interval(IntervalUnit::MonthDayNano),
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(below(n, 5) as i32),
    ];
    types[below(n, types.len())].clone()
}

fn data_type(depth: usize, n: &mut Numbers) -> DataType {
    use DataType::*;
    if depth == 0 || below(n, 5) < 2 {
        return leaf_type(n);
    }
    let depth = depth - 1;
    match below(n, 11) {
        0 => List(field("item", depth, n)),
        1 => LargeList(field("", depth, n)),
        2 => ListView(field("item", depth, n)),
        3 => LargeListView(field("x", depth, n)),
        4 => FixedSizeList(field("item", depth, n), below(n, 4) as i32),
        5 | 6 => {
            let names = ["a", "b", "a", "", "value"];
            Struct((0..below(n, 4)).map(|_| field(names[below(n, 5)], depth, n)).collect())
        }
        7 => {
            let key = Field::new("keys", leaf_key(n), false);
            let value = field("vals", depth, n);
            let entries = Struct(vec![Arc::new(key), value].into());
            Map(Arc::new(Field::new("entries", entries, false)), below(n, 2) == 0)
        }
        8 => {
            let mode = [UnionMode::Dense, UnionMode::Sparse][below(n, 2)];
            let count = 1 + below(n, 3) as i8;
            let ids: Vec<i8> = (0..count).map(|i| i * 3 + 1).collect();
            let branch = if below(n, 3) == 0 { not_null_field } else { field };
            let fields: Vec<_> = ids.iter().map(|i| branch(&format!("u{i}"), depth, n)).collect();
            Union(UnionFields::try_new(ids, fields).unwrap(), mode)
        }
        9 => {
            let keys = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
            Dictionary(Box::new(keys[below(n, 8)].clone()), Box::new(dictionary_value(depth, n)))
        }
        _ => {
            let ends = Field::new("run_ends", [Int16, Int32, Int64][below(n, 3)].clone(), false);
            let values = match below(n, 3) {
                0 => not_null_field("values", depth, n),
                _ => Arc::new(Field::new("values", data_type(depth, n), true)),
            };
            RunEndEncoded(Arc::new(ends), values)
        }
    }
}

fn leaf_key(n: &mut Numbers) -> DataType {
    [DataType::Utf8, DataType::Int32, DataType::LargeUtf8][below(n, 3)].clone()
}

/// Returns a dictionary's values: any type that is no dictionary itself.
fn dictionary_value(depth: usize, n: &mut Numbers) -> DataType {
    loop {
        let value = data_type(depth, n);
        if !matches!(value, DataType::Dictionary(..) | DataType::RunEndEncoded(..)) {
            return value;
        }
    }
}

fn nulls(len: usize, nullable: bool, n: &mut Numbers) -> Option<NullBuffer> {
    (nullable && below(n, 4) > 0).then(|| (0..len).map(|_| below(n, 4) > 0).collect())
}

/// Returns an array of the field's type. Half of all arrays are slices of longer ones.
pub fn array(field: &Field, len: usize, n: &mut Numbers) -> ArrayRef {
    array_of(field.data_type(), field.is_nullable(), len, n)
}

/// Returns an array of a type. Half of all arrays are slices of longer ones.
pub fn array_of(data_type: &DataType, nullable: bool, len: usize, n: &mut Numbers) -> ArrayRef {
    if below(n, 2) == 0 {
        return whole(data_type, nullable, len, n);
    }
    let (before, after) = (below(n, 5), below(n, 5));
    whole(data_type, nullable, before + len + after, n).slice(before, len)
}

/// Random bits as values of a fixed width.
fn fixed(
    data_type: &DataType,
    width: usize,
    len: usize,
    nulls: Option<NullBuffer>,
    n: &mut Numbers,
) -> ArrayRef {
    let small = below(n, 2) == 0;
    let mut bytes = Vec::with_capacity(len * width);
    for _ in 0..len {
        let noise = (n.next31() << 33 | n.next31() << 11) as i128 * n.next31() as i128;
        let noise = if small { noise % 1000 } else { noise };
        let wide = [noise.to_le_bytes(), [if noise < 0 { 0xff } else { 0 }; 16]].concat();
        bytes.extend_from_slice(&wide[..width]);
    }
    of_bytes(data_type, len, &bytes, nulls)
}

/// Returns an array around the bytes of its values.
fn of_bytes(data_type: &DataType, len: usize, bytes: &[u8], nulls: Option<NullBuffer>) -> ArrayRef {
    let data = ArrayDataBuilder::new(data_type.clone())
        .len(len)
        .add_buffer(Buffer::from_slice_ref(bytes))
        .nulls(nulls)
        .align_buffers(true);
    make_array(data.build().unwrap())
}

/// Values within the declared precision, as any valid decimal array has them.
fn decimal(
    data_type: &DataType,
    precision: u8,
    width: usize,
    len: usize,
    nulls: Option<NullBuffer>,
    n: &mut Numbers,
) -> ArrayRef {
    let mut bytes = Vec::with_capacity(len * width);
    for _ in 0..len {
        let digits = below(n, precision as usize) + 1;
        let mut value = i256::from_i128(0);
        for _ in 0..digits {
            value = value
                .wrapping_mul(i256::from_i128(10))
                .wrapping_add(i256::from_i128(below(n, 10) as i128));
        }
        let value = if below(n, 2) == 0 { value.wrapping_neg() } else { value };
        bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    of_bytes(data_type, len, &bytes, nulls)
}

fn text(n: &mut Numbers) -> String {
    ["", "a", "Grüße", "a longer text than fits a view", "😀"][below(n, 5)].repeat(1 + below(n, 2))
}

fn whole(data_type: &DataType, nullable: bool, len: usize, n: &mut Numbers) -> ArrayRef {
    use DataType::*;
    let nulls = nulls(len, nullable, n);
    let present = |i: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(i));
    match data_type {
        Null => new_null_array(&Null, len),
        Boolean => Arc::new(BooleanArray::new((0..len).map(|_| below(n, 2) == 0).collect(), nulls)),
        Decimal32(p, _) => decimal(data_type, *p, 4, len, nulls, n),
        Decimal64(p, _) => decimal(data_type, *p, 8, len, nulls, n),
        Decimal128(p, _) => decimal(data_type, *p, 16, len, nulls, n),
        Decimal256(p, _) => decimal(data_type, *p, 32, len, nulls, n),
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => {
            let values: StringArray = (0..len).map(|i| present(i).then(|| text(n))).collect();
            arrow::compute::cast(&values, data_type).unwrap()
        }
        FixedSizeBinary(size) => {
            let bytes: Vec<u8> = (0..len * *size as usize).map(|_| below(n, 256) as u8).collect();
            let array = if *size == 0 {
                let data = ArrayDataBuilder::new(data_type.clone()).len(len);
                return make_array(
                    data.add_buffer(Buffer::from(&[])).nulls(nulls).build().unwrap(),
                );
            } else {
                FixedSizeBinaryArray::new(*size, bytes.into(), nulls)
            };
            Arc::new(array)
        }
        other => match other.primitive_width() {
            Some(width) => fixed(other, width, len, nulls, n),
            None => nested(other, nullable, len, nulls, n),
        },
    }
}

fn lengths(len: usize, n: &mut Numbers) -> Vec<usize> {
    (0..len).map(|_| [0, 0, 1, 1, 2, 4][below(n, 6)]).collect()
}

fn nested(
    data_type: &DataType,
    nullable: bool,
    len: usize,
    nulls: Option<NullBuffer>,
    n: &mut Numbers,
) -> ArrayRef {
    use DataType::*;
    match data_type {
        List(item) => {
            let offsets = OffsetBuffer::<i32>::from_lengths(lengths(len, n));
            let values = array(item, *offsets.last().unwrap() as usize, n);
            Arc::new(ListArray::new(item.clone(), offsets, values, nulls))
        }
        LargeList(item) => {
            let offsets = OffsetBuffer::<i64>::from_lengths(lengths(len, n));
            let values = array(item, *offsets.last().unwrap() as usize, n);
            Arc::new(LargeListArray::new(item.clone(), offsets, values, nulls))
        }
        ListView(item) => {
            let (starts, sizes) = views(len, n);
            let values = array(item, 12, n);
            let (starts, sizes): (Vec<i32>, Vec<i32>) = (
                starts.iter().map(|v| *v as i32).collect(),
                sizes.iter().map(|v| *v as i32).collect(),
            );
            Arc::new(ListViewArray::new(item.clone(), starts.into(), sizes.into(), values, nulls))
        }
        LargeListView(item) => {
            let (starts, sizes) = views(len, n);
            let values = array(item, 12, n);
            Arc::new(LargeListViewArray::new(
                item.clone(),
                starts.into(),
                sizes.into(),
                values,
                nulls,
            ))
        }
        FixedSizeList(item, size) => {
            let values = array(item, len * *size as usize, n);
            let list =
                FixedSizeListArray::try_new_with_length(item.clone(), *size, values, nulls, len);
            Arc::new(list.unwrap())
        }
        Struct(fields) => {
            let columns = fields.iter().map(|field| array(field, len, n)).collect();
            let array = StructArray::try_new_with_length(fields.clone(), columns, nulls, len);
            Arc::new(array.unwrap())
        }
        Map(entries, ordered) => {
            let offsets = OffsetBuffer::<i32>::from_lengths(lengths(len, n));
            let Struct(fields) = entries.data_type() else { unreachable!() };
            let count = *offsets.last().unwrap() as usize;
            let columns = fields.iter().map(|field| array(field, count, n)).collect();
            let values = StructArray::new(fields.clone(), columns, None);
            Arc::new(MapArray::new(entries.clone(), offsets, values, nulls, *ordered))
        }
        Union(fields, mode) => union(fields, *mode, len, n),
        Dictionary(key, value) => dictionary(key, value, nullable, len, nulls, n),
        RunEndEncoded(ends, values) => run_ends(ends, values, nullable, len, n),
        other => unreachable!("{other}"),
    }
}

/// Windows into twelve values, in no order, overlapping.
fn views(len: usize, n: &mut Numbers) -> (Vec<i64>, Vec<i64>) {
    (0..len)
        .map(|_| {
            let size = below(n, 5);
            (below(n, 13 - size) as i64, size as i64)
        })
        .unzip()
}

fn union(fields: &UnionFields, mode: UnionMode, len: usize, n: &mut Numbers) -> ArrayRef {
    let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
    let picks: Vec<i8> = (0..len).map(|_| ids[below(n, ids.len())]).collect();
    let mut counts = [0i32; 128];
    let offsets: Vec<i32> = picks
        .iter()
        .map(|id| {
            counts[*id as usize] += 1;
            counts[*id as usize] - 1
        })
        .collect();
    let dense = mode == UnionMode::Dense;
    let children = fields.iter().map(|(id, field)| {
        let len = if dense { counts[id as usize] as usize } else { len };
        array(field, len, n)
    });
    let children = children.collect();
    let offsets = dense.then(|| offsets.into());
    Arc::new(UnionArray::try_new(fields.clone(), picks.into(), offsets, children).unwrap())
}

fn dictionary(
    key: &DataType,
    value: &DataType,
    nullable: bool,
    len: usize,
    nulls: Option<NullBuffer>,
    n: &mut Numbers,
) -> ArrayRef {
    let size = 1 + below(n, 9);
    let nullable = nullable && !matches!(value, DataType::Union(..));
    let values = whole(value, nullable, size, n);
    let keys: Int64Array =
        Int64Array::new((0..len).map(|_| below(n, size) as i64).collect(), nulls);
    let keys = arrow::compute::cast(&keys, key).unwrap();
    let data = keys.to_data().into_builder();
    let data_type = DataType::Dictionary(Box::new(key.clone()), Box::new(value.clone()));
    make_array(data.data_type(data_type).add_child_data(values.to_data()).build().unwrap())
}

fn run_ends(
    ends: &FieldRef,
    values: &FieldRef,
    nullable: bool,
    len: usize,
    n: &mut Numbers,
) -> ArrayRef {
    let mut all = Vec::new();
    let mut end = 0;
    while end < len as i64 {
        end = (end + 1 + below(n, 4) as i64).min(len as i64);
        all.push(end);
    }
    let is_union = matches!(values.data_type(), DataType::Union(..));
    let nullable = nullable && values.is_nullable() && !is_union;
    let run_values = whole(values.data_type(), nullable, all.len(), n);
    let run_ends = arrow::compute::cast(&Int64Array::from(all), ends.data_type()).unwrap();
    let data_type = DataType::RunEndEncoded(ends.clone(), values.clone());
    let data = ArrayDataBuilder::new(data_type)
        .len(len)
        .add_child_data(run_ends.to_data())
        .add_child_data(run_values.to_data());
    make_array(data.build().unwrap())
}
