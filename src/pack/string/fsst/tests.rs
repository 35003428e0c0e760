use super::*;
use crate::kernel::Level;

/// Numbers which look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20) % limit
    }

    fn byte(&mut self, limit: u64) -> u8 {
        u8::try_from(self.below(limit)).unwrap()
    }

    fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[usize::try_from(self.below(words.len() as u64)).unwrap()]
    }
}

fn sentences() -> Vec<u8> {
    const WORDS: [&str; 24] = [
        "furiously",
        "regular",
        "final",
        "deposits",
        "sleep",
        "above",
        "the",
        "carefully",
        "ironic",
        "requests",
        "blithely",
        "express",
        "packages",
        "nag",
        "quickly",
        "accounts",
        "according",
        "to",
        "bold",
        "even",
        "pinto",
        "beans",
        "slyly",
        "theodolites.",
    ];
    let mut numbers = Numbers(1);
    (0..4000).map(|_| numbers.word(&WORDS)).collect::<Vec<_>>().join(" ").into_bytes()
}

fn addresses() -> Vec<u8> {
    let mut numbers = Numbers(2);
    let mut address = |_| {
        let sort = numbers.word(&["price", "name", "date"]);
        format!("/products/{}?from=search&sort={sort}", 100_000 + numbers.below(900_000))
    };
    (0..600).map(&mut address).collect::<String>().into_bytes()
}

fn letters() -> Vec<u8> {
    let mut numbers = Numbers(3);
    (0..20_000).map(|_| b'a' + numbers.byte(26)).collect()
}

fn far_letters() -> Vec<u8> {
    const WORDS: [&str; 10] =
        ["быстрый ", "заказ ", "Ελλάδα ", "日本語", "配送", "über", "Größe ", "naïve ", "📦", "🚚"];
    let mut numbers = Numbers(4);
    (0..3000).map(|_| numbers.word(&WORDS)).collect::<String>().into_bytes()
}

fn any_bytes() -> Vec<u8> {
    let mut numbers = Numbers(5);
    let every = (0..=255).chain((0..=255).rev());
    every.chain((0..20_000).map(|_| numbers.byte(256))).collect()
}

/// Few different bytes, including zeros, which look like the padding after a text.
fn few_bytes() -> Vec<u8> {
    let mut numbers = Numbers(6);
    (0..20_000).map(|_| numbers.byte(4) / 2 * 255).collect()
}

fn texts() -> [Vec<u8>; 6] {
    [sentences(), addresses(), letters(), far_letters(), any_bytes(), few_bytes()]
}

fn trained(text: &[u8]) -> Symbols {
    Symbols::train(text.chunks(512).step_by(2))
}

fn compressed(symbols: &Symbols, text: &[u8]) -> Vec<u8> {
    let mut codes = b"before".to_vec();
    Compressor::new(symbols).compress(text, &mut codes);
    assert!(codes.starts_with(b"before"));
    codes.split_off(6)
}

/// Expands codes in the simplest way.
fn plainly(symbols: &Symbols, codes: &[u8]) -> Option<Vec<u8>> {
    let (mut text, mut codes) = (Vec::new(), codes.iter());
    while let Some(&code) = codes.next() {
        if code == 255 {
            text.push(*codes.next()?);
        } else {
            let symbol = symbols.symbols.get(usize::from(code))?;
            text.extend_from_slice(&symbol.word.to_le_bytes()[..usize::from(symbol.len)]);
        }
    }
    Some(text)
}

/// Every expansion agrees with the simplest one, for any codes.
fn check_codes(symbols: &Symbols, expander: &Expander, codes: &[u8]) {
    let text = plainly(symbols, codes);
    let len = text.as_ref().map_or(codes.len(), Vec::len);
    let mut out = b"before".to_vec();
    assert_eq!(expander.expand(codes, len, &mut out), text.is_some());
    for level in Level::all() {
        let mut by_groups = b"before".to_vec();
        assert_eq!(expander.expand_groups(level, codes, len, &mut by_groups), text.is_some());
        assert!(text.is_none() || by_groups == out);
    }
    for spare in [0, 5, 72, 100] {
        let mut to = vec![7; len + spare];
        let expanded = expander.expand_into(codes, usize::MAX, &mut to);
        assert_eq!(expanded, text.as_ref().map(Vec::len));
        if let Some(text) = &text {
            assert_eq!(&to[..len], text);
        }
    }
    let Some(text) = text else { return };
    assert_eq!(out, [b"before".as_slice(), &text].concat());
    for enough in [0, 1, len / 3, len.saturating_sub(1), len, len + 1] {
        for expand in [Expander::expand_start, Expander::expand_first] {
            let mut start = b"before".to_vec();
            assert_eq!(expand(expander, codes, enough, &mut start), enough <= len);
            assert!(enough > len || start.len() >= 6 + enough && out.starts_with(&start));
        }
    }
    for wrong in [len.wrapping_sub(1), len + 1, len + 100, 0, usize::MAX, usize::MAX - 100] {
        assert_eq!(expander.expand(codes, wrong, &mut Vec::new()), wrong == len);
        for level in Level::all().into_iter().filter(|_| wrong <= 9 * len + 100) {
            let expanded = expander.expand_groups(level, codes, wrong, &mut Vec::new());
            assert_eq!(expanded, wrong == len);
        }
    }
    if len > 0 {
        assert_eq!(expander.expand_into(codes, usize::MAX, &mut vec![0; len - 1]), None);
    }
}

