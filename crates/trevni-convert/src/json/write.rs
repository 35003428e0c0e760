//! Writes JSON lines.

use std::io::Write;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::json::writer::{LineDelimited, Writer, WriterBuilder};

use super::encode::Encoders;
use crate::rename::refuse_duplicates;
use crate::{Sink, WriteOptions};
use trevni::Result;

pub(super) fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    refuse_duplicates(&schema)?;
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let builder = builder.with_encoder_factory(Arc::new(Encoders));
    Ok(Box::new(Text(builder.build::<_, LineDelimited>(to))))
}

struct Text<W: Write>(Writer<W, LineDelimited>);

impl<W: Write> Sink for Text<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.0.finish()?;
        Ok(self.0.into_inner().flush()?)
    }
}
