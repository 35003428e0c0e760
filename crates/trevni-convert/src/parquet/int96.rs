//! Timestamps of twelve bytes, `INT96`, as the finest unit in which all of a column can be represented.
//!
//! ```text
//! 8 bytes of nanoseconds, 4 of the Julian day     1677 to 2262              nanoseconds
//!                                                 292,000 years around it   microseconds, if none is lost
//! ```
//! The library wraps what is out of range of a unit, so the columns are read before as seconds, which cannot overflow,
//! and where some are out of range of nanoseconds, as these: modulo 2^64, the difference is what is below a second.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, make_array};
use arrow::datatypes::{
    DataType, Field, FieldRef, Schema, TimeUnit, TimestampNanosecondType, TimestampSecondType,
};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type;

use super::chunks::Chunks;
use super::fault;
use trevni::{Error, Result};

/// Rows that are read at a time.
const ROWS: usize = 8192;

/// Returns the metadata with the units that the values of these leaves need; `None` if that is nanoseconds.
pub(super) fn with_units(
    file: &Chunks,
    metadata: &ArrowReaderMetadata,
    mask: &ProjectionMask,
) -> Result<Option<ArrowReaderMetadata>> {
    let leaves = metadata.parquet_schema().columns().iter().enumerate();
    let leaves: Vec<usize> = leaves
        .filter(|(leaf, column)| column.physical_type() == Type::INT96 && mask.leaf_included(*leaf))
        .map(|(leaf, _)| leaf)
        .collect();
    if leaves.is_empty() {
        return Ok(None);
    }
    let mut units = Vec::new();
    for leaf in leaves {
        if let Some(unit) = unit_of(file, metadata, leaf)? {
            units.push((leaf, unit));
        }
    }
    match units.is_empty() {
        true => Ok(None),
        false => with(metadata, &units).map(Some),
    }
}

/// Returns metadata whose schema has other units for some leaves.
fn with(
    metadata: &ArrowReaderMetadata,
    units: &[(usize, TimeUnit)],
) -> Result<ArrowReaderMetadata> {
    let schema = metadata.schema();
    let mut leaf = 0;
    let fields = schema.fields().iter().map(|field| field_with(field, units, &mut leaf));
    let fields = fields.collect::<Vec<_>>();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).map_err(fault)
}

/// Returns a field with other units for the leaves below it, of which `leaf` is the next.
fn field_with(field: &FieldRef, units: &[(usize, TimeUnit)], leaf: &mut usize) -> FieldRef {
    let mut inner = |field: &FieldRef| field_with(field, units, leaf);
    let data_type = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inner(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        other => {
            let unit = units.iter().find(|(at, _)| at == leaf);
            *leaf += 1;
            match (other, unit) {
                (DataType::Timestamp(_, zone), Some((_, unit))) => {
                    DataType::Timestamp(*unit, zone.clone())
                }
                _ => return field.clone(),
            }
        }
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns the unit that the values of a leaf need, if it is not nanoseconds.
fn unit_of(file: &Chunks, metadata: &ArrowReaderMetadata, leaf: usize) -> Result<Option<TimeUnit>> {
    let seconds = with(metadata, &[(leaf, TimeUnit::Second)])?;
    let reader = |metadata: &ArrowReaderMetadata| reader(file, metadata, leaf);
    let (mut in_range, mut row) = (true, 0);
    for batch in reader(&seconds)? {
        let values = timestamps(batch.map_err(Error::from)?.column(0));
        in_range &= seconds_of(&values).all(|(_, second)| in_nanoseconds(second));
    }
    if in_range {
        return Ok(None);
    }
    let column = metadata.parquet_schema().column(leaf);
    let name = column.path().string();
    for (seconds, nanos) in reader(&seconds)?.zip(reader(metadata)?) {
        let (seconds, nanos) = (seconds.map_err(Error::from)?, nanos.map_err(Error::from)?);
        let (values, exact) = (timestamps(seconds.column(0)), timestamps(nanos.column(0)));
        let exact = exact.as_primitive_opt::<TimestampNanosecondType>();
        for (at, second) in seconds_of(&values) {
            let nanos = exact.and_then(|exact| exact.values().get(at).copied()).unwrap_or(0);
            let below = nanos.wrapping_sub(second.wrapping_mul(1_000_000_000));
            let fits = second.checked_mul(1_000_000).is_some();
            if !fits || below % 1_000 != 0 {
                let place = match column.max_rep_level() {
                    0 => format!("row {}, ", row + at),
                    _ => String::new(),
                };
                let what = if fits { "has nanoseconds, and others are" } else { "is" };
                return Err(Error::unsupported(format!(
                    "parquet: {place}column {name:?}: a timestamp {what} out of the range of a type of 64 bits"
                )));
            }
        }
        row += seconds.num_rows();
    }
    Ok(Some(TimeUnit::Microsecond))
}

fn reader(
    file: &Chunks,
    metadata: &ArrowReaderMetadata,
    leaf: usize,
) -> Result<ParquetRecordBatchReader> {
    let mask = ProjectionMask::leaves(metadata.parquet_schema(), [leaf]);
    let builder =
        ParquetRecordBatchReaderBuilder::new_with_metadata(file.clone(), metadata.clone());
    builder.with_projection(mask).with_batch_size(ROWS).build().map_err(fault)
}

/// Returns whether the range of 64 bits of nanoseconds has a second.
fn in_nanoseconds(second: i64) -> bool {
    (-9_223_372_036..9_223_372_036).contains(&second)
}

/// Returns the timestamps within nested arrays, which are the only leaf.
fn timestamps(array: &ArrayRef) -> ArrayRef {
    let mut array = array.clone();
    while !matches!(array.data_type(), DataType::Timestamp(..)) {
        let Some(child) = array.to_data().child_data().first().cloned() else { break };
        array = make_array(child);
    }
    array
}

/// Returns the places and the seconds of values.
fn seconds_of(array: &ArrayRef) -> impl Iterator<Item = (usize, i64)> + '_ {
    let seconds = array.as_primitive_opt::<TimestampSecondType>();
    seconds.into_iter().flat_map(|array| {
        let places = (0..array.len()).filter(|place| array.is_valid(*place));
        places.filter_map(|place| Some((place, *array.values().get(place)?)))
    })
}
