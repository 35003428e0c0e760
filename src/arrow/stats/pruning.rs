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

mod block;
mod index;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use arrow::array::Array;
use arrow::datatypes::Fields;

use self::block::Known;
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

    fn not(self) -> Self {
        Self { be_true: self.be_false, be_false: self.be_true }
    }

    fn and(&self, other: &Self) -> Self {
        let be_true = self.be_true.intersection(&other.be_true);
        Self { be_true, be_false: self.be_false.union(&other.be_false) }
    }
}

/// Prunes the blocks of a file by statistics, Bloom filters and first values.
pub(crate) struct Pruning<'a, R> {
    file: &'a FileReader<R>,
    /// The column by which the writer found all rows sorted.
    sorted: Option<usize>,
    known: HashMap<StatisticsColumn, Rc<Known>>,
}

impl<'a, R: ReadAt> Pruning<'a, R> {
    pub(crate) fn new(file: &'a FileReader<R>, sorted: Option<usize>) -> Self {
        Self { file, sorted, known: HashMap::new() }
    }

    /// Returns the rows for which a condition on stored fields may be true.
    pub(crate) fn rows(&mut self, bound: &Bound, about: &Projected) -> Result<RowSelection> {
        let fields = about.stored.iter().cloned().collect();
        let may = self.ask(bound, &fields, about)?;
        Ok(may.be_true)
    }

    fn ask(&mut self, bound: &Bound, fields: &Fields, about: &Projected) -> Result<PossibleRows> {
        let all = PossibleRows::both(self.file.rows());
        Ok(match bound {
            Bound::Tests { tests, .. } if tests.is_empty() => {
                // Nothing is one of none, and this is so of nulls, too.
                PossibleRows { be_true: RowSelection::default(), be_false: all.be_false }
            }
            Bound::Tests { column, tests } => match self.known(column, fields, about)? {
                Some(known) => known.may(|known| known.tests(tests))?,
                None => all,
            },
            // The bounds of single columns do not tell anything about pairs of values.
            Bound::Columns { .. } => all,
            Bound::IsTrue(column) => match self.known(column, fields, about)? {
                Some(known) => known.may(Known::is_true)?,
                None => all,
            },
            Bound::IsNull(column) => match self.known(column, fields, about)? {
                Some(known) => known.is_null(),
                None => all,
            },
            Bound::And(bounds) => {
                let mut may = all;
                may.be_false = RowSelection::default();
                for bound in bounds {
                    may = may.and(&self.ask(bound, fields, about)?);
                }
                may
            }
            Bound::Or(bounds) => {
                let mut may = all;
                may.be_false = RowSelection::default();
                for bound in bounds {
                    may = may.and(&self.ask(bound, fields, about)?.not());
                }
                may.not()
            }
            Bound::Not(bound) => self.ask(bound, fields, about)?.not(),
        })
    }

    /// Returns the statistics of a column.
    fn known(
        &mut self,
        route: &ColumnRoute,
        fields: &Fields,
        about: &Projected,
    ) -> Result<Option<Rc<Known>>> {
        let Some(place) = StatisticsColumn::find(route, fields, &about.shapes) else {
            return Ok(None);
        };
        if let Some(known) = self.known.get(&place) {
            return Ok(Some(known.clone()));
        }
        let Some(known) = Known::of(self.file, &place, self.sorted)? else { return Ok(None) };
        let known = Rc::new(known);
        self.known.insert(place, known.clone());
        Ok(Some(known))
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
