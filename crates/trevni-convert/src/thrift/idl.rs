//! The interface definition language (IDL).
//!
//! ```text
//! include "shared.thrift"          enum Color { RED, GREEN = 5 }
//! const i32 N = 3                  struct Row { 1: required i64 id, 2: optional list<shared.Point> way = [] }
//! typedef i64 Id                   union Shape { 1: Circle circle; 2: Box box }
//! ```
//! Namespaces, services and annotations are parsed and ignored. Names are resolved later, when all files are
//! loaded.
//!
//! The parser of `pilota` is not used: it adds some thirty crates (parser combinators, coloured reports, regular
//! expressions) for a small grammar, and has no limit on nesting.

mod lexer;
mod parse;
mod term;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

/// A file.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) includes: Vec<Include>,
    pub(super) definitions: HashMap<String, Definition>,
    /// The structs and exceptions, in order.
    pub(super) structs: Vec<String>,
}

/// Another file whose names are used.
#[derive(Debug, PartialEq)]
pub(super) struct Include {
    pub(super) path: String,
    pub(super) line: u32,
}

/// The definition of a name.
#[derive(Debug, PartialEq)]
pub(super) enum Definition {
    Const(TypeName, Value),
    Typedef(TypeName),
    Enum(Vec<(String, i32)>),
    /// A struct, an exception or a union.
    Record {
        union: bool,
        fields: Vec<FieldDefinition>,
    },
}

/// A field of a struct, or a member of a union.
#[derive(Debug, PartialEq)]
pub(super) struct FieldDefinition {
    pub(super) id: i16,
    pub(super) name: String,
    pub(super) requiredness: Requiredness,
    pub(super) type_name: TypeName,
    pub(super) default: Option<Value>,
    pub(super) line: u32,
}

/// The requiredness of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requiredness {
    Required,
    Optional,
    /// Neither is specified.
    Default,
}

/// A type, unresolved.
#[derive(Debug, PartialEq)]
pub(super) enum TypeName {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    Text,
    Binary,
    Uuid,
    List(Box<TypeName>),
    Set(Box<TypeName>),
    Map(Box<TypeName>, Box<TypeName>),
    Named { name: String, line: u32 },
}

/// A value, unresolved, and its line.
#[derive(Debug, PartialEq)]
pub(super) struct Value {
    pub(super) line: u32,
    pub(super) content: Content,
}

/// What a value is.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    Int(i64),
    Double(f64),
    Text(String),
    /// A constant, a number of an enum, true or false.
    Name(String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}
