//! Which blocks are read and which are pruned; files with false statistics; concatenated files.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use bytes::Bytes;
use trevni::arrow::*;
use trevni::codec::Codec;
use trevni::{
    ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, ValuesRef, concat, copy_rows,
};

use crate::arrow::write;
use crate::filters::blocks_read::{blocks_read, blocks_with, noting, opened, table};

/// Returns the rows of a predicate, and the byte ranges that were read of a column.
fn rows(file: &Bytes, condition: &str, column: &str) -> (Vec<u64>, Vec<usize>) {
    let source = noting(file);
    let predicate = Predicate::parse(condition).unwrap();
    let whole = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    let whole: Vec<_> = whole.build().unwrap().map(|batch| batch.unwrap()).collect();
    let expected: usize =
        whole.iter().map(|batch| predicate.evaluate(batch).unwrap().true_count()).sum();
    let builder = opened(&source);
    let reader = builder.with_predicate(predicate.clone()).build().unwrap();
    let read: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(read, expected, "{condition}");
    let mut at = 0;
    let mut rows = Vec::new();
    for batch in &whole {
        let mask = predicate.evaluate(batch).unwrap();
        let passes = |row: &usize| mask.is_valid(*row) && mask.value(*row);
        rows.extend((0..batch.num_rows()).filter(passes).map(|row| at + row as u64));
        at += batch.num_rows() as u64;
    }
    (rows, blocks_read(&source, column))
}

fn small_blocks(codec: Codec) -> WriterPropertiesBuilder {
    WriterProperties::builder().set_codec(codec).set_block_rows(100).set_block_size(1000)
}

#[test]
fn blocks_without_rows_are_not_read() {
    let table = table(20_000);
    for codec in [Codec::Null, Codec::Snappy, Codec::Pack] {
        let file =
            write(&table.schema(), std::slice::from_ref(&table), small_blocks(codec).build())
                .unwrap();
        for condition in [
            "id between 4321 and 4567",
            "id in (7, 12000, 19999, 30000)",
            "not (id >= 5 and id < 19990)",
            "id < 0",
            "id = 5 or id = 6000 or id is null",
        ] {
            let (rows, read) = rows(&file, condition, "id");
            assert_eq!(read, blocks_with(&file, "id", &rows), "{condition} {codec:?}");
        }
        // Of a column that is scattered hardly any block can be left out, but of others those are.
        let (rows, read) = rows(&file, "id < 1000 and scattered >= 0", "scattered");
        assert_eq!(read, blocks_with(&file, "scattered", &rows));
        assert_eq!(rows.len(), 1000);
    }
}

#[test]
fn first_values_alone_are_searched() {
    let table = table(20_000);
    for codec in [Codec::Null, Codec::Pack] {
        let properties = small_blocks(codec).set_statistics_enabled(false);
        let sorted = properties.clone().set_sorting_columns(vec![SortingColumn::ascending("id")]);
        for (properties, is_sorted) in [(sorted, true), (properties, false)] {
            let file =
                write(&table.schema(), std::slice::from_ref(&table), properties.build()).unwrap();
            let reader = FileReader::try_new(file.clone()).unwrap();
            assert_eq!(reader.columns()[0].is_indexed(), is_sorted);
            let blocks = reader.blocks(0).unwrap().len();
            for (condition, most) in [
                ("id = 5000", 2),
                ("id between 100 and 150", 2),
                ("id >= 19990", 2),
                ("id < 3", 1),
                ("id > 30000", 1),
            ] {
                let (rows, read) = rows(&file, condition, "id");
                assert!(blocks_with(&file, "id", &rows).iter().all(|block| read.contains(block)));
                let expected = if is_sorted { 0..most + 1 } else { blocks..blocks + 1 };
                assert!(expected.contains(&read.len()), "{condition}: {read:?}");
            }
        }
    }
}

