//! The layout of a message: its columns, and the fields that fill them.
//!
//! ```text
//! message M {                          columns   members, in the order of the columns
//!   int32 a = 7;                       a         a
//!   oneof b { int32 x = 1; M2 y = 2; } b         x, y
//!   map<string, M2> c = 3;             c         c
//! }
//! ```
//! Descriptors are not trusted: recursive messages and those with too many fields are refused.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::descriptor::{Enum, Field, Message, Presence, Types};
use super::scalar::Scalar;
use super::wire::Wire;
use trevni::{Error, Result};

/// The maximum nesting depth of messages, and the maximum number of fields.
const DEEPEST: usize = 64;
const MOST: u64 = 1 << 16;

/// What a message holds.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) members: Vec<Member>,
    /// The number of its fields, nested ones included.
    pub(super) width: u64,
    places: HashMap<u32, usize>,
    /// The indices of the lowest field numbers, which most messages use.
    first: Vec<Option<usize>>,
}

/// A field, or a oneof.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) is_oneof: bool,
    /// Which of the members fill it.
    pub(super) members: Range<usize>,
}

/// A field.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) number: u32,
    /// The column that it fills.
    pub(super) column: usize,
    pub(super) rule: Rule,
    pub(super) kind: FieldKind,
}

/// The cardinality of a field, and its default.
#[derive(Debug)]
pub(super) enum Rule {
    /// A zero is not written.
    Implicit,
    Optional,
    Required,
    Repeated {
        packed: bool,
    },
    Map(Box<Entry>),
}

/// The two fields of a map's entries.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Scalar,
    pub(super) value: Member,
}

/// What the values of a field are.
#[derive(Debug, Clone)]
pub(super) enum FieldKind {
    Scalar(Scalar),
    Enum(Arc<Names>),
    Record { record: Arc<Record>, group: bool },
    Timestamp,
    Duration,
    Wrapper(Scalar),
}

/// The values of an enumeration.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) name: String,
    /// The numbers in the order of declaration; the first is the default.
    pub(super) order: Vec<i32>,
    pub(super) names: HashMap<i32, String>,
    pub(super) numbers: HashMap<String, i32>,
}

impl Record {
    /// Returns the shape of a type.
    pub(super) fn new(types: &Types, message: &Message) -> Result<Arc<Self>> {
        let (around, records, enums) = (Vec::new(), HashMap::new(), HashMap::new());
        Shaper { types, around, records, enums }.record(message)
    }

    /// Returns which member has a number.
    pub(super) fn place(&self, number: u32) -> Option<usize> {
        match usize::try_from(number).ok().and_then(|number| self.first.get(number)) {
            Some(place) => *place,
            None => self.places.get(&number).copied(),
        }
    }

    fn index(&mut self) {
        self.places = self.members.iter().enumerate().map(|(i, m)| (m.number, i)).collect();
        self.first = (0..256).map(|number| self.places.get(&number).copied()).collect();
    }
}

impl FieldKind {
    /// Returns the wire type of a value.
    pub(super) fn wire(&self) -> Wire {
        match self {
            FieldKind::Scalar(scalar) => scalar.wire(),
            FieldKind::Enum(_) => Wire::Varint,
            FieldKind::Record { group: true, .. } => Wire::Start,
            _ => Wire::Bytes,
        }
    }

    /// Returns what it is called in errors.
    pub(super) fn name(&self) -> &str {
        match self {
            FieldKind::Scalar(scalar) => scalar.name(),
            FieldKind::Enum(names) => &names.name,
            FieldKind::Record { record, .. } => &record.name,
            FieldKind::Timestamp => "google.protobuf.Timestamp",
            FieldKind::Duration => "google.protobuf.Duration",
            FieldKind::Wrapper(scalar) => match scalar {
                Scalar::Double => "google.protobuf.DoubleValue",
                Scalar::Float => "google.protobuf.FloatValue",
                Scalar::Int64 => "google.protobuf.Int64Value",
                Scalar::Uint64 => "google.protobuf.UInt64Value",
                Scalar::Int32 => "google.protobuf.Int32Value",
                Scalar::Uint32 => "google.protobuf.UInt32Value",
                Scalar::Bool => "google.protobuf.BoolValue",
                Scalar::String => "google.protobuf.StringValue",
                Scalar::Bytes => "google.protobuf.BytesValue",
                _ => "a wrapper",
            },
        }
    }

