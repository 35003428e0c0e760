//! The text of an Avro schema as Avro's Java library prints it, which `totrevni` writes into files.
//!
//! ```text
//! {"fields" : [ ... ], "name" : "a.R", "type" : "record"}   ──►   {"type":"record","name":"R","namespace":"a","fields":[ ... ]}
//! ```
//! No blanks; numbers as Java prints them; members in one order; a namespace where it differs from that around it; a
//! named type by its name from its second use on; a type without anything but its name as that. Members that Avro does
//! not know keep their order.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{Primitive, java_numbers};

const OF_FIELDS: [&str; 6] = ["name", "type", "doc", "default", "order", "aliases"];
const OF_SCHEMAS: [&str; 10] =
    ["type", "name", "namespace", "doc", "fields", "items", "values", "size", "symbols", "aliases"];

/// Returns a schema in normal form; `None` if it is not as schemas are.
pub(super) fn normal(text: &str) -> Option<String> {
    let json: Value = serde_json::from_str(&java_numbers::marked(text)).ok()?;
    let mut printer = Printer { printed: HashSet::new() };
    Some(java_numbers::text(&printer.schema(&json, "")?))
}

struct Printer {
    /// The full names of types that are written out.
    printed: HashSet<String>,
}

impl Printer {
    fn schema(&mut self, json: &Value, space: &str) -> Option<Value> {
        match json {
            Value::String(name) => Some(self.by_name(name, space)),
            Value::Array(branches) => {
                branches.iter().map(|branch| self.schema(branch, space)).collect()
            }
            Value::Object(object) => match object.get("type")? {
                Value::String(kind) => self.object(kind, object, space),
                nested => self.schema(nested, space),
            },
            _ => None,
        }
    }

    fn by_name(&self, name: &str, space: &str) -> Value {
        if Primitive::from_name(name).is_some() {
            return json!(name);
        }
        json!(qualified(&full(name, space), space))
    }

    fn object(&mut self, kind: &str, object: &Map<String, Value>, space: &str) -> Option<Value> {
        let mut out = Map::new();
        match kind {
            "array" | "map" => {
                let part = if kind == "array" { "items" } else { "values" };
                out.insert("type".to_owned(), json!(kind));
                out.insert(part.to_owned(), self.schema(object.get(part)?, space)?);
            }
            "record" | "error" | "enum" | "fixed" => return self.named(kind, object, space),
            name => {
                let named = self.by_name(name, space);
                if Primitive::from_name(name).is_none() {
                    return Some(named);
                }
                out.insert("type".to_owned(), named);
            }
        }
        others(object, &OF_SCHEMAS, &mut out);
        match out.get("type") {
            Some(only) if out.len() == 1 => Some(only.clone()),
            _ => Some(Value::Object(out)),
        }
    }

    fn named(&mut self, kind: &str, object: &Map<String, Value>, space: &str) -> Option<Value> {
        let name = object.get("name")?.as_str()?;
        let around = object.get("namespace").and_then(Value::as_str).unwrap_or(space);
        let full = full(name, around);
        if !self.printed.insert(full.clone()) {
            return Some(json!(qualified(&full, space)));
        }
        let (own_space, simple) = full.rsplit_once('.').unwrap_or(("", &full));
        let mut out = Map::new();
        let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
        set("type", json!(kind));
        set("name", json!(simple));
        if own_space != space {
            set("namespace", json!(own_space));
        }
        if let Some(doc) = object.get("doc") {
            set("doc", doc.clone());
        }
        match kind {
            "enum" => {
                set("symbols", object.get("symbols")?.clone());
                if let Some(default) = object.get("default") {
                    set("default", default.clone());
                }
            }
            "fixed" => {
                set("size", object.get("size")?.clone());
            }
            _ => {
                let fields = object.get("fields")?.as_array()?.iter();
                let fields =
                    fields.map(|field| self.field(field, own_space)).collect::<Option<_>>()?;
                set("fields", Value::Array(fields));
            }
        }
        match kind {
            "enum" => others(object, &[&OF_SCHEMAS[..], &["default"]].concat(), &mut out),
            _ => others(object, &OF_SCHEMAS, &mut out),
        }
        if let Some(aliases) = aliases(object) {
            let in_space = |alias: &Value| {
                let alias = alias.as_str().unwrap_or_default();
                json!(qualified(&self::full(alias, own_space), own_space))
            };
            out.insert("aliases".to_owned(), aliases.iter().map(in_space).collect());
        }
        Some(Value::Object(out))
    }

    fn field(&mut self, json: &Value, space: &str) -> Option<Value> {
        let (object, mut out) = (json.as_object()?, Map::new());
        out.insert("name".to_owned(), object.get("name")?.clone());
        out.insert("type".to_owned(), self.schema(object.get("type")?, space)?);
        for key in ["doc", "default", "order"] {
            let value = object.get(key).filter(|value| key != "order" || **value != "ascending");
            if let Some(value) = value {
                out.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(aliases) = aliases(object) {
            out.insert("aliases".to_owned(), json!(aliases));
        }
        others(object, &OF_FIELDS, &mut out);
        Some(Value::Object(out))
    }
}

fn aliases(object: &Map<String, Value>) -> Option<&Vec<Value>> {
    object.get("aliases")?.as_array().filter(|aliases| !aliases.is_empty())
}

/// Adds the members that are not known, in their order.
fn others(object: &Map<String, Value>, known: &[&str], out: &mut Map<String, Value>) {
    for (key, value) in object {
        if !known.contains(&key.as_str()) {
            out.insert(key.clone(), value.clone());
        }
    }
}

fn full(name: &str, space: &str) -> String {
    if name.contains('.') || space.is_empty() { name.to_owned() } else { format!("{space}.{name}") }
}

/// Returns a full name relative to a namespace.
fn qualified<'a>(full: &'a str, space: &str) -> &'a str {
    match full.rsplit_once('.') {
        Some((own, simple)) if own == space && Primitive::from_name(simple).is_none() => simple,
        _ => full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_one_order() {
        for (text, expected) in [
            (r#" { "type" : "int" } "#, r#""int""#),
            (r#"{"logicalType":"date","type":"int"}"#, r#"{"type":"int","logicalType":"date"}"#),
            (
                r#"{"fields":[{"type":{"type":"array","items":{"type":"string"}},"name":"f","order":"ascending","x":1,"doc":"d"}],
                    "name":"a.b.R","type":"record","y":[2],"aliases":["Q","c.P"],"doc":"r"}"#,
                r#"{"type":"record","name":"R","namespace":"a.b","doc":"r","fields":[{"name":"f","type":{"type":"array","items":"string"},"doc":"d","x":1}],"y":[2],"aliases":["Q","c.P"]}"#,
            ),
            (
                r#"{"type":"record","name":"R","namespace":"n","fields":[{"name":"e","type":{"type":"enum","name":"E","default":"A","symbols":["A"]}},
                    {"name":"f","type":["null","n.E",{"size":2,"type":"fixed","name":"m.F"},"m.F"],"default":null}]}"#,
                r#"{"type":"record","name":"R","namespace":"n","fields":[{"name":"e","type":{"type":"enum","name":"E","symbols":["A"],"default":"A"}},{"name":"f","type":["null","E",{"type":"fixed","name":"F","namespace":"m","size":2},"m.F"],"default":null}]}"#,
            ),
        ] {
            assert_eq!(normal(text).unwrap(), expected);
            assert_eq!(normal(expected).unwrap(), expected);
        }
        assert_eq!(normal("{}"), None);
    }
}
