//! Arrow IPC: the file (`.arrow`, Feather version 2) and the stream (`.arrows`).
//!
//! ```text
//! stream   schema │ dictionaries, record batches … │ end
//! file     ARROW1 │ the same │ footer: schema, where dictionaries and record batches are │ its length │ ARROW1
//! ```
//! A file is read at any position; a pipe is copied to a temporary file first. A stream is streamed.

mod decoder;
mod file;
mod stream;
mod writer;

use super::Format;

pub(super) const FILE: Format = Format {
    name: "arrow",
    extensions: &["arrow", "feather", "ipc"],
    sniff: |head| head.starts_with(b"ARROW1"),
    open: file::open,
    create: writer::create_file,
    holds: None,
    create_at: None,
};

pub(super) const STREAM: Format = Format {
    name: "arrows",
    extensions: &["arrows"],
    sniff: |head| head.starts_with(&[0xff; 4]),
    open: stream::open,
    create: writer::create_stream,
    holds: None,
    create_at: None,
};
