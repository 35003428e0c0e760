//! Options for reading JSON.

/// Options for reading JSON lines. Types are set by `schema` of [`ReadOptions`](crate::ReadOptions).
#[derive(Debug, Clone)]
pub struct JsonReadOptions {
    /// The longest row that is read, in bytes of text. It bounds the memory that is taken.
    pub max_row_size: usize,
}

impl Default for JsonReadOptions {
    fn default() -> Self {
        Self { max_row_size: 64 << 20 }
    }
}
