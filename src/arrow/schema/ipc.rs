//! Encodes and decodes Arrow schemas as the base64 of an IPC message.
//!
//! ```text
//! ff ff ff ff   fixed32 length   flatbuffer Message { Schema { fields, metadata } }
//! ```
//! Reading does not use Arrow's own conversion, which panics on what it does not know.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::*;
use arrow::ipc;
use arrow::ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::arrow::array::nested;
use crate::arrow::field_path::FieldPath;
use crate::error::{Error, Result};

const CONTINUATION: [u8; 4] = [0xff; 4];

/// Encodes a schema as the value of the metadata key `ARROW:schema`: base64 of an encapsulated IPC message. Fails if no
/// reader could decode it, as where fields are nested too deep.
pub fn schema_to_ipc(schema: &Schema) -> Result<Vec<u8>> {
    encoded(schema).map(|(message, _)| message)
}

/// Encodes a schema as [`schema_to_ipc`] does. Fails if it would be decoded as another one.
pub(crate) fn schema_to_ipc_exactly(schema: &Schema) -> Result<Vec<u8>> {
    match encoded(schema)? {
        (message, decoded) if decoded == *schema => Ok(message),
        _ => Err(unrepresentable(schema, "it would be read as another one")),
    }
}

/// Encodes a schema, and decodes it again.
fn encoded(schema: &Schema) -> Result<(Vec<u8>, Schema)> {
    let mut tracker = DictionaryTracker::new(true);
    let message = IpcDataGenerator::default()
        .schema_to_bytes_with_dictionary_tracker(schema, &mut tracker, &IpcWriteOptions::default())
        .ipc_message;
    let too_long = |_| Error::invalid("a schema of more than 4 GiB");
    let length = u32::try_from(message.len()).map_err(too_long)?;
    let bytes = [&CONTINUATION[..], &length.to_le_bytes(), &message].concat();
    let message = BASE64_STANDARD.encode(bytes).into_bytes();
    match schema_from_ipc(&message) {
        Ok(decoded) => Ok((message, decoded)),
        Err(e) => Err(unrepresentable(schema, &e.to_string())),
    }
}

/// Returns the error of a schema that IPC messages cannot represent: it names the first such field, and the reason.
fn unrepresentable(schema: &Schema, otherwise: &str) -> Error {
    let found = schema.fields().iter().find_map(|field| {
        let path = FieldPath::new(field.name());
        reason(field.data_type(), &path, 1)
    });
    let (field, reason) = found.map_or((String::new(), otherwise.to_owned()), |(path, reason)| {
        (format!("field {path}: "), reason)
    });
    Error::invalid(format!(
        "{field}the schema cannot be represented as an Arrow IPC message: {reason}"
    ))
}

/// Levels of fields that readers of IPC messages accept: they verify at most 64 nested tables, of which two are the
/// message and the schema, and one is the type of the innermost field.
const MOST_LEVELS: usize = 61;

/// Returns the path of the first field below a type that has no representation, and the reason.
fn reason(data_type: &DataType, path: &FieldPath<'_>, level: usize) -> Option<(String, String)> {
    let here = |reason: String| Some((path.to_string(), reason));
    if level > MOST_LEVELS {
        return here(format!("it is nested more than {MOST_LEVELS} levels"));
    }
    match data_type {
        DataType::Timestamp(_, Some(zone)) if zone.is_empty() => {
            here("its time zone is empty".into())
        }
        DataType::Timestamp(_, Some(zone)) if zone.contains('\0') => {
            here("its time zone contains a NUL".into())
        }
        DataType::Dictionary(_, values) if matches!(**values, DataType::Dictionary(..)) => {
            here("it is a dictionary of dictionaries".into())
        }
        DataType::Dictionary(_, values) => reason(values, path, level),
        DataType::RunEndEncoded(_, values) => {
            reason(values.data_type(), &path.then(values.name()), level + 1)
        }
        other => nested::fields(other)
            .iter()
            .find_map(|field| reason(field.data_type(), &path.then(field.name()), level + 1)),
    }
}

