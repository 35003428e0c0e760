//! Frames that are built and changed: whatever was done, another opening finds the same.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::{Cut, Metalayer, NewFrame, Slot};
use super::{Attributes, Edit, Frame, copy, golden, packed, walk};
use crate::Dtype;
use crate::array::Chunking;
use crate::chunk::{Content, Generation, Header, Params, Special, special};
use trevni::ErrorKind;

/// Values of a chunk.
pub(super) const VALUES: usize = 256;

pub(super) fn params() -> Params {
    Params::new(Generation::Blosc2, 8)
}

pub(super) fn flat() -> NewFrame {
    let cut = Cut::Flat { typesize: 8, chunk_bytes: 8 * VALUES as u64 };
    NewFrame { params: params(), cut, metalayers: Vec::new() }
}

pub(super) fn grid(dtype: &str, chunk_shape: &[u64], block_shape: &[u64]) -> NewFrame {
    let dtype = Dtype::parse(dtype).unwrap();
    let cut = Cut::Grid {
        dtype: dtype.clone(),
        chunk_shape: chunk_shape.to_vec(),
        block_shape: block_shape.to_vec(),
    };
    let params = Params::new(Generation::Blosc2, dtype.size as u8);
    NewFrame { params, cut, metalayers: Vec::new() }
}

/// Builds a frame of chunks in a folder.
pub(super) fn build(
    new: &NewFrame,
    path: &Path,
    sparse: bool,
    chunks: &[Vec<u8>],
    shape: &[u64],
    attributes: &Attributes,
) -> Frame {
    let mut frame = match sparse {
        true => new.sparse(path, false).unwrap(),
        false => new.contiguous(path, false).unwrap(),
    };
    chunks.iter().for_each(|chunk| frame.push(chunk).unwrap());
    frame.finish(shape, attributes).unwrap();
    Frame::open(path).unwrap()
}

/// Returns a frame of `count` chunks of values, and those values.
pub(super) fn walks(path: &Path, sparse: bool, count: u64) -> (Frame, Vec<Vec<u8>>) {
    let parts: Vec<_> = (0..count).map(|seed| walk(seed, VALUES)).collect();
    let chunks: Vec<_> = parts.iter().map(|data| packed(&params(), data)).collect();
    let shape = [count * VALUES as u64];
    (build(&flat(), path, sparse, &chunks, &shape, &Attributes::new()), parts)
}

/// Asserts that the frame, in memory and opened again, has these values, and that no other files are left.
pub(super) fn assert_is(frame: &Frame, path: &Path, parts: &[Vec<u8>]) {
    assert!(frame.bytes() == parts.concat(), "{}", path.display());
    let again = Frame::open(path).unwrap();
    assert!(again.bytes() == parts.concat(), "{}", path.display());
    assert_eq!(again.header(), frame.header());
    assert_eq!(again.index(), frame.index());
    assert_eq!(format!("{:?}", again.get().layout()), format!("{:?}", frame.get().layout()));
    let folder = path.parent().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "nothing but the frame");
    if path.is_dir() {
        let stored = frame.index().slots().filter(|slot| matches!(slot, Slot::At(_))).count();
        assert_eq!(std::fs::read_dir(path).unwrap().count(), stored + 1);
        let lens = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
        let chunks = lens.filter(|entry| entry.file_name() != "chunks.b2frame");
        let sum: u64 = chunks.map(|entry| entry.metadata().unwrap().len()).sum();
        assert_eq!(sum, frame.header().cbytes);
    }
}

/// Runs a test on a contiguous frame and on a sparse one.
pub(super) fn on_both(test: impl Fn(&Path, bool)) {
    for sparse in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        test(&folder.path().join("a.b2frame"), sparse);
    }
}

