//! The summary that a writer returns.

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSummary {
    /// Rows in the file.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Each column, in file order.
    pub columns: Vec<ColumnSummary>,
}

/// What was written of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSummary {
    /// Blocks.
    pub blocks: u64,
    /// Bytes of all blocks before the codec.
    pub uncompressed_size: u64,
    /// Bytes of all blocks after the codec, checksums left out.
    pub compressed_size: u64,
}
