//! The subset of YAML that the proposals use.
//!
//! ```text
//! # a comment
//! dtype:                              a map, by deeper indentation
//!   col1: int8
//! chunkshape: (30, 20)                a list, also [30, 20]; (5,) has one item
//! compression: {library: blosclz}     a map on one line
//! order: C         # default: C       true, 5, 0.5, null are typed; 'C' and "C" are texts
//! ```
//! Lists of lines with `-`, texts of several lines, anchors and tags are refused: no document shows any.

use serde_json::{Map, Number, Value};

use super::excerpt;
use trevni::{Error, Result};

/// The maximum nesting depth of maps and lists.
const DEPTH: usize = 32;

/// Reads a map, or one value on one line. `what` names the file in errors.
pub(super) fn parse(what: &str, text: &str) -> Result<Value> {
    let lines: Vec<_> = text.lines().map(Line::new).filter(|line| !line.text.is_empty()).collect();
    let mut rest = lines.as_slice();
    let value = match rest {
        [] => Ok(Value::Null),
        [only] if only.split_key().is_none() => flow_line(only.text),
        _ => block(&mut rest, DEPTH),
    };
    value.map_err(|message| Error::malformed(format!("{what}: {message}")))
}

/// A result whose error is a message without a position, which [`parse`] adds.
type ParseResult<T> = std::result::Result<T, String>;

#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let line = without_comment(line).trim_end();
        let text = line.trim_start_matches(' ');
        Self { indent: line.len() - text.len(), text: if text == "---" { "" } else { text } }
    }

    /// Returns the key and the text after its colon.
    fn split_key(&self) -> Option<(&'a str, &'a str)> {
        let colon = plain_chars(self.text).find(|(at, c)| {
            *c == ':' && self.text.get(at + 1..).is_some_and(|r| r.is_empty() || r.starts_with(' '))
        })?;
        let (key, rest) = self.text.split_at_checked(colon.0)?;
        let bracketed = key.starts_with(['[', '(', '{']);
        Some((key.trim(), rest.strip_prefix(':')?.trim())).filter(|_| !bracketed)
    }
}

/// Returns the characters outside of quotes, with their positions.
fn plain_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    text.char_indices().filter(move |(_, c)| match quote {
        Some(open) => {
            if *c == open {
                quote = None;
            }
            false
        }
        None => {
            quote = Some(*c).filter(|c| matches!(c, '"' | '\''));
            quote.is_none()
        }
    })
}

fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    let start =
        plain_chars(line).find(|(_, c)| std::mem::replace(&mut before, *c) == ' ' && *c == '#');
    start.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

