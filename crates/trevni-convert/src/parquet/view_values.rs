//! Copies the values of views to where they follow each other.
//!
//! ```text
//! views    [3 "abc"] [20 ─► buffer] [3 "abc"]
//! values   "abc" "a text of 20 letters" "abc"      offsets 0, 3, 23, 26
//! ```
//! The number of bytes is known before they are copied, so the values take no more memory than they need.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, ByteView, GenericByteArray, GenericByteViewArray, RecordBatch,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowNativeType, BinaryType, BinaryViewType, ByteArrayType, ByteViewType, DataType,
    LargeBinaryType, LargeUtf8Type, SchemaRef, StringViewType, Utf8Type,
};

use crate::second_timestamps;
use trevni::{Error, Result};

/// Bytes of a view, and of the values that are within it.
const VIEW: usize = 16;
const INLINE: usize = 12;

/// Returns the batch with the types of a schema, which has views nowhere.
pub(super) fn without_views(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    second_timestamps::cast_by(batch, schema, |column, field| {
        match (column.data_type(), field.data_type()) {
            (DataType::Utf8View, DataType::Utf8) => {
                values::<StringViewType, Utf8Type>(column.as_string_view())
            }
            (DataType::Utf8View, DataType::LargeUtf8) => {
                values::<StringViewType, LargeUtf8Type>(column.as_string_view())
            }
            (DataType::BinaryView, DataType::Binary) => {
                values::<BinaryViewType, BinaryType>(column.as_binary_view())
            }
            (DataType::BinaryView, DataType::LargeBinary) => {
                values::<BinaryViewType, LargeBinaryType>(column.as_binary_view())
            }
            _ => second_timestamps::cast_column(column, field),
        }
    })
}

/// Returns the values of views. Fails if they are more bytes than the offsets can express.
fn values<V, B>(views: &GenericByteViewArray<V>) -> Result<ArrayRef>
where
    V: ByteViewType,
    B: ByteArrayType,
{
    let length = |row: usize, view: u128| match views.is_valid(row) {
        true => ByteView::from(view).length as usize,
        false => 0,
    };
    let rows = || views.views().iter().enumerate();
    let total = rows().map(|(row, view)| length(row, *view)).fold(0, usize::saturating_add);
    let too_long = || Error::invalid("parquet: the text of a batch is longer than offsets express");
    let last = B::Offset::from_usize(total).ok_or_else(too_long)?;
    let mut values = Vec::with_capacity(total.saturating_add(INLINE));
    let mut offsets = Vec::with_capacity(views.len() + 1);
    offsets.push(B::Offset::default());
    for (row, view) in rows() {
        let end = values.len() + length(row, *view);
        match length(row, *view) {
            // All bytes of the view are copied: a fixed number of them takes less time than as many as there are.
            0..=INLINE => values.extend_from_slice(&view.to_le_bytes()[VIEW - INLINE..]),
            _ => values.extend_from_slice(views.value(row).as_ref()),
        }
        values.truncate(end);
        offsets.push(B::Offset::from_usize(end).unwrap_or(last));
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = views.nulls().cloned();
    Ok(Arc::new(GenericByteArray::<B>::try_new(offsets, values.into(), nulls)?))
}
