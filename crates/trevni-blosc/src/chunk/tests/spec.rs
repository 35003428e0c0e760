//! The examples of the specification, opened.

use super::*;

const SPEC: &str = include_str!("../../../../../spec/blosc-chunk.md");

fn hex(text: &str) -> Vec<u8> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .map(|byte| u8::from_str_radix(byte, 16).unwrap_or_else(|_| panic!("{byte:?}")))
        .collect()
}

/// Parses the decoded bytes of an example: bytes in backquotes, each followed by `once` or `x N`.
fn expected(line: &str) -> Vec<u8> {
    let mut parts = line.split('`').skip(1);
    let mut all = Vec::new();
    while let (Some(bytes), Some(times)) = (parts.next(), parts.next()) {
        let times = times.trim().trim_start_matches("x ").trim_end_matches(['.', ',']);
        let times = if times == "once" { 1 } else { times.parse().unwrap() };
        all.extend(hex(bytes).repeat(times));
    }
    all
}

#[test]
fn examples_are_right() {
    let mut count = 0;
    for example in SPEC.split("```hex ").skip(1) {
        let (name, rest) = example.split_once('\n').unwrap();
        let (bytes, rest) = rest.split_once("```").unwrap();
        let line = rest.lines().find(|line| !line.is_empty()).unwrap();
        assert!(line.starts_with("Decodes to "), "{name}: {line}");
        let (chunk, expected) = (hex(bytes), expected(line));
        let header = Header::parse(&chunk).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(header.cbytes as usize, chunk.len(), "{name}");
        assert_eq!(decode(&chunk, expected.len()), expected, "{name}");
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
}
