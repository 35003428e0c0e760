//! Finds the columns of a field by its path, the names of fields joined by dots.
//!
//! ```text
//! path     columns of the split layout            path     columns
//! st       st, st#y, st#z                         m.key    m>key
//! st.y     st#y, st#y#value                       l.y      l[]#y
//! l        l[], l[]#value                         u.b      u/b, u/b#value
//! ```
//! The name of a column is accepted too. Paths that lead to a field of the schema are in quotes, so that they lead to no
//! other.

use arrow::datatypes::Fields;

use crate::arrow::ColumnPath;
use crate::arrow::layout::field_layout::PlannedColumn;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::ValueType;

/// What follows the name of a field in the names of its columns.
const SIGNS: [char; 4] = ['#', '[', '>', '/'];

/// Returns a path to a field with each of its names in quotes; another text as it is.
pub(super) fn quoted(path: &str, fields: &Fields) -> String {
    let among = ColumnPath::among(path, fields);
    if among.root(fields).is_none() {
        return path.to_owned();
    }
    let exact = among.exact(fields);
    let names = exact.names().iter().map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
    names.collect::<Vec<_>>().join(".")
}

/// Returns whether a column belongs to the field at a path of these names, or to a field below it.
fn is_below_names(name: &str, names: &[String]) -> bool {
    let mut rest = Some(name);
    for (level, part) in names.iter().enumerate() {
        if level > 0 {
            rest = rest.map(|rest| rest.trim_start_matches("[]"));
            rest = rest.and_then(|rest| rest.strip_prefix(['#', '/', '>']));
        }
        rest = rest.and_then(|rest| rest.strip_prefix(part.as_str()));
    }
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SIGNS))
}

/// Whether a column belongs to the field at a path, or to a field below it.
pub(super) fn is_below(name: &str, path: &str) -> bool {
    if path.starts_with('"') && is_below_names(name, ColumnPath::from(path).names()) {
        return true;
    }
    let is_prefix = |name: &str, ends: &[char]| {
        let rest = name.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
    };
    is_prefix(name, &SIGNS) || is_prefix(&dotted(name), &['.'])
}

/// Returns the index of the column that holds the values of the leaf field at a path.
pub(super) fn value_column(path: &str, columns: &[PlannedColumn]) -> Result<usize> {
    let named = columns.iter().position(|column| column.metadata.name() == path);
    let holds_values = |column: &PlannedColumn| column.metadata.value_type() != ValueType::Null;
    let is_leaf = |i: &usize| columns.get(*i).is_some_and(holds_values);
    if let Some(column) = named.filter(is_leaf) {
        return Ok(column);
    }
    let below = |i: &usize| columns.get(*i).is_some_and(|c| is_below(c.metadata.name(), path));
    let mut values = (0..columns.len()).filter(below).filter(is_leaf);
    match (values.next(), values.next()) {
        (Some(column), None) => Ok(column),
        (None, _) => {
            let columns: Vec<_> = columns.iter().map(|column| column.metadata.clone()).collect();
            Err(missing(path, "a value type", &columns))
        }
        (Some(_), Some(_)) => Err(Error::invalid(format!(
            "field {path:?} has several columns to set a value type of"
        ))),
    }
}

/// The error of a path without columns; it lists the paths that have some.
pub(super) fn missing(path: &str, what: &str, columns: &[ColumnMetadata]) -> Error {
    const MOST: usize = 20;
    let mut paths: Vec<String> = Vec::new();
    for column in columns {
        let path = dotted(column.name());
        let path = path.strip_suffix(".value").unwrap_or(&path).to_owned();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    if paths.len() > MOST {
        paths.truncate(MOST);
        paths.push("...".to_owned());
    }
    Error::invalid(format!("no column {path:?} to set {what} of: there are {}", paths.join(", ")))
}

/// The names that a column's name is made of, joined by dots.
fn dotted(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '[' if rest.peek() == Some(&']') => {
                rest.next();
            }
            '#' | '/' => path.push('.'),
            '>' if rest.peek().is_some() => path.push('.'),
            '>' => {}
            c => path.push(c),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_dotted_names() {
        for (name, path, below) in [
            ("st#y#value", "st.y", true),
            ("st#y", "st", true),
            ("st#yy", "st.y", false),
            ("st#y", "st.y.z", false),
            ("l[]#y", "l.y", true),
            ("l[]", "l", true),
            ("m>key", "m.key", true),
            ("m>", "m", true),
            ("u/b", "u.b", true),
            ("a.b", "a.b", true),
            ("st#y#value", "st#y", true),
            ("st#y#value", "\"st\".\"y\"", true),
            ("l[]#y", "\"l\".\"y\"", true),
            ("m>key", "\"m\".\"key\"", true),
            ("u/b", "\"u\".\"b\"", true),
            ("a.b", "\"a.b\"", true),
            ("a.b", "\"a\".\"b\"", false),
            ("a.b", "\"a\"", false),
            ("a#b", "\"a.b\"", false),
        ] {
            assert_eq!(is_below(name, path), below, "{name} {path}");
        }
    }

    #[test]
    fn what_there_is_stands_in_the_error() {
        let column = |name: &str| ColumnMetadata::new(name, ValueType::Int);
        let columns = [column("a"), column("st#y"), column("st#y#value"), column("l[]")];
        let error = missing("x", "a codec", &columns).to_string();
        assert_eq!(error, "invalid: no column \"x\" to set a codec of: there are a, st.y, l");
    }
}