/// Decodes a schema from the value of the metadata key `ARROW:schema`. Fails on anything else, and never panics.
pub fn schema_from_ipc(text: &[u8]) -> Result<Schema> {
    let wrong = |what: String| Error::malformed(format!("ARROW:schema: {what}"));
    let bytes = BASE64_STANDARD.decode(text).map_err(|e| wrong(e.to_string()))?;
    let message = bytes.strip_prefix(&CONTINUATION).unwrap_or(&bytes);
    let whole = message
        .split_first_chunk()
        .and_then(|(length, rest)| rest.get(..usize::try_from(u32::from_le_bytes(*length)).ok()?));
    let message = whole.ok_or_else(|| wrong("too short".into()))?;
    let message = ipc::root_as_message(message).map_err(|e| wrong(e.to_string()))?;
    let schema = message.header_as_schema().ok_or_else(|| wrong("no schema".into()))?;
    if schema.endianness() != ipc::Endianness::Little {
        return Err(wrong("not little-endian".into()));
    }
    let fields = schema.fields().map_or(Ok(Fields::empty()), |fields| {
        fields.iter().map(|f| field(f).map(Arc::new)).collect::<Result<Fields>>()
    });
    let fields = fields.map_err(|e| wrong(e.to_string()))?;
    Ok(Schema::new_with_metadata(fields, pairs(schema.custom_metadata())))
}

fn pairs<'a>(
    pairs: Option<impl IntoIterator<Item = ipc::KeyValue<'a>>>,
) -> HashMap<String, String> {
    let pair = |kv: ipc::KeyValue<'_>| Some((kv.key()?.to_owned(), kv.value()?.to_owned()));
    pairs.into_iter().flatten().filter_map(pair).collect()
}

fn field(field: ipc::Field<'_>) -> Result<Field> {
    let name = field.name().unwrap_or_default();
    let mut data_type = plain(field)?;
    let dictionary = field.dictionary();
    if let Some(dictionary) = dictionary {
        let keys = dictionary.indexType().map_or(Ok(DataType::Int32), integer)?;
        data_type = DataType::Dictionary(Box::new(keys), Box::new(data_type));
    }
    let ordered = dictionary.is_some_and(|dictionary| dictionary.isOrdered());
    Ok(Field::new(name, data_type, field.nullable())
        .with_dict_is_ordered(ordered)
        .with_metadata(pairs(field.custom_metadata())))
}

/// Returns the type of a field, or of its dictionary's values.
fn plain(field: ipc::Field<'_>) -> Result<DataType> {
    use ipc::Type;
    Ok(match field.type_type() {
        Type::Null => DataType::Null,
        Type::Bool => DataType::Boolean,
        Type::Utf8 => DataType::Utf8,
        Type::LargeUtf8 => DataType::LargeUtf8,
        Type::Utf8View => DataType::Utf8View,
        Type::Binary => DataType::Binary,
        Type::LargeBinary => DataType::LargeBinary,
        Type::BinaryView => DataType::BinaryView,
        Type::List => DataType::List(only_child(field)?),
        Type::LargeList => DataType::LargeList(only_child(field)?),
        Type::ListView => DataType::ListView(only_child(field)?),
        Type::LargeListView => DataType::LargeListView(only_child(field)?),
        Type::Struct_ => DataType::Struct(children(field)?.into()),
        Type::RunEndEncoded => runs(field)?,
        Type::Union => union(field)?,
        Type::Int | Type::FloatingPoint | Type::Decimal => number(field)?,
        _ => return sized(field),
    })
}

