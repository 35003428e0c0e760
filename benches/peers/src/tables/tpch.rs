//! The tables of TPC-H, from their beginnings: `lineitem` at scale factor 0.2, the others at 1. The generator makes
//! views of their strings; here they are plain strings.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    SupplierGenerator,
};
use tpchgen_arrow::{
    CustomerArrow, LineItemArrow, OrderArrow, PartArrow, PartSuppArrow, SupplierArrow,
};

use super::{BATCH, Rows};
use crate::Result;

pub fn lineitem() -> Rows {
    rows(lineitems(0.2))
}

/// All of it at scale factor 1: 6,001,215 rows.
pub fn lineitem_sf1() -> Rows {
    rows(lineitems(1.0))
}

pub fn orders() -> Rows {
    rows(OrderArrow::new(OrderGenerator::new(1.0, 1, 1)).with_batch_size(BATCH))
}

pub fn customer() -> Rows {
    rows(CustomerArrow::new(CustomerGenerator::new(1.0, 1, 1)).with_batch_size(BATCH))
}

pub fn part() -> Rows {
    rows(PartArrow::new(PartGenerator::new(1.0, 1, 1)).with_batch_size(BATCH))
}

pub fn partsupp() -> Rows {
    rows(PartSuppArrow::new(PartSuppGenerator::new(1.0, 1, 1)).with_batch_size(BATCH))
}

pub fn supplier() -> Rows {
    rows(SupplierArrow::new(SupplierGenerator::new(1.0, 1, 1)).with_batch_size(BATCH))
}

/// Returns all of `lineitem` at a scale factor.
pub fn batches(scale: f64) -> impl Iterator<Item = Result<RecordBatch>> {
    let schema = schema();
    lineitems(scale).map(move |batch| plain(&batch?, &schema))
}

/// That of `lineitem`.
pub fn schema() -> SchemaRef {
    plain_schema(&LineItemArrow::schema_ref())
}

fn lineitems(scale: f64) -> LineItemArrow {
    LineItemArrow::new(LineItemGenerator::new(scale, 1, 1)).with_batch_size(BATCH)
}

fn rows(mut source: impl Iterator<Item = Result<RecordBatch, ArrowError>> + 'static) -> Rows {
    Box::new(move |rows| {
        let batch = source.next().ok_or("a table of TPC-H has no more rows")??;
        plain(&batch.slice(0, rows), &plain_schema(batch.schema_ref()))
    })
}

fn plain_schema(schema: &SchemaRef) -> SchemaRef {
    let plain = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8View => field.as_ref().clone().with_data_type(DataType::Utf8),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()))
}

fn plain(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(array, field)| cast(array, field.data_type()));
    let batch = RecordBatch::try_new(schema.clone(), columns.collect::<Result<_, _>>()?)?;
    // A last batch that was cut gets arrays of its own.
    Ok(concat_batches(schema, [&batch])?)
}