#[test]
fn texts_come_back() {
    for text in texts() {
        let symbols = trained(&text);
        let expander = Expander::new(&symbols);
        let starts = [0, 1, 17, 1000].into_iter();
        for run in starts.flat_map(|start| (0..80).chain([1800, 4096]).map(move |len| (start, len)))
        {
            let run = &text[run.0..run.0 + run.1];
            let codes = compressed(&symbols, run);
            assert!(codes.len() <= 2 * run.len());
            assert_eq!(plainly(&symbols, &codes).as_deref(), Some(run));
            check_codes(&symbols, &expander, &codes);
        }
    }
}

#[test]
fn symbols_of_one_text_serve_any_other() {
    for symbols in texts().map(|text| trained(&text)) {
        let expander = Expander::new(&symbols);
        for text in texts() {
            let codes = compressed(&symbols, &text);
            let mut out = Vec::new();
            assert!(expander.expand(&codes, text.len(), &mut out));
            assert!(out == text);
        }
    }
}

#[test]
fn long_texts_come_back() {
    let text = sentences().repeat(8);
    assert!(text.len() > 3 * (64 << 10));
    let symbols = trained(&text);
    let codes = compressed(&symbols, &text);
    let mut out = Vec::new();
    assert!(Expander::new(&symbols).expand(&codes, text.len(), &mut out));
    assert!(out == text);
}

#[test]
fn lanes_write_what_one_would() {
    for text in texts() {
        let symbols = trained(&text);
        let compressor = Compressor::new(&symbols);
        // One step at a time, as in a text too short for lanes.
        let plain = |text: &[u8]| {
            let (mut rest, mut codes) = (text, Vec::new());
            while !rest.is_empty() {
                let step = match rest.first_chunk() {
                    Some(word) => compressor.step(u64::from_le_bytes(*word)),
                    None => compressor.last_step(rest),
                };
                codes.push(step.code());
                codes.extend(step.is_escape().then_some(rest[0]));
                rest = &rest[step.text_len() as usize..];
            }
            codes
        };
        let (mut same, mut all) = (0, 0);
        for len in [1, 7, 8, 100, 400, 415, 416, 417, 420, 500, 1000, 1700, 8000] {
            for run in text.chunks_exact(len).take(20) {
                let (codes, plain) = (compressed(&symbols, run), plain(run));
                assert_eq!(plainly(&symbols, &plain).as_deref(), Some(run));
                same += u32::from(codes == plain);
                all += 1;
                // Lanes that do not meet cost a few codes at each border, at random.
                assert!(codes.len() * 20 <= plain.len() * 21 + 20 * 3 * 8);
            }
        }
        assert!(same * 2 > all, "{same} of {all}");
    }
}

#[test]
fn texts_get_shorter() {
    let ratios = [3.0, 3.5, 1.25, 4.0, 0.6, 2.0];
    for (text, least) in texts().iter().zip(ratios) {
        let symbols = trained(text);
        let codes: usize = text.chunks(1700).map(|run| compressed(&symbols, run).len()).sum();
        let ratio = text.len() as f64 / codes as f64;
        assert!(ratio > least, "{ratio} is not above {least}");
    }
}

#[test]
fn cut_and_changed_codes() {
    let mut numbers = Numbers(7);
    for text in texts() {
        let symbols = trained(&text);
        let expander = Expander::new(&symbols);
        let codes = compressed(&symbols, &text[..600]);
        for end in 0..codes.len() {
            check_codes(&symbols, &expander, &codes[..end]);
            assert!(!expander.expand(&codes[..end], 600, &mut Vec::new()));
        }
        for _ in 0..2000 {
            let mut codes = codes.clone();
            for _ in 0..=numbers.below(3) {
                let place = usize::try_from(numbers.below(codes.len() as u64)).unwrap();
                codes[place] = numbers.byte(256);
            }
            check_codes(&symbols, &expander, &codes);
        }
    }
}

