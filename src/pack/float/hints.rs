//! Hints for encoding floats, computed from one block and used for several.

use super::alp::{self, Scale};
use super::width::FloatBits;
use crate::pack::options::Options;

/// Options, and the scales of decimals that fitted earlier values.
#[derive(Debug, Default)]
pub(crate) struct FloatHints {
    pub(crate) options: Options,
    pub(crate) scales: Vec<Scale>,
    /// Whether scales were searched for: if none were found, they are not searched for again.
    searched: bool,
}

impl FloatHints {
    /// Finds the scales of some values.
    pub(crate) fn of<R: FloatBits>(options: Options, values: &[R]) -> Self {
        Self { options, scales: alp::candidates(values), searched: true }
    }

    /// Returns hints of which only the options are known.
    #[cfg(test)]
    pub(crate) fn of_options(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns the hints for some of the values: other scales may fit them, if none fitted all.
    pub(super) fn of_part(&self) -> Self {
        Self { scales: self.scales.clone(), searched: false, ..*self }
    }

    /// Returns the best scale for a block, and the bits that a value will take about; `None` if ALP does not pay.
    pub(super) fn best<R: FloatBits>(&self, values: &[R]) -> Option<(Scale, f64)> {
        match alp::best(values, &self.scales) {
            None if !self.searched || !self.scales.is_empty() => {
                alp::best(values, &alp::candidates(values))
            }
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::DEPTH;
    use crate::pack::float::put;
    use crate::pack::payload::Payload;

    /// No scale pays for all values, but one does for those beside the frequent one.
    #[test]
    fn decimals_beside_many_nans_are_found() {
        let value = |i: u32| {
            if i.is_multiple_of(5) { f64::from(i * 7919 % 100_000) / 100.0 } else { f64::NAN }
        };
        let values: Vec<f64> = (0..20_000).map(value).collect();
        let hints = FloatHints::of(Options::default(), &values);
        assert!(hints.scales.is_empty());
        let mut out = Payload::new(Vec::new(), false);
        put(&values, &hints, DEPTH, &mut out);
        assert!(out.len() < 4000 * 8 / 2, "{}", out.len());
    }
}
