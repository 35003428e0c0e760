//! Writes Arrow IPC files and streams.

use std::io::Write;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::writer::{FileWriter, StreamWriter};

use crate::{Sink, WriteOptions};
use trevni::{Error, Result};

pub(super) fn create_file<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    check_nesting(&schema)?;
    Ok(Box::new(File(FileWriter::try_new(to, &Arc::unwrap_or_clone(schema))?)))
}

pub(super) fn create_stream<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    check_nesting(&schema)?;
    Ok(Box::new(Stream(StreamWriter::try_new(to, &Arc::unwrap_or_clone(schema))?)))
}

/// Fails if no reader could decode the schema, because fields are nested too deep.
fn check_nesting(schema: &SchemaRef) -> Result<()> {
    trevni::arrow::schema_to_ipc(schema).map(drop)
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
