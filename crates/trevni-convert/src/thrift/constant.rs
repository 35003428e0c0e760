//! The values of defaults and constants.
//!
//! ```text
//! 3  true  "a"  Color.RED  ORIGIN        [1, 2]        {"x": 1}: a map, or a struct by the names of its fields
//! ```

use super::idl::{Content, Definition, Value};
use super::record::{Const, Enum, Need, Record, ThriftValueType};
use super::resolve::{DEEPEST, Resolver};
use trevni::{Error, Result};

impl<'a> Resolver<'a> {
    /// Returns the value of a type that is written so in a file.
    pub(super) fn constant(
        &mut self,
        file: usize,
        value: &'a Value,
        kind: &ThriftValueType,
        depth: usize,
    ) -> Result<Const> {
        if depth > DEEPEST {
            let what = format!("constants lead to each other more than {DEEPEST} times");
            return Err(self.wrong(file, value.line, &what));
        }
        self.charge(16)?;
        if let Content::Name(name) = &value.content {
            return self.by_name(file, value, name, kind, depth);
        }
        let found = match (kind, &value.content) {
            (ThriftValueType::Bool, Content::Int(n @ (0 | 1))) => Some(Const::Bool(*n == 1)),
            (
                ThriftValueType::I8
                | ThriftValueType::I16
                | ThriftValueType::I32
                | ThriftValueType::I64,
                Content::Int(n),
            ) => int(kind, *n),
            (ThriftValueType::Double, Content::Double(n)) => Some(Const::Double(*n)),
            (ThriftValueType::Double, Content::Int(n)) => Some(Const::Double(*n as f64)),
            (ThriftValueType::Text, Content::Text(text)) => {
                self.charge(text.len() as u64)?;
                Some(Const::Text(text.clone()))
            }
            (ThriftValueType::Binary, Content::Text(text)) => {
                self.charge(text.len() as u64)?;
                Some(Const::Bytes(text.as_bytes().to_vec()))
            }
            (ThriftValueType::Uuid, Content::Text(text)) => uuid(text),
            (ThriftValueType::Enum(names), Content::Int(n)) => {
                i32::try_from(*n).ok().map(|n| symbol(names, n))
            }
            (ThriftValueType::List(item) | ThriftValueType::Set(item), Content::List(items)) => {
                let items = items.iter().map(|value| self.constant(file, value, item, depth + 1));
                Some(Const::List(items.collect::<Result<_>>()?))
            }
            (ThriftValueType::Map(key, value), Content::Map(entries)) => {
                let entries = entries.iter().map(|(k, v)| {
                    Ok((
                        self.constant(file, k, key, depth + 1)?,
                        self.constant(file, v, value, depth + 1)?,
                    ))
                });
                Some(Const::Map(entries.collect::<Result<_>>()?))
            }
            (ThriftValueType::Record(record), Content::Map(entries)) => {
                Some(self.literal(file, value, entries, record, depth)?)
            }
            _ => None,
        };
        found.ok_or_else(|| self.unfit(file, value, kind))
    }

