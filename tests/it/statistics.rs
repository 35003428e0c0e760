//! Statistics state what the rows are: for every type, codec, pattern of nulls, cut of blocks and writer.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{SortOptions, nullif};
use arrow::datatypes::*;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::arrow::*;
use trevni::codec::Codec;
use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};
use trevni::{
    ColumnMetadata, ColumnSlice, FileReader, FileWriter, Order, RowWriter, ValueType, ValuesRef,
};

use super::arrow::write;
use super::cases::{cases, one_of};
use super::testdata::Numbers;
use trevni_testing::arrays::array_of;
use trevni_testing::numbers::below;

/// Returns the types with statistics, and some that have only null counts.
fn types() -> Vec<DataType> {
    use DataType::*;
    let units =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let mut types = vec![
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
        FixedSizeBinary(3),
        Decimal32(7, 1),
        Decimal64(15, 0),
        Decimal128(9, 2),
        Decimal128(38, 1),
        Decimal256(70, -1),
        Interval(IntervalUnit::MonthDayNano),
        Time32(TimeUnit::Second),
        Time32(TimeUnit::Millisecond),
        Time64(TimeUnit::Microsecond),
        Time64(TimeUnit::Nanosecond),
    ];
    types.extend(units.map(Duration));
    types.extend(units.map(|unit| Timestamp(unit, None)));
    types
}

/// Returns which of some rows have a value, in a pattern that has run into trouble before.
fn pattern(n: &mut Numbers, rows: usize) -> NullBuffer {
    let cut = below(n, rows + 1);
    let run = 1 + below(n, 150);
    let bit: &dyn Fn(usize) -> bool = match below(n, 8) {
        0 => &|row| row >= cut,
        1 => &|row| row < cut,
        2 => &|row| (row / run).is_multiple_of(2),
        3 => &|row| !(row / run).is_multiple_of(2),
        4 => &|row| row == cut,
        5 => &|row| row != cut,
        6 => &|_| false,
        _ => &|_| true,
    };
    let mut bits: Vec<bool> = (0..rows).map(bit).collect();
    if below(n, 4) == 0 {
        bits.iter_mut().for_each(|bit| *bit |= below(n, 3) == 0);
    }
    NullBuffer::new(BooleanBuffer::from(bits))
}

/// Returns values that are all negative, all positive or both, with whatever they are in slots that are null.
fn column(n: &mut Numbers, data_type: &DataType, rows: usize) -> ArrayRef {
    let array = array_of(data_type, false, rows, n);
    let validity = pattern(n, rows);
    if data_type.is_null() {
        return array;
    }
    let array = match (below(n, 3), data_type) {
        (0, DataType::Int64) => {
            Arc::new(array.as_primitive::<Int64Type>().unary::<_, Int64Type>(|v| -1 - (v & 0xffff)))
                as ArrayRef
        }
        (1, DataType::Int64) => {
            Arc::new(array.as_primitive::<Int64Type>().unary::<_, Int64Type>(|v| 1 + (v & 0xffff)))
        }
        (2, DataType::Float64) => Arc::new(
            array.as_primitive::<Float64Type>().unary::<_, Float64Type>(|v| -1.0 - v.abs()),
        ),
        _ => array,
    };
    nullif(&array, &BooleanArray::new(!validity.inner(), None)).unwrap()
}

