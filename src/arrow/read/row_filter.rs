//! Row filters: predicates implemented by the caller.
//!
//! ```text
//! batch of its columns ──► evaluate ──► a boolean for each row: true keeps it
//! ```
//! The names are those of the crate `parquet`.

use std::fmt;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::error::ArrowError;

use crate::arrow::projection::ProjectionMask;

/// Chooses rows by the values of some columns.
pub trait ArrowPredicate: Send + 'static {
    /// Returns the columns of the predicate.
    fn projection(&self) -> &ProjectionMask;

    /// Returns which rows of a batch of these columns to keep: those with true, neither with false nor with null.
    fn evaluate(&mut self, batch: RecordBatch) -> Result<BooleanArray, ArrowError>;
}

/// A predicate that is a function.
pub struct ArrowPredicateFn<F> {
    projection: ProjectionMask,
    function: F,
}

impl<F> ArrowPredicateFn<F>
where
    F: FnMut(RecordBatch) -> Result<BooleanArray, ArrowError> + Send + 'static,
{
    /// Creates a predicate from a function of batches of these columns.
    pub fn new(projection: ProjectionMask, function: F) -> Self {
        Self { projection, function }
    }
}

impl<F> ArrowPredicate for ArrowPredicateFn<F>
where
    F: FnMut(RecordBatch) -> Result<BooleanArray, ArrowError> + Send + 'static,
{
    fn projection(&self) -> &ProjectionMask {
        &self.projection
    }

    fn evaluate(&mut self, batch: RecordBatch) -> Result<BooleanArray, ArrowError> {
        (self.function)(batch)
    }
}

impl<F> fmt::Debug for ArrowPredicateFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrowPredicateFn")
            .field("projection", &self.projection)
            .finish_non_exhaustive()
    }
}

/// A conjunction of predicates. Each is evaluated on the rows that those before it kept.
pub struct RowFilter {
    pub(crate) predicates: Vec<Box<dyn ArrowPredicate>>,
}

impl RowFilter {
    /// Predicates, the one that keeps the fewest rows for its columns' worth best first.
    pub fn new(predicates: Vec<Box<dyn ArrowPredicate>>) -> Self {
        Self { predicates }
    }
}

impl fmt::Debug for RowFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowFilter").field("predicates", &self.predicates.len()).finish()
    }
}
