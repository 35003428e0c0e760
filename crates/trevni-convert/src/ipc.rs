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

/// The start of Feather version 1, which is no Arrow IPC and not read.
const FEATHER_V1: &[u8] = b"FEA1";

pub(super) const FILE: Format = Format {
    name: "arrow",
    extensions: &["arrow", "feather", "ipc"],
    sniff: |head| head.starts_with(b"ARROW1") || head.starts_with(FEATHER_V1),
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
