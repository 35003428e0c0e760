//! Identifiers of writes, by which a write that is repeated after a failure is committed once.

use std::fmt;
use std::str::FromStr;

use super::file_names;
use crate::error::{Error, Result};

/// The most bytes of an identifier.
const LONGEST: usize = 128;

/// Identifies a write. A host that does not know whether it has committed may commit again with the same identifier:
/// the files become visible once. See [`UncommittedFiles::with_write_id`](super::UncommittedFiles::with_write_id).
///
/// ```
/// use trevni::dataset::WriteId;
///
/// let id = WriteId::unique();
/// assert_eq!(id.to_string().parse::<WriteId>()?, id);
/// assert_ne!(WriteId::unique(), id);
/// # Ok::<_, trevni::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WriteId(String);

impl WriteId {
    /// Creates an identifier that no other write has.
    pub fn unique() -> Self {
        Self(file_names::unique())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WriteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for WriteId {
    type Err = Error;

    /// Takes 1 to 128 printable ASCII characters.
    fn from_str(text: &str) -> Result<Self> {
        let is_valid =
            (1..=LONGEST).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        match is_valid {
            true => Ok(Self(text.to_owned())),
            false => Err(Error::invalid(
                "the identifier of a write has 1 to 128 printable ASCII characters",
            )),
        }
    }
}
