//! Hints for encoding strings, computed from one block and used for several.

use super::code_table::TrainedCodes;
use super::distinct::{Distinct, StringsRef};
use crate::pack::options::Options;

/// Strings of fewer bytes are not encoded as codes.
const FEWEST: usize = 256;

/// Of more strings, a sample in pieces of neighbours shows whether enough are repeated.
const SAMPLE: usize = 1024;
const PIECE: usize = 8;

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
    /// Samples strings. Unless they are `text`, they may be integers. Returns also the distinct ones, if they are few.
    pub(crate) fn of(
        options: Options,
        strings: StringsRef<'_>,
        text: bool,
    ) -> (Self, Option<Distinct>) {
        let mut hints = Self { options, ..Self::default() };
        hints.integers = !text;
        let distinct = few_distinct(strings);
        hints.repetitive = distinct.is_some();
        hints.train(strings, distinct.as_ref());
        (hints, distinct)
    }

    /// Trains codes, if they pay.
    fn train(&mut self, strings: StringsRef<'_>, distinct: Option<&Distinct>) {
        // Of a dictionary only the entries are encoded.
        let strings = distinct.map_or(strings, |distinct| StringsRef {
            offsets: &distinct.offsets,
            data: &distinct.data,
        });
        let bytes = strings.bytes().len();
        if self.options.zstd || self.options.fsst_threshold == 0 || bytes < FEWEST {
            return;
        }
        let (codes, size) = TrainedCodes::train(strings);
        if size <= self.worth(100) {
            (self.codes, self.codes_size) = (Some(codes), size);
        }
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

/// Returns the distinct strings, if they are at most half of all.
fn few_distinct(strings: StringsRef<'_>) -> Option<Distinct> {
    if strings.len() <= PIECE || !has_repeats(strings) {
        return None;
    }
    Distinct::of(strings, None, strings.len() / 2)
}

/// Returns false if no string of a sample is repeated: among half as many distinct ones as strings, in any order, a sample
/// has some twice.
fn has_repeats(strings: StringsRef<'_>) -> bool {
    if strings.len() < 4 * SAMPLE {
        return true;
    }
    let step = strings.len() / (SAMPLE / PIECE);
    let (mut offsets, mut data) = (vec![0], Vec::new());
    for string in (0..strings.len()).step_by(step).flat_map(|at| strings.part(at, PIECE).iter()) {
        data.extend_from_slice(string);
        offsets.push(i32::try_from(data.len()).unwrap_or(i32::MAX));
    }
    let sample = StringsRef { offsets: &offsets, data: &data };
    Distinct::of(sample, None, sample.len() - 1).is_some()
}
