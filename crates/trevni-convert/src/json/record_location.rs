//! Where a record is in a file.

use std::fmt;

/// Where a record is in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RecordLocation {
    /// From 1.
    line: u64,
    /// The number of the object, from 1; `None` if there is one on a line.
    object: Option<u64>,
}

impl RecordLocation {
    /// Creates a line.
    pub(super) fn of_line(line: u64) -> Self {
        Self { line, object: None }
    }

    /// Creates an object of a file whose objects take any number of lines.
    pub(super) fn of_object(line: u64, object: u64) -> Self {
        Self { line, object: Some(object) }
    }

    /// Returns the line, and the text after it.
    pub(super) fn parts(self) -> (u64, String) {
        (self.line, self.object.map_or_else(String::new, |object| format!(", object {object}")))
    }

    /// Returns the location some lines further.
    pub(super) fn at_line(self, more: u64) -> Self {
        Self { line: self.line.saturating_add(more), ..self }
    }
}

impl fmt::Display for RecordLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, object) = self.parts();
        write!(f, "line {line}{object}")
    }
}