/// Files of other writers: no schema, no statistics, first values alone.
#[test]
fn first_values_of_other_writers_are_not_searched() {
    let text: Vec<String> = (0..2000).map(|i| format!("{:05} é", i * 3)).collect();
    let mut offsets = vec![0i32];
    offsets.extend(text.iter().scan(0, |end, s| {
        *end += s.len() as i32;
        Some(*end)
    }));
    let numbers: Vec<i64> = (0..2000).map(|i| i / 7 * 10).collect();
    let columns = vec![
        ColumnMetadata::new("n", ValueType::Long).indexed(),
        ColumnMetadata::new("s", ValueType::String).indexed(),
        ColumnMetadata::new("b", ValueType::Bytes).indexed(),
    ];
    let builder = FileWriter::builder().set_block_size(100);
    let mut writer = builder.build(Vec::new(), columns).unwrap();
    let data = text.concat();
    let strings = ValuesRef::strings(&offsets, data.as_bytes());
    let slices = [ValuesRef::Long(&numbers), strings, strings].map(ColumnSlice::plain);
    writer.write(2000, &slices).unwrap();
    let file = Bytes::from(writer.finish().unwrap().0);
    for (condition, column) in [
        ("n = 1000", "n"),
        ("n > 2840", "n"),
        ("n != 1000", "n"),
        ("s = '00300 é'", "s"),
        ("s < '00300 \u{fffd}'", "s"),
        ("b < x'3030'", "b"),
    ] {
        let (_, read) = rows(&file, condition, column);
        let all = FileReader::try_new(file.clone()).unwrap();
        let all = all.blocks(all.column_named(column).unwrap()).unwrap().len();
        assert_eq!(read.len(), all, "{condition}: {read:?}");
    }
}

/// Nobody need check that values with `trevni.values` ascend: here the blocks are 8, 1 and 9, 2.
#[test]
fn first_values_that_do_not_ascend_exclude_no_rows() {
    let file = Bytes::from(std::fs::read("testdata/odd/first_values_do_not_ascend.trv").unwrap());
    for (condition, expected) in [("a = 1", 1), ("a < 5", 2), ("a = 2", 1), ("a >= 8", 2)] {
        let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
        let reader = builder.with_predicate(Predicate::parse(condition).unwrap()).build().unwrap();
        let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(rows, expected, "{condition}");
    }
    let faults = FileReader::try_new(file).unwrap().verify(|_| ()).faults;
    let text = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert!(
        faults.len() == 1 && text.contains("do not ascend: row 1 belongs before row 0"),
        "{text}"
    );
}

#[test]
fn filters_leave_out_what_lies_between_the_bounds() {
    let table = table(20_000);
    for codec in [Codec::Snappy, Codec::Pack] {
        let properties = small_blocks(codec)
            .set_column_bloom_filter_fpp("scattered", 0.01)
            .set_column_bloom_filter_enabled("text", true);
        let file =
            write(&table.schema(), std::slice::from_ref(&table), properties.build()).unwrap();
        let reader = FileReader::try_new(file.clone()).unwrap();
        let blocks = |column| reader.blocks(reader.column_named(column).unwrap()).unwrap().len();
        for (condition, column) in [
            ("scattered = 17", "scattered"),
            ("scattered in (17, 18)", "scattered"),
            ("scattered = 10006", "scattered"),
            ("text = 'a text of some length, of row 777, and more of it'", "text"),
            ("text = 'a text of some length, of row x, and more of it'", "text"),
        ] {
            let (rows, read) = rows(&file, condition, column);
            let most = rows.len() + blocks(column) / 8 + 2;
            assert!(read.len() <= most, "{condition}: {} of {}", read.len(), blocks(column));
        }
        assert!(reader.columns()[0].metadata().get("arrow.bloom").is_none());
    }
    for (wrong, properties) in [
        ("not between 0 and 1", WriterProperties::builder().set_bloom_filter_fpp(1.0)),
        ("no column \"x\"", WriterProperties::builder().set_column_bloom_filter_enabled("x", true)),
        ("no column \"y\"", WriterProperties::builder().set_column_statistics_enabled("y", true)),
    ] {
        let e =
            ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties.build())).unwrap_err();
        assert!(e.to_string().contains(wrong), "{e}");
    }
}

