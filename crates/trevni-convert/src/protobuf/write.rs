//! Encodes columns as messages.
//!
//! ```text
//! row ─► Walk ─► number, value │ number, value │ ...  in the order of the numbers ─► length before it ─► out
//! ```
//! What would not come back as it was is refused: a null where a field has no absence.

use std::io::Write;

use arrow::array::{Array, RecordBatch, StructArray};
use arrow::datatypes::SchemaRef;

use super::LONGEST;
use super::bind::{Bound, BoundField, FieldEncoding, How};
use super::message_layout::{Names, Record};
use super::row_error::{Outcome, RowError};
use super::scalar::{Plain, Scalar};
use super::timestamp::TimeUnits;
use super::wire::{Wire, put_key, put_sized, put_varint};
use crate::Sink;
use crate::rows::Walk;
use trevni::{Error, Result};

/// The minimum number of bytes that are written at once.
const TOGETHER: usize = 1 << 16;

/// Writes messages, each with its length before it.
pub(super) struct Delimited<W> {
    to: W,
    schema: SchemaRef,
    bound: Bound,
    out: Vec<u8>,
    message: Vec<u8>,
    rows: u64,
}

impl<W: Write> Delimited<W> {
    pub(super) fn new(to: W, schema: SchemaRef, record: &Record) -> Result<Self> {
        let bound = Bound::new(record, schema.fields()).map_err(|fault| fault.of_column())?;
        Ok(Self { to, schema, bound, out: Vec::new(), message: Vec::new(), rows: 0 })
    }

    fn message(&mut self, walk: &Walk<'_>, row: usize) -> Result<()> {
        self.message.clear();
        put_record(&self.bound, walk, row, &mut self.message)
            .map_err(|fault| fault.of(&format!("row {}", self.rows)))?;
        let size = self.message.len() as u64;
        if size > LONGEST {
            return Err(Error::too_large("a message", size, LONGEST));
        }
        put_varint(&mut self.out, size);
        self.out.extend_from_slice(&self.message);
        self.rows += 1;
        if self.out.len() >= TOGETHER {
            self.to.write_all(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }
}

impl<W: Write> Sink for Delimited<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.schema_ref().fields() != self.schema.fields() {
            return Err(Error::invalid("a batch has other columns than were announced"));
        }
        let rows = StructArray::from(batch.clone());
        let walk = Walk::new(&rows)?;
        (0..rows.len()).try_for_each(|row| self.message(&walk, row))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.to.write_all(&self.out)?;
        Ok(self.to.flush()?)
    }
}

fn put_record(bound: &Bound, walk: &Walk<'_>, row: usize, out: &mut Vec<u8>) -> Outcome {
    for field in &bound.fields {
        let put = put_field(field, walk.child(field.column)?, row, out);
        put.map_err(|fault| fault.under(&field.name))?;
    }
    Ok(())
}

fn null(what: &str) -> Box<RowError> {
    Error::invalid(format!("a null, and {what}")).into()
}

fn put_field(field: &BoundField, walk: &Walk<'_>, row: usize, out: &mut Vec<u8>) -> Outcome {
    match &field.how {
        How::Implicit(_) if walk.is_null(row) => Err(null("the field cannot be absent")),
        How::Required(_) if walk.is_null(row) => Err(null("the field is required")),
        How::Repeated { .. } if walk.is_null(row) => {
            Err(null("a repeated field can only be empty"))
        }
        How::Map { .. } if walk.is_null(row) => Err(null("a map can only be empty")),
        How::Optional(_) if walk.is_null(row) => Ok(()),
        How::Implicit(form) if is_zero(form, walk, row)? => Ok(()),
        How::Implicit(form) | How::Optional(form) | How::Required(form) => {
            put(field.number, form, walk, row, out)
        }
        How::Repeated { form, packed } => put_list(field.number, form, *packed, walk, row, out),
        How::Map { key, value } => {
            let (rows, keys, values) = walk.entries(row)?;
            for row in rows {
                put_key(out, field.number, Wire::Bytes);
                put_sized(out, |out| {
                    put_part(1, key, keys, row, out)?;
                    put_part(2, value, values, row, out).map_err(|fault| fault.under("value"))
                })?;
            }
            Ok(())
        }
        How::Branch { form, branch } => {
            let (at, row, walk) = walk.branch(row)?;
            match at == *branch {
                true if walk.is_null(row) => {
                    Err(null(&format!("{:?} of the oneof is chosen", field.name)))
                }
                true => put(field.number, form, walk, row, out),
                false => Ok(()),
            }
        }
    }
}

