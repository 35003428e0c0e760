//! Evaluates tests of a predicate on the statistics of the blocks of one column.
//!
//! ```text
//! may be true     < min < value      = min <= value <= max, and the filter has it
//!                 > max > value     != not all values are this one
//! may be false    where the opposite may be true
//! ```

use std::ops::Range;

use arrow::array::{Array, ArrayRef, BooleanArray};

use super::super::statistics::{ColumnStatistics, StatisticsColumn, has_filter};
use super::index::Index;
use super::{PossibleRows, or_unknown, rows_where};
use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::types;
use crate::arrow::predicate::{Operator, Test, ValueSet};
use crate::error::Result;
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::stats::bloom_filter::{BloomFilters, hashes};

/// The statistics of the blocks of a column.
pub(super) struct Known {
    blocks: Vec<Range<u64>>,
    place: StatisticsColumn,
    value_type: ValueType,
    statistics: Option<ColumnStatistics>,
    index: Option<Index>,
    filters: Option<BloomFilters>,
}

/// Of each block, whether something may be true and whether it may be false of some value.
pub(super) struct BlockAnswers {
    be_true: Vec<bool>,
    be_false: Vec<bool>,
}

impl Known {
    /// `None` if nothing is.
    pub(super) fn of<R: ReadAt>(
        file: &FileReader<R>,
        place: &StatisticsColumn,
        sorted: Option<usize>,
    ) -> Result<Option<Self>> {
        // Returns statistics of a column without nulls, which do not depend on the file.
        let Some(column) = place.leaf.or(place.counts) else { return Ok(None) };
        let value_type = file.column(column)?.value_type();
        let blocks = file.blocks(column)?;
        let blocks = blocks.iter().map(|block| block.first_row..block.end_row()).collect();
        let is_plain = place.leaf.is_some() && place.counts.is_none();
        let index = match is_plain {
            true => Index::of(file, column, &place.data_type, sorted == Some(column))?,
            false => None,
        };
        let filters = file.bloom_filters(column)?;
        let (place, statistics) = (place.clone(), place.statistics(file)?);
        Ok(Some(Self { blocks, place, value_type, statistics, index, filters }))
    }

    /// Converts the answers for the blocks of a column to answers for rows.
    pub(super) fn may(&self, ask: impl Fn(&Self) -> Result<BlockAnswers>) -> Result<PossibleRows> {
        let BlockAnswers { mut be_true, mut be_false } = ask(self)?;
        if let Some(statistics) = &self.statistics {
            let rows = self.blocks.iter().map(|rows| rows.end - rows.start);
            let nulls = statistics.null_counts().values();
            for (((yes, no), rows), nulls) in
                be_true.iter_mut().zip(&mut be_false).zip(rows).zip(nulls)
            {
                *yes &= *nulls < rows;
                *no &= *nulls < rows;
            }
        }
        let rows = |mask: &[bool]| rows_where(&self.blocks, mask);
        Ok(PossibleRows { be_true: rows(&be_true), be_false: rows(&be_false) })
    }

    /// Returns where rows are null, and where they are not.
    pub(super) fn is_null(&self) -> PossibleRows {
        let n = self.blocks.len();
        let (mut be_true, mut be_false) = (vec![self.place.counts.is_some(); n], vec![true; n]);
        if self.place.data_type.is_null() {
            be_true.fill(true);
        } else if let Some(statistics) =
            self.statistics.as_ref().filter(|_| self.place.counts.is_some())
        {
            let nulls = statistics.null_counts().values();
            let rows = self.blocks.iter().map(|rows| rows.end - rows.start);
            be_true = nulls.iter().map(|nulls| *nulls > 0).collect();
            be_false = nulls.iter().zip(rows).map(|(nulls, rows)| *nulls < rows).collect();
        }
        let rows = |mask: &[bool]| rows_where(&self.blocks, mask);
        PossibleRows { be_true: rows(&be_true), be_false: rows(&be_false) }
    }

