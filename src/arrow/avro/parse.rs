//! Parses Avro schemas from JSON.
//!
//! ```text
//! "int"    "ns.Name"    {"type": "record", ...}    ["null", ...]
//! ```
//! A named type can be referred to after its definition. A recursive type is an error, since columns cannot store
//! it. Logical types that are unknown or do not fit their type are ignored.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Avro, Logical, Primitive};
use crate::error::{Error, Result};

/// Types nested deeper than this, or more of them, are refused.
const DEEPEST: usize = 100;
const MOST: usize = 1 << 20;
/// The limit on types that references repeat: a schema of a few bytes can expand to any number of types.
const MOST_REPEATED: Size = Size { types: 1 << 16, symbol_bytes: 4 << 20 };

/// The size of a type, with the types that it refers to.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    types: usize,
    symbol_bytes: usize,
}

struct Parser {
    /// Types by full name; none while they are being defined.
    named: HashMap<String, Option<Definition>>,
    size: Size,
    /// What references repeat.
    repeated: Size,
    notes: Notes,
}

/// The parts of a schema that are used when a file was written with another schema.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Other full names of a named type, by its full name.
    pub(crate) aliases: HashMap<String, Vec<String>>,
    /// The default symbol of an enum, by the full name of the enum.
    pub(crate) symbols: HashMap<String, String>,
    /// Other names, and the default, of a field, by the full name of its record and its name.
    pub(crate) fields: HashMap<(String, String), FieldNotes>,
}

/// The properties of a field.
#[derive(Debug, Default)]
pub(crate) struct FieldNotes {
    pub(crate) aliases: Vec<String>,
    pub(crate) default: Option<Value>,
}

#[derive(Clone)]
struct Definition {
    avro: Avro,
    size: Size,
    depth: usize,
}

impl Avro {
    /// Parses the text of a schema.
    pub(crate) fn parse(text: &[u8]) -> Result<Self> {
        Ok(Self::parse_with_notes(text)?.0)
    }

    /// Parses the text of a schema. Returns its aliases and defaults too.
    pub(crate) fn parse_with_notes(text: &[u8]) -> Result<(Self, Notes)> {
        let json = serde_json::from_slice(text).map_err(|e| wrong(&e.to_string()))?;
        let (named, notes) = (HashMap::new(), Notes::default());
        let (size, repeated) = (Size::default(), Size::default());
        let mut parser = Parser { named, size, repeated, notes };
        let avro = parser.schema(&json, "", 0)?.0;
        Ok((avro, parser.notes))
    }
}

fn wrong(what: &str) -> Error {
    Error::malformed(format!("avro.schema: {what}"))
}

/// A schema and its nesting depth.
type Deep = (Avro, usize);

impl Size {
    fn add(&mut self, other: Self) {
        self.types = self.types.saturating_add(other.types);
        self.symbol_bytes = self.symbol_bytes.saturating_add(other.symbol_bytes);
    }

    fn since(self, before: Self) -> Self {
        let types = self.types.saturating_sub(before.types);
        Self { types, symbol_bytes: self.symbol_bytes.saturating_sub(before.symbol_bytes) }
    }

    /// Fails if references repeat more than they may.
    fn check(self) -> Result<()> {
        for (what, size, limit) in [
            ("avro.schema: types that references repeat", self.types, MOST_REPEATED.types),
            (
                "avro.schema: bytes of symbols that references repeat",
                self.symbol_bytes,
                MOST_REPEATED.symbol_bytes,
            ),
        ] {
            if size > limit {
                return Err(Error::too_large(what, size as u64, limit as u64));
            }
        }
        Ok(())
    }
}

impl Parser {
    fn schema(&mut self, json: &Value, namespace: &str, depth: usize) -> Result<Deep> {
        self.size.types += 1;
        if depth > DEEPEST || self.size.types > MOST {
            return Err(wrong("too deep, or too large"));
        }
        match json {
            Value::String(name) => self.by_name(name, namespace, depth),
            Value::Array(branches) => self.union(branches, namespace, depth),
            Value::Object(object) => match object.get("type") {
                Some(Value::String(name)) => self.object(name, object, namespace, depth),
                Some(nested) => self.schema(nested, namespace, depth + 1),
                None => Err(wrong("an object without type")),
            },
            other => Err(wrong(&format!("{other} is no schema"))),
        }
    }

