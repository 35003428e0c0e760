//! The layout of a field: which columns hold its counts, and which its values.
//!
//! ```text
//! field                        shape                                         columns of the split layout
//! x: int32 not null            Leaf(0)                                       0 x
//! x: int32                     Optional(0, Leaf(1))                          0 x, 1 x#value
//! x: list<int32 not null>      Optional(0, List(1, Leaf(2)))                 0 x, 1 x[], 2 x[]#value
//! x: struct<a, b> not null     Record(Leaf(0), Leaf(1))                      0 x#a, 1 x#b
//! ```
//! A [`LayoutPlan`] is the shapes of all fields with the columns they speak of, made depth first, so that every column
//! comes after its parent. Writing and reading make the same plan from the same schema; what a file holds is
//! compared with it column by column.

use crate::error::{Error, Result};
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::ValueType;

/// Where the rows of a field are. Numbers are positions in a list of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldLayout {
    /// Values, one a row.
    Leaf { column: usize },
    /// A count of 0 or 1 for each row; the inner layout has the non-null rows only.
    Optional { counts: usize, inner: Box<FieldLayout> },
    /// A count of items a row; the inner has all items.
    List { counts: usize, inner: Box<FieldLayout> },
    /// A count of entries a row.
    Map { counts: usize, key: Box<FieldLayout>, value: Box<FieldLayout> },
    /// The fields of a struct, which has no column.
    Record(Vec<FieldLayout>),
    /// A count of 0 or 1 for each branch, together 1 a row. The branch without counts is Avro's null: the
    /// rows where no other branch has one.
    Union(Vec<(Option<usize>, FieldLayout)>),
    /// Rows of nulls, kept nowhere.
    Nothing,
}

impl FieldLayout {
    /// The columns that are spoken of, in order; counts and values in one column are one.
    pub(crate) fn columns(&self, into: &mut Vec<usize>) {
        let mut add = |column: usize| {
            if into.last() != Some(&column) {
                into.push(column);
            }
        };
        match self {
            FieldLayout::Leaf { column } => add(*column),
            FieldLayout::Optional { counts, inner } | FieldLayout::List { counts, inner } => {
                add(*counts);
                inner.columns(into);
            }
            FieldLayout::Map { counts, key, value } => {
                add(*counts);
                key.columns(into);
                value.columns(into);
            }
            FieldLayout::Record(fields) => fields.iter().for_each(|field| field.columns(into)),
            FieldLayout::Union(branches) => {
                for (counts, branch) in branches {
                    counts.iter().for_each(|counts| {
                        if into.last() != Some(counts) {
                            into.push(*counts);
                        }
                    });
                    branch.columns(into);
                }
            }
            FieldLayout::Nothing => {}
        }
    }

    /// Replaces each column index by its position in `order`, which is sorted and contains all of them.
    pub(crate) fn renumber(&mut self, order: &[usize]) {
        let at = |column: &mut usize| *column = order.partition_point(|c| c < column);
        match self {
            FieldLayout::Leaf { column } => at(column),
            FieldLayout::Optional { counts, inner } | FieldLayout::List { counts, inner } => {
                at(counts);
                inner.renumber(order);
            }
            FieldLayout::Map { counts, key, value } => {
                at(counts);
                key.renumber(order);
                value.renumber(order);
            }
            FieldLayout::Record(fields) => {
                fields.iter_mut().for_each(|field| field.renumber(order))
            }
            FieldLayout::Union(branches) => {
                for (counts, branch) in branches {
                    counts.iter_mut().for_each(at);
                    branch.renumber(order);
                }
            }
            FieldLayout::Nothing => {}
        }
    }
}

/// The shapes of all fields, and the columns they speak of.
#[derive(Debug, Default)]
pub(crate) struct LayoutPlan {
    /// One a field.
    pub(crate) shapes: Vec<FieldLayout>,
    /// The columns, each after its parent.
    pub(crate) columns: Vec<PlannedColumn>,
}

/// A column of a plan.
#[derive(Debug)]
pub(crate) struct PlannedColumn {
    /// The column as it is written.
    pub(crate) metadata: ColumnMetadata,
    /// The value types it may have in a file.
    accepts: &'static [ValueType],
    /// How many bytes each value has, if all have as many.
    pub(crate) size: Option<usize>,
}

/// What a column of nothing but counts holds.
pub(crate) const COUNTS: &[ValueType] = &[ValueType::Null];

impl LayoutPlan {
    /// Adds a column; the first type accepted is the one that is written.
    pub(crate) fn push(
        &mut self,
        name: &str,
        accepts: &'static [ValueType],
        parent: Option<&str>,
        array: bool,
    ) -> usize {
        let first = accepts.first().copied().unwrap_or(ValueType::Null);
        self.push_as(name, first, accepts, parent, array)
    }

