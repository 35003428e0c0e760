//! Joins fields that were read in several parts, such as the columns of a predicate and the others.
//!
//! ```text
//! first     a, s<x>                   read for a predicate
//! then      s<y>, b                   the rest of the selection of a, b, s
//! together  a, b, s<x, y>             arrays of the same rows
//! ```
//! Parts are distinguished within structs, but not within lists, maps and unions: of one of these, two different
//! parts are read as if they were two fields.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, Fields};

use super::{Mask, ProjectionMask};
use crate::arrow::array::nested;
use crate::error::{Error, Result};

static ALL: Mask = Mask::All;

impl ProjectionMask {
    /// Returns what this one has and the other has not, of a schema with these fields.
    pub(crate) fn minus(&self, other: &Self, fields: &Fields) -> Self {
        let left = within(&self.0, &other.0, fields);
        Self(left.unwrap_or(Mask::Only(BTreeMap::new())))
    }

    /// Returns whether a field at the top is read, or a part of it.
    pub(crate) fn has_root(&self, root: usize) -> bool {
        self.0.inner(root).is_some()
    }

    /// Returns the mask restricted to the top-level fields for which `is_wanted` is true; `fields` is their number.
    pub(crate) fn roots_where(&self, fields: usize, is_wanted: impl Fn(usize) -> bool) -> Self {
        let roots = (0..fields).filter(|root| is_wanted(*root));
        Self(Mask::Only(
            roots.filter_map(|root| Some((root, self.0.inner(root)?.clone()))).collect(),
        ))
    }
}

impl Mask {
    /// Returns the mask of a child, if any of it is selected.
    fn inner(&self, child: usize) -> Option<&Mask> {
        match self {
            Mask::All => Some(&ALL),
            Mask::Only(chosen) => chosen.get(&child),
        }
    }

    /// Returns the index of a child among the selected ones.
    fn place(&self, child: usize) -> usize {
        match self {
            Mask::All => child,
            Mask::Only(chosen) => chosen.range(..child).count(),
        }
    }

    fn minus(&self, other: &Mask, data_type: &DataType) -> Option<Mask> {
        match data_type {
            DataType::Struct(fields) if !fields.is_empty() => within(self, other, fields),
            _ => (self != other).then(|| self.clone()),
        }
    }
}

fn within(wanted: &Mask, other: &Mask, fields: &Fields) -> Option<Mask> {
    let left = fields.iter().enumerate().filter_map(|(child, field)| {
        let mask = wanted.inner(child)?;
        let left = match other.inner(child) {
            Some(other) => mask.minus(other, field.data_type())?,
            None => mask.clone(),
        };
        Some((child, left))
    });
    let left: BTreeMap<_, _> = left.collect();
    (!left.is_empty()).then_some(Mask::Only(left))
}

/// Some fields, and their arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProjectedPart<'a> {
    pub(crate) mask: &'a ProjectionMask,
    pub(crate) arrays: &'a [ArrayRef],
}

/// Returns the arrays of the selected fields, joined from parts. `fields` are those of the schema, `stored` the
/// selected ones as they are stored.
pub(crate) fn join(
    wanted: &ProjectionMask,
    fields: &Fields,
    stored: &Fields,
    parts: &[ProjectedPart<'_>],
) -> Result<Vec<ArrayRef>> {
    let chosen = fields.iter().enumerate().filter_map(|(i, f)| Some((i, f, wanted.0.inner(i)?)));
    let joined = chosen.zip(stored).map(|((root, field, mask), stored)| {
        let parts = parts.iter().filter_map(|ProjectedPart { mask, arrays }| {
            let inner = mask.0.inner(root)?;
            Some((inner, arrays.get(mask.0.place(root))?))
        });
        join_one(mask, field, stored, &parts.collect::<Vec<_>>())
    });
    joined.collect()
}

fn join_one(
    wanted: &Mask,
    field: &Field,
    stored: &Field,
    parts: &[(&Mask, &ArrayRef)],
) -> Result<ArrayRef> {
    if let Some((_, array)) = parts.iter().find(|(mask, _)| *mask == wanted) {
        return Ok(ArrayRef::clone(array));
    }
    let missing = || Error::invalid(format!("a part of {} was not read", field.name()));
    let (DataType::Struct(fields), DataType::Struct(kept)) =
        (field.data_type(), stored.data_type())
    else {
        return Err(missing());
    };
    let (_, first) = parts.first().ok_or_else(missing)?;
    let chosen = fields.iter().enumerate().filter_map(|(i, f)| Some((i, f, wanted.inner(i)?)));
    let children = chosen.zip(kept).map(|((child, field, mask), stored)| {
        let parts = parts.iter().filter_map(|(mask, array)| {
            let inner = mask.inner(child)?;
            Some((inner, array.as_struct_opt()?.columns().get(mask.place(child))?))
        });
        join_one(mask, field, stored, &parts.collect::<Vec<_>>())
    });
    nested::record(kept, children.collect::<Result<_>>()?, first.nulls().cloned(), first.len())
}
