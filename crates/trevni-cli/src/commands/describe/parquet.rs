//! The byte ranges of the columns of a Parquet file.

use std::fs::File;
use std::path::Path;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use super::blocks::{ColumnLayout, FileLayout};
use crate::exit::CliError;

/// Returns the bytes of columns, without blocks.
pub(super) fn layout(path: &Path) -> Result<FileLayout, CliError> {
    let file = File::open(path).map_err(CliError::of(path.display()))?;
    let bytes = file.metadata().map_err(CliError::of(path.display()))?.len();
    let footer = ParquetMetaDataReader::new().parse_and_finish(&file);
    let footer = footer.map_err(CliError::of(path.display()))?;
    let count = footer.file_metadata().schema_descr().num_columns();
    let columns: Vec<ColumnLayout> = (0..count).map(|column| sizes(&footer, column)).collect();
    let stored = columns.iter().fold(0u64, |sum, column| sum.saturating_add(column.stored));
    let rows = footer.row_groups().iter().map(RowGroupMetaData::num_rows);
    let rows = rows.fold(0u64, |sum, rows| sum.saturating_add(size(rows)));
    let other = ("footer, indexes", bytes.saturating_sub(stored));
    Ok(FileLayout { rows, bytes, other, columns })
}

/// Returns a column of all row groups.
fn sizes(footer: &ParquetMetaData, column: usize) -> ColumnLayout {
    let name = footer.file_metadata().schema_descr().column(column).path().parts().join(".");
    let (mut stored, mut uncompressed, mut codecs) = (0u64, 0u64, Vec::new());
    for chunk in footer.row_groups().iter().filter_map(|group| group.columns().get(column)) {
        stored = stored.saturating_add(size(chunk.compressed_size()));
        uncompressed = uncompressed.saturating_add(size(chunk.uncompressed_size()));
        // A level follows the name of some codecs.
        let codec = chunk.compression().to_string().to_ascii_lowercase();
        let codec = codec.split('(').next().unwrap_or_default().to_owned();
        if !codecs.contains(&codec) {
            codecs.push(codec);
        }
    }
    let codec = codecs.join(", ");
    ColumnLayout { name, codec, stored, uncompressed, block_count: 0, blocks: Vec::new() }
}

fn size(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}
