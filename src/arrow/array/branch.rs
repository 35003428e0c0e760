//! The rows of one branch of a sparse union, among those of the others.
//!
//! ```text
//! type ids   0 1 0 0        branch with nulls       a - b c
//! branch 0   a   b c        branch without them     a a b c        elsewhere any value
//! ```

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{Buffer, NullBuffer};
use arrow::datatypes::*;

use super::expand_nulls::affordable;
use super::map_rows::{expand, take};
use super::nested;
use crate::error::Result;

/// Puts the rows of a branch of a sparse union where the rows of the union are of that branch. A branch without nulls
/// stays without: elsewhere it has any value, so that the union can be the item of a list that has no nulls.
pub(crate) fn expand_branch(dense: &ArrayRef, rows: &NullBuffer) -> Result<ArrayRef> {
    if rows.null_count() == 0 || dense.is_nullable() {
        return expand(dense, rows);
    }
    let source = match dense.is_empty() {
        true => one_value(dense.data_type())?,
        false => dense.clone(),
    };
    if let DataType::FixedSizeBinary(size) | DataType::FixedSizeList(_, size) = dense.data_type() {
        affordable(rows.len(), *size)?;
    }
    let mut last = 0;
    let places = rows.iter().map(|is_row| {
        let place = last;
        last += u64::from(is_row);
        // The rows after the last of the branch repeat it.
        place.min(source.len().saturating_sub(1) as u64)
    });
    take(&source, &UInt64Array::from_iter_values(places))
}

/// Returns an array of one value that is not null.
fn one_value(data_type: &DataType) -> Result<ArrayRef> {
    use DataType::*;
    Ok(match data_type {
        Null => Arc::new(NullArray::new(1)),
        Struct(fields) => {
            let children = fields.iter().map(|field| one_value(field.data_type()));
            nested::record(fields, children.collect::<Result<_>>()?, None, 1)?
        }
        Union(fields, mode) => {
            let first = fields.iter().next().map_or(0, |(id, _)| id);
            let dense = *mode == UnionMode::Dense;
            let child = |(id, field): (i8, &FieldRef)| match dense && id != first {
                true => Ok(new_empty_array(field.data_type())),
                false => one_value(field.data_type()),
            };
            let children = fields.iter().map(child).collect::<Result<_>>()?;
            let offsets = dense.then(|| vec![0].into());
            Arc::new(UnionArray::try_new(fields.clone(), vec![first].into(), offsets, children)?)
        }
        FixedSizeList(field, size) => {
            affordable(1, *size)?;
            let items = usize::try_from(*size).unwrap_or(0);
            let items = take(&one_value(field.data_type())?, &vec![0u64; items].into())?;
            let field = field.clone();
            Arc::new(FixedSizeListArray::try_new_with_length(field, *size, items, None, 1)?)
        }
        FixedSizeBinary(size @ 1..) => {
            affordable(1, *size)?;
            let bytes = vec![0u8; usize::try_from(*size).unwrap_or(0)];
            Arc::new(FixedSizeBinaryArray::try_new(*size, bytes.into(), None)?)
        }
        FixedSizeBinary(_) => {
            Arc::new(FixedSizeBinaryArray::try_new_with_len(0, Buffer::default(), None, 1)?)
        }
        // A null of any other type is a value of no bytes, or of zeros.
        other => make_array(new_null_array(other, 1).to_data().into_builder().nulls(None).build()?),
    })
}
