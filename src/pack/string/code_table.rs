//! The two encodings of strings as codes, and the choice between them.
//!
//! ```text
//! FSST           255 symbols of up to 8 bytes, a byte a code; a symbol may span strings
//! byte pairs     4,096 tokens of up to 16 bytes, 12 bits a code, a larger table
//! ```

use std::fmt;

use super::byte_pair::{self, BytePairCompressor, BytePairExpander, BytePairs};
use super::distinct::StringsRef;
use super::fsst::{Compressor, Expander, Symbols};
use super::{BYTE_PAIRS, SYMBOLS};
use crate::error::Result;
use crate::pack::payload_reader::Input;

/// How much is encoded to see how large the codes are.
const TRIAL: usize = 8 << 10;

/// FSST is not tried where byte pairs take no more than this many hundredths of the bytes.
const ENOUGH: usize = 45;

/// Strings of a sample for FSST, in pieces of [`PIECE`] neighbours.
const SAMPLE: usize = 512;
const PIECE: usize = 8;

/// What codes stand for, for reading.
#[derive(Debug)]
pub(crate) enum CodeTable {
    Fsst(Expander),
    BytePairs(BytePairExpander),
}

impl fmt::Display for CodeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fsst(_) => "symbols",
            Self::BytePairs(_) => "byte pairs",
        })
    }
}

impl CodeTable {
    pub(crate) fn take_fsst(input: &mut Input) -> Result<Box<Self>> {
        let symbols = input.parse("symbol table", Symbols::take)?;
        Ok(Box::new(Self::Fsst(Expander::new(&symbols))))
    }

    pub(crate) fn take_byte_pairs(input: &mut Input) -> Result<Box<Self>> {
        input.allocate(1, byte_pair::EXPANDER_BYTES)?;
        let table = BytePairs::take(input)?;
        Ok(Box::new(Self::BytePairs(BytePairExpander::new(&table))))
    }

    /// Appends at least the first `len` bytes of the text of a group, and few more. Returns false if it is shorter.
    pub(crate) fn expand_start(&self, codes: &[u8], len: usize, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Fsst(table) => table.expand_start(codes, len, out),
            Self::BytePairs(table) => table.expand_start(codes, len, out),
        }
    }
}

/// What codes stand for, for writing.
#[derive(Debug)]
pub(crate) enum TrainedCodes {
    Fsst(Symbols, Compressor),
    BytePairs(BytePairs, BytePairCompressor),
}

impl TrainedCodes {
    /// Trains both encodings. Returns byte pairs if they save a tenth, and about how many hundredths of the bytes it takes.
    pub(crate) fn train(strings: StringsRef<'_>) -> (Self, usize) {
        let (table, compressor) = BytePairs::train(strings);
        let pairs = Self::BytePairs(table, compressor);
        let size = pairs.estimate(strings);
        if size <= ENOUGH {
            return (pairs, size);
        }
        let step = (strings.len() / SAMPLE * PIECE).max(PIECE);
        let pieces =
            (0..strings.len()).step_by(step).map(|first| strings.part(first, PIECE).bytes());
        let table = Symbols::train(pieces);
        let compressor = Compressor::new(&table);
        let symbols = Self::Fsst(table, compressor);
        match symbols.estimate(strings) {
            symbols_size if symbols_size * 9 <= size * 10 => (symbols, symbols_size),
            _ => (pairs, size),
        }
    }

    /// Returns about how many hundredths of the bytes of strings their codes and the table take.
    fn estimate(&self, strings: StringsRef<'_>) -> usize {
        let middle = strings.len() / 2;
        let mut trial = strings.part(middle, strings.len() - middle);
        while trial.bytes().len() > TRIAL && trial.len() > 1 {
            trial = trial.part(0, trial.len() / 2);
        }
        let (mut codes, mut table) = (Vec::new(), Vec::new());
        self.compress(trial, &mut codes);
        self.put(&mut table);
        let (bytes, trial) = (strings.bytes().len().max(1), trial.bytes().len().max(1));
        (codes.len() * 100).div_ceil(trial) + table.len() * 100 / bytes
    }

    /// Returns the kind of strings.
    pub(crate) fn kind(&self) -> u8 {
        match self {
            Self::Fsst(..) => SYMBOLS,
            Self::BytePairs(..) => BYTE_PAIRS,
        }
    }

    /// Appends the table.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Fsst(table, _) => table.put(out),
            Self::BytePairs(table, _) => table.put(out),
        }
    }

    /// Appends the codes of a group.
    pub(crate) fn compress(&self, group: StringsRef<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Fsst(_, compressor) => compressor.compress(group.bytes(), out),
            Self::BytePairs(_, compressor) => compressor.compress(group, out),
        }
    }
}
