//! Parquet by its crate, with the settings of the crate or with the smallest encoding of each column.

use bytes::Bytes;

use super::arrow::array::{ArrayRef, Scalar, make_array};
use super::arrow::compute::kernels::cmp::gt_eq;
use super::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use super::parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
    RowFilter, RowSelection, RowSelector,
};
use super::parquet::arrow::{ArrowWriter, ProjectionMask};
use super::parquet::basic::{self, Encoding, Type, ZstdLevel};
use super::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use super::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use super::parquet::schema::types::ColumnPath;
use super::{Batch, OF_FLOATS, batch_from, batch_to, page_statistics, schema_to};
use crate::Result;
use crate::filter::Condition;
use crate::formats::parquet::{Compression, Pages};
use crate::formats::{File, Format, Opened, Wanted};
use crate::tables::BATCH;

type Schema = ::arrow::datatypes::SchemaRef;

/// The bytes of a dictionary, beyond which a column has none.
const DICTIONARY: usize = 64 << 20;

pub struct Parquet {
    compression: Compression,
    pages: Pages,
    /// Whether each column has the smallest of its encodings.
    tuned: bool,
    /// The encodings of the columns, once they are chosen; none is a dictionary.
    chosen: Vec<(ColumnPath, Option<Encoding>)>,
}

impl Parquet {
    /// As the crate writes it when only the compression is chosen: dictionaries, statistics, an offset index.
    pub fn new(compression: Compression) -> Self {
        Self { compression, pages: Pages::Default, tuned: false, chosen: Vec::new() }
    }

    /// With data pages of version 2 and the smallest encoding of each column.
    pub fn tuned(compression: Compression, pages: Pages) -> Self {
        Self { pages, tuned: true, ..Self::new(compression) }
    }

    fn properties(&self) -> Result<WriterPropertiesBuilder> {
        let compression = match self.compression {
            Compression::None => basic::Compression::UNCOMPRESSED,
            Compression::Snappy => basic::Compression::SNAPPY,
            Compression::Zstd3 => basic::Compression::ZSTD(ZstdLevel::try_new(3)?),
        };
        let mut builder = WriterProperties::builder().set_compression(compression);
        if self.tuned {
            builder = builder
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_dictionary_page_size_limit(DICTIONARY);
        }
        if let Pages::Small = self.pages {
            builder = builder.set_data_page_row_count_limit(1000).set_write_batch_size(1000);
        }
        Ok(builder)
    }

    fn write_as(
        &self,
        schema: &Schema,
        batches: &[Batch],
        encodings: &[(ColumnPath, Option<Encoding>)],
    ) -> Result<(Vec<u8>, ParquetMetaData)> {
        let mut builder = self.properties()?;
        for (path, encoding) in encodings {
            builder = builder.set_column_dictionary_enabled(path.clone(), encoding.is_none());
            if let Some(encoding) = encoding {
                builder = builder.set_column_encoding(path.clone(), *encoding);
            }
        }
        let mut out = Vec::new();
        let schema = schema_to(schema)?;
        let mut writer = ArrowWriter::try_new(&mut out, schema, Some(builder.build()))?;
        for batch in batches {
            writer.write(batch)?;
        }
        let metadata = writer.close()?;
        Ok((out, metadata))
    }
}

impl Format for Parquet {
    /// Writes the table once with each encoding, and keeps the smallest of each column.
    fn prepare(&mut self, schema: &Schema, batches: &[::arrow::array::RecordBatch]) -> Result<()> {
        if !self.tuned {
            return Ok(());
        }
        let batches: Vec<Batch> = batches.iter().map(batch_to).collect::<Result<_>>()?;
        let (_, metadata) = self.write_as(schema, &batches, &[])?;
        let columns = metadata.file_metadata().schema_descr().columns().to_vec();
        // The first is with a dictionary.
        let mut best: Vec<_> = sizes(&metadata).into_iter().map(|size| (size, None)).collect();
        for encoding in candidates() {
            let encodings: Vec<_> = columns
                .iter()
                .filter(|column| holds(encoding, column.physical_type()))
                .map(|column| (column.path().clone(), Some(encoding)))
                .collect();
            if encodings.is_empty() {
                continue;
            }
            let (_, metadata) = self.write_as(schema, &batches, &encodings)?;
            for ((column, size), best) in columns.iter().zip(sizes(&metadata)).zip(&mut best) {
                if holds(encoding, column.physical_type()) && size < best.0 {
                    *best = (size, Some(encoding));
                }
            }
        }
        let choice = columns.iter().zip(best);
        self.chosen = choice.map(|(column, (_, best))| (column.path().clone(), best)).collect();
        Ok(())
    }