    fn by_name(&mut self, name: &str, namespace: &str, depth: usize) -> Result<Deep> {
        if let Some(primitive) = Primitive::from_name(name) {
            return Ok((Avro::Primitive(primitive, None), 0));
        }
        let full = full_name(name, namespace);
        let found = self.named.get(&full).or_else(|| self.named.get(name));
        match found {
            Some(Some(definition)) => {
                self.size.add(definition.size);
                self.repeated.add(definition.size);
                self.repeated.check()?;
                if self.size.types > MOST || depth + definition.depth > DEEPEST {
                    return Err(wrong("too deep, or too large"));
                }
                Ok((definition.avro.clone(), definition.depth))
            }
            Some(None) => Err(Error::unsupported(format!(
                "avro.schema: {full} is recursive, which columns cannot hold"
            ))),
            None => Err(wrong(&format!("no type {full}"))),
        }
    }

    fn union(&mut self, branches: &[Value], namespace: &str, depth: usize) -> Result<Deep> {
        let mut all: Vec<Avro> = Vec::with_capacity(branches.len());
        let (mut names, mut deepest) = (HashSet::new(), 0);
        for branch in branches {
            let (avro, deep) = self.schema(branch, namespace, depth + 1)?;
            if matches!(avro, Avro::Union(_)) {
                return Err(wrong("a union directly in a union"));
            }
            if !names.insert(avro.full_name().to_owned()) {
                return Err(wrong(&format!("a union with two branches {}", avro.full_name())));
            }
            deepest = deepest.max(deep + 1);
            all.push(avro);
        }
        Ok((Avro::Union(all), deepest))
    }

    fn object(
        &mut self,
        kind: &str,
        object: &Map<String, Value>,
        namespace: &str,
        depth: usize,
    ) -> Result<Deep> {
        match kind {
            "array" | "map" => {
                let part = if kind == "array" { "items" } else { "values" };
                let inner =
                    object.get(part).ok_or_else(|| wrong(&format!("{kind} without {part}")))?;
                let (inner, deep) = self.schema(inner, namespace, depth + 1)?;
                let inner = Box::new(inner);
                let avro = if kind == "array" { Avro::Array(inner) } else { Avro::Map(inner) };
                Ok((avro, deep + 1))
            }
            "record" | "error" | "enum" | "fixed" => self.named(kind, object, namespace, depth),
            name => {
                let (mut avro, deep) = self.by_name(name, namespace, depth)?;
                if let Avro::Primitive(primitive, logical) = &mut avro {
                    *logical = logical_of(object).filter(|l| l.fits(*primitive));
                }
                Ok((avro, deep))
            }
        }
    }

    fn named(
        &mut self,
        kind: &str,
        object: &Map<String, Value>,
        namespace: &str,
        depth: usize,
    ) -> Result<Deep> {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let name = text("name").ok_or_else(|| wrong(&format!("{kind} without a name")))?;
        let name = full_name(name, text("namespace").unwrap_or(namespace));
        if self.named.insert(name.clone(), None).is_some() {
            return Err(wrong(&format!("{name} is defined twice")));
        }
        let before = self.size;
        self.note_type(&name, object);
        let (avro, deep) = match kind {
            "enum" => {
                let symbols = symbols(object)?;
                self.size.symbol_bytes += symbols.iter().map(|text| text.len() + 1).sum::<usize>();
                (Avro::Enum { name: name.clone(), symbols }, 0)
            }
            "fixed" => (fixed(name.clone(), object)?, 0),
            _ => self.record(name.clone(), object, depth)?,
        };
        let size = self.size.since(before);
        self.named.insert(name, Some(Definition { avro: avro.clone(), size, depth: deep }));
        Ok((avro, deep))
    }

    fn record(&mut self, name: String, object: &Map<String, Value>, depth: usize) -> Result<Deep> {
        let Some(Value::Array(list)) = object.get("fields") else {
            return Err(wrong(&format!("{name} without fields")));
        };
        let namespace = name.rsplit_once('.').map_or("", |(namespace, _)| namespace).to_owned();
        let (mut fields, mut deepest) = (Vec::with_capacity(list.len()), 0);
        let mut names = HashSet::new();
        for field in list {
            let field_name = field.get("name").and_then(Value::as_str);
            let (Some(field_name), Some(schema)) = (field_name, field.get("type")) else {
                return Err(wrong(&format!("{name} has a field without name or type")));
            };
            if !names.insert(field_name) {
                return Err(wrong(&format!("{name} has two fields {field_name:?}")));
            }
            let (avro, deep) = self.schema(schema, &namespace, depth + 1)?;
            deepest = deepest.max(deep + 1);
            let (aliases, default) = (texts(field.get("aliases")), field.get("default").cloned());
            let notes = FieldNotes { aliases, default };
            self.notes.fields.insert((name.clone(), field_name.to_owned()), notes);
            fields.push((field_name.to_owned(), avro));
        }
        Ok((Avro::Record { name, fields }, deepest))
    }

