//! FSST, fast static symbol tables (Boncz, Neumann and Leis, 2020): short texts made shorter by
//! naming up to 255 frequent pieces of them, the symbols, by one byte each. Nothing is carried
//! from one code to the next, so a run of strings is opened alone, without the runs before it.
//!
//! The table, which both sides need:
//!
//! ```text
//! +-------+----------------------+--------------------------------------------+
//! | count | count lengths        | the symbols' bytes, end to end             |
//! | u8    | u8 each, from 1 to 8 | sum of the lengths; symbol 0's bytes first |
//! +-------+----------------------+--------------------------------------------+
//! ```
//!
//! A compressed text is a sequence of one-byte codes without a header. Its compressed and uncompressed sizes are
//! stored by the caller:
//!
//! ```text
//! 0 .. count      the bytes of that symbol
//! count .. 255    malformed
//! 255 b           the byte b itself, an escape; malformed without its b
//! ```

mod compress;
mod expand;
mod train;

pub(crate) use compress::Compressor;
pub(crate) use expand::Expander;

/// The code for a literal byte, which follows it.
const ESCAPE: u8 = 255;

/// The maximum number of symbols: every code but the escape.
const MAX_SYMBOLS: usize = 255;

/// One symbol: its bytes from the lowest of `word` up, and zeros above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Symbol {
    word: u64,
    len: u8,
}

impl Symbol {
    /// Ones where the symbol has bytes.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * u32::from(self.len.clamp(1, 8)))
    }

    /// This symbol, which has fewer than eight bytes, and then the other: eight bytes at most.
    fn join(self, other: Self) -> Self {
        let word = self.word | other.word << (8 * u32::from(self.len.min(7)));
        Self { word, len: (self.len + other.len).min(8) }
    }
}

/// Up to eight bytes as a word, the first one lowest, and zeros above.
fn padded_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(word)
}

/// Up to 255 symbols of 1 to 8 bytes. The index of a symbol is its code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Symbols {
    symbols: Vec<Symbol>,
}

impl Symbols {
    /// Trains a table on samples; the result is deterministic. The samples are read as one text, so a sample should
    /// be several strings end to end, as they are compressed. Sixteen thousand bytes in total are enough; bytes
    /// after the first 65,535 are ignored.
    pub(crate) fn train<'a>(samples: impl Iterator<Item = &'a [u8]>) -> Self {
        train::train(samples)
    }

    /// Appends the table's bytes.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        // The count is at most 255: `train` and `take` see to it.
        out.push(u8::try_from(self.symbols.len()).unwrap_or(u8::MAX));
        out.extend(self.symbols.iter().map(|symbol| symbol.len));
        for symbol in &self.symbols {
            out.extend(symbol.word.to_le_bytes().iter().take(usize::from(symbol.len)));
        }
    }

    /// Returns the table at the start of `bytes` and how many bytes it has there. Nothing if they end too
    /// early or a length is not from 1 to 8.
    pub(crate) fn take(bytes: &[u8]) -> Option<(Self, usize)> {
        let (count, rest) = bytes.split_first()?;
        let (lens, mut rest) = rest.split_at_checked(usize::from(*count))?;
        let mut symbols = Vec::with_capacity(lens.len());
        for &len in lens {
            if !(1..=8).contains(&len) {
                return None;
            }
            let (symbol, after) = rest.split_at_checked(usize::from(len))?;
            symbols.push(Symbol { word: padded_word(symbol), len });
            rest = after;
        }
        Some((Self { symbols }, bytes.len() - rest.len()))
    }
}

#[cfg(test)]
mod tests;
