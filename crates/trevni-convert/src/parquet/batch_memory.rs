//! Bounds the memory of a batch.
//!
//! ```text
//! row groups ──► the bytes of a row, on average ──► rows of a batch, at most
//! pages ──► batch with views: a value of a dictionary is there once ──► pieces of `batch_bytes` / 8 ──► no views
//! ```
//! A dictionary of one long string, and a few bytes of keys, are any number of bytes without views.

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use crate::divide::{check_row, divide};
use crate::map_types::map_schema;
use trevni::io::Limits;
use trevni::{Error, Result};

/// Bytes of a view, and of the levels of an item.
const VIEW: u64 = 16;
const LEVELS: u64 = 4;

/// Returns how many rows a batch may have, at most. Fails if a row is larger than the limit even on average.
pub(super) fn batch_rows(
    metadata: &ParquetMetaData,
    mask: &ProjectionMask,
    limits: &Limits,
) -> Result<usize> {
    let mut rows = u64::MAX;
    for (what, of_row, of_batch, one) in [
        (
            "parquet: bytes of a row, on average",
            limits.row_bytes,
            limits.batch_bytes,
            bytes_of as fn(&_) -> _,
        ),
        ("parquet: values of a row, on average", limits.values, limits.values, values_of),
    ] {
        let groups = metadata.row_groups().iter().map(|group| of_group(group, mask, one));
        let size = groups.max().unwrap_or(0);
        if size > of_row as u64 {
            return Err(Error::too_large(what, size, of_row as u64));
        }
        rows = rows.min((of_batch as u64).checked_div(size).unwrap_or(u64::MAX));
    }
    Ok(usize::try_from(rows).unwrap_or(usize::MAX).max(1))
}

/// Returns the size of a row of a row group, on average.
fn of_group(
    group: &RowGroupMetaData,
    mask: &ProjectionMask,
    size: fn(&ColumnChunkMetaData) -> u64,
) -> u64 {
    let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
    let columns = group.columns().iter().enumerate();
    let columns = columns.filter(|(leaf, _)| mask.leaf_included(*leaf));
    columns.map(|(_, column)| size(column)).fold(0, u64::saturating_add).div_ceil(rows)
}

/// Returns the items of lists of a column.
fn values_of(column: &ColumnChunkMetaData) -> u64 {
    match column.column_descr().max_rep_level() {
        0 => 0,
        _ => u64::try_from(column.num_values()).unwrap_or(0),
    }
}

/// Returns the bytes of the values of a column, of a dictionary those that are stored.
fn bytes_of(column: &ColumnChunkMetaData) -> u64 {
    let described = column.column_descr();
    let (width, stored) = match column.column_type() {
        Type::BOOLEAN => (1, 0),
        Type::INT32 | Type::FLOAT => (4, 0),
        Type::INT64 | Type::DOUBLE | Type::INT96 => (8, 0),
        Type::FIXED_LEN_BYTE_ARRAY => (u64::try_from(described.type_length()).unwrap_or(0), 0),
        Type::BYTE_ARRAY => (VIEW, u64::try_from(column.uncompressed_size()).unwrap_or(0)),
    };
    let levels = if described.max_rep_level() > 0 { LEVELS } else { 0 };
    let values = u64::try_from(column.num_values()).unwrap_or(0);
    values.saturating_mul(width + levels).saturating_add(stored)
}

/// Returns a schema with views where there is text or binary data, at any depth.
pub(super) fn with_views(schema: &Schema) -> Schema {
    map_schema(schema, |data_type| match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        // Values of dictionaries are there once.
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => Some(data_type.clone()),
        _ => None,
    })
}

/// Returns the parts of a batch, each within the limits without views.
pub(super) fn pieces(batch: RecordBatch, limits: &Limits) -> Result<Vec<RecordBatch>> {
    // Offsets are 32-bit numbers. Some pieces are read, cast and written at the same time.
    let most = (limits.batch_bytes / 8).min(i32::MAX as usize);
    let pieces = divide(batch, most as u64);
    let check = |piece| check_row(piece, limits.row_bytes as u64, "parquet: bytes of a row");
    pieces.iter().try_for_each(check)?;
    Ok(pieces)
}
