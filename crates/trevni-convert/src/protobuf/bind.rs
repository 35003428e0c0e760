//! Binds columns to the fields of a message.
//!
//! ```text
//! columns   a: Int64   b: Union(null, x, y)   │   message M { int32 a = 2; oneof b { string x = 1; M2 y = 3; } }
//! bound     1 ◄─ b, branch x   2 ◄─ a   3 ◄─ b, branch y ◄─ its fields ...              in the order of the numbers
//! ```
//! Columns are found by their names. A column that finds no field is an error, for it would be lost.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, TimeUnit, UnionMode};

use super::message_layout::{Column, FieldKind, Member, Names, Record, Rule};
use super::row_error::{Outcome, RowError};
use super::scalar::Scalar;
use super::wire::Wire;
use trevni::Error;

/// The fields of a message that columns fill.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) fields: Vec<BoundField>,
}

/// A field, and what fills it.
#[derive(Debug)]
pub(super) struct BoundField {
    pub(super) name: String,
    pub(super) number: u32,
    pub(super) column: usize,
    pub(super) how: How,
}

/// How a row of a column becomes values of a field.
#[derive(Debug)]
pub(super) enum How {
    Implicit(FieldEncoding),
    Optional(FieldEncoding),
    Required(FieldEncoding),
    Repeated { form: FieldEncoding, packed: bool },
    Map { key: FieldEncoding, value: FieldEncoding },
    Branch { form: FieldEncoding, branch: usize },
}

/// How a value of a column becomes one of a field.
#[derive(Debug)]
pub(super) enum FieldEncoding {
    /// All rows are null.
    Never,
    Scalar(Scalar),
    /// By name or digits.
    Name(Arc<Names>),
    Number,
    Record {
        bound: Bound,
        group: bool,
    },
    Timestamp(TimeUnit),
    Duration(TimeUnit),
    Wrapper(Scalar),
}

impl FieldEncoding {
    /// Returns the wire type of a value.
    pub(super) fn wire(&self) -> Wire {
        match self {
            FieldEncoding::Scalar(scalar) => scalar.wire(),
            FieldEncoding::Name(_) | FieldEncoding::Number => Wire::Varint,
            FieldEncoding::Record { group: true, .. } => Wire::Start,
            _ => Wire::Bytes,
        }
    }
}

impl Bound {
    /// Binds the columns of a message.
    pub(super) fn new(record: &Record, columns: &Fields) -> Outcome<Self> {
        let mut names = HashSet::new();
        let mut fields = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let name = column.name();
            if !names.insert(name) {
                return Err(Error::invalid(format!("two columns are named {name:?}")).into());
            }
            let found = record.columns.iter().find(|column| column.name == *name);
            let bound = match found {
                Some(found) => bind(record, found, column, at),
                None => Err(no_field(record, name).into()),
            };
            fields.extend(bound.map_err(|fault| fault.under(name))?);
        }
        for member in record.members.iter().filter(|m| matches!(m.rule, Rule::Required)) {
            if !names.contains(&member.name) {
                let what = format!("it is missing, and {} requires it", record.name);
                return Err(Box::<RowError>::from(Error::invalid(what)).under(&member.name));
            }
        }
        fields.sort_by_key(|field| field.number);
        Ok(Self { fields })
    }
}

fn no_field(record: &Record, name: &str) -> Error {
    let member = record.members.iter().find(|member| member.name == name);
    let oneof = member.and_then(|member| record.columns.get(member.column));
    Error::invalid(match oneof {
        Some(oneof) => {
            format!("it is of the oneof {:?}: a union of that name can fill it", oneof.name)
        }
        None => format!("{} has no such field", record.name),
    })
}

fn bind(record: &Record, column: &Column, field: &FieldRef, at: usize) -> Outcome<Vec<BoundField>> {
    let members = record.members.get(column.members.clone()).unwrap_or_default();
    match members {
        [member] if !column.is_oneof => {
            let (name, number) = (member.name.clone(), member.number);
            Ok(vec![BoundField { name, number, column: at, how: how(member, field)? }])
        }
        members => branches(members, field, at),
    }
}

