//! Values by their codes, and runs, at each level.

use proptest::prelude::*;

use super::{cases, levels};
use crate::kernel::{self, Level, SLOT, StringSlots, StringTuples, SymbolTable};

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn codes_give_values_or_nothing(
        codes in prop::collection::vec(0u32..40, 0..200), count in 0usize..50, within: bool,
    ) {
        let most = if within { count.max(1) as u32 } else { u32::MAX };
        let codes: Vec<u32> = codes.iter().map(|code| code % most).collect();
        let table: Vec<u128> = (0..count as u128).map(|i| i << 90 | i).collect();
        for level in levels() {
            let mut out = vec![7];
            let fine = codes.iter().all(|code| (*code as usize) < count);
            prop_assert_eq!(kernel::gather::gather(level, &codes, &table, &mut out), fine);
            let expected: Vec<u128> = match fine {
                true => codes.iter().map(|code| table[*code as usize]).collect(),
                false => vec![],
            };
            prop_assert_eq!(&out[1..], &expected[..]);
            let longs: Vec<i64> = table.iter().map(|v| (*v >> 64) as i64).collect();
            let floats: Vec<f32> = (0..count).map(|i| i as f32 / 3.0).collect();
            let (mut of_longs, mut of_floats) = (vec![7], vec![7.0]);
            prop_assert_eq!(kernel::gather::gather(level, &codes, &longs, &mut of_longs), fine);
            prop_assert_eq!(kernel::gather::gather(level, &codes, &floats, &mut of_floats), fine);
            let of: &[u32] = if fine { &codes } else { &[] };
            prop_assert!(of_longs[1..].iter().eq(of.iter().map(|code| &longs[*code as usize])));
            prop_assert!(of_floats[1..].iter().eq(of.iter().map(|code| &floats[*code as usize])));
        }
    }

    #[test]
    fn codes_give_strings(
        codes in prop::collection::vec(0u32..30, 0..200), lengths in prop::collection::vec(0u32..33, 30),
        most in prop::sample::select(vec![1u32, 8, 9, 16, 32]), before in 0usize..20,
    ) {
        let lengths: Vec<u32> = lengths.iter().map(|length| *length % (most + 1)).collect();
        let bytes = (0..30u8).map(|i| std::array::from_fn(|at| {
            if at < lengths[i as usize] as usize { i * 7 + at as u8 } else { 0 }
        }));
        let bytes: Vec<[u8; SLOT]> = bytes.collect();
        let slots = StringSlots { bytes, lengths };
        let start = || (vec![before as i32], vec![1u8; before]);
        let (mut offsets, mut data) = start();
        prop_assert!(kernel::gather::gather_strings(Level::Portable, &codes, &slots, &mut offsets, &mut data));
        for level in levels() {
            let (mut o, mut d) = start();
            prop_assert!(kernel::gather::gather_strings(level, &codes, &slots, &mut o, &mut d));
            prop_assert_eq!((&o, &d), (&offsets, &data));
            prop_assert!(!kernel::gather::gather_strings(level, &[0, 30], &slots, &mut o, &mut d));
            prop_assert_eq!((&o, &d), (&offsets, &data));
        }
    }

    #[test]
    fn tuples_of_codes_give_the_same_strings(
        codes in prop::collection::vec(0u32..16, 0..200), lengths in prop::collection::vec(0u32..33, 1..19),
        most in prop::sample::select(vec![1u32, 4, 8, 16, 32]), before in 0usize..20,
    ) {
        let lengths: Vec<u32> = lengths.iter().map(|length| *length % (most + 1)).collect();
        let count = lengths.len();
        let codes: Vec<u32> = codes.iter().map(|code| code % count as u32).collect();
        let bytes = (0..count).map(|i| std::array::from_fn(|at| {
            if at < lengths[i] as usize { (i * 7 + at) as u8 } else { 0 }
        }));
        let slots = StringSlots { bytes: bytes.collect(), lengths };
        let tuples = StringTuples::of(&slots);
        prop_assert_eq!(tuples.is_some(), count <= 16);
        let Some(tuples) = tuples else { return Ok(()) };
        let start = || (vec![before as i32], vec![1u8; before]);
        let (mut offsets, mut data) = start();
        prop_assert!(kernel::gather::gather_strings(Level::Portable, &codes, &slots, &mut offsets, &mut data));
        for level in levels() {
            let (mut o, mut d) = start();
            prop_assert!(kernel::gather::gather_string_tuples(level, &codes, &tuples, &mut o, &mut d));
            prop_assert_eq!((&o, &d), (&offsets, &data));
            prop_assert!(!kernel::gather::gather_string_tuples(level, &[0, count as u32], &tuples, &mut o, &mut d));
            prop_assert_eq!((&o, &d), (&offsets, &data));
        }
    }

    #[test]
    fn codes_give_strings_of_one_byte(
        codes in prop::collection::vec(0u32..70, 0..200), count in 1u8..70, within: bool,
    ) {
        let most = if within { u32::from(count) } else { 70 };
        let codes: Vec<u32> = codes.iter().map(|code| code % most).collect();
        let bytes = (0..count).map(|i| [i ^ 0x55; SLOT]).collect();
        let slots = StringSlots { bytes, lengths: vec![1; usize::from(count)] };
        for level in levels() {
            let (mut offsets, mut data) = (vec![2], vec![1u8; 2]);
            let fine = kernel::gather::gather_strings(level, &codes, &slots, &mut offsets, &mut data);
            prop_assert_eq!(fine, codes.iter().all(|code| *code < u32::from(count)));
            let codes = if fine { &codes[..] } else { &[] };
            prop_assert!(data[2..].iter().eq(&codes.iter().map(|code| *code as u8 ^ 0x55).collect::<Vec<_>>()));
            prop_assert!(offsets.iter().copied().eq(2..=2 + codes.len() as i32));
        }
    }

    #[test]
    fn runs_give_values(lengths in prop::collection::vec(0usize..40, 0..60), start in 0usize..9, spoil: bool) {
        let mut at = start;
        let mut ends: Vec<usize> = lengths.iter().map(|length| { at += length; at }).collect();
        if spoil && ends.len() > 2 {
            ends[1] = 0;
        }
        let values: Vec<i64> = (0..ends.len() as i64).map(|i| i * 1_000_000_007).collect();
        let mut expected: Vec<i64> = vec![5];
        kernel::gather::repeat(Level::Portable, &values, &ends, start, &mut expected);
        for level in levels() {
            let mut out: Vec<i64> = vec![5];
            kernel::gather::repeat(level, &values, &ends, start, &mut out);
            prop_assert_eq!(&out, &expected);
            let mut ints: Vec<i32> = vec![5];
            kernel::gather::repeat(level, &values, &ends, start, &mut ints);
            prop_assert!(ints.iter().zip(&expected).all(|(i, v)| *i == *v as i32));
        }
    }
}