#[test]
fn batches_that_are_not_sorted_are_refused_and_nothing_is_lost() {
    let batch = |a: Vec<Option<i32>>, b: Vec<&str>| {
        let a: ArrayRef = Arc::new(Int32Array::from(a));
        let b: ArrayRef = Arc::new(StringArray::from(b));
        RecordBatch::try_from_iter_with_nullable([("a", a, true), ("b", b, false)]).unwrap()
    };
    let first = batch(vec![Some(3), Some(3), Some(2), None], vec!["x", "y", "a", "z"]);
    let columns = vec![SortingColumn::descending("a"), SortingColumn::ascending("b")];
    let properties = WriterProperties::builder().set_sorting_columns(columns.clone()).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), first.schema(), Some(properties)).unwrap();
    writer.write(&first).unwrap();
    for (row, wrong) in [
        (4, batch(vec![Some(1)], vec!["x"])),
        (4, batch(vec![None], vec!["y"])),
        (5, batch(vec![None, None], vec!["z", "a"])),
    ] {
        let e = writer.write(&wrong).unwrap_err().to_string();
        assert_eq!(e, format!("invalid: row {row} belongs before the one before it, by \"a\""));
    }
    writer.write(&first.slice(0, 0)).unwrap();
    writer.write(&batch(vec![None], vec!["z"])).unwrap();
    let file = Bytes::from(writer.finish().unwrap().0);
    let builder = ArrowReaderBuilder::try_new(file).unwrap();
    assert_eq!((builder.rows(), builder.sorting_columns()), (5, columns));
    assert!(!builder.file().columns()[0].is_indexed());
    for (column, wrong) in [("c", "no column"), ("l", "rows cannot be sorted by it")] {
        let list = Field::new_list("l", Field::new("item", DataType::Int32, true), true);
        let schema = Arc::new(Schema::new(vec![list]));
        let properties =
            WriterProperties::builder().set_sorting_columns(vec![SortingColumn::ascending(column)]);
        let e = ArrowWriter::try_new(Vec::new(), schema, Some(properties.build())).unwrap_err();
        assert!(e.to_string().contains(wrong), "{e}");
    }
}

#[test]
fn what_is_changed_in_a_file_is_not_believed() {
    let table = table(3000);
    let properties = small_blocks(Codec::Pack).set_column_bloom_filter_enabled("id", true).build();
    let file = write(&table.schema(), std::slice::from_ref(&table), properties).unwrap();
    let reader = FileReader::try_new(file.clone()).unwrap();
    let mut changed = 0;
    for key in ["arrow.statistics", "arrow.bloom"] {
        let entry = reader.columns()[0].metadata().get(key).unwrap();
        let at = file.windows(entry.len()).position(|part| part == entry).unwrap();
        let step = entry.len() / 150 + 1;
        for (i, flip) in (at..at + entry.len()).step_by(step).flat_map(|i| [(i, 0x01), (i, 0xff)]) {
            let mut bytes = file.to_vec();
            bytes[i] ^= flip;
            let source = noting(&Bytes::from(bytes));
            let builder = opened(&source);
            assert!(builder.statistics("id").unwrap().is_some() != (key == "arrow.statistics"));
            let predicate = Predicate::parse("id in (5, 2999)").unwrap();
            let reader = builder.with_predicate(predicate).build().unwrap();
            assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2);
            changed += 1;
        }
    }
    assert!(changed > 200);
}

