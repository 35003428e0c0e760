//! Files that once broke a reader: those in `testdata/bad` are refused, with a text, and those in `testdata/odd` are
//! read. Both within the default limits, under a counting allocator.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use trevni::io::Limits;
use trevni_blosc::chunk::{Decoder, Header};
use trevni_convert::{Format, ReadOptions, Rows, Source};

use trevni_testing::allocator::peak;

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
    ("decimal_of_more_digits.avro", "a decimal has more than 2 digits"),
    (
        "duration_beyond_interval.avro",
        "unsupported: a duration of 2147483648 months and 0 days: an interval has no more than 2147483647",
    ),
    (
        "duration_beyond_interval.trv",
        "unsupported: a duration of 2147483648 months and 0 days: an interval has no more than 2147483647",
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
    ("line_cut_in_two.jsonl", "line 2, column 5: not JSON: EOF while parsing a value"),
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
        "malformed: line 1: arrays and objects are nested more than 128 levels deep",
    ),
    ("nested_groups.parquet", "unsupported: parquet: a schema nested more than 256 levels deep"),
    (
        "packed_constants_with_checksum.trv",
        "column \"a\", block 0, offset 113: too large: decoded values of one read of 2147483648 exceeds the limit of 268435456",
    ),
    ("packed_cut_at_64.trv", "column \"a\", block 0, offset 91: malformed: numbers cut at bit 64"),
    (
        "packed_exception_outside.trv",
        "column \"a\", block 0, offset 91: malformed: places of exceptions do not ascend in their chunk",
    ),
    ("packed_lag_of_zero.trv", "column \"a\", block 0, offset 91: malformed: a lag of 0"),
    (
        "packed_left_part_twice.trv",
        "column \"a\", block 0, offset 92: malformed: a right part of 16 bits beside left parts [5, 5]",
    ),
    (
        "packed_list_of_constant.trv",
        "column \"a[]\", block 0, offset 107: too large: block of 1073741824 exceeds the limit of 268435456",
    ),
    (
        "packed_pair_of_itself.trv",
        "column \"a\", block 0, offset 93: malformed: a pair of no tokens, or too long",
    ),
    (
        "packed_steps_nested.trv",
        "column \"a\", block 0, offset 91: malformed: numbers within numbers, too deep",
    ),
    (
        "packed_template_digits.trv",
        "column \"a\", block 0, offset 93: malformed: a number of 17 digits",
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
    ("first_values_do_not_ascend.trv", 4),
    ("int96_beyond_nanoseconds.parquet", 2),
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
