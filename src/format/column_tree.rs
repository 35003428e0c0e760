//! The tree of columns: the parent of each.
//!
//! ```text
//! received         array             ─┐ counts of its own
//!   received#date  parent=received    │ one value for each value of its parent
//!   received#sigs  parent=received, array ─┐ one count for each value of its parent
//!     ...#algo     parent=received#sigs    │
//! ```
//! A parent precedes its children. If several array columns have its name, the nearest one before the child is the
//! parent, as in the reference. (Specification: `trevni.parent`.)

use std::collections::HashMap;

use super::column_metadata::ColumnMetadata;
use crate::error::{Error, Result};

/// The parent of each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnTree {
    parents: Vec<Option<usize>>,
}

impl ColumnTree {
    /// Resolves the names of parents.
    pub fn new(columns: &[ColumnMetadata]) -> Result<Self> {
        let mut arrays: HashMap<&str, usize> = HashMap::new();
        let mut parents = Vec::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            let parent = column.parent().map(|name| {
                arrays.get(name).copied().ok_or_else(|| {
                    let what = format!("no array column {name:?} before its child");
                    Error::malformed(what).in_column(column.name())
                })
            });
            parents.push(parent.transpose()?);
            if column.is_array() {
                arrays.insert(column.name(), i);
            }
        }
        Ok(Self { parents })
    }

    /// Returns the parent of a column.
    pub fn parent(&self, column: usize) -> Option<usize> {
        self.parents.get(column).copied().flatten()
    }

    /// Returns the columns whose parent this is, in file order.
    pub fn children(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents.iter().enumerate().filter(move |(_, p)| **p == Some(column)).map(|(i, _)| i)
    }

    /// These columns and all their ancestors, once each, parents first.
    pub fn with_ancestors(&self, columns: &[usize]) -> Vec<usize> {
        let mut all = std::collections::BTreeSet::new();
        for &column in columns {
            let mut next = Some(column);
            while let Some(c) = next.filter(|c| all.insert(*c)) {
                next = self.parent(c);
            }
        }
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::value::ValueType;

    #[test]
    fn the_nearest_array_of_a_name_is_the_parent() {
        let array = |name: &str| ColumnMetadata::new(name, ValueType::Null).array();
        let columns = [
            array("a"),
            ColumnMetadata::new("x", ValueType::Int).with_parent("a"),
            array("a").with_parent("a"),
            ColumnMetadata::new("a", ValueType::Int),
            ColumnMetadata::new("y", ValueType::Int).with_parent("a"),
        ];
        let tree = ColumnTree::new(&columns).unwrap();
        assert_eq!(tree.parents, [None, Some(0), Some(0), None, Some(2)]);
        assert_eq!(tree.with_ancestors(&[4, 3]), [0, 2, 3, 4]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2]);
        assert!(ColumnTree::new(&columns[3..]).is_err());
    }
}
