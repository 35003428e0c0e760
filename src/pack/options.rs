//! The options of the value codec.

/// What a writer may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Options {
    /// FSST is used if its size is below this percentage of the strings.
    pub(crate) fsst_threshold: u8,
    /// Whether the payload is compressed with zstd; strings are left to it then.
    pub(crate) zstd: bool,
}

impl Options {
    /// Returns whether doubles are cut in two: they take a quarter less then, and twice as long to read.
    pub(crate) fn splits(self) -> bool {
        self.zstd || self.fsst_threshold >= 100
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { fsst_threshold: 68, zstd: false }
    }
}
