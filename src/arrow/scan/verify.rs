//! Verifies that all rows of a file can be read.

use super::builder::ArrowReaderBuilder;
use crate::arrow::projection::ProjectionMask;
use crate::arrow::read::options::ArrowReaderOptions;
use crate::arrow::stats::sorting::{Sorted, SortingColumn};
use crate::error::{Error, Result};
use crate::io::ReadAt;
use crate::keys::SORTING;
use crate::read::file_reader::FileReader;
use crate::read::verify::is_of_nulls;

/// Rows of a batch where no column has anything but nulls, which take no memory.
const NULL_ROWS: usize = 1 << 30;

/// Reads all rows of a file as Arrow. Fails if the schema in its metadata is invalid or does not fit its columns.
/// [`FileReader::verify`] checks each column separately and reports all of its faults.
pub fn verify_rows<R: ReadAt + 'static>(file: &FileReader<R>, threads: usize) -> Result<()> {
    let builder = ArrowReaderBuilder::from_file(file.clone(), ArrowReaderOptions::new())?;
    verify_sorting(file, &builder.sorting_columns())?;
    if file.columns().is_empty() {
        // The header claims any number of rows.
        return builder.build().map(drop);
    }
    let batch_size = match file.columns().iter().all(is_of_nulls) {
        true => NULL_ROWS,
        false => builder.settings.batch_size,
    };
    let read = |builder: ArrowReaderBuilder<R>| {
        let builder = builder.with_batch_size(batch_size).with_parallelism(threads);
        builder.build()?.try_for_each(|batch| Ok(batch.map(drop)?))
    };
    // Blocks that are closed between batches would be opened many times, so as many fields are read together as keep
    // theirs open.
    let parts = open_blocks(file)?.div_ceil(file.limits().open_bytes.max(1) as u64);
    if parts <= 1 {
        return read(builder);
    }
    let schema = builder.schema().clone();
    let fields: Vec<usize> = (0..schema.fields().len()).collect();
    let together = fields.len().div_ceil(usize::try_from(parts).unwrap_or(usize::MAX)).max(1);
    fields.chunks(together).try_for_each(|fields| {
        let mask = ProjectionMask::roots(&schema, fields.iter().copied())?;
        read(
            ArrowReaderBuilder::from_file(file.clone(), ArrowReaderOptions::new())?
                .with_projection(mask),
        )
    })
}

/// Fails unless the rows are sorted by these columns.
fn verify_sorting<R: ReadAt + 'static>(
    file: &FileReader<R>,
    columns: &[SortingColumn],
) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let builder = ArrowReaderBuilder::from_file(file.clone(), ArrowReaderOptions::new())?;
    let schema = builder.schema().clone();
    let places = columns.iter().filter_map(|column| schema.index_of(&column.column).ok());
    let mask = ProjectionMask::roots(&schema, places)?;
    let reader = builder.with_projection(mask).build()?;
    let wrong = |e: Error| Error::malformed(format!("{SORTING}: {e}"));
    let mut sorted = Sorted::new(columns, &reader.schema()).map_err(wrong)?;
    for batch in reader {
        let batch = batch?;
        sorted.check(&batch).map_err(wrong)?;
        sorted.push(&batch);
    }
    Ok(())
}

/// Returns the bytes of the largest blocks of all columns together.
fn open_blocks<R: ReadAt>(file: &FileReader<R>) -> Result<u64> {
    (0..file.columns().len()).try_fold(0u64, |sum, column| {
        let blocks = file.blocks(column)?;
        let largest = blocks.iter().map(|block| u64::from(block.uncompressed_size)).max();
        Ok(sum.saturating_add(largest.unwrap_or(0)))
    })
}
