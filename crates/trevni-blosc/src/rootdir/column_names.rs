//! `__rootdirs__`: the columns of a table.
//!
//! ```text
//! {"names": ["open", "high", "low", "close", "volume"]}
//! ```
//! Each is the name of a folder, and for bcolz one of Python: a letter or `_`, then letters, digits and `_`.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::excerpt;
use super::meta::Meta;
use crate::json;
use trevni::{Error, Result};

/// The file, in the folder of the table.
pub(super) const ROOTDIRS: &str = "__rootdirs__";

/// Names that files have where the columns of bcolz are.
const TAKEN: [&str; 2] = [ROOTDIRS, super::attributes::ATTRS];

/// Words that are no names in Python.
#[rustfmt::skip]
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Reads the names.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Vec<String>> {
    let meta = Meta::parse(file, bytes)?;
    let wrong = || meta.wrong("names", "a list of different names of folders");
    let list = meta.get("names").and_then(Value::as_array).ok_or_else(wrong)?;
    let names = list.iter().map(|name| name.as_str().filter(|name| is_folder(name)));
    let names: Vec<_> =
        names.map(|name| name.map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)?;
    let different: HashSet<_> = names.iter().collect();
    if different.len() < names.len() { Err(wrong()) } else { Ok(names) }
}

/// Returns the bytes of the file.
pub(super) fn to_bytes(names: &[String]) -> Vec<u8> {
    (json::text(&json!({ "names": names }), json::BLANKS) + "\n").into_bytes()
}

/// Returns whether a column of bcolz can have this folder.
fn is_folder(name: &str) -> bool {
    !TAKEN.contains(&name)
        && name.len() <= 255
        && !matches!(name, "" | "." | "..")
        && !name.contains(['/', '\\', ':', '\0'])
}

/// Refuses what no column of bcolz is called.
pub(super) fn check(name: &str) -> Result<()> {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    let is_name =
        name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_numeric());
    if is_name && is_folder(name) && !KEYWORDS.contains(&name) {
        return Ok(());
    }
    Err(Error::invalid(format!("a column of bcolz cannot be called {}", excerpt::text(name))))
}

/// Fails unless a name is legal in a table of superchunks.
pub(super) fn check_superchunk(name: &str) -> Result<()> {
    let is_name = |part: &str| is_folder(part) && !part.starts_with("__");
    if name.split('.').all(is_name) {
        return Ok(());
    }
    Err(Error::invalid(format!("a column of superchunks cannot be called {}", excerpt::text(name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let text = b"{\"names\": [\"open\", \"\\u00e9\"]}\n";
        let names = parse("x", text).unwrap();
        assert_eq!(
            (names.as_slice(), to_bytes(&names).as_slice()),
            (&["open".into(), "é".into()][..], &text[..])
        );
        assert!(parse("x", b"{\"names\": []}").unwrap().is_empty());
        for text in [
            "{}",
            "[]",
            "{\"names\": 1}",
            "{\"names\": [1]}",
            "{\"names\": [\"..\"]}",
            "{\"names\": [\"a/b\"]}",
            "{\"names\": [\"a\", \"a\"]}",
            "{\"names\": [\"__attrs__\"]}",
            "{\"names\": [\"\"]}",
        ] {
            assert!(parse("x", text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_python_only() {
        for name in ["a", "_a1", "é", "open", "x_2"] {
            assert!(check(name).is_ok() && check_superchunk(name).is_ok(), "{name}");
        }
        for name in ["", "1a", "a b", "a.b", "class", "__attrs__", "a/b", ".."] {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check_superchunk("a b.c").is_ok());
        for name in ["", ".", "a..b", "a/b", "__1__.bin", "a.__x"] {
            assert!(check_superchunk(name).is_err(), "{name}");
        }
    }
}
