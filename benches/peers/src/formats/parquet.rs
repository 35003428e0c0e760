//! Parquet, as the crate `parquet` writes it when only the compression is chosen: with dictionaries, statistics
//! and an offset index, without checksums.

use arrow::array::{RecordBatch, Scalar};
use arrow::compute::kernels::cmp::gt_eq;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowFilter, RowSelection,
    RowSelector,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::WriterProperties;

use super::{File, Format, Sink, Wanted};
use crate::Result;
use crate::filter::Condition;
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
            // So do minimum and maximum values, of those that may pass.
            Wanted::Filter(_) => {
                ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional)
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
            Wanted::Filter(condition) => filtered(builder, condition)?,
        };
        for batch in builder.build()? {
            sink(batch?)?;
        }
        Ok(())
    }

    fn has_views(&self) -> bool {
        true
    }

    fn has_filters(&self) -> bool {
        true
    }
}

type Builder = ParquetRecordBatchReaderBuilder<Bytes>;

/// Leaves out pages by their statistics, then rows by their values.
fn filtered(builder: Builder, condition: &Condition) -> Result<Builder> {
    let builder = match pages(&builder, condition)? {
        Some(selection) => builder.with_row_selection(selection),
        None => builder,
    };
    let mask = ProjectionMask::roots(builder.parquet_schema(), [condition.column]);
    let least = condition.least.clone();
    let passes = move |batch: RecordBatch| gt_eq(batch.column(0), &Scalar::new(&least));
    Ok(builder.with_row_filter(RowFilter::new(vec![Box::new(ArrowPredicateFn::new(mask, passes))])))
}

/// Returns the rows of pages of which some may pass; `None` if nothing is known.
fn pages(builder: &Builder, condition: &Condition) -> Result<Option<RowSelection>> {
    let metadata = builder.metadata();
    let (Some(values), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else {
        return Ok(None);
    };
    let groups: Vec<usize> = (0..metadata.num_row_groups()).collect();
    let schema = builder.schema();
    let statistics =
        StatisticsConverter::try_new(&condition.name, schema, builder.parquet_schema())?;
    let rows = statistics.data_page_row_counts(offsets, metadata.row_groups(), &groups)?;
    let Some(rows) = rows else { return Ok(None) };
    let passes = condition.evaluate(&statistics.data_page_maxes(values, offsets, &groups)?)?;
    let selector = |(rows, passes): (Option<u64>, Option<bool>)| {
        let rows = usize::try_from(rows.unwrap_or(0))?;
        let passes = passes.unwrap_or(true);
        Ok(if passes { RowSelector::select(rows) } else { RowSelector::skip(rows) })
    };
    let selectors: Result<Vec<_>> = rows.iter().zip(&passes).map(selector).collect();
    Ok(Some(RowSelection::from(selectors?)))
}
