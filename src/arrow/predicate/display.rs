//! Formats a predicate as text that parses to the same predicate; the inverse of [`parse`](super::parse).
//!
//! ```text
//! all [a > 1, any [b, not c]]      a > 1 and (b or not c)
//! ```

use std::fmt;

use super::lexer::{begins_word, is_of_word};
use super::parse::{is_number, is_of_language};
use super::{ColumnPath, Literal, Node, Predicate};

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.node)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Compare { column, operator, literal } => {
                write!(f, "{column} {} {literal}", operator.sign())
            }
            Node::In { column, literals } => {
                write!(f, "{column} in (")?;
                for (i, literal) in literals.iter().enumerate() {
                    write!(f, "{}{literal}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Node::CompareColumns { left, operator, right } => {
                write!(f, "{left} {} {right}", operator.sign())
            }
            Node::Like { column, pattern, ignore_case } => {
                let word = if *ignore_case { "ilike" } else { "like" };
                write!(f, "{column} {word} {}", Literal::from(pattern.as_str()))
            }
            Node::IsNull(column) => write!(f, "{column} is null"),
            Node::IsTrue(column) => write!(f, "{column}"),
            Node::And(nodes) => joined(nodes, " and ", f),
            Node::Or(nodes) => joined(nodes, " or ", f),
            Node::Not(node) => {
                f.write_str("not ")?;
                inner(node, f)
            }
            Node::TooDeep => f.write_str("(too deep)"),
        }
    }
}

/// An empty conjunction is true for all rows, an empty disjunction for none.
fn joined(nodes: &[Node], by: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, node) in nodes.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { by })?;
        match (node, by) {
            // What binds more needs no parentheses.
            (Node::And(_), " or ") => write!(f, "{node}")?,
            _ => inner(node, f)?,
        }
    }
    Ok(())
}

fn inner(node: &Node, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match node {
        Node::And(_) | Node::Or(_) => write!(f, "({node})"),
        node => write!(f, "{node}"),
    }
}

impl fmt::Display for ColumnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "." })?;
            // One name in quotes says that dots are between names.
            let exact = i == 0 && self.names().len() > 1 && !self.is_dotted();
            let plain = name.starts_with(begins_word) && name.chars().all(is_of_word);
            match plain && !exact && !is_of_language(name) && !is_number(name) {
                true => f.write_str(name)?,
                false => write!(f, "\"{}\"", name.replace('"', "\"\""))?,
            }
        }
        Ok(())
    }
}
