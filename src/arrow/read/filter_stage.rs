//! A predicate of a filter, and which of its columns are needed after it.

use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::datatypes::{Fields, Schema, SchemaRef};

use super::bound_filter::BoundFilter;
use super::field_reader::FieldsReader;
use super::stored::StoredBatch;
use crate::arrow::projection::{Projected, ProjectedPart, ProjectionMask, join};
use crate::error::Result;
use crate::io::ReadAt;

/// A predicate and the reader of its columns.
pub(crate) struct Stage<R> {
    filter: BoundFilter,
    /// The columns of the predicate, of the fields of the schema.
    wanted: ProjectionMask,
    schema: SchemaRef,
    stored: Fields,
    /// Those that no stage before it reads.
    pub(crate) read: ProjectionMask,
    pub(super) reader: FieldsReader<R>,
    /// Of those, the ones that are wanted later, and which they are.
    kept: ProjectionMask,
    keeps: Vec<bool>,
    /// Whether it costs less than leaving out some of the rows.
    pub(super) is_cheap: bool,
}

impl<R: ReadAt> Stage<R> {
    pub(crate) fn new(
        filter: BoundFilter,
        wanted: ProjectionMask,
        about: Projected,
        read: ProjectionMask,
        reader: FieldsReader<R>,
    ) -> Self {
        let schema = Arc::new(Schema::new(about.fields));
        let (stored, kept) = (Fields::from(about.stored), read.clone());
        let is_cheap = filter.is_cheap(&stored);
        Self { filter, wanted, schema, stored, read, reader, kept, keeps: Vec::new(), is_cheap }
    }

    /// Evaluates the predicate on rows that have been read; columns that earlier stages read are in `parts`.
    pub(super) fn evaluate(
        &mut self,
        fields: &Fields,
        parts: Vec<ProjectedPart<'_>>,
        read: &StoredBatch,
    ) -> Result<BooleanArray> {
        let here = ProjectedPart { mask: &self.read, arrays: &read.arrays };
        let parts: Vec<_> = parts.into_iter().chain([here]).collect();
        let arrays = join(&self.wanted, fields, &self.stored, &parts)?;
        self.filter.evaluate(&StoredBatch { rows: read.rows, arrays }, &self.schema)
    }

    /// Drops the arrays that are not needed later.
    pub(super) fn drop_unwanted(&self, read: &mut StoredBatch) {
        let mut keeps = self.keeps.iter();
        read.arrays.retain(|_| keeps.next().copied().unwrap_or(true));
    }
}

/// Determines which columns of each stage are needed later, by another stage or in the output.
pub(crate) fn keep<R>(stages: &mut [Stage<R>], fields: &Fields, output: &ProjectionMask) {
    let mut later = vec![output.clone()];
    for stage in stages.iter_mut().rev() {
        let is_wanted = |root: usize| later.iter().any(|mask| mask.has_root(root));
        let roots = (0..fields.len()).filter(|root| stage.read.has_root(*root));
        stage.keeps = roots.map(is_wanted).collect();
        stage.kept = stage.read.roots_where(fields.len(), is_wanted);
        later.push(stage.wanted.clone());
    }
}

/// Returns the kept columns of the first stages, as parts.
pub(super) fn parts<'a, R>(
    stages: &'a [Stage<R>],
    kept: &'a [StoredBatch],
) -> Vec<ProjectedPart<'a>> {
    let both = stages.iter().zip(kept);
    both.map(|(stage, stored)| ProjectedPart { mask: &stage.kept, arrays: &stored.arrays })
        .collect()
}