    fn is_message(&self) -> bool {
        !matches!(self, FieldKind::Scalar(_) | FieldKind::Enum(_))
    }
}

/// The labels of fields.
const REQUIRED: u64 = 2;
const REPEATED: u64 = 3;

/// Their types that are no scalars.
const GROUP: u64 = 10;
const MESSAGE: u64 = 11;
const ENUM: u64 = 14;

fn scalar(kind: u64) -> Option<Scalar> {
    Some(match kind {
        1 => Scalar::Double,
        2 => Scalar::Float,
        3 => Scalar::Int64,
        4 => Scalar::Uint64,
        5 => Scalar::Int32,
        6 => Scalar::Fixed64,
        7 => Scalar::Fixed32,
        8 => Scalar::Bool,
        9 => Scalar::String,
        12 => Scalar::Bytes,
        13 => Scalar::Uint32,
        15 => Scalar::Sfixed32,
        16 => Scalar::Sfixed64,
        17 => Scalar::Sint32,
        18 => Scalar::Sint64,
        _ => return None,
    })
}

struct Shaper<'t> {
    types: &'t Types,
    /// The messages around the one at hand, outermost first.
    around: Vec<&'t str>,
    /// Those that are done.
    records: HashMap<&'t str, Arc<Record>>,
    enums: HashMap<&'t str, Arc<Names>>,
}

impl<'t> Shaper<'t> {
    fn record(&mut self, message: &'t Message) -> Result<Arc<Record>> {
        let name = message.name.as_str();
        if let Some(start) = self.around.iter().position(|around| *around == name) {
            let circle = self.around.iter().skip(start).copied().chain([name]);
            let circle = circle.collect::<Vec<_>>().join(" > ");
            let what = format!("{name} is recursive, which columns cannot hold: {circle}");
            return Err(Error::unsupported(what));
        }
        if let Some(record) = self.records.get(name) {
            return Ok(record.clone());
        }
        if self.around.len() >= DEEPEST {
            return Err(Error::unsupported(format!(
                "{name} is nested more than {DEEPEST} messages deep"
            )));
        }
        self.around.push(name);
        let record = Arc::new(self.members(message)?);
        self.around.pop();
        self.records.insert(name, record.clone());
        Ok(record)
    }

    fn members(&mut self, message: &'t Message) -> Result<Record> {
        let mut record = Record {
            name: message.name.clone(),
            columns: Vec::new(),
            members: Vec::new(),
            width: 1,
            places: HashMap::new(),
            first: Vec::new(),
        };
        let mut seen = HashSet::new();
        for field in &message.fields {
            let oneof = field.oneof.and_then(|oneof| message.oneofs.get(oneof));
            let name = oneof.unwrap_or(&field.name);
            let fields: Vec<_> = match oneof {
                None => vec![field],
                Some(_) if !seen.insert(field.oneof) => continue,
                Some(_) => message.fields.iter().filter(|f| f.oneof == field.oneof).collect(),
            };
            let start = record.members.len();
            for field in fields {
                let member = self.member(message, field, record.columns.len())?;
                record.width = record.width.saturating_add(width(&member));
                record.members.push(member);
            }
            let (name, members) = (name.clone(), start..record.members.len());
            record.columns.push(Column { name, is_oneof: oneof.is_some(), members });
        }
        if record.width > MOST {
            return Err(Error::unsupported(format!("{} has more than {MOST} fields", record.name)));
        }
        record.index();
        let names: HashSet<_> = record.columns.iter().map(|column| &column.name).collect();
        if record.places.len() < record.members.len() || names.len() < record.columns.len() {
            let what = format!("{} has two fields of one name or number", record.name);
            return Err(Error::invalid(what));
        }
        Ok(record)
    }

