//! Writing: the reference's large file to the byte, settings, callers' mistakes, memory.

use bytes::Bytes;
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::*;

use crate::testdata::Numbers;

/// Returns the columns of the reference's timing file: 1,000,000 rows from a generator that any language can run.
fn timing_columns() -> Vec<ColumnMetadata> {
    vec![
        ColumnMetadata::new("id", ValueType::Long),
        ColumnMetadata::new("n", ValueType::Int),
        ColumnMetadata::new("x", ValueType::Double),
        ColumnMetadata::new("s", ValueType::String),
        ColumnMetadata::new("opt", ValueType::String).array(),
    ]
}

/// Returns the next `rows` rows, from row `first`.
fn timing_rows(numbers: &mut Numbers, first: i64, rows: i64) -> Vec<ColumnData> {
    let mut data: Vec<_> = timing_columns().iter().map(ColumnData::of).collect();
    for i in first..first + rows {
        let push = |data: &mut ColumnData, value: Value<'_>| data.values.push(&value).unwrap();
        push(&mut data[0], i.into());
        push(&mut data[1], ((numbers.next31() - (1 << 30)) as i32).into());
        push(&mut data[2], (numbers.next31() as f64 / 1000.0).into());
        let s: String = (0..12).map(|_| char::from(b'a' + (numbers.next31() % 26) as u8)).collect();
        push(&mut data[3], s.as_str().into());
        let present = numbers.next31() % 3 != 0;
        data[4].lengths.as_mut().unwrap().push(u32::from(present));
        if present {
            push(&mut data[4], format!("v{}", numbers.next31() % 1000).as_str().into());
        }
    }
    data
}

#[test]
fn a_million_rows_are_the_references_to_the_byte() {
    let mut numbers = Numbers(42);
    let builder = FileWriter::builder()
        .set_codec(Codec::Null)
        .set_checksum(Checksum::Null)
        .set_memory_budget(1 << 20);
    let mut writer = builder.build(Vec::new(), timing_columns()).unwrap();
    for first in (0..1_000_000).step_by(10_000) {
        let data = timing_rows(&mut numbers, first, 10_000);
        let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
        writer.write(10_000, &slices).unwrap();
        assert!(writer.memory_size() < (1 << 20) + 6 * 70_000);
    }
    let (bytes, _) = writer.finish().unwrap();
    assert_eq!(bytes.len(), 33_021_892);
    assert_eq!(sha256(&bytes), "74d53136745929caadf6a5875c7b48286de86645a3978598e85179b24472225b");
    let file = FileReader::try_new(Bytes::from(bytes)).unwrap();
    let sums: Vec<_> =
        (0..5).map(|i| crate::golden::values_crc(&file.read_column(i).unwrap())).collect();
    assert_eq!(sums, ["4b3b1202", "4f4bf470", "4ee5f507", "164fdeb7", "a1e212c8"]);
}

/// An independent implementation of the hash.
fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn rows_one_at_a_time_give_the_same_file() {
    let data = timing_rows(&mut Numbers(7), 0, 5000);
    let whole = |codec| {
        let mut writer =
            FileWriter::builder().set_codec(codec).build(Vec::new(), timing_columns()).unwrap();
        let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
        writer.write(5000, &slices).unwrap();
        writer.finish().unwrap().0
    };
    let builder = FileWriter::builder().set_codec(Codec::Null);
    let mut rows = RowWriter::new(builder.build(Vec::new(), timing_columns()).unwrap());
    let mut at = 0;
    for row in 0..5000 {
        rows.start_row().unwrap();
        for (column, data) in data.iter().take(4).enumerate() {
            rows.write_value(column, data.values.as_slice().get(row).unwrap()).unwrap();
        }
        let length = data[4].lengths.as_ref().unwrap()[row];
        rows.write_length(4, length).unwrap();
        for _ in 0..length {
            rows.write_value(4, data[4].values.as_slice().get(at).unwrap()).unwrap();
            at += 1;
        }
        rows.end_row().unwrap();
        if row % 1000 == 17 {
            // A row that does not fit together is an error and loses nothing but itself.
            rows.start_row().unwrap();
            rows.write_value(0, 1i64).unwrap();
            assert!(rows.write_value(0, "text").is_err());
            let e = rows.end_row().unwrap_err().to_string();
            assert_eq!(e, "column \"n\": invalid: 0 values where 1 belong");
            assert!(rows.write_value(0, 1i64).is_err());
        }
    }
    let (bytes, summary) = rows.finish().unwrap();
    assert_eq!(summary.rows, 5000);
    assert_eq!(bytes, whole(Codec::Null));
}

