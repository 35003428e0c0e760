//! The Arrow fields of a struct.
//!
//! ```text
//! i32 ─► Int32     list<T> ─► List     struct ─► Struct     Color ─► Dictionary(Int32, Utf8)
//! string ─► Utf8   map<K, V> ─► Map    union ─► dense Union, its members in order
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, UnionFields, UnionMode};

use super::record::{Need, Record, ThriftValueType};
use crate::rows::Grow;
use trevni::{Error, Result};

/// The key of a schema's metadata that has the name of the struct.
const STRUCT: &str = "thrift.struct";
/// The key of a field's metadata that tells a set from a list.
const KIND: &str = "thrift.kind";

impl Record {
    /// Returns the schema of rows that are such structs.
    pub(super) fn schema(&self) -> Result<Schema> {
        let metadata = [(STRUCT.to_owned(), self.name.clone())];
        Ok(Schema::new(self.arrow_fields()?).with_metadata(metadata.into()))
    }

    fn arrow_fields(&self) -> Result<Fields> {
        let field = |field: &super::record::Field| {
            let nullable = matches!(field.need, Need::Optional);
            arrow_field(&field.name, &field.kind, nullable)
        };
        self.fields.iter().map(field).collect()
    }

    /// Adds all names of its enums to a column, so that the dictionaries of all batches are equal.
    pub(super) fn name_symbols(&self, grow: &mut Grow) -> Result<()> {
        for (at, field) in self.fields.iter().enumerate() {
            // Columns within a union belong to a branch; a row of it is started and removed.
            match self.union {
                true => field.kind.name_symbols(grow.branch(at)?)?,
                false => field.kind.name_symbols(grow.child(at)?)?,
            }
        }
        grow.truncate(0);
        Ok(())
    }
}

impl ThriftValueType {
    fn name_symbols(&self, grow: &mut Grow) -> Result<()> {
        match self {
            ThriftValueType::Enum(names) => names.names.iter().try_for_each(|name| grow.know(name)),
            ThriftValueType::List(item) | ThriftValueType::Set(item) => {
                item.name_symbols(grow.item()?)
            }
            ThriftValueType::Map(key, value) => {
                let (keys, values) = grow.entry()?;
                key.name_symbols(keys)?;
                value.name_symbols(values)
            }
            ThriftValueType::Record(record) => record.name_symbols(grow),
            _ => Ok(()),
        }
    }
}

fn arrow_field(name: &str, kind: &ThriftValueType, nullable: bool) -> Result<FieldRef> {
    let field = Field::new(name, data_type(kind)?, nullable);
    Ok(Arc::new(match kind {
        ThriftValueType::Set(_) => {
            field.with_metadata([(KIND.to_owned(), "set".to_owned())].into())
        }
        _ => field,
    }))
}

fn data_type(kind: &ThriftValueType) -> Result<DataType> {
    Ok(match kind {
        ThriftValueType::Bool => DataType::Boolean,
        ThriftValueType::I8 => DataType::Int8,
        ThriftValueType::I16 => DataType::Int16,
        ThriftValueType::I32 => DataType::Int32,
        ThriftValueType::I64 => DataType::Int64,
        ThriftValueType::Double => DataType::Float64,
        ThriftValueType::Text => DataType::Utf8,
        ThriftValueType::Binary => DataType::Binary,
        ThriftValueType::Uuid => DataType::FixedSizeBinary(16),
        ThriftValueType::Enum(_) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        ThriftValueType::List(item) | ThriftValueType::Set(item) => {
            DataType::List(arrow_field("item", item, false)?)
        }
        ThriftValueType::Map(key, value) => {
            let entries =
                vec![arrow_field("key", key, false)?, arrow_field("value", value, false)?];
            let entries = Field::new("entries", DataType::Struct(entries.into()), false);
            DataType::Map(Arc::new(entries), false)
        }
        ThriftValueType::Record(record) if record.union => union(record)?,
        ThriftValueType::Record(record) => DataType::Struct(record.arrow_fields()?),
    })
}

/// Unions have no nulls of their own: where one is missing, its first branch is null.
fn union(record: &Record) -> Result<DataType> {
    let mut branches = Vec::new();
    for (id, field) in (0i8..=i8::MAX).zip(&record.fields) {
        branches.push((id, arrow_field(&field.name, &field.kind, true)?));
    }
    if branches.len() < record.fields.len() {
        return Err(Error::unsupported(format!("union {} has too many members", record.name)));
    }
    Ok(DataType::Union(branches.into_iter().collect::<UnionFields>(), UnionMode::Dense))
}
