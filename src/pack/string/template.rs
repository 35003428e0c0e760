//! Template encoding: strings that differ only in numbers, such as numbered names, dates and addresses.
//!
//! ```text
//! strings    user_000042/a   user_017003/a              user_7   user_12
//! template   "user_0" ##### "/a"                        "user_" #           a number without leading zeros
//! numbers    42  17003                                  7  12
//!
//! number 17003 ──► "17003", of eight bytes at once ──► stored after "user_0"
//! ```
//! If all strings have one length, the texts of all are written at once, then the digits at each position.
//! Otherwise texts are stored 16 bytes at a time and numbers 8 digits at a time, whatever their lengths: the next
//! store overwrites the excess.

mod find;
#[cfg(test)]
mod tests;
mod views;

use std::fmt;

use super::{Target, check_utf8};

use crate::buffer_reuse::Scratch;
use crate::error::{Error, Result};
use crate::kernel::{self, DIGITS_PER_WORD, Level, ZEROS};
use crate::pack::integer::Numbers;
use crate::pack::payload_reader::Input;

pub(crate) use find::FoundTemplate;

/// The most numbers of a template, and the most digits of one.
const MOST_NUMBERS: usize = 8;
const MOST_DIGITS: usize = 16;

/// The smallest number with more than [`DIGITS_PER_WORD`] digits.
const ABOVE: i64 = 100_000_000;

/// What texts are stored by.
const STORE: usize = 16;

/// The width of numbers without leading zeros.
const FREE: usize = 0;

/// Numbers, and the texts between them.
#[derive(Debug)]
pub(crate) struct Template {
    numbers: Vec<Number>,
    pieces: Vec<Piece>,
    /// The bytes of the longest string that there can be.
    longest: usize,
    /// Whether all have that length.
    even: bool,
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template (")?;
        for (i, number) in self.numbers.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { "; " } else { "" }, number.packed)?;
        }
        write!(f, ")")
    }
}

#[derive(Debug)]
struct Number {
    packed: Numbers,
    width: usize,
}

/// A text of at most [`STORE`] bytes, and digits after it.
#[derive(Debug)]
struct Piece {
    text: [u8; STORE],
    length: usize,
    digits: Digits,
}

#[derive(Debug, Clone, Copy)]
enum Digits {
    None,
    /// Digits of this index among the words of digits.
    Some {
        word: usize,
        count: usize,
    },
    /// Digits of a number after its leading zeros.
    Free {
        word: usize,
    },
}

/// Eight digits of each number of a part, or the last of them, as text.
#[derive(Debug, Default)]
pub(crate) struct SegmentedStrings {
    numbers: Scratch<i64>,
    words: Vec<Scratch<u64>>,
    /// How many of them are of this part.
    count: usize,
}

impl Template {
    /// Returns the template and the numbers of the next `n` strings; with `text` they must be UTF-8.
    pub(crate) fn take(input: &mut Input, n: usize, text: bool, depth: u32) -> Result<Self> {
        let count = usize::from(input.byte("numbers of a template")?);
        if count == 0 || count > MOST_NUMBERS {
            return Err(Error::malformed(format!("a template of {count} numbers")));
        }
        let mut template = Self { numbers: Vec::new(), pieces: Vec::new(), longest: 0, even: true };
        let mut widths = Vec::with_capacity(count);
        for _ in 0..count {
            template.take_text(input, text)?;
            let width = usize::from(input.byte("digits of a number")?);
            if width > MOST_DIGITS {
                return Err(Error::malformed(format!("a number of {width} digits")));
            }
            template.push_digits(width);
            widths.push(width);
        }
        template.take_text(input, text)?;
        for width in widths {
            let packed = Numbers::take_within(input, n, depth)?;
            template.numbers.push(Number { packed, width });
        }
        Ok(template)
    }

    fn take_text(&mut self, input: &mut Input, text: bool) -> Result<()> {
        let length = usize::from(input.byte("length of a text")?);
        let bytes = input.take(length, "text of a template")?;
        if text {
            // Digits are one byte each, so each text must be valid UTF-8.
            check_utf8(&bytes, std::iter::once(0))?;
        }
        for bytes in bytes.chunks(STORE) {
            let mut text = [0; STORE];
            text.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            self.pieces.push(Piece { text, length: bytes.len(), digits: Digits::None });
        }
        self.longest += length;
        Ok(())
    }