    fn write(&self, schema: &Schema, batches: &[::arrow::array::RecordBatch]) -> Result<Vec<u8>> {
        let batches: Vec<Batch> = batches.iter().map(batch_to).collect::<Result<_>>()?;
        Ok(self.write_as(schema, &batches, &self.chosen)?.0)
    }

    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>> {
        let options = ArrowReaderOptions::new();
        let options = match wanted {
            Wanted::Views(schema) => options.with_schema(schema_to(schema)?),
            // It says where the pages of a row are.
            Wanted::Rows(_) => options.with_offset_index_policy(PageIndexPolicy::Optional),
            // So do minimum and maximum values, of those that may pass.
            Wanted::Filter(_) => options.with_page_index_policy(PageIndexPolicy::Optional),
            Wanted::All | Wanted::Column(_) => options,
        };
        let metadata = ArrowReaderMetadata::load(&file.bytes, options)?;
        Ok(Box::new(move |sink| {
            let source = file.bytes.clone();
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(source, metadata.clone());
            let builder = builder.with_batch_size(BATCH);
            let builder = match wanted {
                Wanted::All | Wanted::Views(_) => builder,
                Wanted::Column(column) => {
                    let mask = ProjectionMask::roots(builder.parquet_schema(), [column]);
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
                sink(batch_from(batch?)?)?;
            }
            Ok(())
        }))
    }

    fn has_views(&self) -> bool {
        true
    }
}

/// Returns the encodings that are tried beside a dictionary.
fn candidates() -> impl Iterator<Item = Encoding> {
    let all = [
        Encoding::PLAIN,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::BYTE_STREAM_SPLIT,
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
    ];
    all.into_iter().chain(OF_FLOATS.iter().copied())
}

fn holds(encoding: Encoding, values: Type) -> bool {
    match encoding {
        Encoding::PLAIN => true,
        Encoding::DELTA_BINARY_PACKED => matches!(values, Type::INT32 | Type::INT64),
        Encoding::BYTE_STREAM_SPLIT => matches!(
            values,
            Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE | Type::FIXED_LEN_BYTE_ARRAY
        ),
        Encoding::DELTA_BYTE_ARRAY => {
            matches!(values, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY)
        }
        Encoding::DELTA_LENGTH_BYTE_ARRAY => matches!(values, Type::BYTE_ARRAY),
        _ => matches!(values, Type::FLOAT | Type::DOUBLE),
    }
}

/// Returns the bytes of each column.
fn sizes(metadata: &ParquetMetaData) -> Vec<i64> {
    let mut sizes = vec![0; metadata.file_metadata().schema_descr().num_columns()];
    for group in metadata.row_groups() {
        for (size, column) in sizes.iter_mut().zip(group.columns()) {
            *size += column.compressed_size();
        }
    }
    sizes
}

type Builder = ParquetRecordBatchReaderBuilder<Bytes>;

/// Leaves out pages by their statistics, then rows by their values.
fn filtered(builder: Builder, condition: &Condition) -> Result<Builder> {
    let least = least(condition)?;
    let builder = match pages(&builder, &condition.name, &least)? {
        Some(selection) => builder.with_row_selection(selection),
        None => builder,
    };
    let mask = ProjectionMask::roots(builder.parquet_schema(), [condition.column]);
    let passes = move |batch: Batch| gt_eq(batch.column(0), &Scalar::new(&least));
    Ok(builder.with_row_filter(RowFilter::new(vec![Box::new(ArrowPredicateFn::new(mask, passes))])))
}

/// Returns the value of a condition in this version of Arrow.
fn least(condition: &Condition) -> Result<ArrayRef> {
    let batch = ::arrow::array::RecordBatch::try_from_iter([("", condition.least.clone())])?;
    Ok(make_array(batch_to(&batch)?.column(0).to_data()))
}

/// Returns the rows of pages of which some may pass; `None` if nothing is known.
fn pages(builder: &Builder, name: &str, least: &ArrayRef) -> Result<Option<RowSelection>> {
    let metadata = builder.metadata();
    let (schema, columns) = (builder.schema(), builder.parquet_schema());
    let statistics = StatisticsConverter::try_new(name, schema, columns)?;
    let Some((rows, greatest)) = page_statistics(metadata, &statistics)? else { return Ok(None) };
    let passes = gt_eq(&greatest, &Scalar::new(least))?;
    let selector = |(rows, passes): (Option<u64>, Option<bool>)| {
        let rows = usize::try_from(rows.unwrap_or(0))?;
        let passes = passes.unwrap_or(true);
        Ok(if passes { RowSelector::select(rows) } else { RowSelector::skip(rows) })
    };
    let selectors: Result<Vec<_>> = rows.iter().zip(&passes).map(selector).collect();
    Ok(Some(RowSelection::from(selectors?)))
}
