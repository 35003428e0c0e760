//! Expands the codes of tokens to text.
//!
//! ```text
//! code ──► 16 bytes are stored, whatever the length of the token ──► the next token overwrites the excess
//! ```

use super::{BYTES, BytePairs, LONGEST, MOST_TOKENS, code};

/// The bytes that a store may write after the text.
const EXCESS: usize = LONGEST;

/// The memory of an expander.
pub(crate) const EXPANDER_BYTES: usize = MOST_TOKENS * (LONGEST + 1);

/// Tokens by code.
pub(crate) struct BytePairExpander {
    /// The bytes of each, and zeros.
    tokens: Box<[[u8; LONGEST]; MOST_TOKENS]>,
    /// 0 for a code without a token.
    lengths: Box<[u8; MOST_TOKENS]>,
    width: u32,
}

impl BytePairExpander {
    pub(crate) fn new(table: &BytePairs) -> Self {
        let mut tokens = Box::new([[0; LONGEST]; MOST_TOKENS]);
        let mut lengths = Box::new([0; MOST_TOKENS]);
        for (byte, (token, length)) in (0u8..=255).zip(tokens.iter_mut().zip(lengths.iter_mut())) {
            (*token, *length) = ([0; LONGEST], 1);
            if let Some(first) = token.first_mut() {
                *first = byte;
            }
        }
        for (i, [left, right]) in table.pairs.iter().enumerate() {
            let get = |code: u16| {
                let code = usize::from(code);
                let token = tokens.get(code).map(|token| u128::from_le_bytes(*token));
                (token.unwrap_or(0), lengths.get(code).copied().unwrap_or(0))
            };
            let ((first, before), (second, after)) = (get(*left), get(*right));
            let shifted = second.checked_shl(8 * u32::from(before)).unwrap_or(0);
            if let Some((token, length)) = tokens.get_mut(BYTES + i).zip(lengths.get_mut(BYTES + i))
            {
                (*token, *length) = ((first | shifted).to_le_bytes(), before + after);
            }
        }
        Self { tokens, lengths, width: table.width() }
    }

    /// Appends the text of groups, each with its codes and its length; all codes are `codes` bytes, and all text is
    /// `total` bytes. Returns false if a text has another length.
    pub(crate) fn expand_groups<'c>(
        &self,
        groups: impl Iterator<Item = (&'c [u8], usize)>,
        codes: usize,
        total: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        // No memory is reserved for what is impossible.
        if total > codes.saturating_mul(LONGEST) {
            return false;
        }
        let start = out.len();
        let mut at = start;
        out.resize(start + total + EXCESS, 0);
        for (codes, bytes) in groups {
            match self.expand(codes, usize::MAX, at, out) {
                Some(end) if end == at + bytes => at = end,
                _ => return false,
            }
        }
        out.truncate(at);
        at == start + total
    }

    /// Appends at least the first `len` bytes of the text of a group, and few more. Returns false if it is shorter.
    pub(crate) fn expand_start(&self, codes: &[u8], len: usize, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if len > codes.len().saturating_mul(LONGEST) {
            return false;
        }
        out.resize(start + len + 5 * EXCESS, 0);
        let end = self.expand(codes, len, start, out).unwrap_or(start);
        out.truncate(end);
        end >= start + len
    }

    /// Writes the text of codes at `at` in `out`, which is [`EXCESS`] bytes longer than the text may be. Stops soon
    /// after `least` bytes. Returns where the text ends; `None` if a code has no token, or the text
    /// is too long.
    fn expand(&self, codes: &[u8], least: usize, at: usize, out: &mut [u8]) -> Option<usize> {
        let (end, width) = (at.saturating_add(least), self.width as usize);
        let (mut at, mut shortest, mut i) = (at, 1, 0);
        let count = codes.len() * 8 / width;
        let mut put = |code: u64, to: &mut [u8; LONGEST]| {
            #[allow(clippy::cast_possible_truncation)] // A code has at most 12 bits.
            let code = code as usize % MOST_TOKENS;
            *to = self.tokens.get(code).copied().unwrap_or_default();
            let length = self.lengths.get(code).copied().unwrap_or(0);
            shortest = shortest.min(length);
            usize::from(length)
        };
        // Four codes are loaded at once, and have room for the longest tokens.
        while i + 4 <= count && at < end {
            let bit = i * width;
            let Some(word) = codes.get(bit / 8..).and_then(|rest| rest.first_chunk()) else {
                break;
            };
            let Some(window) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) else {
                break;
            };
            let window: &mut [u8; 4 * LONGEST] = window;
            let mut word = u64::from_le_bytes(*word) >> (bit % 8);
            let mut place = 0;
            for _ in 0..4 {
                let code = word & ((1 << width) - 1);
                word >>= width;
                let to = window.get_mut(place..).and_then(|rest| rest.first_chunk_mut());
                let Some(to) = to else { break };
                place += put(code, to);
            }
            at += place;
            i += 4;
        }
        while i < count && at < end {
            let code = u64::from(code(codes, i * width, self.width));
            at += put(code, out.get_mut(at..)?.first_chunk_mut()?);
            i += 1;
        }
        (shortest > 0).then_some(at)
    }
}

impl std::fmt::Debug for BytePairExpander {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BytePairExpander").field("width", &self.width).finish_non_exhaustive()
    }
}
