//! Resolves the names of an IDL.
//!
//! ```text
//! typedef Id ─► I64      Color ─► Enum      Point ─► Record, made once, shared by all that name it
//! ```
//! A recursive struct is refused, since it would need infinitely many columns. So are structs that expand to too
//! many types: each level may double those below it.

use std::collections::HashMap;
use std::sync::Arc;

use super::files::Files;
use super::idl::{Definition, FieldDefinition, Requiredness, TypeName};
use super::record::{Enum, Field, Need, Record, ThriftValueType};
use trevni::{Error, Result};

/// Types nested deeper than Thrift itself reads, or more of them, are refused.
pub(super) const DEEPEST: usize = 64;
const MOST_TYPES: u64 = 1 << 16;

/// Resolves names.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    pub(super) files: &'a Files,
    records: HashMap<(usize, &'a str), Arc<Record>>,
    enums: HashMap<(usize, &'a str), Arc<Enum>>,
    /// The structs and typedefs being made, the outermost first, with the field that is at hand.
    open: Vec<(usize, &'a str, &'a str)>,
    /// How much more the defaults of all fields may take.
    pub(super) room: u64,
}

/// Returns the struct of a name, in the requested file.
pub(super) fn resolve(files: &Files, name: &str) -> Result<Arc<Record>> {
    let (records, enums) = (HashMap::new(), HashMap::new());
    let mut resolver = Resolver { files, records, enums, open: Vec::new(), room: 16 << 20 };
    let file = files.first();
    let Some((of, own, definition)) = files.find(file, name) else {
        let all = files.structs(file).join(", ");
        return Err(Error::invalid(format!("no struct {name:?}: there are {all}")));
    };
    let kind = match definition {
        Definition::Const(..) => None,
        _ => Some(resolver.named(of, own, definition, 0)?),
    };
    match kind {
        Some(ThriftValueType::Record(record)) if !record.union => Ok(record),
        Some(ThriftValueType::Record(_)) => {
            Err(Error::invalid(format!("{name:?} is a union: rows must be structs")))
        }
        _ => Err(Error::invalid(format!("{name:?} is not a struct"))),
    }
}

impl<'a> Resolver<'a> {
    /// Returns an error at a line of a file.
    pub(super) fn wrong(&self, file: usize, line: u32, what: &str) -> Error {
        Error::malformed(format!("{}, line {line}: {what}", self.files.name(file)))
    }

    /// Returns the type of a type's name.
    pub(super) fn kind(
        &mut self,
        file: usize,
        name: &'a TypeName,
        depth: usize,
    ) -> Result<ThriftValueType> {
        if depth > DEEPEST {
            return Err(Error::unsupported(format!("types are nested deeper than {DEEPEST}")));
        }
        let mut boxed = |name| self.kind(file, name, depth + 1).map(Box::new);
        Ok(match name {
            TypeName::Bool => ThriftValueType::Bool,
            TypeName::I8 => ThriftValueType::I8,
            TypeName::I16 => ThriftValueType::I16,
            TypeName::I32 => ThriftValueType::I32,
            TypeName::I64 => ThriftValueType::I64,
            TypeName::Double => ThriftValueType::Double,
            TypeName::Text => ThriftValueType::Text,
            TypeName::Binary => ThriftValueType::Binary,
            TypeName::Uuid => ThriftValueType::Uuid,
            TypeName::List(item) => ThriftValueType::List(boxed(item)?),
            TypeName::Set(item) => ThriftValueType::Set(boxed(item)?),
            TypeName::Map(key, value) => ThriftValueType::Map(boxed(key)?, boxed(value)?),
            TypeName::Named { name, line } => match self.files.find(file, name) {
                None => return Err(self.wrong(file, *line, &format!("no type {name:?}"))),
                Some((_, _, Definition::Const(..))) => {
                    return Err(self.wrong(file, *line, &format!("{name:?} is no type")));
                }
                Some((file, name, found)) => self.named(file, name, found, depth)?,
            },
        })
    }

    fn named(
        &mut self,
        file: usize,
        name: &'a str,
        definition: &'a Definition,
        depth: usize,
    ) -> Result<ThriftValueType> {
        let key = (file, name);
        if let Some(record) = self.records.get(&key) {
            return Ok(ThriftValueType::Record(record.clone()));
        }
        if let Some(from) = self.open.iter().position(|(f, n, _)| (*f, *n) == key) {
            return Err(self.circle(from));
        }
        match definition {
            Definition::Enum(names) => {
                let new = || Arc::new(Enum::new(name.to_owned(), names));
                Ok(ThriftValueType::Enum(self.enums.entry(key).or_insert_with(new).clone()))
            }
            Definition::Typedef(type_name) => {
                self.open.push((file, name, ""));
                let kind = self.kind(file, type_name, depth + 1)?;
                self.open.pop();
                Ok(kind)
            }
            Definition::Record { union, fields } => {
                self.open.push((file, name, ""));
                let record = self.record(file, name, *union, fields, depth)?;
                self.open.pop();
                let record = Arc::new(record);
                self.records.insert(key, record.clone());
                Ok(ThriftValueType::Record(record))
            }
            Definition::Const(..) => Err(Error::malformed(format!("{name:?} is no type"))),
        }
    }

    fn record(
        &mut self,
        file: usize,
        name: &str,
        union: bool,
        definitions: &'a [FieldDefinition],
        depth: usize,
    ) -> Result<Record> {
        let mut fields = Vec::new();
        for definition in definitions {
            if let Some((_, _, at_hand)) = self.open.last_mut() {
                *at_hand = &definition.name;
            }
            fields.push(self.field(file, union, definition, depth)?);
        }
        if union && !(1..=128).contains(&fields.len()) {
            let what = format!("union {name} has {} members, not 1 to 128", fields.len());
            return Err(Error::unsupported(what));
        }
        let record = Record::new(name.to_owned(), union, fields);
        if record.types > MOST_TYPES || record.depth > DEEPEST {
            let (types, depth) = (record.types, record.depth);
            let what = format!("struct {name} has {types} types within it, up to {depth} deep");
            let most = format!("{MOST_TYPES} and {DEEPEST} are the most");
            return Err(Error::unsupported(format!("{what}: {most}")));
        }
        Ok(record)
    }

    fn field(
        &mut self,
        file: usize,
        union: bool,
        definition: &'a FieldDefinition,
        depth: usize,
    ) -> Result<Field> {
        let FieldDefinition { id, name, requiredness, default, .. } = definition;
        let kind = self.kind(file, &definition.type_name, depth + 1)?;
        let default = match default {
            // Checked even where it is of no use.
            Some(value) => Some(self.constant(file, value, &kind, 0)?),
            None => None,
        };
        let need = match (requiredness, default) {
            // Members of a union are optional, whatever their requiredness.
            _ if union => Need::Optional,
            (Requiredness::Required, _) => Need::Required,
            (Requiredness::Default, Some(default)) => Need::Default(default),
            _ => Need::Optional,
        };
        let blank = match &need {
            Need::Default(default) => default.size(),
            _ => kind.blank(),
        };
        Ok(Field { id: *id, name: name.clone(), kind, need, blank })
    }

    /// Returns the enum of a name, if it is one.
    pub(super) fn enumeration(&mut self, file: usize, name: &str) -> Result<Option<Arc<Enum>>> {
        let found = match self.files.find(file, name) {
            Some((file, name, found @ Definition::Enum(_))) => self.named(file, name, found, 0)?,
            _ => return Ok(None),
        };
        Ok(match found {
            ThriftValueType::Enum(names) => Some(names),
            _ => None,
        })
    }

    /// Returns the error of a name that leads back to itself.
    fn circle(&self, from: usize) -> Error {
        let open = self.open.iter().skip(from);
        let mut path: Vec<_> = open
            .map(|(_, name, field)| match *field {
                "" => (*name).to_owned(),
                field => format!("{name}.{field}"),
            })
            .collect();
        let first = self.open.get(from).map_or("", |(_, name, _)| name);
        path.push(first.to_owned());
        let path = path.join(" > ");
        Error::unsupported(format!("{first} is recursive, which columns cannot be: {path}"))
    }
}
