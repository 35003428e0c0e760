//! A predicate that is bound to a schema.

use std::collections::HashSet;

use arrow::array::*;
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};

use super::Operator;
use crate::error::{Error, Result};

/// A condition on the columns of one schema.
#[derive(Debug)]
pub(crate) enum Bound {
    /// Whether any of the tests holds.
    Tests {
        column: ColumnRoute,
        tests: Vec<Test>,
    },
    /// Two columns, compared as values of a type.
    Columns {
        left: ColumnRoute,
        operator: Operator,
        right: ColumnRoute,
        data_type: DataType,
    },
    IsNull(ColumnRoute),
    IsTrue(ColumnRoute),
    And(Vec<Bound>),
    Or(Vec<Bound>),
    Not(Box<Bound>),
}

/// The test of a value.
#[derive(Debug)]
pub(crate) enum Test {
    /// How it compares with the only value of an array.
    Compare(Operator, ArrayRef),
    /// Nothing: the answer is the same for all but nulls.
    Always(bool),
    ValueSet(ValueSet),
    /// Whether it matches the only value of an array.
    Like {
        pattern: ArrayRef,
        ignore_case: bool,
    },
}

impl Bound {
    /// Calls `with` for each column of the predicate.
    pub(crate) fn each_route(&self, with: &mut impl FnMut(&ColumnRoute)) {
        match self {
            Bound::Tests { column, .. } | Bound::IsNull(column) | Bound::IsTrue(column) => {
                with(column);
            }
            Bound::Columns { left, right, .. } => {
                with(left);
                with(right);
            }
            Bound::And(all) | Bound::Or(all) => all.iter().for_each(|one| one.each_route(with)),
            Bound::Not(one) => one.each_route(with),
        }
    }
}

/// Where a column is: of the fields, of the fields of that struct, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnRoute(pub(crate) Vec<usize>);

impl ColumnRoute {
    /// Returns the array, and where the structs around it are null.
    pub(crate) fn follow(&self, columns: &[ArrayRef]) -> Result<(ArrayRef, Option<NullBuffer>)> {
        let other = || Error::invalid("columns of another schema");
        let (first, rest) = self.0.split_first().ok_or_else(other)?;
        let mut array = columns.get(*first).ok_or_else(other)?.clone();
        let mut above = None;
        for place in rest {
            let outer = array.as_struct_opt().ok_or_else(other)?;
            above = NullBuffer::union(above.as_ref(), outer.nulls());
            let inner = outer.columns().get(*place).ok_or_else(other)?.clone();
            array = inner;
        }
        Ok((array, above))
    }
}

/// Many values of a type, to look others up in.
#[derive(Debug)]
pub(crate) struct ValueSet {
    values: ArrayRef,
    data_type: DataType,
    converter: RowConverter,
    rows: HashSet<Box<[u8]>>,
}

impl ValueSet {
    pub(crate) fn new(values: &ArrayRef) -> Result<Self> {
        let data_type = values.data_type().clone();
        let converter = RowConverter::new(vec![SortField::new(data_type.clone())])?;
        let rows = converter.convert_columns(std::slice::from_ref(values))?;
        let rows = rows.iter().map(|row| row.as_ref().into()).collect();
        Ok(Self { values: values.clone(), data_type, converter, rows })
    }

    /// Returns the values.
    pub(crate) fn values(&self) -> &ArrayRef {
        &self.values
    }

    /// Returns whether any of the values is between two others; null where one of these is null.
    pub(crate) fn any_between(&self, min: &ArrayRef, max: &ArrayRef) -> Result<BooleanArray> {
        // Rows compare as their values do.
        let mut sorted: Vec<&[u8]> = self.rows.iter().map(|row| &**row).collect();
        sorted.sort_unstable();
        let rows = |bounds: &ArrayRef| -> Result<_> {
            Ok(self.converter.convert_columns(&[of_type(bounds, &self.data_type)?])?)
        };
        let (least, greatest) = (rows(min)?, rows(max)?);
        let between = least.iter().zip(&greatest).map(|(least, greatest)| {
            let first = sorted.partition_point(|row| *row < least.as_ref());
            sorted.get(first).is_some_and(|row| *row <= greatest.as_ref())
        });
        let nulls = NullBuffer::union(min.logical_nulls().as_ref(), max.logical_nulls().as_ref());
        Ok(BooleanArray::new(between.collect::<BooleanBuffer>(), nulls))
    }

    pub(crate) fn has(&self, array: &ArrayRef) -> Result<BooleanArray> {
        let array = of_type(array, &self.data_type)?;
        let rows = self.converter.convert_columns(std::slice::from_ref(&array))?;
        let found = rows.iter().map(|row| self.rows.contains(row.as_ref()));
        Ok(BooleanArray::new(found.collect::<BooleanBuffer>(), array.logical_nulls()))
    }
}

/// As another type, such as bytes of any length instead of a fixed one.
pub(crate) fn of_type(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    match array.data_type() == data_type {
        true => Ok(array.clone()),
        false => Ok(cast(array, data_type)?),
    }
}
