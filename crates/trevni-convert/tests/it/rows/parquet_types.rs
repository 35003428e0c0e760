//! Arrow's types in Parquet: most come back as they were, some are refused.

use std::sync::Arc;

use arrow::datatypes::*;
use trevni_convert::{Format, WriteOptions, random_rows};

use super::{Table, assert_alike, assert_same, collect, file, table, write};
use trevni_testing::arrays::batches;

fn field(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

fn list(item: DataType) -> DataType {
    DataType::List(field(item))
}

fn map(value: DataType) -> DataType {
    let key = Field::new("key", DataType::Utf8, false);
    let entries =
        DataType::Struct(vec![Arc::new(key), Arc::new(Field::new("value", value, true))].into());
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

fn dictionary(values: DataType) -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(values))
}

fn record(data_type: DataType) -> DataType {
    DataType::Struct(vec![field(DataType::Int8), Arc::new(Field::new("b", data_type, true))].into())
}

fn union() -> DataType {
    let fields = [DataType::Int32, DataType::Utf8]
        .map(|data_type| Field::new(data_type.to_string(), data_type, true));
    DataType::Union(UnionFields::try_new([0, 1], fields).unwrap(), UnionMode::Dense)
}

fn runs(values: DataType) -> DataType {
    let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
    DataType::RunEndEncoded(ends, Arc::new(Field::new("values", values, true)))
}

fn random(data_type: &DataType, nullable: bool, seed: u64) -> Table {
    let metadata = [("k".to_owned(), "v".to_owned())].into();
    let field = Field::new("c", data_type.clone(), nullable).with_metadata(metadata);
    let metadata = [("k".to_owned(), "w".to_owned())].into();
    let schema = Schema::new_with_metadata(vec![field], metadata);
    collect(random_rows(Arc::new(schema), 200, seed, 64)).unwrap()
}

fn leaves() -> Vec<DataType> {
    use DataType::*;
    use TimeUnit::*;
    let utc = || Some("+00:00".into());
    vec![
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
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(3),
        Date32,
        Date64,
        Decimal32(5, 2),
        Decimal64(12, 3),
        Decimal128(30, 4),
        Decimal256(60, 5),
        Time32(Second),
        Time32(Millisecond),
        Time64(Microsecond),
        Time64(Nanosecond),
        Timestamp(Second, None),
        Timestamp(Millisecond, utc()),
        Timestamp(Microsecond, None),
        Timestamp(Nanosecond, Some("Europe/Berlin".into())),
        Duration(Second),
        Duration(Millisecond),
        Duration(Microsecond),
        Duration(Nanosecond),
        Interval(IntervalUnit::YearMonth),
        Interval(IntervalUnit::DayTime),
    ]
}

/// Returns the types that a leaf can be in.
fn nested(leaf: &DataType) -> [DataType; 8] {
    [
        leaf.clone(),
        list(leaf.clone()),
        record(leaf.clone()),
        map(leaf.clone()),
        DataType::LargeList(field(leaf.clone())),
        DataType::FixedSizeList(field(leaf.clone()), 2),
        DataType::ListView(field(leaf.clone())),
        DataType::LargeListView(field(leaf.clone())),
    ]
}

#[test]
fn types_come_back_as_they_were() {
    let mut all: Vec<_> = leaves().iter().flat_map(nested).collect();
    let deep = list(list(record(map(DataType::Int64))));
    all.extend([deep, map(list(dictionary(DataType::Utf8)))]);
    for data_type in &all {
        for nullable in [false, true] {
            if data_type == &DataType::Null && !nullable {
                continue;
            }
            let expected = random(data_type, nullable, 3);
            let found = table("parquet", &file("parquet", &expected));
            assert_same(&format!("{data_type}, {nullable}"), &expected, &found);
        }
    }
    assert_eq!(all.len(), 40 * 8 + 2);
}

#[test]
fn dictionaries_come_back_or_are_refused() {
    use DataType::*;
    let mut refused = Vec::new();
    for leaf in leaves() {
        let expected = random(&dictionary(leaf.clone()), true, 4);
        match write("parquet", &expected, &WriteOptions::default()) {
            Ok(parquet) => assert_same(&leaf.to_string(), &expected, &table("parquet", &parquet)),
            Err(e) => {
                let what = format!("column \"c\": Parquet cannot hold a dictionary of {leaf}");
                assert_eq!(e.to_string(), format!("invalid: {what}"));
                refused.push(leaf);
            }
        }
    }
    let intervals = [IntervalUnit::YearMonth, IntervalUnit::DayTime].map(Interval);
    let others =
        [Null, Boolean, Float16, Utf8View, BinaryView, Decimal128(30, 4), Decimal256(60, 5)];
    assert_eq!(refused, [others.as_slice(), &intervals].concat());
}

