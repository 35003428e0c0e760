//! Paths of columns: the names from a top-level field to a field within structs.

/// The names that lead to a column: of a field, and of fields within it.
///
/// A string is split at its dots; the elements of an array are names as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnPath(Vec<String>);

impl From<&str> for ColumnPath {
    fn from(dotted: &str) -> Self {
        Self(dotted.split('.').map(str::to_owned).collect())
    }
}

impl From<String> for ColumnPath {
    fn from(dotted: String) -> Self {
        dotted.as_str().into()
    }
}

impl From<&String> for ColumnPath {
    fn from(dotted: &String) -> Self {
        dotted.as_str().into()
    }
}

impl From<Vec<String>> for ColumnPath {
    fn from(names: Vec<String>) -> Self {
        Self(names)
    }
}

impl<const N: usize> From<[&str; N]> for ColumnPath {
    fn from(names: [&str; N]) -> Self {
        Self(names.map(str::to_owned).into())
    }
}

impl ColumnPath {
    /// Returns the names.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}
