//! Plans name the blocks that reading opens: all of them, and no others.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use trevni::io::ReadAt;
use trevni::*;

use super::testdata::{self, Numbers};

/// A file that records which bytes are read.
struct RecordingStore(Bytes, Arc<Mutex<BTreeSet<u64>>>);

impl ReadAt for RecordingStore {
    fn len(&self) -> std::io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.1.lock().unwrap().extend(offset..offset + len as u64);
        self.0.read_at(offset, len)
    }
}

/// Ascending ranges that do not touch.
fn ranges(numbers: &mut Numbers, rows: u64) -> Vec<Range<u64>> {
    let mut next = |n: u64| numbers.next31() as u64 % n.max(1);
    let (mut at, mut ranges) = (0, Vec::new());
    for _ in 0..1 + next(4) {
        let start = at + next(rows - at);
        let end = start + 1 + next((rows - start).min(1 + rows / 10));
        if end >= rows {
            break;
        }
        ranges.push(start..end);
        at = end + 1;
    }
    ranges
}

fn data_of(file: &FileReader<RecordingStore>, columns: &[usize]) -> Vec<ColumnData> {
    columns.iter().map(|column| ColumnData::of(&file.columns()[*column])).collect()
}

#[test]
fn blocks_are_those_that_reading_opens() {
    let mut numbers = Numbers(7);
    let mut planned = 0;
    for path in testdata::reference_files() {
        let name = testdata::stem(&path);
        if testdata::REFUSED.contains(&name) {
            continue;
        }
        let read = Arc::new(Mutex::new(BTreeSet::new()));
        let source = RecordingStore(std::fs::read(&path).unwrap().into(), read.clone());
        // With the metadata known: opening would read all of a small file.
        let metadata = FileReader::try_new(source.0.clone()).unwrap().metadata().clone();
        let file = FileReader::new_with_metadata(source, metadata);
        let all = 0..file.columns().len();
        all.clone().for_each(|column| drop(file.blocks(column).unwrap()));
        for _ in 0..6 {
            let columns: Vec<_> = all.clone().filter(|_| numbers.next31() % 3 == 0).collect();
            let rows = ranges(&mut numbers, file.rows());
            read.lock().unwrap().clear();
            let plan = file.block_ranges(&columns, &rows).unwrap();
            assert!(read.lock().unwrap().is_empty(), "{name}: a plan reads nothing");
            let mut reader = file.projected_reader(&columns).unwrap();
            reader.read_ranges(&rows, &mut data_of(&file, &columns)).unwrap();
            let plan: BTreeSet<_> = plan.into_iter().flatten().collect();
            assert_eq!(plan, std::mem::take(&mut *read.lock().unwrap()), "{name}: {rows:?}");
            planned += plan.len();
        }
    }
    assert!(planned > 10_000, "{planned}");
}

#[test]
fn tables_are_where_they_are_taken_to_be() {
    let (mut long, mut tables) = (Vec::new(), 0);
    for path in testdata::reference_files() {
        let name = testdata::stem(&path);
        if testdata::REFUSED.contains(&name) {
            continue;
        }
        let file = FileReader::try_new(std::fs::File::open(&path).unwrap()).unwrap();
        let columns: Vec<_> = (0..file.columns().len()).collect();
        let guesses = file.table_ranges(&columns);
        for (column, guess) in columns.into_iter().zip(guesses) {
            assert_eq!(Some(guess.start), file.header().start(column), "{name}");
            let blocks = file.blocks(column).unwrap();
            tables += 1;
            if blocks.first().is_some_and(|first| first.offset > guess.end) {
                long.push(file.columns()[column].is_indexed());
            }
        }
    }
    // Only long first values are more than a guess holds.
    assert!(long.iter().all(|indexed| *indexed), "{long:?}");
    assert!(tables > 40, "{tables}");
    // The file that has such needs its codec.
    let codecs = cfg!(all(feature = "snappy", feature = "deflate"));
    assert_eq!(!long.is_empty(), codecs, "{long:?}");
}