#[test]
fn nested_rows_one_at_a_time() {
    let columns = vec![
        ColumnMetadata::new("received", ValueType::Null).array(),
        ColumnMetadata::new("date", ValueType::Long).with_parent("received"),
        ColumnMetadata::new("sigs", ValueType::Null).array().with_parent("received"),
        ColumnMetadata::new("algo", ValueType::String).with_parent("sigs"),
    ];
    let mut rows = RowWriter::new(FileWriter::builder().build(Vec::new(), columns).unwrap());
    for row in 0..3000u32 {
        rows.start_row().unwrap();
        rows.write_length(0, row % 3).unwrap();
        for item in 0..row % 3 {
            rows.write_value(1, i64::from(row)).unwrap();
            rows.write_length(2, item).unwrap();
            (0..item).for_each(|_| rows.write_value(3, "weak").unwrap());
        }
        rows.end_row().unwrap();
    }
    let (bytes, _) = rows.finish().unwrap();
    let file = FileReader::try_new(Bytes::from(bytes)).unwrap();
    let sigs = file.read_column(2).unwrap();
    assert_eq!(sigs.lengths.unwrap(), [0, 0, 1].repeat(1000));
    assert_eq!(file.read_column(3).unwrap().values.len(), 1000);
    assert_eq!(file.read_rows(1, 1..3).unwrap().values, Values::Long(vec![1, 2, 2]));
}

#[test]
fn settings_give_the_same_values() {
    let data = timing_rows(&mut Numbers(3), 0, 4000);
    let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        for checksum in [Checksum::Null, Checksum::Crc32] {
            for version in [Version::V1, Version::V2] {
                for block_size in [1, 100, 65_536, usize::MAX] {
                    let mut writer = FileWriter::builder()
                        .set_codec(codec)
                        .set_checksum(checksum)
                        .set_version(version)
                        .set_block_size(block_size)
                        .set_memory_budget(block_size.min(10_000))
                        .build(Vec::new(), timing_columns())
                        .unwrap();
                    let rows = if block_size < 100 { 50 } else { 4000 };
                    if rows == 4000 {
                        writer.write(rows, &slices).unwrap();
                    } else {
                        let few = timing_rows(&mut Numbers(3), 0, 50);
                        let slices: Vec<_> = few.iter().map(ColumnData::as_slice).collect();
                        writer.write(rows, &slices).unwrap();
                    }
                    let (bytes, _) = writer.finish().unwrap();
                    let file = FileReader::try_new(Bytes::from(bytes)).unwrap();
                    assert_eq!(file.header().version, version);
                    assert!(file.verify(|_| ()).faults.is_empty());
                    let expected = timing_rows(&mut Numbers(3), 0, rows as i64);
                    for (i, expected) in expected.iter().enumerate() {
                        assert_eq!(&file.read_column(i).unwrap(), expected);
                    }
                }
            }
        }
    }
}

