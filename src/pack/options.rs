//! The options of the value codec.

/// What a writer may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Options {
    /// Symbols take the place of strings if they take less than so many hundredths of their bytes.
    pub(crate) fsst_threshold: u8,
    /// Whether zstd goes over what is packed; strings are left to it then.
    pub(crate) zstd: bool,
}

impl Options {
    /// Whether doubles are cut in two: they take a quarter less then, and twice as long to read.
    pub(crate) fn splits(self) -> bool {
        self.zstd || self.fsst_threshold >= 100
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { fsst_threshold: 68, zstd: false }
    }
}