/// Returns a map: the lines of one indentation, each perhaps with deeper ones below it.
fn block(rest: &mut &[Line<'_>], depth: usize) -> ParseResult<Value> {
    let indent = rest.first().map_or(0, |line| line.indent);
    let mut map = Map::new();
    while let Some((line, below)) = rest.split_first().filter(|(line, _)| line.indent >= indent) {
        let Some((key, inline)) = line.split_key().filter(|_| line.indent == indent) else {
            return Err(format!("{} is not \"key: value\" of its map", excerpt::text(line.text)));
        };
        *rest = below;
        let has_more = below.first().is_some_and(|next| next.indent > indent);
        let value = match (inline, has_more) {
            ("", true) if depth == 0 => return Err("maps are nested too deep".into()),
            ("", true) => block(rest, depth - 1)?,
            _ => flow_line(inline)?,
        };
        let key = match flow_line(key)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if map.insert(key.clone(), value).is_some() {
            return Err(format!("{} comes twice", excerpt::text(&key)));
        }
    }
    Ok(Value::Object(map))
}

/// Returns a value that is all of a text.
fn flow_line(text: &str) -> ParseResult<Value> {
    let mut rest = text;
    let value = flow(&mut rest, "", DEPTH)?;
    match rest.trim() {
        "" => Ok(value),
        more => Err(format!("{} after a value", excerpt::text(more))),
    }
}

/// Returns a value, up to one of the characters of `ends`.
fn flow(rest: &mut &str, ends: &str, depth: usize) -> ParseResult<Value> {
    *rest = rest.trim_start();
    let Some(first) = rest.chars().next() else { return Ok(Value::Null) };
    if depth == 0 {
        return Err("lists are nested too deep".into());
    }
    match first {
        '[' => list(rest, ']', depth).map(Value::Array),
        '(' => list(rest, ')', depth).map(Value::Array),
        '{' => map(rest, depth).map(Value::Object),
        '"' | '\'' => quoted(rest, first).map(Value::String),
        '-' if rest.starts_with("- ") => Err("lists are read in brackets only".into()),
        '|' | '>' | '&' | '*' | '!' if ends.is_empty() && !is_dtype(rest) => {
            Err(format!("{} is more YAML than is read", excerpt::text(rest)))
        }
        _ => {
            let end = rest.find(|c| ends.contains(c)).unwrap_or(rest.len());
            let (text, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            *rest = tail;
            Ok(scalar(text.trim()))
        }
    }
}

/// Types may begin like a text of several lines: `|S10`, `>i4`.
fn is_dtype(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next().is_some_and(char::is_alphabetic)
        && chars.all(|c| c.is_alphanumeric() || "[]".contains(c))
}

/// Takes a character, if it is the next but for blanks.
fn take(rest: &mut &str, wanted: char) -> bool {
    match rest.trim_start().strip_prefix(wanted) {
        Some(tail) => {
            *rest = tail;
            true
        }
        None => false,
    }
}

fn list(rest: &mut &str, close: char, depth: usize) -> ParseResult<Vec<Value>> {
    *rest = rest.get(1..).unwrap_or("");
    let mut items = Vec::new();
    while !take(rest, close) {
        items.push(flow(rest, ",])}", depth - 1)?);
        if !take(rest, ',') && !rest.trim_start().starts_with(close) {
            return Err(format!("a list without its {close:?}"));
        }
    }
    Ok(items)
}

fn map(rest: &mut &str, depth: usize) -> ParseResult<Map<String, Value>> {
    *rest = rest.get(1..).unwrap_or("");
    let mut pairs = Map::new();
    while !take(rest, '}') {
        let key = match flow(rest, ":,}", depth - 1)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if !take(rest, ':') {
            return Err(format!("{} without a value", excerpt::text(&key)));
        }
        pairs.insert(key, flow(rest, ",])}", depth - 1)?);
        if !take(rest, ',') && !rest.trim_start().starts_with('}') {
            return Err("a map without its '}'".into());
        }
    }
    Ok(pairs)
}

/// Returns a text in quotes; in double ones with the escapes of JSON, in single ones `''` is a quote.
fn quoted(rest: &mut &str, quote: char) -> ParseResult<String> {
    let mut skip = true;
    let mut chars = rest.char_indices().peekable();
    let mut end = None;
    while let Some((at, c)) = chars.next() {
        let doubled = quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'');
        match c {
            _ if std::mem::take(&mut skip) => {}
            '\\' if quote == '"' => skip = true,
            _ if c == quote && doubled => skip = true,
            _ if c == quote => {
                end = Some(at + 1);
                break;
            }
            _ => {}
        }
    }
    let parts = end.and_then(|end| rest.split_at_checked(end));
    let (text, tail) =
        parts.ok_or_else(|| format!("{} has no closing quote", excerpt::text(rest)))?;
    *rest = tail;
    if quote == '"' {
        return serde_json::from_str(text).map_err(|e| format!("{}: {e}", excerpt::text(text)));
    }
    Ok(text.get(1..text.len() - 1).unwrap_or("").replace("''", "'"))
}

fn scalar(text: &str) -> Value {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match text {
        "" | "~" | "null" | "Null" | "None" => Value::Null,
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        _ if is_number => number(text).map_or_else(|| text.into(), Value::Number),
        _ => text.into(),
    }
}

fn number(text: &str) -> Option<Number> {
    let unsigned = text.parse::<u64>().ok().map(Number::from);
    let signed = || text.parse::<i64>().ok().map(Number::from);
    let float = || text.parse::<f64>().ok().and_then(Number::from_f64);
    unsigned.or_else(signed).or_else(float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_the_examples_of_the_proposals() {
        let storage = "
dtype: 
  col1: int8
  col2: float32
chunkshape: (30, 20)
superchunksize: 10  # max. number of chunks in a single file
endianness: big  # default: little
compression:
  library: blosclz   # could be zlib, fastlz or others
  level: 5
  filters: [shuffle, truncate]  # order matters
";
        let expected = json!({
            "dtype": {"col1": "int8", "col2": "float32"},
            "chunkshape": [30, 20],
            "superchunksize": 10,
            "endianness": "big",
            "compression": {"library": "blosclz", "level": 5, "filters": ["shuffle", "truncate"]},
        });
        assert_eq!(parse("x", storage).unwrap(), expected);
        let sizes = "shape: (5000000000,)\nnbytes: 5000000000\ncbytes: 24328038\n";
        let expected =
            json!({"shape": [5000000000u64], "nbytes": 5000000000u64, "cbytes": 24328038});
        assert_eq!(parse("x", sizes).unwrap(), expected);
        assert_eq!(parse("x", "(300, 200)\n").unwrap(), json!([300, 200]));
        let ids = "ids:\n  value: [1,3,6,10]\n  type: array\npressure:\n  value: 225.5\n";
        let expected =
            json!({"ids": {"value": [1, 3, 6, 10], "type": "array"}, "pressure": {"value": 225.5}});
        assert_eq!(parse("x", ids).unwrap(), expected);
    }

    #[test]
    fn reads_values_of_all_kinds() {
        let text = r#"
a: 'it''s # no comment'
"b c": "tab\t: \" }"
c: {x: [1, (2, 3,)], "y z": -1.5e3, e: , f: true}
d: |S10
e: >i4
f: one, two
g: ~
h: []
i: http://x#y
"#;
        let expected = json!({
            "a": "it's # no comment", "b c": "tab\t: \" }",
            "c": {"x": [1, [2, 3]], "y z": -1500.0, "e": null, "f": true},
            "d": "|S10", "e": ">i4", "f": "one, two", "g": null, "h": [], "i": "http://x#y",
        });
        assert_eq!(parse("x", text).unwrap(), expected);
        assert_eq!(parse("x", " \n# nothing\n---\n").unwrap(), Value::Null);
    }

    #[test]
    fn refuses_what_it_does_not_read() {
        let deep_map: String = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        let deep_list = "a: ".to_owned() + &"[".repeat(100_000);
        for text in [
            "a: 1\n b: 2\n",
            "a:\n  b: 1\n c: 2\n",
            "a\nb\n",
            "a: 1\na: 2\n",
            "a: [1, 2\n",
            "a: [1 2)\n",
            "a: {b}\n",
            "a: {b: 1\n",
            "a: 'x\n",
            "a: \"x\n",
            "a: - 1\n",
            "a: |\n  text\n",
            "a: &x 1\n",
            "a: [1] 2\n",
            &deep_map,
            &deep_list,
            &deep_list.replace('[', "{"),
            "- a\n- b\n",
        ] {
            let found = parse("meta/x", text);
            assert!(found.is_err(), "{text:.60}: {found:?}");
        }
    }
}
