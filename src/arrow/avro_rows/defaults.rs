//! The default values of an Avro schema, as values of columns.
//!
//! ```text
//! "default": {"a": [1, 2]}   ──►   a[]: count 2, a[]: long 1, a[]: long 2
//! ```
//! Bytes and fixed are strings whose characters are bytes. The default of a union is that of its first branch, or
//! of the first branch that accepts it. (Avro specification: "Complex Types".)

use serde_json::Value;

use super::union_branch::choose;
use crate::arrow::avro::parse::Notes;
use crate::arrow::avro::{Avro, Primitive};
use crate::arrow::layout::field_layout::FieldLayout;
use crate::format::value;

/// A count or a value that is put to a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Push {
    Count(usize, u32),
    Null(usize),
    Boolean(usize, bool),
    Int(usize, i32),
    Long(usize, i64),
    Float(usize, f32),
    Double(usize, f64),
    Bytes(usize, Vec<u8>),
}

/// Adds what a default is of each column; `None` if it is no value of the schema.
pub(crate) fn constant(
    avro: &Avro,
    shape: &FieldLayout,
    value: &Value,
    notes: &Notes,
    out: &mut Vec<Push>,
) -> Option<()> {
    match (avro, shape) {
        (Avro::Union(branches), _) => {
            // A branch that rejects the value must not leave anything in the columns.
            let (found, pushes) = (0..branches.len()).find_map(|at| {
                let (counts, inner) = choose(shape, branches, at);
                let mut pushes: Vec<_> = counts.iter().map(|(c, n)| Push::Count(*c, *n)).collect();
                let taken = match (branches.get(at)?, inner) {
                    (branch, None) => (branch.is_null() && value.is_null()).then_some(()),
                    (branch, Some(inner)) => constant(branch, inner, value, notes, &mut pushes),
                };
                taken.map(|()| ((), pushes))
            })?;
            out.extend(pushes);
            Some(found)
        }
        (Avro::Record { name, fields }, FieldLayout::Record(shapes)) => {
            let object = value.as_object()?;
            fields.iter().zip(shapes).try_for_each(|((field, avro), shape)| {
                let notes_of = notes.fields.get(&(name.clone(), field.clone()));
                let of_field = || notes_of.and_then(|notes| notes.default.as_ref());
                constant(avro, shape, object.get(field).or_else(of_field)?, notes, out)
            })
        }
        (Avro::Array(item), FieldLayout::List { counts, inner }) => {
            let items = value.as_array()?;
            out.push(Push::Count(*counts, u32::try_from(items.len()).ok()?));
            items.iter().try_for_each(|value| constant(item, inner, value, notes, out))
        }
        (Avro::Map(inner), FieldLayout::Map { counts, key, value: shape }) => {
            let (entries, FieldLayout::Leaf { column: key }) = (value.as_object()?, key.as_ref())
            else {
                return None;
            };
            out.push(Push::Count(*counts, u32::try_from(entries.len()).ok()?));
            entries.iter().try_for_each(|(name, value)| {
                out.push(Push::Bytes(*key, name.as_bytes().to_vec()));
                constant(inner, shape, value, notes, out)
            })
        }
        (avro, FieldLayout::Leaf { column }) => {
            out.push(leaf(avro, *column, value)?);
            Some(())
        }
        _ => None,
    }
}

fn leaf(avro: &Avro, column: usize, value: &Value) -> Option<Push> {
    Some(match avro {
        Avro::Primitive(Primitive::Null, _) => {
            value.is_null().then_some(())?;
            Push::Null(column)
        }
        Avro::Primitive(Primitive::Boolean, _) => Push::Boolean(column, value.as_bool()?),
        Avro::Primitive(Primitive::Int, _) => {
            Push::Int(column, i32::try_from(value.as_i64()?).ok()?)
        }
        Avro::Primitive(Primitive::Long, _) => Push::Long(column, value.as_i64()?),
        Avro::Primitive(Primitive::Float, _) => {
            // A decimal number is nearest to one float, whatever it was as a double.
            Push::Float(column, value.as_number()?.to_string().parse().ok()?)
        }
        Avro::Primitive(Primitive::Double, _) => Push::Double(column, value.as_f64()?),
        Avro::Primitive(Primitive::String, _) => {
            Push::Bytes(column, value.as_str()?.as_bytes().to_vec())
        }
        Avro::Primitive(Primitive::Bytes, _) => Push::Bytes(column, latin(value)?),
        Avro::Fixed { size, .. } => {
            let bytes = latin(value)?;
            let fits = usize::try_from(*size).is_ok_and(|size| size == bytes.len());
            fits.then_some(Push::Bytes(column, bytes))?
        }
        Avro::Enum { symbols, .. } => {
            let at = symbols.iter().position(|symbol| value.as_str() == Some(symbol))?;
            Push::Int(column, i32::try_from(at).ok()?)
        }
        _ => return None,
    })
}

/// Text whose characters are bytes.
fn latin(value: &Value) -> Option<Vec<u8>> {
    value.as_str()?.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

impl Push {
    /// Returns the index of its column.
    pub(crate) fn column(&self) -> usize {
        match self {
            Push::Count(column, _)
            | Push::Null(column)
            | Push::Boolean(column, _)
            | Push::Int(column, _)
            | Push::Long(column, _)
            | Push::Float(column, _)
            | Push::Double(column, _)
            | Push::Bytes(column, _) => *column,
        }
    }

    /// Returns the value, if it is one.
    pub(crate) fn value(&self) -> Result<value::Value<'_>, u32> {
        Ok(match self {
            Push::Count(_, n) => return Err(*n),
            Push::Null(_) => value::Value::Null,
            Push::Boolean(_, v) => value::Value::Boolean(*v),
            Push::Int(_, v) => value::Value::Int(*v),
            Push::Long(_, v) => value::Value::Long(*v),
            Push::Float(_, v) => value::Value::Float(*v),
            Push::Double(_, v) => value::Value::Double(*v),
            Push::Bytes(_, v) => value::Value::Bytes(v.into()),
        })
    }
}
