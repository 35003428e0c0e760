//! Files of a few bytes that represent many values: a reader stays within its limits.
//!
//! The files in `testdata/bad` are refused, and those in `testdata/odd` are read; both under a counting allocator.
//! Others are random: every kind of claim, with any sizes, types and number of columns.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::FileReader;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions};
use trevni::io::Limits;
use trevni::wire::{put_bytes, put_long};
use trevni_blosc::chunk::{Decoder, Header};
use trevni_convert::{Format, ReadOptions, Rows, Source};

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

fn files(folder: &str) -> Vec<PathBuf> {
    let list = std::fs::read_dir(trevni_testing::data::selected(folder)).unwrap();
    let mut files: Vec<_> = list.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5);
    files
}

/// Checks that every array of a batch is valid for its type.
fn check(batch: &RecordBatch) {
    batch.columns().iter().for_each(|array| array.to_data().validate_full().unwrap());
}

/// Reads the first rows of a file by any of the formats.
fn rows_of(path: &PathBuf, most: usize) -> trevni::Result<usize> {
    let mut source = Source::open(path)?;
    let format = match Format::of_path(path) {
        Some(format) => format,
        None => Format::of_source(&mut source)?.unwrap(),
    };
    first_rows((format.open)(source, &ReadOptions::default())?, most)
}

/// Reads and checks rows until there are this many. Returns how many there are.
pub(crate) fn first_rows(rows: Rows, most: usize) -> trevni::Result<usize> {
    let mut read = 0;
    for batch in rows {
        let batch = batch?;
        check(&batch);
        read += batch.num_rows();
        if read >= most {
            break;
        }
    }
    Ok(read)
}

/// What each file of `testdata/bad` gives: the error, or its end.
const BAD: &[(&str, &str)] = &[
    ("chunk_size_claimed.blp", "offset 208: malformed: chunk 0 is of 4096 bytes, not of 671092736"),
    (
        "compressed_zeros.arrow",
        "offset 136: too large: bytes of a message after decompression of 576000000 exceeds the limit of 268435456",
    ),
    (
        "enum_repeated.avro",
        "avro.schema: bytes of symbols that references repeat of 4200000 exceeds the limit of 4194304",
    ),
    (
        "enum_repeated.trv",
        "avro.schema: bytes of symbols that references repeat of 4224000 exceeds the limit of 4194304",
    ),
    ("footer_length.arrow", "malformed: the file does not end with an Arrow footer"),
    (
        "list_of_nulls.trv",
        "column \"a\", block 0, offset 87: too large: items of arrays of 2147483647 exceeds the limit of 33554432",
    ),
    (
        "list_of_zeros.parquet",
        "too large: parquet: bytes of a row, on average of 600000000 exceeds the limit of 268435456",
    ),
    (
        "nested_arrays.jsonl",
        "malformed: line 1: arrays and objects are nested more than 128 levels deep \
         (types were inferred from the first 1000 rows: --infer-rows 0 infers from all rows, a --schema gives them)",
    ),
    ("nested_groups.parquet", "unsupported: parquet: a schema nested more than 256 levels deep"),
    (
        "packed_constants_with_checksum.trv",
        "column \"a\", block 0, offset 113: too large: decoded values of one read of 2147483648 exceeds the limit of 268435456",
    ),
    (
        "packed_list_of_constant.trv",
        "column \"a[]\", block 0, offset 107: too large: block of 1073741824 exceeds the limit of 268435456",
    ),
    (
        "records_that_double.avro",
        "too large: avro.schema: types that references repeat of 98271 exceeds the limit of 65536",
    ),
    (
        "records_that_double.trv",
        "too large: avro.schema: types that references repeat of 98271 exceeds the limit of 65536",
    ),
    (
        "utf8_across_fields.csv",
        "malformed: line 3: byte 0xc3 is not UTF-8; --encoding names the encoding",
    ),
    (
        "utf8_behind_inference.csv",
        "malformed: line 1002: byte 0xc3 is not UTF-8; --encoding names the encoding",
    ),
];

