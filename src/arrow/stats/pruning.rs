//! Prunes rows for which a predicate cannot be true, by the statistics of blocks.
//!
//! ```text
//! a                [1, 40]  [41, 50]  nothing known  [60, 90]     b   [x, x]           [y, z]
//! a > 45            no       may       may            may         b = 'x'   must        may not
//! not a > 45        may      may       may            no          not ...   cannot      must
//! ```
//! For each part of a condition, the rows are computed where it may be true and where it may be false; null is
//! neither. `not` swaps the two sets, `and` and `or` intersect and unite them. The blocks of different columns do
//! not align, so the results are sets of rows.

mod block_bounds;
mod index;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use arrow::array::Array;

pub(crate) use self::block_bounds::BlockBounds;
use super::statistics::StatisticsColumn;
use crate::arrow::predicate::{Bound, ColumnRoute};
use crate::arrow::projection::Projected;
use crate::arrow::selection::RowSelection;
use crate::error::Result;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;

/// Where a condition may be true, and where it may be false.
#[derive(Debug, Clone)]
struct PossibleRows {
    be_true: RowSelection,
    be_false: RowSelection,
}

impl PossibleRows {
    /// Nothing is known.
    fn both(rows: u64) -> Self {
        let all = RowSelection::from_consecutive_ranges(std::iter::once(0..rows), rows);
        Self { be_true: all.clone(), be_false: all }
    }

    /// The condition is true for all rows.
    fn all_true(rows: u64) -> Self {
        Self { be_false: RowSelection::default(), ..Self::both(rows) }
    }

    fn not(self) -> Self {
        Self { be_true: self.be_false, be_false: self.be_true }
    }

    fn and(&self, other: &Self) -> Self {
        let be_true = self.be_true.intersection(&other.be_true);
        Self { be_true, be_false: self.be_false.union(&other.be_false) }
    }

    fn or(&self, other: &Self) -> Self {
        let be_false = self.be_false.intersection(&other.be_false);
        Self { be_true: self.be_true.union(&other.be_true), be_false }
    }
}

/// Returns the rows, of the first `rows`, for which a condition may be true. `bounds_of` returns what is known of a
/// column of the condition.
pub(crate) fn prune_rows(
    bound: &Bound,
    rows: u64,
    mut bounds_of: impl FnMut(&ColumnRoute) -> Result<Option<Rc<BlockBounds>>>,
) -> Result<RowSelection> {
    Ok(possible_rows(bound, rows, &mut bounds_of)?.be_true)
}

fn possible_rows(
    bound: &Bound,
    rows: u64,
    bounds_of: &mut impl FnMut(&ColumnRoute) -> Result<Option<Rc<BlockBounds>>>,
) -> Result<PossibleRows> {
    let all = PossibleRows::both(rows);
    let mut of_column = |column: &ColumnRoute, ask: &dyn Fn(&BlockBounds) -> Result<_>| {
        bounds_of(column)?.map_or_else(|| Ok(all.clone()), |bounds| ask(&bounds))
    };
    match bound {
        Bound::Tests { tests, .. } if tests.is_empty() => {
            // No value is one of none, and this is false for nulls, too.
            Ok(PossibleRows { be_true: RowSelection::default(), be_false: all.be_false })
        }
        Bound::Tests { column, tests } => of_column(column, &|bounds| bounds.tests(tests)),
        Bound::IsTrue(column) => of_column(column, &BlockBounds::is_true),
        Bound::IsNull(column) => of_column(column, &|bounds| Ok(bounds.is_null())),
        // The bounds of single columns say nothing about pairs of values.
        Bound::Columns { .. } => Ok(all),
        Bound::And(bounds) => bounds.iter().try_fold(PossibleRows::all_true(rows), |may, bound| {
            Ok(may.and(&possible_rows(bound, rows, bounds_of)?))
        }),
        Bound::Or(bounds) => {
            bounds.iter().try_fold(PossibleRows::all_true(rows).not(), |may, bound| {
                Ok(may.or(&possible_rows(bound, rows, bounds_of)?))
            })
        }
        Bound::Not(bound) => Ok(possible_rows(bound, rows, bounds_of)?.not()),
    }
}

/// Prunes the blocks of a file by statistics, Bloom filters and first values.
pub(crate) struct Pruning<'a, R> {
    file: &'a FileReader<R>,
    /// The column by which the writer found all rows sorted.
    sorted: Option<usize>,
    columns: HashMap<StatisticsColumn, Rc<BlockBounds>>,
}

impl<'a, R: ReadAt> Pruning<'a, R> {
    pub(crate) fn new(file: &'a FileReader<R>, sorted: Option<usize>) -> Self {
        Self { file, sorted, columns: HashMap::new() }
    }

    /// Returns the rows for which a condition on stored fields may be true.
    pub(crate) fn rows(&mut self, bound: &Bound, about: &Projected) -> Result<RowSelection> {
        let fields = about.stored.iter().cloned().collect();
        prune_rows(bound, self.file.rows(), |route| {
            StatisticsColumn::find(route, &fields, &about.shapes)
                .map_or(Ok(None), |column| self.bounds(column))
        })
    }

    fn bounds(&mut self, column: StatisticsColumn) -> Result<Option<Rc<BlockBounds>>> {
        if let Some(bounds) = self.columns.get(&column) {
            return Ok(Some(bounds.clone()));
        }
        let bounds = BlockBounds::of_blocks(self.file, &column, self.sorted)?.map(Rc::new);
        self.columns.extend(bounds.clone().map(|bounds| (column, bounds)));
        Ok(bounds)
    }
}

/// Returns the rows of the blocks for which a mask is true.
fn rows_where(blocks: &[Range<u64>], mask: &[bool]) -> RowSelection {
    let chosen = blocks.iter().zip(mask).filter(|(_, chosen)| **chosen);
    RowSelection::from_consecutive_ranges(chosen.map(|(rows, _)| rows.clone()), u64::MAX)
}

/// Answers, true where there is none.
fn or_unknown(answers: &arrow::array::BooleanArray) -> Vec<bool> {
    (0..answers.len()).map(|i| answers.is_null(i) || answers.value(i)).collect()
}
