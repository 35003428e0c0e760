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
    let rows = Caught::open(Error::malformed, || Ok(FileReader::try_new_buffered(file, None)?))?;
    select::select(Box::new(rows), options)
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
