//! The Bloom filters of the blocks of a column, looked up by Arrow values.

use arrow::array::Array;
use arrow::datatypes::DataType;

use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::types;
use crate::error::Result;
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::bloom_filter::{BloomFilters, hashes};

/// The filters of the blocks of a column.
#[derive(Debug, Clone)]
pub(crate) struct BlockFilters {
    value_type: ValueType,
    filters: BloomFilters,
}

impl BlockFilters {
    /// Reads the filters of a column; `None` if it has none.
    pub(crate) fn of_column<R: ReadAt>(
        file: &FileReader<R>,
        column: usize,
    ) -> Result<Option<Self>> {
        let value_type = file.column(column)?.value_type();
        let filters = file.bloom_filters(column)?;
        Ok(filters.map(|filters| Self { value_type, filters }))
    }

    /// Returns, for each block, whether it may have any of some values, which are of the type of the column; `None` if
    /// filters cannot be used for the type.
    pub(crate) fn may_contain(&self, values: &dyn Array) -> Result<Option<Vec<bool>>> {
        if !has_filter(values.data_type()) {
            return Ok(None);
        }
        let lowered = types::to_values(values, self.value_type, &FieldPath::new("condition"))?;
        let hashes = hashes(lowered.as_slice(), 0..values.len());
        let blocks = self.filters.blocks.iter();
        Ok(Some(blocks.map(|filter| hashes.iter().any(|hash| filter.may_have(*hash))).collect()))
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
