//! Buffers compressed blocks, in memory or a temporary file, until the header can be written.
//!
//! ```text
//! column 0   [extents in the temporary file ...] [tail in memory: chunk, chunk, ...]
//! column 1   [extents in the temporary file ...] [tail in memory: chunk, chunk, ...]
//! ```
//! Each column has a tail in memory. When the tails exceed the budget, all of them are appended to one temporary
//! file, and each column records its extents. Reading a column returns its extents, then its tail. A tail is a list
//! of chunks that never grow, so that bytes are not copied.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::out_of_space::{in_temporary_folder, out_of_space};

/// The number of bytes that are read from the temporary file at a time.
const COPY: u64 = 1 << 20;

/// The maximum size of a chunk, except one that is pushed in one piece.
const CHUNK: usize = 1 << 20;

/// Bytes of several columns, kept in memory up to a budget and in a temporary file beyond it.
#[derive(Debug)]
pub struct Spool {
    columns: Vec<SpooledColumn>,
    in_memory: usize,
    budget: usize,
    /// Where the temporary file is made.
    folder: Option<PathBuf>,
    file: Option<File>,
    file_len: u64,
}

#[derive(Debug, Default)]
struct SpooledColumn {
    extents: VecDeque<(u64, u64)>,
    tail: VecDeque<Vec<u8>>,
}

impl SpooledColumn {
    fn push(&mut self, bytes: &[u8]) {
        match self.tail.back_mut() {
            Some(chunk) if chunk.capacity() - chunk.len() >= bytes.len() => {
                chunk.extend_from_slice(bytes);
            }
            // Each chunk is twice as large as the one before: a short column allocates little, a long one has few
            // chunks.
            before => {
                let room = before.map_or(0, |before| before.capacity().saturating_mul(2));
                let mut chunk = Vec::with_capacity(CHUNK.min(room).max(bytes.len()));
                chunk.extend_from_slice(bytes);
                self.tail.push_back(chunk);
            }
        }
    }

    fn tail_len(&self) -> usize {
        self.tail.iter().map(Vec::len).sum()
    }
}

impl Spool {
    /// Creates a spool of `columns` columns that holds about `budget` bytes in memory.
    pub fn new(columns: usize, budget: usize) -> Self {
        let columns = std::iter::repeat_with(SpooledColumn::default).take(columns).collect();
        Self { columns, in_memory: 0, budget, folder: None, file: None, file_len: 0 }
    }

    /// Sets the folder of the temporary file, which has no name there where the system permits. Default: that of
    /// [`std::env::temp_dir`], which is `TMPDIR` or `/tmp` on Unix.
    pub fn with_folder(self, folder: Option<PathBuf>) -> Self {
        Self { folder, ..self }
    }

    /// Appends to a column. A column index out of range is ignored.
    pub fn push(&mut self, column: usize, bytes: &[u8]) -> io::Result<()> {
        if let Some(column) = self.columns.get_mut(column) {
            column.push(bytes);
            self.in_memory += bytes.len();
        }
        if self.in_memory > self.budget { self.spill() } else { Ok(()) }
    }

    /// Returns the bytes held in memory.
    pub fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// Returns the bytes in the temporary file.
    pub fn spilled(&self) -> u64 {
        self.file_len
    }

    /// Returns the length of a column.
    pub fn column_len(&self, column: usize) -> u64 {
        self.columns.get(column).map_or(0, |column| {
            column.extents.iter().map(|(_, len)| len).sum::<u64>() + column.tail_len() as u64
        })
    }

    /// Removes and returns the next bytes of a column, from first to last; `None` at its end.
    pub fn take(&mut self, column: usize) -> io::Result<Option<Vec<u8>>> {
        let Self { columns, file, in_memory, .. } = self;
        let Some(column) = columns.get_mut(column) else { return Ok(None) };
        if let (Some((start, len)), Some(file)) = (column.extents.front_mut(), file) {
            let n = COPY.min(*len);
            let mut bytes = vec![0; usize::try_from(n).unwrap_or(usize::MAX)];
            super::read_exact_at(file, &mut bytes, *start)?;
            (*start, *len) = (*start + n, *len - n);
            if *len == 0 {
                column.extents.pop_front();
            }
            return Ok(Some(bytes));
        }
        let chunk = column.tail.pop_front();
        *in_memory -= chunk.as_ref().map_or(0, Vec::len);
        Ok(chunk)
    }

    fn spill(&mut self) -> io::Result<()> {
        let spilled = self.spill_columns();
        spilled.map_err(|e| match &self.folder {
            Some(folder) => out_of_space(e, folder),
            None => in_temporary_folder(e),
        })
    }

    fn spill_columns(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            }),
        };
        // A failed spill may have moved the position; its bytes are not counted.
        file.seek(SeekFrom::Start(self.file_len))?;
        for column in &mut self.columns {
            if column.tail.is_empty() {
                continue;
            }
            column.tail.iter().try_for_each(|chunk| file.write_all(chunk))?;
            let len = column.tail_len() as u64;
            match column.extents.back_mut() {
                Some((start, before)) if *start + *before == self.file_len => *before += len,
                _ => column.extents.push_back((self.file_len, len)),
            }
            self.file_len += len;
            self.in_memory -= column.tail_len();
            // Free the memory: columns grow unevenly, and an empty one must not keep its largest size.
            column.tail = VecDeque::new();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_back_whole_whatever_the_budget() {
        for budget in [0, 10, 1000, usize::MAX] {
            let mut spool = Spool::new(3, budget);
            let mut expected = [Vec::new(), Vec::new(), Vec::new()];
            for i in 0..300usize {
                let column = [0, 2, 2, 0, 2][i % 5];
                let bytes = vec![i.to_le_bytes()[0]; i % 17];
                spool.push(column, &bytes).unwrap();
                expected[column].extend_from_slice(&bytes);
                assert!(spool.in_memory() <= budget.max(17));
            }
            for (column, expected) in expected.iter().enumerate() {
                assert_eq!(spool.column_len(column), expected.len() as u64);
                let mut out = Vec::new();
                while let Some(chunk) = spool.take(column).unwrap() {
                    out.extend(chunk);
                }
                assert_eq!(&out, expected);
                assert_eq!(spool.column_len(column), 0);
            }
            assert_eq!(spool.in_memory(), 0);
            assert_eq!(spool.spilled() > 0, budget <= 1000);
        }
    }
}
