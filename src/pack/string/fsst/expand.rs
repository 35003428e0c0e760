//! Expands FSST codes to text.
//!
//! Each symbol is stored as eight bytes, and the next one overwrites the excess. Eight codes are expanded at once
//! if all of them are symbols, into a window that is long enough for any eight symbols, so that no single one is
//! checked. With AVX-512 a kernel does so.

use super::{ESCAPE, MAX_SYMBOLS, Symbols};
use crate::kernel::{self, Level, SymbolTable};

/// Codes taken at once.
const GROUP: usize = 8;

/// The longest symbols of a group, and the eight bytes of a store after them.
const WINDOW: usize = 8 * GROUP + 8;

/// The lowest bit of each byte of a word.
const LOWEST: u64 = u64::from_le_bytes([1; GROUP]);

/// The length of a symbol; 0 for a code without one. An enum, so that the compiler knows that a group does not
/// exceed its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Len {
    Nought,
    One,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
}

impl Len {
    fn new(len: u8) -> Self {
        match len {
            0 => Self::Nought,
            1 => Self::One,
            2 => Self::Two,
            3 => Self::Three,
            4 => Self::Four,
            5 => Self::Five,
            6 => Self::Six,
            7 => Self::Seven,
            _ => Self::Eight,
        }
    }
}

/// Symbols by code.
#[derive(Debug)]
pub(crate) struct Expander {
    table: SymbolTable,
    lens: Box<[Len; 256]>,
    /// The first code without a symbol, in two parts for `not_symbols`. In each byte: what must be
    /// added to the lower seven bits of that code to carry into the highest one.
    carry: u64,
    /// And all ones if the codes from 128 on have no symbols at all, or else zero.
    upper: u64,
}

impl Expander {
    pub(crate) fn new(symbols: &Symbols) -> Self {
        let (mut words, mut masks) = (Box::new([0; 256]), Box::new([0; 256]));
        let mut lens = Box::new([Len::Nought; 256]);
        let places = words.iter_mut().zip(masks.iter_mut()).zip(lens.iter_mut());
        let mut count = 0;
        // Of the last code there is no symbol: it is the escape.
        for (symbol, ((word, mask), len)) in symbols.symbols.iter().take(MAX_SYMBOLS).zip(places) {
            (*word, *len) = (symbol.word, Len::new(symbol.len));
            *mask = u8::MAX >> (8 - symbol.len.clamp(1, 8));
            count += 1;
        }
        let (carry, upper) = if count <= 128 { (128 - count, u64::MAX) } else { (256 - count, 0) };
        Self { table: SymbolTable { words, masks }, lens, carry: carry * LOWEST, upper }
    }

    /// Appends the text of codes. Returns false if it is not exactly `raw_len` bytes; the appended bytes are
    /// unspecified then. Needs 72 more bytes of capacity in `out`.
    pub(crate) fn expand(&self, codes: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        // No code represents more than eight bytes: no memory is reserved for what is impossible.
        if raw_len.div_ceil(8) > codes.len() {
            return false;
        }
        if Level::in_use().is_avx512() {
            return self.expand_groups(Level::in_use(), codes, raw_len, out);
        }
        out.resize(start + raw_len + WINDOW, 0);
        let len = self.expand_into(codes, usize::MAX, out.get_mut(start..).unwrap_or_default());
        out.truncate(start + raw_len);
        len == Some(raw_len)
    }

    /// Returns the same, by the kernel, and where it stops by a part of the codes at a time.
    pub(super) fn expand_groups(
        &self,
        level: Level,
        codes: &[u8],
        raw_len: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        let (end, mut codes) = (out.len().saturating_add(raw_len), codes);
        while !codes.is_empty() && out.len() <= end {
            match self.expand_some(level, codes, end - out.len(), out) {
                Some(rest) => codes = rest,
                None => return false,
            }
        }
        out.len() == end
    }

    /// Appends at least the first `len` bytes of the text, and few more. Returns false if it is shorter.
    pub(crate) fn expand_start(&self, codes: &[u8], len: usize, out: &mut Vec<u8>) -> bool {
        let level = Level::in_use();
        if !level.is_avx512() {
            return self.expand_first(codes, len, out);
        }
        let (end, mut codes) = (out.len().saturating_add(len), codes);
        while out.len() < end {
            match self.expand_some(level, codes, end - out.len(), out) {
                Some(rest) if !codes.is_empty() => codes = rest,
                _ => return false,
            }
        }
        true
    }

    /// Returns the same, without the kernel.
    pub(super) fn expand_first(&self, codes: &[u8], len: usize, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if len.div_ceil(8) > codes.len() {
            return false;
        }
        out.resize(start + len + WINDOW, 0);
        let made = self.expand_into(codes, len, out.get_mut(start..).unwrap_or_default());
        out.truncate(start + made.unwrap_or(0));
        made >= Some(len)
    }

