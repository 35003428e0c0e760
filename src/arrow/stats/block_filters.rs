//! The Bloom filters of the blocks of a column, looked up by Arrow values.

use arrow::array::{Array, BooleanArray};
use arrow::datatypes::DataType;

use super::statistics::StatisticsColumn;
use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::types;
use crate::error::{Error, Result};
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::bloom_filter::{BloomFilters, hashes};

/// The Bloom filters of the blocks of a field.
#[derive(Debug, Clone)]
pub struct BlockFilters {
    data_type: DataType,
    value_type: ValueType,
    filters: BloomFilters,
}

impl BlockFilters {
    /// Reads the filters of a field; `None` if it has none, or is of a type for which they cannot be used.
    pub(crate) fn of_field<R: ReadAt>(
        file: &FileReader<R>,
        field: &StatisticsColumn,
    ) -> Result<Option<Self>> {
        let Some(column) = field.column() else { return Ok(None) };
        if !has_filter(&field.data_type) {
            return Ok(None);
        }
        let value_type = file.column(column)?.value_type();
        let filters = file.bloom_filters(column)?;
        let data_type = field.data_type.clone();
        Ok(filters.map(|filters| Self { data_type, value_type, filters }))
    }

    /// Returns, for each block, whether it may have any of some values. They are of the type of the field, without
    /// nulls; others are an error.
    pub fn may_contain(&self, values: &dyn Array) -> Result<BooleanArray> {
        if *values.data_type() != self.data_type || values.null_count() > 0 {
            let (expected, found) = (&self.data_type, values.data_type());
            return Err(Error::invalid(format!("values of {expected} without nulls, not {found}")));
        }
        self.look_up(values).map(BooleanArray::from)
    }

    /// Returns, for each block, whether it may have any of some values of the type of the field.
    pub(crate) fn look_up(&self, values: &dyn Array) -> Result<Vec<bool>> {
        let lowered = types::to_values(values, self.value_type, &FieldPath::new("condition"))?;
        let hashes = hashes(lowered.as_slice(), 0..values.len());
        let blocks = self.filters.blocks.iter();
        Ok(blocks.map(|filter| hashes.iter().any(|hash| filter.may_have(*hash))).collect())
    }
}

/// Returns whether a Bloom filter can be used for a type: where equal values have equal bytes.
pub(crate) fn has_filter(data_type: &DataType) -> bool {
    use DataType::*;
    match data_type {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => {
            true
        }
        Interval(_) => false,
        other => other.is_integer() || other.is_temporal(),
    }
}
