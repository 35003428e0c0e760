//! Parquet, asked as an engine asks it: row groups and pages are left out by their statistics, then rows by a filter.

use std::ops::Range;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, Scalar};
use arrow::compute::and;
use arrow::compute::kernels::cmp::{gt_eq, lt};
use arrow::datatypes::{Int64Type, SchemaRef};
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

use super::counted::Counted;
use super::{Answer, Question};
use crate::Result;
use crate::tables::BATCH;

type Builder = ParquetRecordBatchReaderBuilder<Counted>;

/// Its defaults, which are statistics of pages and an offset index, and snappy.
pub fn write(
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>>,
) -> Result<Bytes> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, schema, Some(properties))?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(out.into())
}

pub fn ask(file: Counted, question: &Question) -> Result<Answer> {
    // Only who looks at pages pays for their index.
    let policy = match question {
        Question::Column(_) => PageIndexPolicy::Skip,
        _ => PageIndexPolicy::Required,
    };
    let options = ArrowReaderOptions::new().with_page_index_policy(policy);
    let builder = Builder::try_new_with_options(file, options)?.with_batch_size(BATCH);
    let builder = match question {
        Question::Orders(keys) => filtered(builder, "l_orderkey", keys.clone())?,
        Question::Parts(below) => filtered(builder, "l_partkey", i64::MIN..*below)?,
        Question::Rows(rows) => {
            let total = usize::try_from(builder.metadata().file_metadata().num_rows())?;
            let ranges = rows.iter().map(|row| *row as usize..*row as usize + 1);
            builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
        }
        Question::Column(column) => {
            let mask = ProjectionMask::roots(builder.parquet_schema(), [*column]);
            builder.with_projection(mask)
        }
    };
    let mut answer = Answer::default();
    for batch in builder.build()? {
        answer.take(&batch?);
    }
    Ok(answer)
}

fn filtered(builder: Builder, column: &str, keys: Range<i64>) -> Result<Builder> {
    let (groups, pages) = pages(&builder, column, &keys)?;
    let index = builder.schema().index_of(column)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), [index]);
    let passes = ArrowPredicateFn::new(mask, move |batch: RecordBatch| {
        let scalar = |key| Scalar::new(Int64Array::from_value(key, 1));
        let below = lt(batch.column(0), &scalar(keys.end))?;
        match keys.start {
            i64::MIN => Ok(below),
            start => and(&gt_eq(batch.column(0), &scalar(start))?, &below),
        }
    });
    let filter = RowFilter::new(vec![Box::new(passes)]);
    Ok(builder.with_row_groups(groups).with_row_selection(pages).with_row_filter(filter))
}

/// Returns the row groups that may have such keys, and of these the rows of pages that may.
fn pages(builder: &Builder, column: &str, keys: &Range<i64>) -> Result<(Vec<usize>, RowSelection)> {
    let metadata = builder.metadata();
    let converter =
        StatisticsConverter::try_new(column, builder.schema(), builder.parquet_schema())?;
    let groups = metadata.row_groups();
    let may =
        may_have(&converter.row_group_mins(groups)?, &converter.row_group_maxes(groups)?, keys);
    let chosen: Vec<usize> =
        may.iter().enumerate().filter(|(_, may)| **may).map(|(at, _)| at).collect();
    let (Some(columns), Some(offsets)) = (metadata.column_index(), metadata.offset_index()) else {
        return Err("a file without a page index".into());
    };
    let mins = converter.data_page_mins(columns, offsets, &chosen)?;
    let maxes = converter.data_page_maxes(columns, offsets, &chosen)?;
    let counts = converter
        .data_page_row_counts(offsets, groups, &chosen)?
        .ok_or("pages without counts of rows")?;
    let may = may_have(&mins, &maxes, keys);
    let selector = |(rows, may): (&u64, bool)| match may {
        true => RowSelector::select(*rows as usize),
        false => RowSelector::skip(*rows as usize),
    };
    let selectors: Vec<_> = counts.values().iter().zip(may).map(selector).collect();
    Ok((chosen, selectors.into()))
}

fn may_have(mins: &ArrayRef, maxes: &ArrayRef, keys: &Range<i64>) -> Vec<bool> {
    let (mins, maxes) = (mins.as_primitive::<Int64Type>(), maxes.as_primitive::<Int64Type>());
    let bounds = mins.iter().zip(maxes);
    let may = |(min, max): (Option<i64>, Option<i64>)| {
        min.is_none_or(|min| min < keys.end) && max.is_none_or(|max| max >= keys.start)
    };
    bounds.map(may).collect()
}
