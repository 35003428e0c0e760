//! What some values of a column teach for those behind them: found once for many blocks, since the search takes
//! longer than its use.
//!
//! ```text
//! block 0    search ──► hints ──► blocks 0 to 15        block 16   search ──► hints ──► blocks 16 to 31 ...
//! ```
//! Which block is searched depends on nothing but its number, so a file is the same however many threads pack it.

use crate::pack::float::alp::{self, Scale};
use crate::pack::float::width::Real;
use crate::pack::string::distinct::{Distinct, StringsRef};
use crate::pack::string::fsst::{Compressor, Symbols};

/// For so many blocks hints are good.
pub(crate) const GOOD_FOR: usize = 16;

/// Strings of a sample, in pieces of [`PIECE`] neighbours.
const SAMPLE: usize = 512;
const PIECE: usize = 8;

/// How much is packed with symbols to see whether they pay.
const TRIAL: usize = 8 << 10;

/// What a writer has said, and earlier values have shown.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    pub(crate) options: Options,
    pub(crate) scales: Vec<Scale>,
    /// Whether strings may be integers.
    pub(super) integers: bool,
    /// Whether so many strings are repeated that a dictionary may pay.
    pub(super) repetitive: bool,
    symbols: Option<TrainedSymbols>,
}

/// What a writer may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Options {
    /// Symbols take the place of strings if they take less than so many hundredths of their bytes.
    pub(crate) symbols_below: u8,
    /// Whether zstd goes over what is packed; strings are left to it then.
    pub(crate) zstd: bool,
}

impl Options {
    /// Whether doubles are cut in two: they take a quarter less then, and twice as long to read.
    pub(super) fn splits(self) -> bool {
        self.zstd || self.symbols_below >= 100
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { symbols_below: 68, zstd: false }
    }
}

/// A symbol table, for writing.
#[derive(Debug)]
pub(super) struct TrainedSymbols {
    pub(super) table: Symbols,
    pub(super) compressor: Compressor,
}

impl Hints {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Looks at floats.
    pub(crate) fn of_floats<R: Real>(mut self, values: &[R]) -> Self {
        self.scales = alp::candidates(values);
        self
    }

    /// Looks at strings; if they are no `text`, they may be integers.
    pub(crate) fn of_strings(mut self, strings: StringsRef<'_>, text: bool) -> Self {
        let bytes = strings.bytes();
        self.integers = !text;
        let most = strings.len() / 2;
        self.repetitive = strings.len() > 8 && Distinct::of(strings, None, most).is_some();
        if self.options.zstd || self.options.symbols_below == 0 || bytes.len() < 256 {
            return self;
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
        if codes.len() <= self.worth(trial.len()) {
            self.symbols = Some(TrainedSymbols { table, compressor });
        }
        self
    }

    /// How few bytes the codes of so many must be.
    pub(super) fn worth(&self, bytes: usize) -> usize {
        bytes * usize::from(self.options.symbols_below) / 100
    }

    pub(super) fn symbols(&self) -> Option<&TrainedSymbols> {
        self.symbols.as_ref()
    }
}