#[test]
fn chunks_come_and_go() {
    on_both(|path, sparse| {
        let (mut frame, mut parts) = walks(path, sparse, 5);
        assert_is(&frame, path, &parts);
        for (seed, number) in [(100, 5), (101, 0), (102, 3)] {
            let part = walk(seed, VALUES);
            frame.insert(number, &packed(&params(), &part)).unwrap();
            parts.insert(number as usize, part);
            assert_is(&frame, path, &parts);
        }
        for number in [7, 0, 2] {
            frame.delete(number).unwrap();
            parts.remove(number as usize);
            assert_is(&frame, path, &parts);
        }
        for (seed, number) in [(200, 0), (201, 4), (202, 0)] {
            parts[number as usize] = walk(seed, VALUES);
            frame.update(number, &packed(&params(), &parts[number as usize])).unwrap();
            assert_is(&frame, path, &parts);
        }
        assert!(!frame.header().is_variable());
        for refused in [frame.delete(5), frame.update(5, &packed(&params(), &parts[0]))] {
            assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Invalid(_)));
        }
        while !parts.is_empty() {
            frame.delete(0).unwrap();
            parts.remove(0);
            assert_is(&frame, path, &parts);
        }
        frame.append(&packed(&params(), &walk(7, VALUES))).unwrap();
        assert_is(&frame, path, &[walk(7, VALUES)]);
    });
}

#[test]
fn an_edit_is_made_whole() {
    on_both(|path, sparse| {
        let (mut frame, mut parts) = walks(path, sparse, 4);
        parts[1] = walk(50, VALUES);
        parts.truncate(3);
        parts.push(walk(51, VALUES));
        parts.push(walk(52, 100));
        let chunk = |part: &Vec<u8>| packed(&params(), part);
        let edit = Edit {
            chunks: [1, 3, 4].map(|n| (n, chunk(&parts[n as usize]))).into(),
            count: 5,
            shape: vec![4 * VALUES as u64 + 100],
            attributes: Some(Attributes::from_iter([("unit".to_owned(), json!("m"))])),
        };
        frame.commit(edit.clone()).unwrap();
        assert_is(&frame, path, &parts);
        assert_eq!(frame.get().layout().attributes["unit"], "m");
        let wrong = [
            Edit { count: 6, ..edit.clone() },
            Edit { count: u64::MAX, ..edit.clone() },
            Edit { count: 4, ..edit.clone() },
            Edit { shape: vec![7], ..edit.clone() },
            Edit { shape: vec![2, 562], ..edit.clone() },
            Edit { chunks: vec![(3, vec![1; 40])], ..edit.clone() },
            Edit { chunks: [2, 1].map(|n| (n, chunk(&parts[0]))).into(), ..edit.clone() },
            Edit { chunks: vec![(4, chunk(&parts[4])[..60].to_vec())], ..edit.clone() },
        ];
        for (number, edit) in wrong.into_iter().enumerate() {
            assert!(frame.commit(edit).is_err(), "{number}");
        }
        assert_is(&frame, path, &parts);
        // The same size: rows cut off at the end.
        parts.truncate(2);
        let chunks = Vec::new();
        let shape = vec![2 * VALUES as u64];
        frame.commit(Edit { chunks, count: 2, shape, attributes: None }).unwrap();
        assert_is(&frame, path, &parts);
        assert_eq!(frame.get().layout().attributes["unit"], "m");
    });
}

#[test]
fn a_short_chunk_within_makes_chunks_differ_in_size() {
    on_both(|path, sparse| {
        let (mut frame, mut parts) = walks(path, sparse, 3);
        let zeros = special(Special::Zeros, 8 * VALUES as u32, 8);
        frame.append(&zeros).unwrap();
        parts.push(vec![0; 8 * VALUES]);
        assert_eq!(frame.index().slot(3), Some(Slot::Special(Special::Zeros)));
        assert_is(&frame, path, &parts);
        parts.insert(1, walk(9, 100));
        frame.insert(1, &packed(&params(), &parts[1])).unwrap();
        assert_is(&frame, path, &parts);
        assert_eq!((frame.header().general, frame.header().chunk_size), (0x53, 0));
        let ends = vec![2048, 2848, 4896, 6944, 8992];
        assert_eq!(frame.get().layout().chunking, Chunking::Varied { ends });
        // The index cannot have their sizes, so the special chunks are stored.
        let nan = special(Special::Nan, 80, 8);
        frame.append(&nan).unwrap();
        parts.push(f64::NAN.to_le_bytes().repeat(10));
        assert_is(&frame, path, &parts);
        for number in [4, 5] {
            let chunk = frame.get().chunk(number).unwrap();
            assert_eq!(Header::parse(&chunk).unwrap().content, Content::Repeated);
            assert!(matches!(frame.index().slot(number), Some(Slot::At(_))));
        }
        parts[5] = walk(10, 77);
        frame.update(5, &packed(&params(), &parts[5])).unwrap();
        frame.delete(0).unwrap();
        parts.remove(0);
        assert_is(&frame, path, &parts);
    });
}

