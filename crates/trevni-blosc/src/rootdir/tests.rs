mod crash;
mod goldens;
mod spec;

use std::path::Path;

use super::chunk_splitter::Cut;
use super::*;
use crate::array::Build;
use crate::chunk::{Decoder, Encoder, Header};
use crate::{Attributes, Chunking, Container, Dtype, Edit};

pub(super) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap()
}

/// Returns bytes that differ from array to array.
pub(super) fn some_bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i * (usize::from(seed) + 3) / 7).to_le_bytes()[0] & 1 | seed).collect()
}

pub(super) fn encode(storage: &Storage, data: &[u8]) -> Vec<u8> {
    let mut chunk = Vec::new();
    Encoder::new(&storage.params).unwrap().encode(data, &mut chunk).unwrap();
    chunk
}

/// Returns the chunks of an array that is divided in memory order.
pub(super) fn chunks_of(storage: &Storage, shape: &[u64], data: &[u8]) -> Vec<Vec<u8>> {
    let cut = Cut::new(storage, shape).unwrap();
    data.chunks(size(cut.chunk_bytes)).map(|part| encode(storage, part)).collect()
}

/// Returns an edit that makes `before` into `after`, with the chunks in which they differ.
pub(super) fn edit(storage: &Storage, before: &[u8], shape: &[u64], after: &[u8]) -> Edit {
    let cut = Cut::new(storage, shape).unwrap();
    let full = size(cut.chunk_bytes);
    let old: Vec<_> = before.chunks(full).collect();
    let new = after.chunks(full).enumerate();
    let changed = new.filter(|(i, part)| old.get(*i).is_none_or(|old| !old.starts_with(part)));
    Edit {
        chunks: changed.map(|(i, part)| (i as u64, encode(storage, part))).collect(),
        count: cut.chunks,
        shape: shape.to_vec(),
        attributes: None,
    }
}

/// Returns the decoded bytes of each chunk.
pub(super) fn decode_chunks(array: &Carray) -> Vec<Vec<u8>> {
    let mut decoder = Decoder::default();
    let decode = |number| {
        let chunk = array.chunk(number).unwrap();
        let mut out = vec![0; size(Header::parse(&chunk).unwrap().nbytes.into())];
        decoder.decode(&chunk, &mut out).unwrap();
        out
    };
    (0..array.layout().chunks).map(decode).collect()
}

/// Returns the bytes of an array that is divided in memory order.
pub(super) fn decode(array: &Carray) -> Vec<u8> {
    let Chunking::Flat { chunk_bytes } = array.layout().chunking else { panic!("boxes") };
    let mut out = Vec::new();
    for (number, part) in decode_chunks(array).into_iter().enumerate() {
        assert_eq!(out.len(), number * size(chunk_bytes));
        out.extend(part);
    }
    let layout = array.layout();
    let nbytes = layout.shape.iter().product::<u64>() * layout.dtype.size as u64;
    assert!(out.len() as u64 >= nbytes);
    out.truncate(size(nbytes));
    out
}

pub(super) fn make(
    path: &Path,
    storage: &Storage,
    form: DirectoryFormat,
    shape: &[u64],
    data: &[u8],
) {
    let mut builder = CarrayBuilder::create(path, storage.clone(), form, false).unwrap();
    for chunk in chunks_of(storage, shape, data) {
        builder.push(&chunk).unwrap();
    }
    Box::new(builder).finish(shape, &Attributes::new()).unwrap();
}

/// Returns the storage of a type in chunks of `chunklen` rows.
pub(super) fn storage(dtype: &str, chunklen: u64) -> Storage {
    let storage = Storage::new(Dtype::parse(dtype).unwrap(), &[], 0).unwrap();
    Storage { chunk_shape: vec![chunklen], ..storage }
}

pub(super) const FORMS: [DirectoryFormat; 3] = [
    DirectoryFormat::Bcolz,
    DirectoryFormat::Superchunk(Superchunks { chunks: 3, slack: Slack::Bytes(0) }),
    DirectoryFormat::Superchunk(Superchunks { chunks: 2, slack: Slack::Percent(30) }),
];

