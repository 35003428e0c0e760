//! Finds the template of strings.
//!
//! ```text
//! first string   user_000042/a ──► texts "user_" "/a"; one number, of 6 digits
//! each           the same texts, and digits between them     fails at the first string that is otherwise
//! widths         all alike: with leading zeros               else free, if no string has leading zeros
//! settled        "user_0" ##### "/a"                         what all numbers share goes into the texts
//! ```

use super::{FREE, MOST_DIGITS, MOST_NUMBERS, above};
use crate::kernel::FIGURES;
use crate::pack::distinct::StringsRef;
use crate::pack::numbers;

/// The longest text that is written.
const MOST_TEXT: usize = u8::MAX as usize;

/// The fewest strings that are worth a template.
const FEWEST: usize = 4;

/// A template, and the numbers of each string.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    first: Vec<u8>,
    pub(super) numbers: Vec<Number>,
}

/// One number of the template and the text behind it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Number {
    pub(super) width: u8,
    pub(super) values: Vec<i64>,
    pub(super) behind: Vec<u8>,
    /// Digits of the shortest and of the longest.
    shortest: usize,
    longest: usize,
    /// Whether one begins with 0 and goes on.
    leading_zeros: bool,
}

/// The digits that bytes begin with: how many, and the number; `None` if there are none or too many.
fn leading_number(bytes: &[u8]) -> Option<(usize, i64)> {
    let (mut count, mut number) = (0, 0i64);
    for byte in bytes.iter().take_while(|byte| byte.is_ascii_digit()) {
        count += 1;
        if count > MOST_DIGITS {
            return None;
        }
        number = number * 10 + i64::from(byte - b'0');
    }
    (count > 0).then_some((count, number))
}

/// The bytes before the first digit.
fn leading_text(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(u8::is_ascii_digit).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default()
}

impl Found {
    /// The template that all strings have, if they have one.
    pub(crate) fn of(strings: StringsRef<'_>) -> Option<Self> {
        if strings.len() < FEWEST {
            return None;
        }
        let mut found = Self::of_one(strings.get(0))?;
        // Most strings that have none are seen not to here.
        let step = strings.len().div_ceil(16);
        for i in (0..strings.len()).step_by(step) {
            found.add(strings.get(i))?;
        }
        let mut found = Self::of_one(strings.get(0))?;
        for number in &mut found.numbers {
            number.values.reserve(strings.len());
        }
        for string in strings.iter() {
            found.add(string)?;
        }
        found.settle()
    }

    /// The texts of a string with digits.
    fn of_one(string: &[u8]) -> Option<Self> {
        let first = leading_text(string);
        let mut found = Self { first: first.to_vec(), numbers: Vec::new() };
        let mut rest = string.get(first.len()..)?;
        while !rest.is_empty() {
            let (count, _) = leading_number(rest)?;
            let behind = leading_text(rest.get(count..)?);
            rest = rest.get(count + behind.len()..)?;
            let number = Number { behind: behind.to_vec(), shortest: count, ..Number::default() };
            found.numbers.push(number);
        }
        (1..=MOST_NUMBERS).contains(&found.numbers.len()).then_some(found)
    }

    /// Takes the numbers of one more string.
    fn add(&mut self, string: &[u8]) -> Option<()> {
        let mut rest = string.strip_prefix(self.first.as_slice())?;
        for number in &mut self.numbers {
            let (count, value) = leading_number(rest)?;
            number.leading_zeros |= count > 1 && rest.first() == Some(&b'0');
            number.shortest = number.shortest.min(count);
            number.longest = number.longest.max(count);
            number.values.push(value);
            rest = rest.get(count..)?.strip_prefix(number.behind.as_slice())?;
        }
        rest.is_empty().then_some(())
    }

    /// Decides how wide numbers are, and puts what is always the same into the texts.
    fn settle(self) -> Option<Self> {
        let mut settled = Self { first: self.first, numbers: Vec::new() };
        for mut number in self.numbers {
            let text = match settled.numbers.last_mut() {
                Some(before) => &mut before.behind,
                None => &mut settled.first,
            };
            let most = number.values.iter().copied().max()?;
            if number.shortest == number.longest {
                let width = number.longest;
                let digits = (1..width).find(|n| most.cast_unsigned() < above(*n)).unwrap_or(width);
                if number.values.iter().all(|value| *value == most) {
                    text.extend(format!("{most:0width$}").into_bytes());
                    text.extend(number.behind);
                    continue;
                }
                text.extend(std::iter::repeat_n(b'0', width - digits));
                number.width = u8::try_from(digits).ok()?;
            } else if number.leading_zeros || number.longest > FIGURES {
                return None;
            } else {
                number.width = u8::try_from(FREE).ok()?;
            }
            settled.numbers.push(number);
        }
        let texts = std::iter::once(&settled.first);
        let mut texts = texts.chain(settled.numbers.iter().map(|number| &number.behind));
        let short = texts.all(|text| text.len() <= MOST_TEXT);
        (short && !settled.numbers.is_empty()).then_some(settled)
    }

    /// Appends the template and the numbers.
    pub(crate) fn put(&self, depth: u32, out: &mut Vec<u8>) {
        out.push(u8::try_from(self.numbers.len()).unwrap_or(0));
        put_text(&self.first, out);
        for number in &self.numbers {
            out.push(number.width);
            put_text(&number.behind, out);
        }
        for number in &self.numbers {
            numbers::put(&number.values, depth, out);
        }
    }
}

/// Appends a text of no more than [`MOST_TEXT`] bytes.
fn put_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
    out.extend_from_slice(text);
}