#[test]
fn codes_without_a_symbol() {
    for count in [0_u8, 1, 5, 127, 128, 129, 200, 254, 255] {
        let len = |code: u8| code % 8 + 1;
        let symbol =
            |code| Symbol { word: u64::MAX >> (64 - 8 * u32::from(len(code))), len: len(code) };
        let symbols = Symbols { symbols: (0..count).map(symbol).collect() };
        let expander = Expander::new(&symbols);
        for place in 0..20 {
            for code in 0..=255 {
                let mut codes = [0; 20];
                codes[place] = code;
                check_codes(&symbols, &expander, &codes);
            }
        }
    }
}

#[test]
fn tables_come_back() {
    for text in texts() {
        let symbols = trained(&text);
        assert!(symbols.symbols.len() <= 255);
        assert_eq!(symbols, trained(&text));
        let mut bytes = Vec::new();
        symbols.put(&mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(Symbols::take(&bytes[..end]), None);
        }
        let len = bytes.len();
        bytes.extend_from_slice(b"and more");
        assert_eq!(Symbols::take(&bytes), Some((symbols, len)));
    }
}

#[test]
fn table_bytes() {
    let symbols = [b"the ".as_slice(), b"e", b"ABCDEFGH"];
    let symbol = |bytes: &&[u8]| Symbol {
        word: padded_word(bytes),
        len: u8::try_from(bytes.len()).unwrap(),
    };
    let symbols = Symbols { symbols: symbols.iter().map(symbol).collect() };
    let mut bytes = Vec::new();
    symbols.put(&mut bytes);
    assert_eq!(bytes, b"\x03\x04\x01\x08the eABCDEFGH");
    assert_eq!(compressed(&symbols, b"the tee ABCDEFGH"), b"\x00\xfft\x01\x01\xff \x02");
    for len in [0, 9, 255] {
        bytes[2] = len;
        assert_eq!(Symbols::take(&[bytes.as_slice(), &[0; 300]].concat()), None);
    }
    assert_eq!(Symbols::take(&[]), None);
    assert_eq!(Symbols::take(&[0]), Some((Symbols::default(), 1)));
}

#[test]
fn little_or_much_to_train_on() {
    let train = |samples: &[&[u8]]| Symbols::train(samples.iter().copied());
    assert_eq!(train(&[]), Symbols::default());
    assert_eq!(train(&[b"", b""]), Symbols::default());
    let text = sentences();
    for len in [1, 2, 3, 7, 8, 9, 30, 100] {
        let symbols = train(&[&text[..len]]);
        let codes = compressed(&symbols, &text[..len]);
        assert_eq!(plainly(&symbols, &codes).as_deref(), Some(&text[..len]));
    }
    // The same letter so often that no count may be higher.
    let much = train(&[&[b'x'; 40_000], &[b'x'; 40_000], &[b'y'; 40_000]]);
    assert!(compressed(&much, &[b'x'; 800]).len() <= 104);
    assert_eq!(compressed(&much, b"y"), [255, b'y']);
}

#[test]
fn symbols_which_meet_in_the_tables() {
    // Of those with the same first bytes only one is used; some are repeated.
    let text = ["abcd", "abce", "abcdefg", "abcdefh", "ab", "ab", "a", "a", "abcd"];
    let symbol = |text: &&str| Symbol {
        word: padded_word(text.as_bytes()),
        len: u8::try_from(text.len()).unwrap(),
    };
    let symbols = Symbols { symbols: text.iter().map(symbol).collect() };
    let text = text.concat().repeat(9);
    let codes = compressed(&symbols, text.as_bytes());
    assert!(codes.len() < text.len());
    assert_eq!(plainly(&symbols, &codes).as_deref(), Some(text.as_bytes()));
}

#[test]
fn any_table_serves() {
    let mut numbers = Numbers(8);
    for _ in 0..60 {
        // Of few different bytes, so that many symbols are alike.
        let kinds = 1 + numbers.below(4);
        let count = numbers.byte(256);
        let mut bytes = vec![count];
        bytes.extend((0..count).map(|_| 1 + numbers.byte(8)));
        bytes.extend((0..2040).map(|_| numbers.byte(kinds)));
        let (symbols, len) = Symbols::take(&bytes).unwrap();
        let mut again = Vec::new();
        symbols.put(&mut again);
        assert_eq!(again, bytes[..len]);
        let expander = Expander::new(&symbols);
        for len in [0, 1, 5, 8, 9, 60, 415, 416, 1000] {
            let text: Vec<u8> = (0..len).map(|_| numbers.byte(kinds)).collect();
            let codes = compressed(&symbols, &text);
            assert_eq!(plainly(&symbols, &codes), Some(text));
            check_codes(&symbols, &expander, &codes);
        }
    }
}
