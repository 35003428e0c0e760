//! Which fields are read.
//!
//! ```text
//! mask     1: all, 3: {0: all}            of a schema a, b, c, d<x, y>: b and d.x
//! shape    that of d without y            columns of a, c, d.y are never read
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};

use super::shape::Shape;
use super::{nested, types};
use crate::error::{Error, Result};

/// Which fields are read; always in the order of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionMask(Mask);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Mask {
    All,
    Only(BTreeMap<usize, Mask>),
}

impl ProjectionMask {
    /// All fields.
    pub fn all() -> Self {
        Self(Mask::All)
    }

    /// The fields at these places at the top.
    pub fn roots(schema: &Schema, indices: impl IntoIterator<Item = usize>) -> Result<Self> {
        let there = schema.fields().len();
        let one = |index| {
            let found = (index < there).then_some((index, Mask::All));
            found.ok_or_else(|| Error::invalid(format!("no field {index}: there are {there}")))
        };
        Ok(Self(Mask::Only(indices.into_iter().map(one).collect::<Result<_>>()?)))
    }

    /// The fields of these names; `a.b` is only the child `b` of the struct `a`, or of a list of such structs.
    /// Of fields with the same name all are meant; a name that no field has is an error.
    pub fn columns<'a>(schema: &Schema, names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut mask = Mask::Only(BTreeMap::new());
        for name in names {
            if !mask.select(schema.fields(), name) {
                return Err(Error::invalid(format!("no field {name:?}")));
            }
        }
        Ok(Self(mask))
    }

    /// Fields, as they are wanted and as they are stored, and their shapes, without those that are not read.
    pub(super) fn apply(
        &self,
        fields: &Fields,
        stored: &Fields,
        shapes: &[Shape],
    ) -> Result<Projected> {
        let three = fields.iter().zip(stored).zip(shapes);
        let mut projected = Projected::default();
        for (index, ((field, stored), shape)) in three.enumerate() {
            let mask = match &self.0 {
                Mask::All => &Mask::All,
                Mask::Only(chosen) => match chosen.get(&index) {
                    Some(mask) => mask,
                    None => continue,
                },
            };
            let (field, stored, shape) = mask.narrow(field, stored, shape);
            projected.fields.push(field);
            projected.stored.push(stored);
            projected.shapes.push(shape);
        }
        Ok(projected)
    }
}

/// What is left of fields and shapes.
#[derive(Debug, Default)]
pub(super) struct Projected {
    pub(super) fields: Vec<FieldRef>,
    pub(super) stored: Vec<FieldRef>,
    pub(super) shapes: Vec<Shape>,
}

impl Mask {
    /// Adds all fields that a path means; whether there are any.
    fn select(&mut self, fields: &Fields, path: &str) -> bool {
        let mut found = false;
        for (index, field) in fields.iter().enumerate() {
            if field.name() == path {
                if let Mask::Only(chosen) = self {
                    chosen.insert(index, Mask::All);
                }
                found = true;
                continue;
            }
            let rest = path.strip_prefix(field.name().as_str());
            let rest = rest.and_then(|rest| rest.strip_prefix('.'));
            let (Some(rest), Some(children)) = (rest, children(field.data_type())) else {
                continue;
            };
            let mut below = match self {
                Mask::All => return true,
                Mask::Only(chosen) => {
                    chosen.get(&index).cloned().unwrap_or(Mask::Only(BTreeMap::new()))
                }
            };
            if below.select(children, rest) {
                if let Mask::Only(chosen) = self {
                    chosen.insert(index, below);
                }
                found = true;
            }
        }
        found
    }

    fn narrow(
        &self,
        field: &FieldRef,
        stored: &FieldRef,
        shape: &Shape,
    ) -> (FieldRef, FieldRef, Shape) {
        let whole = || (field.clone(), stored.clone(), shape.clone());
        let Mask::Only(chosen) = self else { return whole() };
        match (shape, field.data_type(), stored.data_type()) {
            (Shape::Optional { counts, inner }, ..) => {
                let (field, stored, inner) = self.narrow(field, stored, inner);
                (field, stored, Shape::Optional { counts: *counts, inner: Box::new(inner) })
            }
            (Shape::Record(shapes), DataType::Struct(fields), DataType::Struct(kept)) => {
                let three = fields.iter().zip(kept).zip(shapes).enumerate();
                let narrowed = three.filter_map(|(index, ((field, stored), shape))| {
                    Some(chosen.get(&index)?.narrow(field, stored, shape))
                });
                let (mut fields, mut kept, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
                narrowed.for_each(|(field, stored, shape)| {
                    fields.push(field);
                    kept.push(stored);
                    shapes.push(shape);
                });
                let field = with_type(field, DataType::Struct(fields.into()));
                (field, with_type(stored, DataType::Struct(kept.into())), Shape::Record(shapes))
            }
            (Shape::List { counts, inner }, outer, kept) => {
                let (Some(item), Some(stored_item)) = (types::item(outer), types::item(kept))
                else {
                    return whole();
                };
                let (item, stored_item, inner) = self.narrow(item, stored_item, inner);
                let field = with_type(field, nested::map_fields(outer, |_| item.clone()));
                let kept = nested::map_fields(kept, |_| stored_item.clone());
                let shape = Shape::List { counts: *counts, inner: Box::new(inner) };
                (field, with_type(stored, kept), shape)
            }
            _ => whole(),
        }
    }
}

fn with_type(field: &Field, data_type: DataType) -> FieldRef {
    Arc::new(field.clone().with_data_type(data_type))
}

/// The children that a path can name: of a struct, or of a list of structs.
fn children(data_type: &DataType) -> Option<&Fields> {
    match data_type {
        DataType::Struct(fields) => Some(fields),
        other => children(types::item(other)?.data_type()),
    }
}
