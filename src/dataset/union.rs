//! Files of any format as one table, by the rules of data sets.
//!
//! ```text
//! a/year=2025/x.csv   id: int64               id: float64, name: utf8 nullable, year: int64
//! a/year=2026/y.csv   id: float64  name: utf8
//! ```
//! Beyond what data sets do, integers and floating-point numbers become float64, for the types of text files are inferred
//! from each by itself. An integer that would lose digits is an error.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::evolve::evolve_batch;
use super::merge::Merger;
use super::partition;
use super::snapshot::without;
use crate::error::{Error, Result};

/// A file of a table.
#[derive(Debug)]
pub(crate) struct UnionFile {
    /// What it is called in errors.
    pub(crate) name: String,
    /// Its path, of which the folders `key=value` are columns.
    pub(crate) path: String,
    pub(crate) schema: SchemaRef,
}

/// What all files are together.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) schema: SchemaRef,
    partitions: Vec<FieldRef>,
    /// Of each partition column, the value of each file.
    values: Vec<ArrayRef>,
}

impl Union {
    /// Merges the schemas of files.
    pub(crate) fn new(files: &[UnionFile]) -> Result<Self> {
        let paths = || files.iter().map(|file| file.path.as_str());
        let partitions = partition::infer(paths())?;
        let values = partitions.iter().map(|field| partition::column(field, paths()));
        let values = values.collect::<Result<_>>()?;
        let mut merger = Merger::default();
        for file in files {
            let schema = without(&file.schema, &partitions);
            merger.add(&with_floats(&schema, files), &file.name)?;
        }
        let inner = merger.finish().unwrap_or_else(|| Arc::new(Schema::empty()));
        let fields = inner.fields().iter().chain(&partitions).cloned().collect::<Vec<_>>();
        let schema = Arc::new(Schema::new_with_metadata(fields, inner.metadata().clone()));
        Ok(Self { schema, partitions, values })
    }

    /// The columns that are in the path of a file, each with its value.
    pub(crate) fn constants(&self, file: usize) -> Vec<(FieldRef, ArrayRef)> {
        let value = |(field, values): (&FieldRef, &ArrayRef)| {
            (file < values.len()).then(|| (field.clone(), values.slice(file, 1)))
        };
        self.partitions.iter().zip(&self.values).filter_map(value).collect()
    }
}

/// A schema in which integers are float64 where they are floating-point numbers in another file.
fn with_floats(schema: &Schema, files: &[UnionFile]) -> Schema {
    let is_float = |name: &str| {
        let fields = files.iter().filter_map(|file| file.schema.field_with_name(name).ok());
        let types: Vec<&DataType> = fields.map(Field::data_type).collect();
        types.iter().any(|one| one.is_floating()) && types.iter().any(|one| one.is_integer())
    };
    let field = |field: &FieldRef| match field.data_type() {
        one if (one.is_integer() || one.is_floating()) && is_float(field.name()) => {
            Arc::new(Field::clone(field).with_data_type(DataType::Float64))
        }
        _ => field.clone(),
    };
    let fields = schema.fields().iter().map(field).collect::<Vec<_>>();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// A batch of a file, as the table has it.
pub(crate) fn as_table(
    batch: &RecordBatch,
    to: &SchemaRef,
    constants: &[(FieldRef, ArrayRef)],
    lossy: bool,
) -> Result<RecordBatch> {
    let table = evolve_batch(batch, to, constants)?;
    for (field, column) in to.fields().iter().zip(table.columns()) {
        if let Some(before) = batch.column_by_name(field.name()).filter(|_| !lossy)
            && before.data_type().is_integer()
            && column.data_type().is_floating()
            && cast(column, before.data_type())?.as_ref() != before.as_ref()
        {
            let what =
                "an integer would lose digits as float64, which the column is in another file";
            return Err(Error::invalid(what).in_column(field.name()));
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Float64Array, Int64Array};

    fn file(path: &str, fields: &[(&str, DataType)]) -> UnionFile {
        let fields: Vec<_> = fields.iter().map(|(n, t)| Field::new(*n, t.clone(), true)).collect();
        UnionFile { name: path.into(), path: path.into(), schema: Arc::new(Schema::new(fields)) }
    }

    #[test]
    fn schemas_and_paths_are_merged() {
        use DataType::*;
        let files = [
            file("year=2025/a.csv", &[("id", Int64), ("year", Utf8)]),
            file("year=2026/b.csv", &[("name", Utf8), ("id", Float64)]),
        ];
        let union = super::Union::new(&files).unwrap();
        let fields = |schema: &Schema| -> Vec<(String, DataType)> {
            let of = |field: &FieldRef| (field.name().clone(), field.data_type().clone());
            schema.fields().iter().map(of).collect()
        };
        let expected = [("id", Float64), ("name", Utf8), ("year", Int64)];
        let expected: Vec<_> = expected.map(|(n, t)| (n.to_owned(), t)).into();
        assert_eq!(fields(&union.schema), expected);
        let (_, value) = &union.constants(1)[0];
        assert_eq!(value.as_ref(), &Int64Array::from(vec![2026]) as &dyn Array);
        assert!(
            super::Union::new(&[file("a", &[("x", Utf8)]), file("b", &[("x", Int8)])]).is_err()
        );
    }

    #[test]
    fn integers_become_floats_without_loss() {
        let to = file("a", &[("x", DataType::Float64)]).schema;
        let batch = |n: i64| {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(n), None]));
            RecordBatch::try_from_iter([("x", column)]).unwrap()
        };
        let table = as_table(&batch(7), &to, &[], false).unwrap();
        let expected = Float64Array::from(vec![Some(7.0), None]);
        assert_eq!(table.column(0).as_ref(), &expected as &dyn Array);
        let large = batch((1 << 53) + 1);
        assert!(as_table(&large, &to, &[], false).unwrap_err().to_string().contains("digits"));
        assert!(as_table(&large, &to, &[], true).is_ok());
    }
}
