//! Creates a folder with one array, or with one folder per column.
//!
//! ```text
//! one column "values"    CarrayBuilder
//! others                 CtableBuilder, which all columns' writers push their chunks to
//! ```

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::SchemaRef;

use super::super::super::{Sink, WriteOptions};
use super::super::sink::{Finish, Rows};
use super::{How, nothing_more, row_bytes};
use trevni::{Error, Result};
use trevni_blosc::numpy::{ChunkedWriter, NumpyField, Widths};
use trevni_blosc::rootdir::{CarrayBuilder, CtableBuilder, DirectoryFormat, Storage};
use trevni_blosc::{ArrayWriter, Attributes, Build, Chunking};

/// What an array that is alone is called when it is read.
const VALUES: &str = "values";

pub(super) fn table(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
    form: DirectoryFormat,
) -> Result<Box<dyn Sink>> {
    let how = How::new(&schema, options)?;
    let (path, of, attributes) = (path.to_owned(), schema.clone(), how.attributes.clone());
    let start = move |widths: &Widths| {
        let fields = NumpyField::of_columns(&of, widths)?;
        let rows = fields.iter().map(|field| Ok(how.chunk_rows(row_bytes(field)?)));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        // The columns of superchunks share the rows of a chunk.
        let shared = rows.iter().min().copied().filter(|_| form != DirectoryFormat::Bcolz);
        let columns = fields.iter().zip(rows).map(|(field, rows)| {
            let storage = storage(&how, field, shared.unwrap_or(rows))
                .map_err(|e| e.in_column(&field.name))?;
            Ok((field.name.clone(), storage))
        });
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        if let ([field], true) = (&*fields, columns.iter().all(|(name, _)| name == VALUES)) {
            let Some((_, storage)) = columns.pop() else { return Err(no_columns()) };
            let build = CarrayBuilder::create(&path, storage.clone(), form, replace)?;
            let writer = writer(&how, field, &storage, Box::new(build))?;
            return Ok((ChunkedWriter::new(vec![(field.clone(), writer)]), nothing_more()));
        }
        if fields.is_empty() {
            return Err(no_columns());
        }
        let builder = CtableBuilder::create(&path, columns.clone(), form, replace)?;
        let shared = Arc::new(Shared(Mutex::new((builder, vec![Vec::new(); fields.len()]))));
        let mut arrays = Vec::new();
        for (column, (field, (_, storage))) in fields.into_iter().zip(&columns).enumerate() {
            let build = Box::new(Column { shared: shared.clone(), column });
            let writer = writer(&how, &field, storage, build)?;
            arrays.push((field, writer));
        }
        let attributes = how.attributes;
        let finish: Finish = Box::new(move || finish(shared, &attributes));
        Ok((ChunkedWriter::new(arrays), finish))
    };
    Ok(Box::new(Rows::new(&schema, attributes, Box::new(start))?))
}

fn no_columns() -> Error {
    Error::invalid("a table without columns")
}

fn storage(how: &How, field: &NumpyField, rows: u64) -> Result<Storage> {
    let mut storage = Storage::new(field.dtype.clone(), &field.shape, rows)?;
    let typesize = usize::from(storage.params.typesize);
    storage.params = how.params(storage.params.generation, typesize)?;
    storage.chunk_shape = vec![rows];
    Ok(storage)
}

fn writer(
    how: &How,
    field: &NumpyField,
    storage: &Storage,
    build: Box<dyn Build>,
) -> Result<ArrayWriter> {
    let rows = storage.chunk_shape.first().copied().unwrap_or(1);
    let chunk_bytes = rows.saturating_mul(row_bytes(field)?);
    how.writer(build, &storage.params, &how.layout(field, Chunking::Flat { chunk_bytes }))
}

/// A table in the making, and the shapes of the columns that are finished.
struct Shared(Mutex<(CtableBuilder, Vec<Vec<u64>>)>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, (CtableBuilder, Vec<Vec<u64>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of its columns.
struct Column {
    shared: Arc<Shared>,
    column: usize,
}

impl Build for Column {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        self.shared.lock().0.push(self.column, chunk)
    }

    fn finish(self: Box<Self>, shape: &[u64], _: &Attributes) -> Result<()> {
        if let Some(of) = self.shared.lock().1.get_mut(self.column) {
            *of = shape.to_vec();
        }
        Ok(())
    }
}

fn finish(shared: Arc<Shared>, attributes: &Attributes) -> Result<()> {
    let Some(Shared(inner)) = Arc::into_inner(shared) else {
        return Err(Error::invalid("a column of the table is not finished"));
    };
    let (builder, shapes) = inner.into_inner().unwrap_or_else(PoisonError::into_inner);
    builder.finish(&shapes, attributes)
}
