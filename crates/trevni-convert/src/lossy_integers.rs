//! Detects integers that lose digits as floating-point numbers.
//!
//! ```text
//! text      9007199254740993        float64   9007199254740992        lost: an error unless allowed
//!           0.1                               the nearest float       not an integer: allowed
//! ```
//! Only a batch with numbers of this size is parsed a second time, as text.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::*;

/// From this number on, not every integer is a float.
const FLOATS: f32 = 16_777_216.0;
const DOUBLES: f64 = 9_007_199_254_740_992.0;

/// Returns whether a batch has numbers that may have been other integers.
pub(super) fn is_suspicious(batch: &RecordBatch) -> bool {
    batch.columns().iter().any(|column| {
        let mut leaves = Vec::new();
        floats(column, column, &mut leaves);
        leaves.iter().any(|(leaf, _)| match leaf.data_type() {
            DataType::Float32 => {
                leaf.as_primitive::<Float32Type>().values().iter().any(|v| v.abs() >= FLOATS)
            }
            _ => leaf.as_primitive::<Float64Type>().values().iter().any(|v| v.abs() >= DOUBLES),
        })
    })
}

/// Returns the schema of the same rows with text for every floating-point number; `None` if there are none.
pub(super) fn as_text(schema: &Schema) -> Option<SchemaRef> {
    let mut any = false;
    let fields: Vec<FieldRef> = schema.fields().iter().map(|f| text_of(f, &mut any)).collect();
    any.then(|| Arc::new(Schema::new(fields)))
}

fn text_of(field: &FieldRef, any: &mut bool) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Float32 | DataType::Float64 => {
            *any = true;
            DataType::Utf8
        }
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| text_of(field, any)).collect())
        }
        DataType::List(item) => DataType::List(text_of(item, any)),
        DataType::LargeList(item) => DataType::LargeList(text_of(item, any)),
        DataType::Map(entries, sorted) => DataType::Map(text_of(entries, any), *sorted),
        _ => return field.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// Returns the first integer of the text that lost digits as a number.
pub(super) fn lost(batch: &RecordBatch, text: &RecordBatch) -> Option<String> {
    let mut leaves = Vec::new();
    for (column, text) in batch.columns().iter().zip(text.columns()) {
        floats(column, text, &mut leaves);
    }
    leaves.iter().find_map(|(leaf, text)| {
        let text = text.as_string_opt::<i32>()?;
        let number = |row| match leaf.data_type() {
            DataType::Float32 => f64::from(leaf.as_primitive::<Float32Type>().value(row)),
            _ => leaf.as_primitive::<Float64Type>().value(row),
        };
        let rows = (0..leaf.len().min(text.len())).filter(|row| text.is_valid(*row));
        rows.map(|row| (number(row), text.value(row).trim()))
            .find(|(number, text)| !keeps(*number, text))
            .map(|(_, text)| text.to_owned())
    })
}

/// Returns whether a number is the integer that a text is, if it is one.
pub(super) fn keeps(number: f64, text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if number.is_infinite() && digits.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    // A double that is an integer prints all its digits.
    let (printed, digits) = (format!("{:.0}", number.abs()), digits.trim_start_matches('0'));
    printed == digits || (number == 0.0 && digits.is_empty())
}

/// Collects the float arrays within an array, and the arrays at the same position in its twin.
fn floats(array: &ArrayRef, twin: &ArrayRef, into: &mut Vec<(ArrayRef, ArrayRef)>) {
    match array.data_type() {
        DataType::Float32 | DataType::Float64 => into.push((array.clone(), twin.clone())),
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            let twins = twin.as_struct_opt().map(|twin| twin.columns()).unwrap_or_default();
            columns.zip(twins).for_each(|(array, twin)| floats(array, twin, into));
        }
        DataType::List(_) => {
            if let Some(twin) = twin.as_list_opt::<i32>() {
                floats(array.as_list::<i32>().values(), twin.values(), into);
            }
        }
        DataType::LargeList(_) => {
            if let Some(twin) = twin.as_list_opt::<i64>() {
                floats(array.as_list::<i64>().values(), twin.values(), into);
            }
        }
        DataType::Map(..) => {
            if let Some(twin) = twin.as_map_opt() {
                floats(array.as_map().values(), twin.values(), into);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_digits_or_not() {
        for (text, kept) in [
            ("9007199254740993", false),
            ("9007199254740992", true),
            ("-9007199254740993", false),
            ("100000000000000000000000", false),
            ("18446744073709551616", true),
            ("1e23", true),
            ("0.1", true),
            ("-0", true),
            ("+007", true),
            ("nan", true),
            ("-inf", true),
            ("1e400", false),
        ] {
            assert_eq!(keeps(text.parse().unwrap(), text), kept, "{text}");
        }
    }
}
