//! Evaluates tests of a predicate on what is known of one column: the bounds and null counts of its blocks in a file,
//! or of the files of a data set.
//!
//! ```text
//! may be true     < min < value      = min <= value <= max, and the filter has it
//!                 > max > value     != not all values are this one
//! may be false    where the opposite may be true
//! ```

use std::ops::Range;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array, make_comparator, new_null_array};
use arrow::compute::SortOptions;

use super::super::block_filters::BlockFilters;
use super::super::statistics::StatisticsColumn;
use super::index::Index;
use super::{PossibleRows, or_unknown, rows_where};
use crate::arrow::predicate::{Operator, Test, ValueSet};
use crate::error::Result;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;

/// The bounds of a column in consecutive ranges of rows, called blocks here.
pub(crate) struct BlockBounds {
    blocks: Vec<Range<u64>>,
    /// For each block, no value is less; null if there are no values, or if it is not known.
    min: ArrayRef,
    /// For each block, no value is greater.
    max: ArrayRef,
    /// For each block, the number of nulls; null if it is not known.
    null_counts: UInt64Array,
    index: Option<Index>,
    filters: Option<BlockFilters>,
}

/// For each block, whether a test may be true and whether it may be false for some value.
pub(super) struct BlockAnswers {
    be_true: Vec<bool>,
    be_false: Vec<bool>,
}

impl BlockBounds {
    /// Bounds of blocks: arrays of one value for each.
    pub(crate) fn new(
        blocks: Vec<Range<u64>>,
        [min, max]: [ArrayRef; 2],
        null_counts: UInt64Array,
    ) -> Self {
        Self { blocks, min, max, null_counts, index: None, filters: None }
    }

    /// Returns minima, maxima and null counts.
    pub(crate) fn into_parts(self) -> (ArrayRef, ArrayRef, UInt64Array) {
        (self.min, self.max, self.null_counts)
    }

    /// Bounds of the blocks of a file; `None` if the column has no bytes in it.
    pub(super) fn of_blocks<R: ReadAt>(
        file: &FileReader<R>,
        place: &StatisticsColumn,
        sorted: Option<usize>,
    ) -> Result<Option<Self>> {
        let Some(column) = place.leaf.or(place.counts) else { return Ok(None) };
        let blocks = file.blocks(column)?;
        let blocks: Vec<_> = blocks.iter().map(|block| block.first_row..block.end_row()).collect();
        let n = blocks.len();
        let statistics = place.statistics(file)?;
        let null_counts = match &statistics {
            _ if place.counts.is_none() && !place.data_type.is_null() => {
                UInt64Array::from_value(0, n)
            }
            Some(statistics) => statistics.null_counts().clone(),
            None => UInt64Array::new_null(n),
        };
        let bounds = match &statistics {
            Some(statistics) => {
                [statistics.min_values(), statistics.max_values()].map(Clone::clone)
            }
            None => [(); 2].map(|()| new_null_array(&place.data_type, n)),
        };
        let index = match place.leaf.is_some() && place.counts.is_none() {
            true if sorted == Some(column) => Index::of(file, column, &place.data_type)?,
            _ => None,
        };
        let filters = BlockFilters::of_field(file, place)?;
        Ok(Some(Self { index, filters, ..Self::new(blocks, bounds, null_counts) }))
    }

    /// Returns, for each block, whether it may have nulls, and whether it may have values.
    fn may_have(&self) -> (Vec<bool>, Vec<bool>) {
        let counts = self.null_counts.iter().zip(&self.blocks);
        counts
            .map(|(nulls, rows)| {
                let rows = rows.end - rows.start;
                (nulls.unwrap_or(rows) > 0, nulls.unwrap_or(0) < rows)
            })
            .unzip()
    }

    /// Converts answers for the values of blocks to answers for their rows.
    fn possible_rows(&self, answers: BlockAnswers) -> PossibleRows {
        let (_, values) = self.may_have();
        let rows = |mask: Vec<bool>| {
            let mask: Vec<bool> = mask.iter().zip(&values).map(|(may, has)| *may && *has).collect();
            rows_where(&self.blocks, &mask)
        };
        PossibleRows { be_true: rows(answers.be_true), be_false: rows(answers.be_false) }
    }

    /// Returns where rows may be null, and where they may not.
    pub(super) fn is_null(&self) -> PossibleRows {
        let (nulls, values) = self.may_have();
        let rows = |mask: &[bool]| rows_where(&self.blocks, mask);
        PossibleRows { be_true: rows(&nulls), be_false: rows(&values) }
    }

    /// Returns where a boolean may be true.
    pub(super) fn is_true(&self) -> Result<PossibleRows> {
        let yes: ArrayRef = std::sync::Arc::new(BooleanArray::from(vec![true]));
        Ok(self.possible_rows(self.compare(Operator::Eq, &yes)?))
    }

    /// Returns where any of some tests may be true.
    pub(super) fn tests(&self, tests: &[Test]) -> Result<PossibleRows> {
        Ok(self.possible_rows(self.test_values(tests)?))
    }

    fn test_values(&self, tests: &[Test]) -> Result<BlockAnswers> {
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
        let ask = |operator, bounds: &ArrayRef| -> Result<Vec<bool>> {
            Ok(or_unknown(&Test::Compare(operator, value.clone()).ask(bounds)?))
        };
        let join = |[a, b]: [Vec<bool>; 2], join: fn((bool, bool)) -> bool| {
            a.into_iter().zip(b).map(join).collect()
        };
        let (min, max) = (&self.min, &self.max);
        let mut may: Vec<bool> = match operator {
            Operator::Lt | Operator::Le => ask(operator, min)?,
            Operator::Gt | Operator::Ge => ask(operator, max)?,
            Operator::Eq => {
                join([ask(Operator::Le, min)?, ask(Operator::Ge, max)?], |(a, b)| a && b)
            }
            Operator::Ne => {
                join([ask(Operator::Ne, min)?, ask(Operator::Ne, max)?], |(a, b)| a || b)
            }
        };
        if let Some(index) = &self.index {
            index.narrow(operator, value, &mut may)?;
        }
        Ok(may)
    }

    fn among(&self, among: &ValueSet) -> Result<BlockAnswers> {
        let mut be_true = or_unknown(&among.any_between(&self.min, &self.max)?);
        self.look_up(among.values(), &mut be_true)?;
        // All values of a block are its minimum if that is its maximum.
        let compare = make_comparator(&self.min, &self.max, SortOptions::default())?;
        let has = among.has(&self.min)?;
        let only = |i| self.min.is_valid(i) && self.max.is_valid(i) && compare(i, i).is_eq();
        let be_false = (0..has.len()).map(|i| !(only(i) && has.is_valid(i) && has.value(i)));
        Ok(BlockAnswers { be_false: be_false.collect(), be_true })
    }

    /// Clears blocks of whose filter no value is.
    fn look_up(&self, values: &ArrayRef, may: &mut [bool]) -> Result<()> {
        let Some(filters) = &self.filters else { return Ok(()) };
        if values.data_type() != self.min.data_type() {
            return Ok(());
        }
        let found = filters.look_up(&**values)?;
        may.iter_mut().zip(found).for_each(|(may, found)| *may &= found);
        Ok(())
    }
}
