use proptest::prelude::*;

use super::*;
use crate::pack::integer::DEPTH;
use crate::pack::payload::Payload;
use crate::pack::string::TEMPLATE;
use crate::pack::string::distinct::StringsRef;
use crate::pack::string::views::Views;
use crate::pack::tests::cases;

/// Offsets and bytes of strings.
fn joined(strings: &[String]) -> (Vec<i32>, Vec<u8>) {
    let mut offsets = vec![0];
    let mut data = Vec::new();
    for string in strings {
        data.extend_from_slice(string.as_bytes());
        offsets.push(i32::try_from(data.len()).unwrap());
    }
    (offsets, data)
}

fn found(strings: &[String]) -> Option<FoundTemplate> {
    let (offsets, data) = joined(strings);
    FoundTemplate::of(StringsRef { offsets: &offsets, data: &data }, None)
}

fn taken(bytes: Vec<u8>, n: usize) -> Result<Template> {
    let mut input = Input::new(bytes.into(), usize::MAX);
    let template = Template::take(&mut input, n, true, DEPTH)?;
    input.finish()?;
    Ok(template)
}

/// Reads a template, appending to existing values.
fn read(template: &Template, n: usize) -> Result<(Vec<i32>, Vec<u8>)> {
    let (mut offsets, mut data) = (vec![0, 3], b"abc".to_vec());
    let mut out = Target { offsets: &mut offsets, data: &mut data, limit: usize::MAX };
    let all = |numbers: &Numbers, out: &mut Vec<i64>| numbers.read(0..n, out);
    template.read(n, all, &mut SegmentedStrings::default(), &mut out)?;
    Ok((offsets, data))
}

