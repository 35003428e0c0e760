//! The examples of `spec/bloscpack.md`: each is read, and written again to the byte.

use super::header::Header;
use super::*;

const SPEC: &str = include_str!("../../../../../spec/bloscpack.md");

/// Returns the bytes of the block fenced with `hex` and this name.
fn hex(name: &str) -> Vec<u8> {
    let (_, rest) = SPEC.split_once(&format!("```hex {name}\n")).unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    let digits = block.lines().map(|line| line.split('#').next().unwrap());
    digits.flat_map(str::split_whitespace).map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

/// Returns the file of an example, of these bytes.
fn opened(name: &str, expected: &[u8]) -> Bloscpack {
    let file = Bloscpack::open(Bytes::from(hex(name))).unwrap();
    assert_eq!(content(&file), expected, "{name}");
    file.verify().unwrap();
    file
}

/// Returns the example made from its bytes.
fn again(file: &Bloscpack, data: &[u8]) -> Vec<u8> {
    let params = params_of(file.typesize());
    let builder = BloscpackBuilder::new(Vec::new(), array_of(file), &params, file.properties());
    let mut builder = builder.unwrap();
    let mut encoder = Encoder::new(&params).unwrap();
    let mut chunk = Vec::new();
    encoder.encode(data, &mut chunk).unwrap();
    builder.push_chunk(&chunk).unwrap();
    builder.finish_into(&file.layout().shape, &file.layout().attributes).unwrap()
}

#[test]
fn files_of_version_3() {
    let array = [1, 0, 2, 0, 3, 0];
    for (name, data) in [("bytes", &b"hello"[..]), ("empty", b""), ("array", &array)] {
        let file = opened(name, data);
        assert_eq!(again(&file, data), hex(name), "{name}");
    }
    assert_eq!(opened("array", &array).layout().dtype, Dtype::parse("<i2").unwrap());
}

#[test]
fn files_of_older_versions() {
    for (name, version) in [("version-1", 1), ("version-2", 2)] {
        let file = opened(name, b"hello y");
        assert_eq!(file.version(), version);
        let mut header = Vec::new();
        Header::parse(&hex(name)).unwrap().put(&mut header);
        assert!(hex(name).starts_with(&header));
    }
    assert_eq!(opened("version-2", b"hello y").metadata().unwrap()["a"], 1);
}

#[test]
fn checksums_are_as_in_the_table() {
    let (_, table) = SPEC.split_once("| number | name | bytes |\n|---|---|---|\n").unwrap();
    let rows: Vec<_> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let digest = Digest::from_number(cells[0].parse().unwrap()).unwrap();
        assert_eq!(digest.name(), cells[1].trim_matches('`'));
        assert_eq!(digest.size().to_string(), cells[2].split(',').next().unwrap());
    }
}
