//! Hints for encoding floats, computed from one block and used for several.

use super::alp::{self, Scale};
use super::width::FloatBits;
use crate::pack::options::Options;

/// Options, and the scales of decimals that fitted earlier values.
#[derive(Debug, Default)]
pub(crate) struct FloatHints {
    pub(crate) options: Options,
    pub(crate) scales: Vec<Scale>,
}

impl FloatHints {
    /// Finds the scales of some values.
    pub(crate) fn of<R: FloatBits>(options: Options, values: &[R]) -> Self {
        Self { options, scales: alp::candidates(values) }
    }
}
