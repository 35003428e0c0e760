//! Files of the value codec: round trips with any blocks and batches, and refused files.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::arrow::*;
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::{
    Bits, ColumnData, ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, Values,
    ValuesRef,
};

use super::arrow::{read, write};
use trevni_testing::arrays::batches;
use trevni_testing::equality::same_rows;

fn packed() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_codec(Codec::Pack)
}

fn text(n: usize) -> ArrayRef {
    let words = ["DELIVER IN PERSON", "NONE", "TAKE BACK RETURN", "Übergröße"];
    Arc::new(StringArray::from_iter(
        (0..n).map(|i| (i % 7 != 3).then(|| words[i * i % 4].to_owned())),
    ))
}

/// Returns a table with each kind of value.
fn table(n: usize) -> RecordBatch {
    let int = |f: &dyn Fn(i64) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..n as i64).map(f)))
    };
    let price = |i: i64| (i * 7919 % 100_000) as f64 / 100.0;
    let free: Vec<String> =
        (0..n).map(|i| format!("/products/{}?from=search", i * i % 9973)).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("id", int(&|i| i * 3 + i % 2), false),
        ("code", int(&|i| [5, 1 << 40, -9, 77][i as usize % 4]), false),
        ("word", text(n), true),
        ("url", Arc::new(StringArray::from(free)) as ArrayRef, false),
        ("price", Arc::new(Float64Array::from_iter_values((0..n as i64).map(price))), false),
        (
            "sparse",
            Arc::new(Int32Array::from_iter((0..n as i32).map(|i| (i % 40 == 7).then_some(i)))),
            true,
        ),
        ("flag", Arc::new(BooleanArray::from_iter((0..n).map(|i| Some(i % 3 == 0)))), true),
    ])
    .unwrap()
}

#[test]
fn a_file_of_ten_rows_is_not_larger_than_with_snappy() {
    let batch = table(10);
    let size = |codec| {
        let properties = WriterProperties::builder().set_codec(codec).build();
        write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap().len()
    };
    let (pack, snappy) = (size(Codec::Pack), size(Codec::Snappy));
    println!("{pack} bytes packed, {snappy} with snappy");
    assert!(pack <= snappy);
}

#[test]
fn cut_files_and_changed_payloads_are_refused() {
    let batch = table(700);
    for codec in [Codec::Pack, Codec::PackZstd].into_iter().filter(|codec| codec.is_available()) {
        let properties = packed().set_codec(codec).set_block_rows(300).build();
        let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
        let open = |bytes: Vec<u8>| -> trevni::Result<usize> {
            let reader = ArrowReaderBuilder::try_new(Bytes::from(bytes))?.build()?;
            Ok(reader.map(|batch| batch.map(|b| b.num_rows())).sum::<Result<usize, _>>()?)
        };
        assert_eq!(open(file.to_vec()).unwrap(), 700);
        for end in 0..file.len() {
            assert!(open(file[..end].to_vec()).is_err(), "{end} of {}", file.len());
        }
        let reader = FileReader::try_new(file.clone()).unwrap();
        let mut changed = 0;
        for column in 0..reader.columns().len() {
            for block in reader.blocks(column).unwrap().iter() {
                let start = block.offset as usize;
                for at in start..start + block.compressed_size as usize + 4 {
                    let mut bytes = file.to_vec();
                    bytes[at] ^= 1 << (at % 8);
                    let e = open(bytes).unwrap_err().to_string();
                    assert!(e.contains("checksum mismatch"), "{e}");
                    changed += 1;
                }
            }
        }
        assert!(changed > 1000);
    }
}

/// Packed blocks with the checksum of their values: other bytes that decode to the same values are valid.
#[test]
fn the_checksum_of_values_proves_packed_blocks() {
    let batch = table(600);
    let properties = packed().set_checksum(Checksum::Crc32).set_block_rows(200).build();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
    let reader = FileReader::try_new(file.clone()).unwrap();
    let seen = reader.verify(|_| ());
    assert!(seen.faults.is_empty() && seen.verified == seen.blocks && seen.unchecked == 0);
    let block = reader.blocks(0).unwrap()[1].clone();
    let mut bytes = file.to_vec();
    bytes[block.offset as usize + block.compressed_size as usize / 2] ^= 0x10;
    let faults = FileReader::try_new(Bytes::from(bytes)).unwrap().verify(|_| ()).faults;
    assert!(!faults.is_empty());
}

