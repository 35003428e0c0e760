//! Reads Arrow IPC streams.
//!
//! ```text
//! ff ff ff ff │ length of the metadata │ metadata: kind of message, length of the body │ body
//! ```
//! Streams of 2019 and before lack the first four bytes. A length of 0 ends the stream, and so may the end of the file.

use std::io::Read;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::{Message, root_as_message};

use super::STREAM;
use super::decoder::Decoder;
use crate::catch_panic::Caught;
use crate::{ReadOptions, Rows, Source, refuse_schema, select};
use trevni::io::Limits;
use trevni::{Error, Result};

const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(STREAM.name, options)?;
    let open = || Batches::try_new(source.into_read(), &options.limits);
    let rows = Caught::open(Error::malformed, open)?;
    select::select(Box::new(rows), options)
}

/// The batches of a stream.
struct Batches {
    input: Box<dyn Read + Send>,
    decoder: Decoder,
}

impl Batches {
    fn try_new(mut input: Box<dyn Read + Send>, limits: &Limits) -> Result<Self> {
        let what = || Error::malformed("the stream ends before its schema");
        let (metadata, _) = read_message(&mut input)?.ok_or_else(what)?;
        let schema = parse(&metadata)?.header_as_schema();
        let schema =
            schema.ok_or_else(|| Error::malformed("a stream that starts without schema"))?;
        Ok(Self { decoder: Decoder::try_new(schema, limits)?, input })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        while let Some((metadata, body)) = read_message(&mut self.input)? {
            if let Some(batch) = self.decoder.decode(parse(&metadata)?, &body)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// Returns the metadata and the body of the next message.
fn read_message(input: &mut impl Read) -> Result<Option<(Vec<u8>, Buffer)>> {
    let mut length = read(input, 4)?;
    if length.is_empty() {
        return Ok(None);
    }
    if length == CONTINUATION {
        length = read(input, 4)?;
    }
    let cut = || Error::malformed("the stream ends within a message");
    let length = u32::from_le_bytes(*length.first_chunk().ok_or_else(cut)?);
    if length == 0 {
        return Ok(None);
    }
    let metadata = read(input, length.into())?;
    if metadata.len() as u64 != u64::from(length) {
        return Err(cut());
    }
    let length = u64::try_from(parse(&metadata)?.bodyLength());
    let length = length.map_err(|_| Error::malformed("a body of a negative length"))?;
    let body = read(input, length)?;
    if body.len() as u64 != length {
        return Err(cut());
    }
    Ok(Some((metadata, Buffer::from_vec(body))))
}

/// Reads up to `size` bytes. Memory grows with the input, whatever a message claims.
fn read(input: &mut impl Read, size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn parse(metadata: &[u8]) -> Result<Message<'_>> {
    root_as_message(metadata).map_err(|e| Error::malformed(format!("a message: {e}")))
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.decoder.schema()
    }
}
