//! Values at positions equal those of a complete read.

use proptest::prelude::*;

use super::{cases, packed, random, sorts};
use crate::pack::float;
use crate::pack::float::Floats;
use crate::pack::float::hints::FloatHints;
use crate::pack::float::width::FloatBits;
use crate::pack::integer::bitmap::{self, PackedBits};
use crate::pack::integer::{DEPTH, Numbers};
use crate::pack::options::Options;
use crate::pack::payload::Payload;
use crate::pack::payload_reader::Input;
use crate::pack::string;
use crate::pack::string::distinct::StringsRef;
use crate::pack::string::hints::StringHints;
use crate::pack::string::view_dictionary::ViewDictionary;
use crate::pack::string::views::Views;
use crate::pack::string::{PackedStrings, Target};

/// Ascending positions among `n`: one of every `step`, and for some the next as well.
fn places(n: usize, step: usize) -> Vec<u32> {
    let mut r = random((n + step) as u64);
    let mut at = 0;
    let mut places = Vec::new();
    while at < n {
        places.push(at as u32);
        at += 1 + (r() % (2 * step as u64)) as usize * usize::from(r() & 7 > 0);
    }
    places
}

fn at<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|place| values[*place as usize]).collect()
}

#[test]
fn numbers_of_every_sort() {
    for n in [0, 1, 47, 1024, 1025, 5000, 16384] {
        for (sort, values) in sorts(n) {
            for (step, for_zstd) in [(1, false), (7, true), (90, false), (90, true), (3000, true)] {
                let (_, packed) = packed(&values, for_zstd);
                let places = places(n, step);
                let mut longs: Vec<i64> = vec![9];
                packed.pick(&places, &mut longs).unwrap();
                assert_eq!(longs[1..], at(&values, &places), "{sort} {n} {step}");
                let mut ints: Vec<i32> = vec![];
                packed.pick(&places, &mut ints).unwrap();
                assert!(ints.iter().zip(&longs[1..]).all(|(i, v)| *i == *v as i32));
            }
            let (_, packed) = packed(&values, true);
            assert!(packed.pick(&[n as u32], &mut Vec::<i64>::new()).is_err(), "{sort} {n}");
        }
    }
}

