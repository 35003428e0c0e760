//! Arrow IPC: the file (`.arrow`, Feather version 2) and the stream (`.arrows`).
//!
//! A file is read at any position; the bytes of a pipe go to a temporary file first. A stream streams.

use std::io::{BufReader, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
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
};

pub(super) const STREAM: Format = Format {
    name: "arrows",
    extensions: &["arrows"],
    sniff: |head| head.starts_with(&[0xff; 4]),
    open: open_stream,
    create: create_stream,
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
    let stream = BufReader::new(source.into_read());
    let rows = Caught::open(Error::malformed, || Ok(StreamReader::try_new(stream, None)?))?;
    select::select(Box::new(rows), options)
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
