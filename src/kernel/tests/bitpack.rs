//! Packed chunks, at each level.

use proptest::prelude::*;

use super::{cases, levels};
use crate::kernel::{self, CHUNK, FloatBits, LANES, Level, Multipliers, Ordered};

fn chunk(seed: u64, width: u32, base: i64) -> [i64; CHUNK] {
    let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
    let mut state = seed | 1;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        base.wrapping_add(((state ^ state >> 29) & mask) as i64)
    })
}

#[test]
fn every_width_comes_back_at_every_level() {
    for width in 0..=64 {
        let base = (width as i64 - 30) * 12_345_678_901;
        let values = chunk(u64::from(width) * 977 + 5, width, base);
        let mut first = Vec::new();
        kernel::bitpack::pack(Level::Portable, &values, width, base, &mut first);
        assert_eq!(first.len(), width as usize * 128);
        for level in levels() {
            let mut bytes = vec![7];
            kernel::bitpack::pack(level, &values, width, base, &mut bytes);
            assert_eq!(bytes[1..], first, "{width} {level:?}");
            let mut longs = vec![3i64];
            kernel::bitpack::unpack(level, &first, width, base as u64, &mut longs);
            assert_eq!(longs[1..], values, "{width} {level:?}");
            let mut ints = vec![3i32];
            kernel::bitpack::unpack(level, &first, width, base as u64, &mut ints);
            assert!(ints[1..].iter().zip(&values).all(|(i, v)| *i == *v as i32));
            let mut wide = vec![3i128];
            kernel::bitpack::unpack(level, &first, width, base as u64, &mut wide);
            assert!(wide[1..].iter().zip(&values).all(|(w, v)| *w == i128::from(*v)));
        }
        for i in (0..CHUNK).step_by(7).chain([1023]) {
            let one = kernel::bitpack::unpack_one(&first, width, i);
            assert_eq!(base.wrapping_add(one as i64), values[i], "{width} {i}");
        }
        for group in 0..CHUNK / LANES {
            let some = kernel::bitpack::unpack_group(&first, width, group);
            let one = |i| kernel::bitpack::unpack_one(&first, width, group * LANES + i);
            let ones = (0..LANES).map(one).collect::<Vec<u64>>();
            let some = some.map(|some| some.map(u64::from).to_vec());
            assert_eq!(some, (width <= 16).then_some(ones), "{width} {group}");
            let short = &first[..first.len().min(group * usize::from(width > 0))];
            assert!(width == 0 || kernel::bitpack::unpack_group(short, width, 15).is_none());
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn numbers_are_scaled_and_widened_alike_at_every_level(
        numbers in prop::collection::vec(any::<i64>(), 0..70), factor: i64, shift: i64,
    ) {
        let expected: Vec<i64> =
            numbers.iter().map(|n| n.wrapping_mul(factor).wrapping_add(shift)).collect();
        for level in levels() {
            let mut longs = numbers.clone();
            kernel::bitpack::scale(level, &mut longs, factor, shift);
            prop_assert_eq!(&longs, &expected);
            let mut ints: Vec<i32> = numbers.iter().map(|n| *n as i32).collect();
            kernel::bitpack::scale(level, &mut ints, factor as i32, shift as i32);
            prop_assert!(ints.iter().zip(&expected).all(|(i, e)| *i == *e as i32));
            let mut wide = Vec::new();
            kernel::bitpack::widen(level, &numbers, &mut wide);
            prop_assert!(wide.iter().zip(&numbers).all(|(w, n)| *w == i128::from(*n)));
            kernel::bitpack::scale(level, &mut wide, factor.into(), shift.into());
            prop_assert!(wide.iter().zip(&expected).all(|(w, e)| *w == i128::from(*e)));
            kernel::bitpack::widen(level, &ints, &mut wide);
            let ints = ints.iter().map(|int| i128::from(*int));
            prop_assert!(wide[numbers.len()..].iter().copied().eq(ints));
        }
    }

    #[test]
    fn sums_are_those_of_all_before(numbers in prop::collection::vec(any::<i64>(), 0..70), before: i64) {
        let sum = |sum: &mut i64, n: &i64| { *sum = sum.wrapping_add(*n); Some(*sum) };
        let expected: Vec<i64> = numbers.iter().scan(before, sum).collect();
        for level in levels() {
            let mut longs = numbers.clone();
            kernel::bitpack::prefix_sum(level, &mut longs, before);
            prop_assert_eq!(&longs, &expected);
            let mut ints: Vec<i32> = numbers.iter().map(|n| *n as i32).collect();
            kernel::bitpack::prefix_sum(level, &mut ints, before as i32);
            prop_assert!(ints.iter().zip(&expected).all(|(i, e)| *i == *e as i32));
            let mut shorts: Vec<u16> = numbers.iter().map(|n| *n as u16).collect();
            kernel::bitpack::prefix_sum(level, &mut shorts, before as u16);
            prop_assert!(shorts.iter().zip(&expected).all(|(i, e)| *i == *e as u16));
            let mut wide: Vec<i128> = numbers.iter().map(|n| i128::from(*n)).collect();
            kernel::bitpack::prefix_sum(level, &mut wide, i128::from(before));
            prop_assert!(wide.iter().zip(&expected).all(|(i, e)| *i == i128::from(*e)));
        }
    }

    #[test]
    fn digits_are_the_same_at_every_level(
        cents in prop::collection::vec((-1_000_000i32..1_000_000, 0u8..20), 0..kernel::DIGITS),
        bits: u64,
        down in prop::sample::select(vec![1.0, 0.01, 1e-9]),
    ) {
        let value = |(cents, odd): &(i32, u8)| match odd {
            0 => f64::from_bits(bits ^ *cents as u64),
            _ => f64::from(*cents) / 100.0,
        };
        let doubles: Vec<f64> = cents.iter().map(value).collect();
        let singles: Vec<f32> = doubles.iter().map(|v| *v as f32).collect();
        let by = Multipliers { ten: 1.0 / down, up: 1.0, down };
        for level in levels() {
            same_digits(level, &doubles, by);
            same_digits(level, &singles, by);
        }
    }
}

fn same_digits<R: FloatBits>(level: Level, values: &[R], by: Multipliers) {
    let (mut digits, mut marks) = (vec![R::Digit::default()], [R::Bits::default(); kernel::DIGITS]);
    let (mut expected, mut wrong) = (digits.clone(), marks);
    let any =
        kernel::decimal::floats_to_digits(Level::Portable, values, by, &mut expected, &mut wrong);
    assert_eq!(kernel::decimal::floats_to_digits(level, values, by, &mut digits, &mut marks), any);
    assert_eq!((&digits, &marks), (&expected, &wrong));
    let (mut made, mut twin) = (vec![], vec![]);
    kernel::decimal::digits_to_floats::<R>(level, &digits, by, &mut made);
    kernel::decimal::digits_to_floats::<R>(Level::Portable, &digits, by, &mut twin);
    let bits = |values: &[R]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&made), bits(&twin));
    let range = kernel::decimal::digit_range(Level::Portable, values, by);
    assert_eq!(kernel::decimal::digit_range(level, values, by), range);
    assert_eq!(
        range.exceptions as usize,
        wrong.iter().filter(|w| **w != R::Bits::default()).count()
    );
}

