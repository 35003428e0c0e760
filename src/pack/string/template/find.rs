//! Finds the template of strings.
//!
//! ```text
//! first string   user_000042/a ──► texts "user_" "/a"; one number, of 6 digits
//! each           the same texts, and digits between them     fails at the first string that is otherwise
//! widths         all alike: with leading zeros               else free, if no string has leading zeros
//! merged        "user_0" ##### "/a"                         common digits are moved into the texts
//! ```

use super::{FREE, MOST_DIGITS, MOST_NUMBERS, above};
use crate::kernel::DIGITS_PER_WORD;
use crate::pack::integer;
use crate::pack::payload::Payload;
use crate::pack::string::distinct::{StringsRef, is_valid};

/// The longest text that is written.
const MOST_TEXT: usize = u8::MAX as usize;

/// The fewest strings that are worth a template.
const FEWEST: usize = 4;

/// A template, and the numbers of each string.
#[derive(Debug, PartialEq)]
pub(crate) struct FoundTemplate {
    first: Vec<u8>,
    pub(super) numbers: Vec<Number>,
}

/// One number of the template and the text after it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Number {
    pub(super) width: u8,
    pub(super) values: Vec<i64>,
    pub(super) behind: Vec<u8>,
    /// Digits of the shortest and of the longest.
    shortest: usize,
    longest: usize,
    /// Whether a number begins with 0 and has more digits.
    leading_zeros: bool,
}

impl Number {
    /// Takes the value before once more; before the first it is 0, which any width can show.
    fn repeat(&mut self) {
        self.values.push(self.values.last().copied().unwrap_or(0));
    }
}

/// The text before or after a number.
#[derive(Debug)]
struct Text {
    bytes: Vec<u8>,
    /// Its first bytes as a number, the first lowest, and which bits of it count.
    word: u128,
    mask: u128,
}

impl Text {
    fn new(bytes: &[u8]) -> Self {
        let mut window = [0; size_of::<u128>()];
        window.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let bits = 8 * u32::try_from(bytes.len()).unwrap_or(u32::MAX).min(16);
        let mask = u128::MAX.checked_shr(u128::BITS - bits).unwrap_or(0);
        Self { bytes: bytes.to_vec(), word: u128::from_le_bytes(window), mask }
    }

    /// Returns whether bytes begin with it.
    #[inline]
    fn begins(&self, bytes: &[u8]) -> bool {
        match bytes.first_chunk() {
            Some(window) if self.bytes.len() <= window.len() => {
                (u128::from_le_bytes(*window) ^ self.word) & self.mask == 0
            }
            _ => bytes.starts_with(&self.bytes),
        }
    }
}

/// Returns the digits that the first `len` of these bytes begin with: how many, and the number; `None` if there are
/// none or too many.
#[inline]
fn leading_number(bytes: &[u8], len: usize) -> Option<(usize, i64)> {
    let Some(word) = bytes.first_chunk() else { return few_digits(bytes.get(..len)?) };
    let (count, number) = eight_digits(u64::from_le_bytes(*word), len);
    if count < DIGITS_PER_WORD {
        return (count > 0).then_some((count, number));
    }
    let (more, low) = few_digits(bytes.get(DIGITS_PER_WORD..len)?).unwrap_or((0, 0));
    let scale = i64::try_from(above(more)).ok()?;
    (count + more <= MOST_DIGITS).then_some((count + more, number * scale + low))
}

/// Parses digits byte by byte, at most the maximum number.
fn few_digits(bytes: &[u8]) -> Option<(usize, i64)> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).take(DIGITS_PER_WORD + 1);
    let add = |(count, number), byte: &u8| (count + 1, number * 10 + i64::from(byte - b'0'));
    Some(digits.fold((0, 0), add)).filter(|(count, _)| *count > 0)
}

