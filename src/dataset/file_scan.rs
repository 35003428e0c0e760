//! Applies a scan's projection, predicate and limit to one file.
//!
//! ```text
//! conditions     on columns of the path, or missing       answered once for the file
//!                on columns of the file                   evaluated by its reader
//!                both, or of floats that are widened      evaluated on its batches, after adaption to the table
//! columns        those of the file ──► widened, filled ──► conditions ──► those that are wanted
//! ```

use arrow::array::{ArrayRef, RecordBatch, new_null_array};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};

use super::merge::merge_types;
use super::schema_adapter::adapt_batch;
use crate::arrow::{Bound, ColumnPath, Node, Predicate, ProjectionMask};
use crate::arrow::{find, projected_schema};
use crate::error::{Error, Result};

/// The projection and predicate of a scan.
#[derive(Debug)]
pub(super) struct ScanPredicate {
    /// The schema of the table, and its selected part.
    table: SchemaRef,
    pub(super) output: SchemaRef,
    /// The columns that are wanted, if not all.
    names: Option<Vec<String>>,
    /// What all must be true.
    pub(super) steps: Vec<Node>,
}

/// The projection and predicate for one file.
#[derive(Debug)]
pub(super) struct FileScan {
    pub(super) mask: ProjectionMask,
    /// The predicate that its reader evaluates.
    pub(super) predicate: Option<Predicate>,
    /// Columns with one value, which are not in the file.
    constants: Vec<(FieldRef, ArrayRef)>,
    /// The predicate that is evaluated on its batches, and their schema.
    rest: Option<(SchemaRef, Bound)>,
    output: SchemaRef,
}

impl ScanPredicate {
    pub(super) fn new(
        table: SchemaRef,
        names: Option<Vec<String>>,
        predicate: Option<Predicate>,
    ) -> Result<Self> {
        if let Some(predicate) = &predicate {
            predicate.check(&table)?;
        }
        let output = match &names {
            Some(names) => narrowed(&table, names.iter().map(String::as_str))?,
            None => table.clone(),
        };
        let mut steps = predicate.map(Predicate::into_steps).unwrap_or_default();
        // A file may lack the column that a path means in the table.
        let exact = |path: &ColumnPath| path.exact(table.fields());
        steps.iter_mut().for_each(|step| step.map_columns(&exact));
        let exact = |name: &String| exact(&ColumnPath::among(name, table.fields())).to_string();
        let names = names.map(|names| names.iter().map(exact).collect());
        Ok(Self { table, output, names, steps })
    }

    /// Returns what to read of a file of this schema, with these values in its path; `None` if none of its rows can
    /// match.
    pub(super) fn of_file(
        &self,
        file: &SchemaRef,
        constants: Vec<(FieldRef, ArrayRef)>,
    ) -> Result<Option<FileScan>> {
        let (mut pushed, mut rest) = (Vec::new(), Vec::new());
        for step in &self.steps {
            match self.source_of(step, file, &constants) {
                StepSource::File => pushed.push(step.clone()),
                StepSource::Batches => rest.push(step.clone()),
                StepSource::Once => {
                    if !self.answer(step, &constants)? {
                        return Ok(None);
                    }
                }
            }
        }
        let predicate = (!pushed.is_empty()).then(|| Predicate::new(Node::all(pushed)));
        let rest = (!rest.is_empty()).then(|| Predicate::new(Node::all(rest)));
        let looked_at = rest.as_ref().map(Predicate::columns).unwrap_or_default();
        let names = self.names.as_ref().map(|names| names.iter().chain(&looked_at));
        let names: Option<Vec<&str>> = names.map(|names| names.map(String::as_str).collect());
        let mask = match &names {
            Some(names) => mask(file, names)?,
            None => {
                let inside = |field: &&FieldRef| self.table.fields().find(field.name()).is_some();
                let all: Vec<&str> = file
                    .fields()
                    .iter()
                    .filter(inside)
                    .map(|field| field.name().as_str())
                    .collect();
                mask(file, &all)?
            }
        };
        let rest = match rest {
            Some(rest) => {
                let schema = match names {
                    Some(names) => narrowed(&self.table, names)?,
                    None => self.table.clone(),
                };
                let bound = rest.resolve(&schema)?;
                Some((schema, bound))
            }
            None => None,
        };
        Ok(Some(FileScan { mask, predicate, constants, rest, output: self.output.clone() }))
    }

