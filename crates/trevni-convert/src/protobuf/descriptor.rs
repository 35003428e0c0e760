//! Descriptor sets, as `protoc --include_imports --descriptor_set_out` writes them.
//!
//! ```text
//! FileDescriptorSet ─► file: package, syntax ─► message ─► field: name, number, label, type, options
//!                                            └► enum ─► value: name, number
//! ```
//! A descriptor set is itself a message. Only the parts that determine the encoding are kept. proto2, proto3 and
//! the features of editions are reduced to one form: [`Features`].

use std::collections::HashMap;

use super::wire::{Cursor, Wire};
use trevni::{Error, ErrorKind, Result};

/// Messages may be declared this deep in each other.
const DEEPEST: usize = 64;

/// All types of a set, by their full names.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) messages: HashMap<String, Message>,
    pub(super) enums: HashMap<String, Enum>,
    /// The names of the messages as they were declared, without those that entries of maps are.
    pub(super) names: Vec<String>,
}

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    pub(super) oneofs: Vec<String>,
    pub(super) is_map_entry: bool,
}

/// A field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) number: u32,
    /// Type and label by the numbers that descriptors have for them.
    pub(super) kind: u64,
    pub(super) label: u64,
    pub(super) type_name: String,
    /// The oneof, except one that only makes a single field optional.
    pub(super) oneof: Option<usize>,
    pub(super) is_optional: bool,
    pub(super) features: Features,
}

/// An enumeration: the names and numbers in their order.
#[derive(Debug)]
pub(super) struct Enum {
    pub(super) values: Vec<(String, i32)>,
}

/// What a field has from its file and from what else is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) presence: Presence,
    pub(super) packed: bool,
    pub(super) delimited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Explicit,
    Implicit,
    Required,
}

/// The fields of a part of the set.
struct DescriptorFields<'a>(Vec<(u32, FieldValue<'a>)>);

#[derive(Clone, Copy)]
enum FieldValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> DescriptorFields<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self> {
        let (mut from, mut parts) = (Cursor::new(bytes, 0..bytes.len()), Vec::new());
        while !from.is_at_end() {
            match from.key()? {
                (number, Wire::Varint) => parts.push((number, FieldValue::Number(from.varint()?))),
                (number, Wire::Bytes) => parts.push((number, FieldValue::Bytes(from.slice()?))),
                (number, wire) => from.skip(number, wire)?,
            }
        }
        Ok(Self(parts))
    }

    fn all(&self, number: u32) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(move |part| match part {
            (n, FieldValue::Bytes(bytes)) if *n == number => Some(*bytes),
            _ => None,
        })
    }

    fn number(&self, number: u32) -> Option<u64> {
        self.0.iter().rev().find_map(|part| match part {
            (n, FieldValue::Number(value)) if *n == number => Some(*value),
            _ => None,
        })
    }

    fn text(&self, number: u32) -> Result<&'a str> {
        let bytes = self.all(number).last().unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|_| Error::malformed("a name that is not UTF-8"))
    }

    fn name(&self, number: u32) -> Result<String> {
        match self.text(number)? {
            "" => Err(Error::malformed("a declaration without a name")),
            name => Ok(name.to_owned()),
        }
    }
}

impl Features {
    /// Those of a file: field 12 is its syntax, 14 its edition.
    fn of_file(name: &str, file: &DescriptorFields<'_>) -> Result<Self> {
        const PROTO2: u64 = 998;
        const PROTO3: u64 = 999;
        const NEWEST: u64 = 1001;
        let edition = match (file.text(12)?, file.number(14)) {
            ("" | "proto2", _) => PROTO2,
            ("proto3", _) => PROTO3,
            ("editions", Some(edition)) if (PROTO2..=NEWEST).contains(&edition) => edition,
            (syntax, edition) => {
                let edition = edition.map(|edition| format!(", edition {edition}"));
                let what =
                    format!("{name} has the syntax {syntax:?}{}", edition.unwrap_or_default());
                return Err(Error::unsupported(what));
            }
        };
        let presence = if edition == PROTO3 { Presence::Implicit } else { Presence::Explicit };
        let all = Self { presence, packed: edition != PROTO2, delimited: false };
        all.within(file, 8, 50)
    }

    /// Those of something whose options are field `options`, and the features field `features` of them.
    fn within(mut self, of: &DescriptorFields<'_>, options: u32, features: u32) -> Result<Self> {
        for options in of.all(options) {
            for features in DescriptorFields::new(options)?.all(features) {
                let features = DescriptorFields::new(features)?;
                match features.number(1) {
                    Some(1) => self.presence = Presence::Explicit,
                    Some(2) => self.presence = Presence::Implicit,
                    Some(3) => self.presence = Presence::Required,
                    _ => {}
                }
                self.packed = features.number(3).map_or(self.packed, |encoding| encoding == 1);
                self.delimited =
                    features.number(5).map_or(self.delimited, |encoding| encoding == 2);
            }
        }
        Ok(self)
    }
}

