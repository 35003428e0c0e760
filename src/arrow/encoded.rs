//! Dictionaries and run-end encoded arrays, at any depth: expands them to plain values, and encodes them again.
//!
//! ```text
//! type        dictionary<k, v>, run-end-encoded<r, v>       in a file: v
//! lower       keys or runs + values  ->  values, one a row
//! raise       keys or runs + values  <-  values, one a row; fails if there are more than keys can count
//! ```
//! Unions have no nulls, but keys of unions can be null: nullable dictionaries of unions are structs with the
//! union as their only field. An Avro enum is another exception: it is a dictionary whose field names its
//! symbols, and its ordinals are in the file.

pub(crate) mod encode;
pub(crate) mod enum_symbols;

use std::sync::Arc;

use arrow::array::*;
use arrow::compute;
use arrow::datatypes::*;

use super::Layout;
use crate::arrow::array::nested;
use crate::arrow::field_path::FieldPath;
use crate::error::{Error, Result};

/// Returns the fields as they are stored in a file.
pub(crate) fn stored_fields(fields: &Fields, layout: Layout) -> Fields {
    fields.iter().map(|field| stored(field, layout)).collect()
}

/// Returns the field as it is stored in a file: without dictionaries and run ends.
pub(crate) fn stored(field: &FieldRef, layout: Layout) -> FieldRef {
    let mut nullable = field.is_nullable();
    let mut data_type = field.data_type();
    let mut keyed = false;
    if layout == Layout::Avro && enum_symbols::of(field).is_some() {
        return Arc::new(Field::new(field.name(), DataType::Int32, nullable));
    }
    loop {
        match data_type {
            DataType::Dictionary(_, values) => {
                keyed = true;
                data_type = values;
            }
            DataType::RunEndEncoded(_, values) => {
                nullable |= values.is_nullable();
                data_type = values.data_type();
            }
            _ => break,
        }
    }
    let mut stored_type = nested::map_fields(data_type, |child| stored(child, layout));
    if keyed && nullable && is_union(&stored_type) {
        let only = Field::new("value", stored_type, true);
        stored_type = DataType::Struct(vec![only].into());
    }
    if stored_type == *field.data_type() && nullable == field.is_nullable() {
        return field.clone();
    }
    Arc::new(Field::new(field.name(), stored_type, nullable))
}

/// Converts an array of `field` to its stored form, an array of `to`.
pub(crate) fn to_stored(
    array: &ArrayRef,
    field: &Field,
    to: &Field,
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    if array.data_type() == to.data_type() {
        return Ok(array.clone());
    }
    match field.data_type() {
        DataType::Dictionary(_, values) => {
            if let Some(symbols) = enum_symbols::of(field).filter(|_| to.data_type().is_integer()) {
                return enum_symbols::ordinals(array, &symbols, path);
            }
            let dictionary = array.as_any_dictionary();
            let inner = Field::new(field.name(), values.as_ref().clone(), true);
            let values = to_stored(dictionary.values(), &inner, to, path)?;
            take(&values, dictionary.keys(), path)
        }
        DataType::RunEndEncoded(_, inner) => {
            let (values, rows) = run_values(array)?;
            take(&to_stored(&values, inner, to, path)?, &rows, path)
        }
        DataType::Union(..) if !is_union(to.data_type()) => {
            let DataType::Struct(fields) = to.data_type() else {
                return Err(Error::invalid(format!("field {path}: a union is no {to}")));
            };
            let only = fields.iter().map(|inner| to_stored(array, field, inner, path));
            nested::record(fields, only.collect::<Result<_>>()?, None, array.len())
        }
        data_type => {
            let fields = nested::fields(data_type);
            let stored = nested::fields(to.data_type());
            let children = nested::children(array).into_iter().zip(fields.iter().zip(&stored));
            let children = children
                .map(|(child, (field, to))| to_stored(&child, field, to, &path.then(field.name())));
            nested::with_children(array, to.data_type(), children.collect::<Result<_>>()?)
        }
    }
}

