use super::*;
use crate::array::Build;
use crate::rootdir::tests::*;
use crate::rootdir::{CarrayBuilder, Slack, Superchunks};
use crate::{Attributes, Chunking, Dtype};

/// `meta/sizes` of a directory.
fn sizes(path: &Path) -> Sizes {
    Sizes::parse("x", &std::fs::read(path.join("meta/sizes")).unwrap()).unwrap()
}

/// Returns what bcolz counts: full chunks, and one uncompressed.
fn counted(array: &Carray, path: &Path) -> u64 {
    let cut = &array.cut;
    let len = |i| std::fs::metadata(path.join(format!("data/__{i}.blp"))).unwrap().len() - 16;
    (0..cut.full).map(len).sum::<u64>() + cut.chunk_bytes
}

#[test]
fn edits_of_all_kinds_in_all_forms() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        for (j, dtype) in ["int32", ">f8", "|S3", "<U2"].into_iter().enumerate() {
            let path = home.path().join(format!("{i}{j}"));
            let storage = storage(dtype, 10);
            let size = storage.dtype.size;
            let mut data = some_bytes(25 * size, 1);
            make(&path, &storage, form, &[25], &data);
            let mut array = Carray::open(&path).unwrap();
            // Grow within the last chunk, to its end, far beyond; overwrite; cut in a chunk, at its end, to
            // nothing; grow again.
            for (step, rows) in
                [27, 30, 31, 95, 95, 78, 70, 70, 3, 0, 0, 45].into_iter().enumerate()
            {
                let mut next = data.clone();
                next.resize(rows * size, 4);
                if step == 4 {
                    next[12 * size..33 * size].fill(2);
                }
                let edit = edit(&storage, &data, &[rows as u64], &next);
                array.commit(edit).unwrap();
                data = next;
                for array in [&array, &Carray::open(&path).unwrap()] {
                    assert!(decode(array) == data, "{form:?} {dtype} {step}");
                }
                let sizes = sizes(&path);
                assert_eq!(
                    (sizes.shape.as_slice(), sizes.nbytes),
                    (&[rows as u64][..], (rows * size) as u64)
                );
                if form == DirectoryFormat::Bcolz {
                    assert_eq!(sizes.cbytes, Some(counted(&array, &path)), "{dtype} {step}");
                    assert_eq!(
                        std::fs::read_dir(path.join("data")).unwrap().count(),
                        rows.div_ceil(10)
                    );
                } else {
                    let files =
                        files(&path).into_iter().filter(|(name, _)| name.starts_with("data/"));
                    let bytes: usize = files.map(|(_, bytes)| bytes.len()).sum();
                    assert_eq!(sizes.cbytes, Some(bytes as u64), "{dtype} {step}");
                }
                assert!(!path.join(".trevni").exists());
            }
        }
    }
}

#[test]
fn attributes_and_fill_are_kept() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        let storage = Storage { fill: vec![5, 0, 0, 0], ..storage("int32", 10) };
        let builder = CarrayBuilder::create(&path, storage.clone(), form, false).unwrap();
        let attributes: Attributes =
            serde_json::from_str("{\"a\": 1, \"b\": {\"c\": null}}").unwrap();
        Box::new(builder).finish(&[0], &attributes).unwrap();
        let mut array = Carray::open(&path).unwrap();
        assert_eq!((array.form(), &array.layout().attributes), (form, &attributes));
        assert_eq!((&array.layout().fill, array.storage()), (&storage.fill, &storage));
        let edit = Edit { attributes: Some(Attributes::new()), ..edit(&storage, &[], &[0], &[]) };
        array.commit(edit.clone()).unwrap();
        assert!(Carray::open(&path).unwrap().layout().attributes.is_empty());
        let deep = (0..200).fold(serde_json::Value::Null, |deep, _| vec![deep].into());
        let attributes = Attributes::from_iter([("deep".to_owned(), deep)]);
        assert!(array.commit(Edit { attributes: Some(attributes), ..edit }).is_err());
        assert!(Carray::open(&path).is_ok());
        assert!(path.join("data").is_dir());
    }
}

