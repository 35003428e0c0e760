//! Byte pairs round-trip, and other bytes give errors.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::pack::string::distinct::StringsRef;

fn offsets(strings: &[Vec<u8>]) -> (Vec<i32>, Vec<u8>) {
    let mut offsets = vec![0];
    for string in strings {
        offsets.push(offsets.last().unwrap() + i32::try_from(string.len()).unwrap());
    }
    (offsets, strings.concat())
}

fn round_trip(strings: &[Vec<u8>]) -> (usize, usize) {
    let (offsets, data) = offsets(strings);
    let strings = StringsRef { offsets: &offsets, data: &data };
    let (table, compressor) = BytePairs::train(strings);
    let (mut bytes, mut codes) = (Vec::new(), Vec::new());
    table.put(&mut bytes);
    let mut input = Input::new(Bytes::from(bytes.clone()), usize::MAX);
    assert_eq!(BytePairs::take(&mut input).unwrap(), table);
    input.finish().unwrap();
    compressor.compress(strings, &mut codes);
    let expander = BytePairExpander::new(&table);
    let mut out = b"before".to_vec();
    let group = std::iter::once((&codes[..], data.len()));
    assert!(expander.expand_groups(group, codes.len(), data.len(), &mut out));
    assert_eq!(&out[6..], data);
    for len in [0, data.len().min(1), data.len() / 2, data.len()] {
        let mut out = Vec::new();
        assert!(expander.expand_start(&codes, len, &mut out));
        assert_eq!(&out[..len], &data[..len]);
    }
    assert!(!expander.expand_start(&codes, data.len() + 1, &mut Vec::new()));
    (bytes.len(), codes.len())
}

#[test]
fn words_take_a_fraction_of_their_bytes() {
    let words = ["conspiracy", "to distribute", "and possess", "with intent", "marijuana"];
    let strings = (0..5000usize).map(|i| {
        let word = |n: usize| words[i / n % 5];
        format!("{} {} {} {}", word(1), word(3), word(7), i % 100).into_bytes()
    });
    let strings: Vec<_> = strings.collect();
    let plain: usize = strings.iter().map(Vec::len).sum();
    let (table, codes) = round_trip(&strings);
    assert!((table + codes) * 4 < plain, "{table} and {codes} of {plain}");
    round_trip(&[]);
    round_trip(&[Vec::new(), Vec::new()]);
    assert_eq!(round_trip(&[b"ab".to_vec()]), (1, 2));
}

#[test]
fn malformed_tables_are_errors() {
    let take = |bytes: &[u8]| BytePairs::take(&mut Input::new(bytes.to_vec().into(), usize::MAX));
    let put = |pairs: &[[u16; 2]]| {
        let mut out = Vec::new();
        BytePairs { pairs: pairs.to_vec() }.put(&mut out);
        out
    };
    assert!(take(&put(&[[97, 98], [256, 99]])).is_ok());
    // A pair of itself, a later one, and one that is too long.
    assert!(take(&put(&[[256, 98]])).is_err());
    assert!(take(&put(&[[97, 257], [97, 98]])).is_err());
    let doubled: Vec<_> = (0..5).map(|i| if i == 0 { [97, 98] } else { [255 + i; 2] }).collect();
    assert!(take(&put(&doubled[..4])).is_ok());
    assert!(take(&put(&doubled)).is_err());
    assert!(take(&[]).is_err());
    assert!(take(&[0x82, 0x80]).is_err());
    assert!(take(&[0x01]).is_err());
    let mut many = Vec::new();
    wire::put_long(&mut many, 3841);
    many.resize(20_000, 0);
    assert!(take(&many).is_err());
}

proptest! {
    #[test]
    fn any_strings_round_trip(strings in prop::collection::vec(
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            prop::collection::vec(prop::sample::select(vec![b'a', b'b', 0, 255]), 0..90),
        ], 0..80,
    )) {
        round_trip(&strings);
    }

    #[test]
    fn any_codes_give_text_or_nothing(
        pairs in prop::collection::vec([0u16..300, 0u16..300], 0..60),
        codes in prop::collection::vec(any::<u8>(), 0..80), len in 0usize..400,
    ) {
        let mut bytes = Vec::new();
        BytePairs { pairs }.put(&mut bytes);
        if let Ok(table) = BytePairs::take(&mut Input::new(bytes.into(), usize::MAX)) {
            let expander = BytePairExpander::new(&table);
            let mut out = Vec::new();
            if expander.expand_groups(std::iter::once((&codes[..], len)), codes.len(), len, &mut out) {
                prop_assert_eq!(out.len(), len);
            }
            out.clear();
            if expander.expand_start(&codes, len, &mut out) {
                prop_assert!(out.len() >= len && out.len() < len + 64);
            }
        }
    }
}
