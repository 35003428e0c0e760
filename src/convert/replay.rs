//! Reads the start of a pipe twice: once to infer a schema, once for the rows.

use std::io::{self, Read};

/// Keeps what is read until it is [`rewound`](Replay::rewound).
pub(super) struct Replay<R> {
    from: R,
    kept: Vec<u8>,
}

impl<R: Read> Replay<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, kept: Vec::new() }
    }

    /// All bytes from the start, without keeping more of them.
    pub(super) fn rewound(self) -> io::Chain<io::Cursor<Vec<u8>>, R> {
        io::Cursor::new(self.kept).chain(self.from)
    }
}

impl<R: Read> Read for Replay<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.from.read(into)?;
        self.kept.extend_from_slice(into.get(..n).unwrap_or_default());
        Ok(n)
    }
}
