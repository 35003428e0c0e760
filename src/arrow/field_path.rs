//! The path of a nested field, for errors: a list of names that needs no allocation.

use std::fmt;

/// The names that lead to a field, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldPath<'a> {
    parent: Option<&'a FieldPath<'a>>,
    name: &'a str,
}

impl<'a> FieldPath<'a> {
    pub(crate) fn new(name: &'a str) -> Self {
        Self { parent: None, name }
    }

    pub(crate) fn then(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), name }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}.")?;
        }
        f.write_str(self.name)
    }
}
