//! Where the columns of a Trevni file are: their bytes and their blocks.

use std::fs::File;
use std::path::Path;

use trevni::trevni::FileReader;

use crate::fault::Fault;
use crate::input;

/// Blocks that are shown of all columns. Where there are more, neighbors are shown as one.
const MOST: usize = 20_000;
/// Blocks that are shown of a column, at the least.
const LEAST: usize = 16;

/// The bytes of a file.
pub(super) struct FileLayout {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// Bytes before the first column.
    pub(super) header: u64,
    pub(super) columns: Vec<ColumnLayout>,
}

/// The bytes of a column.
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
    /// The numbers of the first block, and of the one behind the last.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) first_row: u64,
    pub(super) rows: u64,
    pub(super) offset: u64,
    /// Bytes behind the codec, and before it.
    pub(super) stored: u64,
    pub(super) uncompressed: u64,
}

impl FileLayout {
    pub(super) fn read(path: &Path) -> Result<Self, Fault> {
        let file = input::open(path)?;
        let count = file.columns().len();
        let most = (MOST / count.max(1)).max(LEAST);
        let columns = (0..count).map(|column| ColumnLayout::read(&file, column, most));
        let columns = columns.collect::<Result<_, _>>().map_err(Fault::of(path.display()))?;
        let bytes = file.file_len();
        let header = file.header().start(0).unwrap_or(bytes);
        Ok(Self { rows: file.rows(), bytes, header, columns })
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
            let (first, offset) = (number * step, blocks.first()?.offset);
            Some(Blocks {
                first,
                end: first + blocks.len(),
                first_row: blocks.first()?.first_row,
                rows: blocks.iter().map(|block| u64::from(block.rows)).sum(),
                offset,
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
