//! Parallel reading: any read, of any damaged file, has the same result as with one thread.

use bytes::Bytes;
use trevni::codec::Codec;
use trevni::*;

use super::seek::nested_bytes;
use super::testdata::Numbers;

const ROWS: u64 = 3000;

const CODECS: [Codec; 2] = [Codec::Null, Codec::Pack];

fn empty(file: &FileReader<Bytes>) -> Vec<ColumnData> {
    file.columns().iter().map(ColumnData::of).collect()
}

/// Returns a reader of all columns.
fn reader(file: &FileReader<Bytes>, threads: usize, ahead: u64) -> ProjectedReader<Bytes> {
    let all: Vec<usize> = (0..file.columns().len()).collect();
    file.projected_reader(&all).unwrap().with_parallelism(threads, ahead).unwrap()
}

#[test]
fn all_rows_are_the_same_by_any_number_at_a_time() {
    for codec in CODECS {
        let file = FileReader::try_new(nested_bytes(codec, 400, ROWS as usize)).unwrap();
        for (threads, ahead) in [(2, u64::MAX), (2, 1000), (3, ROWS), (3, 1), (9, u64::MAX)] {
            for size in [1, 64, 500, 1001, 2999, 3000] {
                let (mut one, mut more) = (reader(&file, 1, 0), reader(&file, threads, ahead));
                loop {
                    let (mut expected, mut data) = (empty(&file), empty(&file));
                    let read = one.read(size, &mut expected).unwrap();
                    assert_eq!(more.read(size, &mut data).unwrap(), read);
                    assert_eq!((data, more.row()), (expected, one.row()));
                    if read == 0 {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn any_way_through_the_rows_is_the_same() {
    let mut random = Numbers(11);
    let mut below = |n: u64| random.next31().cast_unsigned() % n;
    for codec in CODECS {
        let file = FileReader::try_new(nested_bytes(codec, 300, ROWS as usize)).unwrap();
        for threads in [2, 3] {
            let (mut one, mut more) = (reader(&file, 1, 0), reader(&file, threads, ROWS));
            let (mut expected, mut data) = (empty(&file), empty(&file));
            for _ in 0..300 {
                let size = 1 + below(200);
                match below(6) {
                    0 => {
                        one.seek(size * 15);
                        more.seek(size * 15);
                    }
                    1 => {
                        // Ranges with a gap.
                        let start = one.row().min(ROWS - 1);
                        let middle = (start + size / 2).min(ROWS);
                        let ranges =
                            [start..middle, (middle + 3).min(ROWS)..(middle + 9).min(ROWS)];
                        one.read_ranges(&ranges, &mut expected).unwrap();
                        more.read_ranges(&ranges, &mut data).unwrap();
                    }
                    // Some of one size, one after another.
                    _ => (0..below(8)).for_each(|_| {
                        one.read(size as usize, &mut expected).unwrap();
                        more.read(size as usize, &mut data).unwrap();
                        if size % 3 > 0 {
                            assert_eq!(data, expected);
                            (expected, data) = (empty(&file), empty(&file));
                        }
                    }),
                }
                assert_eq!((&data, more.row()), (&expected, one.row()));
            }
        }
    }
}

/// Reads until an error: the rows before it, and the error.
fn until_broken(
    file: &FileReader<Bytes>,
    threads: usize,
) -> (Vec<Vec<ColumnData>>, Option<String>) {
    let mut reader = reader(file, threads, u64::MAX);
    let mut all = Vec::new();
    loop {
        let mut data = empty(file);
        match reader.read(100, &mut data) {
            Ok(0) => return (all, None),
            Ok(_) => all.push(data),
            Err(e) => return (all, Some(e.to_string())),
        }
    }
}

#[test]
fn what_is_broken_is_said_when_it_is_its_turn() {
    for codec in CODECS {
        let bytes = nested_bytes(codec, 400, ROWS as usize);
        let mut broken = 0;
        for at in (bytes.len() / 4..bytes.len()).step_by(bytes.len() / 40) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x41;
            let Ok(file) = FileReader::try_new(Bytes::from(damaged)) else { continue };
            if (0..file.columns().len()).any(|column| file.blocks(column).is_err()) {
                continue;
            }
            let expected = until_broken(&file, 1);
            broken += usize::from(expected.1.is_some());
            for threads in [2, 3] {
                assert!(until_broken(&file, threads) == expected, "byte {at}, {threads} threads");
            }
        }
        assert!(broken > 10);
    }
}
