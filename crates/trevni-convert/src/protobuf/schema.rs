//! The Arrow schema of a message.
//!
//! ```text
//! scalar ── its type      enum ── Dictionary(Int32, Utf8)      message ── Struct      repeated ── List
//! map ── Map              oneof ── Union, dense: null and its members                 wrapper ── its scalar
//! ```

use std::sync::Arc;

use arrow::datatypes::{
    DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit, UnionFields, UnionMode,
};

use super::message_layout::{Column, FieldKind, Member, Record, Rule};
use trevni::{Error, Result};

/// The key of the schema's metadata that has the full name of the message.
const MESSAGE: &str = "protobuf.message";

/// The branch of a oneof of which nothing is set.
const UNSET: &str = "null";

/// Returns the columns of rows that are messages.
pub(super) fn schema(record: &Record) -> Result<SchemaRef> {
    let metadata = [(MESSAGE.to_owned(), record.name.clone())].into();
    Ok(Arc::new(Schema::new_with_metadata(fields(record)?, metadata)))
}

fn fields(record: &Record) -> Result<Fields> {
    record.columns.iter().map(|column| field(record, column)).collect()
}

fn field(record: &Record, column: &Column) -> Result<FieldRef> {
    let members = record.members.get(column.members.clone()).unwrap_or_default();
    match members {
        [member] if !column.is_oneof => member_field(member),
        members => oneof(column, members),
    }
}

fn member_field(member: &Member) -> Result<FieldRef> {
    let name = member.name.as_str();
    Ok(Arc::new(match &member.rule {
        Rule::Implicit | Rule::Required => Field::new(name, data_type(&member.kind)?, false),
        Rule::Optional => Field::new(name, data_type(&member.kind)?, true),
        Rule::Repeated { .. } => {
            let item = Field::new("item", data_type(&member.kind)?, false);
            Field::new(name, DataType::List(Arc::new(item)), false)
        }
        Rule::Map(entry) => {
            let key = Field::new("key", entry.key.data_type(), false);
            let value = Field::new("value", data_type(&entry.value.kind)?, false);
            Field::new_map(name, "entries", Arc::new(key), Arc::new(value), false, false)
        }
    }))
}

fn oneof(column: &Column, members: &[Member]) -> Result<FieldRef> {
    let mut branches = vec![Field::new(UNSET, DataType::Null, true)];
    for member in members {
        branches.push(Field::new(&member.name, data_type(&member.kind)?, false));
    }
    let most =
        || Error::unsupported(format!("the oneof {:?} has more than 126 fields", column.name));
    let last = i8::try_from(branches.len()).map_err(|_| most())?;
    let union = UnionFields::try_new(0..last, branches)?;
    // To Arrow, rows of a union are null where they are so in its branch.
    Ok(Arc::new(Field::new(&column.name, DataType::Union(union, UnionMode::Dense), true)))
}

fn data_type(kind: &FieldKind) -> Result<DataType> {
    Ok(match kind {
        FieldKind::Scalar(scalar) | FieldKind::Wrapper(scalar) => scalar.data_type(),
        FieldKind::Enum(_) => DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into()),
        FieldKind::Record { record, .. } => DataType::Struct(fields(record)?),
        FieldKind::Timestamp => DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())),
        FieldKind::Duration => DataType::Duration(TimeUnit::Nanosecond),
    })
}