/// Number `i` is in lane `i mod L`, at bit `i / L * width` of it, where `L` words form a row.
#[test]
fn numbers_lie_where_the_specification_says() {
    for (width, lanes, bits) in [(3u32, 64, 16), (16, 64, 16), (17, 32, 32), (33, 16, 64)] {
        let values = chunk(9, width, 0);
        let mut bytes = Vec::new();
        kernel::bitpack::pack(Level::Portable, &values, width, 0, &mut bytes);
        for (i, value) in values.iter().enumerate() {
            let mut found = 0u64;
            for b in 0..width as usize {
                let at = i / lanes * width as usize + b;
                let word = at / bits * 128 + i % lanes * (bits / 8);
                let bit = bytes[word + at % bits / 8] >> (at % 8) & 1;
                found |= u64::from(bit) << b;
            }
            assert_eq!(found as i64, *value, "{width} {i}");
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_bytes_give_the_same_numbers_at_every_level(
        bytes in prop::collection::vec(any::<u8>(), 0..9000), width in 0u32..80, base: u64,
    ) {
        let mut expected: Vec<i64> = Vec::new();
        kernel::bitpack::unpack(Level::Portable, &bytes, width, base, &mut expected);
        prop_assert_eq!(expected.len(), CHUNK);
        for level in levels() {
            let mut out: Vec<i64> = Vec::new();
            kernel::bitpack::unpack(level, &bytes, width, base, &mut out);
            prop_assert_eq!(&out, &expected);
        }
        kernel::bitpack::unpack_one(&bytes, width, base as usize);
        if width <= 64 && bytes.len() >= width as usize * 128 {
            let i = base as usize % CHUNK;
            prop_assert_eq!(expected[i], base.wrapping_add(kernel::bitpack::unpack_one(&bytes, width, i)) as i64);
        }
    }

    #[test]
    fn what_is_known_of_a_chunk_is_the_same_at_every_level(
        values in prop::collection::vec(prop_oneof![any::<i64>(), 0i64..9, Just(i64::MIN)], 0..1100),
        width in 0u32..65,
        validity in prop::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(0xff)], 0..140),
    ) {
        let stats = kernel::bitpack::chunk_stats(Level::Portable, &values);
        let base = stats.min;
        prop_assert_eq!(stats.min, values.iter().copied().min().unwrap_or(0));
        prop_assert_eq!(stats.max, values.iter().copied().max().unwrap_or(0));
        prop_assert_eq!(stats.changes, values.windows(2).filter(|w| w[0] != w[1]).count());
        let above = kernel::bitpack::count_above(Level::Portable, &values, base, width);
        let size = kernel::varint::varint_size(Level::Portable, &values);
        let mut bytes = Vec::new();
        kernel::varint::encode_longs(Level::Portable, &values, &mut bytes);
        prop_assert_eq!(size, bytes.len() as u64);
        for level in levels() {
            prop_assert_eq!(kernel::bitpack::chunk_stats(level, &values), stats);
            let bounds = values.iter().copied().min().zip(values.iter().copied().max());
            prop_assert_eq!(kernel::bitpack::min_max(level, &values), bounds);
            let doubles: Vec<f64> = values.iter().map(|v| f64::from_bits(*v as u64)).collect();
            let least = doubles.iter().copied().min_by(f64::total_cmp).map(Ordered::rank);
            let greatest = doubles.iter().copied().max_by(f64::total_cmp).map(Ordered::rank);
            prop_assert_eq!(kernel::bitpack::min_max(level, &doubles), least.zip(greatest));
            let bit = |i: usize| validity.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
            let valid: Vec<i64> = (0..values.len()).filter(|i| bit(*i)).map(|i| values[i]).collect();
            let bounds = valid.iter().copied().min().zip(valid.iter().copied().max());
            prop_assert_eq!(kernel::bitpack::min_max_valid(level, &values, &validity), bounds);
            let valid = valid.iter().map(|v| f64::from_bits(*v as u64));
            let least = valid.clone().min_by(f64::total_cmp).map(Ordered::rank);
            let greatest = valid.max_by(f64::total_cmp).map(Ordered::rank);
            prop_assert_eq!(kernel::bitpack::min_max_valid(level, &doubles, &validity), least.zip(greatest));
            prop_assert_eq!(kernel::bitpack::count_above(level, &values, base, width), above);
            prop_assert_eq!(kernel::varint::varint_size(level, &values), size);
        }
    }
}
