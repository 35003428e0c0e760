//! Trevni, asked by its predicates.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowWriter, Predicate, ProjectionMask, RowSelection, WriterProperties,
};
use trevni::codec::Codec;

use super::counted::Counted;
use super::{Answer, Question};
use crate::Result;
use crate::tables::BATCH;

pub fn write(
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>>,
    codec: Codec,
) -> Result<Bytes> {
    let properties = WriterProperties::builder().set_codec(codec).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    Ok(writer.into_inner()?.into())
}

pub fn ask(file: Counted, question: &Question) -> Result<Answer> {
    let builder = ArrowReaderBuilder::try_new(file)?.with_batch_size(BATCH);
    let builder = match question {
        Question::Orders(keys) => builder.with_predicate(Predicate::parse(&format!(
            "l_orderkey >= {} and l_orderkey < {}",
            keys.start, keys.end
        ))?),
        Question::Parts(below) => {
            builder.with_predicate(Predicate::parse(&format!("l_partkey < {below}"))?)
        }
        Question::Rows(rows) => {
            let total = builder.rows();
            let ranges = rows.iter().map(|row| *row..row + 1);
            builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
        }
        Question::Column(column) => {
            let mask = ProjectionMask::roots(builder.schema(), [*column])?;
            builder.with_projection(mask)
        }
    };
    let mut answer = Answer::default();
    for batch in builder.build()? {
        answer.take(&batch?);
    }
    Ok(answer)
}