    fn push_digits(&mut self, width: usize) {
        let words = self.pieces.iter().filter(|piece| !matches!(piece.digits, Digits::None));
        let word = words.count();
        let mut push = |digits| match self.pieces.last_mut() {
            Some(piece) if matches!(piece.digits, Digits::None) => piece.digits = digits,
            _ => self.pieces.push(Piece { text: [0; STORE], length: 0, digits }),
        };
        match width {
            FREE => push(Digits::Free { word }),
            width if width <= DIGITS_PER_WORD => push(Digits::Some { word, count: width }),
            width => {
                push(Digits::Some { word, count: width - DIGITS_PER_WORD });
                push(Digits::Some { word: word + 1, count: DIGITS_PER_WORD });
            }
        }
        self.even &= width != FREE;
        self.longest += if width == FREE { DIGITS_PER_WORD } else { width };
    }

    /// Appends `n` strings, of the numbers that `read` appends.
    pub(crate) fn read(
        &self,
        n: usize,
        read: impl Fn(&Numbers, &mut Vec<i64>) -> Result<()>,
        words: &mut SegmentedStrings,
        out: &mut Target<'_>,
    ) -> Result<()> {
        out.check_room((n as u64).saturating_mul(self.longest as u64))?;
        self.fill(read, words)?;
        match self.even {
            true => self.put_even(n, words, out),
            false => self.put(n, words, out),
        }
        Ok(())
    }

    /// Makes the digits of the numbers that `read` appends.
    fn fill(
        &self,
        read: impl Fn(&Numbers, &mut Vec<i64>) -> Result<()>,
        words: &mut SegmentedStrings,
    ) -> Result<()> {
        words.count = 0;
        for number in &self.numbers {
            words.numbers.clear();
            read(&number.packed, &mut words.numbers)?;
            words.push(number.width)?;
        }
        Ok(())
    }

    /// Appends strings of one length.
    fn put_even(&self, n: usize, words: &SegmentedStrings, out: &mut Target<'_>) {
        // The capacity was checked.
        let number = |size| i32::try_from(size).unwrap_or(i32::MAX);
        let (first, each) = (number(out.data.len()), number(self.longest));
        self.put_bytes(n, words, out.data);
        out.offsets.extend((1..=number(n)).map(|i| first.wrapping_add(each.wrapping_mul(i))));
    }

    /// Appends the bytes of strings of one length: their texts all at once, then the digits at each position.
    fn put_bytes(&self, n: usize, words: &SegmentedStrings, data: &mut Vec<u8>) {
        let start = data.len();
        let size = n * self.longest;
        data.reserve(size);
        for piece in &self.pieces {
            data.extend_from_slice(piece.text.get(..piece.length).unwrap_or_default());
            data.resize(data.len() + piece.digits.count(), 0);
        }
        while data.len() - start < size {
            let more = (data.len() - start).min(size - (data.len() - start));
            data.extend_from_within(start..start + more);
        }
        data.truncate(start + size);
        let made = data.get_mut(start..).unwrap_or_default();
        let mut at = 0;
        for piece in &self.pieces {
            at += piece.length;
            let (count, words) = (piece.digits.count(), words.of(piece.digits));
            let made = made.chunks_exact_mut(self.longest).zip(words);
            match count {
                1 => place::<1>(made, at),
                2 => place::<2>(made, at),
                3 => place::<3>(made, at),
                4 => place::<4>(made, at),
                5 => place::<5>(made, at),
                6 => place::<6>(made, at),
                7 => place::<7>(made, at),
                8 => place::<8>(made, at),
                _ => {}
            }
            at += count;
        }
    }

