//! A file that is shown.

use std::fmt;

use arrow::array::RecordBatchReader;
use arrow::datatypes::SchemaRef;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions, Predicate, ProjectionMask};
use trevni::{Error, FileReader, Result};

use crate::counted_source::{BytesRead, CountedSource};

/// Some rows of a file.
#[derive(Debug, Clone, Default)]
pub struct RowRange {
    /// The columns, by the names of fields at the top; all, if it is `None`.
    pub columns: Option<Vec<String>>,
    /// The rows, from 0; of those that pass the predicate, if there is one.
    pub start: u64,
    /// How many rows.
    pub count: Option<u64>,
    /// Only rows that pass it.
    pub predicate: Option<Predicate>,
}

/// Reads rows.
pub type Reader = Box<dyn Fn(&RowRange) -> Result<Box<dyn RecordBatchReader + Send>> + Send + Sync>;

/// A file that is shown.
pub struct Session {
    pub(crate) name: String,
    pub(crate) format: String,
    pub(crate) bytes: Option<u64>,
    /// `None` if it is only known once they are counted.
    pub(crate) row_count: Option<u64>,
    pub(crate) schema: SchemaRef,
    pub(crate) reader: Reader,
    /// The file, if it is a Trevni file.
    pub(crate) file: Option<FileReader<CountedSource>>,
    /// How many bytes of it have been read, if that is known.
    pub(crate) read: Option<BytesRead>,
    /// The file that it is compared with.
    pub(crate) other: Option<Box<Session>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Session {
    /// Opens a Trevni file.
    pub fn try_new(name: impl Into<String>, source: CountedSource) -> Result<Self> {
        let file = FileReader::try_new(source.clone())?;
        let builder = ArrowReaderBuilder::from_file(
            FileReader::new_with_metadata(source.clone(), file.metadata().clone()),
            ArrowReaderOptions::new(),
        )?;
        let (schema, metadata) = (builder.schema().clone(), builder.metadata());
        let counted = source.clone();
        let reader: Reader = Box::new(move |range| {
            let builder = ArrowReaderBuilder::new_with_metadata(counted.clone(), metadata.clone());
            Ok(Box::new(with_range(builder, range)?.build()?))
        });
        Ok(Self {
            name: name.into(),
            format: "trv".into(),
            bytes: Some(file.file_len()),
            row_count: Some(file.rows()),
            schema,
            reader,
            file: Some(file),
            read: Some(source.bytes_read()),
            other: None,
        })
    }

    /// Shows rows that come from elsewhere: their format has no blocks that are known.
    pub fn from_reader(
        name: impl Into<String>,
        format: impl Into<String>,
        bytes: Option<u64>,
        schema: SchemaRef,
        reader: Reader,
    ) -> Self {
        let (name, format) = (name.into(), format.into());
        let (row_count, file, read, other) = (None, None, None, None);
        Self { name, format, bytes, row_count, schema, reader, file, read, other }
    }

    /// Sets the number of rows, if it is known.
    pub fn with_row_count(mut self, rows: Option<u64>) -> Self {
        self.row_count = rows;
        self
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the file that this one is compared with.
    pub fn set_other(&mut self, other: Option<Session>) {
        self.other = other.map(Box::new);
    }

    /// Returns the file, if it is a Trevni file.
    pub(crate) fn file(&self) -> Result<&FileReader<CountedSource>> {
        self.file.as_ref().ok_or_else(|| Error::unsupported("only Trevni files have known blocks"))
    }
}

/// Limits a reader to some rows and columns.
fn with_range(
    builder: ArrowReaderBuilder<CountedSource>,
    range: &RowRange,
) -> Result<ArrowReaderBuilder<CountedSource>> {
    let mut builder = builder;
    if let Some(columns) = &range.columns {
        let names = columns.iter().map(String::as_str);
        let mask = ProjectionMask::columns(builder.schema(), names)?;
        builder = builder.with_projection(mask);
    }
    let count = range.count.unwrap_or(u64::MAX);
    Ok(match &range.predicate {
        Some(predicate) => {
            builder.with_predicate(predicate.clone()).with_offset(range.start).with_limit(count)
        }
        None => builder.with_row_range(range.start..range.start.saturating_add(count)),
    })
}
