//! Projections: the fields that are read.
//!
//! ```text
//! mask     1: all, 3: {0: all}            of a schema a, b, c, d<x, y>: b and d.x
//! shape    that of d without y            columns of a, c, d.y are never read
//!
//! of a map, key or value alone            a list of them: a map has both
//! of a union, not all branches            a struct of them, each null in rows of another branch
//! ```

mod parts;

pub(crate) use parts::{ProjectedPart, join};

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::Layout;
use super::predicate::{Bound, ColumnPath};
use crate::arrow::array::nested;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::leaf::types;
use crate::arrow::schema::stored::{self, SchemaPlan};
use crate::error::{Error, Result};
use crate::format::metadata::Metadata;

/// Which fields are read; always in the order of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionMask(Mask);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mask {
    All,
    Only(BTreeMap<usize, Mask>),
}

impl ProjectionMask {
    /// Selects all fields.
    pub fn all() -> Self {
        Self(Mask::All)
    }

    /// Selects the top-level fields at these indices.
    pub fn roots(schema: &Schema, indices: impl IntoIterator<Item = usize>) -> Result<Self> {
        let count = schema.fields().len();
        let one = |index| {
            let found = (index < count).then_some((index, Mask::All));
            found.ok_or_else(|| Error::invalid(format!("no field {index}: there are {count}")))
        };
        Ok(Self(Mask::Only(indices.into_iter().map(one).collect::<Result<_>>()?)))
    }

    /// Selects the fields at these paths of indices: `[3, 0]` is the first child of the fourth field, which is a struct, a
    /// map, a union, or a list of these.
    ///
    /// ```
    /// use arrow::datatypes::{DataType, Field, Schema};
    /// use trevni::arrow::ProjectionMask;
    ///
    /// let point = DataType::Struct(vec![Field::new("x", DataType::Int32, false), Field::new("y", DataType::Int32, false)].into());
    /// let schema = Schema::new(vec![Field::new("id", DataType::Int64, false), Field::new("point", point, true)]);
    /// let mask = ProjectionMask::paths(&schema, [[1, 1]])?;
    /// assert_eq!(mask, ProjectionMask::columns(&schema, ["point.y"])?);
    /// assert!(ProjectionMask::paths(&schema, [[1, 2]]).is_err());
    /// # Ok::<_, trevni::Error>(())
    /// ```
    pub fn paths<P: AsRef<[usize]>>(
        schema: &Schema,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self> {
        let mut mask = Mask::Only(BTreeMap::new());
        for path in paths {
            let path = path.as_ref();
            let mut fields = Some(schema.fields().clone());
            for index in path {
                let field = fields.as_ref().and_then(|fields| fields.get(*index));
                let field = field.ok_or_else(|| Error::invalid(format!("no field {path:?}")))?;
                fields = types::named_fields(field.data_type());
            }
            if !path.is_empty() {
                mask.add(path);
            }
        }
        Ok(Self(mask))
    }

    /// Selects the fields at these [paths](ColumnPath). `a.b` selects the field of this name, or else the child `b` of the
    /// struct `a`, or of a list of such structs; `"a".b` only the latter. A name that several fields have selects all of
    /// them; a name that no field has is an error.
    ///
    /// The keys and values of a map have the names of its entries, often `m.key` and `m.value`. If only one is
    /// selected, `m` is a `List` of keys or of values. If branches of a union are selected, as `u.b`, `u` is a
    /// struct with a field for each of them, null in the rows of other branches.
    pub fn columns<N: AsRef<str>>(
        schema: &Schema,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        let mut mask = Mask::Only(BTreeMap::new());
        for name in names {
            let name = name.as_ref();
            let routes = ColumnPath::among(name, schema.fields()).routes(schema.fields());
            routes.iter().for_each(|route| mask.add(route));
            if routes.is_empty() {
                let all: Vec<_> =
                    schema.fields().iter().map(|field| field.name().as_str()).collect();
                let what = format!("no column {name:?}: there are {}", all.join(", "));
                return Err(Error::invalid(what));
            }
        }
        Ok(Self(mask))
    }

    /// Selects the columns of a predicate.
    pub(crate) fn of_bound(bound: &Bound) -> Self {
        let mut mask = Mask::Only(BTreeMap::new());
        bound.each_route(&mut |route| mask.add(&route.0));
        Self(mask)
    }

    /// Returns the fields of a plan that are read.
    pub(crate) fn project(&self, planning: &SchemaPlan) -> Result<Projected> {
        let SchemaPlan { schema, stored, plan } = planning;
        self.apply(schema.fields(), stored, &plan.shapes)
    }

    /// Returns the schema of batches with the selected fields.
    pub(crate) fn projected_schema(&self, planning: &SchemaPlan) -> Result<SchemaRef> {
        let metadata = planning.schema.metadata().clone();
        Ok(Arc::new(Schema::new_with_metadata(self.project(planning)?.fields, metadata)))
    }

    /// Returns the selected fields, their stored fields and their layouts.
    fn apply(&self, fields: &Fields, stored: &Fields, shapes: &[FieldLayout]) -> Result<Projected> {
        if let Mask::Only(chosen) = &self.0
            && let Some((last, _)) = chosen.last_key_value()
            && *last >= fields.len()
        {
            let count = fields.len();
            let what = format!("the projection has field {last}, the schema has {count} fields");
            return Err(Error::invalid(what));
        }
        let mut projected = Projected::default();
        let mut push = |mask: &Mask, (field, stored), shape| {
            let (field, stored, shape) = mask.narrow(field, stored, shape);
            projected.fields.push(field);
            projected.stored.push(stored);
            projected.shapes.push(shape);
        };
        match &self.0 {
            Mask::All => {
                let all = fields.iter().zip(stored).zip(shapes);
                all.for_each(|(field, shape)| push(&Mask::All, field, shape));
            }
            Mask::Only(chosen) => {
                for (index, mask) in chosen {
                    if let (Some(field), Some(stored), Some(shape)) =
                        (fields.get(*index), stored.get(*index), shapes.get(*index))
                    {
                        push(mask, (field, stored), shape);
                    }
                }
            }
        }
        Ok(projected)
    }
}

/// The selected part of fields and layouts.
#[derive(Debug, Default)]
pub(crate) struct Projected {
    pub(crate) fields: Vec<FieldRef>,
    pub(crate) stored: Vec<FieldRef>,
    pub(crate) shapes: Vec<FieldLayout>,
}

impl Mask {
    /// Adds the field at a path of indices.
    fn add(&mut self, places: &[usize]) {
        match (&mut *self, places) {
            (Mask::All, _) => {}
            (_, []) => *self = Mask::All,
            (Mask::Only(chosen), [first, rest @ ..]) => {
                chosen.entry(*first).or_insert_with(|| Mask::Only(BTreeMap::new())).add(rest);
            }
        }
    }

