//! Infers the schema of a file that stores none from its columns.
//!
//! ```text
//! column without an array      its values        int, fixed32 -> int32    long, fixed64 -> int64
//! array, no children           list of them      string -> utf8           bytes -> binary
//! null array with children     list of structs of its children
//! other array with children    the same, with its own values first as `value$`
//! ```
//! A child is named after its column, without the parent's name as a prefix and one character after it that is
//! neither a letter nor a digit. So `Links#Forward[]` is `Forward[]` in `Links`.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use crate::arrow::layout::field_layout::FieldLayout;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::column_tree::ColumnTree;
use crate::format::value::ValueType;

/// Columns nested deeper than this are refused.
const DEEPEST: usize = 100;

/// Returns the fields and shapes of columns.
pub(crate) fn fields(columns: &[ColumnMetadata]) -> Result<(Fields, Vec<FieldLayout>)> {
    let children = children(columns)?;
    let tree = Tree { columns, children: &children };
    let roots = columns.iter().enumerate().filter(|(_, column)| column.parent().is_none());
    let nodes = roots.map(|(at, column)| tree.node(at, column.name().to_owned(), 0));
    let nodes = nodes.collect::<Result<Vec<_>>>()?;
    let (fields, shapes): (Vec<FieldRef>, _) = nodes.into_iter().unzip();
    Ok((fields.into(), shapes))
}

/// Returns the children of each column.
fn children(columns: &[ColumnMetadata]) -> Result<Vec<Vec<usize>>> {
    let tree = ColumnTree::new(columns)?;
    let mut children = vec![Vec::new(); columns.len()];
    for at in 0..columns.len() {
        if let Some(siblings) = tree.parent(at).and_then(|parent| children.get_mut(parent)) {
            siblings.push(at);
        }
    }
    Ok(children)
}

struct Tree<'a> {
    columns: &'a [ColumnMetadata],
    children: &'a [Vec<usize>],
}

impl Tree<'_> {
    fn node(&self, at: usize, name: String, depth: usize) -> Result<(FieldRef, FieldLayout)> {
        let (Some(column), Some(children)) = (self.columns.get(at), self.children.get(at)) else {
            return Err(Error::malformed(format!("no column {at}")));
        };
        if depth > DEEPEST {
            let what = format!("columns nested deeper than {DEEPEST}");
            return Err(Error::unsupported(what).in_column(column.name()));
        }
        let (value, leaf) = (data_type(column.value_type()), FieldLayout::Leaf { column: at });
        let nullable = value.is_null();
        if !column.is_array() {
            return Ok((Arc::new(Field::new(name, value, nullable)), leaf));
        }
        if children.is_empty() {
            let item = Arc::new(Field::new_list_field(value, nullable));
            return Ok(list(at, name, item, leaf));
        }
        let own = (!nullable).then(|| (Arc::new(Field::new("value$", value, false)), leaf));
        let nodes = children.iter().map(|child| self.child(column, *child, depth + 1));
        let nodes = own.map(Ok).into_iter().chain(nodes).collect::<Result<Vec<_>>>()?;
        let (fields, shapes): (Vec<FieldRef>, _) = nodes.into_iter().unzip();
        let item = Field::new_list_field(DataType::Struct(fields.into()), false);
        Ok(list(at, name, Arc::new(item), FieldLayout::Record(shapes)))
    }

    fn child(
        &self,
        parent: &ColumnMetadata,
        at: usize,
        depth: usize,
    ) -> Result<(FieldRef, FieldLayout)> {
        let name = self.columns.get(at).map_or("", ColumnMetadata::name);
        self.node(at, short_name(name, parent.name()).to_owned(), depth)
    }
}

fn list(
    counts: usize,
    name: String,
    item: FieldRef,
    inner: FieldLayout,
) -> (FieldRef, FieldLayout) {
    let field = Field::new(name, DataType::List(item), false);
    (Arc::new(field), FieldLayout::List { counts, inner: Box::new(inner) })
}

fn short_name<'a>(name: &'a str, parent: &str) -> &'a str {
    let rest = name.strip_prefix(parent).unwrap_or(name);
    rest.strip_prefix(|first: char| !first.is_alphanumeric()).unwrap_or(rest)
}

fn data_type(value_type: ValueType) -> DataType {
    match value_type {
        ValueType::Null => DataType::Null,
        ValueType::Boolean => DataType::Boolean,
        ValueType::Int | ValueType::Fixed32 => DataType::Int32,
        ValueType::Long | ValueType::Fixed64 => DataType::Int64,
        ValueType::Float => DataType::Float32,
        ValueType::Double => DataType::Float64,
        ValueType::String => DataType::Utf8,
        ValueType::Bytes => DataType::Binary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_fields() {
        let column = ColumnMetadata::new;
        let columns = [
            column("_id", ValueType::Fixed64),
            column("tags", ValueType::String).array(),
            column("Links", ValueType::Null).array(),
            column("Links#Forward[]", ValueType::Long).with_parent("Links").array(),
            column("v", ValueType::Int).array(),
            column("v#x", ValueType::Boolean).with_parent("v"),
            column("other", ValueType::Null).with_parent("v"),
        ];
        let (fields, shapes) = fields(&columns).unwrap();
        let item = |t, nullable| Arc::new(Field::new_list_field(t, nullable));
        let list = |t| DataType::List(item(t, false));
        let of = |fields: Vec<Field>| list(DataType::Struct(fields.into()));
        let expected = vec![
            Field::new("_id", DataType::Int64, false),
            Field::new("tags", list(DataType::Utf8), false),
            Field::new(
                "Links",
                of(vec![Field::new("Forward[]", list(DataType::Int64), false)]),
                false,
            ),
            Field::new(
                "v",
                of(vec![
                    Field::new("value$", DataType::Int32, false),
                    Field::new("x", DataType::Boolean, false),
                    Field::new("other", DataType::Null, true),
                ]),
                false,
            ),
        ];
        assert_eq!(fields, Fields::from(expected));
        let mut all = Vec::new();
        shapes.iter().for_each(|shape| shape.columns(&mut all));
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_chain_of_parents_ends() {
        let mut columns = vec![ColumnMetadata::new("0", ValueType::Null).array()];
        for i in 1..100_000 {
            let column = ColumnMetadata::new(i.to_string(), ValueType::Null).array();
            columns.push(column.with_parent((i - 1).to_string()));
        }
        assert!(fields(&columns).unwrap_err().to_string().contains("deeper"));
        assert!(fields(&columns[1..2]).unwrap_err().to_string().contains("no array column"));
    }
}