/// Writes the key or the value of an entry, which always has both.
fn put_part(
    number: u32,
    form: &FieldEncoding,
    walk: &Walk<'_>,
    row: usize,
    out: &mut Vec<u8>,
) -> Outcome {
    match walk.is_null(row) {
        true => Err(null("an entry of a map has a key and a value")),
        false => put(number, form, walk, row, out),
    }
}

fn put_list(
    number: u32,
    form: &FieldEncoding,
    packed: bool,
    walk: &Walk<'_>,
    row: usize,
    out: &mut Vec<u8>,
) -> Outcome {
    let (rows, items) = walk.items(row)?;
    if rows.clone().any(|row| items.is_null(row)) {
        return Err(null("an item of a repeated field cannot be absent"));
    }
    if !packed {
        return rows.into_iter().try_for_each(|row| put(number, form, items, row, out));
    }
    if rows.is_empty() {
        return Ok(());
    }
    put_key(out, number, Wire::Bytes);
    put_sized(out, |out| rows.into_iter().try_for_each(|row| put_value(form, items, row, out)))
}

fn is_zero(form: &FieldEncoding, walk: &Walk<'_>, row: usize) -> Outcome<bool> {
    Ok(match form {
        FieldEncoding::Scalar(scalar) => scalar.of(walk, row)?.is_zero(),
        FieldEncoding::Name(names) => number_of(names, walk.text(row)?)? == 0,
        FieldEncoding::Number => walk.long(row)? == 0,
        _ => false,
    })
}

fn put(
    number: u32,
    form: &FieldEncoding,
    walk: &Walk<'_>,
    row: usize,
    out: &mut Vec<u8>,
) -> Outcome {
    let wire = form.wire();
    put_key(out, number, wire);
    match form {
        FieldEncoding::Record { bound, group: true } => {
            put_record(bound, walk, row, out)?;
            put_key(out, number, Wire::End);
            Ok(())
        }
        form => put_value(form, walk, row, out),
    }
}

/// Writes a value without its key.
fn put_value(form: &FieldEncoding, walk: &Walk<'_>, row: usize, out: &mut Vec<u8>) -> Outcome {
    match form {
        FieldEncoding::Never => return Err(null("a value is wanted")),
        FieldEncoding::Scalar(scalar) => scalar.put(out, scalar.of(walk, row)?),
        FieldEncoding::Name(names) => {
            let number = number_of(names, walk.text(row)?)?;
            Scalar::Int32.put(out, Plain::Long(number.into()));
        }
        FieldEncoding::Number => Scalar::Int32.put(out, Scalar::Int32.of(walk, row)?),
        FieldEncoding::Record { bound, .. } => {
            return put_sized(out, |out| put_record(bound, walk, row, out));
        }
        FieldEncoding::Timestamp(unit) => {
            let (seconds, nanos) = TimeUnits::Timestamp.parts(walk.long(row)?, *unit)?;
            return put_moment(out, seconds, nanos);
        }
        FieldEncoding::Duration(unit) => {
            let (seconds, nanos) = TimeUnits::Duration.parts(walk.long(row)?, *unit)?;
            return put_moment(out, seconds, nanos);
        }
        FieldEncoding::Wrapper(scalar) => {
            let value = scalar.of(walk, row)?;
            return put_sized(out, |out| {
                if !value.is_zero() {
                    put_key(out, 1, scalar.wire());
                    scalar.put(out, value);
                }
                Ok(())
            });
        }
    }
    Ok(())
}

fn put_moment(out: &mut Vec<u8>, seconds: i64, nanos: i64) -> Outcome {
    put_sized(out, |out| {
        for (number, value) in [(1, seconds), (2, nanos)] {
            if value != 0 {
                put_key(out, number, Wire::Varint);
                put_varint(out, value.cast_unsigned());
            }
        }
        Ok(())
    })
}

/// Returns the number of a name, or of the digits of a number without one.
fn number_of(names: &Names, text: &str) -> Result<i32> {
    let digits = || text.parse::<i32>().ok();
    let found = names.numbers.get(text).copied().or_else(digits);
    found.ok_or_else(|| Error::invalid(format!("{} has no value {text:?}", names.name)))
}
