//! Finds the longest token that a text begins with.
//!
//! ```text
//! first 2 bytes      table of all pairs ──► the token of 2 bytes; are there tokens of 3, of 4 and more?
//! first 4 bytes      hash table ──► the tokens of 4 and 5 bytes; are there tokens of 6, of 8, of 12 and more?
//! first 12, 8, 6     hash table ──► the tokens of 12 to 16, 8 to 11, 6 and 7 bytes
//! first 3 bytes      hash table ──► the token of 3 bytes
//! ```
//! The tokens of a slot are a list, longest first, and are compared with 16 bytes of the text at a time.

use std::cell::RefCell;

use super::{LONGEST, MOST_TOKENS};

/// Slots of the hash table: at least twice as many as the tokens and their first 4 bytes need.
const SLOTS: usize = 1 << 14;

/// The maximum number of tokens of a list, so that searches stay short.
const MOST_OF_LIST: usize = 16;

/// The bits of an entry of the table of pairs that are its token.
const TOKEN: u16 = 0xfff;

/// Set where a token of 3 bytes begins with a pair.
const HAS_3: u16 = 1 << 12;

/// Set where a longer token begins with a pair.
const HAS_4: u16 = 1 << 13;

/// The lengths of which a hash is made, beside 3 and 4, the longest first.
const PREFIXES: [usize; 3] = [12, 8, 6];

/// A token of 3 bytes and more.
#[derive(Clone, Copy, Default)]
struct Token {
    text: u128,
    length: u8,
    /// The next token of the list, or 0.
    next: u16,
}

/// Some tokens that begin alike.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// Most of the hash.
    tag: u32,
    /// The first token of the list, or 0.
    first: u16,
    /// A bit for each of [`PREFIXES`] by which more tokens are found that begin so.
    longer: u16,
}

/// The tokens of two bytes and more.
pub(super) struct Matcher {
    tables: Tables,
}

/// The memory of a matcher, which a thread keeps for the next: to clear what was used takes less time than to clear all.
/// The default has no memory.
#[derive(Default)]
struct Tables {
    /// For each pair of bytes its token, or 0, and bits.
    pairs: Box<[u16]>,
    slots: Box<[Slot]>,
    /// Only those that a slot leads to are of this matcher.
    tokens: Box<[Token]>,
    /// The pairs and the slots that are not empty; some more than once.
    used_pairs: Vec<u16>,
    used_slots: Vec<u16>,
}

/// The maximum number of tables that a thread keeps.
const MOST_KEPT: usize = 4;

thread_local! {
    static KEPT: RefCell<Vec<Tables>> = const { RefCell::new(Vec::new()) };
}

impl Tables {
    fn allocate() -> Self {
        Self {
            pairs: vec![0; 1 << 16].into_boxed_slice(),
            slots: vec![Slot::default(); SLOTS].into_boxed_slice(),
            tokens: vec![Token::default(); MOST_TOKENS].into_boxed_slice(),
            ..Self::default()
        }
    }

    fn clear(&mut self) {
        for pair in self.used_pairs.drain(..) {
            if let Some(pair) = self.pairs.get_mut(usize::from(pair)) {
                *pair = 0;
            }
        }
        for slot in self.used_slots.drain(..) {
            if let Some(slot) = self.slots.get_mut(usize::from(slot)) {
                *slot = Slot::default();
            }
        }
    }
}

impl Drop for Matcher {
    fn drop(&mut self) {
        let mut tables = std::mem::take(&mut self.tables);
        tables.clear();
        // The tables of a thread that ends are freed.
        let _ = KEPT.try_with(|kept| match kept.try_borrow_mut() {
            Ok(mut kept) if kept.len() < MOST_KEPT => kept.push(tables),
            _ => {}
        });
    }
}

impl Matcher {
    pub(super) fn new() -> Self {
        let kept = KEPT.try_with(|kept| kept.try_borrow_mut().ok()?.pop()).ok().flatten();
        Self { tables: kept.unwrap_or_else(Tables::allocate) }
    }

    /// Returns the place of the first bytes of a text: that of their slot, or where it would be.
    #[inline(always)]
    fn find(&self, text: u128, length: usize) -> (usize, Slot) {
        let hash = hash(first(text, length), length);
        let (mut at, tag) = (place(hash), tag(hash));
        loop {
            let slot = self.tables.slots.get(at & (SLOTS - 1)).copied().unwrap_or_default();
            if slot.tag == tag || slot.tag == 0 {
                return (at & (SLOTS - 1), slot);
            }
            at += 1;
        }
    }

