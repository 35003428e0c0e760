//! Batches and schemas from one version of Arrow to another, through the C data interface: pointers change hands, and no
//! value is copied.

use std::mem::transmute;
use std::sync::Arc;

use arrow::array::{Array, ArrayData, RecordBatch, StructArray};
use arrow::datatypes::SchemaRef;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow60::array as newer;

use crate::Result;

type NewerArray = arrow60::ffi::FFI_ArrowArray;
type NewerSchema = arrow60::ffi::FFI_ArrowSchema;

pub fn batch_to(batch: &RecordBatch) -> Result<newer::RecordBatch> {
    let data = StructArray::from(batch.clone()).into_data();
    let array = FFI_ArrowArray::new(&data);
    let schema = FFI_ArrowSchema::try_from(data.data_type())?;
    // SAFETY: both are the C structs of Arrow's specification, whatever version declares them.
    let (array, schema) = unsafe {
        (
            transmute::<FFI_ArrowArray, NewerArray>(array),
            transmute::<FFI_ArrowSchema, NewerSchema>(schema),
        )
    };
    // SAFETY: they were made from an array just now.
    let data = unsafe { arrow60::ffi::from_ffi(array, &schema)? };
    Ok(newer::StructArray::from(data).into())
}

pub fn batch_from(batch: newer::RecordBatch) -> Result<RecordBatch> {
    let data = newer::Array::to_data(&newer::StructArray::from(batch));
    let array = NewerArray::new(&data);
    let schema = NewerSchema::try_from(data.data_type())?;
    // SAFETY: as in `batch_to`.
    let (array, schema) = unsafe {
        (
            transmute::<NewerArray, FFI_ArrowArray>(array),
            transmute::<NewerSchema, FFI_ArrowSchema>(schema),
        )
    };
    // SAFETY: as in `batch_to`.
    let data: ArrayData = unsafe { arrow::ffi::from_ffi(array, &schema)? };
    Ok(StructArray::from(data).into())
}

pub fn schema_to(schema: &SchemaRef) -> Result<arrow60::datatypes::SchemaRef> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref())?;
    // SAFETY: as in `batch_to`.
    let schema = unsafe { transmute::<FFI_ArrowSchema, NewerSchema>(schema) };
    Ok(Arc::new(arrow60::datatypes::Schema::try_from(&schema)?))
}
