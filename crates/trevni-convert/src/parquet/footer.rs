//! Corrects footers that some writers get wrong.
//!
//! ```text
//! rows of the file        not the sum of those of the row groups: the sum counts
//! size of a column        without the header of its dictionary (parquet-mr before 1.2.9): it ends where the next begins
//! ```

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};

use super::{MAGIC, fault};
use crate::Report;
use trevni::io::ReadAt;
use trevni::{Error, Result};

/// The size of the footer's length and the magic.
const TRAILER: usize = 8;

/// Bytes of the header of a dictionary, at most.
const LONGEST_HEADER: i64 = 100;

/// Returns how many rows there are in all row groups.
pub(super) fn rows(metadata: &ParquetMetaData) -> Result<u64> {
    let groups = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()));
    let sum = groups.map(|rows| rows.ok()).try_fold(0u64, |sum, rows| sum.checked_add(rows?));
    let what = || Error::malformed("parquet: a row group has a number of rows that is none");
    sum.filter(|rows| i64::try_from(*rows).is_ok()).ok_or_else(what)
}

/// Returns the metadata of a file as it should be.
pub(super) fn corrected(
    metadata: &Arc<ParquetMetaData>,
    input: &dyn ReadAt,
    report: &Report,
) -> Result<Arc<ParquetMetaData>> {
    let (file, rows) = (metadata.file_metadata(), rows(metadata)?);
    let (said, rows) = (file.num_rows(), i64::try_from(rows).unwrap_or(i64::MAX));
    let is_short = file.created_by().is_some_and(leaves_out_headers);
    if said == rows && !is_short {
        return Ok(metadata.clone());
    }
    if said != rows {
        report.warn(format!("the footer says {said} rows, but its row groups have {rows}"));
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let footer_start = trailer(input)?.and_then(|footer| i64::try_from(footer.start).ok());
    let starts: BTreeSet<i64> = columns.map(start).chain(footer_start).collect();
    let groups = metadata.row_groups().iter().cloned();
    let groups = groups.map(|group| if is_short { lengthened(group, &starts) } else { Ok(group) });
    let groups = groups.collect::<Result<_>>()?;
    Ok(Arc::new(ParquetMetaDataBuilder::new(file).set_row_groups(groups).build()))
}

/// Returns whether a writer leaves the header of the dictionary out of the size of a column (PARQUET-816).
fn leaves_out_headers(created_by: &str) -> bool {
    let Some(rest) = created_by.strip_prefix("parquet-mr") else { return false };
    let version = rest.trim_start().strip_prefix("version ").unwrap_or_default();
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0u32);
    (next(), next(), next()) < (1, 2, 9)
}

/// Returns the bytes of the footer; `None` if the file does not end as one that is not encrypted.
pub(super) fn bytes(input: &dyn ReadAt) -> Result<Option<Bytes>> {
    match trailer(input)? {
        Some(Trailer { start, size, is_plain: true }) => Ok(Some(input.read_at(start, size)?)),
        _ => Ok(None),
    }
}

/// What the end of a file says of its footer.
struct Trailer {
    /// The start of the footer, which follows the last column, and its size.
    start: u64,
    size: usize,
    /// Whether the footer is not encrypted.
    is_plain: bool,
}

fn trailer(input: &dyn ReadAt) -> Result<Option<Trailer>> {
    let Some(end) = input.len()?.checked_sub(TRAILER as u64) else { return Ok(None) };
    let trailer = input.read_at(end, TRAILER)?;
    let Some((size, magic)) = trailer.split_first_chunk() else { return Ok(None) };
    let size = u32::from_le_bytes(*size);
    let (start, is_plain) = (end.checked_sub(size.into()), magic == MAGIC);
    Ok(start.map(|start| Trailer { start, size: size as usize, is_plain }))
}

/// Returns the bytes of a column in a row group; `None` if they cannot be.
pub(super) fn span(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let start = u64::try_from(start(column)).ok()?;
    let end = start.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
    Some(start..end)
}

fn start(column: &ColumnChunkMetaData) -> i64 {
    column.dictionary_page_offset().unwrap_or(column.data_page_offset())
}

/// Returns a row group whose columns end where the next ones begin.
fn lengthened(group: RowGroupMetaData, starts: &BTreeSet<i64>) -> Result<RowGroupMetaData> {
    let mut builder = group.into_builder();
    let columns = builder.take_columns().into_iter().map(|column| {
        let bytes = column.compressed_size();
        let end = start(&column).saturating_add(bytes);
        let gap = starts.range(end..).next().map_or(0, |next| next.saturating_sub(end));
        let bytes = if gap <= LONGEST_HEADER { bytes.saturating_add(gap) } else { bytes };
        column.into_builder().set_total_compressed_size(bytes).build().map_err(fault)
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    builder.set_column_metadata(columns).build().map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_writers_are_known_by_their_version() {
        for (created_by, leaves_out) in [
            ("parquet-mr", true),
            ("parquet-mr version 1.2.8 (build x)", true),
            ("parquet-mr version 1.2.9", false),
            ("parquet-mr version 1.10.0-SNAPSHOT", false),
            ("parquet-cpp version 1.0.0", false),
            ("", false),
        ] {
            assert_eq!(leaves_out_headers(created_by), leaves_out, "{created_by}");
        }
    }
}
