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

    /// Returns whether it may be evaluated on rows that predicates before it exclude. Comparing numbers takes less time
    /// than leaving rows out, but what fails on some rows must not see others than were asked for. Default: false.
    fn accepts_excluded_rows(&self) -> bool {
        false
    }
}

/// A predicate that is a function.
pub struct ArrowPredicateFn<F> {
    projection: ProjectionMask,
    function: F,
    accepts_excluded_rows: bool,
}

impl<F> ArrowPredicateFn<F>
where
    F: FnMut(RecordBatch) -> Result<BooleanArray, ArrowError> + Send + 'static,
{
    /// Creates a predicate from a function of batches of these columns.
    pub fn new(projection: ProjectionMask, function: F) -> Self {
        Self { projection, function, accepts_excluded_rows: false }
    }

    /// Sets whether it may be evaluated on rows that predicates before it exclude. Default: false.
    pub fn with_excluded_rows(mut self, accepts: bool) -> Self {
        self.accepts_excluded_rows = accepts;
        self
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

    fn accepts_excluded_rows(&self) -> bool {
        self.accepts_excluded_rows
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
