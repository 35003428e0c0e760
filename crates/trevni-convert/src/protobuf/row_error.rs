//! The error of a row, with the path of its field.
//!
//! ```text
//! "it ends within a value"  ──under("b")──under("a")──►  message 7 at byte 99, "a.b": it ends ...
//! ```

use trevni::{Error, ErrorKind};

/// An error of a row, while its field path is built.
#[derive(Debug)]
pub(super) struct RowError {
    error: Error,
    /// The fields around it, innermost first.
    path: Vec<String>,
}

/// A result whose error has a location in a row; its size is one word.
pub(super) type Outcome<T = ()> = Result<T, Box<RowError>>;

impl From<Error> for Box<RowError> {
    fn from(error: Error) -> Self {
        Box::new(RowError { error, path: Vec::new() })
    }
}

impl RowError {
    /// Adds the field that it is in.
    pub(super) fn under(mut self: Box<Self>, field: &str) -> Box<Self> {
        self.path.push(field.to_owned());
        self
    }

    /// Returns the error, with the row and the field before its text.
    pub(super) fn of(self, row: &str) -> Error {
        let head = match self.path.as_slice() {
            [] => format!("{row}: "),
            _ => format!("{row}, {:?}: ", self.name()),
        };
        self.behind(&head)
    }

    /// Returns the error of a column, whatever the row.
    pub(super) fn of_column(self) -> Error {
        let head = match self.path.as_slice() {
            [] => String::new(),
            _ => format!("column {:?}: ", self.name()),
        };
        self.behind(&head)
    }

    /// Returns the names from the outermost on, with dots.
    fn name(&self) -> String {
        self.path.iter().rev().map(String::as_str).collect::<Vec<_>>().join(".")
    }

    fn behind(self, head: &str) -> Error {
        match self.error.kind() {
            ErrorKind::Malformed(text) => Error::malformed(format!("{head}{text}")),
            ErrorKind::Invalid(text) => Error::invalid(format!("{head}{text}")),
            ErrorKind::Unsupported(text) => Error::unsupported(format!("{head}{text}")),
            _ => self.error,
        }
    }
}
