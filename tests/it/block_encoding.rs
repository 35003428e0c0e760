//! How blocks say that their values are encoded.

use trevni::codec::Codec;
use trevni::*;

/// Returns a file of one column in one block.
fn file<'v>(
    builder: FileWriterBuilder,
    value_type: ValueType,
    values: impl Iterator<Item = Value<'v>>,
) -> FileReader<Vec<u8>> {
    let columns = vec![ColumnMetadata::new("c", value_type)];
    let builder = builder.set_block_size(1 << 20);
    let mut w = RowWriter::new(builder.build(Vec::new(), columns).unwrap());
    for value in values {
        w.start_row().unwrap();
        w.write_value(0, value).unwrap();
        w.end_row().unwrap();
    }
    let file = FileReader::try_new(w.finish().unwrap().0).unwrap();
    assert_eq!(file.blocks(0).unwrap().len(), 1);
    file
}

/// Returns the encoding of the one block of some values.
fn encoding<'v>(
    codec: Codec,
    value_type: ValueType,
    values: impl Iterator<Item = Value<'v>>,
) -> BlockEncoding {
    let builder = FileWriter::builder().set_codec(codec);
    file(builder, value_type, values).block_encoding(0, 0).unwrap()
}

/// Returns a multiple of a large prime, which spreads.
fn scattered(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[test]
fn encodings_are_named_with_their_parts() {
    let longs = |of: fn(u64) -> u64| {
        let values = (0..5000u64).map(move |i| Value::Long(of(i).cast_signed()));
        encoding(Codec::Pack, ValueType::Long, values).encoding
    };
    assert_eq!(longs(|_| 7), "constant 7");
    assert_eq!(longs(|i| scattered(i) % 1000), "frame of reference, 10 bits");
    assert!(longs(|i| i / 700 * 12345).contains("runs"), "{}", longs(|i| i / 700 * 12345));
    let words = ["alpha", "beta", "gamma", "delta"];
    let texts: Vec<_> = (0..5000).map(|i| words[(scattered(i * i) >> 62) as usize]).collect();
    let texts = texts.iter().map(|text| Value::Bytes(text.as_bytes().into()));
    let found = encoding(Codec::Pack, ValueType::String, texts);
    assert_eq!(found.encoding, "dictionary of 4 (codes: frame of reference, 2 bits)");
    let prices = (0..5000).map(|i| Value::Double((scattered(i) % 10_000) as f64 / 100.0));
    let found = encoding(Codec::Pack, ValueType::Double, prices).encoding;
    assert!(found.starts_with("decimals of 2 digits (frame of reference"), "{found}");
}

#[test]
fn plain_blocks_and_checksums_are_named() {
    let found = encoding(Codec::Null, ValueType::Int, (0..100).map(Value::Int));
    assert_eq!(found.encoding, "plain");
    assert!(found.is_verified && found.checksum.is_some());
    let builder = FileWriter::builder().set_checksum(trevni::checksum::Checksum::Null);
    let file = file(builder, ValueType::Int, (0..100).map(Value::Int));
    let found = file.block_encoding(0, 0).unwrap();
    assert_eq!((found.checksum, found.is_verified), (None, false));
    assert_eq!(
        file.block_encoding(0, 1).unwrap_err().to_string(),
        "column \"c\": invalid: no block 1"
    );
    assert!(file.block_encoding(1, 0).is_err());
}
