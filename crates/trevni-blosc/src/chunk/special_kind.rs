//! The kinds of special values.

use trevni::{Error, Result};

/// Values that need no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// All bits 0.
    Zeros,
    /// NaN, of 4 or 8 bytes by the typesize.
    Nan,
    /// Never written: any value is valid, 0 is returned.
    Uninit,
}

impl Special {
    /// Returns the number in a chunk's flags, and in a frame's index.
    pub(crate) fn code(self) -> u8 {
        match self {
            Special::Zeros => 1,
            Special::Nan => 2,
            Special::Uninit => 4,
        }
    }

    /// Returns the special values of a number; 3, a repeated value, is none of them.
    pub(crate) fn from_code(code: u8) -> Result<Self> {
        [Special::Zeros, Special::Nan, Special::Uninit]
            .into_iter()
            .find(|kind| kind.code() == code)
            .ok_or_else(|| Error::unsupported(format!("special values of number {code}")))
    }
}
