//! Trevni as its writer writes it if only the codec is set: with statistics, and a CRC-32 after each block that
//! readers verify.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowWriter, ProjectionMask, RowSelection, WriterProperties,
};
use trevni::codec::Codec;

use super::Result;
use super::config::{Format, Request, Sink};
use super::table::BATCH;

/// Trevni files of a codec.
pub(super) struct Trevni(pub(super) Codec);

impl Format for Trevni {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let properties = WriterProperties::builder().set_codec(self.0).set_parallelism(1).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
        for batch in batches {
            writer.write(batch)?;
        }
        Ok(writer.into_inner()?)
    }

    fn read(&self, file: &Bytes, request: Request<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let builder = ArrowReaderBuilder::try_new(file.clone())?;
        let builder = builder.with_batch_size(BATCH).with_parallelism(1);
        let builder = match request {
            Request::All => builder,
            Request::Column(column) => {
                let mask = ProjectionMask::roots(builder.schema(), [column])?;
                builder.with_projection(mask)
            }
            Request::Rows(rows) => {
                let total = builder.rows();
                let ranges = rows.iter().map(|row| *row as u64..*row as u64 + 1);
                builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
            }
            Request::Filter(filter) => builder.with_predicate(filter.predicate.clone()),
        };
        for batch in builder.build()? {
            sink(batch?)?;
        }
        Ok(())
    }
}
