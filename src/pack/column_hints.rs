//! Parameters of encodings that are searched once for many blocks of a column, since the search takes longer than
//! the encoding.
//!
//! ```text
//! block 0    search ──► hints ──► blocks 0 to 15        block 16   search ──► hints ──► blocks 16 to 31 ...
//! ```
//! Which block is searched depends on nothing but its number, so a file is the same however many threads pack it.

use super::float::hints::FloatHints;
use super::string::hints::StringHints;

/// The number of blocks that hints are used for.
pub(crate) const GOOD_FOR: usize = 16;

/// The hints of a column, of its kind of values.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    pub(crate) floats: FloatHints,
    pub(crate) strings: StringHints,
}