fn check_floats<R: FloatBits + std::fmt::Debug>(values: &[R], kind: u8) {
    let mut bytes = Payload::default();
    let options = Options { fsst_threshold: 100, zstd: false };
    float::put(values, &FloatHints::of_options(options), DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    assert_eq!(bytes[0], kind);
    for step in [1, 90, 2000] {
        let mut input = Input::new(bytes.clone().into(), usize::MAX);
        let packed = Floats::<R>::take(&mut input, values.len(), DEPTH).unwrap();
        let places = places(values.len(), step);
        let mut out = Vec::new();
        packed.pick(&places, &mut out).unwrap();
        let bits = |values: Vec<R>| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert!(bits(out) == bits(at(values, &places)), "kind {kind}, one of {step}");
        assert!(packed.pick(&[values.len() as u32], &mut Vec::new()).is_err());
    }
}

#[test]
fn floats_of_every_kind() {
    let mut r = random(8);
    let mut some = |f: &dyn Fn(u64) -> f64| (0..9000).map(|_| f(r() >> 11)).collect::<Vec<f64>>();
    let noise = |r: u64| f64::from_bits(r.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    check_floats(&some(&noise), 0);
    check_floats(&some(&|r| 1.0 / (1 + r % 200) as f64), 1);
    check_floats(&some(&|r| if r % 50 == 0 { noise(r) } else { (r % 99_999) as f64 / 100.0 }), 2);
    check_floats(&some(&|r| 1.0 + (r as f64).sqrt() / 1e9), 3);
    check_floats(&some(&|r| if r % 30 == 0 { (r % 7919) as f64 } else { -0.0 }), 4);
    let narrow = some(&|r| (r % 9999) as f64 / 10.0);
    check_floats(&narrow.iter().map(|v| *v as f32).collect::<Vec<f32>>(), 2);
}

fn check_bits(set: impl Fn(usize) -> bool) -> u8 {
    let n = 5003;
    let all: Vec<bool> = (0..n).map(set).collect();
    let byte = |byte: &[bool]| byte.iter().rev().fold(0, |b, bit| b << 1 | u8::from(*bit));
    let source: Vec<u8> = all.chunks(8).map(byte).collect();
    let mut bytes = Payload::default();
    bitmap::put(&source, 0, n, DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    let packed =
        PackedBits::take(&mut Input::new(bytes.clone().into(), usize::MAX), n, DEPTH).unwrap();
    for step in [1, 5, 70, 900] {
        let places = places(n, step);
        let mut found = Vec::new();
        packed.each(&places, |set, rank| found.push((set, rank)));
        let expected = places.iter().map(|place| *place as usize);
        let ones = |place: usize| all[..place].iter().filter(|set| **set).count() as u32;
        let expected: Vec<_> = expected.map(|place| (all[place], ones(place))).collect();
        assert_eq!(found, expected, "kind {}, one of {step}", bytes[0]);
    }
    bytes[0]
}

#[test]
fn bits_of_every_kind() {
    let kinds = [
        check_bits(|_| false),
        check_bits(|_| true),
        check_bits(|i| i * i % 3 == 1),
        check_bits(|i| i * i % 97 == 8),
        check_bits(|i| i * i % 97 != 8),
        check_bits(|i| i / 200 % 2 == 0),
    ];
    assert_eq!(kinds, [0, 1, 2, 3, 4, 5]);
}

fn check_strings(all: &[Vec<u8>], text: bool, kind: u8) {
    let mut offsets = vec![0];
    let mut data = Vec::new();
    for string in all {
        data.extend(string);
        offsets.push(data.len() as i32);
    }
    let strings = StringsRef { offsets: &offsets, data: &data };
    let hints = StringHints::of(Options::default(), strings, text).0;
    let mut bytes = Payload::default();
    string::put(strings, None, None, &hints, DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    assert_eq!(bytes[0], kind);
    for step in [1, 90, 2000] {
        let mut input = Input::new(bytes.clone().into(), usize::MAX);
        let packed = PackedStrings::take(&mut input, all.len(), text, DEPTH).unwrap();
        let places = places(all.len(), step);
        let (mut offsets, mut data) = (vec![0, 3], b"abc".to_vec());
        let mut out = Target { offsets: &mut offsets, data: &mut data, limit: usize::MAX };
        packed.pick(&places, &mut out).unwrap();
        let mut views = Views::default();
        packed.pick_views(&places, &mut views).unwrap();
        let mut keys = ViewDictionary::default();
        packed.read_keys(0..all.len(), &mut keys).unwrap();
        let before = keys.len();
        packed.pick_keys(&places, &mut keys).unwrap();
        assert_eq!((before, keys.len()), (all.len(), all.len() + places.len()));
        assert!(all.iter().enumerate().all(|(i, string)| keys.get(i).unwrap() == &string[..]));
        assert_eq!(offsets.len(), places.len() + 2);
        assert_eq!((views.len(), views.is_text()), (places.len(), text));
        for (i, place) in places.iter().enumerate() {
            let string = &all[*place as usize];
            let ends = offsets[i + 1] as usize..offsets[i + 2] as usize;
            assert_eq!(&data[ends], string, "kind {kind}, one of {step}");
            assert_eq!(views.get(i).unwrap(), &string[..]);
            assert_eq!(keys.get(before + i).unwrap(), &string[..]);
        }
        let mut out = Target { offsets: &mut offsets, data: &mut data, limit: usize::MAX };
        assert!(packed.pick(&[all.len() as u32], &mut out).is_err());
    }
}

#[test]
fn strings_of_every_kind() {
    let mut r = random(9);
    let mut some = |f: &dyn Fn(u64) -> Vec<u8>| (0..9000).map(|_| f(r())).collect::<Vec<_>>();
    let noise = |r: u64| r.to_le_bytes().repeat((r % 3) as usize);
    check_strings(&some(&noise), false, 0);
    check_strings(&some(&|r| format!("{}", r % 300).repeat(5).into_bytes()), true, 1);
    check_strings(&some(&|r| format!("{}", r % 300).into_bytes()), true, 1);
    check_strings(&some(&|r| format!("{:016x}", r.wrapping_mul(r)).into_bytes()), true, 2);
    check_strings(&some(&|r| format!("/élan/{:x}/{}", r % 7919, r >> 40).into_bytes()), true, 5);
    let integer = |r: u64| vec![1 + (r % 99) as u8, (r >> 8) as u8, (r >> 16) as u8];
    check_strings(&some(&integer), false, 3);
    check_strings(&some(&|r| format!("élan-{:09}/{}", r % 7919, r >> 40).into_bytes()), true, 4);
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_bytes_give_the_numbers_that_are_read_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..400), n in 0usize..3000, step in 1usize..99,
    ) {
        let Ok(numbers) = Numbers::take(&mut Input::new(bytes.into(), usize::MAX), n) else { return Ok(()) };
        let places = places(n, step);
        let (mut some, mut all): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
        let picked = numbers.pick(&places, &mut some);
        if numbers.read(0..n, &mut all).is_ok() {
            prop_assert!(picked.is_ok());
            prop_assert_eq!(some, at(&all, &places));
        }
    }

    #[test]
    fn any_bytes_give_strings_or_an_error(
        mut bytes in prop::collection::vec(any::<u8>(), 1..400), kind in 0u8..6, n in 0usize..300,
    ) {
        bytes[0] = kind;
        let taken = PackedStrings::take(&mut Input::new(bytes.into(), usize::MAX), n, true, DEPTH);
        let Ok(strings) = taken else { return Ok(()) };
        let (mut offsets, mut data) = (vec![0], Vec::new());
        let places = places(n, 5);
        if strings.pick(&places, &mut Target { offsets: &mut offsets, data: &mut data, limit: usize::MAX }).is_ok() {
            prop_assert_eq!(offsets.len(), places.len() + 1);
            prop_assert!(std::str::from_utf8(&data).is_ok());
        }
        let _ = strings.pick_views(&places, &mut Views::default());
        let (mut keys, mut views) = (ViewDictionary::default(), Views::default());
        let read = strings.read_keys(0..n, &mut keys);
        prop_assert_eq!(read.is_ok(), strings.read_views(0..n, &mut views).is_ok());
        if read.is_ok() {
            prop_assert!((0..n).all(|i| keys.get(i).is_some() && keys.get(i) == views.get(i)));
        }
    }
}
