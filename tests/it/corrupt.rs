//! Files that are cut short, changed, or no files at all: an error or the same data, never a panic, never much
//! memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use bytes::Bytes;
use trevni::trevni::{ColumnData, FileReader};

use crate::testdata::{REFUSED, meta, reference_files, stem};

/// Counts the bytes that the test's own thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call goes to the system's allocator as it came; the counters are plain thread-local numbers.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most memory that `f` holds at once beyond what was held before.
pub(crate) fn most_held<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let result = f();
    (result, (MOST.get() - before) as usize)
}

fn read(bytes: Vec<u8>) -> trevni::Result<Vec<ColumnData>> {
    let file = FileReader::try_new(Bytes::from(bytes))?;
    (0..file.columns().len()).map(|i| file.read_column(i)).collect()
}

fn small(path: &Path) -> Option<(Vec<u8>, Vec<ColumnData>)> {
    let bytes = std::fs::read(path).unwrap();
    if bytes.len() > 6000 || REFUSED.contains(&stem(path)) {
        return None;
    }
    let data = read(bytes.clone()).unwrap();
    Some((bytes, data))
}

/// A codec's own state and the first read cost something even for the smallest file.
fn allowed(file: usize) -> usize {
    (8 << 20) + 64 * file
}

#[test]
fn cut_short_anywhere() {
    let mut cases = 0;
    for path in reference_files() {
        let Some((bytes, data)) = small(&path) else { continue };
        for n in 0..bytes.len() {
            let (result, held) = most_held(|| read(bytes[..n].to_vec()));
            let faults = FileReader::try_new(Bytes::copy_from_slice(&bytes[..n]))
                .map_or(1, |file| file.verify(|_| ()).faults.len());
            assert_eq!(faults == 0, result.is_ok(), "{} at {n}", stem(&path));
            if let Ok(cut) = result {
                assert!(cut == data, "{} at {n}", stem(&path));
            }
            assert!(held < allowed(bytes.len()), "{} at {n}: {held} bytes", stem(&path));
            cases += 1;
        }
    }
    println!("{cases} truncations");
    assert!(cases > 1000);
}

/// No checksum covers the header. A change there is mostly found because the blocks no longer fit it; where a
/// key such as `trevni.parent` becomes one that means nothing, and the blocks happen to fit the other columns
/// too, the file is another well-formed file. These are counted, and must be few.
#[test]
fn any_byte_changed() {
    let (mut cases, mut other_files) = (0, 0);
    for path in reference_files() {
        let Some((bytes, data)) = small(&path) else { continue };
        let meta = meta(&path);
        let header = meta["headerSize"].as_u64().unwrap() as usize;
        let proved = meta["columns"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["effectiveChecksum"] != "null" && !stem(&path).ends_with("crc32-zero"));
        for (i, flip) in (0..bytes.len()).flat_map(|i| [0xff, 0x01].map(|f| (i, f))) {
            let mut changed = bytes.clone();
            changed[i] ^= flip;
            let (result, held) = most_held(|| read(changed));
            assert!(held < allowed(bytes.len()), "{} at {i}: {held} bytes", stem(&path));
            cases += 1;
            // Without a checksum, other data is no fault of the reader.
            if proved && result.is_ok_and(|changed| changed != data) {
                assert!(i < header, "{} byte {i} ^ {flip:02x}", stem(&path));
                other_files += 1;
            }
        }
    }
    println!("{cases} changed bytes, of which {other_files} in a header made another file");
    assert!(cases > 1000 && other_files * 1000 < cases);
}

/// The same through the Arrow doors: files with schemas in them, every byte changed and cut at every offset.
#[cfg(feature = "arrow")]
mod of_arrow {
    use std::sync::Arc;

    use arrow::array::RecordBatch;
    use arrow::datatypes::Schema;
    use bytes::Bytes;
    use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, Layout, WriterProperties};
    use trevni::trevni::FileReader;

    use super::most_held;
    use crate::random::{array, field};
    use crate::same::same_rows;
    use crate::testdata::Numbers;

    /// A file of random fields, its batch, and where its columns begin.
    fn file(seed: u64, layout: Layout) -> Option<(Vec<u8>, RecordBatch, usize)> {
        let n = &mut Numbers(seed);
        let fields: Vec<_> = ["a", "b", "c"].iter().map(|name| field(name, 2, n)).collect();
        let columns = fields.iter().map(|field| array(field, 20, n)).collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let properties = WriterProperties::builder().set_layout(layout).set_block_size(64).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).ok()?;
        writer.write(&batch).ok()?;
        let bytes = writer.into_inner().unwrap();
        let file = FileReader::try_new(Bytes::from(bytes.clone())).unwrap();
        let start = file.header().start(0).map_or(bytes.len(), |start| start as usize);
        Some((bytes, batch, start))
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<RecordBatch>, Box<dyn std::error::Error>> {
        let reader = ArrowReaderBuilder::try_new(Bytes::from(bytes))?.with_batch_size(7).build()?;
        Ok(reader.collect::<Result<_, _>>()?)
    }

    #[test]
    fn any_byte_changed_or_cut() {
        let mut cases = 0;
        for seed in 0..40 {
            let layout = [Layout::Split, Layout::Avro][seed as usize % 2];
            let Some((bytes, batch, start)) = file(seed, layout) else { continue };
            for i in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[i] ^= [0x01, 0xff, 0x10][i % 3];
                let cut = bytes[..i].to_vec();
                for (bytes, proved) in [(changed, i >= start), (cut, true)] {
                    let (result, held) = most_held(|| read(bytes));
                    assert!(held < (8 << 20), "seed {seed} at {i}: {held} bytes");
                    if let Ok(batches) = result
                        && proved
                    {
                        same_rows(std::slice::from_ref(&batch), &batches)
                            .unwrap_or_else(|e| panic!("seed {seed} at {i}: {e}"));
                    }
                    cases += 1;
                }
            }
        }
        println!("{cases} changed or cut files");
        assert!(cases > 10_000);
    }
}