    fn note_type(&mut self, name: &str, object: &Map<String, Value>) {
        let namespace = name.rsplit_once('.').map_or("", |(namespace, _)| namespace);
        let aliases = texts(object.get("aliases"));
        let aliases = aliases.iter().map(|alias| full_name(alias, namespace)).collect();
        self.notes.aliases.insert(name.to_owned(), aliases);
        if let Some(symbol) = object.get("default").and_then(Value::as_str) {
            self.notes.symbols.insert(name.to_owned(), symbol.to_owned());
        }
    }
}

/// Returns the texts of a list, where there is one.
fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}.{name}")
    }
}

fn symbols(object: &Map<String, Value>) -> Result<Arc<[String]>> {
    let symbols = object.get("symbols").and_then(Value::as_array);
    let symbols = symbols.ok_or_else(|| wrong("an enum without symbols"))?;
    let text = |symbol: &Value| symbol.as_str().map(str::to_owned);
    symbols.iter().map(text).collect::<Option<_>>().ok_or_else(|| wrong("a symbol that is no text"))
}

fn fixed(name: String, object: &Map<String, Value>) -> Result<Avro> {
    let size = object.get("size").and_then(Value::as_i64);
    let size = size.and_then(|size| i32::try_from(size).ok()).filter(|size| *size >= 0);
    let size = size.ok_or_else(|| wrong(&format!("{name} without a size")))?;
    let logical = logical_of(object).filter(|logical| match logical {
        Logical::Decimal { .. } => true,
        Logical::Duration => size == 12,
        Logical::Uuid => size == 16,
        _ => false,
    });
    Ok(Avro::Fixed { name, size, logical })
}

fn logical_of(object: &Map<String, Value>) -> Option<Logical> {
    let name = object.get("logicalType")?.as_str()?;
    if name != "decimal" {
        return Logical::from_name(name);
    }
    let precision = u8::try_from(object.get("precision")?.as_u64()?).ok()?;
    let scale = object.get("scale").map_or(Some(0), Value::as_u64)?;
    let scale = u8::try_from(scale).ok().filter(|scale| *scale <= precision)?;
    (1..=76).contains(&precision).then_some(Logical::Decimal { precision, scale })
}

impl Logical {
    fn fits(self, primitive: Primitive) -> bool {
        match self {
            Logical::Decimal { .. } => primitive == Primitive::Bytes,
            Logical::Date | Logical::TimeMillis => primitive == Primitive::Int,
            Logical::Uuid => primitive == Primitive::String,
            Logical::Duration => false,
            _ => primitive == Primitive::Long,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_resolve() {
        let text = br#"{"type":"record","name":"R","namespace":"a.b","fields":[
            {"name":"k","type":{"type":"enum","name":"K","symbols":["X"]}},
            {"name":"l","type":["null","K"]},{"name":"m","type":"a.b.K"},
            {"name":"f","type":{"type":"fixed","name":"c.F","size":2}},{"name":"g","type":"c.F"}]}"#;
        let Avro::Record { name, fields } = Avro::parse(text).unwrap() else { panic!() };
        assert_eq!(name, "a.b.R");
        let k = Avro::Enum { name: "a.b.K".into(), symbols: Arc::new(["X".into()]) };
        assert_eq!(fields[1].1, Avro::Union(vec![Avro::NULL, k.clone()]));
        assert_eq!((&fields[2].1, fields[4].1.full_name()), (&k, "c.F"));
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let recursive =
            br#"{"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]}"#;
        assert!(Avro::parse(recursive).unwrap_err().to_string().contains("R is recursive"));
        let mut doubling = r#"["null",{"type":"record","name":"A0","fields":[]}"#.to_owned();
        for i in 1..60 {
            let f = |name| format!(r#"{{"name":"{name}","type":"A{}"}}"#, i - 1);
            let (a, b) = (f("a"), f("b"));
            doubling += &format!(r#",{{"type":"record","name":"A{i}","fields":[{a},{b}]}}"#);
        }
        assert!(
            Avro::parse((doubling + "]").as_bytes()).unwrap_err().to_string().contains("large")
        );
        for bad in [
            "",
            "1",
            "{}",
            "\"nothing\"",
            "[[\"int\"]]",
            "[\"int\",\"int\"]",
            "{\"type\":\"array\"}",
        ] {
            assert!(Avro::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
