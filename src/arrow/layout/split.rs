//! The split layout: counts and values are in separate columns.
//!
//! ```text
//! at path p           columns                                               children
//! optional            p      null array, 0 or 1 a row                       at p, parent p
//! value               p
//! list                p[]    null array, a row's items                      item at p[], parent p[]
//! map                 p>     null array, a row's entries                    at p>key and p>value, parent p>
//! struct                                                                    at p#f of each field f
//! union               p/b    null array, 0 or 1 a row, of each branch b     at p/b, parent p/b
//! ```
//! A column whose name would equal its parent's gets the suffix `#value`, and so do the names below it. An optional
//! int `x` is `x` and `x#value`, a list of optional ints `x[]`, `x[]#value`, `x[]#value#value`. Null fields are a
//! null column and are never optional. Unions are never optional, but their branches are. Top-level fields have no
//! parent.
//!
//! Under a value codec an optional leaf, and a list of leaves that are not optional, are joined: one array column `p`,
//! or `p[]`, of the leaf's own type holds counts and values. Readers know it by its type, which is not null.
//!
//! Names need not differ from each other, nor be free of `#` and the like: every name is longer than its parent's,
//! so the nearest column before it of the parent's name is its parent.

use std::borrow::Cow;

use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use super::field_layout::{COUNTS, FieldLayout, LayoutPlan};
use crate::arrow::array::nested;
use crate::arrow::leaf::types;
use crate::error::{Error, Result};

/// Returns the plan of fields from which dictionaries and run-ends are gone.
pub(crate) fn plan(fields: &Fields, joins: Joins<'_>) -> Result<LayoutPlan> {
    let mut planner = Planner { plan: LayoutPlan::default(), joins };
    for field in fields {
        let shape = planner.node(field, field.name(), None)?;
        planner.plan.shapes.push(shape);
    }
    Ok(planner.plan)
}

/// Whether the column of this number and name is to hold counts and values together.
pub(crate) type Joins<'a> = &'a dyn Fn(usize, &str) -> bool;

struct Planner<'a> {
    plan: LayoutPlan,
    joins: Joins<'a>,
}

impl Planner<'_> {
    fn node(&mut self, field: &Field, path: &str, parent: Option<&str>) -> Result<FieldLayout> {
        if !is_optional(field) {
            return self.required(field, path, parent);
        }
        let path = own(path, parent);
        if let Some(column) = self.joined(field, &path, parent) {
            return Ok(FieldLayout::Optional {
                counts: column,
                inner: Box::new(FieldLayout::Leaf { column }),
            });
        }
        let counts = self.plan.push(&path, COUNTS, parent, true);
        let inner = self.required(field, &path, Some(&path))?;
        Ok(FieldLayout::Optional { counts, inner: Box::new(inner) })
    }

    /// Returns the one column of a leaf and its counts, if they are joined.
    fn joined(&mut self, leaf: &Field, path: &str, parent: Option<&str>) -> Option<usize> {
        let accepts = types::accepts(leaf.data_type()).filter(|accepts| *accepts != COUNTS)?;
        let joins = (self.joins)(self.plan.columns.len(), path);
        joins.then(|| self.plan.push(path, accepts, parent, true))
    }

    fn required(&mut self, field: &Field, path: &str, parent: Option<&str>) -> Result<FieldLayout> {
        match field.data_type() {
            DataType::Map(entries, _) => self.map(entries, path, parent),
            DataType::Struct(fields) => {
                let child = |f: &FieldRef| self.node(f, &format!("{path}#{}", f.name()), parent);
                Ok(FieldLayout::Record(fields.iter().map(child).collect::<Result<_>>()?))
            }
            DataType::Union(fields, _) => {
                let branch = |(_, f): (i8, &FieldRef)| {
                    let path = format!("{path}/{}", f.name());
                    let counts = self.plan.push(&path, COUNTS, parent, true);
                    Ok((Some(counts), self.node(f, &path, Some(&path))?))
                };
                Ok(FieldLayout::Union(fields.iter().map(branch).collect::<Result<_>>()?))
            }
            data_type => {
                if let Some(item) = nested::item(data_type) {
                    let path = format!("{path}[]");
                    let joined = match is_optional(item) {
                        true => None,
                        false => self.joined(item, &path, parent),
                    };
                    if let Some(column) = joined {
                        let inner = Box::new(FieldLayout::Leaf { column });
                        return Ok(FieldLayout::List { counts: column, inner });
                    }
                    let counts = self.plan.push(&path, COUNTS, parent, true);
                    let inner = self.node(item, &path, Some(&path))?;
                    return Ok(FieldLayout::List { counts, inner: Box::new(inner) });
                }
                let Some(accepts) = types::accepts(data_type) else {
                    return Err(Error::unsupported(format!("field {path}: type {data_type}")));
                };
                let column = self.plan.push(&own(path, parent), accepts, parent, false);
                Ok(FieldLayout::Leaf { column })
            }
        }
    }

    fn map(&mut self, entries: &Field, path: &str, parent: Option<&str>) -> Result<FieldLayout> {
        let path = format!("{path}>");
        let (key, value) = types::entry(entries)?;
        let counts = self.plan.push(&path, COUNTS, parent, true);
        let key = self.node(key, &format!("{path}key"), Some(&path))?;
        let value = self.node(value, &format!("{path}value"), Some(&path))?;
        Ok(FieldLayout::Map { counts, key: Box::new(key), value: Box::new(value) })
    }
}

