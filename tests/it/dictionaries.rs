//! Text and binary data read as dictionaries: the same values, whatever the codec, the batches and the rows.

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::DataType;
use bytes::Bytes;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowReaderOptions, ArrowWriter, Predicate, RowSelection, WriterProperties,
};
use trevni::codec::Codec;

const ROWS: usize = 20_000;

/// Few values and many, short and long, with nulls and without.
fn table() -> RecordBatch {
    let word = |row: usize, distinct: usize| (row * 7919 / 13) % distinct;
    let short: StringArray = (0..ROWS).map(|row| Some(format!("s{}", word(row, 40)))).collect();
    let long: StringArray = (0..ROWS)
        .map(|row| (row % 5 != 0).then(|| format!("a long value, number {:>8}", word(row, 300))))
        .collect();
    let unique: LargeStringArray =
        (0..ROWS).map(|row| Some(format!("a value that comes once, {row}"))).collect();
    let binary: BinaryArray =
        (0..ROWS).map(|row| (row % 7 != 3).then(|| vec![word(row, 9) as u8; row % 23])).collect();
    let number = Int64Array::from_iter_values((0..ROWS as i64).map(|row| row % 1000));
    RecordBatch::try_from_iter([
        ("short", Arc::new(short) as ArrayRef),
        ("long", Arc::new(long)),
        ("unique", Arc::new(unique)),
        ("binary", Arc::new(binary)),
        ("number", Arc::new(number)),
    ])
    .unwrap()
}

fn file(batch: &RecordBatch, codec: Codec) -> Bytes {
    let properties = WriterProperties::builder().set_codec(codec).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap().0.into()
}

/// Returns the rows of a reader with their dictionaries expanded; each column but the last must be one.
fn expanded(
    builder: ArrowReaderBuilder<Bytes>,
    change: impl FnOnce(ArrowReaderBuilder<Bytes>) -> ArrowReaderBuilder<Bytes>,
    like: &RecordBatch,
) -> RecordBatch {
    let batches = change(builder).build().unwrap().map(|batch| {
        let batch = batch.unwrap();
        let schema = like.schema();
        let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| {
            let is_dictionary = matches!(column.data_type(), DataType::Dictionary(..));
            assert_eq!(is_dictionary, field.name() != "number", "{field}");
            column.to_data().validate_full().unwrap();
            if let Some(dictionary) = column.as_any_dictionary_opt() {
                assert!(dictionary.values().len() <= column.len());
            }
            cast(column, field.data_type()).unwrap()
        });
        RecordBatch::try_new(like.schema(), columns.collect()).unwrap()
    });
    concat_batches(&like.schema(), &batches.collect::<Vec<_>>()).unwrap()
}

#[test]
fn values_are_those_of_plain_columns() {
    let table = table();
    let selection = RowSelection::from_consecutive_ranges(
        [10..11, 500..900, 8000..8001, 8100..16_500].into_iter(),
        ROWS as u64,
    );
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        let file = file(&table, codec);
        let open = || {
            let options = ArrowReaderOptions::new().with_dictionaries(true);
            ArrowReaderBuilder::try_new_with_options(file.clone(), options).unwrap()
        };
        for batch_size in [1000, 8192, 100_000] {
            let read = expanded(open(), |builder| builder.with_batch_size(batch_size), &table);
            assert_eq!(read, table, "{codec}, {batch_size}");
        }
        let read = expanded(open(), |builder| builder.with_parallelism(3), &table);
        assert_eq!(read, table, "{codec}");
        let plain = |change: &dyn Fn(ArrowReaderBuilder<Bytes>) -> ArrowReaderBuilder<Bytes>| {
            let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
            let batches = change(builder).build().unwrap().map(Result::unwrap);
            concat_batches(&table.schema(), &batches.collect::<Vec<_>>()).unwrap()
        };
        let some =
            |builder: ArrowReaderBuilder<Bytes>| builder.with_row_selection(selection.clone());
        assert_eq!(expanded(open(), some, &table), plain(&some), "{codec}");
        for text in [
            "short = 's7'",
            "long in ('a long value, number       17', 'none') or number < 3",
            "long is null and short != 's1'",
            "unique >= 'a value that comes once, 19'",
        ] {
            let predicate = Predicate::parse(text).unwrap();
            let kept =
                |builder: ArrowReaderBuilder<Bytes>| builder.with_predicate(predicate.clone());
            let expected = plain(&kept);
            assert!(expected.num_rows() > 0, "{text}");
            assert_eq!(expanded(open(), kept, &table), expected, "{codec}: {text}");
        }
    }
}

#[test]
fn keys_are_the_codes_of_blocks() {
    let table = table().project(&[0]).unwrap();
    let options = ArrowReaderOptions::new().with_dictionaries(true);
    let builder = ArrowReaderBuilder::try_new_with_options(file(&table, Codec::Pack), options);
    for batch in builder.unwrap().with_batch_size(100).build().unwrap() {
        let batch = batch.unwrap();
        // All entries of the block, of which a batch has some.
        assert_eq!(batch.column(0).as_any_dictionary().values().len(), 40);
    }
}

/// A block has more distinct values than keys of 8 bits count; the values in use of a batch may be few enough.
#[test]
fn narrow_keys_count_the_values_in_use() {
    let parts: Vec<RecordBatch> = (0..20)
        .map(|part| {
            let word =
                |row: usize| (!row.is_multiple_of(9)).then(|| format!("{}", part * 60 + row % 100));
            let words: StringArray = (0..1000).map(word).collect();
            let narrow = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into());
            let words = cast(&words, &narrow).unwrap();
            RecordBatch::try_from_iter([("word", words)]).unwrap()
        })
        .collect();
    let properties = WriterProperties::builder().set_codec(Codec::Pack).build();
    let schema = parts[0].schema();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
    parts.iter().for_each(|part| writer.write(part).unwrap());
    let file = Bytes::from(writer.finish().unwrap().0);
    let plain = |batches: &[RecordBatch]| -> Vec<Option<String>> {
        let words = batches.iter().map(|batch| cast(batch.column(0), &DataType::Utf8).unwrap());
        let words = words.map(|words| {
            let words = words.as_string::<i32>();
            words.iter().map(|word| word.map(str::to_owned)).collect::<Vec<_>>()
        });
        words.flatten().collect()
    };
    for batch_size in [100, 1000, 8192] {
        let reader = ArrowReaderBuilder::try_new(file.clone()).unwrap();
        let reader = reader.with_batch_size(batch_size).build().unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        batches.iter().for_each(|batch| batch.column(0).to_data().validate_full().unwrap());
        assert_eq!(batches[0].schema(), parts[0].schema());
        assert!(plain(&batches) == plain(&parts), "{batch_size}");
    }
}