#[test]
fn codecs_of_both_kinds_share_a_file() {
    let batch = table(5000);
    let properties = WriterProperties::builder().set_column_codec("url", Codec::Pack).build();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
    let reader = FileReader::try_new(file.clone()).unwrap();
    for (i, column) in reader.columns().iter().enumerate() {
        let (codec, checksum) = (reader.header().codec(i), reader.header().checksum(i));
        let packed = column.name() == "url";
        assert_eq!(codec.unwrap().is_value_codec(), packed, "{}", column.name());
        assert_eq!(checksum.unwrap() == Checksum::StoredCrc32, packed);
    }
    same_rows(std::slice::from_ref(&batch), &read(&file, 999).1).unwrap();
    // And the reverse: separate counts and values if a byte codec is set.
    let properties = packed().set_column_codec("word", Codec::Null).build();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
    let reader = FileReader::try_new(file.clone()).unwrap();
    let names: Vec<_> = reader.columns().iter().map(|column| column.name()).collect();
    assert_eq!(names, ["id", "code", "word", "word#value", "url", "price", "sparse", "flag"]);
    same_rows(std::slice::from_ref(&batch), &read(&file, 999).1).unwrap();
}

#[test]
fn views_and_scattered_rows_are_the_same_rows() {
    let batch = table(9000);
    let file = write(&batch.schema(), std::slice::from_ref(&batch), packed().build()).unwrap();
    let as_views = |field: &FieldRef| match field.data_type() {
        DataType::Utf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => field.clone(),
    };
    let schema =
        Arc::new(Schema::new(batch.schema().fields().iter().map(as_views).collect::<Vec<_>>()));
    let rows: Vec<u64> = (0..9000).filter(|i| i * i % 613 < 9).collect();
    let selection = RowSelection::from_consecutive_ranges(rows.iter().map(|r| *r..*r + 1), 9000);
    let options = ArrowReaderOptions::new().with_schema(schema.clone());
    let builder = ArrowReaderBuilder::try_new_with_options(file.clone(), options).unwrap();
    let reader = builder.with_row_selection(selection).with_batch_size(100).build().unwrap();
    let indices = UInt64Array::from(rows);
    let expected = batch.columns().iter().zip(schema.fields()).map(|(column, field)| {
        let taken = ::arrow::compute::take(column, &indices, None).unwrap();
        ::arrow::compute::cast(&taken, field.data_type()).unwrap()
    });
    let expected = RecordBatch::try_new(schema.clone(), expected.collect()).unwrap();
    let read: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
    for batch in &read {
        batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    }
    same_rows(&[expected], &read).unwrap();
}

/// Of a struct without fields only its nulls are stored: bits and no values.
#[test]
fn scattered_rows_of_structs_without_fields_are_the_same_rows() {
    let nulls = NullBuffer::from_iter((0..3000).map(|i| i * i % 7 != 2));
    let structs: ArrayRef = Arc::new(StructArray::new_empty_fields(3000, Some(nulls)));
    let batch = RecordBatch::try_from_iter([("s", structs.clone())]).unwrap();
    let file = write(&batch.schema(), std::slice::from_ref(&batch), packed().build()).unwrap();
    let rows: Vec<u64> = (0..3000).filter(|i| i * i % 61 < 9).collect();
    let selection = RowSelection::from_consecutive_ranges(rows.iter().map(|r| *r..*r + 1), 3000);
    let reader = ArrowReaderBuilder::try_new(file).unwrap().with_row_selection(selection);
    let read: Vec<_> = reader.build().unwrap().map(|batch| batch.unwrap()).collect();
    let taken = ::arrow::compute::take(&structs, &UInt64Array::from(rows), None).unwrap();
    same_rows(&[RecordBatch::try_new(batch.schema(), vec![taken]).unwrap()], &read).unwrap();
}