fn check(strings: &[String]) -> Vec<u8> {
    let found = found(strings).unwrap();
    let mut bytes = Payload::default();
    found.put(DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    let template = taken(bytes.clone(), strings.len()).unwrap();
    let (offsets, data) = read(&template, strings.len()).unwrap();
    let (expected, text) = joined(strings);
    assert_eq!(data, [b"abc".as_slice(), &text].concat());
    assert!(offsets[1..].iter().zip(&expected).all(|(found, expected)| *found == expected + 3));
    if template.is_even() {
        check_views(&template, strings);
    }
    bytes
}

/// Checks that views are those of the strings, appending to existing values.
fn check_views(template: &Template, strings: &[String]) {
    let mut views = Views::default();
    views.push(b"longer than a view").unwrap();
    let mut expected = vec!["longer than a view"];
    let n = strings.len();
    for range in [0..n, n / 3..n, n - 1..n, 1..1] {
        template.read_views(range.clone(), &mut views).unwrap();
        expected.extend(strings[range].iter().map(String::as_str));
    }
    assert_eq!(views.len(), expected.len());
    for (i, expected) in expected.iter().enumerate() {
        assert_eq!(views.get(i).unwrap(), expected.as_bytes());
        let prefix = u64::from_le_bytes(*views.views[i].to_le_bytes().first_chunk().unwrap()) >> 32;
        let first = expected.bytes().take(4).rev().fold(0, |all, byte| all << 8 | u64::from(byte));
        assert_eq!(prefix, first);
    }
}

fn some(f: impl Fn(u64) -> String) -> Vec<String> {
    (0..1000).map(|i: u64| f(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13)).collect()
}

#[test]
fn numbers_within_texts() {
    check(&some(|r| format!("user_{:06}", r % 200_000)));
    check(&some(|r| format!("/products/{:05}", r % 100_000)));
    check(&some(|r| format!("{:02}/{:03}:{:04}", r % 99, r % 777, r % 5000)));
    check(&some(|r| format!("{:02}/{:03}:{:05}", r % 99, r % 777, r % 50_000)));
    check(&some(|r| format!("{:03}-{:012}", r % 999, r % 999_999_999_999)));
    check(&some(|r| format!("user_{}", r % 200_000)));
    check(&some(|r| format!("{:08}", r % 100_000_000)));
    check(&some(|r| format!("{}", r % 100_000_000)));
    check(&some(|r| format!("{:016}", r % 10_000_000_000_000_000)));
    check(&some(|r| format!("Κατάλογος αριθμός {:09}, σελίδα {}", r % 999_999_999, r % 77)));
    check(&some(|r| format!("{}-{:02}-{:02}T{:02}:00", 1990 + r % 40, r % 12, r % 28, r % 24)));
    check(&some(|r| format!("{}.{}.{}.{}", r % 256, r / 256 % 256, r / 65536 % 256, r % 3)));
    check(&some(|r| format!("a{}b{:011}c{}d", r % 11, r % 99_999_999_999, r % 2)));
}

#[test]
fn what_all_numbers_share_is_text() {
    let bytes = check(&some(|r| format!("v2/user_{:09}/7", r % 2000)));
    assert!(bytes.starts_with(b"\x01\x0dv2/user_00000\x04\x02/7"), "{bytes:x?}");
    let bytes = check(&some(|r| format!("v10/{}", r % 2000)));
    assert!(bytes.starts_with(b"\x01\x04v10/\x00\x00"), "{bytes:x?}");
}

#[test]
fn strings_that_have_none() {
    for strings in [
        some(|_| "always 7 the same 7".to_owned()),
        some(|r| if r % 64 == 9 { "user".to_owned() } else { format!("user_{r}") }),
        some(|r| if r % 64 == 9 { String::new() } else { format!("user_{:05}", r % 4000) }),
        some(|r| if r % 64 == 9 { "u-0012".to_owned() } else { format!("u-{}", 9 + r % 4000) }),
        some(|r| format!("{}", 999_999_990 + r % 20)),
        some(|r| format!("{:017}", r % 1_000_000)),
        some(|r| format!("{}{}", "long text ".repeat(26), r % 10)),
        some(|r| format!("{r},{r},{r},{r},{r},{r},{r},{r},{r}")),
        some(|r| format!("{:x}", r)),
        vec!["a1".to_owned(), "a2".to_owned(), "a3".to_owned()],
        vec![],
    ] {
        assert_eq!(found(&strings), None, "{:?}", strings.first());
    }
}

#[test]
fn malformed_templates_are_refused() {
    let constant = |n: i64| {
        let mut bytes = vec![crate::pack::integer::CONSTANT];
        crate::wire::put_long(&mut bytes, n);
        bytes
    };
    let of = |head: &[u8], n: i64| [head, &constant(n)].concat();
    let complaint = |bytes| match taken(bytes, 5).and_then(|template| read(&template, 5)) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(complaint(of(b"\x01\x01a\x02\x00", 99)), "");
    assert_eq!(complaint(of(b"\x01\x01a\x10\x00", 9_999_999_999_999_999)), "");
    for (head, n, fault) in [
        (b"\x00\x01a\x02\x00".as_slice(), 1, "template of 0 numbers"),
        (b"\x09\x01a\x02\x00", 1, "template of 9 numbers"),
        (b"\x01\x01a\x11\x00", 1, "number of 17 digits"),
        (b"\x01\x01\xff\x02\x00", 1, "not UTF-8"),
        (b"\x01\x01a\x02\x00", 100, "more than 2 digits"),
        (b"\x01\x01a\x02\x00", -1, "more than 2 digits"),
        (b"\x01\x01a\x00\x00", 100_000_000, "more than 8 digits"),
        (b"\x01\x01a\x10\x00", 10_000_000_000_000_000, "more than 16 digits"),
    ] {
        let complaint = complaint(of(head, n));
        assert!(complaint.contains(fault), "{complaint}");
    }
    let whole = of(b"\x01\x01a\x02\x01b", 17);
    for cut in 0..whole.len() {
        assert!(taken(whole[..cut].to_vec(), 5).is_err(), "{cut}");
    }
}

#[test]
fn what_is_not_there_is_as_the_one_before() {
    let strings: Vec<String> = ["", "a7", "", "a19", "a3", "a5", ""].map(str::to_owned).into();
    let (offsets, data) = joined(&strings);
    let strings = StringsRef { offsets: &offsets, data: &data };
    let mut bytes = Payload::default();
    FoundTemplate::of(strings, Some(&[0b0111010])).unwrap().put(DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    let (_, data) = read(&taken(bytes, 7).unwrap(), 7).unwrap();
    assert_eq!(data, b"abca0a7a7a19a3a5a5");
    assert_eq!(FoundTemplate::of(strings, Some(&[0])), None);
}

#[test]
fn it_is_a_kind_of_strings() {
    let (offsets, data) = joined(&some(|r| format!("/products/{:05}", r % 100_000)));
    let strings = StringsRef { offsets: &offsets, data: &data };
    let hints = crate::pack::StringHints::of(crate::pack::Options::default(), strings, true).0;
    let mut bytes = Payload::default();
    crate::pack::put_strings(strings, None, None, &hints, DEPTH, &mut bytes);
    let bytes = bytes.into_bytes();
    assert_eq!(bytes.first(), Some(&TEMPLATE));
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_numbers_come_back(
        texts in prop::collection::vec("[a-zé/_.-]{0,40}", 1..9),
        even in any::<u8>(),
        seeds in prop::collection::vec(any::<u64>(), 4..300),
    ) {
        let string = |seed: &u64| {
            let mut seed = *seed;
            texts.iter().enumerate().fold(String::new(), |string, (i, text)| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let number = ((seed >> 33) % 100_000_000) >> (seed % 20);
                match even >> (i % 8) & 1 {
                    0 => format!("{string}{text}-{number}"),
                    _ => format!("{string}{text}-{number:09}"),
                }
            })
        };
        let strings: Vec<String> = seeds.iter().map(string).collect();
        if found(&strings).is_some() {
            check(&strings);
        }
    }

    #[test]
    fn any_bytes_give_strings_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60), n in 0usize..200) {
        if let Ok(template) = taken([&[1], bytes.as_slice()].concat(), n)
            && let Ok((offsets, data)) = read(&template, n)
        {
            prop_assert_eq!(offsets.len(), n + 2);
            prop_assert!(std::str::from_utf8(&data).is_ok());
        }
    }
}