#[test]
fn runs_come_back_value_by_value() {
    for leaf in leaves() {
        let expected = random(&runs(leaf.clone()), true, 5);
        let found = table("parquet", &file("parquet", &expected));
        assert_eq!(found.schema.field(0).data_type(), &leaf);
        assert_alike(&leaf.to_string(), &expected, &found);
    }
}

#[test]
fn types_without_a_form_are_refused() {
    let interval = DataType::Interval(IntervalUnit::MonthDayNano);
    let cases = [
        (union(), "unions"),
        (interval, "intervals of months, days and nanoseconds"),
        (DataType::Struct(Fields::empty()), "a struct without fields"),
        (DataType::FixedSizeBinary(0), "binary of a fixed size of 0"),
        (DataType::Decimal128(20, -1), "decimals of a negative scale"),
        (runs(list(DataType::Int8)), "runs of List(Int8)"),
    ];
    for (leaf, what) in cases {
        for data_type in nested(&leaf).into_iter().chain([runs(leaf.clone()), dictionary(leaf)]) {
            let schema = Arc::new(Schema::new(vec![Field::new("c", data_type, true)]));
            let none = Table { schema, batches: Vec::new() };
            let said = write("parquet", &none, &WriteOptions::default()).unwrap_err().to_string();
            assert_eq!(said, format!("invalid: column \"c\": Parquet cannot hold {what}"));
        }
    }
    let schema = Arc::new(Schema::empty());
    let none = Table { schema, batches: Vec::new() };
    let said = write("parquet", &none, &WriteOptions::default()).unwrap_err().to_string();
    assert_eq!(said, "invalid: Parquet cannot hold rows without columns");
}

/// Tables of any columns, of any names.
#[test]
fn random_tables_come_back_or_are_refused() {
    let (mut same, mut refused) = (0, 0);
    for seed in 0..600 {
        let (schema, batches) = batches(seed);
        let expected = Table { schema, batches };
        match write("parquet", &expected, &WriteOptions::default()) {
            Ok(parquet) => {
                let found = table("parquet", &parquet);
                assert_alike(&format!("seed {seed}"), &expected, &found);
                assert_eq!(expected.schema.metadata(), found.schema.metadata());
                same += 1;
            }
            Err(e) => {
                let said = e.to_string();
                assert!(said.starts_with("invalid: "), "seed {seed}: {said}");
                refused += 1;
            }
        }
    }
    println!("{same} tables came back, {refused} were refused");
    assert!(same > 200 && refused > 100);
}

/// What the writer below cannot take is its own error.
#[test]
fn a_full_disk_is_said_to_be_one() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let names = ["parquet", "avro"].into_iter();
    for name in names.filter(|name| Format::named(name).is_ok()) {
        let table = random(&DataType::Int32, true, 1);
        let mut full = Full;
        let create = Format::named(name).unwrap().create;
        let sink = create(&mut full, table.schema.clone(), &WriteOptions::default());
        let end = sink.and_then(|mut sink| {
            table.batches.iter().try_for_each(|batch| sink.write(batch))?;
            sink.finish()
        });
        assert_eq!(end.unwrap_err().to_string(), "no storage space", "{name}");
    }
}

/// A timestamp of twelve bytes beyond the year 2262 is read in microseconds.
#[test]
fn int96_beyond_nanoseconds_is_in_microseconds() {
    let bytes =
        std::fs::read(trevni_testing::data::selected("odd/int96_beyond_nanoseconds.parquet"));
    let table = table("parquet", &bytes.unwrap());
    let unit = DataType::Timestamp(TimeUnit::Microsecond, None);
    assert_eq!(*table.schema.field(0).data_type(), unit);
    let values = arrow::compute::cast(table.batches[0].column(0), &DataType::Utf8).unwrap();
    let values: Vec<_> = arrow::array::AsArray::as_string::<i32>(&values).iter().collect();
    assert_eq!(values, [Some("9999-12-31T00:00:00"), Some("2021-03-04T00:00:00")]);
}
