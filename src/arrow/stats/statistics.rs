//! The statistics of the blocks of a field, as Arrow arrays.
//!
//! ```text
//! block          rows 0..8192     8192..16384     16384..20000
//! min_values     3                -               7               null where no row has a value, or nothing is known
//! max_values     40               -               9
//! null_counts    0                8192            12
//! ```
//! This module also decides which columns have statistics, and in which order their values are compared. A leaf has
//! them unless it is within a list, map or union; other nullable fields have null counts.

use std::cmp::Ordering;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array, make_comparator, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, Field, Fields};

use crate::arrow::array::buffer_pool::BufferPool;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::leaf::types;
use crate::arrow::predicate::ColumnRoute;
use crate::error::Result;
use crate::format::block::BlockDescriptor;
use crate::format::value::{Value, ValueType};
use crate::format::values::Values;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::block_statistics::Statistics;
use crate::stats::sort_order::Order;

/// The statistics of the blocks of a field.
#[derive(Debug, Clone)]
pub struct ColumnStatistics {
    blocks: Vec<Range<u64>>,
    min: ArrayRef,
    max: ArrayRef,
    nulls: UInt64Array,
    exact: BooleanArray,
}

impl ColumnStatistics {
    /// Returns the rows of each block.
    pub fn blocks(&self) -> &[Range<u64>] {
        &self.blocks
    }

    /// No value of a block is less than this: one for each block, null where there is no value or nothing is known. The
    /// type is that of the field; of dictionaries and run-ends that of their values.
    pub fn min_values(&self) -> &ArrayRef {
        &self.min
    }

    /// No value of a block is greater than this.
    pub fn max_values(&self) -> &ArrayRef {
        &self.max
    }

    /// Returns how many rows of each block are null.
    pub fn null_counts(&self) -> &UInt64Array {
        &self.nulls
    }

    /// Returns whether both bounds of a block are values of it, and not cut.
    pub fn are_exact(&self) -> &BooleanArray {
        &self.exact
    }

    /// No value of the file is less than this, an array of one value; `None` if there is no value, or nothing is known.
    pub fn min(&self) -> Option<ArrayRef> {
        self.outermost(&self.min, Ordering::Less)
    }

    /// No value of the file is greater than this.
    pub fn max(&self) -> Option<ArrayRef> {
        self.outermost(&self.max, Ordering::Greater)
    }

    /// Returns how many rows of the file are null.
    pub fn null_count(&self) -> u64 {
        self.nulls.values().iter().sum()
    }

    /// Returns whether [`min`](Self::min) and [`max`](Self::max) are values of the file.
    pub fn is_exact(&self) -> bool {
        (0..self.exact.len()).all(|i| self.min.is_null(i) || self.exact.value(i))
    }

    fn outermost(&self, bounds: &ArrayRef, wanted: Ordering) -> Option<ArrayRef> {
        let compare = make_comparator(bounds, bounds, SortOptions::default()).ok()?;
        let mut found: Option<usize> = None;
        for (i, rows) in self.blocks.iter().enumerate() {
            if bounds.is_null(i) {
                if self.nulls.value(i) < rows.end - rows.start {
                    return None;
                }
            } else if found.is_none_or(|found| compare(i, found) == wanted) {
                found = Some(i);
            }
        }
        found.map(|i| bounds.slice(i, 1))
    }

    /// Those of a field of type null: every row is null, whether its struct is or not.
    fn of_nulls(blocks: &[BlockDescriptor]) -> Self {
        let n = blocks.len();
        let bounds = new_null_array(&DataType::Null, n);
        let nulls = blocks.iter().map(|block| u64::from(block.rows));
        Self {
            blocks: blocks.iter().map(|block| block.first_row..block.end_row()).collect(),
            min: bounds.clone(),
            max: bounds,
            nulls: UInt64Array::from_iter_values(nulls),
            exact: vec![false; n].into(),
        }
    }

    /// Those of a leaf; `None` if they are of another order than its type, or no values of it.
    fn new(
        statistics: &Statistics,
        value_type: ValueType,
        data_type: &DataType,
    ) -> Result<Option<Self>> {
        if statistics.order != order(data_type, value_type) {
            return Ok(None);
        }
        let mut row = 0;
        let blocks = statistics.blocks.iter().map(|block| {
            let start = row;
            row += u64::from(block.rows);
            start..row
        });
        let blocks: Vec<_> = blocks.collect();
        let bounds = || statistics.blocks.iter().map(|block| block.bounds.as_ref());
        let exact = bounds().map(|bounds| bounds.is_some_and(|bounds| bounds.exact));
        let nulls = statistics.blocks.iter().map(|block| u64::from(block.nulls));
        let (exact, nulls) =
            (exact.collect::<Vec<_>>().into(), UInt64Array::from_iter_values(nulls));
        let min = bounds_to_array(bounds().map(|b| b.map(|b| &b.min)), value_type, data_type);
        let max = bounds_to_array(bounds().map(|b| b.map(|b| &b.max)), value_type, data_type);
        // A bound that is not a value of the type belongs to no row.
        let (Ok(min), Ok(max)) = (min, max) else { return Ok(None) };
        Ok(Some(Self { blocks, min, max, nulls, exact }))
    }
}

