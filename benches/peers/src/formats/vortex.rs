//! Vortex, with its own choice of encodings for each column, by default or for the smallest file, everything on this
//! thread.
//!
//! The session is the race's own and only knows the runtime below, which does its work while it is waited for:
//! no thread of Vortex runs while others race. A file does not keep the Arrow schema, so that of the written
//! table is asked for.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use vortex::VortexSessionDefault;
use vortex::arrow::ArrowSessionExt;
use vortex::buffer::{Buffer, ByteBuffer};
use vortex::compressor::BtrBlocksCompressorBuilder;
use vortex::expr::{root, select};
use vortex::file::{
    OpenOptionsSessionExt, VortexWriteOptions, WriteOptionsSessionExt, WriteStrategyBuilder,
};
use vortex::io::runtime::BlockingRuntime;
use vortex::io::runtime::single::SingleThreadRuntime;
use vortex::io::session::RuntimeSessionExt;
use vortex::layout::scan::split_by::SplitBy;
use vortex::scan::strict_sorted_buffer::StrictSortedBuffer;
use vortex::session::VortexSession;

use super::{File, Format, Sink, Wanted};
use crate::Result;
use crate::tables::BATCH;

pub struct Vortex {
    runtime: SingleThreadRuntime,
    session: VortexSession,
    compact: bool,
}

impl Vortex {
    pub fn new() -> Self {
        let runtime = SingleThreadRuntime::default();
        let session = VortexSession::default().with_handle(runtime.handle());
        Self { runtime, session, compact: false }
    }

    /// Strings by Zstandard, numbers by Pco.
    pub fn compact() -> Self {
        Self { compact: true, ..Self::new() }
    }

    fn write_options(&self) -> VortexWriteOptions {
        let options = self.session.write_options();
        if !self.compact {
            return options;
        }
        let encodings = BtrBlocksCompressorBuilder::from_session(&self.session).with_compact();
        let strategy = WriteStrategyBuilder::from_session(&self.session);
        options.with_strategy(strategy.with_btrblocks_builder(encodings).build())
    }
}

impl Format for Vortex {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let arrow = self.session.arrow();
        let dtype = arrow.from_arrow_schema(schema)?;
        let array = |batch: &RecordBatch| arrow.from_arrow_record_batch(batch.clone(), schema);
        let mut out = Vec::new();
        let options = self.write_options().blocking(&self.runtime);
        let mut writer = options.writer(&mut out, dtype);
        for batch in batches {
            writer.push(array(batch)?)?;
        }
        writer.finish()?;
        Ok(out)
    }

    fn read(&self, file: &File, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let opened =
            self.session.open_options().open_buffer(ByteBuffer::from(file.bytes.clone()))?;
        let scan = opened.scan()?.with_split_by(SplitBy::RowCount(BATCH));
        let (scan, schema) = match wanted {
            Wanted::All => (scan, file.schema.clone()),
            Wanted::Views(schema) => (scan, schema.clone()),
            Wanted::FirstColumn => {
                let schema = Arc::new(file.schema.project(&[0])?);
                let first = select([schema.field(0).name().as_str()], root());
                let first = first.bind(opened.dtype())?.optimize_recursive()?;
                (scan.with_projection(first), schema)
            }
            Wanted::Rows(rows) => {
                let rows = rows.iter().map(|row| *row as u64).collect::<Buffer<_>>();
                let rows = StrictSortedBuffer::try_new(rows)?;
                (scan.with_row_indices(rows), file.schema.clone())
            }
            Wanted::Filter(_) => return Err("no filters here".into()),
        };
        for batch in scan.into_record_batch_reader(schema, &self.runtime)? {
            sink(batch?)?;
        }
        Ok(())
    }

    fn has_views(&self) -> bool {
        true
    }
}
