//! Lists of Arrow types to test with: every type that is not nested, nested ones, and types around a type.

use std::sync::Arc;

use arrow::datatypes::*;

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
