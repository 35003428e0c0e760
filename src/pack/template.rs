//! Strings that differ in nothing but numbers: names with a number behind, dates, addresses.
//!
//! ```text
//! strings    user_000042/a   user_017003/a              user_7   user_12
//! template   "user_0" ##### "/a"                        "user_" #           a number without leading zeros
//! numbers    42  17003                                  7  12
//!
//! number 17003 ──► 1 7 0 0 3, eight bytes at once ──► stored behind "user_0", then "/a" over what is too much
//! ```
//! Texts are stored 16 bytes at a time and numbers 8 digits at a time, whatever their lengths: what comes next
//! overwrites the rest.

mod find;
#[cfg(test)]
mod tests;

use super::input::Input;
use super::numbers::Numbers;
use super::strings::{Target, check_utf8};
use crate::error::{Error, Result};

pub(super) use find::Found;

/// The most numbers of a template, and the most digits of one.
const MOST_NUMBERS: usize = 8;
const MOST_DIGITS: usize = 16;

/// How many digits are made at once, and above all that they can show.
const AT_ONCE: usize = 8;
const ABOVE: u64 = 100_000_000;

/// The digit 0, eight times.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// What texts are stored by.
const STORE: usize = 16;

/// A width that says: as many digits as the number has.
const FREE: usize = 0;

/// Numbers, and what stands between them.
#[derive(Debug)]
pub(super) struct Template {
    numbers: Vec<Number>,
    pieces: Vec<Piece>,
    /// The bytes of the longest string that there can be.
    longest: usize,
}

#[derive(Debug)]
struct Number {
    packed: Numbers,
    width: usize,
}

/// A text of no more than [`STORE`] bytes, and digits behind it.
#[derive(Debug)]
struct Piece {
    text: [u8; STORE],
    length: usize,
    digits: Digits,
}

#[derive(Debug, Clone, Copy)]
enum Digits {
    None,
    /// So many of those at this place among the words of digits.
    Some {
        word: usize,
        count: usize,
    },
    /// Those of them that are behind leading zeros.
    Free {
        word: usize,
    },
}

/// Eight digits of each number of a part, as bytes from 0 to 9, the first lowest.
#[derive(Debug, Default)]
pub(super) struct Words {
    numbers: Vec<i64>,
    words: Vec<Vec<u64>>,
    /// How many of them are of this part.
    count: usize,
}

impl Template {
    /// The template and the numbers of the next `n` strings; with `text` they must be UTF-8.
    pub(super) fn take(input: &mut Input, n: usize, text: bool, depth: u32) -> Result<Self> {
        let count = usize::from(input.byte("numbers of a template")?);
        if count == 0 || count > MOST_NUMBERS {
            return Err(Error::malformed(format!("a template of {count} numbers")));
        }
        let mut template = Self { numbers: Vec::new(), pieces: Vec::new(), longest: 0 };
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
            // Digits are a byte each, so each text must be UTF-8 by itself.
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
            width if width <= AT_ONCE => push(Digits::Some { word, count: width }),
            width => {
                push(Digits::Some { word, count: width - AT_ONCE });
                push(Digits::Some { word: word + 1, count: AT_ONCE });
            }
        }
        self.longest += if width == FREE { AT_ONCE } else { width };
    }

    /// Appends `n` strings, of the numbers that `read` appends.
    pub(super) fn read(
        &self,
        n: usize,
        read: impl Fn(&Numbers, &mut Vec<i64>) -> Result<()>,
        words: &mut Words,
        out: &mut Target<'_>,
    ) -> Result<()> {
        out.check_room((n as u64).saturating_mul(self.longest as u64))?;
        words.count = 0;
        for number in &self.numbers {
            words.numbers.clear();
            read(&number.packed, &mut words.numbers)?;
            words.push(number.width)?;
        }
        let start = out.data.len();
        // What is stored too much goes behind the last string.
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
        Ok(())
    }
}

impl Piece {
    /// Stores the text and these digits, and gives where they end.
    #[inline]
    fn put(&self, word: u64, out: &mut [u8], at: usize) -> usize {
        store(out, at, self.text);
        let at = at + self.length;
        let count = match self.digits {
            Digits::None => return at,
            Digits::Some { count, .. } => count,
            // The last digit is no leading zero.
            Digits::Free { .. } => AT_ONCE - (word.trailing_zeros() as usize / 8).min(AT_ONCE - 1),
        };
        let text = (word | ZEROS) >> (8 * (AT_ONCE - count));
        store(out, at, text.to_le_bytes());
        at + count
    }
}

/// Stores bytes for which there is room: that of the longest strings, and a store.
#[inline]
fn store<const N: usize>(out: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(to) = out.get_mut(at..at + N) {
        to.copy_from_slice(&bytes);
    }
}

impl Words {
    /// Those of a piece.
    fn of(&self, digits: Digits) -> &[u64] {
        match digits {
            Digits::None => &[],
            Digits::Some { word, .. } | Digits::Free { word } => {
                self.words.get(word).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// The digits of the numbers that were read, which have no more than `width`.
    fn push(&mut self, width: usize) -> Result<()> {
        let digits = if width == FREE { AT_ONCE } else { width };
        let largest = self.numbers.iter().fold(0, |most, number| number.cast_unsigned().max(most));
        if largest >= above(digits) {
            return Err(Error::malformed(format!("a number of more than {digits} digits")));
        }
        if digits > AT_ONCE {
            self.push_words(|number| number / ABOVE);
            self.push_words(|number| number % ABOVE);
        } else {
            self.push_words(|number| number);
        }
        Ok(())
    }

    fn push_words(&mut self, part: impl Fn(u64) -> u64) {
        if self.words.len() <= self.count {
            self.words.push(Vec::with_capacity(self.numbers.len()));
        }
        if let Some(words) = self.words.get_mut(self.count) {
            words.clear();
            words.extend(self.numbers.iter().map(|number| digits(part(number.cast_unsigned()))));
        }
        self.count += 1;
    }
}

/// The least number that has more digits.
fn above(digits: usize) -> u64 {
    (0..digits).fold(1, |power, _| power * 10)
}

/// The eight digits of a number below 10^8, the first lowest: halves of four, of two, of one digit.
#[inline]
fn digits(number: u64) -> u64 {
    let fours = number / 10_000 | (number % 10_000) << 32;
    // 10,486 / 2^20 is a hundredth, and 103 / 2^10 a tenth, of all that come here.
    let hundreds = (fours * 10_486 >> 20) & 0x7f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = (twos * 103 >> 10) & 0x000f_000f_000f_000f;
    tens | (twos - tens * 10) << 8
}
