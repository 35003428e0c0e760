//! Creates containers for rows.
//!
//! ```text
//! table        bcolz, superchunk     a folder, and in it one for each column
//! records      bloscpack             one file; several columns are fields of one dtype
//! one column   b2nd, b2frame, sparse
//! ```

mod table;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::super::{CreateAt, Sink, WriteOptions};
use super::sink::{Finish, Rows};
use super::{ATTRIBUTES_KEY, BloscOptions};
use trevni::io::TemporaryFolder;
use trevni::{Error, Result};
use trevni_blosc::bloscpack::{BloscpackBuilder, BloscpackProperties};
use trevni_blosc::chunk::{Generation, Params};
use trevni_blosc::frame::{Cut, NewFrame};
use trevni_blosc::numpy::{ChunkedWriter, NumpyField, Widths};
use trevni_blosc::rootdir::{DirectoryFormat, Superchunks};
use trevni_blosc::{ArrayWriter, Attributes, Build, Chunking, Compressor, Filter, Layout, Order};

/// The default size of a chunk in bytes.
const CHUNK_BYTES: u64 = 1 << 20;

/// What all containers are made with.
#[derive(Debug, Clone)]
struct How {
    compressor: Compressor,
    options: BloscOptions,
    attributes: Attributes,
}

impl How {
    fn new(schema: &SchemaRef, options: &WriteOptions) -> Result<Self> {
        let compressor =
            options.codec.as_deref().map_or(Ok(Compressor::Lz4), Compressor::from_name)?;
        let attributes = match schema.metadata().get(ATTRIBUTES_KEY) {
            Some(said) => serde_json::from_str(said)
                .map_err(|e| Error::invalid(format!("{ATTRIBUTES_KEY} of the schema: {e}")))?,
            None => Attributes::new(),
        };
        Ok(Self { compressor, options: options.blosc.clone(), attributes })
    }

    fn params(&self, generation: Generation, typesize: usize) -> Result<Params> {
        // Elements of more bytes are shuffled no better than bytes.
        let mut params = Params::new(generation, u8::try_from(typesize).unwrap_or(1).max(1));
        params.compressor = self.compressor;
        params.level = self.options.level.unwrap_or(params.level);
        if params.level > 9 {
            return Err(Error::invalid(format!("level {}: Blosc's are 0 to 9", params.level)));
        }
        if let Some(shuffle) = &self.options.shuffle {
            let filter = match shuffle.as_str() {
                "none" => Filter::None,
                "byte" => Filter::Shuffle { group: 0 },
                "bit" => Filter::BitShuffle,
                other => {
                    return Err(Error::invalid(format!("shuffle {other:?}: none, byte or bit")));
                }
            };
            if let Some(last) = params.filters.last_mut() {
                *last = filter;
            }
        }
        Ok(params)
    }

    /// Returns the number of rows of a chunk, given the size of a row.
    fn chunk_rows(&self, row: u64) -> u64 {
        let fitting = (CHUNK_BYTES / row.max(1)).max(1);
        self.options.chunk_rows.unwrap_or(fitting).max(1)
    }

    fn writer(
        &self,
        build: Box<dyn Build>,
        params: &Params,
        layout: &Layout,
    ) -> Result<ArrayWriter> {
        let threads = self.options.threads.unwrap_or(1);
        Ok(ArrayWriter::try_new(build, params, layout)?.with_parallelism(threads))
    }

    /// Returns the layout of an array without rows so far.
    fn layout(&self, field: &NumpyField, chunking: Chunking) -> Layout {
        Layout::of_rows(field.dtype.clone(), &field.shape, chunking)
    }
}

fn row_bytes(field: &NumpyField) -> Result<u64> {
    let elements = field.shape.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
    let bytes = elements.and_then(|n| n.checked_mul(field.dtype.size as u64));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| Error::invalid("rows of no bytes, or of too many").in_column(&field.name))
}

/// The only column that there is.
fn one_column(schema: &SchemaRef, what: &str) -> Result<()> {
    match schema.fields().len() {
        1 => Ok(()),
        n => Err(Error::invalid(format!("{what} holds one column, and there are {n}: choose one"))),
    }
}

fn nothing_more() -> Finish {
    Box::new(|| Ok(()))
}

/// Returns a folder as bcolz has it.
pub(super) fn bcolz(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    table::table(path, replace, schema, options, DirectoryFormat::Bcolz)
}

/// Returns a folder of superchunks.
pub(super) fn superchunk(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    table::table(
        path,
        replace,
        schema,
        options,
        DirectoryFormat::Superchunk(Superchunks::default()),
    )
}

