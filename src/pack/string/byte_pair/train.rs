//! Trains the tokens of byte pair encoding in one pass over a sample.
//!
//! ```text
//! parse     the longest tokens so far ──► each adjacent pair is counted
//! count     reaches the threshold ──► the pair is a token, and matches from then on
//! ```

use super::matcher::{Matcher, word};
use super::{BYTES, BytePairs, LONGEST, MOST_TOKENS};
use crate::pack::string::distinct::StringsRef;

/// The largest sample. Of fewer bytes, a part is read.
const SAMPLE: usize = 128 << 10;

/// The sample is at least this large, or all bytes.
const LEAST: usize = 32 << 10;

/// The part of all bytes that a sample is.
const PART: usize = 4;

/// A pair must occur once more for this many bytes of the sample, and at least twice.
const CHANCE: usize = 40 << 10;

/// Neighbours that are read together.
const PIECE: usize = 8;

/// The maximum number of slots of the counts of pairs. Small samples have two for each byte.
const SLOTS: usize = 1 << 16;

/// Tokens, and where their bytes are.
struct Tokens {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Tokens {
    fn get(&self, token: u16) -> &[u8] {
        let at = |i: usize| self.ends.get(i).copied().unwrap_or(0);
        let token = usize::from(token);
        let start = token.checked_sub(1).map_or(0, at);
        self.text.get(start..at(token)).unwrap_or_default()
    }

    /// Appends the bytes of two tokens. Returns where they are.
    fn join(&mut self, pair: [u16; 2]) -> &[u8] {
        let start = self.text.len();
        for token in pair {
            let bytes = self.get(token).to_vec();
            self.text.extend_from_slice(&bytes);
        }
        self.text.get(start..).unwrap_or_default()
    }
}

struct Trainer {
    matcher: Matcher,
    tokens: Tokens,
    pairs: Vec<[u16; 2]>,
    /// A pair of 24 bits, and its count of 8 bits. A pair replaces another whose count it has brought down to one.
    counts: Box<[u32]>,
    threshold: u32,
}

pub(super) fn train(strings: StringsRef<'_>) -> (BytePairs, Matcher) {
    let bytes = strings.bytes().len();
    let sample = (bytes / PART).clamp(LEAST, SAMPLE);
    let slots = (2 * sample.min(bytes)).next_power_of_two().min(SLOTS);
    let singles = (0..BYTES).filter_map(|byte| u8::try_from(byte).ok()).collect();
    let mut trainer = Trainer {
        matcher: Matcher::new(),
        tokens: Tokens { text: singles, ends: (1..=BYTES).collect() },
        pairs: Vec::new(),
        counts: vec![0; slots].into_boxed_slice(),
        threshold: u32::try_from(sample / CHANCE).unwrap_or(0).max(2),
    };
    let mut seen = 0;
    for piece in scattered(strings.len().div_ceil(PIECE)) {
        for (string, rest) in strings.part(piece * PIECE, PIECE).rests() {
            seen += string.len();
            if !trainer.read(rest, string.len()) {
                return (BytePairs { pairs: trainer.pairs }, trainer.matcher);
            }
        }
        if seen >= sample {
            break;
        }
    }
    (BytePairs { pairs: trainer.pairs }, trainer.matcher)
}

/// Returns the numbers below `n` in an order in which any part of them is spread over all.
fn scattered(n: usize) -> impl Iterator<Item = usize> {
    // About the golden section, and without a common divisor.
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (n * 5 / 8 + 1..).find(|step| divisor(*step, n) <= 1).unwrap_or(1);
    (0..n).scan(0, move |at, _| {
        let now = *at;
        *at = (*at + step) % n;
        Some(now)
    })
}

impl Trainer {
    /// Reads the first `length` bytes of a text. Returns false if there is no room for more tokens.
    fn read(&mut self, mut text: &[u8], mut length: usize) -> bool {
        let mut last: Option<(u16, usize)> = None;
        while length > 0 {
            let (token, taken) = self.matcher.longest(word(text), length);
            text = text.get(taken..).unwrap_or_default();
            length = length.saturating_sub(taken);
            let joined = last.filter(|(_, before)| before + taken <= LONGEST);
            let pair = joined.filter(|(left, _)| self.count([*left, token]));
            let new = pair.and_then(|(left, before)| {
                self.add([left, token]).map(|token| (token, before + taken))
            });
            last = Some(new.unwrap_or((token, taken)));
        }
        self.tokens.ends.len() < MOST_TOKENS
    }

    /// Counts a pair. Returns whether it is to be a token.
    fn count(&mut self, [left, right]: [u16; 2]) -> bool {
        let key = (u32::from(left) << 12 | u32::from(right)) << 8;
        let place = (key.wrapping_mul(0x9e37_79b1) >> 16) as usize;
        let mask = self.counts.len() - 1;
        let Some(slot) = self.counts.get_mut(place & mask) else { return false };
        if *slot & !0xff == key && *slot != 0 {
            *slot += 1;
        } else if *slot & 0xff > 1 {
            *slot -= 1;
            return false;
        } else {
            *slot = key | 1;
        }
        let wanted = *slot & 0xff >= self.threshold;
        if wanted {
            *slot = 0;
        }
        wanted
    }

    /// Makes a pair a token, unless there is no room for it.
    fn add(&mut self, pair: [u16; 2]) -> Option<u16> {
        let token = self.tokens.ends.len();
        if token >= MOST_TOKENS {
            return None;
        }
        let number = u16::try_from(token).ok()?;
        let start = self.tokens.text.len();
        let text = self.tokens.join(pair);
        if !self.matcher.insert(number, text) {
            self.tokens.text.truncate(start);
            return None;
        }
        self.tokens.ends.push(self.tokens.text.len());
        self.pairs.push(pair);
        Some(number)
    }
}
