//! Packed numbers round-trip, completely and in part, and other bytes give errors.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]

mod take;

use proptest::prelude::*;

use super::float;
use super::float::Floats;
use super::integer;
use super::integer::{DEPTH, Numbers};
use crate::pack::float::hints::FloatHints;
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;

pub(super) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub(super) fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(2) | 1;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let word = (state >> 22 ^ state) >> (state >> 61);
        word.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Numbers of one sort or another.
fn sorts(n: usize) -> Vec<(&'static str, Vec<i64>)> {
    let mut r = random(n as u64 + 3);
    let mut some = |f: &mut dyn FnMut(i64, u64) -> i64| -> Vec<i64> {
        (0..n as i64).map(|i| f(i, r())).collect()
    };
    let (mut sum, mut jump) = (0i64, 0i64);
    vec![
        ("constant", some(&mut |_, _| -7)),
        ("small", some(&mut |_, r| (r % 100) as i64)),
        ("random", some(&mut |_, r| r as i64)),
        ("ends", some(&mut |i, _| if i % 2 == 0 { i64::MIN } else { i64::MAX })),
        (
            "sorted",
            some(&mut |_, r| {
                sum += (r % 50) as i64;
                sum
            }),
        ),
        ("steps", some(&mut |i, _| i * 3 - 500)),
        (
            "outliers",
            some(&mut |i, r| if i % 97 == 3 { (r >> 20) as i64 } else { (r % 30) as i64 }),
        ),
        ("runs", some(&mut |i, _| i / 37 * 7919 % 1000)),
        ("frequent", some(&mut |_, r| if r % 20 == 0 { (r >> 9) as i64 } else { 42 })),
        (
            "sparse codes",
            some(&mut |_, r| [1i64 << 60, -3, 1 << 33, 17, 1 << 50][(r % 5) as usize]),
        ),
        (
            "multiples",
            some(&mut |_, r| 1_700_000_000_000_000 + (r % 90_000_000) as i64 * 1_000_000),
        ),
        ("levels", some(&mut |i, r| (i / 1024) * 1_000_000 + (r % 16) as i64)),
        ("skewed codes", some(&mut |_, r| ((r % 90) * (r / 128 % 90) / 90) as i64 - 7)),
        ("skewed", some(&mut |_, r| 9000 + (r % 999) as i64 * (r / 1024 % 99) as i64)),
        ("wandering", some(&mut |i, r| (i / 5 * 7919) % 20_000 + (r % 40) as i64)),
        ("groups", some(&mut |i, r| i % 13 * 7919 % 1000 + (r % 64 / 63) as i64)),
        ("restarts", some(&mut |i, r| i % 90 * 20_000 + (r % 90) as i64)),
        (
            "jumps",
            some(&mut |i, r| {
                jump = if i % 40 == 7 {
                    jump.wrapping_add(r as i64)
                } else {
                    jump.wrapping_add((r % 4) as i64 - 1)
                };
                jump
            }),
        ),
    ]
}

/// Returns number samples, encoded alone and for zstd.
fn laid(n: usize) -> impl Iterator<Item = (&'static str, Vec<i64>, bool)> {
    sorts(n)
        .into_iter()
        .flat_map(|(sort, values)| [false, true].map(|for_zstd| (sort, values.clone(), for_zstd)))
}

