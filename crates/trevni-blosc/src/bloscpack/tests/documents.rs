//! What the documents allow and no program has written: versions 1 and 2, sizes that are not known.

use super::header::Header;
use super::*;

/// Returns a file of this header, with bytes of metadata, offsets (perhaps), and chunks, each after a gap and
/// before its checksum.
fn file(
    header: &Header,
    metadata: &[u8],
    chunks: &[Vec<u8>],
    gap: usize,
    offsets: bool,
) -> Vec<u8> {
    let mut out = Vec::new();
    header.put(&mut out);
    out.extend_from_slice(metadata);
    let mut end = out.len() + 8 * header.slots().unwrap() as usize;
    if header.has_offsets {
        for chunk in chunks {
            let start = if offsets { (end + gap) as i64 } else { -1 };
            out.extend(start.to_le_bytes());
            end += gap + chunk.len() + header.checksum.size();
        }
    }
    for chunk in chunks {
        out.extend(vec![0xaa; gap]);
        out.extend_from_slice(chunk);
        out.extend(header.checksum.of(chunk));
    }
    out
}

fn three_chunks() -> (Vec<Vec<u8>>, Vec<u8>) {
    let data: Vec<u8> = (0..250u32).flat_map(u32::to_le_bytes).collect();
    (data.chunks(400).map(encoded).collect(), data)
}

const V2: Header = Header {
    version: Version::V2 { meta_size: 0 },
    has_offsets: true,
    has_metadata: false,
    checksum: Digest::Adler32,
    typesize: 4,
    chunk_size: Some(400),
    last_chunk: Some(200),
    nchunks: Some(3),
};

#[test]
fn version_2_with_metadata_offsets_and_gaps() {
    let (chunks, data) = three_chunks();
    let json = br#"{"dtype": "int32", "shape": [250], "others": []}"#;
    let header =
        Header { version: Version::V2 { meta_size: json.len() as u32 }, has_metadata: true, ..V2 };
    for gap in [0, 5] {
        let bytes = file(&header, json, &chunks, gap, true);
        let file = Bloscpack::open(Bytes::from(bytes)).unwrap();
        assert_eq!((file.version(), file.layout().shape.as_slice()), (2, &[250][..]));
        assert_eq!(file.layout().dtype, Dtype::parse("<i4").unwrap());
        assert_eq!(file.layout().chunking, Chunking::Flat { chunk_bytes: 400 });
        assert!(file.layout().attributes.keys().eq(["others"]));
        assert_eq!(content(&file), data);
        file.verify().unwrap();
    }
}

#[test]
fn without_offsets_the_chunks_are_walked() {
    let (chunks, data) = three_chunks();
    let unknown = Header { chunk_size: None, last_chunk: None, ..V2 };
    let v3 = Header { version: Version::V3 { max_app_chunks: 0 }, ..V2 };
    for header in [
        V2,
        v3.clone(),
        unknown.clone(),
        Header { last_chunk: None, ..v3.clone() },
        Header { has_offsets: false, ..v3.clone() },
        Header { has_offsets: false, nchunks: None, ..v3.clone() },
        Header { has_offsets: false, nchunks: None, version: v3.version, ..unknown },
    ] {
        let bytes = file(&header, b"", &chunks, 0, false);
        let file = Bloscpack::open(Bytes::from(bytes)).unwrap();
        assert_eq!(file.layout().shape, [1000]);
        assert_eq!(file.layout().dtype, Dtype::parse("|u1").unwrap());
        assert_eq!(file.layout().chunking, Chunking::Flat { chunk_bytes: 400 });
        assert_eq!(content(&file), data);
        file.verify().unwrap();
    }
}

#[test]
fn chunks_of_various_sizes() {
    let (mut chunks, data) = three_chunks();
    chunks.rotate_right(1);
    let header = Header { chunk_size: None, last_chunk: None, ..V2 };
    let bytes = file(&header, b"", &chunks, 3, true);
    let file = Bloscpack::open(Bytes::from(bytes)).unwrap();
    assert_eq!(file.layout().chunking, Chunking::Varied { ends: vec![200, 600, 1000] });
    assert_eq!(content(&file), [&data[800..], &data[..800]].concat());
}

#[test]
fn version_1_counts_before_or_after_compression() {
    let (chunks, data) = three_chunks();
    for (has_offsets, gap) in [(true, 7), (true, 0), (false, 0)] {
        let header = Header {
            version: Version::V1 { file_size: 1000 },
            has_offsets,
            typesize: 0,
            last_chunk: None,
            ..V2
        };
        let len = file(&header, b"", &chunks, gap, true).len() as u64;
        for file_size in [1000, len] {
            let header = Header { version: Version::V1 { file_size }, ..header.clone() };
            let bytes = file(&header, b"", &chunks, gap, true);
            let file = Bloscpack::open(Bytes::from(bytes)).unwrap();
            assert_eq!((file.version(), file.layout().shape[0]), (1, 1000));
            assert_eq!(file.params().typesize, 4);
            assert_eq!(content(&file), data);
        }
        let header = Header { version: Version::V1 { file_size: 999 }, ..header };
        let e = Bloscpack::open(Bytes::from(file(&header, b"", &chunks, gap, true))).unwrap_err();
        assert!(e.to_string().contains("claims 999"), "{e}");
    }
}

#[test]
fn a_chunk_file_of_a_directory_says_so() {
    let mut bytes = b"blpk\x01\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
    bytes.extend(encoded(&[1, 2, 3, 4]));
    let e = Bloscpack::open(Bytes::from(bytes)).unwrap_err();
    assert!(e.to_string().contains("carray directory"), "{e}");

    // A header of the proposal whose file size has the bytes of a chunk's version is none.
    let header = Header {
        version: Version::V1 { file_size: 0x0102 },
        has_offsets: false,
        checksum: Digest::None,
        typesize: 0,
        last_chunk: None,
        ..V2
    };
    let bytes = file(&header, b"", &three_chunks().0, 0, false);
    let e = Bloscpack::open(Bytes::from(bytes)).unwrap_err();
    assert!(e.to_string().contains("claims 258"), "{e}");
}

#[test]
fn a_file_may_have_no_chunks() {
    let header = Header {
        version: Version::V3 { max_app_chunks: 2 },
        chunk_size: Some(0),
        last_chunk: Some(0),
        nchunks: Some(0),
        ..V2
    };
    let mut bytes = file(&header, b"", &[], 0, true);
    bytes.extend([0xff; 16]);
    let file = Bloscpack::open(Bytes::from(bytes)).unwrap();
    assert_eq!((file.layout().chunks, file.layout().shape.as_slice()), (0, &[0][..]));
    assert!(file.chunk(0).is_err());
    file.verify().unwrap();
}

#[test]
fn older_versions_are_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.blp");
    let (chunks, _) = three_chunks();
    std::fs::write(&path, file(&V2, b"", &chunks, 0, true)).unwrap();
    let mut file = Bloscpack::open_path(&path).unwrap();
    let edit = Edit { chunks: vec![], count: 3, shape: vec![1000], attributes: None };
    let e = file.commit(edit).unwrap_err();
    assert!(e.to_string().contains("version 2 are only read"), "{e}");
}
