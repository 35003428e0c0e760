//! What the page asks for.

use serde::Deserialize;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Request {
    Open,
    Blocks {
        column: usize,
    },
    Block {
        column: usize,
        block: usize,
    },
    Rows {
        start: u64,
        count: usize,
        /// All, if it is missing.
        columns: Option<Vec<String>>,
        #[serde(rename = "where")]
        predicate: Option<String>,
    },
    Count {
        #[serde(rename = "where")]
        predicate: Option<String>,
    },
    Values {
        column: String,
    },
    Verify {
        column: usize,
    },
    Diff {
        start: u64,
        /// All, if it is missing.
        count: Option<u64>,
    },
}
