//! Reads some columns of the rows that match a predicate, and shows how many blocks statistics prune.

use std::error::Error;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow::datatypes::{DataType, Field};
use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, Predicate, ProjectionMask, WriterProperties};

fn main() -> Result<(), Box<dyn Error>> {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
    let streets = (0..100_000).map(|id| format!("street {}", id % 1000));
    let streets: ArrayRef = Arc::new(StringArray::from_iter_values(streets));
    let street = Arc::new(Field::new("street", DataType::Utf8, false));
    let address: ArrayRef = Arc::new(StructArray::from(vec![(street, streets)]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("address", address)])?;
    let properties = WriterProperties::builder().set_block_size(16_384).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    let file = writer.into_inner()?;

    let builder = ArrowReaderBuilder::try_new(file)?;
    if let Some(statistics) = builder.statistics("id")? {
        println!("id has {} blocks with statistics", statistics.blocks().len());
    }
    let mask = ProjectionMask::columns(builder.schema(), ["address.street"])?;
    let reader = builder
        .with_projection(mask)
        .with_predicate(Predicate::parse("id >= 50000 and address.street = 'street 7'")?)
        .with_limit(3)
        .build()?;
    for batch in reader {
        let batch = batch?;
        println!("{} rows of {}", batch.num_rows(), batch.schema().field(0).name());
    }
    Ok(())
}
