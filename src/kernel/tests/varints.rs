use proptest::collection::vec;
use proptest::prelude::*;

use super::{alone, cases, levels, put_one};
use crate::kernel::varint::*;

/// Returns a long whose varint has this many bytes.
fn of_len(len: u32, random: u64) -> i64 {
    let bits = random >> (64 - (7 * len).min(64)) | 1u64.checked_shl(7 * (len - 1)).unwrap_or(0);
    (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
}

/// Longs whose varints take up to `longest` bytes.
fn mixture(longest: u32, n: usize) -> impl Strategy<Value = Vec<i64>> {
    vec((1..=longest, any::<u64>()).prop_map(|(len, random)| of_len(len, random)), n)
}

/// Longs of one length but for a few.
fn mostly(n: usize) -> impl Strategy<Value = Vec<i64>> {
    (1..=10u32, 1..=10u32).prop_flat_map(move |(usual, other)| {
        let one = (prop::bool::weighted(0.05), any::<u64>());
        vec(one.prop_map(move |(odd, r)| of_len(if odd { other } else { usual }, r)), n)
    })
}

fn encoded(values: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    values.iter().for_each(|value| put_one(*value, &mut bytes));
    bytes
}

/// Returns the varint at the start, and its length: a tenth byte's bits past the 64th fall off.
fn first(bytes: &[u8]) -> Option<(i64, usize)> {
    let last = bytes.iter().take(10).position(|byte| *byte < 0x80)?;
    let sevens = bytes[..=last].iter().rev();
    let bits = sevens.fold(0u64, |bits, byte| bits << 7 | u64::from(byte & 0x7f));
    Some(((bits >> 1) as i64 ^ -((bits & 1) as i64), last + 1))
}

/// Decodes numbers one by one: the longs, the ints, and the bytes of each.
fn one_by_one(bytes: &[u8], n: usize) -> ((Vec<i64>, usize), (Vec<i32>, usize)) {
    let (mut longs, mut taken) = (Vec::new(), 0);
    while longs.len() < n
        && let Some((value, len)) = first(&bytes[taken..])
    {
        longs.push(value);
        taken += len;
    }
    let (mut ints, mut of_ints) = (Vec::new(), 0);
    while ints.len() < n
        && let Some((value, len)) = first(&bytes[of_ints..])
        && let Ok(value) = i32::try_from(value)
    {
        ints.push(value);
        of_ints += len;
    }
    ((longs, taken), (ints, of_ints))
}

/// Every kernel reads these bytes as the cursor does, appending to existing values.
fn reads_alike(bytes: &[u8], n: usize) {
    let bytes = &*alone(bytes);
    let ((all_longs, taken), (all_ints, of_ints)) = one_by_one(bytes, n);
    for level in levels() {
        let (mut out, mut expected) = (vec![7i64; 3], vec![7i64; 3]);
        expected.extend(&all_longs);
        assert_eq!(decode_longs(level, bytes, n, &mut out), taken, "{level:?} {n} of {bytes:x?}");
        assert_eq!(out, expected, "{level:?} {n} of {bytes:x?}");
        let (mut out, mut expected) = (vec![7i32; 3], vec![7i32; 3]);
        expected.extend(&all_ints);
        assert_eq!(decode_ints(level, bytes, n, &mut out), of_ints, "{level:?} {n} of {bytes:x?}");
        assert_eq!(out, expected, "{level:?} {n} of {bytes:x?}");
        assert_eq!(skip_varints(level, bytes, n), (all_longs.len(), taken), "{level:?} {bytes:x?}");
    }
}

/// Every kernel writes these as one number after the other is written.
fn writes_alike(values: &[i64]) {
    let values = &*alone(values);
    let in_range = values.iter().map(|value| i32::try_from(*value));
    let small: Vec<i32> = in_range.map(|value| value.unwrap_or(i32::MIN)).collect();
    let widened: Vec<i64> = small.iter().map(|value| i64::from(*value)).collect();
    for level in levels() {
        let mut out = b"before".to_vec();
        encode_longs(level, values, &mut out);
        assert_eq!(out, [&b"before"[..], &encoded(values)].concat(), "{level:?} {values:?}");
        let mut out = b"before".to_vec();
        encode_ints(level, &small, &mut out);
        assert_eq!(out, [&b"before"[..], &encoded(&widened)].concat(), "{level:?} {small:?}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn mixtures(values in (1..=10u32).prop_flat_map(|longest| mixture(longest, 300))) {
        writes_alike(&values);
        let bytes = encoded(&values);
        reads_alike(&bytes, values.len());
        reads_alike(&bytes, usize::MAX);
        reads_alike(bytes.get(1..).unwrap_or_default(), 200);
    }

    #[test]
    fn mostly_of_one_length(values in mostly(500)) {
        writes_alike(&values);
        reads_alike(&encoded(&values), values.len());
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400), n in 0..300usize) {
        reads_alike(&bytes, n);
    }

    #[test]
    fn bytes_that_mostly_go_on(
        bytes in vec(prop_oneof![9 => 0x80..=0xffu8, 1 => 0..=0x7fu8], 0..400),
    ) {
        reads_alike(&bytes, usize::MAX);
    }

    #[test]
    fn padded_forms(values in vec((any::<i32>(), 0..6usize), 0..200)) {
        let mut bytes = Vec::new();
        for (value, more) in &values {
            put_one(i64::from(*value), &mut bytes);
            // The same value with bytes of zeros after it.
            for _ in 0..*more {
                *bytes.last_mut().unwrap() |= 0x80;
                bytes.push(0);
            }
        }
        reads_alike(&bytes, values.len());
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_count(values in (1..=10u32).prop_flat_map(|longest| mixture(longest, 200))) {
        let bytes = encoded(&values);
        for n in 0..=values.len() {
            reads_alike(&bytes, n);
            writes_alike(&values[..n]);
        }
    }

    #[test]
    fn every_cut(values in (1..=10u32).prop_flat_map(|longest| mixture(longest, 60))) {
        let bytes = encoded(&values);
        for cut in 0..bytes.len() {
            reads_alike(&bytes[..cut], values.len());
            reads_alike(&bytes[cut..], values.len());
        }
    }
}

#[test]
fn the_edges_of_each_length() {
    let edges = |shift: u32| {
        let power = 1i64 << shift;
        [power, power.wrapping_neg(), power.wrapping_sub(1), power.wrapping_neg().wrapping_sub(1)]
    };
    let values: Vec<i64> = (0..64).flat_map(edges).collect();
    writes_alike(&values);
    reads_alike(&encoded(&values), values.len());
    for value in values {
        assert_eq!(first(&encoded(&[value])).map(|(value, _)| value), Some(value));
        // Alone, among others, and as many as fill a window.
        for n in [1, 40] {
            let many = [vec![1; 70], vec![value; n], vec![-1; 70]].concat();
            writes_alike(&many);
            reads_alike(&encoded(&many), usize::MAX);
        }
    }
}

#[test]
fn an_int_that_does_not_fit_at_each_place() {
    for place in 0..130 {
        for wrong in [1i64 << 31, i64::MIN, -(1 << 31) - 1, i64::MAX] {
            for usual in [1i64, 300, 1 << 20, 1 << 30] {
                let mut values = vec![usual; 130];
                values[place] = wrong;
                reads_alike(&encoded(&values), values.len());
            }
        }
    }
}

#[test]
fn a_count_far_past_the_bytes_makes_no_room() {
    for level in levels() {
        let mut out = Vec::new();
        decode_longs(level, &[2; 100], usize::MAX, &mut out);
        assert!(out.len() == 100 && out.capacity() < 1000);
    }
}