impl Types {
    /// Reads a `FileDescriptorSet`.
    pub(super) fn new(set: &[u8]) -> Result<Self> {
        Self::read(set).map_err(|e| match e.kind() {
            ErrorKind::Malformed(text) => Error::invalid(format!("the descriptor set: {text}")),
            _ => e,
        })
    }

    fn read(set: &[u8]) -> Result<Self> {
        let mut types = Self::default();
        for file in DescriptorFields::new(set)?.all(1) {
            let file = DescriptorFields::new(file)?;
            let package = file.text(2)?;
            let features = Features::of_file(file.text(1)?, &file)?;
            for message in file.all(4) {
                types.message(message, package, features, 0)?;
            }
            for of in file.all(5) {
                types.enumeration(of, package)?;
            }
        }
        Ok(types)
    }

    fn message(&mut self, bytes: &[u8], scope: &str, outer: Features, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(Error::malformed("messages are declared too deep in each other"));
        }
        let message = DescriptorFields::new(bytes)?;
        let name = full_name(scope, &message.name(1)?);
        let features = outer.within(&message, 7, 12)?;
        let mut is_map_entry = false;
        for options in message.all(7) {
            is_map_entry |= DescriptorFields::new(options)?.number(7) == Some(1);
        }
        if !is_map_entry {
            self.names.push(name.clone());
        }
        for nested in message.all(3) {
            self.message(nested, &name, features, depth + 1)?;
        }
        for of in message.all(4) {
            self.enumeration(of, &name)?;
        }
        let (mut oneofs, mut of_oneofs) = (Vec::new(), Vec::new());
        for oneof in message.all(8) {
            let oneof = DescriptorFields::new(oneof)?;
            oneofs.push(oneof.name(1)?);
            of_oneofs.push(features.within(&oneof, 2, 1)?);
        }
        let fields = message.all(2).map(|bytes| field(bytes, features, &of_oneofs));
        let fields = fields.collect::<Result<_>>()?;
        let message = Message { name: name.clone(), fields, oneofs, is_map_entry };
        match self.messages.insert(name.clone(), message) {
            Some(_) => Err(Error::malformed(format!("{name} is declared twice"))),
            None => Ok(()),
        }
    }

    fn enumeration(&mut self, bytes: &[u8], scope: &str) -> Result<()> {
        let parts = DescriptorFields::new(bytes)?;
        let name = full_name(scope, &parts.name(1)?);
        let mut values = Vec::new();
        for value in parts.all(2) {
            let value = DescriptorFields::new(value)?;
            values.push((value.name(1)?, int32(value.number(2).unwrap_or(0))));
        }
        match self.enums.insert(name.clone(), Enum { values }) {
            Some(_) => Err(Error::malformed(format!("{name} is declared twice"))),
            None => Ok(()),
        }
    }
}

fn field(bytes: &[u8], outer: Features, of_oneofs: &[Features]) -> Result<Field> {
    let parts = DescriptorFields::new(bytes)?;
    let name = parts.name(1)?;
    let number = parts.number(3).and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|number| (1..1 << 29).contains(number));
    let number = number.ok_or_else(|| Error::malformed(format!("{name} has no number")))?;
    let is_optional = parts.number(17) == Some(1);
    let oneof = parts.number(9).filter(|_| !is_optional);
    let oneof = oneof.map(|oneof| usize::try_from(oneof).unwrap_or(usize::MAX));
    let outer = match oneof {
        Some(oneof) => {
            let of = of_oneofs.get(oneof);
            *of.ok_or_else(|| {
                Error::malformed(format!("{name} belongs to a oneof that does not exist"))
            })?
        }
        None => outer,
    };
    let mut features = outer.within(&parts, 8, 21)?;
    for options in parts.all(8) {
        let packed = DescriptorFields::new(options)?.number(2);
        features.packed = packed.map_or(features.packed, |packed| packed != 0);
    }
    Ok(Field {
        name,
        number,
        kind: parts.number(5).unwrap_or(0),
        label: parts.number(4).unwrap_or(1),
        type_name: parts.text(6)?.to_owned(),
        oneof,
        is_optional,
        features,
    })
}

fn full_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// Returns the lower half, which is all that an enumeration's number has.
fn int32(value: u64) -> i32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}
