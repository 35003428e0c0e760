//! The common type of two types, for comparing their values.
//!
//! ```text
//! supertype(int8, uint32) = int64      supertype(list<dictionary<utf8>>, large list<utf8>) = large list<large utf8>
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::{cast, take};
use arrow::datatypes::*;

use crate::data_type::list_item;
use trevni::{Error, Result};

/// Returns the type in which values of two types are compared; `None` if they cannot be the same.
pub(super) fn supertype(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::*;
    let (a, b) = (bare(a), bare(b));
    Some(match (a, b) {
        (List(a) | LargeList(a) | ListView(a) | LargeListView(a) | FixedSizeList(a, _), b) => {
            let b = list_item(b)?;
            LargeList(nullable("item", supertype(a.data_type(), b.data_type())?))
        }
        (Map(a, _), Map(b, _)) => {
            let (Struct(a), Struct(b)) = (a.data_type(), b.data_type()) else { return None };
            let (Some([ak, av]), Some([bk, bv])) = (a.first_chunk(), b.first_chunk()) else {
                return None;
            };
            let key = Field::new("key", supertype(ak.data_type(), bk.data_type())?, false);
            let value = nullable("value", supertype(av.data_type(), bv.data_type())?);
            let entries = Struct(vec![Arc::new(key), value].into());
            Map(Arc::new(Field::new("entries", entries, false)), false)
        }
        (Struct(a), Struct(b)) => {
            let pair = |(a, b): (&FieldRef, &FieldRef)| {
                let same = a.name() == b.name();
                let data_type = supertype(a.data_type(), b.data_type()).filter(|_| same)?;
                Some(nullable(a.name(), data_type))
            };
            let fields: Option<Vec<_>> = a.iter().zip(b).map(pair).collect();
            Struct(fields.filter(|_| a.len() == b.len())?.into())
        }
        (Union(a, _), Union(b, _)) => {
            let pair = |(a, b): ((i8, &FieldRef), (i8, &FieldRef))| {
                let same = a.1.name() == b.1.name();
                let data_type = supertype(a.1.data_type(), b.1.data_type()).filter(|_| same)?;
                Some(nullable(a.1.name(), data_type))
            };
            let fields: Option<Vec<_>> = a.iter().zip(b.iter()).map(pair).collect();
            let fields = fields.filter(|_| a.len() == b.len())?;
            let ids = (0..fields.len()).map(|id| i8::try_from(id).ok());
            let ids: Vec<i8> = ids.collect::<Option<_>>()?;
            Union(UnionFields::try_new(ids, fields).ok()?, UnionMode::Dense)
        }
        (a, b) => leaf(a, b)?,
    })
}

fn leaf(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::*;
    Some(match (a, b) {
        (a, b) if is_text(a) && is_text(b) => LargeUtf8,
        (a, b) if is_binary(a) && is_binary(b) => LargeBinary,
        (a, b) if a == b => a.clone(),
        (Null, other) | (other, Null) if !other.is_nested() => other.clone(),
        (UInt64, b) | (b, UInt64) if b.is_integer() => Decimal128(20, 0),
        (a, b) if a.is_integer() && b.is_integer() => Int64,
        (a, b) if a.is_floating() && b.is_floating() => Float64,
        (Timestamp(a, zone), Timestamp(b, other)) if zone.is_some() == other.is_some() => {
            Timestamp(finer(*a, *b), zone.clone())
        }
        (Date32 | Date64, Date32 | Date64) => Date64,
        (Time32(a) | Time64(a), Time32(b) | Time64(b)) => match finer(*a, *b) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => Time32(unit),
            unit => Time64(unit),
        },
        (Duration(a), Duration(b)) => Duration(finer(*a, *b)),
        (a, b) if a.is_decimal() && b.is_decimal() => Decimal256(76, scale(a)?.max(scale(b)?)),
        _ => return None,
    })
}

