//! The summary that a writer returns.

/// The size of a file that was written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FileSummary {
    /// Rows in the file.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Each column, in file order.
    pub columns: Vec<ColumnSummary>,
}

/// The sizes of a column that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnSummary {
    /// The name of the column.
    pub name: String,
    /// The number of blocks.
    pub blocks: u64,
    /// Bytes of all blocks before compression.
    pub uncompressed_size: u64,
    /// Bytes of all blocks after compression, without checksums.
    pub compressed_size: u64,
}
