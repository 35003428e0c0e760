//! Files of a few bytes that represent many values: a reader stays within its limits.
//!
//! They are random: every kind of claim, with any sizes, types and number of columns.

use bytes::Bytes;
use proptest::prelude::*;
use trevni::FileReader;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions};
use trevni::io::Limits;
use trevni::wire::{put_bytes, put_long};

use trevni_testing::allocator::peak;

/// What a test's reader may hold.
pub(crate) const MEMORY: usize = 64 << 20;

/// What the library needs whatever it reads: state of codecs, schemas, buffers that grow.
pub(crate) const BESIDES: usize = 8 << 20;

/// A column of one block.
#[derive(Debug, Clone)]
struct Column {
    value_type: &'static str,
    codec: &'static str,
    array: bool,
    /// The size before the codec that the descriptor claims.
    claimed: u32,
    block: Vec<u8>,
}

/// Returns a file of columns with this many rows in one block each.
fn file(rows: u32, columns: &[Column]) -> Vec<u8> {
    let mut out = b"Trv\x02".to_vec();
    out.extend(u64::from(rows).to_le_bytes());
    out.extend((columns.len() as u32).to_le_bytes());
    put_long(&mut out, 0);
    for (i, column) in columns.iter().enumerate() {
        let name = format!("c{i}");
        let mut pairs: Vec<(&str, &[u8])> = vec![
            ("trevni.name", name.as_bytes()),
            ("trevni.type", column.value_type.as_bytes()),
            ("trevni.codec", column.codec.as_bytes()),
        ];
        if column.array {
            pairs.push(("trevni.array", b""));
        }
        put_long(&mut out, pairs.len() as i64);
        for (key, value) in pairs {
            put_bytes(&mut out, key.as_bytes());
            put_bytes(&mut out, value);
        }
    }
    let mut start = out.len() + 8 * columns.len();
    for column in columns {
        out.extend((start as u64).to_le_bytes());
        start += 16 + column.block.len();
    }
    for column in columns {
        out.extend(1u32.to_le_bytes());
        for number in [rows, column.claimed, column.block.len() as u32] {
            out.extend(number.to_le_bytes());
        }
        out.extend(&column.block);
    }
    out
}

const CONSTANT: u8 = 0;

/// Returns a packed block of `items` items and encoded `values`.
fn packed(items: u32, values: &[u8]) -> Vec<u8> {
    let mut block = vec![1];
    put_long(&mut block, items.into());
    block.extend(values);
    block
}

/// Returns a string of one byte again and again, packed: lengths, the end of each group, the bytes.
fn plain_string(length: u32) -> Vec<u8> {
    let mut out = vec![0];
    for _ in 0..2 {
        out.push(CONSTANT);
        put_long(&mut out, length.into());
    }
    put_long(&mut out, length.into());
    out.extend(vec![b'a'; length as usize]);
    out
}

/// Strings that are all the one entry of a dictionary.
fn repeated_string(entry: &[u8]) -> Vec<u8> {
    let mut out = vec![1];
    put_long(&mut out, 1);
    out.extend(entry);
    out.extend([CONSTANT, 0]);
    out
}

/// Returns a dictionary of `m` entries that are all one entry of another, and codes that are all 0.
fn nested_string(m: u32, length: u32) -> Vec<u8> {
    let mut out = vec![1];
    put_long(&mut out, m.into());
    out.extend(repeated_string(&plain_string(length)));
    out.extend([CONSTANT, 0]);
    out
}

/// Numbers in `n` runs of one.
fn runs(n: u32) -> Vec<u8> {
    let mut out = vec![4];
    put_long(&mut out, n.into());
    out.extend([CONSTANT, 2, CONSTANT, 0]);
    out
}

/// Returns a list in each of `rows` rows, of `length` values that are all alike.
fn constant_lists(rows: u32, length: u32) -> Vec<u8> {
    let mut out = vec![0];
    put_long(&mut out, i64::from(rows) * i64::from(length));
    out.push(CONSTANT);
    put_long(&mut out, length.into());
    out.extend([CONSTANT, 10]);
    packed(rows, &out)
}

/// Returns a column with large claims, for this many rows.
fn column(rows: u32) -> impl Strategy<Value = Column> {
    let number = prop::sample::select(vec!["int", "long", "float", "double", "fixed64", "boolean"]);
    let size =
        prop::sample::select(vec![1u32, 1000, 1 << 16, 1 << 20, 1 << 24, 1 << 28, i32::MAX as u32]);
    (0..7u8, number, size, any::<bool>()).prop_map(move |(kind, value_type, size, whole)| {
        let of = |value_type, codec, array, claimed, block| Column {
            value_type,
            codec,
            array,
            claimed,
            block,
        };
        match kind {
            0 => of("null", "null", false, 0, vec![]),
            1 => {
                // A run of ones, and one list of nulls for each other row.
                let mut block = Vec::new();
                (0..rows.min(50)).for_each(|_| put_long(&mut block, size.into()));
                if rows > 50 {
                    put_long(&mut block, 2 - 2 * i64::from(rows - 50));
                }
                of("null", "null", true, block.len() as u32, block)
            }
            2 => of(value_type, "pack", true, size, constant_lists(rows, size / rows.max(1))),
            3 => {
                let entry = plain_string(size.min(1 << 18));
                let claimed = if whole { size } else { rows.saturating_mul(size) };
                of("string", "pack", false, claimed, packed(rows, &repeated_string(&entry)))
            }
            4 => {
                let m = rows.min(1 << 16);
                of(
                    "string",
                    "pack",
                    false,
                    size,
                    packed(rows, &nested_string(m, size.min(1 << 16))),
                )
            }
            5 => of("long", "pack", false, size.max(rows), packed(rows, &runs(rows))),
            _ => {
                let size = size.min(1 << 26);
                let zeros = vec![0; size as usize];
                of("bytes", "deflate", false, size, deflated(&zeros))
            }
        }
    })
}

/// Returns a deflate stream of zeros.
fn deflated(zeros: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(zeros).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: Vec<u8>, threads: usize) -> trevni::Result<u64> {
    let options = ArrowReaderOptions::new().with_limits(Limits::of_memory(MEMORY));
    let builder = ArrowReaderBuilder::try_new_with_options(Bytes::from(bytes), options)?;
    let mut rows = 0;
    for batch in builder.with_parallelism(threads).build()? {
        rows += batch?.num_rows() as u64;
    }
    Ok(rows)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Any such file gives its rows or an error, within the limits.
    #[test]
    fn what_a_file_claims_is_not_allocated(
        (rows, columns) in prop::sample::select(vec![1u32, 2, 77, 10_000, 300_000])
            .prop_flat_map(|rows| (Just(rows), prop::collection::vec(column(rows), 1..12))),
    ) {
        let bytes = file(rows, &columns);
        let size = bytes.len();
        let (result, held) = peak(|| read(bytes.clone(), 1));
        prop_assert!(held < MEMORY + BESIDES + 2 * size, "{held} bytes of {size}: {result:?}");
        let (verified, held) = peak(|| {
            let limits = Limits::of_memory(MEMORY);
            let file = FileReader::try_new_with_limits(Bytes::from(bytes.clone()), limits)?;
            Ok::<_, trevni::Error>(file.verify(|_| ()).faults.len())
        });
        prop_assert!(held < MEMORY + BESIDES + 2 * size, "verify: {held} bytes of {size}");
        if result.is_ok() {
            prop_assert_eq!(verified.unwrap(), 0);
            // Threads change nothing.
            prop_assert_eq!(read(bytes, 3).unwrap(), result.unwrap());
        }
    }
}
