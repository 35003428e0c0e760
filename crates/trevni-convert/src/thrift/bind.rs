//! Binds columns to the fields of a struct.
//!
//! ```text
//! columns by name ─► fields in the order of their ids      no column: not written, unless it is required
//!                                                          no field: an error
//! ```
//! Types are bound before the first row: an integer may be written as any integer type, since its range is checked
//! for each value; text may be written as strings, enums and binaries.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Fields, UnionMode};

use super::constant::name_of;
use super::record::{Enum, Field, Need, Record, ThriftValueType};
use crate::thrift_protocol::wire_type::WireType;
use trevni::{Error, Result};

/// How a struct is written.
#[derive(Debug)]
pub(super) struct StructEncoding(pub(super) Vec<Slot>);

/// A field that has a column.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: i16,
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) wire_type: WireType,
    /// The index of the column.
    pub(super) at: usize,
    pub(super) shape: Shape,
}

/// How a value is written.
#[derive(Debug)]
pub(super) enum Shape {
    /// A column of nulls.
    Nothing,
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    Text,
    Binary,
    Uuid,
    /// A name, or decimal digits.
    Symbol(Arc<Enum>),
    List(Item),
    Map(Item, Item),
    Struct(StructEncoding),
    /// The member of each branch, by its index.
    Union(Vec<Slot>),
}

/// The items of a list or map.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) wire_type: WireType,
    pub(super) shape: Box<Shape>,
}

impl StructEncoding {
    /// Returns the plan of rows with such columns, of which `path` is the name where they are not the rows themselves.
    pub(super) fn new(record: &Record, columns: &Fields, path: &str) -> Result<Self> {
        let mut places = HashMap::new();
        for (at, column) in columns.iter().enumerate() {
            let name = column.name();
            let path = || below(path, name);
            if record.named(name).is_none() {
                let what = format!("column {:?}: struct {} has no such field", path(), record.name);
                return Err(Error::invalid(what));
            }
            if places.insert(name.as_str(), (at, column)).is_some() {
                return Err(Error::invalid(format!("column {:?} is there twice", path())));
            }
        }
        let mut slots = Vec::new();
        for (_, field) in record.by_id() {
            let name = below(path, &field.name);
            match places.get(field.name.as_str()) {
                Some((at, column)) => slots.push(slot(field, *at, column.data_type(), &name)?),
                None if matches!(field.need, Need::Required) => {
                    let what =
                        format!("column {name:?} is missing, and required in {}", record.name);
                    return Err(Error::invalid(what));
                }
                None => {}
            }
        }
        Ok(Self(slots))
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn slot(field: &Field, at: usize, data_type: &DataType, path: &str) -> Result<Slot> {
    let shape = shape(&field.kind, data_type, path)?;
    let required = matches!(field.need, Need::Required);
    if required && matches!(shape, Shape::Nothing) {
        return Err(Error::invalid(format!("column {path:?} is required, and has nulls only")));
    }
    let (name, wire_type) = (field.name.clone(), field.kind.wire_type());
    Ok(Slot { id: field.id, name, required, wire_type, at, shape })
}

fn shape(kind: &ThriftValueType, data_type: &DataType, path: &str) -> Result<Shape> {
    if data_type.is_null() {
        return Ok(Shape::Nothing);
    }
    let plain = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    let item = |kind: &ThriftValueType, data_type: &DataType, path: &str| {
        let shape = Box::new(shape(kind, data_type, path)?);
        Ok::<_, Error>(Item { wire_type: kind.wire_type(), shape })
    };
    let found = match (kind, data_type) {
        (
            ThriftValueType::List(inner) | ThriftValueType::Set(inner),
            DataType::List(field) | DataType::LargeList(field),
        ) => Some(Shape::List(item(inner, field.data_type(), &below(path, "item"))?)),
        (ThriftValueType::Map(key, value), DataType::Map(entries, _)) => {
            match entries.data_type() {
                DataType::Struct(fields) => match fields.as_ref() {
                    [keys, values] => Some(Shape::Map(
                        item(key, keys.data_type(), &below(path, "key"))?,
                        item(value, values.data_type(), &below(path, "value"))?,
                    )),
                    _ => None,
                },
                _ => None,
            }
        }
        (ThriftValueType::Record(record), DataType::Struct(fields)) if !record.union => {
            Some(Shape::Struct(StructEncoding::new(record, fields, path)?))
        }
        (ThriftValueType::Record(record), DataType::Union(..)) if record.union => {
            Some(Shape::Union(members(record, data_type, path)?))
        }
        _ => leaf(kind, plain),
    };
    found.ok_or_else(|| {
        let declared = name_of(kind);
        Error::invalid(format!("column {path:?} is {data_type}, which is no {declared}"))
    })
}

fn leaf(kind: &ThriftValueType, data_type: &DataType) -> Option<Shape> {
    use DataType as D;
    let text = matches!(data_type, D::Utf8 | D::LargeUtf8 | D::Utf8View);
    let bytes = text || matches!(data_type, D::Binary | D::LargeBinary | D::BinaryView);
    let long = data_type.is_integer()
        || matches!(data_type, D::Date32 | D::Date64 | D::Time32(_) | D::Time64(_))
        || matches!(data_type, D::Timestamp(..) | D::Duration(_));
    match kind {
        ThriftValueType::Bool if *data_type == D::Boolean => Some(Shape::Bool),
        ThriftValueType::I8 if long => Some(Shape::I8),
        ThriftValueType::I16 if long => Some(Shape::I16),
        ThriftValueType::I32 if long => Some(Shape::I32),
        ThriftValueType::I64 if long => Some(Shape::I64),
        ThriftValueType::Double if matches!(data_type, D::Float32 | D::Float64) => {
            Some(Shape::Double)
        }
        ThriftValueType::Text if text => Some(Shape::Text),
        ThriftValueType::Binary if bytes || matches!(data_type, D::FixedSizeBinary(_)) => {
            Some(Shape::Binary)
        }
        ThriftValueType::Uuid if !text && bytes || *data_type == D::FixedSizeBinary(16) => {
            Some(Shape::Uuid)
        }
        ThriftValueType::Enum(names) if text => Some(Shape::Symbol(names.clone())),
        ThriftValueType::Enum(_) if long => Some(Shape::I32),
        _ => None,
    }
}

/// Returns the members of a union in the order of the branches.
fn members(record: &Record, data_type: &DataType, path: &str) -> Result<Vec<Slot>> {
    let DataType::Union(branches, UnionMode::Dense) = data_type else {
        return Err(Error::invalid(format!("column {path:?} is a sparse union: make it dense")));
    };
    let members = branches.iter().enumerate().map(|(at, (_, branch))| {
        let name = below(path, branch.name());
        let (_, member) = record.named(branch.name()).ok_or_else(|| {
            Error::invalid(format!("column {name:?}: union {} has no such member", record.name))
        })?;
        slot(member, at, branch.data_type(), &name)
    });
    members.collect()
}
