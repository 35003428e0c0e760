//! TPC-H's `lineitem`, scale factor 0.2, from the beginning. The generator makes views of its strings; here they
//! are plain strings.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tpchgen::generators::LineItemGenerator;
use tpchgen_arrow::LineItemArrow;

use super::{BATCH, Rows};
use crate::Result;

pub fn rows() -> Rows {
    let schema = schema();
    let mut source = generator(0.2);
    Box::new(move |rows| {
        let batch = source.next().ok_or("lineitem has no more rows")??;
        plain(&batch.slice(0, rows), &schema)
    })
}

/// The whole table at a scale factor.
pub fn batches(scale: f64) -> impl Iterator<Item = Result<RecordBatch>> {
    let schema = schema();
    generator(scale).map(move |batch| plain(&batch?, &schema))
}

fn generator(scale: f64) -> LineItemArrow {
    LineItemArrow::new(LineItemGenerator::new(scale, 1, 1)).with_batch_size(BATCH)
}

pub fn schema() -> SchemaRef {
    let fields = LineItemArrow::schema_ref().fields().clone();
    let plain = |field: &Field| match field.data_type() {
        DataType::Utf8View => field.clone().with_data_type(DataType::Utf8),
        _ => field.clone(),
    };
    Arc::new(Schema::new(fields.iter().map(|field| plain(field)).collect::<Vec<_>>()))
}

fn plain(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| cast(array, field.data_type()));
    let batch = RecordBatch::try_new(schema.clone(), columns.collect::<Result<_, _>>()?)?;
    // A last batch that was cut gets arrays of its own.
    Ok(concat_batches(schema, [&batch])?)
}