/// How many of the first 100,000 rows each file of `testdata/odd` has.
const ODD: &[(&str, usize)] = &[
    ("block_of_one_run.blp", 100_000),
    ("enum_repeated.avro", 1),
    ("lz4_distance_0.blp", 500),
    ("null_rows.trv", 100_000),
    ("packed_repeated_string.trv", 20_000),
    ("ragged.b2frame", 10_332),
    ("repeated_string.parquet", 100_000),
];

/// Reads the first rows of a file, and returns what that gives. Fails if it takes more than the default limit.
fn read_within_default(path: &PathBuf) -> trevni::Result<usize> {
    let started = std::time::Instant::now();
    let (result, held) = peak(|| rows_of(path, 100_000));
    println!("{}: {held} bytes, {:?}, {result:?}", path.display(), started.elapsed());
    assert!(held < Limits::default().memory, "{}: {held} bytes", path.display());
    result.map(|rows| rows.min(100_000))
}

/// Returns the containers and row files of a folder.
fn rows_in(folder: &str) -> Vec<PathBuf> {
    let is_other =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "chunk" || e == "predicate");
    files(folder).into_iter().filter(|path| !is_other(path)).collect()
}

#[test]
fn files_that_claim_much_take_little() {
    let bad: Vec<_> = rows_in("bad");
    assert_eq!(bad.len(), BAD.len());
    for (path, (name, expected)) in bad.iter().zip(BAD) {
        let text = read_within_default(path).unwrap_err().to_string();
        assert!(path.ends_with(name) && text.ends_with(expected), "{}: {text}", path.display());
    }
    let odd: Vec<_> = rows_in("odd");
    assert_eq!(odd.len(), ODD.len());
    for (path, (name, expected)) in odd.iter().zip(ODD) {
        assert!(path.ends_with(name), "{}", path.display());
        assert_eq!(read_within_default(path).unwrap(), *expected, "{name}");
    }
}

/// A copy from distance 0 is zeros, as the library reads it, completely and in part.
#[test]
fn lz4_distances_of_0_are_read_alike() {
    let chunk = std::fs::read(trevni_testing::data::selected("odd/lz4_distance_0.chunk")).unwrap();
    let nbytes = Header::parse(&chunk).unwrap().nbytes as usize;
    let mut whole = vec![0xee; nbytes];
    Decoder::default().decode(&chunk, &mut whole).unwrap();
    for start in (0..nbytes).step_by(97) {
        let mut part = vec![0xdd; 5.min(nbytes - start)];
        Decoder::default().decode_range(&chunk, start, &mut part).unwrap();
        assert_eq!(part, whole[start..start + part.len()], "{start}");
    }
}

/// A number whose digits cannot be printed is refused, with its location.
#[test]
fn numbers_of_predicates_have_bounds() {
    let bytes = std::fs::read(trevni_testing::data::selected("bad/exponent.predicate")).unwrap();
    let text = std::str::from_utf8(&bytes[1..]).unwrap();
    let e = trevni::arrow::Predicate::parse(text).unwrap_err();
    let expected = "invalid: 10e9999 is no number at character 5\n  a = 10e9999\n      ^";
    assert_eq!(e.to_string(), expected);
    let most = trevni::arrow::Predicate::parse("a = 1e9999").unwrap().to_string();
    assert_eq!(trevni::arrow::Predicate::parse(&most).unwrap().to_string(), most);
}

/// A frame with incomplete elements stays one.
#[test]
fn a_frame_keeps_its_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ragged.b2frame");
    std::fs::copy(trevni_testing::data::selected("odd/ragged.b2frame"), &path).unwrap();
    let open = || trevni_blosc::open(&path).unwrap().arrays.remove(0).1;
    let (mut array, dtype) = (open(), open().dtype().clone());
    let len = array.len();
    for more in 1..=16 {
        let appended = array.append(&vec![7; more]);
        assert_eq!((array.dtype(), open().dtype()), (&dtype, &dtype), "{more}: {appended:?}");
        if appended.is_ok() {
            array.truncate(len).unwrap();
        }
    }
}
