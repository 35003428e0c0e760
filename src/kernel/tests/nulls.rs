use proptest::collection::vec;
use proptest::prelude::*;

use super::{alone, cases, levels, put_one};
use crate::kernel::bitmap::*;
use crate::kernel::gather::*;
use crate::kernel::string::*;
use crate::kernel::varint::*;
use crate::kernel::*;

/// Bits as runs, which random ones are not.
fn runs() -> impl Strategy<Value = Vec<bool>> {
    let short = vec(1..40usize, 0..40);
    let long = vec(1..300usize, 0..8);
    (any::<bool>(), prop_oneof![short, long]).prop_map(|(first, counts)| {
        let run = |(i, n): (usize, &usize)| vec![first ^ (i % 2 == 1); *n];
        counts.iter().enumerate().flat_map(run).collect()
    })
}

fn packed(bits: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    bits.chunks(8).map(byte).collect()
}

fn bit(source: &[u8], at: usize) -> bool {
    source.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

/// Returns the lengths as runs, split at `cuts`, as numbers.
fn as_lengths(bits: &[bool], cuts: usize) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), bits);
    while let Some(value) = rest.first() {
        let n = rest.iter().take(cuts).take_while(|bit| *bit == value).count();
        let v = i64::from(*value);
        put_one(if n == 1 { v } else { 3 - v - 2 * n as i64 }, &mut bytes);
        rest = &rest[n..];
    }
    bytes
}