/// A Bloscpack file.
pub(super) fn bloscpack(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    let how = How::new(&schema, options)?;
    let (path, of, attributes) = (path.to_owned(), schema.clone(), how.attributes.clone());
    let start = move |widths: &Widths| {
        let field = NumpyField::of_records(&of, widths)?;
        let row = row_bytes(&field)?;
        let params = how.params(Generation::Blosc1, field.dtype.size)?;
        let chunk_bytes = how.chunk_rows(row).saturating_mul(row);
        let array = Some((field.dtype.clone(), Order::C));
        let properties = BloscpackProperties::default();
        let build = BloscpackBuilder::create(path, replace, array, &params, properties)?;
        let layout = how.layout(&field, Chunking::Flat { chunk_bytes });
        let writer = how.writer(Box::new(build), &params, &layout)?;
        Ok((ChunkedWriter::new(vec![(field, writer)]), nothing_more()))
    };
    Ok(Box::new(Rows::new(&schema, attributes, Box::new(start))?))
}

/// Which frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameForm {
    Array,
    Plain,
    Sparse,
}

pub(super) fn b2nd(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    frame(path, replace, schema, options, FrameForm::Array)
}

pub(super) fn b2frame(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    frame(path, replace, schema, options, FrameForm::Plain)
}

pub(super) fn sparse(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>> {
    frame(path, replace, schema, options, FrameForm::Sparse)
}

fn frame(
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
    form: FrameForm,
) -> Result<Box<dyn Sink>> {
    one_column(&schema, "a frame")?;
    let how = How::new(&schema, options)?;
    let (path, of, attributes) = (path.to_owned(), schema.clone(), how.attributes.clone());
    let start = move |widths: &Widths| {
        let field = NumpyField::of_records(&of, widths)?;
        let row = row_bytes(&field)?;
        let (chunking, cut) = cut(&how, &field, row, form)?;
        let size = field.dtype.size;
        let mut params = how.params(Generation::Blosc2, size)?;
        if let Chunking::Grid { block_shape, .. } = &chunking {
            let block =
                block_shape.iter().fold(size as u64, |product, n| product.saturating_mul(*n));
            params.block_size = u32::try_from(block).unwrap_or(0);
        }
        let new = NewFrame { params: params.clone(), cut, metalayers: Vec::new() };
        let build = match form {
            FrameForm::Sparse => new.sparse(path, replace)?,
            _ => new.contiguous(path, replace)?,
        };
        let writer = how.writer(build, &params, &how.layout(&field, chunking))?;
        Ok((ChunkedWriter::new(vec![(field, writer)]), nothing_more()))
    };
    Ok(Box::new(Rows::new(&schema, attributes, Box::new(start))?))
}

/// Bytes of a block of a grid: with a shuffle it fits the second cache of most machines.
const BLOCK_BYTES: u64 = 1 << 17;

/// Returns chunk and block shapes of complete rows; a chunk has complete blocks, so that rows are in memory order.
fn cut(how: &How, field: &NumpyField, row: u64, form: FrameForm) -> Result<(Chunking, Cut)> {
    let rows = how.chunk_rows(row);
    if form == FrameForm::Plain {
        let chunk_bytes = rows.saturating_mul(row);
        let typesize = u32::try_from(field.dtype.size);
        let typesize = typesize.map_err(|_| Error::invalid("elements of 4 GiB"))?;
        return Ok((Chunking::Flat { chunk_bytes }, Cut::Flat { typesize, chunk_bytes }));
    }
    let fitting = (BLOCK_BYTES / row).clamp(1, rows);
    let block_rows = (1..=fitting).rev().find(|n| rows.is_multiple_of(*n)).unwrap_or(1);
    let shape = |rows: u64| -> Vec<u64> {
        std::iter::once(rows).chain(field.shape.iter().copied()).collect()
    };
    let (chunk_shape, block_shape) = (shape(rows), shape(block_rows));
    let dtype = field.dtype.clone();
    let chunking =
        Chunking::Grid { chunk_shape: chunk_shape.clone(), block_shape: block_shape.clone() };
    Ok((chunking, Cut::Grid { dtype, chunk_shape, block_shape }))
}

/// Refuses a pipe.
pub(super) fn no_pipe<'a>(
    _: &'a mut (dyn Write + Send),
    _: SchemaRef,
    _: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    Err(Error::invalid("the container is a folder, which a pipe cannot hold"))
}

/// Makes a file somewhere else and copies it to where it is wanted.
pub(super) fn staged<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
    create: CreateAt,
) -> Result<Box<dyn Sink + 'a>> {
    let folder = TemporaryFolder::create(&std::env::temp_dir(), 0o700)?;
    let sink = create(&folder.path().join(STAGED), false, schema, options)?;
    Ok(Box::new(Staged { to, folder, sink }))
}

const STAGED: &str = "staged";

struct Staged<'a> {
    to: &'a mut (dyn Write + Send),
    folder: TemporaryFolder,
    sink: Box<dyn Sink>,
}

impl Sink for Staged<'_> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.sink.write(batch)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.sink.finish()?;
        io::copy(&mut File::open(self.folder.path().join(STAGED))?, self.to)?;
        Ok(())
    }
}
