use proptest::collection::vec;
use proptest::prelude::*;

use super::{alone, cases, levels, put_one};
use crate::kernel::string::*;
use crate::kernel::*;

/// Strings, as their lengths: short ones, long ones, and runs of the same length.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    let short = vec(0..70usize, 0..200);
    let alike = vec((0..70usize, 1..20usize), 0..20)
        .prop_map(|runs| runs.into_iter().flat_map(|(len, n)| vec![len; n]).collect());
    let long = vec(prop_oneof![5 => 0..64usize, 2 => 60..200usize, 1 => 8000..9000usize], 0..40);
    prop_oneof![short, alike, long]
}

/// Some bytes for these lengths, and the offsets.
fn some(lengths: &[usize]) -> (Vec<i32>, Vec<u8>) {
    let mut offsets = vec![0];
    let mut data = Vec::new();
    for len in lengths {
        let first = data.len();
        data.extend((0..*len).map(|i| b'a' + ((i * 7 + first) % 26) as u8));
        offsets.push(data.len() as i32);
    }
    (offsets, data)
}

fn encoded<O: Copy + TryInto<usize>>(offsets: &[O], data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for pair in offsets.windows(2) {
        let [start, end] = [0, 1].map(|i| pair[i].try_into().unwrap_or(usize::MAX));
        let value = data.get(start..end).unwrap_or_default();
        put_one(value.len() as i64, &mut out);
        out.extend_from_slice(value);
    }
    out
}

/// Every kernel reads these bytes as the portable one does, appending to existing values.
fn reads_alike(bytes: &[u8], n: usize) {
    let bytes = &*alone(bytes);
    let (mut offsets, mut data) = (vec![0, 3], b"abc".to_vec());
    let taken = decode_strings(Level::Portable, bytes, n, &mut offsets, &mut data);
    assert_eq!(skip_strings(bytes, n), (offsets.len() - 2, taken));
    for level in levels() {
        let (mut o, mut d) = (vec![0, 3], b"abc".to_vec());
        assert_eq!(
            decode_strings(level, bytes, n, &mut o, &mut d),
            taken,
            "{level:?} {n} of {bytes:x?}"
        );
        assert!(o == offsets && d == data, "{level:?} {n} of {bytes:x?}");
    }
}

