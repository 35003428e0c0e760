//! The tree of a condition.
//!
//! ```text
//! a = 1 and (b > 2 or not c)      and ┬ a = 1
//!                                     └ or ┬ b > 2
//!                                          └ not ─ c
//! ```
//! Chains of `and` and of `or` are one node each.

use super::{ColumnPath, Literal, Operator};

/// The tree of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Compare {
        column: ColumnPath,
        operator: Operator,
        literal: Literal,
    },
    In {
        column: ColumnPath,
        literals: Vec<Literal>,
    },
    /// Two columns of a row, compared with each other.
    CompareColumns {
        left: ColumnPath,
        operator: Operator,
        right: ColumnPath,
    },
    /// Text that matches a pattern.
    Like {
        column: ColumnPath,
        pattern: String,
        ignore_case: bool,
    },
    IsNull(ColumnPath),
    /// A boolean column.
    IsTrue(ColumnPath),
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    /// In place of a tree with too many levels.
    TooDeep,
}

impl Node {
    /// Returns the conjunction of these; nested conjunctions are flattened.
    pub(crate) fn all(nodes: Vec<Node>) -> Self {
        Self::flat(nodes, Node::And, |node| match node {
            Node::And(inner) => Ok(inner),
            other => Err(other),
        })
    }

    /// Any of these.
    pub(crate) fn any(nodes: Vec<Node>) -> Self {
        Self::flat(nodes, Node::Or, |node| match node {
            Node::Or(inner) => Ok(inner),
            other => Err(other),
        })
    }

    fn flat(
        nodes: Vec<Node>,
        of: impl Fn(Vec<Node>) -> Node,
        open: impl Fn(Node) -> Result<Vec<Node>, Node>,
    ) -> Self {
        let mut flat = Vec::new();
        for node in nodes {
            match open(node) {
                // A chain that grows is not moved each time.
                Ok(inner) if flat.is_empty() => flat = inner,
                Ok(inner) => flat.extend(inner),
                Err(node) => flat.push(node),
            }
        }
        match flat.pop() {
            Some(only) if flat.is_empty() => only,
            last => {
                flat.extend(last);
                of(flat)
            }
        }
    }

    /// Calls `with` for each column that is spoken of.
    pub(crate) fn each_column<'a>(&'a self, with: &mut impl FnMut(&'a ColumnPath)) {
        match self {
            Node::Compare { column, .. } | Node::In { column, .. } | Node::Like { column, .. } => {
                with(column);
            }
            Node::CompareColumns { left, right, .. } => {
                with(left);
                with(right);
            }
            Node::IsNull(column) | Node::IsTrue(column) => with(column),
            Node::And(nodes) | Node::Or(nodes) => {
                nodes.iter().for_each(|node| node.each_column(with));
            }
            Node::Not(node) => node.each_column(with),
            Node::TooDeep => {}
        }
    }

    /// Replaces each column.
    pub(crate) fn map_columns(&mut self, with: &impl Fn(&ColumnPath) -> ColumnPath) {
        match self {
            Node::Compare { column, .. }
            | Node::In { column, .. }
            | Node::Like { column, .. }
            | Node::IsNull(column)
            | Node::IsTrue(column) => *column = with(column),
            Node::CompareColumns { left, right, .. } => {
                (*left, *right) = (with(left), with(right));
            }
            Node::And(nodes) | Node::Or(nodes) => {
                nodes.iter_mut().for_each(|node| node.map_columns(with));
            }
            Node::Not(node) => node.map_columns(with),
            Node::TooDeep => {}
        }
    }

    /// The levels of the tree: 1 for a condition on columns.
    pub(super) fn levels(&self) -> usize {
        match self {
            Node::And(nodes) | Node::Or(nodes) => {
                1 + nodes.iter().map(Node::levels).max().unwrap_or(0)
            }
            Node::Not(node) => 1 + node.levels(),
            _ => 1,
        }
    }
}
