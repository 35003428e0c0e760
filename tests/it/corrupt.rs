//! Files that are cut short, changed, or no files at all: an error or the same data, never a panic, never much
//! memory.

use std::path::Path;

use bytes::Bytes;
use trevni::{ColumnData, FileReader};
use trevni_testing::allocator::{CountingAllocator, peak};

use crate::testdata::{REFUSED, meta, reference_files, stem};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

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

/// Returns a codec's own state and the first read cost something even for the smallest file.
fn allowed(file: usize) -> usize {
    (8 << 20) + 64 * file
}

#[test]
fn cut_short_anywhere() {
    let mut cases = 0;
    for path in reference_files() {
        let Some((bytes, data)) = small(&path) else { continue };
        for n in 0..bytes.len() {
            let (result, held) = peak(|| read(bytes[..n].to_vec()));
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
            let (result, held) = peak(|| read(changed));
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
    use trevni::FileReader;
    use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, Layout, WriterProperties};

    use super::peak;
    use crate::testdata::Numbers;
    use trevni_testing::arrays::{array, field};
    use trevni_testing::equality::same_rows;

    /// Returns a file of random fields, its batch, and where its columns begin.
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
                    let (result, held) = peak(|| read(bytes));
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

/// A schema whose key has changed is missed, as its layout is stated.
#[cfg(feature = "arrow")]
#[test]
fn a_changed_key_of_the_schema_is_a_fault() {
    use arrow::array::{ArrayRef, RecordBatch, StringArray};
    let text: ArrayRef = std::sync::Arc::new(StringArray::from(vec![Some("x"), None]));
    let batch = RecordBatch::try_from_iter([("s", text)]).unwrap();
    let mut writer = trevni::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let file = writer.into_inner().unwrap();
    let at = file.windows(12).position(|bytes| bytes == b"ARROW:schema").unwrap();
    for byte in at..at + 12 {
        let mut changed = file.clone();
        changed[byte] ^= 1;
        let file = trevni::FileReader::try_new(bytes::Bytes::from(changed)).unwrap();
        let faults = file.verify(|_| ()).faults;
        assert!(
            faults.iter().any(|fault| fault.to_string().contains("no ARROW:schema")),
            "{faults:?}"
        );
    }
}
