//! Arrays of any type to test with.
//!
//! ```text
//! nulls with garbage beneath, null lists with items, views in any order, offsets that start late
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute;
use arrow::datatypes::*;

/// A source of arrays, the same for the same seed.
pub(crate) struct Sampler(u64);

fn field(name: &str, data_type: DataType, nullable: bool) -> FieldRef {
    Arc::new(Field::new(name, data_type, nullable))
}

/// Every type that is not nested.
pub(crate) fn types() -> Vec<DataType> {
    use DataType::*;
    use TimeUnit::*;
    let mut all = vec![
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
        Date32,
        Date64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(0),
        FixedSizeBinary(5),
        Time32(Second),
        Time32(Millisecond),
        Time64(Microsecond),
        Time64(Nanosecond),
        Interval(IntervalUnit::YearMonth),
        Interval(IntervalUnit::DayTime),
        Interval(IntervalUnit::MonthDayNano),
        Decimal32(9, 2),
        Decimal64(9, 2),
        Decimal64(18, -3),
        Decimal128(5, 0),
        Decimal128(18, 18),
        Decimal128(38, 10),
        Decimal256(9, 1),
        Decimal256(18, 2),
        Decimal256(76, 5),
    ];
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        all.push(Timestamp(unit, None));
        all.push(Timestamp(unit, Some("Europe/Zurich".into())));
        all.push(Duration(unit));
    }
    all
}

/// Dictionaries, run ends and nested types of some depth.
pub(crate) fn nested_types() -> Vec<DataType> {
    use DataType::*;
    let mut all: Vec<DataType> = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64]
        .map(|keys| Dictionary(Box::new(keys), Box::new(Utf8)))
        .into();
    all.extend([Int32, Boolean, Decimal256(76, 1), Utf8View, Null].map(dictionary));
    all.extend([Int16, Int32, Int64].map(|ends| runs(ends, Utf8)));
    let record = Struct(
        vec![
            field("a", Int32, true),
            field("b", Utf8, false),
            field("", Struct(Fields::empty()), true),
        ]
        .into(),
    );
    all.extend([
        dictionary(dictionary(Int64)),
        dictionary(record.clone()),
        dictionary(List(field("item", dictionary(Utf8), true))),
        runs(Int32, dictionary(Utf8)),
        runs(Int32, record.clone()),
        Struct(Fields::empty()),
        record.clone(),
        map(Utf8, Int32, false),
        map(dictionary(Int32), record, true),
        dense_union(),
        sparse_union(),
    ]);
    all
}

fn dictionary(values: DataType) -> DataType {
    DataType::Dictionary(Box::new(DataType::Int16), Box::new(values))
}

fn runs(ends: DataType, values: DataType) -> DataType {
    DataType::RunEndEncoded(field("my ends", ends, false), field("my values", values, true))
}

fn map(key: DataType, value: DataType, ordered: bool) -> DataType {
    let entries = vec![field("the key", key, false), field("the value", value, true)];
    DataType::Map(field("the entries", DataType::Struct(entries.into()), false), ordered)
}

pub(crate) fn dense_union() -> DataType {
    DataType::Union(branches(), UnionMode::Dense)
}

fn sparse_union() -> DataType {
    DataType::Union(branches(), UnionMode::Sparse)
}

fn branches() -> UnionFields {
    let fields = [
        field("int", DataType::Int32, true),
        field("text", DataType::Utf8, false),
        field("nothing", DataType::Null, true),
        field("list", DataType::List(field("item", DataType::Float64, true)), true),
    ];
    [7, 0, 3, 5].into_iter().zip(fields).collect()
}

/// Types around a type.
pub(crate) fn around(inner: &DataType) -> Vec<DataType> {
    use DataType::*;
    let item = field("item", inner.clone(), true);
    // Arrow holds null arrays and unions with nullable branches to be nullable.
    let firm = field("firm", inner.clone(), matches!(inner, Null | Union(..) | Dictionary(..)));
    let mut all = vec![
        List(item.clone()),
        List(firm.clone()),
        LargeList(item.clone()),
        ListView(item.clone()),
        LargeListView(firm.clone()),
        FixedSizeList(item.clone(), 3),
        FixedSizeList(firm.clone(), 2),
        FixedSizeList(item.clone(), 0),
        Struct(vec![field("", FixedSizeList(firm.clone(), 0), true), item.clone()].into()),
        Struct(vec![item.clone(), firm.clone()].into()),
        List(field("item", List(item.clone()), true)),
        map(Utf8, inner.clone(), false),
        Union([1, 4].into_iter().zip([item.clone(), firm.clone()]).collect(), UnionMode::Dense),
        Union([1, 4].into_iter().zip([firm, item]).collect(), UnionMode::Sparse),
    ];
    all.push(dictionary(inner.clone()));
    all.push(runs(Int32, inner.clone()));
    all
}