    /// Returns whether a boolean is true.
    pub(super) fn is_true(&self) -> Result<BlockAnswers> {
        let yes: ArrayRef = std::sync::Arc::new(BooleanArray::from(vec![true]));
        self.compare(Operator::Eq, &yes)
    }

    /// Returns whether any of some tests holds.
    pub(super) fn tests(&self, tests: &[Test]) -> Result<BlockAnswers> {
        let n = self.blocks.len();
        let mut any = BlockAnswers { be_true: vec![false; n], be_false: vec![true; n] };
        for test in tests {
            let answers = match test {
                Test::Always(answer) => {
                    BlockAnswers { be_true: vec![*answer; n], be_false: vec![!*answer; n] }
                }
                Test::Compare(operator, value) => self.compare(*operator, value)?,
                Test::ValueSet(among) => self.among(among)?,
                Test::Like { .. } => {
                    BlockAnswers { be_true: vec![true; n], be_false: vec![true; n] }
                }
            };
            any.be_true.iter_mut().zip(answers.be_true).for_each(|(any, one)| *any |= one);
            any.be_false.iter_mut().zip(answers.be_false).for_each(|(all, one)| *all &= one);
        }
        Ok(any)
    }

    fn compare(&self, operator: Operator, value: &ArrayRef) -> Result<BlockAnswers> {
        let mut be_true = self.may_be(operator, value)?;
        if operator == Operator::Eq {
            self.look_up(value, &mut be_true)?;
        }
        Ok(BlockAnswers { be_true, be_false: self.may_be(operator.opposite(), value)? })
    }

    /// Returns whether a comparison may be true, by the bounds and the index.
    fn may_be(&self, operator: Operator, value: &ArrayRef) -> Result<Vec<bool>> {
        let mut may = vec![true; self.blocks.len()];
        if let Some(statistics) = &self.statistics {
            let (min, max) = (statistics.min_values(), statistics.max_values());
            let ask = |operator, bounds: &ArrayRef| -> Result<Vec<bool>> {
                Ok(or_unknown(&Test::Compare(operator, value.clone()).ask(bounds)?))
            };
            let both =
                |a: Vec<bool>, b: Vec<bool>| a.into_iter().zip(b).map(|(a, b)| a && b).collect();
            may = match operator {
                Operator::Lt | Operator::Le => ask(operator, min)?,
                Operator::Gt | Operator::Ge => ask(operator, max)?,
                Operator::Eq => both(ask(Operator::Le, min)?, ask(Operator::Ge, max)?),
                Operator::Ne => {
                    let less = ask(Operator::Ne, min)?;
                    less.into_iter().zip(ask(Operator::Ne, max)?).map(|(a, b)| a || b).collect()
                }
            };
        }
        if let Some(index) = &self.index {
            index.narrow(operator, value, &mut may)?;
        }
        Ok(may)
    }

    fn among(&self, among: &ValueSet) -> Result<BlockAnswers> {
        let n = self.blocks.len();
        let mut be_true = vec![true; n];
        if let Some(statistics) = &self.statistics {
            let between = among.any_between(statistics.min_values(), statistics.max_values())?;
            be_true = or_unknown(&between);
        }
        self.look_up(among.values(), &mut be_true)?;
        Ok(BlockAnswers { be_true, be_false: vec![true; n] })
    }

    /// Clears blocks of whose filter no value is.
    fn look_up(&self, values: &ArrayRef, may: &mut [bool]) -> Result<()> {
        let Some(filters) = &self.filters else { return Ok(()) };
        if *values.data_type() != self.place.data_type || !has_filter(values.data_type()) {
            return Ok(());
        }
        let lowered = types::to_values(&**values, self.value_type, &FieldPath::new("condition"))?;
        let hashes = hashes(lowered.as_slice(), 0..values.len());
        for (may, filter) in may.iter_mut().zip(&filters.blocks) {
            *may &= hashes.iter().any(|hash| filter.may_have(*hash));
        }
        Ok(())
    }
}
