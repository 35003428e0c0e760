//! The merged schema of several files, and their partition values.
//!
//! ```text
//! year=2025/x   id: int32                     id: int64, name: utf8 nullable, year: int64
//! year=2026/y   id: int64   name: utf8
//! ```

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{FieldRef, Schema, SchemaRef};

use super::merge::Merger;
use super::partition;
use super::snapshot::without;
use crate::error::Result;

/// One of several files that are read as one table.
#[derive(Debug, Clone)]
pub struct FileSchema {
    /// The name of the file in errors.
    pub name: String,
    /// The path of the file, with `/` between names. Folders named `key=value` are partition columns.
    pub path: String,
    /// The schema of the file.
    pub schema: SchemaRef,
}

/// The schema of several files as one table: a column that a file lacks is nullable, numbers are widened, and partition
/// columns are added at the end.
///
/// ```
/// use std::sync::Arc;
/// use arrow::datatypes::{DataType, Field, Schema};
/// use trevni::dataset::{FileSchema, MergedSchema};
///
/// let file = |path: &str, field: Field| FileSchema {
///     name: path.to_owned(),
///     path: path.to_owned(),
///     schema: Arc::new(Schema::new(vec![field])),
/// };
/// let merged = MergedSchema::try_new(&[
///     file("day=1/a", Field::new("x", DataType::Int32, false)),
///     file("day=2/b", Field::new("x", DataType::Int64, false)),
/// ])?;
/// let expected = vec![
///     Field::new("x", DataType::Int64, false),
///     Field::new("day", DataType::Int64, true),
/// ];
/// assert_eq!(merged.schema().as_ref(), &Schema::new(expected));
/// assert_eq!(merged.partition_values(1)[0].1.len(), 1);
/// # Ok::<(), trevni::Error>(())
/// ```
#[derive(Debug)]
pub struct MergedSchema {
    schema: SchemaRef,
    partitions: Vec<FieldRef>,
    /// Of each partition column, the value of each file.
    values: Vec<ArrayRef>,
}

impl MergedSchema {
    /// Merges the schemas of files. Fails if a column has types that have no common type.
    pub fn try_new(files: &[FileSchema]) -> Result<Self> {
        let paths = || files.iter().map(|file| file.path.as_str());
        let partitions = partition::infer(paths())?;
        let values = partitions.iter().map(|field| partition::column(field, paths()));
        let values = values.collect::<Result<_>>()?;
        let mut merger = Merger::default();
        for file in files {
            merger.add(&without(&file.schema, &partitions), &file.name)?;
        }
        let inner = merger.finish().unwrap_or_else(|| Arc::new(Schema::empty()));
        let fields = inner.fields().iter().chain(&partitions).cloned().collect::<Vec<_>>();
        let schema = Arc::new(Schema::new_with_metadata(fields, inner.metadata().clone()));
        Ok(Self { schema, partitions, values })
    }

    /// Returns the schema of the table.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the partition columns of the file at an index, each with an array of its one value. Empty if there
    /// is no such file.
    pub fn partition_values(&self, file: usize) -> Vec<(FieldRef, ArrayRef)> {
        let value = |(field, values): (&FieldRef, &ArrayRef)| {
            (file < values.len()).then(|| (field.clone(), values.slice(file, 1)))
        };
        self.partitions.iter().zip(&self.values).filter_map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Array, Int64Array};
    use arrow::datatypes::{DataType, Field};

    fn file(path: &str, fields: &[(&str, DataType)]) -> FileSchema {
        let fields: Vec<_> = fields.iter().map(|(n, t)| Field::new(*n, t.clone(), true)).collect();
        FileSchema { name: path.into(), path: path.into(), schema: Arc::new(Schema::new(fields)) }
    }

    #[test]
    fn schemas_and_paths_are_merged() {
        use DataType::*;
        let files = [
            file("year=2025/a.csv", &[("id", Int32), ("year", Utf8)]),
            file("year=2026/b.csv", &[("name", Utf8), ("id", Int64)]),
        ];
        let merged = MergedSchema::try_new(&files).unwrap();
        let fields = merged.schema().fields().iter();
        let fields: Vec<_> = fields.map(|f| (f.name().clone(), f.data_type().clone())).collect();
        let expected = [("id", Int64), ("name", Utf8), ("year", Int64)];
        let expected: Vec<_> = expected.map(|(n, t)| (n.to_owned(), t)).into();
        assert_eq!(fields, expected);
        let (_, value) = &merged.partition_values(1)[0];
        assert_eq!(value.as_ref(), &Int64Array::from(vec![2026]) as &dyn Array);
        let files = [file("a", &[("x", Utf8)]), file("b", &[("x", Int8)])];
        assert!(MergedSchema::try_new(&files).is_err());
    }
}
