//! Shreds arrays into the values of columns, following the layout of each field.
//!
//! ```text
//! Leaf        values                                     Record    each field
//! Optional    0 or 1 a row, then the rows that are       Union     0 or 1 a row of each branch, then its rows
//! List, Map   items a row, then the items                 slots     all rows, and their validity
//! ```
//! The inverse of [`assemble`](crate::arrow::read::assemble).

use arrow::array::*;
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::Field;

use crate::arrow::array::compact;
use crate::arrow::array::map_rows::{keep, take};
use crate::arrow::array::nested;
use crate::arrow::encoded;
use crate::arrow::field_path::FieldPath;
use crate::arrow::layout::field_layout::{FieldLayout, PlannedColumn};
use crate::arrow::leaf::borrowed_column::{
    BorrowedValues, ShreddedColumn, set_lengths, set_validity, set_values,
};
use crate::arrow::leaf::types;
use crate::arrow::schema::stored::SchemaPlan;
use crate::error::{Error, Result};
use crate::format::value::ValueType;

/// Shreds a batch whose columns have the types of the plan's schema. `slots` tells which columns store a value for null
/// rows too.
pub(crate) fn shred_batch(
    planning: &SchemaPlan,
    slots: &[bool],
    batch: &RecordBatch,
) -> Result<Vec<ShreddedColumn>> {
    let SchemaPlan { schema, stored, plan } = planning;
    let mut shredder = Shredder::new(&plan.columns, slots);
    let fields = schema.fields().iter().zip(stored).zip(&plan.shapes);
    for (((field, stored), shape), array) in fields.zip(batch.columns()) {
        let path = FieldPath::new(field.name());
        let array = encoded::to_stored(array, field, stored, &path)?;
        shredder.shred(shape, stored, &array, &path)?;
    }
    Ok(shredder.finish())
}

/// What a batch is shredded into.
pub(crate) struct Shredder<'a> {
    /// The columns, to know what value type each is of.
    columns: &'a [PlannedColumn],
    /// Which of them take a value for each slot, there or not.
    slots: &'a [bool],
    out: Vec<ShreddedColumn>,
}

impl<'a> Shredder<'a> {
    pub(crate) fn new(columns: &'a [PlannedColumn], slots: &'a [bool]) -> Self {
        Self { columns, slots, out: vec![ShreddedColumn::default(); columns.len()] }
    }

    /// Returns the columns, once all fields are shredded.
    pub(crate) fn finish(self) -> Vec<ShreddedColumn> {
        self.out
    }

    /// Shreds the rows of a field.
    pub(crate) fn shred(
        &mut self,
        shape: &FieldLayout,
        field: &Field,
        array: &ArrayRef,
        path: &FieldPath<'_>,
    ) -> Result<()> {
        match shape {
            FieldLayout::Optional { counts, inner } => {
                let validity = match array.nulls() {
                    Some(nulls) => nulls.inner().clone(),
                    None => BooleanBuffer::new_set(array.len()),
                };
                if **inner == (FieldLayout::Leaf { column: *counts })
                    && self.slots.get(*counts).copied().unwrap_or(false)
                {
                    set_validity(&mut self.out, *counts, validity)?;
                    return self.leaf(*counts, &compact::without_garbage(array)?, path);
                }
                self.presence(*counts, validity)?;
                return self.shred(inner, field, &compact::present(array)?, path);
            }
            FieldLayout::Nothing | FieldLayout::Union(_) => {}
            FieldLayout::Leaf { .. } if array.data_type().is_null() => {}
            _ if array.null_count() > 0 => {
                let nulls = array.null_count();
                let what = format!("field {path} is not nullable, but its null count is {nulls}");
                return Err(Error::invalid(what));
            }
            _ => {}
        }
        match shape {
            FieldLayout::Leaf { column } => self.leaf(*column, array, path),
            FieldLayout::Optional { .. } | FieldLayout::Nothing => Ok(()),
            FieldLayout::List { counts, inner } => {
                let (lengths, items) = compact::items(array)?;
                set_lengths(&mut self.out, *counts, lengths)?;
                let item = nested::item(field.data_type()).ok_or_else(|| unfit(field, path))?;
                self.shred(inner, item, &items, &path.then(item.name()))
            }
            FieldLayout::Map { counts, key, value } => {
                let (lengths, entries) = compact::items(array)?;
                set_lengths(&mut self.out, *counts, lengths)?;
                let [entry] = &nested::fields(field.data_type())[..] else {
                    return Err(unfit(field, path));
                };
                self.record([key.as_ref(), value.as_ref()], entry, &entries, path)
            }
            FieldLayout::Record(shapes) => self.record(shapes, field, array, path),
            FieldLayout::Union(branches) => self.union(branches, field, array, path),
        }
    }

