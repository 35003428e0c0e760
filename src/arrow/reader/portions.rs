//! A reader that is given its rows in portions, by one who fetches them first.
//!
//! ```text
//! builder   columns, rows ──► plan, fetch, fetch ...
//! reader    give_rows, batch, batch, none │ give_rows, batch, none │ ...
//! ```
//! Between portions the reader keeps its place: a block that a portion ends in is not opened again. Filters that the
//! builder has go to the reader with all else; the columns that they read must be among [`Projection::columns`].

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};

use super::{ArrowReader, ArrowReaderBuilder, ArrowReaderOptions, Projected};
use crate::arrow::selection::RowSelection;
use crate::arrow::shape::Shape;
use crate::error::Result;
use crate::io::{Limits, ReadAt};
use crate::trevni::FileReader;

/// What is read of a file.
pub(in crate::arrow) struct Projection {
    /// Of the batches.
    pub(in crate::arrow) schema: SchemaRef,
    /// All that are read, in file order.
    pub(in crate::arrow) columns: Vec<usize>,
}

impl<R: ReadAt> ArrowReaderBuilder<R> {
    pub(in crate::arrow) fn of_file(
        file: FileReader<R>,
        options: ArrowReaderOptions,
    ) -> Result<Self> {
        Self::plan(file.with_limits(options.limits), &options.wanted)
    }

    pub(in crate::arrow) fn with_limits(mut self, limits: Limits) -> Self {
        self.file = self.file.with_limits(limits);
        self
    }

    pub(in crate::arrow) fn projection(&self) -> Result<Projection> {
        let (schema, stored) = (&self.planning.schema, &self.planning.stored);
        let Projected { fields, shapes, .. } =
            self.projection.apply(schema.fields(), stored, &self.planning.plan.shapes)?;
        let mut columns = Vec::new();
        shapes.iter().for_each(|shape: &Shape| shape.columns(&mut columns));
        columns.sort_unstable();
        columns.dedup();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        Ok(Projection { schema, columns })
    }

    /// Whether every row is read.
    pub(in crate::arrow) fn reads_all_rows(&self) -> bool {
        self.selection.is_none() && self.rows == (0..self.file.rows())
    }

    pub(in crate::arrow) fn batch_size(&self) -> usize {
        self.batch_size
    }
}

impl<R: ReadAt> ArrowReader<R> {
    /// Takes the rows away that are to be read.
    pub(in crate::arrow) fn take_rows(&mut self) -> RowSelection {
        std::mem::take(&mut self.remaining)
    }

    /// Gives rows to be read next, behind those that were read.
    pub(in crate::arrow) fn give_rows(&mut self, rows: RowSelection) {
        self.remaining = rows;
    }

    /// The next batch of the rows that were given.
    pub(in crate::arrow) fn next_of_portion(&mut self) -> Result<Option<RecordBatch>> {
        self.next_batch()
    }
}