/// Compares the statistics of a field with its rows.
fn check(array: &ArrayRef, statistics: &ColumnStatistics) -> Result<(), String> {
    let rows: u64 = statistics.blocks().iter().map(|rows| rows.end - rows.start).sum();
    if rows != array.len() as u64 {
        return Err(format!("{rows} rows in blocks, not {}", array.len()));
    }
    let mut nulls = 0;
    for (block, rows) in statistics.blocks().iter().enumerate() {
        let part = array.slice(rows.start as usize, (rows.end - rows.start) as usize);
        nulls += part.logical_null_count() as u64;
        if statistics.null_counts().value(block) != part.logical_null_count() as u64 {
            return Err(format!(
                "block {block}: null count {}",
                statistics.null_counts().value(block)
            ));
        }
        let exact = statistics.are_exact().value(block);
        for (bounds, end) in [
            (statistics.min_values(), Ordering::Less),
            (statistics.max_values(), Ordering::Greater),
        ] {
            check_bound(&part, &bounds.slice(block, 1), end, exact)
                .map_err(|e| format!("block {block}: {e}"))?;
        }
    }
    if statistics.null_count() != nulls {
        return Err(format!("null count {}, not {nulls}", statistics.null_count()));
    }
    for (bound, end) in [(statistics.min(), Ordering::Less), (statistics.max(), Ordering::Greater)]
    {
        if let Some(bound) = bound {
            check_bound(array, &bound, end, statistics.is_exact())?;
        }
    }
    Ok(())
}

/// Compares a bound, an array of one value, with the outermost of some rows.
fn check_bound(
    rows: &ArrayRef,
    bound: &ArrayRef,
    end: Ordering,
    exact: bool,
) -> Result<(), String> {
    let Ok(compare) = make_comparator(rows, rows, SortOptions::default()) else {
        return if bound.is_valid(0) {
            Err("a bound of values without order".into())
        } else {
            Ok(())
        };
    };
    let valid = (0..rows.len()).filter(|row| rows.is_valid(*row));
    let outermost = valid.reduce(|a, b| if compare(b, a) == end { b } else { a });
    match outermost {
        None if bound.is_valid(0) => Err("a bound of nulls".into()),
        None => Ok(()),
        Some(_) if bound.is_null(0) => Ok(()),
        Some(row) => {
            let compare = make_comparator(bound, rows, SortOptions::default()).unwrap();
            match compare(0, row) {
                Ordering::Equal => Ok(()),
                other if other == end && !exact => Ok(()),
                other => {
                    Err(format!("bound {bound:?} is {other:?} than row {row}, exact: {exact}"))
                }
            }
        }
    }
}

/// Fails unless a file is without faults, and its statistics are those of its rows.
fn check_file(file: &Bytes, batch: &RecordBatch) -> Result<(), String> {
    let faults = FileReader::try_new(file.clone()).unwrap().verify(|_| ()).faults;
    if !faults.is_empty() {
        return Err(format!("{faults:?}"));
    }
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        let name = field.name().as_str();
        let inner = array.as_struct_opt().map(|array| array.column(0).clone());
        let path = if inner.is_some() { format!("{name}.f") } else { name.to_owned() };
        // A row of a struct that is null is null in its fields, too.
        let array = match (inner, array.nulls()) {
            (Some(inner), Some(nulls)) if !inner.data_type().is_null() => {
                nullif(&inner, &BooleanArray::new(!nulls.inner(), None)).unwrap()
            }
            (Some(inner), _) => inner,
            (None, _) => array.clone(),
        };
        match builder.statistics(path.as_str()).unwrap() {
            Some(statistics) => {
                check(&array, &statistics)
                    .map_err(|e| format!("{path}: {}: {e}", array.data_type()))?;
            }
            None if array.data_type().is_null() => return Err(format!("{path}: no statistics")),
            None => {}
        }
    }
    Ok(())
}