    fn narrow(
        &self,
        field: &FieldRef,
        stored: &FieldRef,
        shape: &FieldLayout,
    ) -> (FieldRef, FieldRef, FieldLayout) {
        let whole = || (field.clone(), stored.clone(), shape.clone());
        let Mask::Only(chosen) = self else { return whole() };
        match (shape, field.data_type(), stored.data_type()) {
            (FieldLayout::Optional { counts, inner }, ..) => {
                let (field, stored, inner) = self.narrow(field, stored, inner);
                (field, stored, FieldLayout::Optional { counts: *counts, inner: Box::new(inner) })
            }
            (FieldLayout::Record(shapes), DataType::Struct(fields), DataType::Struct(kept)) => {
                let (fields, kept, shapes) = narrow_all(chosen, fields, kept, shapes);
                let field = with_type(field, DataType::Struct(fields.into()));
                (
                    field,
                    with_type(stored, DataType::Struct(kept.into())),
                    FieldLayout::Record(shapes),
                )
            }
            (FieldLayout::List { counts, inner }, outer, kept) => {
                let (Some(item), Some(stored_item)) = (nested::item(outer), nested::item(kept))
                else {
                    return whole();
                };
                let (item, stored_item, inner) = self.narrow(item, stored_item, inner);
                let field = with_type(field, nested::map_fields(outer, |_| item.clone()));
                let kept = nested::map_fields(kept, |_| stored_item.clone());
                let shape = FieldLayout::List { counts: *counts, inner: Box::new(inner) };
                (field, with_type(stored, kept), shape)
            }
            (FieldLayout::Map { counts, key, value }, DataType::Map(..), DataType::Map(..)) => {
                let shapes = [key.as_ref().clone(), value.as_ref().clone()];
                narrow_map(chosen, (field, stored), *counts, &shapes).unwrap_or_else(whole)
            }
            (FieldLayout::Union(branches), DataType::Union(..), DataType::Union(..)) => {
                narrow_union(chosen, field, stored, branches)
            }
            _ => whole(),
        }
    }
}

/// Returns the fields that are chosen, narrowed, and their shapes.
fn narrow_all(
    chosen: &BTreeMap<usize, Mask>,
    fields: &Fields,
    stored: &Fields,
    shapes: &[FieldLayout],
) -> (Vec<FieldRef>, Vec<FieldRef>, Vec<FieldLayout>) {
    let three = fields.iter().zip(stored).zip(shapes).enumerate();
    let narrowed = three.filter_map(|(index, ((field, stored), shape))| {
        Some(chosen.get(&index)?.narrow(field, stored, shape))
    });
    let (mut fields, mut kept, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    narrowed.for_each(|(field, stored, shape)| {
        fields.push(field);
        kept.push(stored);
        shapes.push(shape);
    });
    (fields, kept, shapes)
}

/// Returns the selected part of a schema.
pub(crate) fn projected_schema(schema: &SchemaRef, mask: &ProjectionMask) -> Result<SchemaRef> {
    let planning = stored::plan(schema, Layout::Split, &|_, _| false, &mut Metadata::new())?;
    mask.projected_schema(&planning)
}

/// Returns a map of narrower keys and values, or a list of one of them.
fn narrow_map(
    chosen: &BTreeMap<usize, Mask>,
    (field, stored): (&FieldRef, &FieldRef),
    counts: usize,
    shapes: &[FieldLayout],
) -> Option<(FieldRef, FieldRef, FieldLayout)> {
    let entries = |field: &Field| nested::fields(field.data_type()).first().cloned();
    let (entry, stored_entry) = (entries(field)?, entries(stored)?);
    let inner = |entry: &Field| Fields::from(nested::fields(entry.data_type()));
    let (fields, kept, shapes) = narrow_all(chosen, &inner(&entry), &inner(&stored_entry), shapes);
    let mut shapes = shapes.into_iter();
    let around = |outer: &FieldRef, entry: &FieldRef, fields: Vec<FieldRef>| match &*fields {
        [only] => with_type(outer, DataType::List(only.clone())),
        _ => {
            let entry = with_type(entry, DataType::Struct(fields.into()));
            with_type(outer, nested::map_fields(outer.data_type(), |_| entry.clone()))
        }
    };
    let (field, stored) = (around(field, &entry, fields), around(stored, &stored_entry, kept));
    let first = Box::new(shapes.next()?);
    let shape = match shapes.next() {
        None => FieldLayout::List { counts, inner: first },
        Some(value) => FieldLayout::Map { counts, key: first, value: Box::new(value) },
    };
    Some((field, stored, shape))
}

/// Returns a union of narrower branches, or a struct of some of them.
fn narrow_union(
    chosen: &BTreeMap<usize, Mask>,
    field: &FieldRef,
    stored: &FieldRef,
    branches: &[(Option<usize>, FieldLayout)],
) -> (FieldRef, FieldRef, FieldLayout) {
    let inner = |field: &Field| Fields::from(nested::fields(field.data_type()));
    let shapes: Vec<_> = branches.iter().map(|(_, shape)| shape.clone()).collect();
    let (fields, kept, shapes) = narrow_all(chosen, &inner(field), &inner(stored), &shapes);
    let counts = branches.iter().enumerate().filter(|(index, _)| chosen.contains_key(index));
    let counts = counts.map(|(_, (counts, _))| *counts);
    if shapes.len() == branches.len() {
        let around = |outer: &FieldRef, fields: Vec<FieldRef>| {
            let mut fields = fields.into_iter();
            let narrowed = |field: &FieldRef| fields.next().unwrap_or_else(|| field.clone());
            with_type(outer, nested::map_fields(outer.data_type(), narrowed))
        };
        let shape = FieldLayout::Union(counts.zip(shapes).collect());
        return (around(field, fields), around(stored, kept), shape);
    }
    let optional = |(counts, inner): (Option<usize>, FieldLayout)| match counts {
        Some(counts) => FieldLayout::Optional { counts, inner: Box::new(inner) },
        None => inner,
    };
    let nullable = |fields: Vec<FieldRef>| -> DataType {
        let nullable = |field: &FieldRef| Field::clone(field).with_nullable(true);
        DataType::Struct(fields.iter().map(nullable).collect())
    };
    let shape = FieldLayout::Record(counts.zip(shapes).map(optional).collect());
    (with_type(field, nullable(fields)), with_type(stored, nullable(kept)), shape)
}

fn with_type(field: &Field, data_type: DataType) -> FieldRef {
    Arc::new(field.clone().with_data_type(data_type))
}