    /// Returns whether a condition on constants and missing columns is true.
    fn answer(&self, step: &Node, constants: &[(FieldRef, ArrayRef)]) -> Result<bool> {
        let value = |field: &FieldRef| {
            let constant = constants.iter().find(|(constant, _)| constant.name() == field.name());
            match constant {
                Some((_, value)) => super::schema_adapter::evolve(value, field.data_type()),
                None => Ok(new_null_array(field.data_type(), 1)),
            }
        };
        let columns = self.table.fields().iter().map(value).collect::<Result<Vec<_>>>()?;
        let answer = Bound::new(step, self.table.fields())?.evaluate(&columns, 1)?;
        Ok(answer.iter().next().flatten() == Some(true))
    }

    fn source_of(
        &self,
        step: &Node,
        file: &Schema,
        constants: &[(FieldRef, ArrayRef)],
    ) -> StepSource {
        let mut sources = Vec::new();
        step.each_column(&mut |column: &ColumnPath| {
            let root = column.names().first().map(String::as_str).unwrap_or_default();
            let constant = constants.iter().any(|(constant, _)| constant.name() == root);
            sources.push(match file.fields().find(root) {
                None => StepSource::Once,
                // Its values are compared with that of the path.
                Some(_) if constant => StepSource::Batches,
                Some(_) => match (find(column, file.fields()), find(column, self.table.fields())) {
                    (Ok((_, one)), Ok((_, other)))
                        if asks_alike(one.data_type(), other.data_type()) =>
                    {
                        StepSource::File
                    }
                    _ => StepSource::Batches,
                },
            });
        });
        match sources.split_first() {
            Some((first, more)) if more.iter().all(|source| source == first) => *first,
            // A condition without columns is evaluated on batches.
            _ => StepSource::Batches,
        }
    }
}

/// Where a condition is evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StepSource {
    File,
    Batches,
    Once,
}

/// Returns whether a comparison with a literal has the same result before values are widened.
fn asks_alike(file: &DataType, table: &DataType) -> bool {
    let values = |data_type: &DataType| match data_type {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    let (file, table) = (values(file), values(table));
    // The nearest float of fewer bits is another number.
    file == table
        || (!file.is_floating() && file != DataType::Null && merge_types(&file, &table).is_some())
}

/// Returns the selected part of a schema.
fn narrowed<'a>(schema: &SchemaRef, names: impl IntoIterator<Item = &'a str>) -> Result<SchemaRef> {
    let all = || schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    let check = |name: &'a str| match ProjectionMask::columns(schema, [name]) {
        Ok(_) => Ok(name),
        Err(_) => {
            Err(Error::invalid(format!("no column {name:?}: there are {}", all().join(", "))))
        }
    };
    let names = names.into_iter().map(check).collect::<Result<Vec<_>>>()?;
    projected_schema(schema, &ProjectionMask::columns(schema, names)?)
}

/// Returns the columns of a file for the selected names. If a file lacks a child, its parent is read completely,
/// for its nulls.
fn mask(file: &SchemaRef, names: &[&str]) -> Result<ProjectionMask> {
    let mut routes = Vec::new();
    for name in names {
        let path = ColumnPath::among(name, file.fields());
        let Some(root) = path.names().first() else { continue };
        match path.routes(file.fields()) {
            none if none.is_empty() => {
                routes.extend(file.fields().find(root).map(|(index, _)| vec![index]));
            }
            found => routes.extend(found),
        }
    }
    ProjectionMask::paths(file, routes)
}

impl FileScan {
    /// Returns whether the reader of the file evaluates the whole predicate.
    pub(super) fn evaluates_all(&self) -> bool {
        self.rest.is_none()
    }

    /// Converts a batch of the file to a batch of the scan.
    pub(super) fn finish(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        match &self.rest {
            None => adapt_batch(batch, &self.output, &self.constants),
            Some((schema, bound)) => {
                let batch = bound.keep(&adapt_batch(batch, schema, &self.constants)?)?;
                adapt_batch(&batch, &self.output, &[])
            }
        }
    }
}
