//! Vortex, with its own choice of encodings for each column, by default or for the smallest file, everything on this
//! thread. Scans are split as Vortex does by itself; what comes is cut into batches, which copies nothing.
//!
//! The session is the race's own and only knows the runtime below, which does its work while it is waited for:
//! no thread of Vortex runs while others race. A file does not keep the Arrow schema, so that of the written
//! table is asked for.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, SchemaRef};
use vortex::VortexSessionDefault;
use vortex::array::VortexSessionExecute;
use vortex::arrow::ArrowSessionExt;
use vortex::buffer::{Buffer, ByteBuffer};
use vortex::compressor::BtrBlocksCompressorBuilder;
use vortex::expr::{col, gt_eq, lit, root, select};
use vortex::file::{
    OpenOptionsSessionExt, VortexWriteOptions, WriteOptionsSessionExt, WriteStrategyBuilder,
};
use vortex::io::runtime::BlockingRuntime;
use vortex::io::runtime::single::SingleThreadRuntime;
use vortex::io::session::RuntimeSessionExt;
use vortex::scalar::Scalar;
use vortex::scan::strict_sorted_buffer::StrictSortedBuffer;
use vortex::session::VortexSession;

use super::{File, Format, Opened, Wanted};
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

/// Returns the value of an array of one.
pub fn scalar(session: &VortexSession, array: &ArrayRef) -> Result<Scalar> {
    let field = Field::new("", array.data_type().clone(), true);
    let array = session.arrow().from_arrow_array(array.clone(), &field)?;
    Ok(array.execute_scalar(0, &mut session.create_execution_ctx())?)
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

    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>> {
        let buffer = ByteBuffer::from(file.bytes.clone());
        let opened = self.session.open_options().open_buffer(buffer)?.with_caching();
        let schema = match wanted {
            Wanted::Column(column) => Arc::new(file.schema.project(&[column])?),
            Wanted::Views(schema) => schema.clone(),
            _ => file.schema.clone(),
        };
        Ok(Box::new(move |sink| {
            let scan = opened.scan()?;
            let scan = match wanted {
                Wanted::All | Wanted::Views(_) => scan,
                Wanted::Column(_) => {
                    let column = select([schema.field(0).name().as_str()], root());
                    scan.with_projection(column.bind(opened.dtype())?.optimize_recursive()?)
                }
                Wanted::Rows(rows) => {
                    let rows = rows.iter().map(|row| *row as u64).collect::<Buffer<_>>();
                    scan.with_row_indices(StrictSortedBuffer::try_new(rows)?)
                }
                Wanted::Filter(condition) => {
                    let filter = gt_eq(
                        col(condition.name.as_str()),
                        lit(scalar(&self.session, &condition.least)?),
                    );
                    scan.with_filter(filter.bind(opened.dtype())?.optimize_recursive()?)
                }
            };
            for batch in scan.into_record_batch_reader(schema.clone(), &self.runtime)? {
                let batch = batch?;
                for start in (0..batch.num_rows()).step_by(BATCH) {
                    sink(batch.slice(start, BATCH.min(batch.num_rows() - start)))?;
                }
            }
            Ok(())
        }))
    }

    fn has_views(&self) -> bool {
        true
    }
}
