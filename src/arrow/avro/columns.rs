//! The columns of the Avro layout, as Java's `AvroColumnator` makes them.
//!
//! ```text
//! at path p        columns
//! simple           p           the value; an enum is its ordinal
//! record                       its fields at p#f
//! array            p[]         of simple items: the items; else a null array, and the item at p[] below it
//! map              p>          null array, and below it p>key and the value at p>value
//! union            p/b         of each branch but null: of a simple one 0 or 1 values; else a null array, and
//!                              the branch at p/b below it
//! ```
//! At the top the path is empty: a record's fields start at their names, an array at `[]`, a map at `>`, the
//! branches of a union at their names, and a simple type is named like itself.

use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use super::Avro;
use crate::arrow::array::nested;
use crate::arrow::layout::field_layout::{COUNTS, FieldLayout, LayoutPlan};
use crate::arrow::leaf::types;
use crate::error::{Error, Result};

/// Plans the columns of stored fields under an Avro schema.
pub(crate) fn plan(avro: &Avro, fields: &Fields) -> Result<LayoutPlan> {
    let mut plan = LayoutPlan::default();
    let shapes = match (avro, fields.as_ref()) {
        (Avro::Record { fields: avros, .. }, fields) => record(&mut plan, avros, fields, "", None)?,
        (avro, [field]) => vec![node(&mut plan, avro, field, "", None)?],
        _ => return Err(unfit("", avro, fields.len())),
    };
    plan.shapes = shapes;
    Ok(plan)
}

fn node(
    plan: &mut LayoutPlan,
    avro: &Avro,
    field: &Field,
    path: &str,
    parent: Option<&str>,
) -> Result<FieldLayout> {
    match avro {
        Avro::Record { fields: avros, .. } => match field.data_type() {
            DataType::Struct(fields) => {
                record(plan, avros, fields, path, parent).map(FieldLayout::Record)
            }
            other => Err(unfit(path, avro, other)),
        },
        Avro::Array(inner) => {
            let data_type = field.data_type();
            let item = nested::item(data_type).ok_or_else(|| unfit(path, avro, data_type))?;
            let (counts, inner) = array(plan, inner, item, &format!("{path}[]"), parent)?;
            Ok(FieldLayout::List { counts, inner: Box::new(inner) })
        }
        Avro::Map(inner) => {
            let DataType::Map(entries, _) = field.data_type() else {
                return Err(unfit(path, avro, field.data_type()));
            };
            let (key, value) = types::entry(entries)?;
            let path = format!("{path}>");
            let counts = plan.push(&path, COUNTS, parent, true);
            let string = Avro::Primitive(super::Primitive::String, None);
            let key = node(plan, &string, key, &format!("{path}key"), Some(&path))?;
            let value = node(plan, inner, value, &format!("{path}value"), Some(&path))?;
            Ok(FieldLayout::Map { counts, key: Box::new(key), value: Box::new(value) })
        }
        Avro::Union(branches) => union(plan, branches, field, path, parent),
        simple => {
            let path = if path.is_empty() { simple.full_name() } else { path };
            Ok(FieldLayout::Leaf { column: leaf(plan, simple, field, path, parent, false)? })
        }
    }
}

fn record(
    plan: &mut LayoutPlan,
    avros: &[(String, Avro)],
    fields: &[FieldRef],
    path: &str,
    parent: Option<&str>,
) -> Result<Vec<FieldLayout>> {
    if avros.len() != fields.len() {
        let what = format!("a record of {} fields for {} in Arrow", avros.len(), fields.len());
        return Err(Error::malformed(format!("avro.schema: {path} is {what}")));
    }
    let fields = avros.iter().zip(fields);
    let field = |((name, avro), field): (&(String, Avro), &FieldRef)| {
        node(plan, avro, field, &below(path, "#", name), parent)
    };
    fields.map(field).collect()
}

/// Returns an array column of simple values, or one of counts with its values below.
fn array(
    plan: &mut LayoutPlan,
    avro: &Avro,
    field: &Field,
    path: &str,
    parent: Option<&str>,
) -> Result<(usize, FieldLayout)> {
    if avro.value_type().is_some() {
        let column = leaf(plan, avro, field, path, parent, true)?;
        return Ok((column, FieldLayout::Leaf { column }));
    }
    let counts = plan.push(path, COUNTS, parent, true);
    Ok((counts, node(plan, avro, field, path, Some(path))?))
}

fn leaf(
    plan: &mut LayoutPlan,
    avro: &Avro,
    field: &Field,
    path: &str,
    parent: Option<&str>,
    is_array: bool,
) -> Result<usize> {
    let fits = avro.value_type().zip(types::accepts(field.data_type()));
    match fits.filter(|(value_type, accepts)| accepts.contains(value_type)) {
        Some((value_type, accepts)) => {
            let column = plan.push_as(path, value_type, accepts, parent, is_array);
            if let (Avro::Fixed { size, .. }, Some(planned)) = (avro, plan.columns.last_mut()) {
                planned.size = usize::try_from(*size).ok();
            }
            Ok(column)
        }
        None => Err(unfit(path, avro, field.data_type())),
    }
}

