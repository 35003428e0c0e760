//! Arrow IPC: the file (`.arrow`, Feather version 2) and the stream (`.arrows`).
//!
//! A file is read at any position; the bytes of a pipe go to a temporary file first. A stream streams.

use std::io::{Read, Write};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::buffer::Buffer;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamDecoder};
use arrow::ipc::writer::{FileWriter, StreamWriter};

use super::caught::Caught;
use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, select};
use crate::error::{Error, Result};
use crate::io::ReadAt;

pub(super) const FILE: Format = Format {
    name: "arrow",
    extensions: &["arrow", "feather", "ipc"],
    sniff: |head| head.starts_with(b"ARROW1"),
    open: open_file,
    create: create_file,
    holds: None,
    create_at: None,
};

pub(super) const STREAM: Format = Format {
    name: "arrows",
    extensions: &["arrows"],
    sniff: |head| head.starts_with(&[0xff; 4]),
    open: open_stream,
    create: create_stream,
    holds: None,
    create_at: None,
};

fn open_file(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FILE.name, options)?;
    let file = source.into_file()?;
    check_footer(&file)?;
    let rows = Caught::open(Error::malformed, || Ok(FileReader::try_new_buffered(file, None)?))?;
    select::select(Box::new(rows), options)
}

/// Bytes behind the footer: its length, and the magic.
const TRAILER: usize = 10;

/// Refuses a file whose footer claims more than there is, for the library would make room for it.
fn check_footer(file: &std::fs::File) -> Result<()> {
    let len = ReadAt::len(file)?;
    let Some(end) = len.checked_sub(TRAILER as u64) else { return Ok(()) };
    let trailer = file.read_at(end, TRAILER)?;
    let Some((size, _)) = trailer.split_first_chunk::<4>() else { return Ok(()) };
    let size = u64::try_from(i32::from_le_bytes(*size)).ok().filter(|size| *size <= end);
    let Some(size) = size else { return Ok(()) };
    let footer = file.read_at(end - size, usize::try_from(size).unwrap_or(0))?;
    // What is no footer at all the library says itself.
    let Ok(footer) = arrow::ipc::root_as_footer(&footer) else { return Ok(()) };
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let parts = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
        let parts: Option<Vec<u64>> = parts.iter().map(|n| u64::try_from(*n).ok()).collect();
        let ends = parts.and_then(|parts| parts.iter().try_fold(0, |a: u64, b| a.checked_add(*b)));
        if ends.is_none_or(|ends| ends > end - size) {
            return Err(
                Error::malformed("a block of the footer is not within the file").at(end - size)
            );
        }
    }
    Ok(())
}

fn open_stream(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(STREAM.name, options)?;
    let rows = Caught::open(Error::malformed, || Messages::try_new(source.into_read()))?;
    select::select(Box::new(rows), options)
}

/// Bytes that are read of a stream at a time.
const PIECE: usize = 1 << 18;

/// The batches of a stream. The library's own reader of streams would make room for what a message claims; its decoder
/// takes bytes as they come.
struct Messages {
    from: Box<dyn Read + Send>,
    decoder: StreamDecoder,
    /// What is read and not decoded.
    rest: Buffer,
    /// The batch that came with the schema.
    first: Option<RecordBatch>,
    schema: SchemaRef,
}

impl Messages {
    fn try_new(from: Box<dyn Read + Send>) -> Result<Self> {
        let (decoder, rest) = (StreamDecoder::new(), Buffer::default());
        let schema = Arc::new(Schema::empty());
        let mut messages = Self { from, decoder, rest, first: None, schema };
        loop {
            messages.first = messages.decoder.decode(&mut messages.rest)?;
            if let Some(schema) = messages.decoder.schema() {
                messages.schema = schema;
                return Ok(messages);
            }
            if !messages.fill()? {
                return Err(Error::malformed("the stream ends before its schema"));
            }
        }
    }

    /// Reads some bytes; gives whether there were any.
    fn fill(&mut self) -> Result<bool> {
        let mut bytes = Vec::new();
        self.from.by_ref().take(PIECE as u64).read_to_end(&mut bytes)?;
        self.rest = Buffer::from_vec(bytes);
        Ok(!self.rest.is_empty())
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        loop {
            if let Some(batch) = self.decoder.decode(&mut self.rest)? {
                return Ok(Some(batch));
            }
            if !self.fill()? {
                self.decoder.finish()?;
                return Ok(None);
            }
        }
    }
}

impl Iterator for Messages {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for Messages {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn create_file<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    Ok(Box::new(File(FileWriter::try_new(to, &Arc::unwrap_or_clone(schema))?)))
}

fn create_stream<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    Ok(Box::new(Stream(StreamWriter::try_new(to, &Arc::unwrap_or_clone(schema))?)))
}

struct File<W: Write>(FileWriter<W>);

impl<W: Write> Sink for File<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.0.write(batch).map_err(|e| match e {
            ArrowError::InvalidArgumentError(text) if text.contains("Dictionary replacement") => {
                let what = "the dictionary of a column changes, which a stream (arrows) can hold";
                Error::unsupported(format!("{what} and a file (arrow) cannot"))
            }
            other => other.into(),
        })
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        Ok(self.0.finish()?)
    }
}

struct Stream<W: Write>(StreamWriter<W>);

impl<W: Write> Sink for Stream<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        Ok(self.0.finish()?)
    }
}
