//! Hints for encoding strings, computed from one block and used for several.

use super::code_table::TrainedCodes;
use super::distinct::{Distinct, StringsRef};
use crate::pack::options::Options;

/// Strings of fewer bytes are not encoded as codes.
const FEWEST: usize = 256;

/// Options, and what earlier values have shown.
#[derive(Debug, Default)]
pub(crate) struct StringHints {
    options: Options,
    /// Whether strings may be integers.
    pub(super) integers: bool,
    /// Whether enough strings are repeated for a dictionary to pay.
    pub(super) repetitive: bool,
    codes: Option<TrainedCodes>,
    /// How many hundredths of the bytes the codes take, if there are codes.
    codes_size: usize,
}

impl StringHints {
    /// Samples strings. Unless they are `text`, they may be integers.
    pub(crate) fn of(options: Options, strings: StringsRef<'_>, text: bool) -> Self {
        let mut hints = Self { options, ..Self::default() };
        hints.integers = !text;
        let most = strings.len() / 2;
        let distinct = Distinct::of(strings, None, most).filter(|_| strings.len() > 8);
        hints.repetitive = distinct.is_some();
        // Of a dictionary only the entries are encoded.
        let strings = distinct.as_ref().map_or(strings, |distinct| StringsRef {
            offsets: &distinct.offsets,
            data: &distinct.data,
        });
        let bytes = strings.bytes().len();
        if hints.options.zstd || hints.options.fsst_threshold == 0 || bytes < FEWEST {
            return hints;
        }
        let (codes, size) = TrainedCodes::train(strings);
        if size <= hints.worth(100) {
            (hints.codes, hints.codes_size) = (Some(codes), size);
        }
        hints
    }

    /// Returns the maximum size of the codes for which they are used.
    pub(super) fn worth(&self, bytes: usize) -> usize {
        bytes * usize::from(self.options.fsst_threshold) / 100
    }

    /// Estimates how many bytes strings take as codes, or plain, with about a byte for each length.
    pub(super) fn expected_size(&self, strings: StringsRef<'_>) -> usize {
        let bytes = strings.bytes().len();
        let bytes = self.codes.as_ref().map_or(bytes, |_| bytes * self.codes_size / 100);
        bytes + strings.len()
    }

    pub(super) fn codes(&self) -> Option<&TrainedCodes> {
        self.codes.as_ref()
    }
}