/// Values of a column, some missing, as an array.
pub(crate) fn bounds_to_array<'a>(
    values: impl Iterator<Item = Option<&'a Value<'static>>>,
    value_type: ValueType,
    data_type: &DataType,
) -> Result<ArrayRef> {
    let (mut dense, mut validity) = (Values::new(value_type), Vec::new());
    for value in values {
        validity.push(value.is_some());
        match (value, data_type) {
            (Some(Value::Bytes(bytes)), DataType::FixedSizeBinary(size)) => {
                // A truncated bound is padded; a maximum was incremented before.
                let mut bytes = bytes.to_vec();
                bytes.resize(usize::try_from(*size).unwrap_or(0), 0);
                dense.push(&Value::Bytes(bytes.into()))?;
            }
            (Some(value), _) => dense.push(value)?,
            (None, _) => {}
        }
    }
    if validity.iter().all(|validity| !validity) {
        return Ok(new_null_array(data_type, validity.len()));
    }
    types::to_arrow_optional(
        dense,
        data_type,
        NullBuffer::from(validity),
        &mut BufferPool::default(),
    )
}

/// Returns the order of the values of a column, by the type they are read as.
pub(crate) fn order(data_type: &DataType, value_type: ValueType) -> Order {
    use DataType::*;
    match (data_type, value_type) {
        (_, ValueType::Null) | (Interval(_), _) => Order::Unknown,
        (UInt64, ValueType::Long | ValueType::Fixed64) => Order::Unsigned,
        (UInt64, _) => Order::Unknown,
        (data_type, ValueType::Bytes) if data_type.is_decimal() => Order::Numbers,
        (FixedSizeBinary(size), _) if !(1..=MOST_FIXED).contains(size) => Order::Unknown,
        _ => Order::Natural,
    }
}

/// Longer values of a fixed size are not compared.
const MOST_FIXED: i32 = 1024;

/// Where a field is among columns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct StatisticsColumn {
    /// The counts nearest to it: a row that it does not have is null.
    pub(crate) counts: Option<usize>,
    /// Its values, if it is a leaf.
    pub(crate) leaf: Option<usize>,
    pub(crate) data_type: DataType,
}

impl StatisticsColumn {
    /// Finds the field of a route through structs; `None` if the route passes another type.
    pub(crate) fn find(
        route: &ColumnRoute,
        fields: &Fields,
        shapes: &[FieldLayout],
    ) -> Option<Self> {
        let (first, mut rest) = route.0.split_first()?;
        let mut shape = shapes.get(*first)?;
        let mut field: &Field = fields.get(*first)?;
        let mut counts = None;
        loop {
            if let FieldLayout::Optional { counts: nearest, inner } = shape {
                (counts, shape) = (Some(*nearest), inner);
            }
            let data_type = field.data_type().clone();
            match (rest, shape, field.data_type()) {
                ([], FieldLayout::Leaf { column }, _) => {
                    return Some(Self { counts, leaf: Some(*column), data_type });
                }
                ([], FieldLayout::Union(_) | FieldLayout::Nothing, _) => return None,
                ([], _, _) => return Some(Self { counts, leaf: None, data_type }),
                ([next, more @ ..], FieldLayout::Record(shapes), DataType::Struct(fields)) => {
                    (shape, field, rest) = (shapes.get(*next)?, fields.get(*next)?, more);
                }
                _ => return None,
            }
        }
    }

    /// Returns the column whose blocks the statistics are of.
    pub(crate) fn column(&self) -> Option<usize> {
        self.leaf.or(self.counts)
    }

    /// Reads the statistics of the field.
    pub(crate) fn statistics<R: ReadAt>(
        &self,
        file: &FileReader<R>,
    ) -> Result<Option<ColumnStatistics>> {
        let Some(column) = self.column() else { return Ok(None) };
        if self.data_type.is_null() {
            return Ok(Some(ColumnStatistics::of_nulls(&file.blocks(column)?)));
        }
        let Some(statistics) = file.statistics(column)? else { return Ok(None) };
        let value_type = file.column(column)?.value_type();
        ColumnStatistics::new(&statistics, value_type, &self.data_type)
    }
}

/// Returns whether the first values of blocks ascend.
pub(crate) fn ascend(first: &[Value<'static>]) -> bool {
    first.is_sorted_by(|a, b| a.order(b).is_some_and(|order| order.is_le()))
}