    /// Appends the text of some codes: the result of the kernel, `most` bytes at most, and a part after it. Returns
    /// the remaining codes; `None` if they are malformed.
    fn expand_some<'c>(
        &self,
        level: Level,
        codes: &'c [u8],
        most: usize,
        out: &mut Vec<u8>,
    ) -> Option<&'c [u8]> {
        let taken = kernel::fsst::expand_symbols(level, codes, &self.table, most, out);
        self.expand_part(codes.get(taken..)?, kernel::GROUP, out)
    }

    /// Appends the text of this many codes. Returns the others.
    fn expand_part<'c>(
        &self,
        codes: &'c [u8],
        count: usize,
        out: &mut Vec<u8>,
    ) -> Option<&'c [u8]> {
        // The literal byte after a final escape belongs to it.
        let (mut part, mut left) = (0, count);
        while left > 0 && part < codes.len() {
            part += if codes.get(part) == Some(&ESCAPE) { 2 } else { 1 };
            left -= 1;
        }
        let (now, rest) = codes.split_at_checked(part)?;
        let start = out.len();
        out.resize(start + 8 * count + WINDOW, 0);
        let len = self.expand_into(now, usize::MAX, out.get_mut(start..)?)?;
        out.truncate(start + len);
        Some(rest)
    }

    /// Writes the text of `codes`, or of the first that produce `enough` bytes, to the start of `to`. Returns its
    /// length; `None` if those codes are malformed or do not fit. Bytes after the text in `to` may be overwritten;
    /// with 72 bytes there the end is as fast as the rest.
    pub(crate) fn expand_into(&self, codes: &[u8], enough: usize, to: &mut [u8]) -> Option<usize> {
        let mut codes = codes;
        let mut at = 0;
        while at < enough
            && let Some((group, rest)) = codes.split_first_chunk::<GROUP>()
            && let Some(window) = to.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<WINDOW>)
        {
            let others = self.not_symbols(*group);
            if others == 0 {
                at += self.expand_group(*group, window);
                codes = rest;
            } else {
                // Up to and including the first escape; then the next group.
                let before = (others.trailing_zeros() / 8) as usize;
                let (now, rest) = codes.split_at_checked(before + 2)?;
                at = self.expand_slowly(now, usize::MAX, to, at)?;
                codes = rest;
            }
        }
        self.expand_slowly(codes, enough, to, at)
    }

    /// Returns the highest bit of each byte where the code has no symbol: those from the symbols' count on,
    /// the escape among them.
    #[inline(always)]
    fn not_symbols(&self, group: [u8; GROUP]) -> u64 {
        const HIGHEST: u64 = LOWEST << 7;
        let codes = u64::from_le_bytes(group);
        // No sum is more than 127 + 128, so nothing is carried from one code to the next.
        let carried = (codes & !HIGHEST) + self.carry;
        (carried & codes | (carried | codes) & self.upper) & HIGHEST
    }

    /// Expands eight symbols. Returns their total length.
    #[inline(always)]
    fn expand_group(&self, codes: [u8; GROUP], window: &mut [u8; WINDOW]) -> usize {
        let mut at = 0;
        for code in codes {
            let word = self.table.words.get(usize::from(code)).copied().unwrap_or_default();
            if let Some(to) = window.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *to = word.to_le_bytes();
            }
            at += self.lens.get(usize::from(code)).copied().unwrap_or(Len::Nought) as usize;
        }
        at
    }

    /// Expands codes one by one, from `at` in `to`, until that is enough. Returns the end of their text.
    fn expand_slowly(
        &self,
        codes: &[u8],
        enough: usize,
        to: &mut [u8],
        mut at: usize,
    ) -> Option<usize> {
        let mut codes = codes;
        while at < enough
            && let Some((&code, mut rest)) = codes.split_first()
        {
            let (word, len) = if code == ESCAPE {
                let (byte, after) = rest.split_first()?;
                rest = after;
                (u64::from(*byte), Len::One)
            } else {
                (*self.table.words.get(usize::from(code))?, *self.lens.get(usize::from(code))?)
            };
            if len == Len::Nought {
                return None;
            }
            let to = to.get_mut(at..)?;
            let bytes = word.to_le_bytes();
            if let Some(to) = to.first_chunk_mut() {
                *to = bytes;
            } else {
                to.get_mut(..len as usize)?.copy_from_slice(bytes.get(..len as usize)?);
            }
            at += len as usize;
            codes = rest;
        }
        Some(at)
    }
}