fn packed(values: &[i64], for_zstd: bool) -> (Vec<u8>, Numbers) {
    let mut bytes = Payload::new(Vec::new(), for_zstd);
    integer::put(values, DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    let mut input = Input::new(bytes.clone().into(), usize::MAX);
    let numbers = Numbers::take(&mut input, values.len()).unwrap();
    input.finish().unwrap();
    (bytes, numbers)
}

#[test]
fn numbers_of_every_sort_come_back_in_whole_and_in_part() {
    for n in [0, 1, 2, 47, 1000, 1024, 1025, 5000, 16384] {
        for (sort, values, for_zstd) in laid(n) {
            let (bytes, packed) = packed(&values, for_zstd);
            if n == 16384 {
                println!("{sort}: kind {}, {} bytes", bytes[0], bytes.len());
            }
            assert!(bytes.len() <= n * 8 + 24, "{sort} {n}: {}", bytes.len());
            for (from, to) in [(0, n), (n / 3, n / 2), (n / 2, n), (n.min(7), n.min(19)), (n, n)] {
                let mut longs: Vec<i64> = vec![9];
                packed.read(from..to, &mut longs).unwrap();
                assert_eq!(longs[1..], values[from..to], "{sort} {n} {from}..{to}");
                let mut ints: Vec<i32> = vec![];
                packed.read(from..to, &mut ints).unwrap();
                assert!(ints.iter().zip(&values[from..to]).all(|(i, v)| *i == *v as i32));
            }
            for i in (0..n).step_by(n / 50 + 1) {
                let mut one: Vec<i64> = vec![];
                packed.read(i..i + 1, &mut one).unwrap();
                assert_eq!(one, values[i..i + 1], "{sort} {n} {i}");
            }
            assert!(packed.read(0..n + 1, &mut Vec::<i64>::new()).is_err());
        }
    }
}

#[test]
fn each_sort_takes_its_kind() {
    let kind = |sort: &str| {
        let all = sorts(16384);
        let (_, values) = all.iter().find(|(name, _)| *name == sort).unwrap();
        packed(values, false).0[0]
    };
    for (sort, expected) in [
        ("constant", integer::CONSTANT),
        ("small", integer::FRAME),
        ("random", integer::FRAME),
        ("sorted", integer::DELTAS),
        ("steps", integer::DELTAS),
        ("restarts", integer::DELTAS),
        ("groups", integer::LAG),
        ("outliers", integer::FRAMES),
        ("levels", integer::FRAMES),
        ("runs", integer::RUNS),
        ("frequent", integer::FREQUENT),
        ("sparse codes", integer::DICTIONARY),
        ("multiples", integer::MULTIPLES),
    ] {
        assert_eq!(kind(sort), expected, "{sort}");
    }
}

#[test]
fn each_sort_takes_its_kind_for_zstd() {
    for (sort, expected) in [
        ("constant", integer::CONSTANT),
        ("random", integer::FRAME),
        ("skewed codes", integer::BYTES),
        ("skewed", integer::PARTS),
        ("wandering", integer::STEPS),
        ("frequent", integer::FREQUENT),
        ("multiples", integer::MULTIPLES),
    ] {
        let all = sorts(16384);
        let (_, values) = all.iter().find(|(name, _)| *name == sort).unwrap();
        assert_eq!(packed(values, true).0[0], expected, "{sort}");
    }
}

#[test]
fn what_is_put_at_a_depth_is_taken_at_it() {
    for depth in 1..=DEPTH {
        for (sort, values, for_zstd) in laid(16384) {
            let mut bytes = Payload::new(Vec::new(), for_zstd);
            integer::put(&values, depth, &mut bytes);
            let bytes = bytes.into_bytes();
            let mut input = Input::new(bytes.into(), usize::MAX);
            let taken = Numbers::take_within(&mut input, values.len(), depth);
            let mut out: Vec<i64> = Vec::new();
            taken.and_then(|numbers| numbers.read(0..values.len(), &mut out)).unwrap();
            assert_eq!(out, values, "{sort} at {depth}");
            let floats: Vec<f64> = values.iter().map(|v| *v as f64 / 100.0).collect();
            let floats = floats.get(..9000).unwrap();
            let mut bytes = Payload::new(Vec::new(), for_zstd);
            float::put(floats, &FloatHints::default(), depth, &mut bytes);
            let bytes = bytes.into_bytes();
            let taken =
                Floats::<f64>::take(&mut Input::new(bytes.into(), usize::MAX), floats.len(), depth);
            let mut out: Vec<f64> = Vec::new();
            taken.and_then(|taken| taken.read(0..floats.len(), &mut out)).unwrap();
            assert_eq!(out, floats, "floats of {sort} at {depth}");
        }
    }
}

#[test]
fn floats_that_are_all_alike_come_back() {
    let odd = f64::from_bits(0x7ff8_0000_0000_1234);
    for n in [1, 2, 3, 2000] {
        let mut bytes = Payload::default();
        float::put(&vec![odd; n], &FloatHints::default(), DEPTH, &mut bytes);
        let bytes = bytes.into_bytes();
        let taken =
            Floats::<f64>::take(&mut Input::new(bytes.into(), usize::MAX), n, DEPTH).unwrap();
        let mut out: Vec<f64> = Vec::new();
        taken.read(0..n, &mut out).unwrap();
        assert!(out.len() == n && out.iter().all(|v| v.to_bits() == odd.to_bits()));
    }
}

#[test]
fn cut_and_changed_bytes_give_errors_or_numbers() {
    let mut r = random(5);
    for (_, values, for_zstd) in laid(2100) {
        let (bytes, _) = packed(&values, for_zstd);
        for cut in 0..bytes.len().min(300) {
            let mut input = Input::new(bytes[..cut].to_vec().into(), usize::MAX);
            assert!(Numbers::take(&mut input, values.len()).is_err());
        }
        for _ in 0..300 {
            let mut changed = bytes.clone();
            let at = (r() % bytes.len().min(200) as u64) as usize;
            changed[at] = r() as u8;
            let mut input = Input::new(changed.into(), usize::MAX);
            if let Ok(numbers) = Numbers::take(&mut input, values.len()) {
                let _ = numbers.read(0..values.len(), &mut Vec::<i64>::new());
            }
        }
    }
}

/// 2^20 runs of 2^44 + 2^26 numbers: their sum is 2^46 only modulo 2^64.
#[test]
fn runs_whose_sum_wraps_are_refused() {
    let mut bytes = vec![integer::RUNS];
    crate::wire::put_long(&mut bytes, 1 << 20);
    bytes.extend([integer::CONSTANT, 14, integer::CONSTANT]);
    crate::wire::put_long(&mut bytes, (1 << 44) + (1 << 26) - 1);
    let error = Numbers::take(&mut Input::new(bytes.into(), usize::MAX), 1 << 46).unwrap_err();
    assert!(error.to_string().contains("runs of"), "{error}");
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_numbers_come_back(
        values in prop::collection::vec(prop_oneof![any::<i64>(), -9i64..9, Just(i64::MIN)], 0..2500),
        at in 0usize..2500,
        for_zstd: bool,
    ) {
        let (_, packed) = packed(&values, for_zstd);
        let at = at.min(values.len());
        let mut out: Vec<i64> = Vec::new();
        packed.read(at..values.len(), &mut out).unwrap();
        prop_assert_eq!(&out, &values[at..]);
    }

    #[test]
    fn any_bytes_give_numbers_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400), n in 0usize..3000) {
        let mut input = Input::new(bytes.into(), usize::MAX);
        if let Ok(numbers) = Numbers::take(&mut input, n) {
            let mut out: Vec<i64> = Vec::new();
            if numbers.read(0..n, &mut out).is_ok() {
                prop_assert_eq!(out.len(), n);
            }
            for i in 0..n.min(9) {
                let _ = numbers.read(i..i + 1, &mut out);
            }
        }
    }
}
