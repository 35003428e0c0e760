//! Compared with `snap`: the same bytes, and an error for the same streams.

use proptest::collection::vec;
use proptest::prelude::*;
use snap::raw::{Decoder, Encoder};

use super::{cases, levels};
use crate::kernel::snappy::*;
use crate::kernel::*;

/// Returns what `snap` makes of the elements, if it takes them; each kernel must do the same.
fn same_as_snap(elements: &[u8], raw_len: usize) -> Option<Vec<u8>> {
    let (mut stored, mut rest) = (Vec::new(), raw_len);
    while rest >= 0x80 {
        stored.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    stored.push(rest as u8);
    stored.extend(elements);
    let expected = Decoder::new().decompress_vec(&stored).ok();
    for level in levels() {
        // Memory directly after the bytes, and after the capacity, is not ours.
        let elements = elements.to_vec();
        for mut out in [Vec::new(), vec![9; 5], vec![9; raw_len + 99]] {
            let taken = decompress_snappy(level, &elements, raw_len, &mut out);
            if level == Level::Portable {
                assert!(!taken);
            } else {
                assert_eq!(taken.then_some(&out), expected.as_ref(), "{level:?} {elements:x?}");
            }
        }
    }
    expected
}

/// Returns the elements that `snap` makes of some bytes.
fn compressed(raw: &[u8]) -> Vec<u8> {
    let stored = Encoder::new().compress_vec(raw).unwrap();
    let behind = stored.iter().position(|byte| *byte < 0x80).unwrap() + 1;
    stored[behind..].to_vec()
}

/// Columns of all kinds, a few thousand bytes each.
fn columns() -> Vec<Vec<u8>> {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let words = ["the ", "quick", "ly ", "foxes ", "pending accounts ", "a", ". "];
    let mut columns = vec![
        (0..500).flat_map(|i| (1_600_000_000 + i * 7).to_string().into_bytes()).collect(),
        (0..500).flat_map(|_| (random(500) as f64 / 4.0).to_le_bytes()).collect(),
        (0..500).flat_map(|_| (random(90) as f64 * 0.1).to_le_bytes()).collect(),
        (0..900).flat_map(|_| words[random(7) as usize].bytes()).collect(),
        (0..4000).map(|_| random(256) as u8).collect(),
        (0..4000).map(|_| random(3) as u8).collect(),
        (0..2000).flat_map(|_| (random(50) as u16).to_le_bytes()).collect(),
        (0..40_000u32).flat_map(u32::to_le_bytes).collect(),
    ];
    for period in 1..=20 {
        let noise: Vec<u8> = (0..period).map(|_| random(256) as u8).collect();
        let broken =
            |i: usize| if i.is_multiple_of(97) { i as u8 } else { noise[i % period as usize] };
        columns.push((0..3000).map(broken).collect());
    }
    columns
}

#[test]
fn columns_come_back() {
    for raw in columns() {
        assert_eq!(same_as_snap(&compressed(&raw), raw.len()), Some(raw));
    }
}

#[test]
fn every_start_of_a_column_comes_back() {
    for raw in columns() {
        for len in 0..300 {
            let raw = &raw[..len];
            assert_eq!(same_as_snap(&compressed(raw), len).unwrap(), raw);
        }
    }
}

#[test]
fn what_is_cut_off_or_of_another_length_is_refused() {
    for raw in columns() {
        let elements = compressed(&raw[..900]);
        for len in 0..elements.len() {
            assert_eq!(same_as_snap(&elements[..len], 900), None);
        }
        for len in (0..900).step_by(7).chain(885..900).chain(901..1100) {
            assert_eq!(same_as_snap(&elements, len), None);
        }
        for more in 0..80 {
            let longer = [&elements[..], &vec![more; usize::from(more) + 1]].concat();
            assert_eq!(same_as_snap(&longer, 900), None);
        }
    }
}

#[test]
fn changed_bytes_are_judged_alike() {
    let mut taken = 0;
    for (i, raw) in columns().into_iter().enumerate() {
        let elements = compressed(&raw[..700]);
        for at in 0..elements.len() {
            for change in [1 << (at % 8), 0xff, (at * 31 + i) as u8, elements[at]] {
                let mut changed = elements.clone();
                changed[at] ^= change;
                taken += usize::from(same_as_snap(&changed, 700).is_some());
            }
        }
    }
    assert!(taken > 1000, "{taken}");
}

/// An element that a stream may have.
#[derive(Debug, Clone)]
enum Element {
    /// A literal of `len` bytes, with its length in `in_bytes` bytes after the tag.
    Literal { len: usize, in_bytes: u32 },
    /// Of a kind of 1, 2 or 3, from so far back.
    Copy { kind: u8, len: u8, offset: u32 },
}

impl Element {
    fn put(&self, elements: &mut Vec<u8>) {
        match *self {
            Self::Literal { len, in_bytes: 0 } => {
                elements.push((len as u8 - 1) << 2);
                elements.extend((0..len).map(|i| (i * 7) as u8));
            }
            Self::Literal { len, in_bytes } => {
                elements.push((59 + in_bytes as u8) << 2);
                elements.extend(&(len as u32 - 1).to_le_bytes()[..in_bytes as usize]);
                elements.extend((0..len).map(|i| (i * 5) as u8));
            }
            Self::Copy { kind: 1, len, offset } => {
                elements.push((offset >> 8 << 5) as u8 | (len & 7) << 2 | 1);
                elements.push(offset as u8);
            }
            Self::Copy { kind, len, offset } => {
                elements.push(len << 2 | kind);
                elements.extend(&offset.to_le_bytes()[..if kind == 2 { 2 } else { 4 }]);
            }
        }
    }

    /// Returns how many bytes it makes.
    fn len(&self) -> usize {
        match *self {
            Self::Literal { len, .. } => len,
            Self::Copy { kind: 1, len, .. } => usize::from(len & 7) + 4,
            Self::Copy { len, .. } => usize::from(len & 63) + 1,
        }
    }
}

fn literal() -> impl Strategy<Value = Element> {
    let short = (1..=60usize).prop_map(|len| Element::Literal { len, in_bytes: 0 });
    let long = (1..=300usize, 1..=4u32).prop_map(|(len, in_bytes)| {
        let len = if in_bytes == 1 { len.min(256) } else { len };
        Element::Literal { len, in_bytes }
    });
    prop_oneof![4 => short, 1 => long]
}

/// Copies whose offsets are mostly near, and often where there is something.
fn copy() -> impl Strategy<Value = Element> {
    let offset =
        prop_oneof![60 => 1..=20u32, 30 => 1..=200u32, 9 => 1..=2000u32, 1 => any::<u32>()];
    let kind = prop_oneof![10 => Just(1u8), 10 => Just(2), 1 => Just(3)];
    (kind, 0..64u8, offset).prop_map(|(kind, len, offset)| Element::Copy { kind, len, offset })
}

/// Elements, and how much they make.
fn stream() -> impl Strategy<Value = (Vec<u8>, usize)> {
    let element = prop_oneof![literal(), copy(), copy()];
    (prop::option::of(literal()), vec(element, 0..200)).prop_map(|(first, others)| {
        let (mut elements, mut made) = (Vec::new(), 0);
        for mut element in first.into_iter().chain(others) {
            // Distances that are too large are mostly reduced to valid ones.
            if let Element::Copy { offset, .. } = &mut element
                && *offset <= 2000
                && made > 0
            {
                *offset = (*offset - 1) % made.min(2047) as u32 + 1;
            }
            element.put(&mut elements);
            made += element.len();
        }
        (elements, made)
    })
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_elements_are_judged_alike((elements, made) in stream(), other in 0..40usize) {
        same_as_snap(&elements, made);
        same_as_snap(&elements, made + other);
        same_as_snap(&elements, made.saturating_sub(other));
    }

    #[test]
    fn noise_is_judged_alike(elements in vec(any::<u8>(), 0..400), raw_len in 0..9000usize) {
        same_as_snap(&elements, raw_len);
    }

    #[test]
    fn noise_behind_a_literal_is_judged_alike(
        noise in vec(prop_oneof![0..=255u8, 0..4u8, Just(1), Just(4)], 0..300),
        raw_len in 60..3000usize,
    ) {
        let mut elements = Vec::new();
        Element::Literal { len: 60, in_bytes: 0 }.put(&mut elements);
        elements.extend(noise);
        same_as_snap(&elements, raw_len);
    }

    #[test]
    fn any_runs_come_back(
        parts in vec((vec(any::<u8>(), 1..=20), 1..200usize), 0..40),
    ) {
        let raw: Vec<u8> = parts.iter().flat_map(|(part, n)| part.repeat(*n)).collect();
        prop_assert_eq!(same_as_snap(&compressed(&raw), raw.len()), Some(raw));
    }
}

#[test]
fn hand_made_elements_are_often_sound() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut sound, mut not) = (0, 0);
    for _ in 0..300 {
        let (elements, made) = stream().new_tree(&mut runner).unwrap().current();
        match same_as_snap(&elements, made) {
            Some(_) => sound += 1,
            None => not += 1,
        }
    }
    assert!(sound > 50 && not > 50, "{sound} {not}");
}