impl Sampler {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn nulls(&mut self, n: usize, nullable: bool) -> Option<NullBuffer> {
        let one_in = [3, 3, 1, 50][self.below(4)];
        let bits: BooleanBuffer = (0..n).map(|_| self.below(one_in) > 0).collect();
        nullable.then(|| NullBuffer::new(bits))
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.below(256) as u8).collect()
    }

    /// Returns an array of `n` rows.
    pub(crate) fn array(&mut self, data_type: &DataType, n: usize, nullable: bool) -> ArrayRef {
        use DataType::*;
        let nulls = self.nulls(n, nullable);
        match data_type {
            Null => new_null_array(data_type, n),
            Boolean => {
                let bits: BooleanBuffer = (0..n).map(|_| self.below(2) == 0).collect();
                Arc::new(BooleanArray::new(bits, nulls))
            }
            Utf8 | LargeUtf8 | Utf8View => {
                let words = ["", "a", "é", "twelve bytes", "more than twelve bytes", "日本"];
                let text = (0..n).map(|_| Some(words[self.below(words.len())]));
                let (offsets, data, _) = text.collect::<StringArray>().into_parts();
                compute::cast(&StringArray::new(offsets, data, nulls), data_type).unwrap()
            }
            Binary | LargeBinary | BinaryView => {
                let lengths: Vec<usize> = (0..n).map(|_| self.below(20)).collect();
                let data = self.bytes(lengths.iter().sum());
                let offsets = OffsetBuffer::from_lengths(lengths);
                compute::cast(&BinaryArray::new(offsets, data.into(), nulls), data_type).unwrap()
            }
            FixedSizeBinary(size) => {
                let data = self.bytes(n * *size as usize).into();
                Arc::new(FixedSizeBinaryArray::try_new_with_len(*size, data, nulls, n).unwrap())
            }
            Decimal32(p, _) | Decimal64(p, _) | Decimal128(p, _) | Decimal256(p, _) => {
                self.decimal(data_type, *p, n, nulls)
            }
            Dictionary(keys, values) => self.dictionary(keys, values, n, nulls),
            RunEndEncoded(..) => self.runs(data_type, n, nullable),
            primitive if primitive.primitive_width().is_some() => {
                let width = primitive.primitive_width().unwrap();
                let data = ArrayData::builder(data_type.clone()).len(n).nulls(nulls);
                let data = data.add_buffer(self.bytes(n * width).into()).align_buffers(true);
                make_array(data.build().unwrap())
            }
            _ => self.nested(data_type, n, nulls),
        }
    }

    fn decimal(
        &mut self,
        data_type: &DataType,
        precision: u8,
        n: usize,
        nulls: Option<NullBuffer>,
    ) -> ArrayRef {
        let bound = i128::pow(10, u32::from(precision.min(37)));
        let all: Vec<i128> = (0..n)
            .map(|_| {
                let bytes: [u8; 16] = self.bytes(16).try_into().unwrap();
                let edges = [0, -1, 1, 127, 128, -128, -129, bound - 1, 1 - bound];
                let value = i128::from_le_bytes(bytes) % bound;
                edges.get(self.below(20)).copied().unwrap_or(value)
            })
            .map(|v| if precision < 4 { v % 100 } else { v % bound })
            .collect();
        let array: ArrayRef = match data_type {
            DataType::Decimal32(..) => Arc::new(
                Decimal32Array::new(all.iter().map(|v| *v as i32).collect(), nulls)
                    .with_data_type(data_type.clone()),
            ),
            DataType::Decimal64(..) => Arc::new(
                Decimal64Array::new(all.iter().map(|v| *v as i64).collect(), nulls)
                    .with_data_type(data_type.clone()),
            ),
            DataType::Decimal128(..) => {
                Arc::new(Decimal128Array::new(all.into(), nulls).with_data_type(data_type.clone()))
            }
            _ => {
                let wide = all.iter().map(|v| {
                    if precision > 70 {
                        i256::from_i128(*v).wrapping_mul(i256::from_i128(i128::MAX / 7))
                    } else {
                        i256::from_i128(*v)
                    }
                });
                Arc::new(
                    Decimal256Array::new(wide.collect(), nulls).with_data_type(data_type.clone()),
                )
            }
        };
        array
    }

    fn dictionary(
        &mut self,
        keys: &DataType,
        values: &DataType,
        n: usize,
        nulls: Option<NullBuffer>,
    ) -> ArrayRef {
        let nullable = nulls.is_some() && !matches!(values, DataType::Union(..));
        let values = self.array(values, 9, nullable);
        let places: Int32Array =
            Int32Array::new((0..n).map(|_| self.below(9) as i32).collect(), nulls);
        let keys = compute::cast(&places, keys).unwrap();
        let data_type = DataType::Dictionary(
            Box::new(keys.data_type().clone()),
            Box::new(values.data_type().clone()),
        );
        let data =
            keys.to_data().into_builder().data_type(data_type).child_data(vec![values.to_data()]);
        make_array(data.build().unwrap())
    }

    fn runs(&mut self, data_type: &DataType, n: usize, nullable: bool) -> ArrayRef {
        let DataType::RunEndEncoded(ends, values) = data_type else { unreachable!() };
        let mut at = 0;
        let run_ends: Vec<i32> = std::iter::from_fn(|| {
            (at < n).then(|| {
                at = (at + 1 + self.below(5)).min(n);
                at as i32
            })
        })
        .collect();
        let values = self.array(values.data_type(), run_ends.len(), nullable);
        let ends = compute::cast(&Int32Array::from(run_ends), ends.data_type()).unwrap();
        let data = ArrayData::builder(data_type.clone()).len(n);
        make_array(data.child_data(vec![ends.to_data(), values.to_data()]).build().unwrap())
    }

    fn nested(&mut self, data_type: &DataType, n: usize, nulls: Option<NullBuffer>) -> ArrayRef {
        use DataType::*;
        match data_type {
            List(f) => {
                let (offsets, items) = self.items(f, n);
                Arc::new(ListArray::new(f.clone(), offsets, items, nulls))
            }
            LargeList(f) => {
                let (offsets, items) = self.items(f, n);
                let offsets = OffsetBuffer::new(offsets.iter().map(|o| i64::from(*o)).collect());
                Arc::new(LargeListArray::new(f.clone(), offsets, items, nulls))
            }
            ListView(f) => {
                let (starts, sizes, items) = self.views(f, n);
                Arc::new(ListViewArray::new(f.clone(), starts.into(), sizes.into(), items, nulls))
            }
            LargeListView(f) => {
                let (starts, sizes, items) = self.views(f, n);
                let wide =
                    |v: Vec<i32>| v.into_iter().map(i64::from).collect::<ScalarBuffer<i64>>();
                Arc::new(LargeListViewArray::new(
                    f.clone(),
                    wide(starts),
                    wide(sizes),
                    items,
                    nulls,
                ))
            }
            FixedSizeList(f, size) => {
                let items = self.array(f.data_type(), n * *size as usize, f.is_nullable());
                let list =
                    FixedSizeListArray::try_new_with_length(f.clone(), *size, items, nulls, n);
                Arc::new(list.unwrap())
            }
            Map(f, ordered) => {
                let (offsets, entries) = self.items(f, n);
                let entries = entries.as_struct().clone();
                Arc::new(MapArray::new(f.clone(), offsets, entries, nulls, *ordered))
            }
            Struct(fields) => {
                let children = fields.iter().map(|f| self.array(f.data_type(), n, f.is_nullable()));
                let children = children.collect();
                Arc::new(
                    StructArray::try_new_with_length(fields.clone(), children, nulls, n).unwrap(),
                )
            }
            Union(fields, mode) => self.union(fields, *mode, n),
            other => panic!("no sample of {other}"),
        }
    }

    fn items(&mut self, item: &Field, n: usize) -> (OffsetBuffer<i32>, ArrayRef) {
        let skipped = self.below(3);
        let lengths: Vec<usize> = (0..n).map(|_| self.below(4)).collect();
        let total = skipped + lengths.iter().sum::<usize>() + 2;
        let mut at = skipped as i32;
        let mut offsets: Vec<i32> = vec![at];
        offsets.extend(lengths.iter().map(|n| {
            at += *n as i32;
            at
        }));
        (OffsetBuffer::new(offsets.into()), self.array(item.data_type(), total, item.is_nullable()))
    }

    fn views(&mut self, item: &Field, n: usize) -> (Vec<i32>, Vec<i32>, ArrayRef) {
        let sizes: Vec<i32> = (0..n).map(|_| self.below(4) as i32).collect();
        let starts = (0..n).map(|_| self.below(6) as i32).collect();
        (starts, sizes, self.array(item.data_type(), 10, item.is_nullable()))
    }

    fn union(&mut self, fields: &UnionFields, mode: UnionMode, n: usize) -> ArrayRef {
        let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
        let ids: Vec<i8> = (0..n).map(|_| ids[self.below(ids.len())]).collect();
        let len = |id: i8| match mode {
            UnionMode::Dense => ids.iter().filter(|i| **i == id).count() + 1,
            UnionMode::Sparse => n,
        };
        let children: Vec<ArrayRef> = fields
            .iter()
            .map(|(id, f)| self.array(f.data_type(), len(id), f.is_nullable()))
            .collect();
        let offsets = (mode == UnionMode::Dense).then(|| {
            let mut next = [0i32; 128];
            let skip = self.below(2) as i32;
            let offset = |id: &i8| {
                next[*id as usize] += 1;
                next[*id as usize] - 1 + skip
            };
            ids.iter().map(offset).collect::<ScalarBuffer<i32>>()
        });
        Arc::new(UnionArray::try_new(fields.clone(), ids.into(), offsets, children).unwrap())
    }
}
