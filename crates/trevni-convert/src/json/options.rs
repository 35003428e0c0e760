//! Options for reading JSON.

/// Options for reading JSON lines. Types are set by `schema` of [`ReadOptions`](crate::ReadOptions).
#[derive(Debug, Clone)]
pub struct JsonReadOptions {
    /// The longest row that is read, in bytes of text. It bounds the memory that is taken.
    pub max_row_size: usize,
    /// The names that lead to the array that has the rows, if it is within an object. Empty where the file is the array,
    /// or has the rows one after another.
    pub rows_at: Vec<String>,
}

impl Default for JsonReadOptions {
    fn default() -> Self {
        Self { max_row_size: 64 << 20, rows_at: Vec::new() }
    }
}