fn how(member: &Member, field: &FieldRef) -> Outcome<How> {
    let data_type = field.data_type();
    Ok(match &member.rule {
        Rule::Optional if data_type.is_null() => How::Optional(FieldEncoding::Never),
        Rule::Implicit => How::Implicit(form(&member.kind, data_type)?),
        Rule::Optional => How::Optional(form(&member.kind, data_type)?),
        Rule::Required => How::Required(form(&member.kind, data_type)?),
        Rule::Repeated { packed } => match data_type {
            DataType::List(item) | DataType::LargeList(item) => {
                How::Repeated { form: form(&member.kind, item.data_type())?, packed: *packed }
            }
            _ => return Err(unfit(data_type, &format!("repeated {}", member.kind.name()))),
        },
        Rule::Map(entry) => match entries(data_type) {
            Some((key, value)) => How::Map {
                key: form(&FieldKind::Scalar(entry.key), key.data_type())?,
                value: form(&entry.value.kind, value.data_type())?,
            },
            None => return Err(unfit(data_type, "a map")),
        },
    })
}

fn entries(data_type: &DataType) -> Option<(&Field, &Field)> {
    let DataType::Map(entries, _) = data_type else { return None };
    let DataType::Struct(fields) = entries.data_type() else { return None };
    match fields.as_ref() {
        [key, value] => Some((key, value)),
        _ => None,
    }
}

/// Binds the branches of a union; one of type null is none of them.
fn branches(members: &[Member], field: &FieldRef, at: usize) -> Outcome<Vec<BoundField>> {
    let DataType::Union(fields, UnionMode::Dense) = field.data_type() else {
        return Err(unfit(field.data_type(), "a oneof, only a dense union"));
    };
    let mut bound: Vec<BoundField> = Vec::new();
    for (branch, (_, field)) in fields.iter().enumerate() {
        if field.data_type().is_null() {
            continue;
        }
        let name = field.name();
        if bound.iter().any(|other| other.name == *name) {
            return Err(Error::invalid(format!("two branches are named {name:?}")).into());
        }
        let Some(member) = members.iter().find(|member| member.name == *name) else {
            return Err(Error::invalid(format!("the oneof has no field {name:?}")).into());
        };
        let form = form(&member.kind, field.data_type()).map_err(|fault| fault.under(name))?;
        let (name, number, how) = (name.clone(), member.number, How::Branch { form, branch });
        bound.push(BoundField { name, number, column: at, how });
    }
    Ok(bound)
}

fn unfit(data_type: &DataType, what: &str) -> Box<RowError> {
    Error::invalid(format!("{data_type} cannot become {what}")).into()
}

fn form(kind: &FieldKind, data_type: &DataType) -> Outcome<FieldEncoding> {
    let plain = match data_type {
        DataType::Dictionary(_, values) => values.as_ref(),
        plain => plain,
    };
    Ok(match (kind, plain) {
        (FieldKind::Scalar(scalar), plain) if fits(*scalar, plain) => {
            FieldEncoding::Scalar(*scalar)
        }
        (FieldKind::Wrapper(scalar), plain) if fits(*scalar, plain) => {
            FieldEncoding::Wrapper(*scalar)
        }
        (FieldKind::Enum(names), plain) if is_text(plain) => FieldEncoding::Name(names.clone()),
        (FieldKind::Enum(_), plain) if plain.is_integer() => FieldEncoding::Number,
        (FieldKind::Timestamp, DataType::Timestamp(unit, _)) => FieldEncoding::Timestamp(*unit),
        (FieldKind::Duration, DataType::Duration(unit)) => FieldEncoding::Duration(*unit),
        (FieldKind::Record { record, group }, _) => match data_type {
            DataType::Struct(fields) => {
                FieldEncoding::Record { bound: Bound::new(record, fields)?, group: *group }
            }
            _ => return Err(unfit(data_type, kind.name())),
        },
        _ => return Err(unfit(data_type, kind.name())),
    })
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns whether values of an Arrow type can be written as a scalar. The range of integers is checked when they
/// are written.
fn fits(scalar: Scalar, data_type: &DataType) -> bool {
    match scalar {
        Scalar::Double => matches!(data_type, DataType::Float32 | DataType::Float64),
        Scalar::Float => matches!(data_type, DataType::Float32),
        Scalar::Bool => matches!(data_type, DataType::Boolean),
        Scalar::String => is_text(data_type),
        Scalar::Bytes => {
            is_text(data_type)
                || matches!(
                    data_type,
                    DataType::Binary
                        | DataType::LargeBinary
                        | DataType::BinaryView
                        | DataType::FixedSizeBinary(_)
                )
        }
        _ => data_type.is_integer(),
    }
}