/// Returns whether nulls need counts: null fields are nothing but nulls, unions leave them to their branches.
fn is_optional(field: &Field) -> bool {
    field.is_nullable() && !matches!(field.data_type(), DataType::Null | DataType::Union(..))
}

/// Returns the path of a column that is not its parent's.
fn own<'a>(path: &'a str, parent: Option<&str>) -> Cow<'a, str> {
    if parent == Some(path) { Cow::Owned(format!("{path}#value")) } else { Cow::Borrowed(path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn names(field: Field, joins: Joins<'_>) -> String {
        let plan = plan(&Fields::from(vec![field]), joins).unwrap();
        let names = plan.columns.iter().map(|c| match c.metadata.parent() {
            Some(parent) => format!("{}<{parent}", c.metadata.name()),
            None => c.metadata.name().to_owned(),
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_follow_the_scheme() {
        let int = |name: &str, nullable| Field::new(name, DataType::Int32, nullable);
        let list = |item| DataType::List(Arc::new(item));
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        for (field, expected) in [
            (int("x", false), "x"),
            (int("x", true), "x x#value<x"),
            (Field::new("x", DataType::Null, true), "x"),
            (Field::new("x", list(int("item", false)), false), "x[] x[]#value<x[]"),
            (
                Field::new("x", list(int("item", true)), true),
                "x x[]<x x[]#value<x[] x[]#value#value<x[]#value",
            ),
            (
                Field::new("x", list(Field::new("i", list(int("i", false)), false)), false),
                "x[] x[][]<x[] x[][]#value<x[][]",
            ),
            (
                Field::new("x", of(vec![int("a", true), int("", false)]), true),
                "x x#a<x x#a#value<x#a x#<x",
            ),
            (Field::new("x", of(vec![]), false), ""),
            (
                Field::new_map("x", "e", int("k", false), int("v", true), false, false),
                "x> x>key<x> x>value<x> x>value#value<x>value",
            ),
        ] {
            assert_eq!(names(field, &|_, _| false), expected);
        }
    }

    #[test]
    fn joined_leaves_need_no_column_of_their_own() {
        let int = |name: &str, nullable| Field::new(name, DataType::Int32, nullable);
        let list = |item| DataType::List(Arc::new(item));
        for (field, expected) in [
            (int("x", true), "x"),
            (Field::new("x", list(int("item", false)), false), "x[]"),
            (Field::new("x", list(int("item", true)), true), "x x[]<x x[]#value<x[]"),
            (Field::new("x", list(int("item", false)), true), "x x[]<x"),
            (
                Field::new("x", list(Field::new("i", DataType::Null, true)), false),
                "x[] x[]#value<x[]",
            ),
        ] {
            assert_eq!(names(field, &|_, _| true), expected);
        }
    }
}