#[test]
fn slots_are_written_and_read_without_arrow() {
    let columns = vec![ColumnMetadata::new("x", ValueType::Int).array()];
    let (validity, values) = ([0b1011_0110u8], [9, 1, 2, 9, 3, 4, 9, 5]);
    let slots = || ColumnSlice::slots(&validity, 0, ValuesRef::Int(&values));
    let mut writer =
        FileWriter::builder().set_codec(Codec::Pack).build(Vec::new(), columns.clone()).unwrap();
    writer.write(8, &[slots()]).unwrap();
    writer.write(2, &[ColumnSlice::array(&[0, 1], ValuesRef::Int(&[6]))]).unwrap();
    let file = FileReader::try_new(Bytes::from(writer.finish().unwrap().0)).unwrap();
    let all = file.read_column(0).unwrap();
    assert_eq!(all.lengths, Some(vec![0, 1, 1, 0, 1, 1, 0, 1, 0, 1]));
    assert_eq!(all.values, Values::Int(vec![1, 2, 3, 4, 5, 6]));
    let mut data = [ColumnData::slots(ValueType::Int)];
    assert_eq!(file.projected_reader(&[0]).unwrap().read(100, &mut data).unwrap(), 10);
    let expected: Bits = all.lengths.iter().flatten().map(|n| *n == 1).collect();
    assert_eq!(data[0].validity, Some(expected));
    assert_eq!(data[0].values.len(), 10);
    for (i, value) in [(1, 1), (4, 3), (7, 5), (9, 6)] {
        assert_eq!(data[0].values.as_slice().get(i), Some(trevni::Value::Int(value)));
    }
    let mut writer = FileWriter::builder().build(Vec::new(), columns).unwrap();
    let e = writer.write(8, &[slots()]).unwrap_err().to_string();
    assert!(e.contains("column \"x\"") && e.contains("without a value codec"), "{e}");
    assert_eq!(writer.rows(), 0);
}

/// Lists that are longer than a block claims, and claims of many values: bounded by the descriptor.
#[test]
fn no_column_is_much_larger_than_without_a_codec() {
    let n = 40_000;
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ state >> 31
    };
    let random: ArrayRef = Arc::new(Int64Array::from_iter_values((0..n).map(|_| next() as i64)));
    let noise: ArrayRef =
        Arc::new(Float64Array::from_iter_values((0..n).map(|_| f64::from_bits(next()))));
    let letters: ArrayRef = Arc::new(StringArray::from_iter_values((0..n).map(|_| {
        let word = next().to_le_bytes();
        word.iter().map(|b| char::from(b'a' + b % 26)).collect::<String>()
    })));
    let blobs: ArrayRef =
        Arc::new(BinaryArray::from_iter_values((0..n).map(|_| next().to_be_bytes())));
    for (name, array) in
        [("random", random), ("noise", noise), ("letters", letters), ("blobs", blobs)]
    {
        let batch = RecordBatch::try_from_iter([(name, array)]).unwrap();
        let size = |codec| {
            let properties = WriterProperties::builder().set_codec(codec).build();
            let file = write(&batch.schema(), std::slice::from_ref(&batch), properties).unwrap();
            same_rows(std::slice::from_ref(&batch), &read(&file, 3000).1).unwrap();
            file.len()
        };
        let (pack, null) = (size(Codec::Pack), size(Codec::Null));
        println!("{name}: {pack} packed, {null} without a codec");
        assert!(pack <= null + null / 20, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_blocks_and_batches_give_the_same_rows(
        seed: u64, rows in prop::sample::select(vec![1usize, 7, 64, 1000, 16_384]), batch_size in 1usize..300,
        bytes in prop::sample::select(vec![50usize, 1 << 20]), symbols in prop::sample::select(vec![0u8, 68, 100]),
        avro: bool, zstd: bool, threads in 1usize..3,
    ) {
        let (schema, batches) = batches(seed);
        let codec = if zstd && Codec::PackZstd.is_available() { Codec::PackZstd } else { Codec::Pack };
        let properties = WriterProperties::builder()
            .set_codec(codec)
            .set_block_rows(rows)
            .set_block_size(bytes)
            .set_fsst_threshold(symbols)
            .set_parallelism(threads)
            .set_layout(if avro { Layout::Avro } else { Layout::Split })
            .build();
        match write(&schema, &batches, properties) {
            Ok(file) => {
                let (read_schema, read) = read(&file, batch_size);
                prop_assert_eq!(read_schema, schema);
                same_rows(&batches, &read).map_err(TestCaseError::fail)?;
                prop_assert!(FileReader::try_new(file).unwrap().verify(|_| ()).faults.is_empty());
            }
            Err(e) => prop_assert!(avro, "{e}"),
        }
    }
}
