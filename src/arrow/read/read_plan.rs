//! What is read of a file, and the readers of it.
//!
//! ```text
//! projection, predicate ──► filters, each with its columns ──► stages ─┐
//!                                                              output ─┴─► batch reader, any number of them
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::super::predicate::{Bound, Predicate};
use super::batch_reader::{BatchReader, Output, RowSource};
use super::bound_filter::BoundFilter;
use super::field_reader::FieldsReader;
use super::filter_reader::FilterReader;
use super::filter_stage::{self, Stage};
use super::remaining_rows::{RemainingRows, RowPruner};
use super::row_filter::RowFilter;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::projection::{Projected, ProjectionMask};
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::pruning::Pruning;
use crate::arrow::stats::sorting;
use crate::error::Result;
use crate::io::{Limits, ReadAt};
use crate::read::file_reader::FileReader;

/// A filter, and the columns that it is about.
pub(super) type Filter = (ProjectionMask, BoundFilter);

/// The settings of readers.
pub(super) struct ReadPlan<R> {
    pub(super) file: FileReader<R>,
    pub(super) planning: Arc<SchemaPlan>,
    /// The schema of the batches.
    pub(super) schema: SchemaRef,
    pub(super) batch_size: usize,
    pub(super) projection: ProjectionMask,
    pub(super) predicate: Option<Predicate>,
    /// The number of matching rows to skip, and then to return.
    pub(super) offset: u64,
    pub(super) limit: u64,
}

impl<R> Clone for ReadPlan<R> {
    fn clone(&self) -> Self {
        Self {
            file: self.file.clone(),
            planning: self.planning.clone(),
            schema: self.schema.clone(),
            batch_size: self.batch_size,
            projection: self.projection.clone(),
            predicate: self.predicate.clone(),
            offset: self.offset,
            limit: self.limit,
        }
    }
}

impl<R: ReadAt> ReadPlan<R> {
    /// Sets the limits of the readers.
    pub(super) fn with_limits(mut self, limits: Limits) -> Self {
        self.file = self.file.with_limits(limits);
        self
    }

    /// Returns the conditions of the predicate, then row filters, each with its columns.
    pub(super) fn filters(&self, row_filter: Option<RowFilter>) -> Result<Vec<Filter>> {
        let fields = self.planning.schema.fields();
        let mut filters = Vec::new();
        for node in self.predicate.clone().map(Predicate::into_steps).unwrap_or_default() {
            let mask = ProjectionMask::of_bound(&Bound::new(&node, fields)?);
            let filter = BoundFilter::of_node(&node, &mask.project(&self.planning)?)?;
            filters.push((mask, filter));
        }
        for predicate in row_filter.into_iter().flat_map(|filter| filter.predicates) {
            filters.push((predicate.projection().clone(), BoundFilter::Arrow(predicate)));
        }
        Ok(filters)
    }

    /// Returns the rows that may pass filters, by statistics; `None` if that excludes none.
    pub(super) fn prune(&self, filters: &[Filter]) -> Result<Option<RowSelection>> {
        let mut worth: Option<RowSelection> = None;
        let mut pruning = Pruning::new(&self.file, self.sorted_column());
        for (mask, filter) in filters {
            if let BoundFilter::Stored(bound) = filter {
                let rows = pruning.rows(bound, &mask.project(&self.planning)?)?;
                worth = Some(worth.map_or_else(|| rows.clone(), |worth| worth.intersection(&rows)));
            }
        }
        Ok(worth)
    }

    /// Returns the column by which all rows ascend.
    fn sorted_column(&self) -> Option<usize> {
        let sorting = sorting::find(&self.file.header().metadata, &self.planning.schema);
        let (place, _) = sorting.first().filter(|(_, first)| !first.descending)?;
        match self.planning.plan.shapes.get(*place)? {
            FieldLayout::Leaf { column } => Some(*column),
            _ => None,
        }
    }

    /// Returns a reader of some rows on one thread.
    pub(super) fn batch_reader(
        &self,
        filters: Vec<Filter>,
        rows: RowSelection,
        pruner: Option<RowPruner>,
    ) -> Result<BatchReader<R>> {
        let fields = self.planning.schema.fields();
        let mut output = self.projection.clone();
        let mut stages: Vec<Stage<R>> = Vec::with_capacity(filters.len());
        for (wanted, filter) in filters {
            let held = stages.iter().map(|stage| &stage.read);
            let read = held.fold(wanted.clone(), |left, held| left.minus(held, fields));
            output = output.minus(&read, fields);
            let reader = FieldsReader::new(&self.file, &self.planning, &read)?;
            let projected = wanted.project(&self.planning)?;
            stages.push(Stage::new(filter, wanted, projected, read, reader));
        }
        filter_stage::keep(&mut stages, fields, &self.projection);
        let reader = FieldsReader::of_output(&self.file, &self.planning, &output)?;
        let source = match stages.is_empty() {
            true => RowSource::Selected(RemainingRows::new(rows, pruner)),
            false => RowSource::Filtered(Box::new(FilterReader::new(
                fields.clone(),
                stages,
                rows,
                pruner,
                (self.offset, self.limit),
                self.batch_size,
            ))),
        };
        let Projected { stored, .. } = self.projection.project(&self.planning)?;
        Ok(BatchReader {
            schema: self.schema.clone(),
            output: Output {
                fields: fields.clone(),
                stored: stored.into(),
                wanted: self.projection.clone(),
                read: output,
                reader,
            },
            source,
            batch_size: self.batch_size,
            portion: None,
            pending: VecDeque::new(),
        })
    }
}
