//! Damaged files: an error or the chunks, never a panic, and no memory for mere claims.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::golden::goldens;
use super::*;

/// Whatever a reader can ask of a file.
fn read(bytes: Vec<u8>) -> Result<()> {
    let file = Bloscpack::open(Bytes::from(bytes))?;
    for number in 0..file.layout().chunks.min(1000) {
        file.chunk(number)?;
    }
    assert!(file.chunk(file.layout().chunks).is_err());
    file.verify()
}

fn small_goldens() -> Vec<Vec<u8>> {
    let all = goldens().into_iter().map(|path| std::fs::read(path).unwrap());
    all.filter(|bytes| bytes.len() < 1500).collect()
}

/// Returns a file of three chunks with metadata, offsets and checksums.
fn sound() -> Vec<u8> {
    let chunks: Vec<_> = [400, 400, 200].iter().map(|n| encoded(&vec![7; *n])).collect();
    let array = Some((Dtype::parse("<i4").unwrap(), Order::C));
    built(array, 4, Default::default(), &chunks, &[250], &Attributes::new()).unwrap()
}

#[test]
fn no_cut_file_is_whole() {
    for bytes in small_goldens().into_iter().chain([sound()]) {
        read(bytes.clone()).unwrap();
        for cut in 0..bytes.len() {
            read(bytes[..cut].to_vec()).unwrap_err();
        }
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    for bytes in small_goldens().into_iter().chain([sound()]) {
        for at in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                let _ = read(bytes);
            }
        }
    }
}

#[test]
fn changed_chunks_are_found() {
    let bytes = sound();
    let first = Bloscpack::open(Bytes::from(bytes.clone())).unwrap().beginning.end as usize;
    for at in first..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x10;
        read(bytes).unwrap_err();
    }
}

#[test]
fn wrong_offsets_are_found() {
    let bytes = sound();
    let file = Bloscpack::open(Bytes::from(bytes.clone())).unwrap();
    let (table, starts) = (file.beginning.end as usize - 33 * 8, file.beginning.starts.clone());
    let with = |starts: [u64; 3]| {
        let mut bytes = bytes.clone();
        let table = &mut bytes[table..table + 24];
        table
            .chunks_exact_mut(8)
            .zip(starts)
            .for_each(|(slot, s)| slot.copy_from_slice(&s.to_le_bytes()));
        Bloscpack::open(Bytes::from(bytes))
    };
    // Both chunks are valid, but not at their offsets.
    let swapped = with([starts[1], starts[0], starts[2]]).unwrap();
    swapped.chunk(0).unwrap();
    assert!(swapped.verify().unwrap_err().to_string().contains("by its offset"));
    assert!(with([starts[0] + 1, starts[1], starts[2]]).unwrap().chunk(0).is_err());
    let e = with([starts[0], starts[2], starts[1]]).unwrap().chunk(1).unwrap_err();
    assert!(e.to_string().contains("chunk 1 is of 200 bytes, not of 400"), "{e}");
    assert!(with([8, starts[1], starts[2]]).unwrap_err().to_string().contains("start at 8"));
    assert!(
        with([starts[0], u64::MAX, starts[2]]).unwrap_err().to_string().contains("start at -1")
    );
}

#[test]
fn extreme_fields_do_no_harm() {
    let extremes =
        [0, 1, 2, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, i64::MAX as u64, u64::MAX];
    for bytes in small_goldens().into_iter().chain([sound()]) {
        // The fields of both headers, by position and width.
        for (at, width) in [
            (4, 1),
            (5, 1),
            (6, 1),
            (7, 1),
            (8, 4),
            (12, 4),
            (16, 8),
            (24, 8),
            (44, 4),
            (48, 4),
            (52, 4),
        ] {
            for value in extremes {
                let mut bytes = bytes.clone();
                if let Some(field) = bytes.get_mut(at..at + width) {
                    field.copy_from_slice(&value.to_le_bytes()[..width]);
                }
                let _ = read(bytes);
            }
        }
    }
}

/// A source that counts the bytes that are read.
#[derive(Clone)]
struct Counting(Bytes, Arc<AtomicU64>);

impl ReadAt for Counting {
    fn len(&self) -> std::io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.1.fetch_add(len as u64, Ordering::Relaxed);
        self.0.read_at(offset, len)
    }
}

#[test]
fn opening_reads_the_beginning_only_and_a_chunk_costs_itself() {
    let chunks: Vec<_> = (0..100u32).map(|i| encoded(&i.to_le_bytes().repeat(1000))).collect();
    let shape = [400_000];
    let file = built(None, 4, Default::default(), &chunks, &shape, &Attributes::new()).unwrap();
    let read = Arc::new(AtomicU64::new(0));
    let file = Bloscpack::open(Counting(file.into(), read.clone())).unwrap();
    // The header, the used offsets, and the header of one chunk.
    assert_eq!(read.swap(0, Ordering::Relaxed), 32 + 100 * 8 + 32);
    for (number, chunk) in chunks.iter().enumerate() {
        assert_eq!(file.chunk(number as u64).unwrap(), chunk);
        assert_eq!(read.swap(0, Ordering::Relaxed), chunk.len() as u64 + 4);
    }
}