#[test]
fn edits_that_do_not_fit_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        let storage = storage("int32", 10);
        let data = some_bytes(100, 1);
        make(&path, &storage, form, &[25], &data);
        let before = files(&path);
        let mut array = Carray::open(&path).unwrap();
        let full = encode(&storage, &[7; 40]);
        let good = edit(&storage, &data, &[45], &[9; 180]);
        let mut bad = vec![
            Edit { count: 4, ..good.clone() },
            Edit { shape: vec![45, 1], ..good.clone() },
            Edit { shape: vec![], ..good.clone() },
        ];
        type Change = fn(&mut Vec<(u64, Vec<u8>)>);
        let changes: [Change; 9] = [
            |chunks| chunks.swap(0, 1),
            |chunks| chunks[1].0 = 0,
            |chunks| chunks[4].0 = 5,
            |chunks| drop(chunks.remove(3)),
            // The old last chunk is too short for what the array is to be.
            |chunks| drop(chunks.remove(2)),
            |chunks| chunks[0].1.clear(),
            |chunks| chunks[0].1.truncate(20),
            |chunks| chunks[0].1 = chunks[4].1.clone(),
            |chunks| chunks[0].1[0] = 5,
        ];
        for change in changes {
            let mut wrong = good.clone();
            change(&mut wrong.chunks);
            bad.push(wrong);
        }
        bad.push(Edit {
            chunks: vec![(0, [full.clone(), full].concat()[..30].to_vec())],
            ..edit(&storage, &data, &[25], &data)
        });
        for (j, wrong) in bad.into_iter().enumerate() {
            let e = array.commit(wrong).unwrap_err();
            assert!(
                matches!(
                    e.kind(),
                    trevni::ErrorKind::Invalid(_) | trevni::ErrorKind::Unsupported(_)
                ),
                "{j}: {e}"
            );
            assert!(files(&path) == before, "{j}");
        }
        assert_eq!(decode(&array), data);
        // Two who know nothing of each other: the second must look again.
        let mut other = Carray::open(&path).unwrap();
        array.commit(good.clone()).unwrap();
        assert!(other.commit(good).unwrap_err().to_string().contains("has changed"));
        assert_eq!(decode(&Carray::open(&path).unwrap()), [9; 180]);
    }
}

#[test]
fn a_padded_last_chunk_and_a_stale_one_are_read() {
    let home = tempfile::tempdir().unwrap();
    let storage = storage("int16", 10);
    let data = some_bytes(60, 1);
    make(home.path().join("a").as_path(), &storage, DirectoryFormat::Bcolz, &[30], &data);
    let path = home.path().join("a");
    // As if rows had been cut by someone who writes nothing but the length.
    std::fs::write(path.join("meta/sizes"), "{\"shape\": [13], \"nbytes\": 26, \"cbytes\": \"?\"}")
        .unwrap();
    let mut array = Carray::open(&path).unwrap();
    assert_eq!(decode(&array), data[..26]);
    // The last chunk has enough rows for the growth.
    array.commit(Edit { chunks: Vec::new(), count: 2, shape: vec![20], attributes: None }).unwrap();
    assert_eq!(decode(&Carray::open(&path).unwrap()), data[..40]);
    assert_eq!(sizes(&path).cbytes, Some(counted(&array, &path)));
    array.commit(Edit { chunks: Vec::new(), count: 1, shape: vec![9], attributes: None }).unwrap();
    assert_eq!(sizes(&path).cbytes, Some(20));
    assert_eq!(std::fs::read_dir(path.join("data")).unwrap().count(), 1);
}

