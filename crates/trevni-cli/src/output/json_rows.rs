//! Prints rows as JSON from the columns of a file, as the reference's `trevni_tojson` does.
//!
//! ```text
//! column                                     text
//! id      int                                "id":7
//! to      string array                       "to":["a","b"]
//! m>      null array                         "m>":[{"key":"a","value":1}]
//!   m>key, m>value   children
//! n       int array, with a child n#x        "n":[{"value$":3,"x":4}]
//! ```
//! A member's name leaves out its parent's name, if it begins with that, and then one leading character that
//! is neither letter nor digit. `fixed32` and `fixed64` are printed as signed numbers, bytes in base64, and
//! what JSON has no number for as the strings `"NaN"`, `"Infinity"`, `"-Infinity"`.

use std::fmt::Write as _;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use trevni::{ColumnData, ColumnMetadata, ColumnTree, Value, ValueType};

/// Levels of arrays that are printed; each takes some of the stack.
const MOST_LEVELS: usize = 500;

/// Writes rows of all columns of a file.
#[derive(Debug)]
pub(crate) struct RowText {
    columns: Vec<Column>,
    roots: Vec<usize>,
    pretty: bool,
    /// The text of the row at hand.
    line: String,
}

/// A column, and how far its rows at hand have been printed.
#[derive(Debug)]
struct Column {
    /// The member's name, quoted, with its colon.
    key: String,
    value_type: ValueType,
    is_array: bool,
    children: Vec<usize>,
    next_length: usize,
    next_value: usize,
}

impl RowText {
    pub(crate) fn new(
        columns: &[ColumnMetadata],
        tree: &ColumnTree,
        pretty: bool,
    ) -> Result<Self, String> {
        check_levels(columns, tree)?;
        let all = columns.iter().enumerate().map(|(i, meta)| Column {
            key: key_of(meta, pretty),
            value_type: meta.value_type(),
            is_array: meta.is_array(),
            children: tree.children(i).collect(),
            next_length: 0,
            next_value: 0,
        });
        let roots = (0..columns.len()).filter(|i| tree.parent(*i).is_none()).collect();
        Ok(Self { columns: all.collect(), roots, pretty, line: String::new() })
    }

    /// Writes rows, one object each; `data` holds nothing but them.
    pub(crate) fn write(
        &mut self,
        rows: usize,
        data: &[ColumnData],
        out: &mut impl Write,
    ) -> io::Result<()> {
        for column in &mut self.columns {
            (column.next_length, column.next_value) = (0, 0);
        }
        let roots = std::mem::take(&mut self.roots);
        for _ in 0..rows {
            self.line.clear();
            self.object(&roots, None, 0, data);
            self.line.push('\n');
            out.write_all(self.line.as_bytes())?;
        }
        self.roots = roots;
        Ok(())
    }

    /// Appends an object of its own value, if there is one, and of these columns.
    fn object(&mut self, members: &[usize], own: Option<usize>, level: usize, data: &[ColumnData]) {
        self.line.push('{');
        let mut first = true;
        if let Some(own) = own {
            self.separate(&mut first, level + 1);
            self.line.push_str(if self.pretty { "\"value$\": " } else { "\"value$\":" });
            self.value(own, data);
        }
        for &member in members {
            self.separate(&mut first, level + 1);
            self.member(member, level + 1, data);
        }
        self.close(first, level, '}');
    }

    fn member(&mut self, column: usize, level: usize, data: &[ColumnData]) {
        let Some(at) = self.columns.get_mut(column) else { return };
        self.line.push_str(&at.key);
        if !at.is_array {
            return self.value(column, data);
        }
        let lengths = data.get(column).and_then(|data| data.lengths.as_ref());
        let length = lengths.and_then(|all| all.get(at.next_length)).copied().unwrap_or(0);
        at.next_length += 1;
        let has_values = at.value_type != ValueType::Null;
        let children = std::mem::take(&mut at.children);
        self.line.push('[');
        let mut first = true;
        for _ in 0..length {
            self.separate(&mut first, level + 1);
            if children.is_empty() {
                self.value(column, data);
            } else {
                self.object(&children, has_values.then_some(column), level + 1, data);
            }
        }
        self.close(first, level, ']');
        if let Some(at) = self.columns.get_mut(column) {
            at.children = children;
        }
    }

