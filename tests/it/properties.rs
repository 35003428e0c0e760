//! Properties of raw columns: any columns, data and settings round-trip, and any bytes give a value or an error.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::*;

use crate::testdata::Numbers;

/// A column of a random tree: its type, whether it is an array, and which array before it is its parent.
type Plan = Vec<(u8, bool, Option<prop::sample::Index>)>;

fn plans() -> impl Strategy<Value = Plan> {
    vec((0u8..10, any::<bool>(), proptest::option::of(any::<prop::sample::Index>())), 0..7)
}

fn columns(plan: &Plan) -> Vec<ColumnMetadata> {
    let mut columns: Vec<ColumnMetadata> = Vec::new();
    for (value_type, array, parent) in plan {
        let value_type = ValueType::all().nth(*value_type as usize).unwrap();
        let arrays: Vec<_> =
            columns.iter().filter(|c| c.is_array()).map(|c| c.name().to_owned()).collect();
        let mut column = ColumnMetadata::new(format!("c{}", columns.len()), value_type);
        if let Some(parent) = parent.as_ref().filter(|_| !arrays.is_empty()) {
            column = column.with_parent(parent.get(&arrays));
        } else if !array && value_type != ValueType::Null {
            column = column.indexed();
        }
        columns.push(if *array { column.array() } else { column });
    }
    columns
}

/// Random data that fits the columns. Lengths come in stretches, so that runs of all kinds arise.
fn data(columns: &[ColumnMetadata], rows: usize, seed: u64) -> Vec<ColumnData> {
    let tree = ColumnTree::new(columns).unwrap();
    let mut n = Numbers(seed);
    let mut all: Vec<ColumnData> = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let items = tree.parent(i).map_or(rows, |p| all[p].values.len());
        let mut data = ColumnData::of(column);
        let values = match &mut data.lengths {
            Some(lengths) => {
                while lengths.len() < items {
                    let length = [0, 0, 1, 1, 2, 5][n.next31() as usize % 6];
                    let stretch = (n.next31() as usize % 9 + 1).min(items - lengths.len());
                    lengths.extend(std::iter::repeat_n(length, stretch));
                }
                lengths.iter().sum::<u32>() as usize
            }
            None => items,
        };
        (0..values).for_each(|_| data.values.push(&value(column.value_type(), &mut n)).unwrap());
        all.push(data);
    }
    all
}

fn value(value_type: ValueType, n: &mut Numbers) -> Value<'static> {
    let wide = (n.next31() << 40) ^ (n.next31() << 20) ^ n.next31();
    let narrowed = wide >> (n.next31() % 64);
    match value_type {
        ValueType::Null => Value::Null,
        ValueType::Boolean => Value::Boolean(wide & 1 == 1),
        ValueType::Int | ValueType::Fixed32 => Value::Int(narrowed as i32),
        ValueType::Long | ValueType::Fixed64 => Value::Long(narrowed),
        ValueType::Float => Value::Float(f32::from_bits(wide as u32)),
        ValueType::Double => Value::Double(f64::from_bits(wide as u64)),
        ValueType::String => Value::Bytes("aé😀".repeat(wide as usize % 4).into_bytes().into()),
        ValueType::Bytes => Value::Bytes(wide.to_le_bytes().repeat(wide as usize % 3).into()),
    }
}

fn write(
    columns: &[ColumnMetadata],
    data: &[ColumnData],
    rows: usize,
    settings: &Settings,
) -> Vec<u8> {
    let builder = FileWriter::builder()
        .set_codec(settings.codec)
        .set_checksum(settings.checksum)
        .set_version(settings.version)
        .set_block_size(settings.block_size)
        .set_memory_budget(settings.block_size);
    let mut writer = builder.build(Vec::new(), columns.to_vec()).unwrap();
    let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
    writer.write(rows, &slices).unwrap();
    writer.finish().unwrap().0
}

#[derive(Debug, Clone)]
struct Settings {
    codec: Codec,
    checksum: Checksum,
    version: Version,
    block_size: usize,
}