#[test]
fn mistakes_are_named_and_lose_nothing() {
    let columns = vec![
        ColumnMetadata::new("a", ValueType::Int),
        ColumnMetadata::new("p", ValueType::Null).array(),
        ColumnMetadata::new("p#x", ValueType::String).with_parent("p"),
    ];
    let mut writer = FileWriter::builder().build(Vec::new(), columns.clone()).unwrap();
    let a = ColumnSlice::plain(ValuesRef::Int(&[1, 2]));
    let p = ColumnSlice::array(&[2, 0], ValuesRef::Null(2));
    let x = ColumnSlice::plain(ValuesRef::strings(&[0, 1, 2], b"ab"));
    let one = ColumnSlice::plain(ValuesRef::strings(&[0, 1], b"ab"));
    let bad = ColumnSlice::plain(ValuesRef::strings(&[0, 1, 2], b"a\xff"));
    for (slices, text) in [
        (vec![a, p], "2 slices for 3 columns"),
        (vec![a, a, x], "\"p\": invalid: values are not of the column's type null"),
        (vec![a, p, one], "\"p#x\": invalid: 1 values where 2 belong"),
        (vec![a, p, bad], "\"p#x\": invalid: string is not UTF-8"),
        (vec![p, p, x], "\"a\": invalid: values are not"),
        (vec![ColumnSlice::array(&[1, 1], a.values), p, x], "\"a\": invalid: lengths for a column"),
        (vec![a, ColumnSlice::plain(p.values), x], "\"p\": invalid: an array column without"),
        (vec![a, ColumnSlice::array(&[2], p.values), x], "\"p\": invalid: 1 lengths where 2"),
    ] {
        let e = writer.write(2, &slices).unwrap_err().to_string();
        assert!(e.contains(text), "{e}");
    }
    writer.write(2, &[a, p, x]).unwrap();
    let (bytes, _) = writer.finish().unwrap();
    let file = FileReader::try_new(Bytes::from(bytes)).unwrap();
    assert_eq!((file.rows(), file.read_column(0).unwrap().values), (2, Values::Int(vec![1, 2])));

    for (columns, text) in [
        (vec![columns[2].clone()], "no array column \"p\" before its child"),
        (vec![ColumnMetadata::new("a", ValueType::Int).array().indexed()], "no first values"),
        (
            vec![ColumnMetadata::new("a", ValueType::Int).with_checksum(Checksum::SpecifiedCrc32)],
            "only read",
        ),
    ] {
        let e = FileWriter::builder().build(Vec::new(), columns).unwrap_err().to_string();
        assert!(e.contains(text), "{e}");
    }
    assert!(FileWriter::builder().set_version(Version::V0).build(Vec::new(), vec![]).is_err());
}

#[test]
fn checksums_are_written_unless_they_are_refused() {
    let column = || vec![ColumnMetadata::new("a", ValueType::Int)];
    let checksum = |builder: FileWriterBuilder| {
        let (bytes, _) = builder.build(Vec::new(), column()).unwrap().finish().unwrap();
        let file = FileReader::try_new(Bytes::from(bytes)).unwrap();
        (file.header().checksum(0).unwrap(), file.header().metadata.len())
    };
    assert_eq!(checksum(FileWriter::builder()), (Checksum::Crc32, 1));
    assert_eq!(checksum(FileWriter::builder().set_checksum(Checksum::Null)), (Checksum::Null, 0));
    assert_eq!(checksum(FileWriter::builder().set_metadata(Metadata::new())), (Checksum::Null, 0));
}

/// However many blocks a batch fills, what waits is bounded by the budget.
#[test]
fn many_blocks_at_a_time_hold_little_memory() {
    let columns = vec![ColumnMetadata::new("s", ValueType::String)];
    let builder = FileWriter::builder().set_memory_budget(1 << 20);
    let mut writer = builder.build(std::io::sink(), columns).unwrap();
    let mut numbers = Numbers(7);
    let ((), held) = trevni_testing::allocator::peak(|| {
        for _ in 0..200 {
            let mut texts = Strings::default();
            for _ in 0..10_000 {
                texts.push(format!("{:030}", numbers.next31()).as_bytes()).unwrap();
            }
            let values = Values::Bytes(texts);
            writer.write(10_000, &[ColumnSlice::plain(values.as_slice())]).unwrap();
        }
    });
    assert!(held < 8 << 20, "{held} bytes");
}