    fn member(&mut self, of: &Message, field: &'t Field, column: usize) -> Result<Member> {
        let (name, number) = (field.name.clone(), field.number);
        let types = self.types;
        let entry = types.messages.get(plain(&field.type_name)).filter(|m| m.is_map_entry);
        if let Some(entry) = entry.filter(|_| field.label == REPEATED) {
            let part = |number| entry.fields.iter().find(|field| field.number == number);
            let (Some(key), Some(value)) = (part(1), part(2)) else {
                return Err(Error::invalid(format!("{} is no map entry", entry.name)));
            };
            let key = scalar(key.kind)
                .filter(|kind| !matches!(kind, Scalar::Double | Scalar::Float | Scalar::Bytes));
            let what = || Error::invalid(format!("{} has no key that a map can have", entry.name));
            let (key, value) = (key.ok_or_else(what)?, self.entry_value(entry, value)?);
            let rule = Rule::Map(Box::new(Entry { key, value }));
            let kind = FieldKind::Scalar(Scalar::Bytes);
            return Ok(Member { name, number, column, rule, kind });
        }
        let delimited = field.kind == GROUP || field.features.delimited;
        let kind = self.kind(of, field, delimited)?;
        let presence = field.features.presence;
        let rule = if field.label == REPEATED && field.oneof.is_none() {
            let packable = !matches!(kind.wire(), Wire::Bytes | Wire::Start);
            Rule::Repeated { packed: field.features.packed && packable }
        } else if field.oneof.is_some() {
            Rule::Optional
        } else if field.label == REQUIRED || presence == Presence::Required {
            Rule::Required
        } else if presence == Presence::Explicit || field.is_optional || kind.is_message() {
            Rule::Optional
        } else {
            Rule::Implicit
        };
        Ok(Member { name, number, column, rule, kind })
    }

    /// Returns the value of a map's entries, of which each has one.
    fn entry_value(&mut self, entry: &Message, field: &'t Field) -> Result<Member> {
        let kind = self.kind(entry, field, false)?;
        let (name, number) = ("value".to_owned(), field.number);
        Ok(Member { name, number, column: 0, rule: Rule::Implicit, kind })
    }

    fn kind(&mut self, of: &Message, field: &'t Field, delimited: bool) -> Result<FieldKind> {
        if let Some(scalar) = scalar(field.kind) {
            return Ok(FieldKind::Scalar(scalar));
        }
        let (name, types) = (plain(&field.type_name), self.types);
        match (field.kind, types.messages.get(name), types.enums.get_key_value(name)) {
            (0 | MESSAGE | GROUP, Some(message), _) => match known(message) {
                Some(kind) if !delimited => Ok(kind),
                _ => Ok(FieldKind::Record { record: self.record(message)?, group: delimited }),
            },
            (0 | ENUM, _, Some((name, of))) => {
                let new = || Arc::new(Names::new(name, of));
                Ok(FieldKind::Enum(self.enums.entry(name).or_insert_with(new).clone()))
            }
            _ => {
                let (of, field) = (&of.name, &field.name);
                let hint = "was the descriptor set made with its imports?";
                let what = format!("{of}.{field}: there is no type {name:?}: {hint}");
                Err(Error::invalid(what))
            }
        }
    }
}

impl Names {
    fn new(name: &str, of: &Enum) -> Self {
        let (mut names, mut numbers, mut order) = (HashMap::new(), HashMap::new(), Vec::new());
        for (name, number) in &of.values {
            numbers.insert(name.clone(), *number);
            // Of several names of a number, the first is the one that is read.
            names.entry(*number).or_insert_with(|| {
                order.push(*number);
                name.clone()
            });
        }
        Self { name: name.to_owned(), order, names, numbers }
    }
}

/// Returns the full name, which descriptors begin with a dot.
fn plain(type_name: &str) -> &str {
    type_name.strip_prefix('.').unwrap_or(type_name)
}

fn width(member: &Member) -> u64 {
    let of = |kind: &FieldKind| match kind {
        FieldKind::Record { record, .. } => record.width,
        _ => 1,
    };
    match &member.rule {
        Rule::Map(entry) => 2 + of(&entry.value.kind),
        _ => of(&member.kind),
    }
}

/// Returns the Arrow type of a well-known message, if it has the fields of that.
fn known(message: &Message) -> Option<FieldKind> {
    let fields: Vec<_> = message.fields.iter().collect();
    match (message.name.strip_prefix("google.protobuf.")?, fields.as_slice()) {
        (name @ ("Timestamp" | "Duration"), [seconds, nanos]) => {
            let is = |field: &Field, number, name, kind| {
                let it = (field.number, field.name.as_str(), field.kind, field.label);
                it == (number, name, kind, 1)
            };
            let both = is(seconds, 1, "seconds", 3) && is(nanos, 2, "nanos", 5);
            let kind = if name == "Timestamp" { FieldKind::Timestamp } else { FieldKind::Duration };
            both.then_some(kind)
        }
        (name, [value]) => {
            let wrapped = FieldKind::Wrapper(scalar(value.kind)?);
            let is = wrapped.name().strip_prefix("google.protobuf.") == Some(name);
            (is && value.number == 1 && value.label == 1).then_some(wrapped)
        }
        _ => None,
    }
}
