//! Byte pair encoding: strings as tokens of 1 to 16 bytes, each token a pair of earlier ones (Gage, 1994; trained in
//! one pass as in OnPair, by Gargiulo and Venturini, 2025).
//!
//! ```text
//! tokens    0 .. 255 the bytes │ 256 = (s, h) │ 257 = (256, i) │ 258 = (257, p) │ ...
//! text      ship mail ship     codes of 8 to 12 bits, the fewest that all tokens need
//! codes     258 m a i l 258    lowest bits first; each group begins at a byte
//! ```
//! The table, which both sides need:
//!
//! ```text
//! long count of pairs │ 2 codes each, of as many bits as the codes of the text
//! ```
//! A string is cut into the longest tokens that match. No token spans two strings.

mod compress;
mod expand;
mod matcher;
mod train;

#[cfg(test)]
mod tests;

pub(crate) use compress::BytePairCompressor;
pub(crate) use expand::{BytePairExpander, EXPANDER_BYTES};

use crate::error::{Error, Result};
use crate::pack::payload_reader::Input;
use crate::wire;

/// The number of tokens that are single bytes.
const BYTES: usize = 256;

/// The maximum number of tokens.
const MOST_TOKENS: usize = 1 << 12;

/// The maximum length of a token.
const LONGEST: usize = 16;

/// The tokens that are pairs of earlier tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BytePairs {
    pairs: Vec<[u16; 2]>,
}

impl BytePairs {
    /// Trains a table on some of these strings; the result is deterministic.
    pub(crate) fn train(strings: super::distinct::StringsRef<'_>) -> (Self, BytePairCompressor) {
        let (table, matcher) = train::train(strings);
        let width = table.width();
        (table, BytePairCompressor { matcher, width })
    }

    /// Returns the bits of a code.
    fn width(&self) -> u32 {
        usize::BITS - (BYTES + self.pairs.len() - 1).leading_zeros()
    }

    /// Appends the table's bytes.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        wire::put_long(out, i64::try_from(self.pairs.len()).unwrap_or(0));
        let mut bits = CodeWriter::new(self.width(), out);
        self.pairs.iter().flatten().for_each(|code| bits.push(*code));
        bits.finish();
    }

    /// Returns the table at the start of an input.
    pub(crate) fn take(input: &mut Input) -> Result<Self> {
        let count = input.count(MOST_TOKENS - BYTES, "pairs of tokens")?;
        let mut table = Self { pairs: vec![[0; 2]; count] };
        let width = table.width();
        let bytes = (2 * count * width as usize).div_ceil(8);
        let bytes = input.take(bytes, "pairs of tokens")?;
        let mut lengths = vec![1u8; BYTES];
        for (pair, at) in table.pairs.iter_mut().zip((0usize..).step_by(2 * width as usize)) {
            *pair = [code(&bytes, at, width), code(&bytes, at + width as usize, width)];
            let length = |code: u16| lengths.get(usize::from(code)).copied();
            let sum = length(pair[0]).zip(length(pair[1])).map(|(left, right)| left + right);
            let sum = sum.filter(|sum| usize::from(*sum) <= LONGEST);
            lengths.push(sum.ok_or_else(|| Error::malformed("a pair of no tokens, or too long"))?);
        }
        Ok(table)
    }
}

/// Returns the code of up to 12 bits at a bit; zeros follow the bytes.
#[inline]
fn code(bytes: &[u8], bit: usize, width: u32) -> u16 {
    let rest = bytes.get(bit / 8..).unwrap_or_default();
    let word = match rest.first_chunk() {
        Some(word) => u32::from_le_bytes(*word),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)),
    };
    #[allow(clippy::cast_possible_truncation)] // A code has at most 12 bits.
    let code = (word >> (bit % 8) & ((1 << width) - 1)) as u16;
    code
}

/// Appends codes, lowest bits first.
struct CodeWriter<'a> {
    width: u32,
    word: u64,
    bits: u32,
    out: &'a mut Vec<u8>,
}

impl<'a> CodeWriter<'a> {
    fn new(width: u32, out: &'a mut Vec<u8>) -> Self {
        Self { width, word: 0, bits: 0, out }
    }

    #[inline]
    fn push(&mut self, code: u16) {
        self.word |= u64::from(code) << self.bits;
        self.bits += self.width;
        if self.bits >= 32 {
            self.out
                .extend_from_slice(self.word.to_le_bytes().first_chunk::<4>().unwrap_or(&[0; 4]));
            self.word >>= 32;
            self.bits -= 32;
        }
    }

    /// Appends the last codes, up to the end of a byte.
    fn finish(self) {
        let bytes = self.bits.div_ceil(8) as usize;
        self.out.extend(self.word.to_le_bytes().iter().take(bytes));
    }
}
