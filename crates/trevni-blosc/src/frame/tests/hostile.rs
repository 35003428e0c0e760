//! Malformed frames: truncated, changed, and with false claims. Errors or values, and little memory.

use bytes::Bytes;

use super::super::{FrameHeader, Index, Keys, SparseFrame, Trailer};
use super::{ContiguousFrame, Frame, bytes_of, golden, packed};
use crate::array::Container;
use crate::chunk::{Header, Special, special};
use trevni::Result;

/// The most bytes that a test opens.
const MOST: u64 = 1 << 20;

/// Opens a frame and decodes all of its chunks.
fn open(bytes: Vec<u8>) -> Result<usize> {
    let frame = ContiguousFrame::from_source(Bytes::from(bytes))?;
    look(&frame)
}

fn look(frame: &dyn Container) -> Result<usize> {
    let mut sum = 0u64;
    for number in 0..frame.layout().chunks.min(1000) {
        sum += u64::from(Header::parse(&frame.chunk(number)?)?.nbytes);
    }
    if sum > MOST { Ok(0) } else { bytes_of(frame).map(|bytes| bytes.len()) }
}

const SMALL: [&str; 7] = [
    "empty_with_meta.b2frame",
    "one_byte.b2frame",
    "nd_sp_zeros.b2nd",
    "special_value.b2frame",
    "vlmeta_only.b2frame",
    "nd_1d_i4.b2nd",
    "edit_insert.b2frame",
];

#[test]
fn cut_anywhere() {
    let folder = golden();
    for name in SMALL {
        let whole = std::fs::read(folder.join(name)).unwrap();
        assert!(open(whole.clone()).is_ok());
        let step = 1 + whole.len() / 1500;
        for len in (0..whole.len()).step_by(step) {
            assert!(open(whole[..len].to_vec()).is_err(), "{name} {len}");
        }
    }
}

#[test]
fn bent_anywhere() {
    let folder = golden();
    let mut values = 0;
    for name in SMALL {
        let whole = std::fs::read(folder.join(name)).unwrap();
        let ends = whole.len().min(400);
        for at in (0..ends).chain(whole.len() - ends..whole.len()) {
            for bits in [0x01, 0x80, 0xff] {
                let mut bent = whole.clone();
                bent[at] ^= bits;
                values += u32::from(open(bent).is_ok());
            }
        }
    }
    assert!(values > 0);
    println!("{values} bent frames have values");
}

#[test]
fn numbers_that_boast() {
    let folder = golden();
    for name in SMALL {
        let whole = std::fs::read(folder.join(name)).unwrap();
        for (at, size) in [(11, 4), (16, 8), (30, 8), (39, 8), (48, 4), (53, 4), (58, 4), (89, 2)] {
            for value in [0, 1, 7, 1 << 16, 1 << 31, (1 << 31) - 1, 1 << 60, i64::MAX, -1, i64::MIN]
            {
                let mut bent = whole.clone();
                bent[at..at + size].copy_from_slice(&value.to_be_bytes()[8 - size..]);
                let _ = open(bent);
            }
        }
    }
}

/// Returns a frame of no chunks but an index chunk of our own.
fn with_index(folder: &std::path::Path, index: &[u8], nbytes: u64, chunk_size: i32) -> Vec<u8> {
    let template = Bytes::from(std::fs::read(folder.join("special_nan.b2frame")).unwrap());
    let mut header = FrameHeader::parse(&template).unwrap();
    header.set_chunk_size(chunk_size);
    header.nbytes = nbytes;
    let mut tail = index.to_vec();
    Trailer::default().put(&mut tail).unwrap();
    header.set_len(tail.len() as u64).unwrap();
    let mut frame = Vec::new();
    header.put(&mut frame).unwrap();
    frame.extend(tail);
    frame
}