    /// Appends strings one by one.
    fn put(&self, n: usize, words: &SegmentedStrings, out: &mut Target<'_>) {
        let start = out.data.len();
        // The excess of the last store is after the last string.
        out.data.resize(start + n * self.longest + STORE, 0);
        let made = out.data.get_mut(start..).unwrap_or_default();
        let mut end = 0;
        let pieces: Vec<(&Piece, &[u64])> =
            self.pieces.iter().map(|piece| (piece, words.of(piece.digits))).collect();
        let first = i32::try_from(start).unwrap_or(i32::MAX);
        out.offsets.extend((0..n).map(|i| {
            for (piece, words) in &pieces {
                end = piece.put(words.get(i).copied().unwrap_or(0), made, end);
            }
            first.wrapping_add(i32::try_from(end).unwrap_or(i32::MAX))
        }));
        out.data.truncate(start + end);
    }
}

impl Digits {
    /// Returns how many bytes there are, if they are as many in all strings.
    fn count(self) -> usize {
        match self {
            Digits::None | Digits::Free { .. } => 0,
            Digits::Some { count, .. } => count,
        }
    }
}

impl Piece {
    /// Stores the text and these digits. Returns their end.
    #[inline]
    fn put(&self, word: u64, out: &mut [u8], at: usize) -> usize {
        store(out, at, self.text);
        let at = at + self.length;
        let (word, count) = match self.digits {
            Digits::None => return at,
            Digits::Some { count, .. } => (word, count),
            Digits::Free { .. } => {
                // The last digit is no leading zero.
                let zeros = ((word ^ ZEROS).trailing_zeros() as usize / 8).min(DIGITS_PER_WORD - 1);
                (word >> (8 * zeros), DIGITS_PER_WORD - zeros)
            }
        };
        store(out, at, word.to_le_bytes());
        at + count
    }
}

/// Stores the first `N` digits of each word into its string.
#[inline]
fn place<'a, const N: usize>(strings: impl Iterator<Item = (&'a mut [u8], &'a u64)>, at: usize) {
    for (string, word) in strings {
        let digits = word.to_le_bytes();
        if let (Some(to), Some(digits)) = (string.get_mut(at..at + N), digits.first_chunk::<N>()) {
            to.copy_from_slice(digits);
        }
    }
}

/// Stores bytes within the reserved memory: that of the longest strings, and a store.
#[inline]
fn store<const N: usize>(out: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(to) = out.get_mut(at..at + N) {
        to.copy_from_slice(&bytes);
    }
}

impl SegmentedStrings {
    /// Those of a piece.
    fn of(&self, digits: Digits) -> &[u64] {
        match digits {
            Digits::None => &[],
            Digits::Some { word, .. } | Digits::Free { word } => {
                self.words.get(word).map_or(&[], |words| words.as_slice())
            }
        }
    }

    /// The digits of the numbers that were read, which have no more than `width`.
    fn push(&mut self, width: usize) -> Result<()> {
        let digits = if width == FREE { DIGITS_PER_WORD } else { width };
        let bounds = kernel::bitpack::min_max(Level::in_use(), &self.numbers);
        if bounds.is_some_and(|(least, most)| least < 0 || most.cast_unsigned() >= above(digits)) {
            return Err(Error::malformed(format!("a number of more than {digits} digits")));
        }
        if digits <= DIGITS_PER_WORD {
            self.push_words(DIGITS_PER_WORD - digits);
            return Ok(());
        }
        let mut low = Scratch::new();
        low.extend(self.numbers.iter().map(|number| number % ABOVE));
        self.numbers.iter_mut().for_each(|number| *number /= ABOVE);
        self.push_words(2 * DIGITS_PER_WORD - digits);
        self.numbers = low;
        self.push_words(0);
        Ok(())
    }

    fn push_words(&mut self, skip: usize) {
        if self.words.len() <= self.count {
            self.words.push(Scratch::new());
        }
        if let Some(words) = self.words.get_mut(self.count) {
            let skip = u32::try_from(skip).unwrap_or(0);
            words.clear();
            kernel::decimal::format_digits(Level::in_use(), &self.numbers, skip, words);
        }
        self.count += 1;
    }
}

/// Returns the smallest number with more digits.
fn above(digits: usize) -> u64 {
    (0..digits).fold(1, |power, _| power * 10)
}