/// Returns the types that are nothing but numbers.
fn number(field: ipc::Field<'_>) -> Result<DataType> {
    if let Some(int) = field.type_as_int() {
        return integer(int);
    }
    if let Some(float) = field.type_as_floating_point() {
        return match float.precision() {
            ipc::Precision::HALF => Ok(DataType::Float16),
            ipc::Precision::SINGLE => Ok(DataType::Float32),
            ipc::Precision::DOUBLE => Ok(DataType::Float64),
            other => Err(unknown(&format!("a float of precision {other:?}"))),
        };
    }
    let decimal = field.type_as_decimal().ok_or_else(|| incomplete(field))?;
    let (bits, precision, scale) = (decimal.bitWidth(), decimal.precision(), decimal.scale());
    let known = u8::try_from(precision).ok().zip(i8::try_from(scale).ok());
    match (bits, known) {
        (32, Some((p @ 1..=9, s))) => Ok(DataType::Decimal32(p, s)),
        (64, Some((p @ 1..=18, s))) => Ok(DataType::Decimal64(p, s)),
        (128, Some((p @ 1..=38, s))) => Ok(DataType::Decimal128(p, s)),
        (256, Some((p @ 1..=76, s))) => Ok(DataType::Decimal256(p, s)),
        _ => Err(unknown(&format!("a decimal of {bits} bits, {precision} digits, scale {scale}"))),
    }
}

fn integer(int: ipc::Int<'_>) -> Result<DataType> {
    Ok(match (int.bitWidth(), int.is_signed()) {
        (8, true) => DataType::Int8,
        (16, true) => DataType::Int16,
        (32, true) => DataType::Int32,
        (64, true) => DataType::Int64,
        (8, false) => DataType::UInt8,
        (16, false) => DataType::UInt16,
        (32, false) => DataType::UInt32,
        (64, false) => DataType::UInt64,
        (bits, _) => return Err(unknown(&format!("an integer of {bits} bits"))),
    })
}

/// Returns the types with a unit or a size.
fn sized(field: ipc::Field<'_>) -> Result<DataType> {
    let at_least_0 = |n: i32| if n < 0 { Err(unknown("a negative size")) } else { Ok(n) };
    if let Some(binary) = field.type_as_fixed_size_binary() {
        return Ok(DataType::FixedSizeBinary(at_least_0(binary.byteWidth())?));
    }
    if let Some(list) = field.type_as_fixed_size_list() {
        return Ok(DataType::FixedSizeList(only_child(field)?, at_least_0(list.listSize())?));
    }
    if let Some(map) = field.type_as_map() {
        return Ok(DataType::Map(only_child(field)?, map.keysSorted()));
    }
    if let Some(date) = field.type_as_date() {
        let days = date.unit() == ipc::DateUnit::DAY;
        return Ok(if days { DataType::Date32 } else { DataType::Date64 });
    }
    if let Some(time) = field.type_as_time() {
        return Ok(match unit(time.unit())? {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            unit => DataType::Time64(unit),
        });
    }
    if let Some(timestamp) = field.type_as_timestamp() {
        let zone: Option<Arc<str>> = timestamp.timezone().map(Arc::from);
        // Arrow's C data interface has zones in strings that end with a NUL, and panics.
        if zone.as_ref().is_some_and(|zone| zone.contains('\0')) {
            return Err(Error::malformed("a time zone that contains a NUL"));
        }
        return Ok(DataType::Timestamp(unit(timestamp.unit())?, zone));
    }
    if let Some(duration) = field.type_as_duration() {
        return Ok(DataType::Duration(unit(duration.unit())?));
    }
    let interval = field.type_as_interval().ok_or_else(|| incomplete(field))?;
    Ok(DataType::Interval(match interval.unit() {
        ipc::IntervalUnit::YEAR_MONTH => IntervalUnit::YearMonth,
        ipc::IntervalUnit::DAY_TIME => IntervalUnit::DayTime,
        ipc::IntervalUnit::MONTH_DAY_NANO => IntervalUnit::MonthDayNano,
        other => return Err(unknown(&format!("interval unit {other:?}"))),
    }))
}

