//! The user attributes of an array or a table.
//!
//! ```text
//! __attrs__           {"temperature": 11.4, "scale": "Celsius"}         bcolz; needed even if it is {}
//! meta/attributes     the same                                          Blaze
//!                     temperature:                                      RFC, carray: with a type
//!                       value: 23.5
//!                       type: scalar
//!                       dtype: float32
//! ```
//! Of an entry with a type only the value is returned. When attributes are written, existing names keep their type.

use serde_json::{Map, Value};

use super::meta::Meta;
use crate::Attributes;
use crate::json;
use trevni::Result;

/// The file in directories of bcolz.
pub(super) const ATTRS: &str = "__attrs__";

/// The file in the proposals.
pub(super) const ATTRIBUTES: &str = "meta/attributes";

/// The attributes, and the stored entries if those had types.
#[derive(Debug, Clone, Default)]
pub(super) struct Stored {
    pub(super) plain: Attributes,
    typed: Map<String, Value>,
}

impl Stored {
    /// Reads `__attrs__`.
    pub(super) fn parse_plain(file: &str, bytes: &[u8]) -> Result<Self> {
        Ok(Self { plain: Meta::parse(file, bytes)?.into_map(), typed: Map::new() })
    }

    /// Reads `meta/attributes`.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let mut found = Self::parse_plain(file, bytes)?;
        for (name, entry) in &mut found.plain {
            if let Some(value) = typed_value(entry) {
                let value = value.clone();
                found.typed.insert(name.clone(), std::mem::replace(entry, value));
            }
        }
        Ok(found)
    }

    /// Returns the same with other attributes.
    pub(super) fn with(&self, plain: &Attributes) -> Self {
        let mut typed = self.typed.clone();
        typed.retain(|name, _| plain.contains_key(name));
        Self { plain: plain.clone(), typed }
    }

    /// Returns the bytes of the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.plain.clone();
        for (name, entry) in &self.typed {
            let (Some(slot), mut entry) = (out.get_mut(name), entry.clone()) else { continue };
            if let Some(value) = entry.get_mut("value") {
                *value = std::mem::take(slot);
            }
            *slot = entry;
        }
        (json::text(&Value::Object(out), json::BLANKS) + "\n").into_bytes()
    }
}

/// Returns the value of an entry that has a type.
fn typed_value(entry: &Value) -> Option<&Value> {
    let entry = entry.as_object()?;
    let known = entry.keys().all(|key| matches!(key.as_str(), "value" | "type" | "dtype"));
    entry.get("type").filter(|kind| known && kind.is_string())?;
    entry.get("value")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_kept_while_the_name_is() {
        let yaml = "temperature:\n  value: 23.5\n  type: scalar\n  dtype: float32\nids:\n  value: [1,3]\n  type: array\n  dtype: int32\nplain: {value: 1, other: 2}\n";
        let stored = Stored::parse("x", yaml.as_bytes()).unwrap();
        let expected =
            json!({"temperature": 23.5, "ids": [1, 3], "plain": {"value": 1, "other": 2}});
        assert_eq!(Value::Object(stored.plain.clone()), expected);
        let changed = json!({"temperature": 11, "new": "é"}).as_object().unwrap().clone();
        assert_eq!(
            String::from_utf8(stored.with(&changed).to_bytes()).unwrap(),
            "{\"temperature\": {\"value\": 11, \"type\": \"scalar\", \"dtype\": \"float32\"}, \"new\": \"\\u00e9\"}\n"
        );
        let again = Stored::parse("x", &stored.to_bytes()).unwrap();
        assert_eq!((again.plain, again.typed), (stored.plain, stored.typed));
    }

    #[test]
    fn plain_ones_are_as_bcolz_writes_them() {
        for text in [
            "{}\n",
            "{\"a\": {\"value\": 1, \"type\": \"scalar\"}, \"b\": [null, 1152921504606846976]}\n",
        ] {
            let stored = Stored::parse_plain("x", text.as_bytes()).unwrap();
            assert_eq!(stored.to_bytes(), text.as_bytes());
        }
        assert!(Stored::parse_plain("x", b"[]").is_err());
    }
}
