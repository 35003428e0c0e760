//! Renames fields: where two have the same name, or a format does not allow a name.
//!
//! ```text
//!              a, a, b c          {"x y": Int64, "x-y": Int64}
//! Unique       a, a_2, b c        unchanged
//! Avro         a, a_2, b_c        {"x_y": Int64, "x_y_2": Int64}
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions, make_array,
};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, UnionFields};
use arrow::error::ArrowError;

use super::Rows;
#[cfg(feature = "json")]
use trevni::Error;
use trevni::Result;
use trevni::arrow::{ORIGINAL_NAME_KEY, legal_avro_name};

/// The names that fields get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Fields that have the name of an earlier one get a number: `a`, `a_2`, `a_3`.
    Unique,
    /// Names that Avro accepts: `_` replaces each character that is not an ASCII letter, a digit or `_`. They are
    /// unique, and the metadata of the field keeps the original name (`avro.original_name`).
    Avro,
}

/// Renames fields, nested ones included. Rows whose names are valid are returned unchanged.
pub fn rename_fields(rows: Rows, naming: Naming) -> Result<Rows> {
    let schema = rows.schema();
    let fields = renamed(schema.fields(), naming);
    if fields == *schema.fields() {
        return Ok(rows);
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let to = schema.clone();
    let batches = rows.map(move |batch| with_schema(&batch?, &to));
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
}

/// Fails if two fields of a record have the same name.
#[cfg(feature = "json")]
pub(super) fn refuse_duplicates(schema: &Schema) -> Result<()> {
    match duplicate(&DataType::Struct(schema.fields().clone())) {
        Some(name) => Err(Error::invalid(format!(
            "two fields are named {name:?}, but an object can hold only one (--rename-duplicates renames them)"
        ))),
        None => Ok(()),
    }
}

#[cfg(feature = "json")]
fn duplicate(data_type: &DataType) -> Option<String> {
    let (inner, mut names) = (inner_fields(data_type), HashSet::new());
    if matches!(data_type, DataType::Struct(_))
        && let Some(field) = inner.iter().find(|field| !names.insert(field.name().as_str()))
    {
        return Some(field.name().clone());
    }
    inner.iter().find_map(|field| duplicate(field.data_type()))
}

/// Returns the fields of a record with unique names.
fn renamed(fields: &Fields, naming: Naming) -> Fields {
    let base = |field: &FieldRef| match naming {
        Naming::Unique => field.name().clone(),
        Naming::Avro => legal_avro_name(field.name()),
    };
    let bases: Vec<String> = fields.iter().map(base).collect();
    // No number makes a name that another field has.
    let reserved: HashSet<&str> = bases.iter().map(String::as_str).collect();
    let mut used = HashSet::new();
    // The next number of each base, so that many fields of one name are not compared with each other.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let fields = fields.iter().zip(&bases).map(|(field, base)| {
        let mut name = base.clone();
        while used.contains(&name) || (name != *base && reserved.contains(name.as_str())) {
            let number = numbers.entry(base).or_insert(2);
            name = format!("{base}_{number}");
            *number += 1;
        }
        used.insert(name.clone());
        let mut metadata = field.metadata().clone();
        if naming == Naming::Avro && name != *field.name() {
            let original = metadata.get(ORIGINAL_NAME_KEY).unwrap_or(field.name()).clone();
            metadata.insert(ORIGINAL_NAME_KEY.to_owned(), original);
        }
        let of = Field::clone(field).with_name(name).with_metadata(metadata);
        Arc::new(of.with_data_type(renamed_type(field.data_type(), naming)))
    });
    fields.collect()
}

/// Returns a type whose records have fields with names of their own.
fn renamed_type(data_type: &DataType, naming: Naming) -> DataType {
    let inner = |field: &FieldRef| {
        let data_type = renamed_type(field.data_type(), naming);
        Arc::new(Field::clone(field).with_data_type(data_type))
    };
    match data_type {
        DataType::Struct(fields) => DataType::Struct(renamed(fields, naming)),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::ListView(item) => DataType::ListView(inner(item)),
        DataType::LargeListView(item) => DataType::LargeListView(inner(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inner(item), *size),
        DataType::Map(entries, is_sorted) => {
            // Key and value are identified by their position.
            let DataType::Struct(fields) = entries.data_type() else { return data_type.clone() };
            let fields = DataType::Struct(fields.iter().map(inner).collect());
            DataType::Map(Arc::new(Field::clone(entries).with_data_type(fields)), *is_sorted)
        }
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(renamed_type(values, naming)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), inner(values))
        }
        DataType::Union(fields, mode) => {
            let fields: UnionFields = fields.iter().map(|(id, field)| (id, inner(field))).collect();
            DataType::Union(fields, *mode)
        }
        other => other.clone(),
    }
}

