//! Decodes the values of a struct to columns.
//!
//! ```text
//! field by id ─┬ known: of its type, or the row is bad      fields that did not come: null, the default,
//!              └ unknown: counted, and passed               or a bad row
//! ```

use super::constant::name_of;
use super::record::{Const, Enum, Field, Need, Record, ThriftValueType};
use crate::rows::Grow;
use crate::thrift_protocol::wire_type::WireType;
use crate::thrift_protocol::{Decode, Head, skip};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// Missing fields of one row take no more than this.
const MOST_MADE: u64 = 256 << 20;

/// What there is to know of a row while it is read.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// Fields that the struct does not have.
    pub(super) unknown: u64,
    /// About how many bytes missing fields take in columns.
    pub(super) made: u64,
    /// The fields that led to an error, the innermost first.
    path: Vec<String>,
}

impl Values {
    /// Returns the field that an error is about.
    pub(super) fn path(&self) -> String {
        let names: Vec<_> = self.path.iter().rev().map(String::as_str).collect();
        if names.is_empty() { String::new() } else { format!(", field {}", names.join(".")) }
    }

    /// Reads a struct or union at a nesting depth, the outermost at 1.
    pub(super) fn record<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: &Record,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        if record.union {
            return self.union::<P>(cursor, record, grow, depth);
        }
        let row = grow.len();
        let (mut last, mut next, mut known) = (0, 0, 0);
        while let Some(head) = P::head(cursor, last)? {
            last = head.id;
            let Some((at, field)) = record.find(head.id, next) else {
                self.unknown += 1;
                skip::<P>(cursor, head, depth)?;
                continue;
            };
            next = at + 1;
            let column = grow.child(at)?;
            match column.len() > row {
                // Of a field that comes twice, the last counts: so do all readers.
                true => column.truncate(row),
                false => known += 1,
            }
            self.field::<P>(cursor, head, field, column, depth)?;
        }
        if known < record.fields.len() {
            self.missing(record, grow, row)?;
        }
        grow.end_struct()
    }

    fn union<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: &Record,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        let (mut last, mut set) = (0, false);
        while let Some(head) = P::head(cursor, last)? {
            last = head.id;
            let Some((at, field)) = record.find(head.id, 0) else {
                self.unknown += 1;
                skip::<P>(cursor, head, depth)?;
                continue;
            };
            if set {
                return Err(Error::malformed(format!("union {} has two members", record.name)));
            }
            set = true;
            self.field::<P>(cursor, head, field, grow.branch(at)?, depth)?;
        }
        match set {
            true => Ok(()),
            false => Err(Error::malformed(format!("union {} has no member", record.name))),
        }
    }

    fn field<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        head: Head,
        field: &Field,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        let read = self.value::<P>(cursor, head, &field.kind, grow, depth);
        if read.is_err() {
            self.path.push(field.name.clone());
        }
        read
    }

    fn value<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        head: Head,
        kind: &ThriftValueType,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        if head.wire_type != kind.wire_type() {
            return Err(unfit(head.wire_type, kind));
        }
        match kind {
            ThriftValueType::Bool => grow.push_bool(match head.bool {
                Some(value) => value,
                None => P::bool(cursor)?,
            }),
            ThriftValueType::I8
            | ThriftValueType::I16
            | ThriftValueType::I32
            | ThriftValueType::I64 => grow.push_long(P::int(cursor, head.wire_type)?),
            ThriftValueType::Enum(names) => {
                push_symbol(grow, names, P::int(cursor, WireType::I32)?)
            }
            ThriftValueType::Double => grow.push_double(P::double(cursor)?),
            ThriftValueType::Text => {
                let text = std::str::from_utf8(P::bytes(cursor)?);
                grow.push_text(text.map_err(|_| Error::malformed("a string is not UTF-8"))?)
            }
            ThriftValueType::Binary => grow.push_bytes(P::bytes(cursor)?),
            ThriftValueType::Uuid => grow.push_bytes(cursor.take(16, "a uuid")?),
            ThriftValueType::List(item) | ThriftValueType::Set(item) => {
                self.list::<P>(cursor, item, grow, depth)
            }
            ThriftValueType::Map(key, value) => self.map::<P>(cursor, key, value, grow, depth),
            ThriftValueType::Record(record) => self.record::<P>(cursor, record, grow, depth + 1),
        }
    }

    fn list<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        kind: &ThriftValueType,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        if let (Some(item), count) = P::list(cursor)? {
            let items = grow.item()?;
            for _ in 0..count {
                self.value::<P>(cursor, Head::of_item(item), kind, items, depth + 1)?;
            }
        }
        grow.end_list()
    }

    fn map<P: Decode>(
        &mut self,
        cursor: &mut Cursor<'_>,
        key: &ThriftValueType,
        value: &ThriftValueType,
        grow: &mut Grow,
        depth: usize,
    ) -> Result<()> {
        if let (Some((key_type, value_type)), count) = P::map(cursor)? {
            let (keys, values) = grow.entry()?;
            for _ in 0..count {
                self.value::<P>(cursor, Head::of_item(key_type), key, keys, depth + 1)?;
                self.value::<P>(cursor, Head::of_item(value_type), value, values, depth + 1)?;
            }
        }
        grow.end_list()
    }

    /// Fills in the fields of a struct that did not come.
    fn missing(&mut self, record: &Record, grow: &mut Grow, row: usize) -> Result<()> {
        for (at, field) in record.fields.iter().enumerate() {
            let column = grow.child(at)?;
            if column.len() > row {
                continue;
            }
            self.made = self.made.saturating_add(field.blank);
            if self.made > MOST_MADE {
                return Err(Error::too_large("what missing fields are", self.made, MOST_MADE));
            }
            match &field.need {
                Need::Optional => column.push_null()?,
                Need::Default(value) => push_const(column, value)?,
                Need::Required => {
                    self.path.push(field.name.clone());
                    return Err(Error::malformed("required, and missing"));
                }
            }
        }
        Ok(())
    }
}

fn unfit(given: WireType, kind: &ThriftValueType) -> Error {
    let (given, wanted) = (given.name(), name_of(kind));
    Error::malformed(format!("type {given} is given where {wanted} is declared"))
}

/// The name of a number, or its decimal digits.
fn push_symbol(grow: &mut Grow, names: &Enum, number: i64) -> Result<()> {
    match i32::try_from(number).ok().and_then(|number| names.name_of(number)) {
        Some(name) => grow.push_text(name),
        None => grow.push_text(&number.to_string()),
    }
}

fn push_const(grow: &mut Grow, value: &Const) -> Result<()> {
    match value {
        Const::Bool(value) => grow.push_bool(*value),
        Const::Int(value) => grow.push_long(*value),
        Const::Double(value) => grow.push_double(*value),
        Const::Text(text) => grow.push_text(text),
        Const::Bytes(bytes) => grow.push_bytes(bytes),
        Const::List(items) => {
            let column = grow.item()?;
            items.iter().try_for_each(|item| push_const(column, item))?;
            grow.end_list()
        }
        Const::Map(entries) => {
            let (keys, values) = grow.entry()?;
            for (key, value) in entries {
                push_const(keys, key)?;
                push_const(values, value)?;
            }
            grow.end_list()
        }
        Const::Struct(fields) => {
            for (at, value) in fields.iter().enumerate() {
                match value {
                    Some(value) => push_const(grow.child(at)?, value)?,
                    None => grow.child(at)?.push_null()?,
                }
            }
            grow.end_struct()
        }
        Const::Union(at, value) => push_const(grow.branch(*at)?, value),
    }
}