/// Returns how many digits a word of text begins with, the first in its lowest byte, `most` at most; and their number.
#[inline]
fn eight_digits(word: u64, most: usize) -> (usize, i64) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = word ^ (ONES * 0x30);
    // The high bit of each byte that is no digit; the lowest such is right.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let count = (others.trailing_zeros() as usize / 8).min(most);
    // As if zeros stood before them; then ones and tens to hundreds, to ten thousands, to all.
    let eight = digits.checked_shl(64 - 8 * u32::try_from(count).unwrap_or(0)).unwrap_or(0);
    let twos = (eight * 10 + (eight >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    let all = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    (count, all.cast_signed())
}

/// Returns the bytes before the first digit.
fn leading_text(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(u8::is_ascii_digit).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default()
}

impl FoundTemplate {
    /// Returns the template that all strings have, or with bits those whose bit is set: the others get the numbers
    /// of the one before.
    pub(crate) fn of(strings: StringsRef<'_>, validity: Option<&[u8]>) -> Option<Self> {
        if strings.len() < FEWEST {
            return None;
        }
        let first = (0..strings.len()).find(|i| is_valid(validity, *i))?;
        // A few strings show that most columns have no template.
        let step = strings.len().div_ceil(16);
        let (texts, mut numbers) = Self::of_one(strings.get(first))?;
        for i in (first..strings.len()).step_by(step).filter(|i| is_valid(validity, *i)) {
            let string = strings.get(i);
            add(&texts, &mut numbers, string, string.len())?;
        }
        for number in &mut numbers {
            number.values.clear();
            number.values.reserve(strings.len());
        }
        for (i, (string, rest)) in strings.rests().enumerate() {
            match is_valid(validity, i) {
                true => add(&texts, &mut numbers, rest, string.len())?,
                false => numbers.iter_mut().for_each(Number::repeat),
            }
        }
        Self::merged(texts, numbers)
    }

    /// Returns the texts of a string with digits: before the first number, and after each.
    fn of_one(string: &[u8]) -> Option<(Vec<Text>, Vec<Number>)> {
        let first = leading_text(string);
        let (mut texts, mut numbers) = (vec![Text::new(first)], Vec::new());
        let mut rest = string.get(first.len()..)?;
        while !rest.is_empty() {
            let (count, _) = leading_number(rest, rest.len())?;
            let behind = leading_text(rest.get(count..)?);
            rest = rest.get(count + behind.len()..)?;
            texts.push(Text::new(behind));
            numbers.push(Number { shortest: count, ..Number::default() });
        }
        (1..=MOST_NUMBERS).contains(&numbers.len()).then_some((texts, numbers))
    }

    /// Chooses the widths of numbers, and moves constant numbers into the texts.
    fn merged(texts: Vec<Text>, numbers: Vec<Number>) -> Option<Self> {
        let mut texts = texts.into_iter().map(|text| text.bytes);
        let mut merged = Self { first: texts.next()?, numbers: Vec::new() };
        for (mut number, behind) in numbers.into_iter().zip(texts) {
            let text = match merged.numbers.last_mut() {
                Some(before) => &mut before.behind,
                None => &mut merged.first,
            };
            let most = number.values.iter().copied().max()?;
            if number.shortest == number.longest {
                let width = number.longest;
                let digits = (1..width).find(|n| most.cast_unsigned() < above(*n)).unwrap_or(width);
                if number.values.iter().all(|value| *value == most) {
                    text.extend(format!("{most:0width$}").into_bytes());
                    text.extend(behind);
                    continue;
                }
                text.extend(std::iter::repeat_n(b'0', width - digits));
                number.width = u8::try_from(digits).ok()?;
            } else if number.leading_zeros || number.longest > DIGITS_PER_WORD {
                return None;
            } else {
                number.width = u8::try_from(FREE).ok()?;
            }
            number.behind = behind;
            merged.numbers.push(number);
        }
        let texts = std::iter::once(&merged.first);
        let mut texts = texts.chain(merged.numbers.iter().map(|number| &number.behind));
        let short = texts.all(|text| text.len() <= MOST_TEXT);
        (short && !merged.numbers.is_empty()).then_some(merged)
    }

    /// Appends the template and the numbers.
    pub(crate) fn put(&self, depth: u32, out: &mut Payload) {
        out.push(u8::try_from(self.numbers.len()).unwrap_or(0));
        put_text(&self.first, out);
        for number in &self.numbers {
            out.push(number.width);
            put_text(&number.behind, out);
        }
        for number in &self.numbers {
            integer::put(&number.values, depth, out);
        }
    }
}

/// Parses the numbers of one more string: the first `len` bytes of `rest`.
#[inline]
fn add(texts: &[Text], numbers: &mut [Number], rest: &[u8], len: usize) -> Option<()> {
    let (first, texts) = texts.split_first()?;
    let mut at = first.bytes.len();
    if !first.begins(rest) {
        return None;
    }
    for (number, behind) in numbers.iter_mut().zip(texts) {
        let rest = rest.get(at..)?;
        let (count, value) = leading_number(rest, len.checked_sub(at)?)?;
        number.leading_zeros |= count > 1 && rest.first() == Some(&b'0');
        number.shortest = number.shortest.min(count);
        number.longest = number.longest.max(count);
        number.values.push(value);
        if !behind.begins(rest.get(count..)?) {
            return None;
        }
        at += count + behind.bytes.len();
    }
    (at == len).then_some(())
}

/// Appends a text of no more than [`MOST_TEXT`] bytes.
fn put_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
    out.extend_from_slice(text);
}
