//! JSON: objects as rows, on one line each, over several lines, or as the elements of an array.
//!
//! ```text
//! {"id":1,"tags":["a","b"],"at":{"x":0.5,"y":null}}
//! [{"id":1},{"id":2}]
//! bytes ──► layout ──► chunks of records ──► types, from the first ──► batches
//! ```
//! **Types** are inferred from the first rows or from all, or given. Text is never a date or a time. A member that
//! an inferred schema lacks is an error, since it would be lost; members that a given schema lacks are skipped.
//! Bytes are hexadecimal digits.
//!
//! **When a type does not hold.** As with CSV: [`Report::inference_failed`](super::Report::inference_failed) is
//! set, and with `infer_rows` 0 types are inferred from all rows.
//!
//! **Written** are lines. Nulls are written; what JSON has no number for (NaN, infinities) becomes null. A value of
//! a union is `{"branch":value}`.

mod chunk_decoder;
mod declared_types;
mod decode;
mod encode;
mod field_name;
mod infer;
mod layout;
mod line_chunks;
mod options;
mod reader;
mod record_location;
mod records;
mod scanner;
mod schema_check;
mod typed_decoder;
mod write;

pub use self::options::JsonReadOptions;

use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    extensions: &["jsonl", "json", "ndjson", "geojson"],
    sniff: layout::is_json,
    open: reader::open,
    create: write::create,
    holds: None,
    create_at: None,
};