/// Returns the fields directly in a type, as its child data has them.
fn inner_fields(data_type: &DataType) -> Vec<FieldRef> {
    match data_type {
        DataType::Struct(fields) => fields.iter().cloned().collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.clone()],
        DataType::Dictionary(_, values) => {
            vec![Arc::new(Field::new("values", values.as_ref().clone(), true))]
        }
        DataType::RunEndEncoded(ends, values) => vec![ends.clone(), values.clone()],
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.clone()).collect(),
        _ => Vec::new(),
    }
}

fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| {
        if column.data_type() == field.data_type() {
            return Ok(column.clone());
        }
        Ok(make_array(with_type(column.to_data(), field.data_type())?))
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}

/// Returns the same data of a type that differs in the names of fields.
fn with_type(data: ArrayData, to: &DataType) -> Result<ArrayData, ArrowError> {
    if data.data_type() == to {
        return Ok(data);
    }
    let inner = data.child_data().iter().cloned().zip(inner_fields(to));
    let inner = inner.map(|(data, field)| with_type(data, field.data_type()));
    let inner = inner.collect::<Result<Vec<_>, _>>()?;
    data.into_builder().data_type(to.clone()).child_data(inner).build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_rows;

    fn names(fields: &[&str], naming: Naming) -> Vec<String> {
        let fields: Fields =
            fields.iter().map(|name| Field::new(*name, DataType::Int8, true)).collect();
        renamed(&fields, naming).iter().map(|field| field.name().clone()).collect()
    }

    #[test]
    fn names_become_unique_and_legal() {
        let (unique, avro) = (Naming::Unique, Naming::Avro);
        for (before, naming, after) in [
            (&["a", "b"][..], unique, &["a", "b"][..]),
            (&["a", "a", "a"], unique, &["a", "a_2", "a_3"]),
            (&["a", "a", "a_2", "a_3"], unique, &["a", "a_4", "a_2", "a_3"]),
            (&["b c", "b c"], unique, &["b c", "b c_2"]),
            (&["", ""], unique, &["", "_2"]),
            (&["b c", "b-c", "b_c"], avro, &["b_c", "b_c_2", "b_c_3"]),
            (&["", "1a", "Größe", "日本"], avro, &["_", "_1a", "Gr__e", "__"]),
            (&["int", "x.y"], avro, &["int", "x_y"]),
        ] {
            assert_eq!(names(before, naming), after, "{before:?}");
        }
    }

    #[test]
    fn nested_fields_are_renamed_and_values_stay() {
        let int = |name: &str| Field::new(name, DataType::Int32, true);
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        let inner = of(vec![int("x y"), int("x y"), int("z")]);
        let item = Arc::new(Field::new("item", inner.clone(), true));
        let entries = of(vec![
            Field::new("key", DataType::Utf8, false),
            Field::new("value", inner.clone(), true),
        ]);
        let fields = vec![
            int("a"),
            int("a"),
            Field::new("s", inner.clone(), true),
            Field::new("l", DataType::List(item.clone()), true),
            Field::new("v", DataType::ListView(item.clone()), true),
            Field::new("f", DataType::FixedSizeList(item, 2), true),
            Field::new(
                "m",
                DataType::Map(Arc::new(Field::new("entries", entries, false)), false),
                true,
            ),
        ];
        let schema = Arc::new(Schema::new(fields));
        for naming in [Naming::Unique, Naming::Avro] {
            let renamed = rename_fields(random_rows(schema.clone(), 100, 7, 30), naming).unwrap();
            let names = renamed.schema();
            let text = format!("{:?}", names.fields());
            assert_eq!(text.contains("name: \"x y\""), naming == Naming::Unique, "{text}");
            let before = random_rows(schema.clone(), 100, 7, 30);
            for (before, after) in before.zip(renamed) {
                let (before, after) = (before.unwrap(), after.unwrap());
                assert_eq!(after.schema(), names);
                for (before, after) in before.columns().iter().zip(after.columns()) {
                    let back = with_type(after.to_data(), before.data_type()).unwrap();
                    assert_eq!(back, before.to_data());
                }
            }
        }
    }

    #[cfg(feature = "json")]
    #[test]
    fn duplicates_are_found_at_any_depth() {
        let int = |name: &str| Field::new(name, DataType::Int32, true);
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        let list = |item| DataType::List(Arc::new(Field::new("item", item, true)));
        for (data_type, is_fine) in [
            (of(vec![int("a"), int("b")]), true),
            (of(vec![int("a"), int("a")]), false),
            (list(list(of(vec![int("a"), int("a")]))), false),
            (list(of(vec![int("f")])), true),
        ] {
            let schema = Schema::new(vec![Field::new("f", data_type, true)]);
            assert_eq!(refuse_duplicates(&schema).is_ok(), is_fine, "{schema}");
        }
    }
}
