//! Writes JSON lines.

use std::io::Write;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::json::writer::{LineDelimited, WriterBuilder};

use super::encode::Encoders;
use crate::rename::refuse_duplicates;
use crate::text_sink::TextSink;
use crate::{Sink, WriteOptions};
use trevni::Result;

pub(super) fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    refuse_duplicates(&schema)?;
    Ok(Box::new(TextSink::new(to, options.threads, encode)))
}

fn encode(batch: &RecordBatch) -> Result<Vec<u8>> {
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let builder = builder.with_encoder_factory(Arc::new(Encoders));
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    writer.write(batch)?;
    writer.finish()?;
    Ok(writer.into_inner())
}
