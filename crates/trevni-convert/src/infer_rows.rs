//! From which rows types are inferred.
//!
//! ```text
//! not said      all rows of a file; the first 1,000 of a pipe, which can be read only once, and where bad rows are
//!               left out: later rows of other types are bad
//! 0             all rows; a pipe is copied to a temporary file
//! n             the first n
//! ```

use std::io;

use crate::{ReadOptions, Source};

/// Rows from which types are inferred where no more can be read twice.
pub const FIRST_ROWS: usize = 1000;

/// Returns a source with the options to read it, which say from how many rows types are inferred: from all only if the
/// source can be read again.
pub(crate) fn resolve(source: Source, options: &ReadOptions) -> io::Result<(Source, ReadOptions)> {
    let is_inferred = options.schema.is_none() && options.inferred.is_none();
    let (source, rows) = match options.infer_rows {
        Some(0) if is_inferred && !source.is_repeatable() => {
            (Source::spooled(source.name().to_owned(), source.into_file()?), 0)
        }
        Some(rows) => (source, rows),
        // Rows of other types are to be left out.
        None if source.is_repeatable() && options.skip_bad == 0 => (source, 0),
        None => (source, FIRST_ROWS),
    };
    Ok((source, ReadOptions { infer_rows: Some(rows), ..options.clone() }))
}