    /// Adds a token of 2 to 16 bytes. Returns false if too many begin as it does.
    pub(super) fn insert(&mut self, token: u16, bytes: &[u8]) -> bool {
        let (text, length) = (word(bytes), bytes.len());
        let longer = PREFIXES.iter().enumerate().find(|(_, prefix)| **prefix <= length);
        let prefix = longer.map_or(length.min(4), |(_, prefix)| *prefix);
        if length > 2 && !self.list(token, text, length, prefix) {
            return false;
        }
        if let Some((i, _)) = longer {
            self.update(text, 4, |slot| slot.longer |= 1 << i);
        }
        let place = pair_of(text);
        self.tables.used_pairs.extend(u16::try_from(place));
        if let Some(pair) = self.tables.pairs.get_mut(place) {
            *pair |= match length {
                2 => token & TOKEN,
                3 => HAS_3,
                _ => HAS_4,
            };
        }
        true
    }

    fn update(&mut self, text: u128, prefix: usize, change: impl FnOnce(&mut Slot)) {
        let (at, _) = self.find(text, prefix);
        self.tables.used_slots.extend(u16::try_from(at));
        if let Some(slot) = self.tables.slots.get_mut(at) {
            slot.tag = tag(hash(first(text, prefix), prefix));
            change(slot);
        }
    }

    /// Adds a token to the list of its first bytes. Returns false if the list is full.
    fn list(&mut self, token: u16, text: u128, length: usize, prefix: usize) -> bool {
        let (_, slot) = self.find(text, prefix);
        // The last one that is no shorter comes before it.
        let (mut before, mut next, mut n) = (None, slot.first, 0);
        let mut at = slot.first;
        while let Some(other) = self.tables.tokens.get(usize::from(at)).filter(|_| at != 0) {
            n += 1;
            if usize::from(other.length) >= length {
                (before, next) = (Some(usize::from(at)), other.next);
            }
            at = other.next;
        }
        if n >= MOST_OF_LIST {
            return false;
        }
        if let (Some(to), Ok(length)) =
            (self.tables.tokens.get_mut(usize::from(token)), u8::try_from(length))
        {
            *to = Token { text, length, next };
        }
        match before.and_then(|before| self.tables.tokens.get_mut(before)) {
            Some(before) => before.next = token,
            None => self.update(text, prefix, |slot| slot.first = token),
        }
        true
    }

    /// Returns the longest token of up to `most` bytes that a text, which is not empty, begins with, and its length.
    #[inline(always)]
    pub(super) fn longest(&self, text: u128, most: usize) -> (u16, usize) {
        let pair = self.tables.pairs.get(pair_of(text)).copied().unwrap_or(0);
        if pair & HAS_4 != 0 && most >= 4 {
            let (_, slot) = self.find(text, 4);
            if slot.longer != 0 {
                for (i, prefix) in PREFIXES.iter().enumerate() {
                    if slot.longer >> i & 1 == 1 {
                        let (_, slot) = self.find(text, *prefix);
                        if let Some(token) = self.first_of(slot.first, text, most) {
                            return token;
                        }
                    }
                }
            }
            if let Some(token) = self.first_of(slot.first, text, most) {
                return token;
            }
        }
        if pair & HAS_3 != 0 && most >= 3 {
            let (_, slot) = self.find(text, 3);
            if let Some(token) = self.first_of(slot.first, text, most) {
                return token;
            }
        }
        if pair & TOKEN != 0 && most >= 2 {
            return (pair & TOKEN, 2);
        }
        #[allow(clippy::cast_possible_truncation)] // The lowest byte is meant.
        (u16::from(text as u8), 1)
    }

    /// Returns the first token of a list that a text begins with.
    #[inline(always)]
    fn first_of(&self, mut at: u16, text: u128, most: usize) -> Option<(u16, usize)> {
        while at != 0 {
            let token = self.tables.tokens.get(usize::from(at))?;
            let length = usize::from(token.length);
            let equal = ((token.text ^ text).trailing_zeros() / 8) as usize;
            if equal >= length && most >= length {
                return Some((at, length));
            }
            at = token.next;
        }
        None
    }
}

/// Returns up to 16 bytes as a number, the first byte lowest.
#[inline(always)]
pub(super) fn word(bytes: &[u8]) -> u128 {
    match bytes.first_chunk::<LONGEST>() {
        Some(bytes) => u128::from_le_bytes(*bytes),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte)),
    }
}

/// Returns the first bytes of a text, up to 12.
#[inline(always)]
fn first(text: u128, length: usize) -> u128 {
    text & ((1 << (8 * length)) - 1)
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // The halves are meant.
fn hash(text: u128, length: usize) -> u64 {
    let (low, high) = (text as u64, (text >> 64) as u64);
    let mixed = low ^ high.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (length as u64) << 40;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[inline(always)]
fn place(hash: u64) -> usize {
    (hash >> 50) as usize
}

/// Returns 32 bits of a hash, never 0.
#[inline(always)]
fn tag(hash: u64) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // 32 bits are meant.
    let tag = (hash >> 18) as u32;
    tag | 1
}

#[inline(always)]
fn pair_of(text: u128) -> usize {
    (text & 0xffff) as usize
}