fn take(values: &ArrayRef, rows: &dyn Array, path: &FieldPath<'_>) -> Result<ArrayRef> {
    if is_union(values.data_type()) && rows.null_count() > 0 {
        let nulls = rows.null_count();
        return Err(Error::invalid(format!(
            "field {path} is not nullable, but its null count is {nulls}"
        )));
    }
    let rows = compute::cast(rows, &DataType::UInt64)?;
    crate::arrow::array::map_rows::take(values, rows.as_primitive::<UInt64Type>())
}

fn is_union(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Union(..))
}

/// Returns the values of the runs of an array, and which of them each row has. Of a slice only the runs that it
/// has rows of are returned.
pub(crate) fn run_values(array: &ArrayRef) -> Result<(ArrayRef, UInt64Array)> {
    match array.data_type() {
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            _ => runs::<Int64Type>(array),
        },
        other => Err(Error::invalid(format!("{other} has no runs"))),
    }
}

fn runs<R: RunEndIndexType>(array: &ArrayRef) -> Result<(ArrayRef, UInt64Array)> {
    let Some(array) = array.as_any().downcast_ref::<RunArray<R>>() else {
        return Err(Error::invalid("run ends of another type"));
    };
    let ends = array.run_ends();
    if ends.is_empty() {
        return Ok((array.values().slice(0, 0), UInt64Array::from(Vec::<u64>::new())));
    }
    let (first, last) = (ends.get_start_physical_index(), ends.get_end_physical_index());
    let (mut at, end) = (ends.offset(), ends.offset() + ends.len());
    let mut rows: Vec<u64> = Vec::with_capacity(ends.len());
    for (run, run_end) in (0u64..).zip(ends.values().get(first..=last).unwrap_or_default()) {
        let run_end = run_end.as_usize().min(end);
        rows.extend(std::iter::repeat_n(run, run_end.saturating_sub(at)));
        at = at.max(run_end);
    }
    Ok((array.values().slice(first, last + 1 - first), rows.into()))
}

/// Converts the stored form of an array back to an array of `field`. `None` if the keys or run ends are too narrow.
pub(crate) fn from_stored(array: &ArrayRef, field: &Field) -> Result<Option<ArrayRef>> {
    if array.data_type() == field.data_type() {
        return Ok(Some(array.clone()));
    }
    match field.data_type() {
        DataType::Dictionary(keys, values) => {
            if let Some(symbols) =
                enum_symbols::of(field).filter(|_| array.data_type().is_integer())
            {
                return enum_symbols::dictionary(array, &symbols).map(Some);
            }
            encode::dictionary(array, keys, values)
        }
        DataType::RunEndEncoded(ends, values) => {
            encode::runs(array, field.data_type(), ends.data_type(), values)
        }
        DataType::Union(..) if !is_union(array.data_type()) => {
            match nested::children(array).first() {
                Some(only) => from_stored(only, field),
                None => Err(Error::malformed("a union without values")),
            }
        }
        data_type => {
            let fields = nested::fields(data_type);
            let mut children = nested::children(array);
            for (child, field) in children.iter_mut().zip(&fields) {
                match from_stored(child, field)? {
                    Some(raised) => *child = raised,
                    None => return Ok(None),
                }
            }
            nested::with_children(array, data_type, children).map(Some)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slices of many runs cost no more than their rows.
    #[test]
    fn slices_have_their_runs_only() {
        let ends = Int32Array::from_iter_values((1..=1000).map(|run| run * 3));
        let values = Int64Array::from_iter_values(0..1000);
        let whole: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, &values).unwrap());
        for (offset, len) in [(0, 0), (0, 3000), (0, 1), (1499, 2), (1500, 3), (2999, 1), (7, 0)] {
            let (values, rows) = run_values(&whole.slice(offset, len)).unwrap();
            assert!(values.len() <= len / 3 + 2, "{offset} {len}");
            let values = values.as_primitive::<Int64Type>();
            let found: Vec<_> = rows
                .values()
                .iter()
                .map(|run| values.value(usize::try_from(*run).unwrap()))
                .collect();
            let expected: Vec<_> = (offset..offset + len).map(|row| row as i64 / 3).collect();
            assert_eq!(found, expected);
        }
    }
}
