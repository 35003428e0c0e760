//! Writes Avro schemas as JSON.
//!
//! ```text
//! a named type is defined at its first use, and later referred to by its full name
//! ```

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Avro, Logical, Primitive};

impl Avro {
    /// Returns the schema in JSON.
    pub(super) fn to_json(&self) -> Value {
        self.json("", &mut HashSet::new())
    }

    fn json<'a>(&'a self, namespace: &str, written: &mut HashSet<&'a str>) -> Value {
        match self {
            Avro::Primitive(primitive, None) => json!(primitive.name()),
            Avro::Primitive(primitive, Some(logical)) => {
                with_logical(json!({ "type": primitive.name() }), *logical)
            }
            Avro::Array(items) => {
                json!({ "type": "array", "items": items.json(namespace, written) })
            }
            Avro::Map(values) => {
                json!({ "type": "map", "values": values.json(namespace, written) })
            }
            Avro::Union(branches) => {
                branches.iter().map(|branch| branch.json(namespace, written)).collect()
            }
            Avro::Fixed { name, .. } | Avro::Enum { name, .. } | Avro::Record { name, .. } => {
                if !written.insert(name) {
                    return json!(name);
                }
                self.definition(name, namespace, written)
            }
        }
    }

    fn definition<'a>(
        &'a self,
        full: &'a str,
        enclosing: &str,
        written: &mut HashSet<&'a str>,
    ) -> Value {
        let (namespace, name) = full.rsplit_once('.').unwrap_or(("", full));
        let mut json = match self {
            Avro::Enum { .. } => json!({ "type": "enum", "name": name }),
            Avro::Fixed { .. } => json!({ "type": "fixed", "name": name }),
            _ => json!({ "type": "record", "name": name }),
        };
        if namespace != enclosing {
            set(&mut json, "namespace", json!(namespace));
        }
        match self {
            Avro::Enum { symbols, .. } => set(&mut json, "symbols", json!(&**symbols)),
            Avro::Fixed { size, logical, .. } => {
                set(&mut json, "size", json!(size));
                if let Some(logical) = logical {
                    json = with_logical(json, *logical);
                }
            }
            Avro::Record { fields, .. } => {
                let fields = fields.iter().map(|(name, avro)| {
                    let mut field = json!({ "name": name, "type": avro.json(namespace, written) });
                    if avro.starts_with_null() {
                        set(&mut field, "default", Value::Null);
                    }
                    field
                });
                let fields = fields.collect();
                set(&mut json, "fields", fields);
            }
            _ => {}
        }
        json
    }

    fn starts_with_null(&self) -> bool {
        match self {
            Avro::Union(branches) => branches.first().is_some_and(Avro::is_null),
            _ => matches!(self, Avro::Primitive(Primitive::Null, _)),
        }
    }
}

fn with_logical(mut json: Value, logical: Logical) -> Value {
    set(&mut json, "logicalType", json!(logical.name()));
    if let Logical::Decimal { precision, scale } = logical {
        set(&mut json, "precision", json!(precision));
        set(&mut json, "scale", json!(scale));
    }
    json
}

fn set(json: &mut Value, key: &str, value: Value) {
    if let Some(object) = json.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_both_ways() {
        for text in [
            r#""int""#,
            r#"["null",{"type":"array","items":{"type":"long","logicalType":"timestamp-micros"}}]"#,
            r#"{"type":"record","name":"R","namespace":"a","fields":[{"name":"f","type":{"type":"fixed","name":"F","size":3}},{"name":"g","type":["null","a.F"],"default":null},{"name":"h","type":{"type":"map","values":{"type":"bytes","logicalType":"decimal","precision":20,"scale":2}}},{"name":"e","type":{"type":"enum","name":"E","namespace":"b","symbols":["X","Y"]}}]}"#,
        ] {
            assert_eq!(Avro::parse(text.as_bytes()).unwrap().to_json().to_string(), text);
        }
    }
}