fn union(
    plan: &mut LayoutPlan,
    branches: &[Avro],
    field: &Field,
    path: &str,
    parent: Option<&str>,
) -> Result<FieldLayout> {
    if let DataType::Union(fields, _) = field.data_type() {
        if fields.len() != branches.len() {
            let what = format!("{} branches for {} in Arrow", branches.len(), fields.len());
            return Err(Error::malformed(format!("avro.schema: {path} has {what}")));
        }
        let branch = |(avro, (_, field)): (&Avro, (i8, &FieldRef))| {
            if avro.is_null() {
                return Ok((None, FieldLayout::Nothing));
            }
            let path = below(path, "/", avro.full_name());
            array(plan, avro, field, &path, parent).map(|(counts, shape)| (Some(counts), shape))
        };
        let branches = branches.iter().zip(fields.iter()).map(branch);
        return Ok(FieldLayout::Union(branches.collect::<Result<_>>()?));
    }
    match branches {
        [null] if null.is_null() && field.data_type().is_null() => Ok(FieldLayout::Nothing),
        [null, avro] | [avro, null] if null.is_null() && !avro.is_null() => {
            let path = below(path, "/", avro.full_name());
            let (counts, inner) = array(plan, avro, field, &path, parent)?;
            Ok(FieldLayout::Optional { counts, inner: Box::new(inner) })
        }
        _ => Err(unfit(path, &Avro::Union(branches.to_vec()), field.data_type())),
    }
}

fn below(path: &str, mark: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}{mark}{name}") }
}

fn unfit(path: &str, avro: &Avro, arrow: impl std::fmt::Display) -> Error {
    let avro = avro.full_name();
    Error::malformed(format!("avro.schema: {path:?} is {avro}, which does not fit {arrow}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::Layout;
    use super::super::to_arrow;
    use super::*;
    use crate::arrow::encoded::stored_fields;

    fn names(text: &str) -> Vec<String> {
        let avro = Avro::parse(text.as_bytes()).unwrap();
        let fields = stored_fields(to_arrow(&avro).unwrap().fields(), Layout::Avro);
        let plan = plan(&avro, &fields).unwrap();
        plan.columns.iter().map(|column| column.metadata.name().to_owned()).collect()
    }

    #[test]
    fn the_dremel_example() {
        let list = |inner: &str| format!(r#"{{"type":"array","items":{inner}}}"#);
        let field = |name: &str, t: &str| format!(r#"{{"name":"{name}","type":{t}}}"#);
        let record = |name: &str, fields: &[String]| {
            format!(r#"{{"type":"record","name":"{name}","fields":[{}]}}"#, fields.join(","))
        };
        let optional = |t: &str| format!(r#"["null",{t}]"#);
        let longs = list(r#""long""#);
        let links = record("Links", &[field("Backward", &longs), field("Forward", &longs)]);
        let country = field("Country", &optional(r#""string""#));
        let language = record("Language", &[field("Code", r#""string""#), country]);
        let url = field("Url", &optional(r#""string""#));
        let name = record("Name", &[field("Language", &list(&language)), url]);
        let document = record(
            "Document",
            &[
                field("DocId", r#""long""#),
                field("Links", &optional(&links)),
                field("Name", &list(&name)),
            ],
        );
        let expected = "DocId, Links/Links, Links/Links#Backward[], Links/Links#Forward[], Name[], \
            Name[]#Language[], Name[]#Language[]#Code, Name[]#Language[]#Country/string, \
            Name[]#Url/string";
        assert_eq!(names(&document).join(", "), expected);
    }

    #[test]
    fn names_at_the_top() {
        let kind = r#"{"type":"enum","name":"Kind","symbols":["A"]}"#;
        for (text, expected) in [
            (r#""int""#, "int"),
            (kind, "Kind"),
            (r#"{"type":"array","items":"int"}"#, "[]"),
            (r#"{"type":"array","items":["int","null"]}"#, "[] []/int"),
            (r#"{"type":"map","values":"int"}"#, "> >key >value"),
            (
                r#"["string","null",{"type":"map","values":"int"}]"#,
                "string map map> map>key map>value",
            ),
            (r#"["null"]"#, ""),
            (
                r#"{"type":"array","items":{"type":"map","values":{"type":"array","items":"int"}}}"#,
                "[] []> []>key []>value[]",
            ),
        ] {
            assert_eq!(names(text).join(" "), expected, "{text}");
        }
    }
}