fn settings() -> impl Strategy<Value = Settings> {
    let codecs: Vec<_> = Codec::ALL.into_iter().filter(|codec| codec.is_available()).collect();
    let checksums =
        prop::sample::select(vec![Checksum::Null, Checksum::Crc32, Checksum::StoredCrc32]);
    let versions = prop::sample::select(vec![Version::V1, Version::V2]);
    let sizes = prop::sample::select(vec![1usize, 7, 64, 300, 65_536]);
    (prop::sample::select(codecs), checksums, versions, sizes).prop_map(
        |(codec, checksum, version, block_size)| Settings { codec, checksum, version, block_size },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_written(
        plan in plans(), rows in 0usize..120, seed: u64, settings in settings(), batch in 1usize..50,
        from in 0u64..120, to in 0u64..120,
    ) {
        let columns = columns(&plan);
        let expected = data(&columns, rows, seed);
        let file = FileReader::try_new(Bytes::from(write(&columns, &expected, rows, &settings))).unwrap();
        prop_assert_eq!(file.rows(), rows as u64);
        prop_assert_eq!(file.columns(), &columns[..]);
        // The values are random, also where blocks have first values.
        let mut faults = file.verify(|_| ()).faults;
        faults.retain(|fault| !fault.to_string().contains("do not ascend"));
        prop_assert!(faults.is_empty(), "{faults:?}");

        let all: Vec<usize> = (0..columns.len()).collect();
        let mut reader = file.projected_reader(&all).unwrap();
        let mut read: Vec<_> = columns.iter().map(ColumnData::of).collect();
        while reader.read(batch, &mut read).unwrap() > 0 {}
        prop_assert!(read == expected);

        let (from, to) = (from.min(to).min(rows as u64), from.max(to).min(rows as u64));
        for i in all {
            let (head, part, tail) =
                (file.read_rows(i, 0..from), file.read_rows(i, from..to), file.read_rows(i, to..rows as u64));
            let joined = join(&columns[i], [head.unwrap(), part.unwrap(), tail.unwrap()]);
            prop_assert!(joined == expected[i]);
        }
    }

    #[test]
    fn batches_written_apart_are_one_file(plan in plans(), rows in 1usize..100, seed: u64, cut in 0usize..100) {
        let columns = columns(&plan);
        let cut = cut.min(rows);
        let parts = [data(&columns, cut, seed), data(&columns, rows - cut, seed ^ 1)];
        let settings = Settings {
            codec: Codec::Null, checksum: Checksum::Crc32, version: Version::V2, block_size: 100,
        };
        let joined: Vec<_> = columns.iter().enumerate()
            .map(|(i, column)| join(column, [parts[0][i].clone(), parts[1][i].clone()])).collect();
        let builder = FileWriter::builder()
            .set_codec(Codec::Null).set_checksum(Checksum::Crc32).set_block_size(100);
        let mut writer = builder.build(Vec::new(), columns.clone()).unwrap();
        for (part, rows) in parts.iter().zip([cut, rows - cut]) {
            let slices: Vec<_> = part.iter().map(ColumnData::as_slice).collect();
            writer.write(rows, &slices).unwrap();
        }
        prop_assert!(writer.finish().unwrap().0 == write(&columns, &joined, rows, &settings));
    }

    #[test]
    fn changed_bytes_end_in_a_value_or_an_error(
        plan in plans(), rows in 0usize..40, seed: u64, settings in settings(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let columns = columns(&plan);
        let mut bytes = write(&columns, &data(&columns, rows, seed), rows, &settings);
        changes.iter().for_each(|(at, to)| *at.get_mut(&mut bytes) = *to);
        read_all(bytes);
    }

    #[test]
    fn any_bytes_behind_the_magic_end_in_a_value_or_an_error(rest in vec(any::<u8>(), 0..300)) {
        read_all([b"Trv\x02\x03\0\0\0\0\0\0\0\x01\0\0\0".as_slice(), &rest].concat());
        read_all(rest);
    }
}

fn read_all(bytes: Vec<u8>) {
    let Ok(file) = FileReader::try_new(Bytes::from(bytes)) else { return };
    for i in 0..file.columns().len() {
        let _ = file.read_column(i);
        let _ = file.read_rows(i, 1..2);
    }
    file.verify(|_| ());
}

fn join<const N: usize>(column: &ColumnMetadata, parts: [ColumnData; N]) -> ColumnData {
    let mut joined = ColumnData::of(column);
    for part in parts {
        let values = part.values.as_slice();
        (0..values.len()).for_each(|i| joined.values.push(&values.get(i).unwrap()).unwrap());
        if let (Some(all), Some(lengths)) = (&mut joined.lengths, part.lengths) {
            all.extend(lengths);
        }
    }
    joined
}
