//! Avro enums: dictionaries whose field metadata lists all symbols.
//!
//! ```text
//! field      dictionary<int32, utf8>, metadata avro.enum.symbols = ["A","B"]
//! in a file  0 1 1 0      the ordinals
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use crate::keys::AVRO_ENUM_SYMBOLS;
use arrow::array::*;
use arrow::datatypes::*;

use crate::arrow::field_path::FieldPath;
use crate::error::{Error, Result};

/// Returns the symbols of a field that is an enum.
pub(crate) fn of(field: &Field) -> Option<Vec<String>> {
    let DataType::Dictionary(keys, values) = field.data_type() else { return None };
    if **keys != DataType::Int32 || **values != DataType::Utf8 {
        return None;
    }
    serde_json::from_str(field.metadata().get(AVRO_ENUM_SYMBOLS)?).ok()
}

/// Returns the ordinal of each row.
pub(crate) fn ordinals(
    array: &ArrayRef,
    symbols: &[String],
    path: &FieldPath<'_>,
) -> Result<ArrayRef> {
    let dictionary = array.as_dictionary::<Int32Type>();
    let values = dictionary.values().as_string::<i32>();
    // Of symbols with one name, the first is meant.
    let mut known = HashMap::with_capacity(symbols.len());
    for (symbol, ordinal) in symbols.iter().zip(0i32..) {
        known.entry(symbol.as_str()).or_insert(ordinal);
    }
    // One lookup per dictionary value, not per row.
    let table: Vec<Option<i32>> = values.iter().map(|value| known.get(value?).copied()).collect();
    let rows = dictionary.keys().iter().map(|key| match key {
        None => Ok(None),
        Some(key) => match usize::try_from(key).ok().and_then(|key| table.get(key)) {
            Some(Some(ordinal)) => Ok(Some(*ordinal)),
            _ => Err(Error::invalid(format!("field {path}: a value is no symbol of the enum"))),
        },
    });
    Ok(Arc::new(rows.collect::<Result<Int32Array>>()?))
}

/// Returns the dictionary of ordinals.
pub(crate) fn dictionary(array: &ArrayRef, symbols: &[String]) -> Result<ArrayRef> {
    let keys = array.as_primitive::<Int32Type>().clone();
    let known = |key: i32| usize::try_from(key).is_ok_and(|key| key < symbols.len());
    if let Some(key) = keys.iter().flatten().find(|key| !known(*key)) {
        let what = format!("ordinal {key} of an enum of {} symbols", symbols.len());
        return Err(Error::malformed(what));
    }
    let values: StringArray = symbols.iter().map(Some).collect();
    Ok(Arc::new(DictionaryArray::try_new(keys, Arc::new(values))?))
}
