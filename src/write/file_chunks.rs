//! The bytes of a complete file, as chunks that can be written or uploaded.
//!
//! ```text
//! header │ table of column 0 │ its blocks, chunk after chunk │ table of column 1 │ ...
//! ```
//! For targets that are not a [`Write`](std::io::Write): the caller sends the chunks.

use bytes::Bytes;

use super::file_summary::FileSummary;
use crate::error::Result;
use crate::io::Spool;

/// The bytes of a file, in order. Those in the temporary file are read when they are needed.
#[derive(Debug)]
pub struct FileChunks {
    header: Option<Vec<u8>>,
    tables: std::vec::IntoIter<Vec<u8>>,
    spool: Spool,
    /// The column whose blocks are next.
    column: Option<usize>,
    summary: FileSummary,
}

impl FileChunks {
    pub(crate) fn new(
        header: Vec<u8>,
        tables: Vec<Vec<u8>>,
        spool: Spool,
        summary: FileSummary,
    ) -> Self {
        Self { header: Some(header), tables: tables.into_iter(), spool, column: None, summary }
    }

    /// Returns the summary of the file.
    pub fn summary(&self) -> &FileSummary {
        &self.summary
    }

    pub(crate) fn into_summary(self) -> FileSummary {
        self.summary
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some(header) = self.header.take() {
            return Ok(Some(header));
        }
        if let Some(column) = self.column
            && let Some(chunk) = self.spool.take(column)?
        {
            return Ok(Some(chunk));
        }
        self.column = Some(self.column.map_or(0, |column| column + 1));
        Ok(self.tables.next())
    }
}

impl Iterator for FileChunks {
    type Item = Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_chunk().map(|chunk| chunk.map(Bytes::from)).transpose()
    }
}
