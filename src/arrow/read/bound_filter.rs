//! A predicate or row filter that is evaluated on rows while they are read.
//!
//! ```text
//! condition on stored types     arrays ──────────────► evaluate
//! others                        arrays ──► raise ────► evaluate      in halves, if keys cannot count the values
//! ```
//! A condition on a dictionary column is evaluated on its stored values.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray};
use arrow::compute::concat;
use arrow::datatypes::{Fields, SchemaRef};

use super::super::predicate::{Bound, Node};
use super::row_filter::ArrowPredicate;
use super::stored::StoredBatch;
use crate::arrow::array::filter;
use crate::arrow::projection::Projected;
use crate::arrow::schema::stored::SchemaPlan;
use crate::error::{Error, Result};

/// A condition that is bound to the fields of a file: any number of readers can evaluate it.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// To their stored types.
    Stored(Arc<Bound>),
    Raised(Arc<Bound>),
}

impl Condition {
    /// Binds a condition to these fields.
    pub(crate) fn bind(node: &Node, about: &Projected) -> Result<Self> {
        let fields: Fields = about.fields.iter().cloned().collect();
        let stored: Fields = about.stored.iter().cloned().collect();
        match SchemaPlan::values(&fields, &stored) {
            Some(_) => Ok(Self::Stored(Arc::new(Bound::new(node, &stored)?))),
            None => Ok(Self::Raised(Arc::new(Bound::new(node, &fields)?))),
        }
    }
}

/// What a reader evaluates.
pub(crate) enum BoundFilter {
    Condition(Condition),
    Arrow(Box<dyn ArrowPredicate>),
}

impl BoundFilter {
    /// Returns whether evaluating it on rows that need not be evaluated costs less than leaving them out.
    pub(crate) fn is_cheap(&self, stored: &Fields) -> bool {
        match self {
            BoundFilter::Arrow(predicate) => predicate.accepts_excluded_rows(),
            BoundFilter::Condition(_) => {
                stored.iter().all(|field| field.data_type().is_primitive())
            }
        }
    }

    /// Returns which rows to keep; no answer is null.
    pub(crate) fn evaluate(
        &mut self,
        rows: &StoredBatch,
        schema: &SchemaRef,
    ) -> Result<BooleanArray> {
        let answers = match self {
            BoundFilter::Condition(Condition::Stored(bound)) => {
                bound.evaluate(&rows.arrays, rows.rows)?
            }
            _ => self.evaluate_raised(rows, schema)?,
        };
        if answers.len() != rows.rows {
            let what = format!("a predicate gave {} answers for {} rows", answers.len(), rows.rows);
            return Err(Error::invalid(what));
        }
        Ok(filter::known(&answers))
    }

    fn evaluate_raised(&mut self, rows: &StoredBatch, schema: &SchemaRef) -> Result<BooleanArray> {
        let Some(batch) = rows.to_batch(schema)? else {
            let (first, second) = rows.halves()?;
            let halves = [self.evaluate(&first, schema)?, self.evaluate(&second, schema)?];
            let halves: Vec<&dyn Array> = halves.iter().map(|half| half as &dyn Array).collect();
            return Ok(arrow::array::AsArray::as_boolean(&concat(&halves)?).clone());
        };
        match self {
            BoundFilter::Arrow(predicate) => Ok(predicate.evaluate(batch)?),
            BoundFilter::Condition(Condition::Stored(bound) | Condition::Raised(bound)) => {
                bound.evaluate(batch.columns(), batch.num_rows())
            }
        }
    }
}
