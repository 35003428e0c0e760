//! Parquet, as the crate `parquet` writes it when only the compression is chosen: with dictionaries, statistics
//! and an offset index, without checksums.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::WriterProperties;

use super::{File, Format, Sink, Wanted};
use crate::Result;
use crate::tables::BATCH;

pub struct Parquet(pub Compression);

impl Format for Parquet {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let properties = WriterProperties::builder().set_compression(self.0).build();
        let mut out = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut out, schema.clone(), Some(properties))?;
        for batch in batches {
            writer.write(batch)?;
        }
        writer.close()?;
        Ok(out)
    }

    fn read(&self, file: &File, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let options = match wanted {
            Wanted::Views(schema) => ArrowReaderOptions::new().with_schema(schema.clone()),
            // It says where the pages of a row are.
            Wanted::Rows(_) => {
                ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional)
            }
            Wanted::All | Wanted::FirstColumn => ArrowReaderOptions::new(),
        };
        let builder =
            ParquetRecordBatchReaderBuilder::try_new_with_options(file.bytes.clone(), options)?;
        let builder = builder.with_batch_size(BATCH);
        let builder = match wanted {
            Wanted::All | Wanted::Views(_) => builder,
            Wanted::FirstColumn => {
                let mask = ProjectionMask::roots(builder.parquet_schema(), [0]);
                builder.with_projection(mask)
            }
            Wanted::Rows(rows) => {
                let total = usize::try_from(builder.metadata().file_metadata().num_rows())?;
                let ranges = rows.iter().map(|row| *row..row + 1);
                builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
            }
        };
        for batch in builder.build()? {
            sink(batch?)?;
        }
        Ok(())
    }

    fn has_views(&self) -> bool {
        true
    }
}