#[test]
fn views_are_the_same_at_every_level() {
    let data: Vec<u8> = (0..200u8).map(|i| i.wrapping_mul(37)).collect();
    let offsets: Vec<i32> = [0, 0, 1, 5, 17, 29, 41, 42, 60, 99, 150, 188, 199, 200, 200].to_vec();
    for n in 0..=offsets.len() {
        for (level, expected) in levels().into_iter().map(|level| {
            let mut expected = vec![1];
            let pairs = offsets[..n].windows(2);
            expected.extend(pairs.map(|ends| {
                kernel::string::view(ends[0] as u32, (ends[1] - ends[0]) as u32, &data, 3)
            }));
            (level, expected)
        }) {
            let mut out = vec![1];
            kernel::string::offsets_to_views(level, &offsets[..n], &data, 3, &mut out);
            assert_eq!(out, expected);
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn views_of_any_lengths_are_the_same_at_every_level(
        lengths in prop::collection::vec(0i32..40, 0..60), odd in prop::option::of((0usize..60, any::<i32>())),
        behind in 0usize..20, buffer: u32,
    ) {
        let mut offsets: Vec<i32> = lengths.iter().scan(0, |end, length| { *end += length; Some(*end) }).collect();
        let data: Vec<u8> = (0..offsets.last().map_or(0, |end| *end as usize) + behind).map(|i| (i * 37) as u8).collect();
        // Descending or invalid offsets give unspecified views.
        if let Some((at, offset)) = odd && let Some(slot) = offsets.get_mut(at) {
            *slot = offset;
        }
        let view = |ends: &[i32]| kernel::string::view(ends[0] as u32, ends[1].wrapping_sub(ends[0]) as u32, &data, buffer);
        let expected: Vec<u128> = std::iter::once(1).chain(offsets.windows(2).map(view)).collect();
        for level in levels() {
            let mut out = vec![1];
            kernel::string::offsets_to_views(level, &offsets, &data, buffer, &mut out);
            prop_assert_eq!(&out, &expected);
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn codes_give_text(
        codes in prop::collection::vec(0u8..200, 0..700), lengths in prop::collection::vec(1u32..9, 256),
        unknown in prop::option::of(0usize..256), most in 0usize..4000,
    ) {
        let mut table = SymbolTable { words: Box::new([0; 256]), masks: Box::new([0; 256]) };
        for (i, length) in lengths.iter().enumerate() {
            table.words[i] = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - 8 * length);
            table.masks[i] = if unknown == Some(i) { 0 } else { u8::MAX >> (8 - length) };
        }
        let mut expected = vec![3];
        let taken = kernel::fsst::expand_symbols(Level::Portable, &codes, &table, most, &mut expected);
        prop_assert!(expected.len() <= most + 1 && taken.is_multiple_of(kernel::GROUP));
        for level in levels() {
            let mut out = vec![3];
            prop_assert_eq!(kernel::fsst::expand_symbols(level, &codes, &table, most, &mut out), taken);
            prop_assert_eq!(&out, &expected);
        }
    }
}
