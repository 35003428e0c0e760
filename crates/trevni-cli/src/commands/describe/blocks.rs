//! The byte ranges of the columns of a file and, in Trevni files, of their blocks.

use std::fs::File;
use std::path::Path;

use trevni::FileReader;

use crate::exit::CliError;
use crate::input::file;

/// Blocks that are shown of all columns. Where there are more, neighbors are shown as one. Each takes about 250
/// bytes of the page.
const MOST: usize = 4_000;
/// Blocks that are shown of a column: no more than can be distinguished.
const MOST_OF_COLUMN: usize = 200;

/// The bytes of a file.
pub(super) struct FileLayout {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// Bytes that are no column's, and what they are.
    pub(super) other: (&'static str, u64),
    pub(super) columns: Vec<ColumnLayout>,
}

/// The bytes of a column. Without blocks where the format has none.
pub(super) struct ColumnLayout {
    pub(super) name: String,
    pub(super) codec: String,
    /// Bytes in the file, descriptors and checksums included.
    pub(super) stored: u64,
    /// Bytes of the blocks before the codec.
    pub(super) uncompressed: u64,
    pub(super) block_count: usize,
    pub(super) blocks: Vec<Blocks>,
}

/// Some neighboring blocks.
pub(super) struct Blocks {
    /// The indices of the first block, and of the one after the last.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) first_row: u64,
    pub(super) rows: u64,
    /// Where the first one begins in the file, and the last one ends.
    pub(super) offset: u64,
    pub(super) end_offset: u64,
    /// Bytes after compression, and before.
    pub(super) stored: u64,
    pub(super) uncompressed: u64,
}

impl FileLayout {
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let file = file::open(path)?;
        let count = file.columns().len();
        let most = (MOST / count.max(1)).clamp(1, MOST_OF_COLUMN);
        let columns = (0..count).map(|column| ColumnLayout::read(&file, column, most));
        let columns = columns.collect::<Result<_, _>>().map_err(CliError::of(path.display()))?;
        let bytes = file.file_len();
        let header = file.header().start(0).unwrap_or(bytes);
        Ok(Self { rows: file.rows(), bytes, other: ("header", header), columns })
    }
}

impl ColumnLayout {
    fn read(file: &FileReader<File>, column: usize, most: usize) -> trevni::Result<Self> {
        let header = file.header();
        let (start, end) = (header.start(column), header.start(column + 1));
        let end = end.unwrap_or_else(|| file.file_len());
        let all = file.blocks(column)?;
        let step = all.len().div_ceil(most).max(1);
        let chunks = all.chunks(step).enumerate();
        let blocks = chunks.filter_map(|(number, blocks)| {
            let (first, last) = (blocks.first()?, blocks.last()?);
            let number = number * step;
            Some(Blocks {
                first: number,
                end: number + blocks.len(),
                first_row: first.first_row,
                rows: blocks.iter().map(|block| u64::from(block.rows)).sum(),
                offset: first.offset,
                end_offset: last.offset.saturating_add(last.compressed_size.into()),
                stored: blocks.iter().map(|block| u64::from(block.compressed_size)).sum(),
                uncompressed: blocks.iter().map(|block| u64::from(block.uncompressed_size)).sum(),
            })
        });
        let blocks: Vec<Blocks> = blocks.collect();
        Ok(Self {
            name: file.column(column)?.name().to_owned(),
            codec: header.codec(column)?.name().to_owned(),
            stored: start.map_or(0, |start| end.saturating_sub(start)),
            uncompressed: blocks.iter().map(|blocks| blocks.uncompressed).sum(),
            block_count: all.len(),
            blocks,
        })
    }
}