    fn unfit(&self, file: usize, value: &Value, kind: &ThriftValueType) -> Error {
        let given = match &value.content {
            Content::Int(n) => n.to_string(),
            Content::Double(n) => n.to_string(),
            Content::Text(text) => format!("{text:?}"),
            Content::Name(name) => name.clone(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
        };
        let what = format!("{given} is no value of type {}", name_of(kind));
        self.wrong(file, value.line, &what)
    }

    fn charge(&mut self, bytes: u64) -> Result<()> {
        let left = self.room.checked_sub(bytes);
        self.room = left.ok_or_else(|| Error::unsupported("defaults of more than 16 MB"))?;
        Ok(())
    }

    /// Returns a constant, or a number of an enum, by its name.
    fn by_name(
        &mut self,
        file: usize,
        value: &'a Value,
        name: &str,
        kind: &ThriftValueType,
        depth: usize,
    ) -> Result<Const> {
        if let (ThriftValueType::Bool, "true" | "false") = (kind, name) {
            return Ok(Const::Bool(name == "true"));
        }
        if let Some((file, _, Definition::Const(_, value))) = self.files.find(file, name) {
            return self.constant(file, value, kind, depth + 1);
        }
        let number = match name.rsplit_once('.') {
            Some((of, name)) => self.enumeration(file, of)?.and_then(|names| names.number(name)),
            None => match kind {
                ThriftValueType::Enum(names) => names.number(name),
                _ => None,
            },
        };
        let found = number.and_then(|number| match kind {
            ThriftValueType::Enum(names) => Some(symbol(names, number)),
            ThriftValueType::I8
            | ThriftValueType::I16
            | ThriftValueType::I32
            | ThriftValueType::I64 => int(kind, number.into()),
            _ => None,
        });
        found.ok_or_else(|| self.unfit(file, value, kind))
    }

    /// Returns a struct by the names of its fields; those that are not named have their own defaults.
    fn literal(
        &mut self,
        file: usize,
        value: &Value,
        entries: &'a [(Value, Value)],
        record: &Record,
        depth: usize,
    ) -> Result<Const> {
        let mut values: Vec<Option<Const>> = Vec::new();
        self.charge(32 * record.fields.len() as u64)?;
        for field in &record.fields {
            values.push(match &field.need {
                Need::Default(default) => {
                    self.charge(default.size())?;
                    Some(default.clone())
                }
                _ => None,
            });
        }
        for (key, value) in entries {
            let Content::Text(name) = &key.content else {
                return Err(self.wrong(
                    file,
                    key.line,
                    "the key of a struct's field is no literal",
                ));
            };
            let Some((at, field)) = record.named(name) else {
                let what = format!("{} has no field {name:?}", record.name);
                return Err(self.wrong(file, key.line, &what));
            };
            let given = self.constant(file, value, &field.kind, depth + 1)?;
            if let Some(place) = values.get_mut(at) {
                *place = Some(given);
            }
        }
        if record.union {
            let mut set = values.into_iter().enumerate().filter_map(|(at, v)| Some((at, v?)));
            return match (set.next(), set.next()) {
                (Some((at, value)), None) => Ok(Const::Union(at, Box::new(value))),
                _ => {
                    let what = format!("union {} must have one member", record.name);
                    Err(self.wrong(file, value.line, &what))
                }
            };
        }
        let fields = record.fields.iter().zip(&values);
        let missing = |(field, value): &(&super::record::Field, &Option<Const>)| {
            value.is_none() && matches!(field.need, Need::Required)
        };
        if let Some((field, _)) = { fields }.find(missing) {
            let what = format!("{} needs its field {:?}", record.name, field.name);
            return Err(self.wrong(file, value.line, &what));
        }
        Ok(Const::Struct(values))
    }
}

fn int(kind: &ThriftValueType, n: i64) -> Option<Const> {
    let fits = match kind {
        ThriftValueType::I8 => i8::try_from(n).is_ok(),
        ThriftValueType::I16 => i16::try_from(n).is_ok(),
        ThriftValueType::I32 => i32::try_from(n).is_ok(),
        _ => true,
    };
    fits.then_some(Const::Int(n))
}

fn symbol(names: &Enum, number: i32) -> Const {
    let name = names.name_of(number);
    Const::Text(name.map_or_else(|| number.to_string(), str::to_owned))
}

fn uuid(text: &str) -> Option<Const> {
    let digits: String = text.trim_matches(['{', '}']).chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some(Const::Bytes(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes().to_vec()))
}

/// Returns what a type is called in errors.
pub(super) fn name_of(kind: &ThriftValueType) -> String {
    match kind {
        ThriftValueType::Enum(names) => names.name.clone(),
        ThriftValueType::Record(record) => record.name.clone(),
        ThriftValueType::Binary => "binary".to_owned(),
        other => other.wire_type().name().to_owned(),
    }
}
