use super::*;

#[test]
fn pipes_and_files_give_all_bytes_after_their_head_was_seen() {
    let bytes: Vec<u8> = (0..10_000u32).flat_map(u32::to_le_bytes).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, &bytes).unwrap();
    let pipe = || Source::pipe("pipe", io::Cursor::new(bytes.clone()));
    for mut source in [Source::open(&path).unwrap(), pipe()] {
        assert_eq!(source.head().unwrap(), &bytes[..HEAD]);
        let (taken, mut all) = (source.taken(), Vec::new());
        source.into_read().read_to_end(&mut all).unwrap();
        assert_eq!((all, taken.load(Ordering::Relaxed)), (bytes.clone(), 40_000));
    }
    for mut source in [Source::open(&path).unwrap(), pipe()] {
        source.head().unwrap();
        let mut all = Vec::new();
        source.into_file().unwrap().read_to_end(&mut all).unwrap();
        assert_eq!(all, bytes);
    }
}

#[cfg(all(feature = "avro", feature = "gzip", feature = "xz"))]
#[test]
fn compressed_bytes_are_decompressed() {
    use std::io::Write;

    let bytes = b"a,b\n1,2\n".repeat(10_000);
    let gzip = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    };
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
    bzip2.write_all(&bytes).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(&bytes).unwrap();
    let (half, rest) = bytes.split_at(bytes.len() / 3);
    let zstd = |bytes| zstd::encode_all(bytes, 1).unwrap();
    for packed in [
        bytes.clone(),
        gzip(&bytes),
        [gzip(half), gzip(rest)].concat(),
        zstd(&bytes[..]),
        [zstd(half), zstd(rest)].concat(),
        bzip2.finish().unwrap(),
        xz.finish().unwrap(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, &packed).unwrap();
        let source = Source::open(&path).unwrap().decompressed().unwrap();
        let (taken, size, mut all) = (source.taken(), source.size(), Vec::new());
        source.into_read().read_to_end(&mut all).unwrap();
        assert!(all == bytes);
        assert_eq!(size, Some(packed.len() as u64));
        assert_eq!(taken.load(Ordering::Relaxed), packed.len() as u64);
        let pipe = Source::pipe("pipe", io::Cursor::new(packed)).decompressed().unwrap();
        let mut all = Vec::new();
        pipe.into_file().unwrap().read_to_end(&mut all).unwrap();
        assert!(all == bytes);
    }
    // Truncated input is an error, not fewer rows.
    let cut = gzip(&bytes)[..100].to_vec();
    let cut = Source::pipe("pipe", io::Cursor::new(cut)).decompressed().unwrap();
    assert!(cut.into_read().read_to_end(&mut Vec::new()).is_err());
}