fn unit(unit: ipc::TimeUnit) -> Result<TimeUnit> {
    Ok(match unit {
        ipc::TimeUnit::SECOND => TimeUnit::Second,
        ipc::TimeUnit::MILLISECOND => TimeUnit::Millisecond,
        ipc::TimeUnit::MICROSECOND => TimeUnit::Microsecond,
        ipc::TimeUnit::NANOSECOND => TimeUnit::Nanosecond,
        other => return Err(unknown(&format!("time unit {other:?}"))),
    })
}

fn children(parent: ipc::Field<'_>) -> Result<Vec<FieldRef>> {
    parent.children().iter().flatten().map(|child| field(child).map(Arc::new)).collect()
}

fn only_child(parent: ipc::Field<'_>) -> Result<FieldRef> {
    let mut children = children(parent)?;
    match (children.pop(), children.is_empty()) {
        (Some(child), true) => Ok(child),
        _ => Err(incomplete(parent)),
    }
}

fn runs(field: ipc::Field<'_>) -> Result<DataType> {
    let Ok([ends, values]) = <[FieldRef; 2]>::try_from(children(field)?) else {
        return Err(incomplete(field));
    };
    if !ends.data_type().is_run_ends_type() {
        return Err(unknown(&format!("run ends of {}", ends.data_type())));
    }
    Ok(DataType::RunEndEncoded(ends, values))
}

fn union(field: ipc::Field<'_>) -> Result<DataType> {
    let union = field.type_as_union().ok_or_else(|| incomplete(field))?;
    let mode = match union.mode() {
        ipc::UnionMode::Dense => UnionMode::Dense,
        ipc::UnionMode::Sparse => UnionMode::Sparse,
        other => return Err(unknown(&format!("union mode {other:?}"))),
    };
    let branches = children(field)?;
    let ids: Option<Vec<i8>> = match union.typeIds() {
        Some(ids) => ids.iter().map(|id| i8::try_from(id).ok().filter(|id| *id >= 0)).collect(),
        None => (0..branches.len()).map(|id| i8::try_from(id).ok()).collect(),
    };
    let ids = ids.filter(|ids| ids.len() == branches.len()).ok_or_else(|| incomplete(field))?;
    let fields = UnionFields::try_new(ids, branches).map_err(|e| unknown(&e.to_string()))?;
    Ok(DataType::Union(fields, mode))
}

fn incomplete(field: ipc::Field<'_>) -> Error {
    unknown(&format!("field {:?}, of {:?}", field.name().unwrap_or_default(), field.type_type()))
}

fn unknown(what: &str) -> Error {
    Error::malformed(format!("ARROW:schema has {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::tests::sample;

    #[test]
    fn every_type_goes_both_ways() {
        let metadata = || HashMap::from([("k".to_owned(), "v".to_owned())]);
        let mut fields = vec![Field::new("", DataType::Struct(Fields::empty()), false)];
        for inner in sample::types().into_iter().chain(sample::nested_types()) {
            let types = sample::around(&inner).into_iter().chain([inner]);
            let field = |t| Field::new("é", t, true).with_metadata(metadata());
            fields.extend(types.map(field));
        }
        // Arrow's messages have no dictionaries of dictionaries.
        fields.retain(|f| !f.data_type().to_string().contains("Dictionary(Int16, Dictionary"));
        for field in fields {
            let schema = Schema::new_with_metadata(vec![field], metadata());
            assert_eq!(schema_from_ipc(&schema_to_ipc(&schema).unwrap()).unwrap(), schema);
        }
    }

    #[test]
    fn spoiled_messages_are_errors() {
        let fields = vec![Field::new("a", sample::dense_union(), true)];
        let good = BASE64_STANDARD.decode(schema_to_ipc(&Schema::new(fields)).unwrap()).unwrap();
        for at in 0..good.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] = byte;
                // Any answer will do, as long as there is one.
                let _ = schema_from_ipc(BASE64_STANDARD.encode(&bad).as_bytes());
            }
            assert!(schema_from_ipc(BASE64_STANDARD.encode(&good[..at]).as_bytes()).is_err());
        }
        assert!(schema_from_ipc(b"not base64!").is_err());
    }
}
