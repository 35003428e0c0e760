//! Parquet as the crate `parquet` makes it when only the compression is chosen: dictionaries, statistics and page
//! indexes, without checksums.

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowFilter, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::WriterProperties;
use trevni::arrow::Predicate;

use super::Result;
use super::config::{Format, Request, Sink};
use super::filter::Filter;
use super::pages;
use super::table::BATCH;

/// Parquet files of a compression.
pub(super) struct Parquet(pub(super) Compression);

type Builder = ParquetRecordBatchReaderBuilder<Bytes>;

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

    fn read(&self, file: &Bytes, request: Request<'_>, sink: &mut Sink<'_>) -> Result<()> {
        // An index is read where it helps: offsets for single rows, and values for filters.
        let options = match request {
            Request::All | Request::Column(_) => ArrowReaderOptions::new(),
            Request::Rows(_) => {
                ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional)
            }
            Request::Filter(_) => {
                ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional)
            }
        };
        let builder = Builder::try_new_with_options(file.clone(), options)?.with_batch_size(BATCH);
        let builder = match request {
            Request::All => builder,
            Request::Column(column) => {
                let mask = ProjectionMask::roots(builder.parquet_schema(), [column]);
                builder.with_projection(mask)
            }
            Request::Rows(rows) => {
                let total = usize::try_from(builder.metadata().file_metadata().num_rows())?;
                let ranges = rows.iter().map(|row| *row..row + 1);
                builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
            }
            Request::Filter(filter) => filtered(builder, filter)?,
        };
        for batch in builder.build()? {
            sink(batch?)?;
        }
        Ok(())
    }
}

/// Skips pages by their statistics, then rows by their values; the other columns are decoded for the remaining
/// rows.
fn filtered(builder: Builder, filter: &Filter) -> Result<Builder> {
    let selection = pages::selection(&builder, filter)?;
    let roots = roots(builder.schema(), &filter.predicate);
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    let predicate = filter.predicate.clone();
    let keeps = move |batch: RecordBatch| predicate.evaluate(&batch).map_err(ArrowError::from);
    let row_filter = RowFilter::new(vec![Box::new(ArrowPredicateFn::new(mask, keeps))]);
    let builder = match selection {
        Some(selection) => builder.with_row_selection(selection),
        None => builder,
    };
    Ok(builder.with_row_filter(row_filter))
}

/// Returns the indices of the columns of a condition.
fn roots(schema: &Schema, predicate: &Predicate) -> Vec<usize> {
    let columns = predicate.columns();
    let is_in = |name: &str, field: &str| {
        name.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let fields = schema.fields().iter().enumerate();
    let wanted = fields.filter(|(_, field)| columns.iter().any(|name| is_in(name, field.name())));
    wanted.map(|(place, _)| place).collect()
}
