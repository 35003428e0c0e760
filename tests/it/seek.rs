//! Seeking to rows and to values, including cases that the reference gets wrong.

use bytes::Bytes;
use trevni::codec::Codec;
use trevni::*;

use crate::testdata::{Numbers, reference_files, stem};

/// Returns a file of nested columns whose blocks do not line up, in blocks of `block_size`.
fn nested(block_size: usize, rows: usize) -> FileReader<Bytes> {
    FileReader::try_new(nested_bytes(Codec::Null, block_size, rows)).unwrap()
}

/// Returns the bytes of such a file.
pub fn nested_bytes(codec: Codec, block_size: usize, rows: usize) -> Bytes {
    let columns = vec![
        ColumnMetadata::new("id", ValueType::Int),
        ColumnMetadata::new("p", ValueType::Null).array(),
        ColumnMetadata::new("p#s", ValueType::String).with_parent("p"),
        ColumnMetadata::new("p#b", ValueType::Boolean).with_parent("p").array(),
        ColumnMetadata::new("p#q", ValueType::Null).with_parent("p").array(),
        ColumnMetadata::new("p#q#d", ValueType::Double).with_parent("p#q"),
        ColumnMetadata::new("flag", ValueType::Boolean),
    ];
    let mut n = Numbers(5);
    let builder = FileWriter::builder().set_codec(codec).set_block_size(block_size);
    let mut w = RowWriter::new(builder.build(Vec::new(), columns).unwrap());
    for row in 0..rows {
        w.start_row().unwrap();
        w.write_value(0, row as i32).unwrap();
        w.write_value(6, n.next31() % 2 == 0).unwrap();
        let items = (n.next31() % 4) as u32;
        w.write_length(1, items).unwrap();
        for _ in 0..items {
            w.write_value(2, "x".repeat((n.next31() % 9) as usize).as_str()).unwrap();
            let bits = (n.next31() % 11) as u32;
            w.write_length(3, bits).unwrap();
            (0..bits).for_each(|_| w.write_value(3, n.next31() % 2 == 0).unwrap());
            let doubles = (n.next31() % 3) as u32;
            w.write_length(4, doubles).unwrap();
            (0..doubles).for_each(|_| w.write_value(5, n.next31() as f64).unwrap());
        }
        w.end_row().unwrap();
    }
    Bytes::from(w.finish().unwrap().0)
}

#[test]
fn any_range_of_rows_is_the_same_part_of_the_whole() {
    for block_size in [20, 150, 1000] {
        let file = nested(block_size, 300);
        for column in 0..file.columns().len() {
            // The ranges between all rows of a set are the whole file.
            let whole = file.read_column(column).unwrap();
            for step in [1, 7, 50, 299] {
                let mut reader = file.projected_reader(&[column]).unwrap();
                let mut data = [ColumnData::of(file.column(column).unwrap())];
                let mut row = 0;
                while row < 300 {
                    // Back and forth, so that each part starts with a seek from elsewhere.
                    reader.seek((row * 7) % 300);
                    reader.seek(row);
                    assert_eq!((reader.row(), reader.remaining()), (row, 300 - row));
                    row += reader.read(step, &mut data).unwrap() as u64;
                }
                assert_eq!(data[0], whole, "column {column} by {step}");
            }
        }
        let all: Vec<usize> = (0..file.columns().len()).collect();
        let mut reader = file.projected_reader(&all).unwrap();
        for row in [299, 0, 150, 150, 3] {
            let mut data: Vec<_> = file.columns().iter().map(ColumnData::of).collect();
            reader.seek(row);
            assert_eq!(reader.read(1, &mut data).unwrap(), 1);
            assert_eq!(data[0].values, Values::Int(vec![row as i32]));
            for (i, data) in data.iter().enumerate() {
                assert_eq!(*data, file.read_rows(i, row..row + 1).unwrap());
            }
        }
    }
}

#[test]
fn rows_outside_are_refused_or_the_end() {
    let file = nested(150, 10);
    assert!(file.read_rows(0, 3..11).is_err());
    assert!(file.read_rows(7, 0..1).is_err());
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = 5..4;
    assert!(file.read_rows(0, reversed).is_err());
    assert_eq!(file.read_rows(0, 10..10).unwrap().values.len(), 0);
    let mut reader = file.projected_reader(&[0]).unwrap();
    reader.seek(u64::MAX);
    let mut data = [ColumnData::of(file.column(0).unwrap())];
    assert_eq!(reader.read(5, &mut data).unwrap(), 0);
    let empty =
        FileWriter::builder().build(Vec::new(), vec![ColumnMetadata::new("a", ValueType::Int)]);
    let file = FileReader::try_new(Bytes::from(empty.unwrap().finish().unwrap().0)).unwrap();
    file.projected_reader(&[0]).unwrap().seek(0);
}

#[test]
fn rows_of_no_columns_are_counted() {
    let mut writer = FileWriter::builder().build(Vec::new(), vec![]).unwrap();
    writer.write(3, &[]).unwrap();
    let file = FileReader::try_new(Bytes::from(writer.finish().unwrap().0)).unwrap();
    let mut reader = file.projected_reader(&[]).unwrap();
    assert_eq!(reader.read(1024, &mut []).unwrap(), 3);
    assert_eq!((reader.remaining(), reader.read(1, &mut []).unwrap()), (0, 0));
}

/// Every value, those between, and those before and after, compared with a search of all rows.
#[test]
fn values_are_found_where_a_full_search_finds_them() {
    for block_size in [1, 9, 40, 1 << 16] {
        let column = ColumnMetadata::new("k", ValueType::Long).indexed();
        let builder = FileWriter::builder().set_block_size(block_size);
        let mut w = builder.build(Vec::new(), vec![column]).unwrap();
        // Long stretches of equal values, over several blocks, and gaps.
        let mut n = Numbers(1);
        let mut keys: Vec<i64> = (0..400).map(|_| (n.next31() % 30) * 3 - 20).collect();
        keys.sort_unstable();
        w.write(keys.len(), &[ColumnSlice::plain(ValuesRef::Long(&keys))]).unwrap();
        let file = FileReader::try_new(Bytes::from(w.finish().unwrap().0)).unwrap();
        for key in -25..80 {
            let expected = keys.iter().position(|k| *k >= key).map(|row| row as u64);
            assert_eq!(file.seek_value(0, &Value::Long(key)).unwrap(), expected, "{key}");
        }
        assert!(file.seek_value(0, &Value::Int(1)).is_err());
    }
}

#[test]
fn indexes_of_the_reference_are_searched_right() {
    let mut seen = 0;
    for path in reference_files().iter().filter(|path| stem(path).starts_with("index-")) {
        let file = FileReader::try_new(Bytes::from(std::fs::read(path).unwrap())).unwrap();
        for (i, column) in file.columns().iter().enumerate().filter(|(_, c)| c.is_indexed()) {
            let data = file.read_column(i).unwrap();
            let values = data.values.as_slice();
            let all: Vec<_> = (0..values.len()).map(|i| values.get(i).unwrap()).collect();
            if !all.is_sorted_by(|a, b| a.order(b).is_some_and(|o| o.is_le())) {
                continue;
            }
            for value in all.iter().step_by(all.len() / 40 + 1).chain(all.last()) {
                let expected = all.partition_point(|v| v.order(value).unwrap().is_lt()) as u64;
                let found = file.seek_value(i, value).unwrap();
                assert_eq!(found, Some(expected), "{} {} {value:?}", stem(path), column.name());
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}
