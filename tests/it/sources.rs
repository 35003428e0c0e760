//! The same file from every kind of source, and how much of it is read.

use std::io::Write;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use trevni::checksum::Checksum;
use trevni::io::{AtomicFile, ReadAt};
use trevni::*;

fn columns() -> Vec<ColumnMetadata> {
    vec![
        ColumnMetadata::new("a", ValueType::Fixed64),
        ColumnMetadata::new("b", ValueType::Fixed64),
        ColumnMetadata::new("p", ValueType::Null).array(),
        ColumnMetadata::new("p#c", ValueType::Fixed64).with_parent("p"),
    ]
}

fn file() -> Vec<u8> {
    let numbers: Vec<i64> = (0..100_000).collect();
    let lengths: Vec<u32> = (0..100_000).map(|i| i % 2 * 2).collect();
    let builder = FileWriter::builder().set_checksum(Checksum::Null);
    let mut writer = builder.build(Vec::new(), columns()).unwrap();
    let plain = ColumnSlice::plain(ValuesRef::Long(&numbers));
    let array = ColumnSlice::array(&lengths, ValuesRef::Null(100_000));
    writer.write(100_000, &[plain, plain, array, plain]).unwrap();
    writer.finish().unwrap().0
}

fn check<R: ReadAt>(source: R) {
    let file = FileReader::try_new(source).unwrap();
    assert_eq!(file.rows(), 100_000);
    let part = file.read_rows(1, 54_321..54_323).unwrap();
    assert_eq!(part.values, Values::Long(vec![54_321, 54_322]));
    assert_eq!(
        file.read_rows(3, 99_998..100_000).unwrap().values,
        Values::Long(vec![99_998, 99_999])
    );
    assert!(file.verify(|_| ()).faults.is_empty());
}

#[test]
fn files_bytes_slices_and_maps_read_alike() {
    let bytes = file();
    check(bytes.as_slice());
    check(Bytes::from(bytes.clone()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.trv");
    let mut out = AtomicFile::create_new(&path).unwrap();
    out.write_all(&bytes).unwrap();
    out.commit().unwrap();
    let open = std::fs::File::open(&path).unwrap();
    // SAFETY: the file is the test's own, and nobody changes it.
    #[allow(unsafe_code)]
    let map = unsafe { memmap2::Mmap::map(&open).unwrap() };
    check(Bytes::from_owner(map));
    check(Arc::new(open));
    let boxed: Box<dyn ReadAt> = Box::new(Bytes::from(bytes));
    check(boxed);
}

/// A caller's own source, which records the reads.
struct RecordingStore(Bytes, Arc<Mutex<Vec<(u64, usize)>>>);

impl ReadAt for RecordingStore {
    fn len(&self) -> std::io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.1.lock().unwrap().push((offset, len));
        self.0.read_at(offset, len)
    }
}

#[test]
fn only_what_is_needed_is_read() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let taken = || std::mem::take(&mut *notes.lock().unwrap());
    let bytes = file();
    let file = FileReader::try_new(RecordingStore(Bytes::from(bytes), notes.clone())).unwrap();
    assert_eq!(taken(), [(0, 65_536)]);
    // The table, of a length that is guessed, and the one block.
    file.read_rows(1, 54_321..54_322).unwrap();
    let reads = taken();
    let [(_, table), (_, block)] = reads[..] else { panic!("{reads:?}") };
    assert!((4 + 13 * 12..1024).contains(&table) && block == 65_536, "{reads:?}");
    file.read_rows(1, 54_321..54_322).unwrap();
    assert_eq!(taken().len(), 1);
    // A child also needs the counts of its parent.
    file.read_rows(3, 99_999..100_000).unwrap();
    assert!(taken().iter().map(|(_, len)| len).sum::<usize>() < 300_000);
}
