//! Options for reading CSV.

/// Options for reading CSV. Types are set by `types` and `schema` of [`ReadOptions`](crate::ReadOptions).
#[derive(Debug, Clone)]
pub struct CsvReadOptions {
    /// What separates fields; `None` for the one of comma, semicolon, tab and bar that fits the first records.
    pub delimiter: Option<u8>,
    /// What encloses fields that have delimiters or ends of lines in them; `None` if nothing does.
    pub quote: Option<u8>,
    /// What precedes a quote within quotes that does not close, besides another quote; `None` for a backslash where the
    /// first records have no faults then, and have some otherwise.
    pub escape: Option<u8>,
    /// What begins a line that is a comment; `None` if none is.
    pub comment: Option<u8>,
    /// Lines before the names, or before the first record, that are left out.
    pub skip_lines: u64,
    /// Whether a comma is before the fraction of numbers, not a point.
    pub decimal_comma: bool,
    /// Whether columns that a record lacks at its end are null, and records of the first chunk that have more fields than
    /// there are names add columns. Otherwise such a record is bad.
    pub pad: bool,
    /// Whether the first record has the names. Otherwise columns are called `column_1` and so on.
    pub header: bool,
    /// The values that are null in every column, besides the empty one. `None` for the values that pyarrow knows,
    /// and `\N`, in columns that are not text.
    pub null_values: Option<Vec<String>>,
    /// About how many bytes a thread parses at a time.
    pub chunk_size: usize,
}

impl Default for CsvReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: Some(b'"'),
            escape: None,
            comment: None,
            skip_lines: 0,
            decimal_comma: false,
            pad: false,
            header: true,
            null_values: None,
            chunk_size: 1 << 20,
        }
    }
}