/// Every file below a folder, with its bytes.
pub(super) fn files(root: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn a_directory_says_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(format!("array{i}"));
        make(&path, &storage("int32", 10), form, &[25], &some_bytes(100, 8));
        assert!(
            matches!(Rootdir::open(&path).unwrap(), Rootdir::Carray(array) if array.form() == form)
        );
        assert!(Rootdir::is_at(&path) && Ctable::open(&path).is_err());
        let path = home.path().join(format!("table{i}"));
        let columns =
            vec![("a".to_owned(), storage("int8", 5)), ("b".to_owned(), storage("int8", 5))];
        CtableBuilder::create(&path, columns, form, false)
            .unwrap()
            .finish(&[vec![0], vec![0]], &Attributes::new())
            .unwrap();
        assert!(
            matches!(Rootdir::open(&path).unwrap(), Rootdir::Ctable(table) if table.rows() == 0)
        );
        assert!(Rootdir::is_at(&path) && Carray::open(&path).is_err());
    }
    assert!(!Rootdir::is_at(home.path()) && Rootdir::open(home.path()).is_err());
    let e = Rootdir::open(home.path().join("nothing")).unwrap_err();
    assert!(matches!(e.kind(), trevni::ErrorKind::Io(_)), "{e}");
}

#[test]
fn hostile_metadata_is_an_error_and_never_more() {
    let home = tempfile::tempdir().unwrap();
    let sizes = ["{\"shape\": [SHAPE]}", "{\"shape\": [SHAPE, 3]}", "shape: (SHAPE,)"];
    let numbers = [
        "0",
        "1",
        "100",
        "-1",
        "1e18",
        "9223372036854775807",
        "18446744073709551615",
        "[1]",
        "\"x\"",
        "null",
        "1.5",
    ];
    let storages = [
        "{\"dtype\": \"int64\", \"chunklen\": NUMBER}",
        "{\"dtype\": \"|S2147483647\", \"chunklen\": NUMBER}",
        "{\"dtype\": \"int8\", \"chunkshape\": [NUMBER, 2]}",
        "dtype: int8\nsuperchunksize: NUMBER\n",
        "{\"dtype\": \"int8\", \"expectedlen\": NUMBER}",
        "{\"dtype\": {\"a\": \"int8\"}, \"chunklen\": NUMBER}",
        "{\"dtype\": \"[('a', 'i4', (65536, 65536))]\", \"chunklen\": NUMBER}",
        "{\"dtype\": \"int8\", \"slack\": NUMBER}",
    ];
    let root = home.path();
    std::fs::create_dir(root.join("meta")).unwrap();
    std::fs::create_dir_all(root.join("data/a")).unwrap();
    let chunk = encode(&storage("int8", 1), &[1; 100]);
    std::fs::write(root.join("data/__0.blp"), [&blp::HEADER[..], &chunk].concat()).unwrap();
    let mut opened = 0;
    for (sizes, number) in
        sizes.iter().flat_map(|sizes| numbers.iter().map(move |number| (sizes, number)))
    {
        std::fs::write(root.join("meta/sizes"), sizes.replace("SHAPE", number)).unwrap();
        for (storage, number) in
            storages.iter().flat_map(|text| numbers.iter().map(move |number| (text, number)))
        {
            std::fs::write(root.join("meta/storage"), storage.replace("NUMBER", number)).unwrap();
            if let Ok(Rootdir::Carray(array)) = Rootdir::open(root) {
                opened += 1;
                for number in [0, 1, array.layout().chunks.wrapping_sub(1), u64::MAX] {
                    let _ = array.chunk(number);
                }
            }
        }
    }
    assert!(opened > 100, "{opened}");
}

#[test]
fn endless_metadata_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("x");
    make(&root, &storage("int8", 10), DirectoryFormat::Bcolz, &[5], &[1; 5]);
    for text in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(1 << 18),
        "a:\n".repeat(1 << 18),
        " ".repeat(17 << 20),
    ] {
        for file in ["meta/sizes", "meta/storage", "__attrs__", "__rootdirs__"] {
            let kept = std::fs::read(root.join(file)).ok();
            std::fs::write(root.join(file), &text).unwrap();
            assert!(Rootdir::open(&root).is_err());
            match kept {
                Some(bytes) => std::fs::write(root.join(file), bytes).unwrap(),
                None => std::fs::remove_file(root.join(file)).unwrap(),
            }
        }
    }
}