fn writes_alike<O: Copy + TryInto<usize>>(offsets: &[O], data: &[u8]) {
    let (offsets, data) = (&*alone(offsets), &*alone(data));
    let expected = [&b"before"[..], &encoded(offsets, data)].concat();
    for level in levels() {
        let mut out = b"before".to_vec();
        encode_strings(level, offsets, data, &mut out);
        assert!(out == expected, "{level:?}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn there_and_back(lengths in lengths()) {
        let (offsets, data) = some(&lengths);
        writes_alike(&offsets, &data);
        let large: Vec<i64> = offsets.iter().map(|offset| i64::from(*offset)).collect();
        writes_alike(&large, &data);
        let bytes = encoded(&offsets, &data);
        reads_alike(&bytes, lengths.len());
        reads_alike(&bytes, lengths.len() / 2);
        reads_alike(&bytes, usize::MAX);
        let (mut o, mut d) = (vec![0], Vec::new());
        prop_assert_eq!(decode_strings(Level::in_use(), &bytes, lengths.len(), &mut o, &mut d), bytes.len());
        prop_assert!(o == offsets && d == data);
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..600), n in 0..300usize) {
        reads_alike(&bytes, n);
    }

    #[test]
    fn lengths_that_lie(
        lengths in vec(0..70usize, 1..60),
        wrong in any::<i64>(),
        at in any::<prop::sample::Index>(),
    ) {
        let (offsets, data) = some(&lengths);
        let at = at.index(lengths.len());
        let mut bytes = encoded(&offsets[..=at], &data);
        put_one(wrong, &mut bytes);
        bytes.extend(encoded(&offsets[at..], &data));
        reads_alike(&bytes, usize::MAX);
    }

    #[test]
    fn any_offsets(offsets in vec(-10..500i32, 0..50), data in vec(any::<u8>(), 0..400)) {
        writes_alike(&offsets, &data);
    }

    #[test]
    fn offsets_far_out(offsets in vec(any::<i64>(), 0..50), data in vec(any::<u8>(), 0..400)) {
        writes_alike(&offsets, &data);
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_cut(lengths in vec(0..90usize, 0..12)) {
        let (offsets, data) = some(&lengths);
        let bytes = encoded(&offsets, &data);
        for cut in 0..bytes.len() {
            reads_alike(&bytes[..cut], lengths.len());
            reads_alike(&bytes[cut..], lengths.len());
        }
        for cut in 0..=data.len() {
            writes_alike(&offsets, &data[..cut]);
            writes_alike(&offsets[offsets.len().min(cut)..], &data);
        }
    }
}

#[test]
fn lengths_of_more_bytes_than_they_need() {
    // 3 in one, two and three bytes.
    for head in [&[6][..], &[0x86, 0], &[0x86, 0x80, 0]] {
        let mut bytes = [head, b"foo"].concat().repeat(100);
        reads_alike(&bytes, 100);
        bytes.pop();
        reads_alike(&bytes, 100);
    }
}

#[test]
fn a_count_far_past_the_bytes_makes_no_room() {
    for level in levels() {
        let (mut offsets, mut data) = (vec![0], Vec::new());
        decode_strings(level, &[0; 100], usize::MAX, &mut offsets, &mut data);
        assert!(offsets.len() == 101 && offsets.capacity() + data.capacity() < 1000);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn words_compare_as_strings_do(lengths in lengths(), behind in 0usize..12, pick: usize) {
        let (offsets, data) = some(&lengths);
        let (offsets, data) = (&*alone(&offsets), &*alone(&data));
        let rest = |pair: &[i32]| (pair[0] as usize + behind).min(pair[1] as usize)..pair[1] as usize;
        let expected: Vec<u64> =
            offsets.windows(2).take(PREFIXES).map(|pair| prefix_of(&data[rest(pair)])).collect();
        let least = expected.iter().copied().filter(|word| *word > 0).min().unwrap_or(0);
        let greatest = expected.iter().copied().max().unwrap_or(0);
        let ends = PrefixRange { least, greatest, has_empty: expected.contains(&0) };
        let chosen = if expected.is_empty() { 1 } else { expected[pick % expected.len()] };
        let wide: Vec<i64> = offsets.iter().map(|offset| i64::from(*offset)).collect();
        for level in levels() {
            let mut out = [3; PREFIXES];
            prop_assert_eq!(prefixes(level, offsets, data, behind, &mut out), ends);
            prop_assert_eq!(prefixes(level, &wide, data, behind, &mut out), ends);
            prop_assert_eq!(&out[..expected.len()], &expected[..]);
            let at = find_prefix(level, &out, chosen);
            for (i, word) in out.iter().enumerate() {
                prop_assert_eq!(at[i / 64] >> (i % 64) & 1 == 1, *word == chosen);
            }
            let among = |bit: bool| out.iter().enumerate().filter(move |(i, _)| (at[i / 64] >> (i % 64) & 1 == 1) == bit).map(|(_, word)| *word);
            let ends = (among(true).min().unwrap_or(u64::MAX), among(true).max().unwrap_or(0));
            prop_assert_eq!(min_max_among(level, &out, &at), ends);
            let others = at.map(|bits| !bits);
            let ends = (among(false).min().unwrap_or(u64::MAX), among(false).max().unwrap_or(0));
            prop_assert_eq!(min_max_among(level, &out, &others), ends);
        }
    }

    #[test]
    fn words_of_any_offsets_are_the_same_at_every_level(
        offsets in prop::collection::vec(prop_oneof![-3i64..40, any::<i64>()], 0..40), behind in 0usize..20,
    ) {
        let data = &*alone(b"some bytes that are not many");
        for level in levels() {
            let (mut out, mut expected) = ([0; PREFIXES], [0; PREFIXES]);
            let ends = prefixes(Level::Portable, &offsets, data, behind, &mut expected);
            prop_assert_eq!(prefixes(level, &offsets, data, behind, &mut out), ends);
            prop_assert_eq!(out, expected);
        }
    }
}