    fn value(&mut self, column: usize, data: &[ColumnData]) {
        let Some(at) = self.columns.get_mut(column) else { return };
        let values = data.get(column).map(|data| data.values.as_slice());
        let value = values.and_then(|values| values.get(at.next_value)).unwrap_or(Value::Null);
        at.next_value += 1;
        put_value(&value, at.value_type, &mut self.line);
    }

    fn separate(&mut self, first: &mut bool, level: usize) {
        if !std::mem::take(first) {
            self.line.push(',');
        }
        self.indent(level);
    }

    fn close(&mut self, empty: bool, level: usize, end: char) {
        if !empty {
            self.indent(level);
        }
        self.line.push(end);
    }

    fn indent(&mut self, level: usize) {
        if self.pretty {
            self.line.push('\n');
            (0..level).for_each(|_| self.line.push_str("  "));
        }
    }
}

/// Returns a value as JSON.
pub(crate) fn value_to_json(value: &Value<'_>, value_type: ValueType) -> String {
    let mut text = String::new();
    put_value(value, value_type, &mut text);
    text
}

fn put_value(value: &Value<'_>, value_type: ValueType, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match value {
        Value::Null => out.write_str("null"),
        Value::Boolean(v) => write!(out, "{v}"),
        Value::Int(v) => write!(out, "{v}"),
        Value::Long(v) => write!(out, "{v}"),
        Value::Float(v) if v.is_finite() => write!(out, "{v:?}"),
        Value::Double(v) if v.is_finite() => write!(out, "{v:?}"),
        Value::Float(v) => out.write_str(not_finite(f64::from(*v))),
        Value::Double(v) => out.write_str(not_finite(*v)),
        Value::Bytes(v) if value_type == ValueType::String => {
            out.push_str(&quoted(&String::from_utf8_lossy(v)));
            Ok(())
        }
        Value::Bytes(v) => write!(out, "\"{}\"", BASE64_STANDARD.encode(v)),
    };
}

fn not_finite(v: f64) -> &'static str {
    if v.is_nan() {
        "\"NaN\""
    } else if v > 0.0 {
        "\"Infinity\""
    } else {
        "\"-Infinity\""
    }
}

fn key_of(column: &ColumnMetadata, pretty: bool) -> String {
    let short = short_name(column.name(), column.parent());
    format!("{}:{}", quoted(short), if pretty { " " } else { "" })
}

/// Returns the name of a column within its parent.
fn short_name<'a>(name: &'a str, parent: Option<&str>) -> &'a str {
    let name = parent.and_then(|parent| name.strip_prefix(parent)).unwrap_or(name);
    let rest = name.strip_prefix(|first: char| !first.is_alphanumeric());
    rest.unwrap_or(name)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn check_levels(columns: &[ColumnMetadata], tree: &ColumnTree) -> Result<(), String> {
    let mut levels: Vec<usize> = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let level = tree.parent(i).and_then(|p| levels.get(p)).map_or(0, |above| above + 1);
        if level > MOST_LEVELS {
            let name = column.name();
            return Err(format!("column {name:?}: nested deeper than {MOST_LEVELS} levels"));
        }
        levels.push(level);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_lose_their_parent_and_one_mark() {
        assert_eq!(short_name("_x", None), "x");
        assert_eq!(short_name("__x", None), "_x");
        assert_eq!(short_name("m>key", Some("m>")), "key");
        assert_eq!(short_name("p#x", Some("p")), "x");
        assert_eq!(short_name("other", Some("p")), "other");
        assert_eq!(short_name("p", Some("p")), "");
        assert_eq!(short_name("é", None), "é");
    }

    #[test]
    fn numbers_parse_back_to_the_same() {
        for v in [0.1f32, f32::MAX, f32::MIN_POSITIVE, 1e-45, -0.0, 16777216.0] {
            let text = value_to_json(&Value::Float(v), ValueType::Float);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), v.to_bits());
        }
        let text = value_to_json(&Value::Double(f64::NEG_INFINITY), ValueType::Double);
        assert_eq!(text, "\"-Infinity\"");
    }
}
