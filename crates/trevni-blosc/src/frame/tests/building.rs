//! Builders of frames: invalid calls are refused, unfinished frames leave nothing.

use serde_json::json;

use super::super::{Cut, Metalayer, NewFrame};
use super::commits::{VALUES, assert_is, build, flat, grid, on_both, params, walks};
use super::{Attributes, Frame, packed, walk};
use crate::array::Chunking;
use crate::chunk::{Generation, Params};
use crate::{Compressor, Filter};

#[test]
fn builders_refuse_what_cannot_be_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let impossible = [
        NewFrame { cut: Cut::Flat { typesize: 8, chunk_bytes: 0 }, ..flat() },
        NewFrame { cut: Cut::Flat { typesize: 8, chunk_bytes: 1 << 31 }, ..flat() },
        NewFrame { cut: Cut::Flat { typesize: 0, chunk_bytes: 8 }, ..flat() },
        NewFrame { params: Params { compressor: Compressor::Snappy, ..params() }, ..flat() },
        NewFrame { params: Params::new(Generation::Blosc1, 8), ..flat() },
        grid("<i4", &[8, 6], &[4]),
        grid("<i4", &[8], &[0]),
        grid("<i4", &[8], &[9]),
        grid("<i4", &[1 << 40], &[4]),
        grid("<i4", &[1; 17], &[1; 17]),
    ];
    for (number, new) in impossible.iter().enumerate() {
        for sparse in [false, true] {
            let refused = match sparse {
                true => new.sparse(&path, false),
                false => new.contiguous(&path, false),
            };
            assert!(refused.is_err(), "{number}");
        }
    }
    for sparse in [false, true] {
        let mut frame = match sparse {
            true => flat().sparse(&path, false).unwrap(),
            false => flat().contiguous(&path, false).unwrap(),
        };
        frame.push(&packed(&params(), &walk(1, 10))).unwrap();
        assert!(frame.push(b"no chunk").is_err());
        assert!(frame.finish(&[11], &Attributes::new()).is_err());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn builders_replace_only_when_asked_and_only_frames() {
    on_both(|path, sparse| {
        let (_, parts) = walks(path, sparse, 2);
        let begin = |replace| match sparse {
            true => flat().sparse(path, replace),
            false => flat().contiguous(path, replace),
        };
        assert!(begin(false).is_err());
        assert_is(&Frame::open(path).unwrap(), path, &parts);
        let mut frame = begin(true).unwrap();
        frame.push(&packed(&params(), &walk(9, VALUES))).unwrap();
        assert_eq!(Frame::open(path).unwrap().bytes(), parts.concat());
        frame.finish(&[VALUES as u64], &Attributes::new()).unwrap();
        assert_is(&Frame::open(path).unwrap(), path, &[walk(9, VALUES)]);
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letter"), "dear").unwrap();
    let frame = flat().sparse(folder.path(), true).unwrap();
    assert!(frame.finish(&[0], &Attributes::new()).is_err());
    assert_eq!(std::fs::read(folder.path().join("letter")).unwrap(), b"dear");
}

#[test]
fn builders_take_chunks_of_any_size_and_kind() {
    on_both(|path, sparse| {
        let parts =
            [walk(1, VALUES), vec![0; 8 * VALUES], walk(2, 40), vec![0; 80], walk(3, 2 * VALUES)];
        let chunks: Vec<_> = parts.iter().map(|part| packed(&params(), part)).collect();
        let total = parts.concat().len() as u64 / 8;
        let attributes = Attributes::from_iter([("a".to_owned(), json!([1, "x"]))]);
        let frame = build(&flat(), path, sparse, &chunks, &[total], &attributes);
        assert_is(&frame, path, &parts);
        assert!(frame.header().is_variable());
        assert_eq!(frame.get().layout().attributes, attributes);
    });
}

#[test]
fn frames_without_elements_and_wide_elements() {
    on_both(|path, sparse| {
        let frame = build(&flat(), path, sparse, &[], &[0], &Attributes::new());
        assert_is(&frame, path, &[]);
        assert_eq!(frame.get().layout().chunking, Chunking::Flat { chunk_bytes: 2048 });
    });
    on_both(|path, sparse| {
        let metalayers = vec![Metalayer { name: "mine".into(), content: b"raw"[..].into() }];
        let mut filters = params().filters;
        filters[5] = Filter::None;
        let params = Params { typesize: 1, filters, ..params() };
        let cut = Cut::Flat { typesize: 300, chunk_bytes: 3000 };
        let new = NewFrame { params, cut, metalayers };
        let data = walk(1, 375);
        let mut frame =
            build(&new, path, sparse, &[packed(&new.params, &data)], &[10], &Attributes::new());
        assert_eq!((frame.get().layout().dtype.size, frame.get().params().typesize), (300, 1));
        let part = walk(2, 75);
        frame.append(&packed(&new.params, &part)).unwrap();
        assert_is(&frame, path, &[data, part]);
        assert_eq!(frame.get().layout().shape, [12]);
        match &frame {
            Frame::Contiguous(frame) => assert_eq!(frame.metalayers()[0].name, "mine"),
            Frame::Sparse(frame) => assert_eq!(frame.metalayers()[0].name, "mine"),
        }
    });
}
