//! Hints for encoding strings, computed from one block and used for several.

use super::distinct::{Distinct, StringsRef};
use super::fsst::{Compressor, Symbols};
use crate::pack::options::Options;

/// Strings of a sample, in pieces of [`PIECE`] neighbours.
const SAMPLE: usize = 512;
const PIECE: usize = 8;

/// How much is packed with symbols to see whether they pay.
const TRIAL: usize = 8 << 10;

/// Options, and what earlier values have shown.
#[derive(Debug, Default)]
pub(crate) struct StringHints {
    options: Options,
    /// Whether strings may be integers.
    pub(super) integers: bool,
    /// Whether enough strings are repeated for a dictionary to pay.
    pub(super) repetitive: bool,
    symbols: Option<TrainedSymbols>,
}

/// A symbol table, for writing.
#[derive(Debug)]
pub(super) struct TrainedSymbols {
    pub(super) table: Symbols,
    pub(super) compressor: Compressor,
}

impl StringHints {
    /// Samples strings. Unless they are `text`, they may be integers.
    pub(crate) fn of(options: Options, strings: StringsRef<'_>, text: bool) -> Self {
        let mut hints = Self { options, ..Self::default() };
        let bytes = strings.bytes();
        hints.integers = !text;
        let most = strings.len() / 2;
        hints.repetitive = strings.len() > 8 && Distinct::of(strings, None, most).is_some();
        if hints.options.zstd || hints.options.fsst_threshold == 0 || bytes.len() < 256 {
            return hints;
        }
        let step = (strings.len() / SAMPLE * PIECE).max(PIECE);
        let pieces = (0..strings.len()).step_by(step).map(|first| {
            let end = (first + PIECE).min(strings.len());
            StringsRef {
                offsets: strings.offsets.get(first..=end).unwrap_or_default(),
                data: strings.data,
            }
            .bytes()
        });
        let table = Symbols::train(pieces);
        let compressor = Compressor::new(&table);
        let middle = bytes.len() / 2;
        let trial = bytes.get(middle..).unwrap_or_default();
        let trial = trial.get(..TRIAL).unwrap_or(trial);
        let mut codes = Vec::new();
        compressor.compress(trial, &mut codes);
        if codes.len() <= hints.worth(trial.len()) {
            hints.symbols = Some(TrainedSymbols { table, compressor });
        }
        hints
    }

    /// Returns the maximum size of the codes for which FSST is used.
    pub(super) fn worth(&self, bytes: usize) -> usize {
        bytes * usize::from(self.options.fsst_threshold) / 100
    }

    pub(super) fn symbols(&self) -> Option<&TrainedSymbols> {
        self.symbols.as_ref()
    }
}
