//! The files in `meta`: maps, in JSON or YAML.
//!
//! ```text
//! {"shape": [807], "nbytes": 6456}          JSON: bcolz, the document of Blaze
//! shape: (807,)                             YAML: the proposals of bcolz and carray
//! nbytes: 6456
//! ```

use serde_json::{Map, Value};

use super::{excerpt, yaml};
use crate::json;
use trevni::{Error, Result};

/// The largest of these files that is read, in bytes: values take many times the memory of their text.
pub(super) const META_BYTES: u64 = 16 << 20;

/// A map, and the name of its file for errors.
#[derive(Debug, Clone)]
pub(super) struct Meta {
    file: String,
    map: Map<String, Value>,
}

/// Returns a value in JSON or YAML.
pub(super) fn parse_value(file: &str, bytes: &[u8]) -> Result<Value> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::malformed(format!("{file}: the text is not UTF-8")))?;
    match text.trim_start().starts_with('{') {
        true => json::parse(file, text),
        false => yaml::parse(file, text),
    }
}

impl Meta {
    /// Reads a file that is a map; one of nothing is a map of nothing.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        match parse_value(file, bytes)? {
            Value::Object(map) => Ok(Self { file: file.to_owned(), map }),
            Value::Null => Ok(Self { file: file.to_owned(), map: Map::new() }),
            other => Err(Error::malformed(format!(
                "{file}: {} is no map",
                excerpt::text(&other.to_string())
            ))),
        }
    }

    /// Returns the value of a key; null counts as missing.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Returns the map itself.
    pub(super) fn into_map(self) -> Map<String, Value> {
        self.map
    }

    /// Returns a non-negative integer.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>> {
        let convert = |value| as_count(value).ok_or_else(|| self.wrong(key, "a count"));
        self.get(key).map(convert).transpose()
    }

    /// Returns a list of such numbers; one alone is a list of one.
    pub(super) fn counts(&self, key: &str) -> Result<Option<Vec<u64>>> {
        self.get(key)
            .map(|value| as_counts(value).ok_or_else(|| self.wrong(key, "a list of counts")))
            .transpose()
    }

    /// Returns a text.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "a text")),
        }
    }

    /// Returns a map within.
    pub(super) fn inner(&self, key: &str) -> Result<Option<Meta>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => {
                Ok(Some(Self { file: format!("{}, {key:?}", self.file), map: map.clone() }))
            }
            Some(_) => Err(self.wrong(key, "a map")),
        }
    }

    /// Returns the error that a key's value is not what it should be.
    pub(super) fn wrong(&self, key: &str, wanted: &str) -> Error {
        let found = self
            .map
            .get(key)
            .map_or_else(|| "nothing".to_owned(), |v| excerpt::text(&v.to_string()));
        Error::malformed(format!("{}: {key:?} is {found}, not {wanted}", self.file))
    }
}

/// Floats count if they are integers.
fn as_count(value: &Value) -> Option<u64> {
    let whole = |float: &f64| float.fract() == 0.0 && (0.0..9e15).contains(float);
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(whole).and_then(|f| format!("{f}").parse().ok()))
}

/// Returns a list of counts, or one count.
pub(super) fn as_counts(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Array(items) => items.iter().map(as_count).collect(),
        one => as_count(one).map(|count| vec![count]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_read_alike() {
        for text in [
            "{\"a\": [1, 2.0], \"b\": 3, \"c\": \"x\", \"d\": {\"e\": null}}",
            "a: (1, 2)\nb: 3\nc: x\nd: {e: ~}\n",
        ] {
            let meta = Meta::parse("x", text.as_bytes()).unwrap();
            assert_eq!(meta.counts("a").unwrap(), Some(vec![1, 2]));
            assert_eq!(meta.counts("b").unwrap(), Some(vec![3]));
            assert_eq!(meta.count("b").unwrap(), Some(3));
            assert_eq!(meta.text("c").unwrap(), Some("x"));
            assert!(meta.inner("d").unwrap().unwrap().get("e").is_none());
            assert_eq!(meta.count("z").unwrap(), None);
            let e = meta.count("a").unwrap_err().to_string();
            assert!(e.starts_with("malformed: x: \"a\" is \"[1,2"), "{e}");
            assert!(
                meta.text("a").is_err() && meta.inner("a").is_err() && meta.counts("c").is_err()
            );
        }
        assert!(Meta::parse("x", b"[1]").unwrap_err().to_string().contains("no map"));
        assert!(Meta::parse("x", b"\xff").is_err());
        assert!(Meta::parse("x", b" \n").unwrap().into_map().is_empty());
        for hostile in ["-1", "1.5", "1e300", "\"1\"", "[[1]]", "NaN", "18446744073709551616"] {
            let meta = Meta::parse("x", format!("{{\"a\": {hostile}}}").as_bytes()).unwrap();
            assert!(meta.count("a").is_err() && meta.counts("a").is_err(), "{hostile}");
        }
    }
}
