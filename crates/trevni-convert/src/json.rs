//! JSON: objects as rows, on one line each, over several lines, or as the elements of an array.
//!
//! ```text
//! {"id":1,"tags":["a","b"],"at":{"x":0.5,"y":null}}
//! [{"id":1},{"id":2}]
//! bytes ──► layout ──► chunks of records ──► types, from the first ──► batches
//! ```
//! **Types** are inferred from all rows of a file, or given. Text is never a date or a time. A field whose values have
//! no type in common is kept as JSON text, of the extension type `arrow.json`. A member that an inferred schema lacks is
//! an error, since it would be lost; members that a given schema lacks are skipped. Bytes are hexadecimal digits.
//! Elements and lines that are no objects are the column `json`.
//!
//! **Accepted** beside JSON: `NaN`, `Infinity` and `-Infinity`, which Python writes; UTF-16 with a byte-order mark, and
//! other encodings that are named; the separators of JSON text sequences (RFC 7464).
//!
//! **Inference** is that of CSV: of the first rows only, [`Report::inference_failed`](super::Report::inference_failed)
//! says if their types do not hold.
//!
//! **Written** are lines. Nulls are written; what JSON has no number for (NaN, infinities) becomes null. A value of
//! a union is `{"branch":value}`. JSON text is the value that it is.

mod chunk_decoder;
mod declared_types;
mod decode;
mod encode;
mod infer;
mod json_text;
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
