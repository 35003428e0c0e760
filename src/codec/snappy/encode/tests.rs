//! Encoded bytes are decoded by `snap` and by this crate, and are within the promised size.

use proptest::prelude::*;
use snap::raw;

use super::*;
use crate::codec::{Codec, Compress};
use crate::kernel::{self, Level};

/// Encodes, decodes with all decoders, and returns the encoded bytes.
fn there_and_back(bytes: &[u8]) -> Vec<u8> {
    let (mut encoder, mut stored) = (Encoder::new(), vec![9; 3]);
    encoder.compress(bytes, &mut stored).unwrap();
    let stored = stored.split_off(3);
    assert!(stored.len() <= most(bytes.len()), "{} of {}", stored.len(), bytes.len());
    assert!(raw::Decoder::new().decompress_vec(&stored).unwrap() == bytes);
    let (mut out, start) = (Vec::new(), stored.iter().position(|byte| *byte < 0x80).unwrap() + 1);
    Codec::Snappy.decompressor().unwrap().decompress(&stored, bytes.len(), &mut out).unwrap();
    assert!(out == bytes);
    for level in Level::all() {
        let made =
            kernel::snappy::decompress_snappy(level, &stored[start..], bytes.len(), &mut out);
        assert!(out == bytes || !made, "{}", level.name());
    }
    // The tables keep nothing that shows in the next block.
    let mut again = Vec::new();
    encoder.compress(bytes, &mut again).unwrap();
    assert!(again == stored);
    stored
}

fn noise(n: usize, of: u64) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % of
    };
    (0..n).map(|_| next().to_le_bytes()[0]).collect()
}

#[test]
fn known_elements() {
    let cases: [(&[u8], &[u8]); 5] = [
        (b"", &[0]),
        (b"a", &[1, 0, b'a']),
        (b"aaaaaaaaaaaaaaaa", &[16, 0, b'a', 2 | 14 << 2, 1, 0]),
        // The last eight bytes begin no match.
        (b"abcdabcdabc", b"\x0b\x28abcdabcdabc"),
        (b"abcdabcdabcdabcd", &[16, 3 << 2, b'a', b'b', b'c', b'd', 2 | 11 << 2, 4, 0]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(there_and_back(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn noise_is_one_literal() {
    for n in [1, 59, 60, 61, 62, 256, 257, 65_536, 65_537, 65_538, 1 << 24, (1 << 24) + 1] {
        let bytes = noise(n, 256);
        let stored = there_and_back(&bytes);
        let heads = [(60, 1), (256, 2), (65_536, 3), (1 << 24, 4), (usize::MAX, 5)];
        let head = heads.iter().find(|head| n <= head.0).unwrap().1;
        let length = stored.iter().position(|byte| *byte < 0x80).unwrap() + 1;
        // A match of noise is chance, but there is one in the longest.
        assert!(stored.len() <= length + head + n && (n > 1 << 17 || stored.ends_with(&bytes)));
    }
}

#[test]
fn runs_and_periods_of_any_length() {
    for period in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 2047, 2048, 65_535, 65_536, 65_537]
    {
        let one = noise(period, 256);
        for n in [period, period + 1, period + 7, period + 64, period + 65, period + 68, 3 * period]
        {
            let bytes: Vec<u8> = one.iter().cycle().take(n).copied().collect();
            there_and_back(&bytes);
        }
    }
    assert!(there_and_back(&vec![7; 1 << 20]).len() < (1 << 20) / 64 * 3 + 16);
    // A position whose low bits equal those of another 64 kB before it.
    let mut far = noise(200_000, 200);
    far.copy_within(0..1000, 65_536);
    far.copy_within(0..1000, 131_072 + 5);
    there_and_back(&far);
}

#[test]
fn few_symbols() {
    for (n, of) in [(100, 2), (5_000, 2), (70_000, 3), (140_000, 8), (70_000, 20), (70_000, 60)] {
        there_and_back(&noise(n, of));
    }
}

/// Where no eight bytes come again, and then they do.
#[test]
fn numbers_of_fixed_width() {
    let low = noise(30_000, 256);
    let mut bytes: Vec<u8> =
        low.chunks(3).flat_map(|low| [low, &[7, 0, 9, 0, 1][..]].concat()).collect();
    let stored = there_and_back(&bytes);
    assert!(stored.len() < bytes.len() * 7 / 8, "{} of {}", stored.len(), bytes.len());
    bytes.extend([b'x'; 10_000]);
    assert!(there_and_back(&bytes).len() < stored.len() + 600);
}

/// Of text, fewer and longer elements than `snap` finds.
#[test]
fn text_becomes_shorter_than_with_snap() {
    let words = [
        "carefully ",
        "final ",
        "requests ",
        "sleep ",
        "furiously ",
        "among ",
        "the ",
        "deposits ",
    ];
    let picks = noise(20_000, words.len() as u64);
    let text: String = picks.iter().map(|pick| words[usize::from(*pick)]).collect();
    let text = &text.as_bytes()[..65_536];
    let theirs = raw::Encoder::new().compress_vec(text).unwrap();
    let ours = there_and_back(text);
    assert!(ours.len() * 100 < theirs.len() * 95, "{} {}", ours.len(), theirs.len());
}

#[test]
fn every_file_that_is_there() {
    fn walk(folder: &std::path::Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path);
            } else {
                for block in std::fs::read(path).unwrap().chunks(65_536 + 100).take(8) {
                    there_and_back(block);
                }
            }
        }
    }
    walk(&trevni_testing::data::selected(""));
}

proptest! {
    #[test]
    fn anything(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        there_and_back(&bytes);
    }

    #[test]
    fn pieces_again_and_again(
        pieces in prop::collection::vec(prop::collection::vec(0u8..4, 1..80), 1..20),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
    ) {
        let bytes: Vec<u8> = picks.iter().flat_map(|pick| pick.get(&pieces).clone()).collect();
        there_and_back(&bytes);
    }
}
