//! Writes record batches as arrays: one per column, or one of records.
//!
//! ```text
//! batches  a b     array a   a a a ...       or    one array   a b │ a b │ ...
//!          a b     array b   b b b ...
//! ```

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StructArray};
use arrow::datatypes::SchemaRef;

use super::{Widths, dtype_of, from_arrow};
use crate::{self as blosc, ArrayWriter, Attributes, Dtype};
use trevni::{Error, Result};

/// What a column, or all columns together, become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumpyField {
    /// Its name.
    pub name: String,
    /// The type of the elements.
    pub dtype: Dtype,
    /// The dimensions of a row.
    pub shape: Vec<u64>,
}

impl NumpyField {
    /// One for each column.
    pub fn of_columns(schema: &SchemaRef, widths: &Widths) -> Result<Vec<Self>> {
        let fields = schema.fields().iter().enumerate().map(|(at, field)| {
            let (dtype, shape) = dtype_of(field, widths.of(at))?;
            Ok(Self { name: field.name().clone(), dtype, shape })
        });
        fields.collect()
    }

    /// One for all columns; of a single column, its own.
    pub fn of_records(schema: &SchemaRef, widths: &Widths) -> Result<Self> {
        let mut fields = Self::of_columns(schema, widths)?;
        if let (1, Some(only)) = (fields.len(), fields.pop_if(|_| true)) {
            return Ok(only);
        }
        let fields = Self::of_columns(schema, widths)?.into_iter();
        let fields = fields.map(|Self { name, dtype, shape }| blosc::Field { name, dtype, shape });
        let dtype = Dtype::record(fields.collect())?;
        Ok(Self { name: String::new(), dtype, shape: Vec::new() })
    }
}

/// Writes batches to arrays in the making.
#[derive(Debug)]
pub struct ChunkedWriter {
    arrays: Vec<(NumpyField, ArrayWriter)>,
    bytes: Vec<u8>,
}

impl ChunkedWriter {
    /// Creates a writer to these arrays: as many as the columns of the batches, or one of records.
    pub fn new(arrays: Vec<(NumpyField, ArrayWriter)>) -> Self {
        Self { arrays, bytes: Vec::new() }
    }

    /// Takes rows.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns: Vec<ArrayRef> = match self.arrays.len() == batch.num_columns() {
            true => batch.columns().to_vec(),
            false => vec![Arc::new(StructArray::from(batch.clone()))],
        };
        if columns.len() != self.arrays.len() {
            let what = format!("{} columns for {} arrays", columns.len(), self.arrays.len());
            return Err(Error::invalid(what));
        }
        for ((field, array), column) in self.arrays.iter_mut().zip(&columns) {
            self.bytes.clear();
            from_arrow(column, &field.dtype, &field.shape, &mut self.bytes)
                .map_err(|e| e.in_column(&field.name))?;
            array.write(&self.bytes)?;
        }
        Ok(())
    }

    /// Finishes all arrays.
    pub fn finish(self, attributes: &Attributes) -> Result<()> {
        self.arrays.into_iter().try_for_each(|(_, array)| array.finish(attributes).map(drop))
    }
}