/// Returns the type of the values of dictionaries and run ends.
fn bare(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => bare(values),
        DataType::RunEndEncoded(_, values) => bare(values.data_type()),
        other => other,
    }
}

fn nullable(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, true))
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Binary | LargeBinary | BinaryView | FixedSizeBinary(_))
}

fn scale(decimal: &DataType) -> Option<i8> {
    use DataType::*;
    match decimal {
        Decimal32(_, s) | Decimal64(_, s) | Decimal128(_, s) | Decimal256(_, s) => Some(*s),
        _ => None,
    }
}

fn finer(a: TimeUnit, b: TimeUnit) -> TimeUnit {
    use TimeUnit::*;
    let units = [Nanosecond, Microsecond, Millisecond, Second];
    units.into_iter().find(|unit| [a, b].contains(unit)).unwrap_or(Second)
}

/// Returns an array as of a type that [`supertype`] gave.
pub(super) fn raised(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    match (array.data_type(), to) {
        (DataType::Dictionary(..), _) => {
            let dictionary = array.as_any_dictionary();
            raised(&take(dictionary.values(), dictionary.keys(), None)?, to)
        }
        (DataType::RunEndEncoded(_, values), _) => raised(&cast(array, values.data_type())?, to),
        (from, DataType::LargeList(item_to)) => {
            let item = list_item(from).ok_or_else(|| unlike(from, to))?.clone();
            let list = cast(array, &DataType::LargeList(item))?;
            let list = list.as_list::<i64>();
            let items = raised(list.values(), item_to.data_type())?;
            let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
            Ok(Arc::new(LargeListArray::try_new(item_to.clone(), offsets, items, nulls)?))
        }
        (DataType::Map(..), DataType::Map(entries_to, _)) => {
            let map = array.as_map();
            let DataType::Struct(fields) = entries_to.data_type() else {
                return Err(unlike(array.data_type(), to));
            };
            let columns = [map.keys(), map.values()].into_iter().zip(fields);
            let columns = columns.map(|(column, field)| raised(column, field.data_type()));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let entries = StructArray::try_new(fields.clone(), columns, None)?;
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            Ok(Arc::new(MapArray::try_new(entries_to.clone(), offsets, entries, nulls, false)?))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let whole = array.as_struct();
            let columns = whole.columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| raised(column, field.data_type()));
            let (columns, nulls) = (columns.collect::<Result<_>>()?, whole.nulls().cloned());
            let fields = fields.clone();
            Ok(Arc::new(StructArray::try_new_with_length(fields, columns, nulls, array.len())?))
        }
        (DataType::Union(from, _), DataType::Union(fields, _)) => {
            dense(array.as_union(), from, fields)
        }
        _ => Ok(cast(array, to)?),
    }
}

/// Returns a union whose type ids count from 0, and whose rows have offsets.
fn dense(union: &UnionArray, from: &UnionFields, fields: &UnionFields) -> Result<ArrayRef> {
    let ids: Vec<i8> = from.iter().map(|(id, _)| id).collect();
    let id = |of: &i8| ids.iter().position(|id| id == of).and_then(|at| i8::try_from(at).ok());
    let type_ids: Option<Vec<i8>> = union.type_ids().iter().map(id).collect();
    let offset = |row| i32::try_from(union.value_offset(row)).ok();
    let offsets: Option<Vec<i32>> = (0..union.len()).map(offset).collect();
    let (Some(type_ids), Some(offsets)) = (type_ids, offsets) else {
        return Err(Error::invalid("a union of another kind than it says"));
    };
    let children = ids.iter().zip(fields.iter());
    let children = children.map(|(id, (_, field))| raised(union.child(*id), field.data_type()));
    let children = children.collect::<Result<_>>()?;
    let offsets = Some(offsets.into());
    Ok(Arc::new(UnionArray::try_new(fields.clone(), type_ids.into(), offsets, children)?))
}

fn unlike(from: &DataType, to: &DataType) -> Error {
    Error::invalid(format!("{from} cannot be compared as {to}"))
}