    /// Adds a column that is written as one of the types accepted.
    pub(crate) fn push_as(
        &mut self,
        name: &str,
        value_type: ValueType,
        accepts: &'static [ValueType],
        parent: Option<&str>,
        array: bool,
    ) -> usize {
        let mut metadata = ColumnMetadata::new(name, value_type);
        if let Some(parent) = parent {
            metadata = metadata.with_parent(parent);
        }
        if array {
            metadata = metadata.array();
        }
        self.columns.push(PlannedColumn { metadata, accepts, size: None });
        self.columns.len() - 1
    }

    /// Forgets all but the first rows of these columns, and what a row that did not end has left in some of them.
    pub(crate) fn truncate(&self, rows: usize, columns: &mut [ColumnData]) {
        let mut kept: Vec<(&str, usize)> = Vec::with_capacity(columns.len());
        for (planned, column) in self.columns.iter().zip(columns) {
            let parent = planned.metadata.parent();
            let nearest = kept.iter().rev().find(|(name, _)| Some(*name) == parent);
            let n = nearest.map_or(rows, |(_, kept)| *kept);
            let values = match &mut column.lengths {
                Some(lengths) => {
                    lengths.truncate(n);
                    lengths.iter().map(|length| *length as usize).sum()
                }
                None => n,
            };
            column.values.truncate(values);
            kept.push((planned.metadata.name(), values));
        }
    }

    /// Finds the first difference between the columns planned and those of a file.
    pub(crate) fn check(&self, columns: &[ColumnMetadata]) -> Result<()> {
        if self.columns.len() != columns.len() {
            return Err(Error::malformed(format!(
                "the schema has {} columns, the file has {}",
                self.columns.len(),
                columns.len()
            )));
        }
        self.columns.iter().zip(columns).try_for_each(|(planned, column)| planned.check(column))
    }
}

impl PlannedColumn {
    /// Writes the column as another type that can hold its values.
    pub(crate) fn retype(&mut self, value_type: ValueType) -> Result<()> {
        if !self.accepts.contains(&value_type) {
            let what = format!("a column of {} is no {value_type}", self.metadata.value_type());
            return Err(Error::invalid(what).in_column(self.metadata.name()));
        }
        self.metadata = self.metadata.clone().with_value_type(value_type);
        Ok(())
    }

    fn check(&self, column: &ColumnMetadata) -> Result<()> {
        let ours = &self.metadata;
        let wrong = |what: String| Err(Error::malformed(what).in_column(column.name()));
        if ours.name() != column.name() {
            return wrong(format!("the schema has column {:?} here", ours.name()));
        }
        if ours.parent() != column.parent() {
            return wrong(format!(
                "its parent is {:?}, by the schema {:?}",
                column.parent(),
                ours.parent()
            ));
        }
        if ours.is_array() != column.is_array() {
            let by_schema = if ours.is_array() { "an array" } else { "no array" };
            return wrong(format!("by the schema it is {by_schema} column"));
        }
        if !self.accepts.contains(&column.value_type()) {
            return wrong(format!(
                "its values are {}, by the schema {}",
                column.value_type(),
                ours.value_type()
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_once_and_renumber() {
        let mut shape = FieldLayout::Record(vec![
            FieldLayout::Optional { counts: 2, inner: Box::new(FieldLayout::Leaf { column: 2 }) },
            FieldLayout::Union(vec![
                (None, FieldLayout::Nothing),
                (Some(5), FieldLayout::Leaf { column: 7 }),
            ]),
        ]);
        let mut columns = Vec::new();
        shape.columns(&mut columns);
        assert_eq!(columns, [2, 5, 7]);
        shape.renumber(&columns);
        let mut renumbered = Vec::new();
        shape.columns(&mut renumbered);
        assert_eq!(renumbered, [0, 1, 2]);
    }

    #[test]
    fn says_what_differs() {
        let mut plan = LayoutPlan::default();
        plan.push("a", &[ValueType::Long, ValueType::Int], Some("p"), true);
        let column = |t| ColumnMetadata::new("a", t).with_parent("p");
        assert!(plan.check(&[column(ValueType::Int).array()]).is_ok());
        for (columns, what) in [
            (vec![], "1 columns, the file has 0"),
            (vec![ColumnMetadata::new("b", ValueType::Long)], "column \"a\" here"),
            (vec![ColumnMetadata::new("a", ValueType::Long).array()], "its parent is None"),
            (vec![column(ValueType::Long)], "it is an array column"),
            (vec![column(ValueType::Float).array()], "its values are float, by the schema long"),
        ] {
            let error = plan.check(&columns).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
