//! What is read of one file: resolved once, then read by any number of threads.
//!
//! ```text
//! settings, schema ──► output columns, bound conditions ──► rows that may match ──► batch readers
//!                      once for a file                      once for a file         one for each thread
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::predicate::{Bound, Predicate};
use crate::arrow::projection::{Projected, ProjectionMask};
use crate::arrow::read::batch_reader::{BatchReader, Output, RowSource};
use crate::arrow::read::bound_filter::{BoundFilter, Condition};
use crate::arrow::read::field_reader::FieldsReader;
use crate::arrow::read::filter_reader::FilterReader;
use crate::arrow::read::filter_stage::{self, Stage};
use crate::arrow::read::remaining_rows::{RemainingRows, RowPruner};
use crate::arrow::read::row_filter::RowFilter;
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::pruning::Pruning;
use crate::arrow::stats::sorting;
use crate::error::{Error, Result};
use crate::io::{Limits, ReadAt};
use crate::read::file_reader::FileReader;

/// Converts a batch of a file to a batch of the scan.
type Finish = Box<dyn Fn(&RecordBatch) -> Result<RecordBatch> + Send + Sync>;

/// How a file becomes a part of a data set.
pub(crate) struct Adapter {
    /// The name of the file, for errors.
    pub(crate) name: String,
    /// Whether its rows are those of the scan: [`finish`](Self::finish) leaves none out.
    pub(crate) keeps_rows: bool,
    /// Converts a batch of the file to a batch of the scan.
    pub(crate) finish: Finish,
}

/// A file with the columns, conditions and rows that are read of it.
pub(crate) struct FilePlan<R> {
    pub(super) file: FileReader<R>,
    pub(super) planning: Arc<SchemaPlan>,
    /// The schema of the batches, before they are converted.
    pub(super) schema: SchemaRef,
    pub(super) batch_size: usize,
    pub(super) projection: ProjectionMask,
    conditions: Vec<(ProjectionMask, Condition)>,
    /// The rows to read, or to evaluate the conditions on.
    pub(super) rows: RowSelection,
    /// Of a file of a data set.
    adapter: Option<Adapter>,
}

/// What only one reader can have: it is called while rows are read.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(super) filter: Option<RowFilter>,
    pub(super) pruner: Option<RowPruner>,
}

impl Hooks {
    pub(super) fn is_empty(&self) -> bool {
        self.filter.is_none() && self.pruner.is_none()
    }
}

impl<R: ReadAt> FilePlan<R> {
    /// Binds the conditions of a predicate, and reads all `rows`.
    pub(super) fn new(
        file: FileReader<R>,
        planning: Arc<SchemaPlan>,
        projection: ProjectionMask,
        predicate: Option<Predicate>,
        batch_size: usize,
        rows: RowSelection,
    ) -> Result<Self> {
        let schema = projection.projected_schema(&planning)?;
        let fields = planning.schema.fields();
        let mut conditions = Vec::new();
        for node in predicate.map(Predicate::into_steps).unwrap_or_default() {
            let mask = ProjectionMask::of_bound(&Bound::new(&node, fields)?);
            let condition = Condition::bind(&node, &mask.project(&planning)?)?;
            conditions.push((mask, condition));
        }
        Ok(Self { file, planning, schema, batch_size, projection, conditions, rows, adapter: None })
    }

    /// Makes it a part of a data set.
    pub(crate) fn with_adapter(mut self, adapter: Adapter) -> Self {
        self.adapter = Some(adapter);
        self
    }

    /// Returns whether its readers can skip and limit the rows of the scan.
    pub(super) fn trims(&self) -> bool {
        self.adapter.as_ref().is_none_or(|adapter| adapter.keeps_rows)
    }

    /// Leaves out rows of which the statistics say that they match no condition.
    pub(super) fn prune(&mut self) -> Result<()> {
        let mut pruning = Pruning::new(&self.file, self.sorted_column());
        for (mask, condition) in &self.conditions {
            if let Condition::Stored(bound) = condition {
                let rows = pruning.rows(bound, &mask.project(&self.planning)?)?;
                self.rows = self.rows.intersection(&rows);
            }
        }
        Ok(())
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

    /// Returns a reader of no rows yet, with these limits.
    pub(super) fn batch_reader(&self, limits: Limits, hooks: Hooks) -> Result<BatchReader<R>> {
        let file = self.file.clone().with_limits(limits);
        let fields = self.planning.schema.fields();
        let conditions = self.conditions.iter().cloned();
        let conditions =
            conditions.map(|(mask, condition)| (mask, BoundFilter::Condition(condition)));
        let predicates = hooks.filter.into_iter().flat_map(|filter| filter.predicates);
        let predicates = predicates
            .map(|predicate| (predicate.projection().clone(), BoundFilter::Arrow(predicate)));
        let mut output = self.projection.clone();
        let mut stages: Vec<Stage<R>> = Vec::new();
        for (wanted, filter) in conditions.chain(predicates) {
            let held = stages.iter().map(|stage| &stage.read);
            let read = held.fold(wanted.clone(), |left, held| left.minus(held, fields));
            output = output.minus(&read, fields);
            let reader = FieldsReader::new(&file, &self.planning, &read)?;
            let projected = wanted.project(&self.planning)?;
            stages.push(Stage::new(filter, wanted, projected, read, reader));
        }
        filter_stage::keep(&mut stages, fields, &self.projection);
        let reader = FieldsReader::of_output(&file, &self.planning, &output)?;
        let remaining = RemainingRows::new(RowSelection::default(), hooks.pruner);
        let source = match stages.is_empty() {
            true => RowSource::Selected(remaining),
            false => RowSource::Filtered(Box::new(FilterReader::new(
                fields.clone(),
                stages,
                remaining,
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
            unskipped: 0,
            portion: None,
            pending: VecDeque::new(),
        })
    }

    /// Converts a batch of the file to a batch of the scan, if they differ.
    pub(super) fn finish(&self, batch: RecordBatch) -> Result<RecordBatch> {
        match &self.adapter {
            None => Ok(batch),
            Some(adapter) => (adapter.finish)(&batch).map_err(|e| e.in_file(&adapter.name)),
        }
    }

    /// Adds the name of the file to an error.
    pub(super) fn in_file(&self, e: Error) -> Error {
        match &self.adapter {
            None => e,
            Some(adapter) => e.in_file(&adapter.name),
        }
    }
}
