//! Errors, by kind: what failed, and at which column, block and offset.
//!
//! [`Error`] has the size of a pointer. Its [`ErrorKind`] tells who can fix it: the operating system or storage
//! ([`Io`]), the producer of the file ([`Malformed`], [`Checksum`]), a build with more features ([`Unsupported`]),
//! the caller ([`Invalid`]), or a higher [`Limits`](crate::io::Limits) ([`TooLarge`]). Where known, it has the
//! location: file, column, block or chunk, and byte offset.
//!
//! [`Io`]: ErrorKind::Io
//! [`Malformed`]: ErrorKind::Malformed
//! [`Checksum`]: ErrorKind::Checksum
//! [`Unsupported`]: ErrorKind::Unsupported
//! [`Invalid`]: ErrorKind::Invalid
//! [`TooLarge`]: ErrorKind::TooLarge

use std::fmt;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with its location in the file.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    location: ErrorLocation,
}

/// The location of an error in a file. Unknown parts are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorLocation {
    /// The name of the file, for errors of data sets.
    pub file: Option<String>,
    /// The name of the column.
    pub column: Option<String>,
    /// The index of the block within its column, from 0.
    pub block: Option<usize>,
    /// The index of the chunk within its array, from 0.
    pub chunk: Option<u64>,
    /// The byte offset from the start of the file.
    pub offset: Option<u64>,
}

/// The kind of an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An IO operation failed.
    #[error("{0}")]
    Io(std::io::Error),
    /// The input ends too early.
    #[error("malformed: input ends {missing} bytes short of {what}")]
    Truncated {
        /// The item that was being read.
        what: &'static str,
        /// The minimum number of missing bytes.
        missing: u64,
    },
    /// The input is not a well-formed file of its format.
    #[error("malformed: {0}")]
    Malformed(String),
    /// A stored checksum differs from the checksum of the data.
    #[error("checksum mismatch: stored {stored:08x}, computed {computed:08x}")]
    Checksum {
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the data.
        computed: u32,
    },
    /// The input is well-formed, but this build cannot read it. The text names the missing feature, if there is
    /// one.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// An argument of the caller is invalid.
    #[error("invalid: {0}")]
    Invalid(String),
    /// An allocation would exceed the limits.
    #[error("too large: {what} of {size} exceeds the limit of {limit}")]
    TooLarge {
        /// The item that was about to be allocated.
        what: &'static str,
        /// Its size, in bytes or items.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// An Arrow kernel failed.
    #[cfg(feature = "arrow")]
    #[error("arrow: {0}")]
    Arrow(arrow::error::ArrowError),
}