    /// Sets counts of 0 and 1: as bits, unless the column also has values.
    fn presence(&mut self, column: usize, validity: BooleanBuffer) -> Result<()> {
        let planned = self.columns.get(column).map(|planned| planned.metadata.value_type());
        match planned {
            Some(ValueType::Null) => {
                set_values(&mut self.out, column, BorrowedValues::Boolean(validity))
            }
            _ => set_lengths(&mut self.out, column, validity.iter().map(u32::from).collect()),
        }
    }

    fn leaf(&mut self, column: usize, array: &ArrayRef, path: &FieldPath<'_>) -> Result<()> {
        let Some(planned) = self.columns.get(column) else {
            return Err(Error::invalid(format!("no column {column}")));
        };
        let values = match planned.size {
            Some(size) => types::lower_fixed(array, size, path)?,
            None => types::to_values(array, planned.metadata.value_type(), path)?,
        };
        set_values(&mut self.out, column, values)
    }

    fn record<'s>(
        &mut self,
        shapes: impl IntoIterator<Item = &'s FieldLayout>,
        field: &Field,
        array: &ArrayRef,
        path: &FieldPath<'_>,
    ) -> Result<()> {
        let Some(array) = array.as_struct_opt() else { return Err(unfit(field, path)) };
        let fields = nested::fields(field.data_type());
        let children = fields.iter().zip(array.columns());
        shapes.into_iter().zip(children).try_for_each(|(shape, (field, child))| {
            self.shred(shape, field, child, &path.then(field.name()))
        })
    }

    fn union(
        &mut self,
        branches: &[(Option<usize>, FieldLayout)],
        field: &Field,
        array: &ArrayRef,
        path: &FieldPath<'_>,
    ) -> Result<()> {
        let Some(union) = array.as_any().downcast_ref::<UnionArray>() else {
            return Err(unfit(field, path));
        };
        let fields = union.fields();
        for ((counts, shape), (id, field)) in branches.iter().zip(fields.iter()) {
            let chosen: BooleanBuffer = union.type_ids().iter().map(|row| *row == id).collect();
            if let Some(counts) = counts {
                self.presence(*counts, chosen.clone())?;
            }
            let rows = branch(union, id, &chosen)?;
            self.shred(shape, field, &rows, &path.then(field.name()))?;
        }
        Ok(())
    }
}

/// Returns the rows of one branch.
fn branch(union: &UnionArray, id: i8, chosen: &BooleanBuffer) -> Result<ArrayRef> {
    let child = union.child(id);
    let Some(offsets) = union.offsets() else { return keep(child, chosen) };
    let place = |row| offsets.get(row).and_then(|offset| u64::try_from(*offset).ok());
    let places: Vec<u64> = chosen.set_indices().filter_map(place).collect();
    let in_order = places.windows(2).all(|pair| matches!(pair, [a, b] if a + 1 == *b));
    match places.first().map(|first| usize::try_from(*first)) {
        Some(Ok(first)) if in_order => Ok(child.slice(first, places.len())),
        None => Ok(child.slice(0, 0)),
        _ => take(child, &places.into()),
    }
}

fn unfit(field: &Field, path: &FieldPath<'_>) -> Error {
    Error::invalid(format!("field {path}: {} does not fit its shape", field.data_type()))
}