#[test]
fn indexes_that_boast() {
    let folder = golden();
    // 2 GiB of offsets in 32 bytes.
    let zeros = special(Special::Zeros, 0x7fff_ff00, 8);
    let frame = with_index(&folder, &zeros, (0x7fff_ff00 / 8) * 8, 8);
    let refused = open(frame).unwrap_err();
    assert!(refused.to_string().contains("too large: index of chunks"), "{refused}");
    // A million chunks at the same position, without a byte.
    let zeros = special(Special::Zeros, 8 << 20, 8);
    for chunk_size in [8, 0] {
        assert!(open(with_index(&folder, &zeros, 8 << 20, chunk_size)).is_err());
    }
    // A million special chunks are a value.
    let one = super::super::Slot::Special(Special::Zeros);
    let index = Index::new(std::iter::repeat_n(one, 1 << 20)).encode().unwrap();
    assert!(open(with_index(&folder, &index, 8 << 20, 8)).is_ok());
    // But not if chunks differ in size, since theirs are unknown.
    let refused = open(with_index(&folder, &index, 8 << 20, 0)).unwrap_err();
    assert!(refused.to_string().contains("a special chunk in a frame"), "{refused}");
    // An offset that is no kind.
    let index = packed(&super::commits::params(), &[0, 0, 0, 0, 0, 0, 0, 0x83]);
    let refused = open(with_index(&folder, &index, 8, 8)).unwrap_err();
    assert!(refused.to_string().contains("offset"), "{refused}");
    let index = packed(&super::commits::params(), &[0; 9]);
    assert!(open(with_index(&folder, &index, 8, 8)).is_err());
    // Other numbers of chunks than the header has.
    let index = Index::new([one; 3]).encode().unwrap();
    assert!(open(with_index(&folder, &index, 16, 8)).is_err());
    assert!(open(with_index(&folder, &index, 24, 8)).is_ok());
}

#[test]
fn attributes_that_boast() {
    let folder = golden();
    let file = Bytes::from(std::fs::read(folder.join("empty_with_meta.b2frame")).unwrap());
    let mut header = FrameHeader::parse(&file).unwrap();
    for (chunk, words) in [
        (special(Special::Zeros, 0x7fff_ff00, 1), "too large: attribute"),
        (b"no chunk".to_vec(), "value of the metalayer \"v\""),
    ] {
        let layer = super::super::Metalayer { name: "v".into(), content: chunk.into() };
        let mut tail = Vec::new();
        Trailer { metalayers: vec![layer] }.put(&mut tail).unwrap();
        header.set_len(tail.len() as u64).unwrap();
        let mut frame = Vec::new();
        header.put(&mut frame).unwrap();
        frame.extend(tail);
        let refused = open(frame).unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

/// A sparse frame whose index is bent, and whose chunks are those of a directory.
#[derive(Debug)]
struct Bent(std::path::PathBuf, Bytes);

impl Keys for Bent {
    fn get(&self, key: &str) -> Result<Bytes> {
        match key {
            "chunks.b2frame" => Ok(self.1.clone()),
            key => Ok(std::fs::read(self.0.join(key))?.into()),
        }
    }
}

#[test]
fn sparse_frames_cut_and_bent() {
    let folder = golden();
    for name in ["edit_mix_s.b2frame", "edit_insert_s.b2frame", "nd_1d_f8_s.b2nd"] {
        let path = folder.join(name);
        assert!(Frame::open(&path).is_ok());
        let whole = std::fs::read(path.join("chunks.b2frame")).unwrap();
        let open = |bytes: Vec<u8>| {
            let frame = SparseFrame::from_keys(Bent(path.clone(), bytes.into()))?;
            look(&frame)
        };
        for len in 0..whole.len() {
            assert!(open(whole[..len].to_vec()).is_err(), "{name} {len}");
        }
        for at in 0..whole.len() {
            for bits in [0x01, 0x10, 0xff] {
                let mut bent = whole.clone();
                bent[at] ^= bits;
                let _ = open(bent);
            }
        }
    }
}