/// Returns a batch of some columns, of which some are within structs.
fn batch(n: &mut Numbers, rows: usize) -> RecordBatch {
    let types = types();
    let columns = (0..4).map(|i| {
        let data_type = &types[below(n, types.len())];
        let array = column(n, data_type, rows);
        let array: ArrayRef = match below(n, 3) {
            0 => {
                let field = Arc::new(Field::new("f", data_type.clone(), true));
                let nulls = (below(n, 2) == 0).then(|| pattern(n, rows));
                Arc::new(StructArray::new(vec![field].into(), vec![array], nulls))
            }
            _ => array,
        };
        (format!("c{i}"), array, true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn codecs() -> impl Strategy<Value = Codec> {
    one_of(&[Codec::Null, Codec::Snappy, Codec::Pack, Codec::Pack, Codec::PackZstd])
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn statistics_are_of_the_rows(
        seed: u64, codec in codecs(), rows in 1usize..900,
        block_rows in prop::sample::select(vec![1usize, 63, 64, 65, 200, 4096]),
        block_size in prop::sample::select(vec![1usize, 200, 65_536]),
        filters: bool, threads in 1usize..3,
    ) {
        let n = &mut Numbers(seed);
        let batch = batch(n, rows);
        let properties = WriterProperties::builder()
            .set_codec(codec)
            .set_block_rows(block_rows)
            .set_block_size(block_size)
            .set_bloom_filter_enabled(filters)
            .set_parallelism(threads)
            .build();
        let cut = below(n, rows + 1);
        let batches = [batch.slice(0, cut), batch.slice(cut, rows - cut)];
        let file = write(&batch.schema(), &batches, properties.clone()).unwrap();
        check_file(&file, &batch).map_err(|e| TestCaseError::fail(format!("seed {seed}: {e}")))?;
        // Files end to end have the statistics of both.
        let parts = batches.map(|batch| write(&batch.schema(), &[batch], properties.clone()).unwrap());
        let parts = parts.map(|part| FileReader::try_new(part).unwrap());
        let mut joined = Vec::new();
        // Files whose columns are of other value types are not joined.
        if trevni::concat(&parts, &mut joined).is_ok() {
            let checked = check_file(&joined.into(), &batch);
            checked.map_err(|e| TestCaseError::fail(format!("seed {seed}, concat: {e}")))?;
        }
    }

    #[test]
    fn statistics_are_of_the_slots_that_writers_without_arrow_are_given(
        seed: u64, codec in codecs(), rows in 1usize..500, block_rows in prop::sample::select(vec![1usize, 64, 100, 4096]),
    ) {
        let n = &mut Numbers(seed);
        let values: Vec<i64> = (0..rows).map(|_| (n.next31() << 20) - below(n, 1 << 30) as i64).collect();
        let validity = pattern(n, rows);
        let column = || vec![ColumnMetadata::new("a", ValueType::Long).array().with_statistics(Order::Natural)];
        let builder = || FileWriter::builder().set_codec(codec).set_block_rows(block_rows);
        let lengths: Vec<u32> = validity.iter().map(u32::from).collect();
        let present: Vec<i64> = validity.valid_indices().map(|row| values[row]).collect();
        let mut files = Vec::new();
        let mut writer = builder().build(Vec::new(), column()).unwrap();
        writer.write(rows, &[ColumnSlice::array(&lengths, ValuesRef::Long(&present))]).unwrap();
        files.push(writer.finish().unwrap().0);
        if codec.is_value_codec() {
            let mut writer = builder().build(Vec::new(), column()).unwrap();
            let bits = validity.inner().sliced();
            writer.write(rows, &[ColumnSlice::slots(&bits, 0, ValuesRef::Long(&values))]).unwrap();
            files.push(writer.finish().unwrap().0);
        }
        let mut writer = RowWriter::new(builder().build(Vec::new(), column()).unwrap());
        for row in 0..rows {
            writer.start_row().unwrap();
            writer.write_length(0, lengths[row]).unwrap();
            if lengths[row] == 1 {
                writer.write_value(0, values[row]).unwrap();
            }
            writer.end_row().unwrap();
        }
        files.push(writer.finish().unwrap().0);
        for file in files {
            let file = FileReader::try_new(Bytes::from(file)).unwrap();
            let faults = file.verify(|_| ()).faults;
            prop_assert!(faults.is_empty(), "seed {seed}: {faults:?}");
            let statistics = file.statistics(0).unwrap().unwrap();
            let nulls: u64 = statistics.blocks.iter().map(|block| u64::from(block.nulls)).sum();
            prop_assert_eq!(nulls, validity.null_count() as u64);
            let least = statistics.blocks.iter().filter_map(|block| block.bounds.as_ref());
            let least = least.map(|bounds| match bounds.min { trevni::Value::Long(v) => v, _ => 0 }).min();
            prop_assert_eq!(least, present.iter().copied().min());
        }
    }
}

/// The files of a data set have statistics of their rows, and so has its commit.
#[test]
fn statistics_of_files_are_of_their_rows() {
    for seed in 0..30 {
        let n = &mut Numbers(seed);
        let batch = batch(n, 400);
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("set");
        let codec = [Codec::Pack, Codec::Snappy][below(n, 2)];
        let properties = WriterProperties::builder().set_codec(codec).set_block_rows(100).build();
        let properties = DatasetProperties::builder()
            .set_max_rows_per_file(150)
            .set_writer_properties(properties)
            .build();
        let mut writer = DatasetWriter::try_new(&at, batch.schema(), properties).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let dataset = Dataset::open(&at).unwrap();
        let mut row = 0;
        for file in dataset.files() {
            let bytes = Bytes::from(std::fs::read(at.join(file.path())).unwrap());
            let rows = file.rows() as usize;
            check_file(&bytes, &batch.slice(row, rows))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            row += rows;
        }
        assert_eq!(row, 400);
    }
}

/// The minimum of a block that begins with more than 64 nulls is one of its values.
#[test]
fn leading_nulls_are_no_values() {
    let a: ArrayRef =
        Arc::new(Int64Array::from_iter((0..400).map(|i| (i >= 100).then_some(1000 + i))));
    let batch = RecordBatch::try_from_iter_with_nullable([("a", a, true)]).unwrap();
    let properties = WriterProperties::builder().set_codec(Codec::Pack).build();
    let file = write(&batch.schema(), &[batch], properties).unwrap();
    let statistics = ArrowReaderBuilder::try_new(file).unwrap().statistics("a").unwrap().unwrap();
    assert!(statistics.is_exact());
    assert_eq!(statistics.min().unwrap().as_primitive::<Int64Type>().values(), &[1100]);
    assert_eq!(statistics.max().unwrap().as_primitive::<Int64Type>().values(), &[1399]);
}

/// Statistics that are not those of the values are named.
#[test]
fn wrong_statistics_are_faults() {
    let values: Vec<i32> = (0..100).collect();
    let column = |statistics: bool| {
        let column = ColumnMetadata::new("a", ValueType::Fixed32);
        if statistics { column.with_statistics(Order::Natural) } else { column }
    };
    let written = |values: &[i32]| {
        let builder = FileWriter::builder().set_codec(Codec::Null).set_block_size(1);
        let mut writer = builder.build(Vec::new(), vec![column(true)]).unwrap();
        writer.write(values.len(), &[ColumnSlice::plain(ValuesRef::Int(values))]).unwrap();
        writer.finish().unwrap().0
    };
    let right = written(&values);
    assert!(
        FileReader::try_new(Bytes::from(right.clone())).unwrap().verify(|_| ()).faults.is_empty()
    );
    // The values of another file of the same rows and sizes, whose checksums fit.
    let other = written(&values.iter().map(|v| v + 1000).collect::<Vec<_>>());
    let headers = [&right, &other].map(|file| {
        let file = FileReader::try_new(Bytes::from(file.clone())).unwrap();
        file.blocks(0).unwrap()[0].offset as usize
    });
    let mixed = [&right[..headers[0]], &other[headers[1]..]].concat();
    let faults = FileReader::try_new(Bytes::from(mixed)).unwrap().verify(|_| ()).faults;
    assert_eq!(faults.len(), 100);
    let text = faults[7].to_string();
    assert!(
        text.contains("column \"a\", block 7")
            && text.contains("minimum of its statistics is 7, not 1007"),
        "{text}"
    );
}