fn spread<T: Copy + Default + PartialEq + std::fmt::Debug + 'static>(
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
) {
    let (dense, validity) = (&*alone(dense), &*alone(validity));
    let mut next = dense.iter();
    let value = |i| bit(validity, offset + i).then(|| next.next().copied()).flatten();
    let expected: Vec<T> = (0..n).map(value).map(Option::unwrap_or_default).collect();
    let mut ends = vec![dense.first().copied().unwrap_or_default()];
    let mut next = dense.iter().skip(1);
    for i in 0..n {
        let validity = bit(validity, offset + i);
        ends.push(validity.then(|| next.next().copied()).flatten().unwrap_or(ends[i]));
    }
    let before = vec![T::default(); 2];
    for level in levels() {
        let mut out = before.clone();
        expand(level, dense, validity, offset, n, T::default(), &mut out);
        assert_eq!(out, [&before[..], &expected].concat(), "{level:?} {offset} {n}");
        if let Some(nothing) = dense.last() {
            let mut out = before.clone();
            expand(level, dense, validity, offset, n, *nothing, &mut out);
            let is_valid = |i: &usize| bit(validity, offset + i);
            let mut next = dense.iter().chain(std::iter::repeat(nothing));
            let value = |i| if is_valid(&i) { next.next().unwrap() } else { nothing };
            let expected: Vec<T> = (0..n).map(value).copied().collect();
            assert_eq!(out[2..], expected, "{level:?} {offset} {n}");
        }
        let mut out = before.clone();
        expand_offsets(level, dense, validity, offset, n, &mut out);
        assert_eq!(out, [&before[..], &ends].concat(), "{level:?} {offset} {n}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn values_go_to_their_places(
        bits in prop_oneof![runs(), vec(any::<bool>(), 0..400)],
        offset in 0..20usize,
        beyond in 0..100usize,
        dense_len in 0..500usize,
    ) {
        let validity = packed(&bits);
        let n = bits.len().saturating_sub(offset) + beyond;
        let dense: Vec<i64> = (1..=dense_len as i64).map(|i| i * 0x0001_0203_0405).collect();
        spread(&dense, &validity, offset, n);
        spread(&dense.iter().map(|v| *v as f64).collect::<Vec<_>>(), &validity, offset, n);
        spread(&dense.iter().map(|v| *v as i32).collect::<Vec<_>>(), &validity, offset, n);
        spread(&dense.iter().map(|v| *v as f32).collect::<Vec<_>>(), &validity, offset, n);
        spread(&dense.iter().map(|v| *v as u16).collect::<Vec<_>>(), &validity, offset, n);
        spread(&dense.iter().map(|v| (*v as u8, *v)).collect::<Vec<_>>(), &validity, offset, n);
    }

    #[test]
    fn bits_go_from_any_place_to_any_other(
        before in vec(any::<bool>(), 0..20),
        bits in vec(any::<bool>(), 0..300),
        offset in 0..80usize,
        n in 0..400usize,
    ) {
        let source = packed(&bits);
        let mut out = packed(&before);
        copy_bits(&source, offset, n, &mut out, before.len());
        let copied = (0..n).map(|i| bit(&source, offset + i));
        let expected: Vec<bool> = before.iter().copied().chain(copied).collect();
        prop_assert_eq!(out, packed(&expected));
    }

    #[test]
    fn offsets_are_sums(lengths in vec(0..1000u32, 0..300), large in 0..=u32::MAX) {
        let mut out = vec![-1];
        prop_assert_eq!(lengths_to_offsets(&lengths, &mut out), Some(()));
        prop_assert_eq!(out.len(), lengths.len() + 2);
        prop_assert_eq!(&out[..2], &[-1, 0]);
        for (pair, length) in out[1..].windows(2).zip(&lengths) {
            prop_assert_eq!(pair[1] - pair[0], *length as i32);
        }
        let sum = u64::from(lengths.iter().sum::<u32>()) + u64::from(large);
        let fits = lengths_to_offsets(&[&lengths[..], &[large]].concat(), &mut out).is_some();
        prop_assert_eq!(fits, i32::try_from(sum).is_ok());
    }

    #[test]
    fn lengths_become_bits_in_any_pieces(
        bits in runs(),
        cuts in 1..200usize,
        pieces in vec(0..150usize, 0..20),
        before in 0..20usize,
    ) {
        let bytes = as_lengths(&bits, cuts);
        let mut all = vec![true; before];
        let (mut out, mut run, mut at, mut rows) = (packed(&all), LengthRun::default(), 0, 0);
        for n in pieces.into_iter().chain([usize::MAX]) {
            let done = lengths_to_bitmap(&bytes[at..], n, &mut run, &mut out, before + rows);
            let piece = &bits[rows..rows + done.rows];
            prop_assert_eq!(done.rows, n.min(bits.len() - rows));
            prop_assert_eq!(done.ones, piece.iter().filter(|bit| **bit).count());
            at += done.bytes;
            rows += done.rows;
            all.extend(piece);
            prop_assert_eq!(&out, &packed(&all));
        }
        prop_assert_eq!((at, run.left), (bytes.len(), 0));
    }

    #[test]
    fn any_bytes_are_lengths_up_to_the_first_that_is_not(
        bytes in vec(prop_oneof![8 => 0..12u8, 1 => any::<u8>()], 0..200),
        n in 0..3000usize,
    ) {
        let (mut out, mut run) = (Vec::new(), LengthRun::default());
        let done = lengths_to_bitmap(&bytes, n, &mut run, &mut out, 0);
        let mut expected = Vec::new();
        let (mut at, mut left) = (0, 0usize);
        while expected.len() < n {
            let mut number = Vec::new();
            let len = decode_ints(Level::Portable, &bytes[at..], 1, &mut number);
            let Some(number) = number.first().map(|number| i64::from(*number)) else { break };
            let (value, count) =
                if number < 0 { ((number + 1) & 1, (1 - number) / 2 + 1) } else { (number, 1) };
            if value > 1 {
                break;
            }
            let count = count as usize;
            let take = count.min(n - expected.len());
            expected.extend(vec![value == 1; take]);
            left = count - take;
            at += len;
        }
        prop_assert_eq!((done.rows, done.bytes, run.left as usize), (expected.len(), at, left));
        prop_assert_eq!(done.ones, expected.iter().filter(|bit| **bit).count());
        prop_assert_eq!(out, packed(&expected));
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn bits_are_counted_from_anywhere_and_are_none_behind_the_end(
        bytes in vec(any::<u8>(), 0..60), offset in 0usize..500, n in 0usize..700,
    ) {
        let is_set = |at: &usize| bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        let expected = (offset..offset + n).filter(is_set).count();
        prop_assert_eq!(count_ones(&alone(&bytes), offset, n), expected);
        let places = [offset, offset, offset + n / 2, offset + n].map(|place| place as u32);
        for level in levels() {
            let mut found = vec![7];
            rank(level, &alone(&bytes), &places, &mut found);
            let before = |place: u32| (0..place as usize).filter(is_set).count() as u32;
            prop_assert_eq!((found[0], &found[1..]), (7, &places.map(before)[..]));
        }
    }
}

#[test]
fn a_run_left_over_that_is_no_bit_stays() {
    let (mut out, mut run) = (vec![1], LengthRun { value: 2, left: 1 });
    let done = lengths_to_bitmap(&[2, 2], 2, &mut run, &mut out, 1);
    assert_eq!((done, run.left, out), (BitmapProgress::default(), 1, vec![1]));
}

#[test]
fn the_longest_run_of_a_hostile_file() {
    let mut bytes = Vec::new();
    put_one(i64::from(i32::MIN), &mut bytes);
    let (mut out, mut run) = (Vec::new(), LengthRun::default());
    let done = lengths_to_bitmap(&bytes, 1000, &mut run, &mut out, 0);
    assert_eq!((done, out), (BitmapProgress { rows: 1000, ones: 1000, bytes: 5 }, vec![0xff; 125]));
    assert_eq!(run, LengthRun { value: 1, left: (1 << 30) + 1 - 1000 });
}