#[test]
fn damaged_and_missing_files_are_named() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        let storage = storage("int32", 10);
        make(&path, &storage, form, &[95], &some_bytes(380, 1));
        let array = Carray::open(&path).unwrap();
        let file = if form == DirectoryFormat::Bcolz { "data/__3.blp" } else { "data/__2__.bin" };
        let whole = std::fs::read(path.join(file)).unwrap();
        for len in 0..whole.len() {
            std::fs::write(path.join(file), &whole[..len]).unwrap();
            let found = array.chunk(3);
            if let Err(e) = found {
                assert!(e.to_string().contains(file), "{e}");
            } else {
                assert!(form != DirectoryFormat::Bcolz, "{len}");
            }
        }
        std::fs::remove_file(path.join(file)).unwrap();
        let e = array.chunk(3).unwrap_err().to_string();
        assert!(e.contains(file) && e.contains("missing"), "{e}");
        assert!(array.chunk(10).unwrap_err().to_string().contains("chunk 10 of 10"));
        assert!(array.chunk(u64::MAX).is_err());
    }
}

#[test]
fn boxes_and_columns_of_superchunks() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("boxes");
    let storage = Storage { chunk_shape: vec![3, 2], ..storage("int8", 1) };
    let form = DirectoryFormat::Superchunk(Superchunks { chunks: 4, slack: Slack::Bytes(8) });
    let mut builder = CarrayBuilder::create(&path, storage.clone(), form, false).unwrap();
    for number in 0..9 {
        builder.push(&encode(&storage, &[number; 6])).unwrap();
    }
    Box::new(builder).finish(&[7, 5], &Attributes::new()).unwrap();
    let mut array = Carray::open(&path).unwrap();
    let shape = vec![3, 2];
    assert_eq!(
        array.layout().chunking,
        Chunking::Grid { chunk_shape: shape.clone(), block_shape: shape }
    );
    let more = (9..12).map(|number| (u64::from(number), encode(&storage, &[number; 6])));
    array
        .commit(Edit { chunks: more.collect(), count: 12, shape: vec![10, 5], attributes: None })
        .unwrap();
    let expected: Vec<_> = (0..12).map(|number| vec![number; 6]).collect();
    assert_eq!(decode_chunks(&Carray::open(&path).unwrap()), expected);
    assert!(
        CarrayBuilder::create(home.path().join("b"), storage, DirectoryFormat::Bcolz, false)
            .is_ok()
    );
    assert!(!home.path().join("b").exists());
}

#[test]
fn builders_refuse_chunks_that_make_no_array() {
    let home = tempfile::tempdir().unwrap();
    let storage = storage("int32", 10);
    let (full, short) = (encode(&storage, &[1; 40]), encode(&storage, &[1; 8]));
    for (chunks, shape) in [
        (&[&full, &full][..], &[10][..]),
        (&[&full], &[11]),
        (&[&short], &[3]),
        (&[], &[1]),
        (&[&full], &[0]),
        (&[&short, &full], &[12]),
        (&[&full, &short], &[13]),
        (&[&full], &[]),
        (&[&full], &[10, 0]),
        (&[&full, &full], &[5, 2]),
    ] {
        for form in FORMS {
            let path = home.path().join("x");
            let mut builder = CarrayBuilder::create(&path, storage.clone(), form, false).unwrap();
            let pushed = chunks.iter().try_for_each(|chunk| builder.push(chunk));
            let done = pushed.and_then(|()| Box::new(builder).finish(shape, &Attributes::new()));
            assert!(done.is_err(), "{shape:?} {}", chunks.len());
            assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        }
    }
    let record = Storage::new(Dtype::parse("[('a', 'i4')]").unwrap(), &[], 1).unwrap();
    let builder =
        CarrayBuilder::create(home.path().join("x"), record, DirectoryFormat::Bcolz, false)
            .unwrap();
    assert!(Box::new(builder).finish(&[0], &Attributes::new()).is_err());
}
