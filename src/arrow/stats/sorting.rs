//! The columns that rows are sorted by, and the check that they are.
//!
//! ```text
//! arrow.sorting   long columns │ for each: long index of the field, byte 1 if descending, plus 2 if nulls are first
//! a  1 1 2 3 3    ascending: the blocks of its column have their first values in their descriptors, too
//! b  5 6 0 7 9    within rows of the same a
//! ```
//! The writer checks every row and refuses batches that are not sorted as declared. First values are written only
//! for the first sorting column, whose values ascend over the whole file.

use std::cmp::Ordering;

use arrow::array::{ArrayRef, DynComparator, RecordBatch, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, FieldRef, Schema};

use super::statistics;
use crate::arrow::encoded;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::leaf::types;
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::{ColumnPath, Layout};
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::metadata::Metadata;
use crate::format::value::ValueType;
use crate::keys::SORTING;
use crate::stats::sort_order::Order;
use crate::wire::{self, Cursor};

/// A column that rows are sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortingColumn {
    /// The name of a field at the top, or its [path](crate::arrow::ColumnPath) in quotes.
    pub column: String,
    /// Whether the order is descending.
    pub descending: bool,
    /// Whether nulls come before all values.
    pub nulls_first: bool,
}

impl SortingColumn {
    /// Sorts ascending, nulls last.
    pub fn ascending(column: impl Into<String>) -> Self {
        Self { column: column.into(), descending: false, nulls_first: false }
    }

    /// Sorts descending, nulls last.
    pub fn descending(column: impl Into<String>) -> Self {
        Self { column: column.into(), descending: true, nulls_first: false }
    }

    fn options(&self) -> SortOptions {
        SortOptions { descending: self.descending, nulls_first: self.nulls_first }
    }
}

/// Returns the value in the metadata.
fn put(columns: &[(usize, SortingColumn)]) -> Vec<u8> {
    let mut out = Vec::new();
    wire::put_long(&mut out, columns.len() as i64);
    for (place, column) in columns {
        wire::put_long(&mut out, *place as i64);
        out.push(u8::from(column.descending) | u8::from(column.nulls_first) << 1);
    }
    out
}

/// Returns the sorting columns of a file with their indices; empty if the metadata is malformed.
pub(crate) fn find(metadata: &Metadata, schema: &Schema) -> Vec<(usize, SortingColumn)> {
    let entry = metadata.get(SORTING).map(|bytes| take(&mut Cursor::new(bytes), schema));
    entry.and_then(Result::ok).unwrap_or_default()
}

fn take(cursor: &mut Cursor<'_>, schema: &Schema) -> Result<Vec<(usize, SortingColumn)>> {
    let mut columns = Vec::new();
    for _ in 0..cursor.count("sorting columns")? {
        let place = usize::try_from(cursor.count("place of a field")?).unwrap_or(usize::MAX);
        let [bits] = cursor.array("sorting")?;
        let field = schema.fields().get(place);
        let name = field.ok_or_else(|| Error::malformed("sorted by no field"))?.name().clone();
        let (descending, nulls_first) = (bits & 1 == 1, bits & 2 == 2);
        columns.push((place, SortingColumn { column: name, descending, nulls_first }));
    }
    Ok(columns)
}

/// Checks that rows are sorted.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    columns: Vec<(usize, SortingColumn)>,
    rows: u64,
    /// The last row of all that are written.
    last: Option<Vec<ArrayRef>>,
}

impl Sorted {
    /// By these columns of a schema.
    pub(crate) fn new(columns: &[SortingColumn], schema: &Schema) -> Result<Self> {
        let columns = columns.iter().map(|column| {
            let fields = schema.fields();
            let steps = ColumnPath::among(&column.column, fields).steps(fields);
            let place = steps.iter().find(|step| step.rest.is_none()).map(|step| step.index);
            let Some((place, field)) = place.and_then(|at| Some((at, fields.get(at)?))) else {
                return Err(Error::invalid(format!("no column {:?} to sort by", column.column)));
            };
            if !is_sorted(field.data_type()) {
                let what = format!("column {:?} is {}", column.column, field.data_type());
                return Err(Error::invalid(format!("{what}: rows cannot be sorted by it")));
            }
            Ok((place, column.clone()))
        });
        Ok(Self { columns: columns.collect::<Result<_>>()?, rows: 0, last: None })
    }

    /// Writes the sorting columns to the metadata, and enables first values for the first of them.
    pub(crate) fn note(
        &self,
        planning: &SchemaPlan,
        columns: &mut [ColumnMetadata],
        metadata: &mut Metadata,
    ) -> Result<()> {
        let Some((place, first)) = self.columns.first() else { return Ok(()) };
        metadata.set(SORTING, put(&self.columns))?;
        let both = planning.plan.shapes.get(*place).zip(planning.stored.get(*place));
        // Of an enum, ordinals are stored, which are in another order.
        let is_value = |field: &FieldRef| {
            let given = planning.schema.fields().get(*place);
            given.is_some_and(|given| encoded::stored(given, Layout::Split) == *field)
        };
        if let Some((FieldLayout::Leaf { column }, field)) = both
            && is_value(field)
            && let Some(column) = columns.get_mut(*column)
            && !first.descending
            && column.value_type() != ValueType::Null
            && statistics::order(field.data_type(), column.value_type()) == Order::Natural
        {
            *column = column.clone().indexed();
        }
        Ok(())
    }

    /// Fails unless a batch is sorted, and no row of it belongs before those that were written.
    pub(crate) fn check(&self, batch: &RecordBatch) -> Result<()> {
        let Some((_, first)) = self.columns.first().filter(|_| batch.num_rows() > 0) else {
            return Ok(());
        };
        let arrays = self.arrays(batch);
        let wrong = |row: usize| {
            let (row, column) = (self.rows + row as u64, &first.column);
            Error::invalid(format!("row {row} belongs before the one before it, by {column:?}"))
        };
        if let Some(last) = &self.last
            && self.comparator(last, &arrays)?(0, 0).is_gt()
        {
            return Err(wrong(0));
        }
        let compare = self.comparator(&arrays, &arrays)?;
        match (1..batch.num_rows()).find(|row| compare(row - 1, *row).is_gt()) {
            Some(row) => Err(wrong(row)),
            None => Ok(()),
        }
    }

    /// Takes a batch that was written.
    pub(crate) fn push(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows() as u64;
        if let Some(last) = batch.num_rows().checked_sub(1).filter(|_| !self.columns.is_empty()) {
            self.last = Some(self.arrays(&batch.slice(last, 1)));
        }
    }

    fn arrays(&self, batch: &RecordBatch) -> Vec<ArrayRef> {
        let places = self.columns.iter().map(|(place, _)| *place);
        places.filter_map(|place| batch.columns().get(place).cloned()).collect()
    }

    fn comparator(&self, a: &[ArrayRef], b: &[ArrayRef]) -> Result<DynComparator> {
        let each = a.iter().zip(b).zip(&self.columns);
        let each = each.map(|((a, b), (_, column))| make_comparator(a, b, column.options()));
        let each = each.collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(move |i, j| {
            let orders = each.iter().map(|compare| compare(i, j));
            orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }))
    }
}

fn is_sorted(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_sorted(values),
        DataType::Interval(_) | DataType::Null => false,
        other => types::accepts(other).is_some(),
    }
}
