//! The columns of a file that are read, and their types.
//!
//! ```text
//! names of the file ──► selected ones ──► type declared? by --type, by a schema ──► columns
//!                                                 else inferred
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::column::Column;
use super::inferred_type::InferredType;
use super::nulls::Nulls;
use super::options::CsvReadOptions;
use crate::ReadOptions;
use crate::csv::column::declared_types;
use crate::data_type::is_text;
use trevni::arrow::Predicate;
use trevni::{Error, Result};

/// The columns of a file that are wanted.
#[derive(Debug)]
pub(super) struct ColumnPlan {
    /// How many columns the file has.
    pub(super) columns: usize,
    wanted: Vec<Wanted>,
    metadata: std::collections::HashMap<String, String>,
}

#[derive(Debug)]
struct Wanted {
    at: usize,
    name: String,
    given: Option<FieldRef>,
}

impl ColumnPlan {
    /// Fails if types are declared for columns that do not exist, or that CSV cannot hold.
    pub(super) fn new(names: &[String], options: &ReadOptions) -> Result<Self> {
        let mut given: Vec<Option<FieldRef>> = vec![None; names.len()];
        let mut names = names.to_vec();
        if let Some(schema) = &options.schema {
            if options.csv.header {
                by_name(schema, &names, &mut given)?;
            } else {
                by_place(schema, &mut names, &mut given)?;
            }
        }
        for field in &options.types {
            let name = field.name();
            find(name, &names)?;
            for (slot, _) in given.iter_mut().zip(&names).filter(|(_, other)| *other == name) {
                *slot = Some(field.clone());
            }
        }
        for field in given.iter().flatten() {
            let data_type = field.data_type();
            if !declared_types::is_readable(data_type) {
                let name = field.name();
                return Err(Error::invalid(format!("column {name:?}: CSV holds no {data_type}")));
            }
        }
        let is_wanted = wanted(&names, options);
        let wanted = names.iter().zip(given).enumerate();
        let wanted = wanted.filter(|(_, (name, _))| is_wanted(name));
        let wanted = wanted.map(|(at, (name, given))| Wanted { at, name: name.clone(), given });
        let metadata = options.schema.as_ref().map(|schema| schema.metadata().clone());
        Ok(Self {
            columns: names.len(),
            wanted: wanted.collect(),
            metadata: metadata.unwrap_or_default(),
        })
    }

    /// Returns the indices of the selected columns.
    pub(super) fn places(&self) -> Vec<usize> {
        self.wanted.iter().map(|wanted| wanted.at).collect()
    }

    /// Returns the indices of the selected columns whose types are inferred.
    pub(super) fn to_infer(&self) -> Vec<usize> {
        let without = self.wanted.iter().filter(|wanted| wanted.given.is_none());
        without.map(|wanted| wanted.at).collect()
    }

    /// Returns the types to infer, if a schema that was inferred before has them all.
    pub(super) fn known(&self, schema: &Schema) -> Option<Vec<InferredType>> {
        // Both are in the order of the file, which matters where columns have one name.
        let (mut fields, mut kinds) = (schema.fields().iter(), Vec::new());
        for wanted in &self.wanted {
            let field = fields.find(|field| *field.name() == wanted.name)?;
            if wanted.given.is_none() {
                kinds.push(InferredType::of(field.data_type())?);
            }
        }
        Some(kinds)
    }

    /// Returns the columns, with the types that were inferred.
    pub(super) fn columns(
        self,
        kinds: &[InferredType],
        options: &ReadOptions,
    ) -> (SchemaRef, Vec<Column>) {
        let mut kinds = kinds.iter();
        let columns = self.wanted.into_iter().map(|wanted| {
            let kind = match &wanted.given {
                Some(_) => None,
                None => match kinds.next() {
                    Some(InferredType::Null) if options.null_columns => Some(InferredType::Null),
                    // Types of all rows may be others.
                    Some(InferredType::Null | InferredType::EmptyText) => {
                        match options.reads_again && options.infer_rows != Some(0) {
                            true => Some(InferredType::EmptyText),
                            false => Some(InferredType::Text),
                        }
                    }
                    Some(InferredType::Decimal(_)) if options.lossy => Some(InferredType::Float),
                    kind => Some(kind.copied().unwrap_or(InferredType::Text)),
                },
            };
            let inferred =
                |kind: InferredType| Arc::new(Field::new(wanted.name, kind.data_type(), true));
            let field = match (wanted.given, kind) {
                (Some(field), _) => field,
                (None, kind) => inferred(kind.unwrap_or(InferredType::Text)),
            };
            let nulls = nulls(field.data_type(), kind.is_some(), &options.csv);
            let nulls_first = options.csv.null_values.is_some();
            let (lossy, decimal_comma) = (options.lossy, options.csv.decimal_comma);
            Column { field, kind, nulls, nulls_first, lossy, decimal_comma }
        });
        let columns: Vec<Column> = columns.collect();
        let fields: Vec<FieldRef> = columns.iter().map(|column| column.field.clone()).collect();
        (Arc::new(Schema::new_with_metadata(fields, self.metadata)), columns)
    }
}

/// Matches the fields of a schema with columns by name.
fn by_name(schema: &Schema, names: &[String], given: &mut [Option<FieldRef>]) -> Result<()> {
    for field in schema.fields() {
        find(field.name(), names)?;
    }
    for (slot, name) in given.iter_mut().zip(names) {
        *slot = schema.fields().iter().find(|field| field.name() == name).cloned();
    }
    Ok(())
}

/// Matches the fields of a schema with the first columns, which get their names.
fn by_place(schema: &Schema, names: &mut [String], given: &mut [Option<FieldRef>]) -> Result<()> {
    let (fields, columns) = (schema.fields().len(), names.len());
    if fields > columns {
        let what = format!("the schema has {fields} columns, the file {columns}");
        return Err(Error::invalid(what));
    }
    for ((slot, name), field) in given.iter_mut().zip(names).zip(schema.fields()) {
        name.clone_from(field.name());
        *slot = Some(field.clone());
    }
    Ok(())
}

fn find(name: &str, names: &[String]) -> Result<()> {
    if names.iter().any(|other| other == name) {
        return Ok(());
    }
    let all = names.join(", ");
    Err(Error::invalid(format!("the file has no column {name:?}: there are {all}")))
}

/// Returns a test whether a column is selected, or used by the predicate.
fn wanted<'a>(names: &[String], options: &'a ReadOptions) -> impl Fn(&str) -> bool + use<'a> {
    let mut columns = options.columns.clone();
    if let Some(columns) = &mut columns {
        columns.extend(options.predicate.iter().flat_map(Predicate::columns));
        // An unknown name is reported later, with a list of all names.
        let is_missing = |column: &String| !names.iter().any(|name| is_in(column, name));
        if columns.iter().any(is_missing) {
            return Box::new(|_: &str| true) as Box<dyn Fn(&str) -> bool>;
        }
    }
    Box::new(move |name| {
        columns.as_ref().is_none_or(|columns| columns.iter().any(|column| is_in(column, name)))
    })
}

/// Returns whether a path with dots leads into a column.
fn is_in(path: &str, column: &str) -> bool {
    path.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn nulls(data_type: &DataType, is_inferred: bool, options: &CsvReadOptions) -> Nulls {
    let given = options.null_values.as_deref();
    match is_text(data_type) {
        true => Nulls::of_text(given),
        false if data_type.is_floating() && !is_inferred => Nulls::of_floats(given),
        false => Nulls::new(given),
    }
}