#[test]
fn special_chunks_take_no_bytes() {
    on_both(|path, sparse| {
        let (mut frame, mut parts) = walks(path, sparse, 2);
        let before = frame.header().cbytes;
        frame.update(0, &special(Special::Nan, 8 * VALUES as u32, 8)).unwrap();
        parts[0] = f64::NAN.to_le_bytes().repeat(VALUES);
        assert_is(&frame, path, &parts);
        assert_eq!(frame.index().slot(0), Some(Slot::Special(Special::Nan)));
        assert!(!sparse || frame.header().cbytes < before);
        frame.append(&special(Special::Uninit, 80, 8)).unwrap();
        parts.push(vec![0; 80]);
        parts[0] = walk(3, VALUES);
        frame.update(0, &packed(&params(), &parts[0])).unwrap();
        assert_is(&frame, path, &parts);
    });
}

#[test]
fn attributes_that_do_not_change_keep_their_bytes() {
    let folder = golden();
    for name in ["metalayers.b2frame", "metalayers_s.b2frame"] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(name);
        copy(&folder.join(name), &path);
        let mut frame = Frame::open(&path).unwrap();
        let (bytes, mut attributes) = (frame.bytes(), frame.get().layout().attributes.clone());
        attributes.insert("new".into(), json!({"list": [1, 2.5, null]}));
        attributes.shift_remove("title").unwrap();
        frame.set_attributes(&attributes).unwrap();
        assert_is(&frame, &path, &[bytes]);
        assert_eq!(frame.get().layout().attributes, attributes);
        frame.set_attributes(&Attributes::new()).unwrap();
        assert!(!frame.header().has_vlmetalayers);
        let many = (0..17).map(|n| (n.to_string(), json!(n))).collect();
        let refused = frame.set_attributes(&many).unwrap_err();
        assert!(refused.to_string().contains("at most 16"), "{refused}");
    }
}

#[test]
fn arrays_of_several_dimensions_grow_and_shrink() {
    on_both(|path, sparse| {
        let new = grid("<i4", &[8, 6], &[4, 3]);
        let chunk = |seed| packed(&new.params, &walk(seed, 24));
        let chunks: Vec<_> = (0..4).map(chunk).collect();
        let mut frame = build(&new, path, sparse, &chunks, &[10, 12], &Attributes::new());
        let before = frame.bytes();
        let Chunking::Grid { chunk_shape, .. } = &frame.get().layout().chunking else { panic!() };
        assert_eq!(chunk_shape, &[8, 6]);
        assert_eq!((frame.header().chunk_size, frame.header().block_size), (192, 48));
        let len = frame.header().encoded_len();
        // More rows in the last chunks, and two chunks more.
        let edit = Edit {
            chunks: [2, 3, 4, 5].map(|n| (n, chunk(n + 20))).into(),
            count: 6,
            shape: vec![20, 12],
            attributes: None,
        };
        for shape in [vec![20, 13], vec![16, 12], vec![240], vec![u64::MAX, 12]] {
            assert!(frame.commit(Edit { shape, ..edit.clone() }).is_err());
        }
        frame.commit(edit).unwrap();
        assert_eq!(frame.header().encoded_len(), len);
        let parts: Vec<_> = [0, 1, 22, 23, 24, 25].map(|seed| walk(seed, 24)).into();
        assert_is(&frame, path, &parts);
        assert_eq!(before[..384], parts[..2].concat());
        frame
            .commit(Edit { chunks: vec![], count: 0, shape: vec![0, 12], attributes: None })
            .unwrap();
        assert_is(&frame, path, &[]);
        let edit = Edit {
            chunks: vec![(0, chunk(1)), (1, chunk(2))],
            count: 2,
            shape: vec![3, 12],
            attributes: None,
        };
        frame.commit(edit).unwrap();
        assert_is(&frame, path, &[walk(1, 24), walk(2, 24)]);
        frame.update(1, &chunk(8)).unwrap();
        assert_is(&frame, path, &[walk(1, 24), walk(8, 24)]);
        for refused in [
            frame.append(&chunk(9)),
            frame.delete(0),
            frame.update(1, &packed(&new.params, &[0; 4])),
        ] {
            assert!(matches!(refused.unwrap_err().kind(), ErrorKind::Invalid(_)));
        }
    });
}