impl Error {
    /// Creates an error of this kind without a location.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, location: ErrorLocation::default() }))
    }

    /// Creates an error of a malformed file.
    pub fn malformed(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed(what.into()))
    }

    /// Creates an error of a well-formed file that this build cannot read.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported(what.into()))
    }

    /// Creates an error of an invalid argument.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid(what.into()))
    }

    /// Creates the error that `what`, of `size` bytes or items, exceeds `limit`.
    pub fn too_large(what: &'static str, size: u64, limit: u64) -> Self {
        Self::new(ErrorKind::TooLarge { what, size, limit })
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the location of the error.
    pub fn location(&self) -> &ErrorLocation {
        &self.0.location
    }

    /// Returns whether the input ended too early.
    pub fn is_truncated(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Truncated { .. })
    }

    /// Sets the file, unless it is known.
    pub fn in_file(mut self, name: &str) -> Self {
        self.0.location.file.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Sets the column, unless it is known.
    pub fn in_column(mut self, name: &str) -> Self {
        self.0.location.column.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Sets the block and its file offset. A known offset is relative to the decompressed block and is replaced.
    pub fn in_block_at(mut self, block: usize, offset: u64) -> Self {
        (self.0.location.block, self.0.location.offset) = (Some(block), Some(offset));
        self
    }

    /// Sets the index of the chunk, unless it is known.
    pub fn in_chunk(mut self, number: u64) -> Self {
        self.0.location.chunk.get_or_insert(number);
        self
    }

    /// Sets the file offset, unless it is known.
    pub fn at(mut self, offset: u64) -> Self {
        self.0.location.offset.get_or_insert(offset);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorLocation { file, column, block, chunk, offset } = &self.0.location;
        if let Some(file) = file {
            write!(f, "{file}: ")?;
        }
        if let Some(column) = column {
            write!(f, "column {column:?}")?;
            let more = block.is_some() || chunk.is_some() || offset.is_some();
            f.write_str(if more { ", " } else { ": " })?;
        }
        if let Some(block) = block {
            write!(f, "block {block}")?;
            f.write_str(if offset.is_some() { ", " } else { ": " })?;
        }
        if let Some(chunk) = chunk {
            write!(f, "chunk {chunk}")?;
            f.write_str(if offset.is_some() { ", " } else { ": " })?;
        }
        if let Some(offset) = offset {
            write!(f, "offset {offset}: ")?;
        }
        f.write_str(&shortened(self.0.kind.to_string()))
    }
}

/// The maximum length of a message in characters. Some libraries quote whole files.
const MOST_CHARACTERS: usize = 800;

/// Truncates a text that is too long for a message and appends `…`.
fn shortened(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(at);
        text.push('…');
    }
    text
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("location", &self.0.location)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(e) => Some(e),
            #[cfg(feature = "arrow")]
            ErrorKind::Arrow(e) => Some(e),
            _ => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Self::new(ErrorKind::Io(e))
    }
}

impl From<Error> for std::io::Error {
    fn from(e: Error) -> Self {
        match e.0.kind {
            ErrorKind::Io(io) => io,
            _ => std::io::Error::other(e),
        }
    }
}

#[cfg(feature = "arrow")]
impl From<arrow::error::ArrowError> for Error {
    /// Creates an error of this crate that passed through a `RecordBatchReader` keeps its kind and location.
    fn from(e: arrow::error::ArrowError) -> Self {
        use arrow::error::ArrowError::ExternalError;
        match e {
            ExternalError(inner) => match inner.downcast::<Error>() {
                Ok(ours) => *ours,
                Err(other) => Self::new(ErrorKind::Arrow(ExternalError(other))),
            },
            other => Self::new(ErrorKind::Arrow(other)),
        }
    }
}

#[cfg(feature = "arrow")]
impl From<Error> for arrow::error::ArrowError {
    fn from(e: Error) -> Self {
        let is_located = e.0.location != ErrorLocation::default();
        match e.0.kind {
            ErrorKind::Arrow(arrow) if !is_located => arrow,
            _ => arrow::error::ArrowError::ExternalError(Box::new(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        for (text, kept) in
            [("ä".repeat(800), 800), ("ä".repeat(801), 801), ("€x".repeat(9000), 801)]
        {
            let text = shortened(text);
            assert_eq!((text.chars().count(), text.ends_with('…')), (kept, kept == 801));
        }
        assert!(Error::invalid("x".repeat(5000)).to_string().len() < 1000);
    }

    #[test]
    fn says_the_place_once_and_in_order() {
        let e = Error::malformed("no").at(3).in_block_at(2, 7).in_column("a").at(9).in_column("b");
        assert_eq!(e.to_string(), "column \"a\", block 2, offset 7: malformed: no");
        assert_eq!(
            e.location(),
            &ErrorLocation {
                column: Some("a".into()),
                block: Some(2),
                offset: Some(7),
                ..ErrorLocation::default()
            }
        );
        let e = Error::new(ErrorKind::Checksum { stored: 1, computed: 0xab }).in_column("c");
        assert_eq!(
            e.to_string(),
            "column \"c\": checksum mismatch: stored 00000001, computed 000000ab"
        );
    }
}
