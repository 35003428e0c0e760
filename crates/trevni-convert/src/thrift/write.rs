//! Encodes columns as structs.
//!
//! ```text
//! row of Walk ─► fields by ascending id ─► bytes, one struct after the other
//! ```
//! A null is a missing field. Required fields and the items of lists and maps cannot be null.

use std::io::Write;

use arrow::array::{RecordBatch, StructArray};

use super::ThriftProtocol;
use super::bind::{Item, Shape, Slot, StructEncoding};
use crate::Sink;
use crate::rows::Walk;
use crate::thrift_protocol::Encode;
use crate::thrift_protocol::binary::Binary;
use crate::thrift_protocol::compact::Compact;
use crate::thrift_protocol::wire_type::WireType;
use trevni::{Error, ErrorKind, Result};

/// The number of bytes that are written at once.
const PIECE: usize = 256 << 10;

/// Writes structs.
pub(super) struct Structs<'a> {
    pub(super) to: &'a mut (dyn Write + Send),
    pub(super) protocol: ThriftProtocol,
    pub(super) plan: StructEncoding,
    pub(super) bytes: Vec<u8>,
    /// Rows that are written.
    pub(super) rows: u64,
}

impl Sink for Structs<'_> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self.protocol {
            ThriftProtocol::Binary => self.batch::<Binary>(batch),
            ThriftProtocol::Compact => self.batch::<Compact>(batch),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        Ok(self.to.flush()?)
    }
}

impl Structs<'_> {
    fn batch<P: Encode>(&mut self, batch: &RecordBatch) -> Result<()> {
        let all = StructArray::from(batch.clone());
        let columns = Walk::new(&all)?;
        for row in 0..batch.num_rows() {
            let start = self.bytes.len();
            let mut path = Vec::new();
            let written = fields::<P>(&mut self.bytes, &self.plan, &columns, row, &mut path);
            if let Err(e) = written {
                self.bytes.truncate(start);
                self.flush()?;
                return Err(bad(self.rows, &path, &e));
            }
            self.rows += 1;
            if self.bytes.len() >= PIECE {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.to.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// Returns the error of a row.
fn bad(row: u64, path: &[String], e: &Error) -> Error {
    let names: Vec<_> = path.iter().rev().map(String::as_str).collect();
    let what = match e.kind() {
        ErrorKind::Invalid(what) => what.clone(),
        other => other.to_string(),
    };
    Error::invalid(format!("row {row}, field {}: {what}", names.join(".")))
}

fn fields<P: Encode>(
    out: &mut Vec<u8>,
    plan: &StructEncoding,
    columns: &Walk<'_>,
    row: usize,
    path: &mut Vec<String>,
) -> Result<()> {
    let mut last = 0;
    for slot in &plan.0 {
        let column = columns.child(slot.at)?;
        let written = match (is_absent(&slot.shape, column, row), slot.required) {
            (Ok(true), false) => continue,
            (Ok(true), true) => Err(Error::invalid("required, and null")),
            (Ok(false), _) => field::<P>(out, last, slot, column, row, path),
            (Err(e), _) => Err(e),
        };
        if written.is_err() {
            path.push(slot.name.clone());
        }
        written?;
        last = slot.id;
    }
    P::put_stop(out);
    Ok(())
}

/// Returns whether a row is null, or a union of which the member is.
fn is_absent(shape: &Shape, column: &Walk<'_>, row: usize) -> Result<bool> {
    match shape {
        Shape::Nothing => Ok(true),
        Shape::Union(members) => {
            let (at, row, column) = column.branch(row)?;
            match members.get(at) {
                Some(member) => is_absent(&member.shape, column, row),
                None => Err(Error::invalid("no such branch")),
            }
        }
        _ => Ok(column.is_null(row)),
    }
}

fn field<P: Encode>(
    out: &mut Vec<u8>,
    last: i16,
    slot: &Slot,
    column: &Walk<'_>,
    row: usize,
    path: &mut Vec<String>,
) -> Result<()> {
    if slot.wire_type == WireType::Bool {
        P::put_bool_field(out, last, slot.id, column.bool(row)?);
        return Ok(());
    }
    P::put_head(out, last, slot.id, slot.wire_type);
    value::<P>(out, &slot.shape, column, row, path)
}

fn value<P: Encode>(
    out: &mut Vec<u8>,
    shape: &Shape,
    column: &Walk<'_>,
    row: usize,
    path: &mut Vec<String>,
) -> Result<()> {
    match shape {
        Shape::Nothing => return Err(Error::invalid("null")),
        Shape::Bool => P::put_bool(out, column.bool(row)?),
        Shape::I8 => P::put_i8(out, int(column, row)?),
        Shape::I16 => P::put_i16(out, int(column, row)?),
        Shape::I32 => P::put_i32(out, int(column, row)?),
        Shape::I64 => P::put_i64(out, int(column, row)?),
        Shape::Double => P::put_double(out, column.double(row)?),
        Shape::Text => P::put_bytes(out, column.text(row)?.as_bytes())?,
        Shape::Binary => P::put_bytes(out, column.bytes(row)?)?,
        Shape::Uuid => {
            let bytes = column.bytes(row)?;
            if bytes.len() != 16 {
                return Err(Error::invalid(format!("a uuid of {} bytes", bytes.len())));
            }
            out.extend_from_slice(bytes);
        }
        Shape::Symbol(names) => {
            let name = column.text(row)?;
            let number = names.number(name).or_else(|| name.parse().ok());
            let unknown = || Error::invalid(format!("{} has no {name:?}", names.name));
            P::put_i32(out, number.ok_or_else(unknown)?);
        }
        Shape::List(kind) => {
            let (rows, items) = column.items(row)?;
            P::put_list(out, kind.wire_type, rows.len())?;
            for row in rows {
                item::<P>(out, kind, items, row, path)?;
            }
        }
        Shape::Map(key, value) => {
            let (rows, keys, values) = column.entries(row)?;
            P::put_map(out, key.wire_type, value.wire_type, rows.len())?;
            for row in rows {
                item::<P>(out, key, keys, row, path)?;
                item::<P>(out, value, values, row, path)?;
            }
        }
        Shape::Struct(plan) => fields::<P>(out, plan, column, row, path)?,
        Shape::Union(members) => {
            let (at, row, column) = column.branch(row)?;
            let member = members.get(at).ok_or_else(|| Error::invalid("no such branch"))?;
            let written = field::<P>(out, 0, member, column, row, path);
            if written.is_err() {
                path.push(member.name.clone());
            }
            written?;
            P::put_stop(out);
        }
    }
    Ok(())
}

fn item<P: Encode>(
    out: &mut Vec<u8>,
    item: &Item,
    column: &Walk<'_>,
    row: usize,
    path: &mut Vec<String>,
) -> Result<()> {
    if is_absent(&item.shape, column, row)? {
        return Err(Error::invalid("an item is null, which Thrift cannot represent"));
    }
    value::<P>(out, &item.shape, column, row, path)
}

fn int<T: TryFrom<i64>>(column: &Walk<'_>, row: usize) -> Result<T> {
    let value = column.long(row)?;
    let bits = 8 * size_of::<T>();
    T::try_from(value).map_err(|_| Error::invalid(format!("{value} does not fit {bits} bits")))
}
