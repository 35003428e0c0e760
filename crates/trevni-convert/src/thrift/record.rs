//! Structs with all names resolved.
//!
//! ```text
//! Record "Row" ─ Field 1 "id"   I64
//!              ├ Field 2 "way"  List ─ Struct ─ Record "Point" ─ …
//!              └ Field 5 "color" Enum, by default "RED"
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use crate::thrift_protocol::wire_type::WireType;

/// A struct, an exception or a union.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) union: bool,
    /// In the order of their declaration.
    pub(super) fields: Vec<Field>,
    /// The indices of fields by id, ascending.
    by_id: Vec<(i16, usize)>,
    by_name: HashMap<String, usize>,
    /// The number of types, nested ones included, and their depth.
    pub(super) types: u64,
    pub(super) depth: usize,
    /// About how many bytes a null of it takes.
    blank: u64,
}

/// A field of a struct, or a member of a union.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) id: i16,
    pub(super) name: String,
    pub(super) kind: ThriftValueType,
    pub(super) need: Need,
    /// About how many bytes a column takes for a row in which the field is missing.
    pub(super) blank: u64,
}

/// What it means when a field is missing.
#[derive(Debug)]
pub(super) enum Need {
    /// The row is bad.
    Required,
    /// Null.
    Optional,
    /// This value.
    Default(Const),
}

/// A type.
#[derive(Debug, Clone)]
pub(super) enum ThriftValueType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    Text,
    Binary,
    Uuid,
    Enum(Arc<Enum>),
    List(Box<ThriftValueType>),
    Set(Box<ThriftValueType>),
    Map(Box<ThriftValueType>, Box<ThriftValueType>),
    Record(Arc<Record>),
}

/// The names of numbers.
#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: String,
    /// In the order of their declaration.
    pub(super) names: Vec<String>,
    by_name: HashMap<String, i32>,
    by_number: HashMap<i32, usize>,
}

/// A value of a default.
#[derive(Debug, Clone)]
pub(super) enum Const {
    Bool(bool),
    Int(i64),
    Double(f64),
    /// Of a string, or the name in an enum.
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Const>),
    Map(Vec<(Const, Const)>),
    /// A value for each field, or none where it is null.
    Struct(Vec<Option<Const>>),
    Union(usize, Box<Const>),
}

impl Record {
    pub(super) fn new(name: String, union: bool, fields: Vec<Field>) -> Self {
        let mut by_id: Vec<_> = fields.iter().enumerate().map(|(at, f)| (f.id, at)).collect();
        by_id.sort_unstable();
        let by_name = fields.iter().enumerate().map(|(at, f)| (f.name.clone(), at)).collect();
        let types = fields.iter().map(|field| field.kind.types());
        let types = types.fold(1, u64::saturating_add);
        let depth = 1 + fields.iter().map(|field| field.kind.depth()).max().unwrap_or(0);
        let mut blanks = fields.iter().map(|field| field.kind.blank());
        let blank = match union {
            // The slot of a null is one of the first member.
            true => blanks.next().unwrap_or(0).saturating_add(5),
            false => blanks.fold(1, u64::saturating_add),
        };
        Self { name, union, fields, by_id, by_name, types, depth, blank }
    }

    /// Returns the index and the field of an id. `next` is the index that is tried first.
    pub(super) fn find(&self, id: i16, next: usize) -> Option<(usize, &Field)> {
        if let Some(field) = self.fields.get(next).filter(|field| field.id == id) {
            return Some((next, field));
        }
        let found = self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, at) = self.by_id.get(found)?;
        Some((*at, self.fields.get(*at)?))
    }

    /// Returns the index and the field of a name.
    pub(super) fn named(&self, name: &str) -> Option<(usize, &Field)> {
        let at = *self.by_name.get(name)?;
        Some((at, self.fields.get(at)?))
    }

    /// Returns the fields with their indices, in the order of their ids.
    pub(super) fn by_id(&self) -> impl Iterator<Item = (usize, &Field)> {
        self.by_id.iter().filter_map(|(_, at)| Some((*at, self.fields.get(*at)?)))
    }
}

impl ThriftValueType {
    /// Returns how its values are written.
    pub(super) fn wire_type(&self) -> WireType {
        match self {
            ThriftValueType::Bool => WireType::Bool,
            ThriftValueType::I8 => WireType::I8,
            ThriftValueType::I16 => WireType::I16,
            ThriftValueType::I32 | ThriftValueType::Enum(_) => WireType::I32,
            ThriftValueType::I64 => WireType::I64,
            ThriftValueType::Double => WireType::Double,
            ThriftValueType::Text | ThriftValueType::Binary => WireType::Bytes,
            ThriftValueType::Uuid => WireType::Uuid,
            ThriftValueType::List(_) => WireType::List,
            ThriftValueType::Set(_) => WireType::Set,
            ThriftValueType::Map(..) => WireType::Map,
            ThriftValueType::Record(_) => WireType::Struct,
        }
    }

    /// Returns the number of types.
    pub(super) fn types(&self) -> u64 {
        match self {
            ThriftValueType::List(item) | ThriftValueType::Set(item) => {
                item.types().saturating_add(1)
            }
            ThriftValueType::Map(key, value) => {
                key.types().saturating_add(value.types()).saturating_add(1)
            }
            ThriftValueType::Record(record) => record.types,
            _ => 1,
        }
    }

    /// Returns the nesting depth.
    pub(super) fn depth(&self) -> usize {
        match self {
            ThriftValueType::List(item) | ThriftValueType::Set(item) => item.depth() + 1,
            ThriftValueType::Map(key, value) => key.depth().max(value.depth()) + 1,
            ThriftValueType::Record(record) => record.depth,
            _ => 0,
        }
    }

    /// About how many bytes a null takes.
    pub(super) fn blank(&self) -> u64 {
        match self {
            ThriftValueType::Record(record) => record.blank,
            ThriftValueType::Uuid => 17,
            ThriftValueType::I64 | ThriftValueType::Double => 9,
            _ => 5,
        }
    }
}

impl Enum {
    /// Creates an enum of names and numbers. Of several names of a number the first counts.
    pub(super) fn new(name: String, all: &[(String, i32)]) -> Self {
        let mut by_number = HashMap::new();
        for (at, (_, number)) in all.iter().enumerate() {
            by_number.entry(*number).or_insert(at);
        }
        let names = all.iter().map(|(name, _)| name.clone()).collect();
        Self { name, names, by_name: all.iter().cloned().collect(), by_number }
    }

    /// Returns the number of a name.
    pub(super) fn number(&self, name: &str) -> Option<i32> {
        self.by_name.get(name).copied()
    }

    /// Returns the name of a number, if it has one.
    pub(super) fn name_of(&self, number: i32) -> Option<&str> {
        self.names.get(*self.by_number.get(&number)?).map(String::as_str)
    }
}

impl Const {
    /// About how many bytes it takes in a column.
    pub(super) fn size(&self) -> u64 {
        let all = |parts: &mut dyn Iterator<Item = &Const>| {
            parts.map(Const::size).fold(5, u64::saturating_add)
        };
        match self {
            Const::Bool(_) | Const::Int(_) | Const::Double(_) => 9,
            Const::Text(text) => 5 + text.len() as u64,
            Const::Bytes(bytes) => 5 + bytes.len() as u64,
            Const::List(items) => all(&mut items.iter()),
            Const::Map(entries) => all(&mut entries.iter().flat_map(|(k, v)| [k, v])),
            Const::Struct(fields) => all(&mut fields.iter().flatten()) + 9 * fields.len() as u64,
            Const::Union(_, value) => 5 + value.size(),
        }
    }
}