#[test]
fn many_small_commits_leave_a_file_of_bounded_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let (mut frame, mut parts) = walks(&path, false, 2);
    let mut rewritten = 0;
    for seed in 0..200 {
        let number = seed % 2;
        parts[number as usize] = walk(seed, VALUES);
        let before = frame.header().frame_len;
        frame.update(number, &packed(&params(), &parts[number as usize])).unwrap();
        rewritten += u32::from(frame.header().frame_len < before);
        // Every commit starts from the last one, whoever opens the frame.
        if seed % 3 == 0 {
            frame = Frame::open(&path).unwrap();
        }
    }
    assert_is(&frame, &path, &parts);
    let file = std::fs::metadata(&path).unwrap().len();
    assert_eq!(file, frame.header().frame_len);
    assert!(file < 4 * 8 * 2 * VALUES as u64, "{file}");
    assert!((20..150).contains(&rewritten), "{rewritten} of 200");
}

#[test]
fn numbers_of_chunks_stay_where_others_can_open_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let (mut frame, mut parts) = walks(&path, true, 1);
    for seed in 0..100 {
        parts[0] = walk(seed, 4);
        frame.update(0, &packed(&params(), &parts[0])).unwrap();
        let Some(Slot::At(id)) = frame.index().slot(0) else { panic!() };
        assert!(id + 32 <= frame.header().cbytes, "{id} in {} bytes", frame.header().cbytes);
    }
    assert_is(&frame, &path, &parts);
}

#[test]
fn a_frame_that_someone_else_has_changed_is_left_alone() {
    on_both(|path, sparse| {
        let (mut frame, mut parts) = walks(path, sparse, 2);
        parts.push(walk(8, VALUES));
        let mut other = Frame::open(path).unwrap();
        other.append(&packed(&params(), &parts[2])).unwrap();
        let late = frame.delete(0).unwrap_err();
        assert!(late.to_string().contains("has changed since"), "{late}");
        assert_is(&other, path, &parts);
    });
}

#[test]
fn frames_that_are_not_files_do_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let (_, parts) = walks(&path, false, 2);
    let bytes = bytes::Bytes::from(std::fs::read(&path).unwrap());
    let mut frame = super::ContiguousFrame::from_source(bytes).unwrap();
    let refused = frame.delete_chunk(0).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Unsupported(_)), "{refused}");
    assert_eq!(super::bytes_of(&frame).unwrap(), parts.concat());
}

#[test]
fn headers_of_more_than_a_sector_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("a.b2frame");
    let content = vec![7; 500].into();
    let metalayers = vec![Metalayer { name: "large".into(), content }];
    let new = NewFrame { metalayers, ..flat() };
    let parts = [walk(1, VALUES), walk(2, VALUES)];
    let chunk = |part: &Vec<u8>| packed(&params(), part);
    let mut frame =
        build(&new, &path, false, &[chunk(&parts[0])], &[VALUES as u64], &Attributes::new());
    frame.append(&chunk(&parts[1])).unwrap();
    assert_is(&frame, &path, &parts);
    // No hole: index and trailer of before are gone.
    let sum: usize = parts.iter().map(|part| chunk(part).len()).sum();
    assert_eq!(frame.header().cbytes, sum as u64);
}
