//! Parquet, with the crate `parquet`.
//!
//! ```text
//! x.parquet   row groups ──► RecordBatch     the Arrow schema, nesting, nulls; key-value metadata is the schema's metadata
//!             row groups ◄── RecordBatch     a row group ends at 1,048,576 rows or 64 MiB, so memory stays bounded
//! ```
//! Files are read at any position; a pipe is copied to a temporary file first. Unions, month-day-nano intervals,
//! structs without fields, dictionaries of some types, and rows without columns have no representation in Parquet.
//! Run-end arrays are read as plain values.

mod batch_memory;
mod chunks;
mod claims;
mod footer;
mod int96;
mod reader;
mod view_values;
mod windows;
mod writer;

use parquet::errors::ParquetError;

use super::Format;
use trevni::{Error, Result};

/// The start and the end of a file whose footer is not encrypted.
const MAGIC: &[u8] = b"PAR1";

pub(super) const FORMAT: Format = Format {
    name: "parquet",
    extensions: &["parquet", "pq"],
    sniff: |head| head.starts_with(MAGIC),
    open: reader::open,
    create: writer::create,
    holds: None,
    create_at: None,
};

/// Converts an error of the library about a file.
fn fault(e: ParquetError) -> Error {
    sorted(e, Error::malformed)
}

/// Converts an error of the library about a table.
fn refusal(e: ParquetError) -> Error {
    sorted(e, Error::invalid)
}

fn sorted(e: ParquetError, of: impl Fn(String) -> Error) -> Error {
    match e {
        ParquetError::NYI(what) => Error::unsupported(format!("parquet: {what}")),
        ParquetError::External(e) => e
            .downcast::<Error>()
            .or_else(|e| e.downcast::<std::io::Error>().map(|e| Box::new(Error::from(*e))))
            .map_or_else(|e| of(format!("parquet: {e}")), |e| *e),
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            of(format!("parquet: {what}"))
        }
        other => of(format!("parquet: {other}")),
    }
}

/// Returns what the library makes of a file, or of a table. It panics at some that it does not take.
fn caught<T>(of: fn(ParquetError) -> Error, run: impl FnOnce() -> Result<T>) -> Result<T> {
    super::catch_panic::caught(|text| of(ParquetError::General(text)), run)
}