#[test]
fn fields_say_what_is_known_of_them() {
    let nan: ArrayRef =
        Arc::new(Float64Array::from(vec![Some(1.0), None, Some(f64::NAN), Some(-0.0)]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["b", "a", "x".repeat(70).as_str(), "c"]));
    let none: ArrayRef = Arc::new(Int32Array::from(vec![None, None, None, None]));
    let words: ArrayRef = Arc::new(
        vec![Some("q"), None, Some("p"), None].into_iter().collect::<DictionaryArray<Int8Type>>(),
    );
    let table = RecordBatch::try_from_iter([
        ("nan", nan),
        ("text", text),
        ("none", none),
        ("words", words),
    ])
    .unwrap();
    for codec in [Codec::Snappy, Codec::Pack] {
        let properties =
            WriterProperties::builder().set_codec(codec).set_block_size(1).set_block_rows(1);
        let properties = properties.set_column_statistics_enabled("words", codec == Codec::Pack);
        let file =
            write(&table.schema(), std::slice::from_ref(&table), properties.build()).unwrap();
        let builder = ArrowReaderBuilder::try_new(file).unwrap();
        let of = |name: &str| builder.statistics(name).unwrap();
        let nan = of("nan").unwrap();
        let double = |array: Option<ArrayRef>| {
            array.unwrap().as_primitive::<Float64Type>().value(0).to_bits()
        };
        assert_eq!(double(nan.min()), (-0.0f64).to_bits());
        assert_eq!(double(nan.max()), f64::NAN.to_bits());
        assert_eq!((nan.null_count(), nan.is_exact()), (1, true));
        let text = of("text").unwrap();
        assert_eq!(text.min().unwrap().as_string::<i32>().value(0), "a");
        assert_eq!(text.max().unwrap().as_string::<i32>().value(0), "x".repeat(59) + "y");
        assert!(!text.is_exact());
        let none = of("none").unwrap();
        assert_eq!((none.min(), none.max(), none.null_count()), (None, None, 4));
        match of("words") {
            Some(words) => assert_eq!(words.max().unwrap().as_string::<i32>().value(0), "q"),
            None => assert_eq!(codec, Codec::Snappy),
        }
        assert!(builder.statistics("x").is_err());
    }
}

fn statistics_of(file: &Bytes) -> Vec<(Vec<u64>, u64)> {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap();
    let names = builder.schema().fields().iter().map(|field| field.name().as_str());
    let of = |name| {
        let statistics = builder.statistics(name).unwrap().unwrap();
        (statistics.blocks().iter().map(|rows| rows.end).collect(), statistics.null_count())
    };
    names.map(of).collect()
}

#[test]
fn files_that_are_put_together_keep_what_is_known() {
    let table = table(3000);
    let properties = || {
        small_blocks(Codec::Snappy)
            .set_sampling(false)
            .set_bloom_filter_enabled(true)
            .set_sorting_columns(vec![SortingColumn::ascending("id")])
            .build()
    };
    let file =
        |from, rows| write(&table.schema(), &[table.slice(from, rows)], properties()).unwrap();
    let (a, b) = (file(0, 1000), file(1000, 2000));
    for (parts, ascends) in [([&a, &b], true), ([&b, &a], false)] {
        let files = parts.map(|file| FileReader::try_new(file.clone()).unwrap());
        let mut out = Vec::new();
        concat(&files, &mut out).unwrap();
        let both = Bytes::from(out);
        let reader = FileReader::try_new(both.clone()).unwrap();
        assert_eq!(reader.columns()[0].is_indexed(), ascends);
        assert!(reader.header().metadata.get("arrow.sorting").is_none());
        assert_eq!(statistics_of(&both).len(), 3);
        for (condition, most) in
            [("id between 990 and 1010", 6), ("id = 17", 2), ("scattered = 17", 30)]
        {
            let column = condition.split(' ').next().unwrap();
            let (_, read) = rows(&both, condition, column);
            assert!(read.len() <= most, "{condition}: {read:?}");
        }
        // Copied row by row into other blocks.
        let builder = FileWriter::builder().set_metadata(reader.header().metadata.clone());
        let builder = builder.set_block_size(300);
        let mut writer = builder.build(Vec::new(), reader.columns().to_vec()).unwrap();
        copy_rows(&reader, &[0, 1, 2], &mut writer).unwrap();
        let copied = Bytes::from(writer.finish().unwrap().0);
        assert!(statistics_of(&copied)[0].0.len() > statistics_of(&both)[0].0.len() * 2);
        let (rows, read) = rows(&copied, "id in (5, 1500)", "id");
        assert_eq!(read, blocks_with(&copied, "id", &rows));
    }
}
