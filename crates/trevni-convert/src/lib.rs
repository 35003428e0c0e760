//! Reads and writes row files of many formats as Arrow record batches.
//!
//! ```text
//! Source ──► Format::open ──► RecordBatchReader ──► Sink ◄── Format::create ◄── any Write
//! (file, pipe,      trv arrow arrows avro parquet protobuf thrift csv jsonl
//! folder)           bloscpack bcolz superchunk b2nd b2frame sparse dataset
//! ```
//! Everything is streamed: one batch of rows is in memory at a time. A format is found by its name, by the
//! extension of a path, or by the first bytes of the input.
//!
//! ```
//! use trevni_convert::{Format, ReadOptions, Source, WriteOptions};
//! # #[cfg(not(all(feature = "csv", feature = "json")))]
//! # fn main() {}
//! # #[cfg(all(feature = "csv", feature = "json"))]
//! # fn main() -> trevni::Result<()> {
//! let source = Source::pipe("text", &b"a,b\n1,x\n2,y\n"[..]);
//! let csv = Format::named("csv")?;
//! let rows = (csv.open)(source, &ReadOptions::default())?;
//! let mut out = Vec::new();
//! let mut sink = (Format::named("jsonl")?.create)(&mut out, rows.schema(), &WriteOptions::default())?;
//! for batch in rows {
//!     sink.write(&batch?)?;
//! }
//! sink.finish()?;
//! assert_eq!(out, b"{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n");
//! # Ok(())
//! # }
//! ```
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! data_type divide float_digits json_field map_types parallel report sequential thrift_protocol
//! catch_panic chunk_reader comparison encoding random rename rows second_timestamps select skip source temporal_range text_sink type_name
//! infer_rows
//! avro blosc csv ipc json multi_file parquet protobuf thrift trv
//! dataset
//! ```

#[cfg(feature = "avro")]
mod avro;
#[cfg(feature = "blosc")]
mod blosc;
mod catch_panic;
#[cfg(any(feature = "csv", feature = "json"))]
mod chunk_reader;
mod comparison;
#[cfg(feature = "csv")]
mod csv;
mod data_type;
mod dataset;
mod divide;
#[cfg(any(feature = "csv", feature = "json"))]
mod encoding;
#[cfg(any(feature = "csv", feature = "json"))]
mod float_digits;
#[cfg(any(feature = "csv", feature = "json"))]
mod infer_rows;
mod ipc;
#[cfg(feature = "json")]
mod json;
mod json_field;
#[cfg(any(feature = "avro", feature = "parquet"))]
mod map_types;
mod multi_file;
#[cfg(any(feature = "avro", feature = "csv", feature = "json"))]
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "protobuf")]
mod protobuf;
mod random;
mod rename;
mod report;
#[cfg(any(feature = "protobuf", feature = "thrift"))]
mod rows;
#[cfg(any(feature = "avro", feature = "parquet"))]
mod second_timestamps;
mod select;
mod sequential;
mod skip;
mod source;
#[cfg(any(feature = "csv", feature = "json"))]
mod temporal_range;
#[cfg(any(feature = "csv", feature = "json"))]
mod text_sink;
#[cfg(feature = "thrift")]
mod thrift;
#[cfg(any(feature = "parquet", feature = "thrift"))]
#[cfg_attr(not(feature = "thrift"), allow(dead_code, reason = "Parquet reads one protocol only"))]
mod thrift_protocol;
mod trv;
mod type_name;

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
#[cfg(any(feature = "csv", feature = "json"))]
use arrow::datatypes::FieldRef;
use arrow::datatypes::SchemaRef;

pub use crate::multi_file::{InputFile, OpenInput, rows_of};
#[cfg(feature = "blosc")]
pub use blosc::{ATTRIBUTES_KEY, BloscOptions};
pub use comparison::{Comparison, Difference};
#[cfg(feature = "csv")]
pub use csv::CsvReadOptions;
pub use dataset::DatasetOptions;
#[cfg(feature = "object_store")]
pub use dataset::dataset_in_store;
#[cfg(any(feature = "csv", feature = "json"))]
pub use encoding::Encoding;
#[cfg(any(feature = "csv", feature = "json"))]
pub use infer_rows::FIRST_ROWS;
#[cfg(feature = "json")]
pub use json::JsonReadOptions;
#[cfg(feature = "protobuf")]
pub use protobuf::ProtobufType;
pub use random::random_rows;
pub use rename::{Naming, rename_fields};
pub use report::Report;
pub use skip::skip_rows;
pub use source::Source;
#[cfg(feature = "thrift")]
pub use thrift::{ThriftProtocol, ThriftType};
pub use type_name::{parse_field, parse_type};

use trevni::arrow::{Predicate, WriterProperties};
use trevni::io::Limits;
use trevni::{Error, Result};

/// All formats of this build. Sniffing tests them in this order, so the least specific comes last.
pub const FORMATS: &[Format] = &[
    trv::FORMAT,
    ipc::FILE,
    ipc::STREAM,
    #[cfg(feature = "avro")]
    avro::FORMAT,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
    #[cfg(feature = "protobuf")]
    protobuf::FORMAT,
    #[cfg(feature = "thrift")]
    thrift::FORMAT,
    #[cfg(feature = "blosc")]
    blosc::BLOSCPACK,
    #[cfg(feature = "blosc")]
    blosc::BCOLZ,
    #[cfg(feature = "blosc")]
    blosc::SUPERCHUNK,
    #[cfg(feature = "blosc")]
    blosc::B2ND,
    #[cfg(feature = "blosc")]
    blosc::B2FRAME,
    #[cfg(feature = "blosc")]
    blosc::SPARSE,
    dataset::FORMAT,
    #[cfg(feature = "json")]
    json::FORMAT,
    #[cfg(feature = "csv")]
    csv::FORMAT,
];

/// A reader of the rows of a file.
pub type Rows = Box<dyn RecordBatchReader + Send>;

/// Starts a file of rows.
pub type Create =
    for<'a> fn(&'a mut (dyn Write + Send), SchemaRef, &WriteOptions) -> Result<Box<dyn Sink + 'a>>;

/// A kind of file that holds rows.
#[derive(Clone, Copy)]
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// How paths of such files end, without the dot.
    pub extensions: &'static [&'static str],
    /// Whether a file that begins so may be one.
    pub sniff: fn(&[u8]) -> bool,
    /// Reads rows.
    pub open: fn(Source, &ReadOptions) -> Result<Rows>,
    /// Writes rows.
    pub create: Create,
    /// Whether a folder is one; `None` if no folder is.
    pub holds: Option<fn(&Path) -> bool>,
    /// Writes rows to a path, for formats that are folders or need one.
    pub create_at: Option<CreateAt>,
}

/// Starts a file or a folder of rows at a path. One that exists is an error, unless it may be replaced.
pub type CreateAt = fn(&Path, bool, SchemaRef, &WriteOptions) -> Result<Box<dyn Sink>>;

/// Takes rows and makes a file of them.
pub trait Sink {
    /// Takes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;
    /// Writes buffered rows and completes the file. A file that is not finished is incomplete.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Options for reading rows.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The schema, for formats that have none of their own, which otherwise infer it from the first rows; and for Avro,
    /// whose rows are then read as rows of this schema. That of CSV may name some columns only.
    pub schema: Option<SchemaRef>,
    /// The number of rows from which a schema is inferred, 0 for all rows. `None` for all rows of a file, and the first
    /// 1,000 of a pipe, which can be read only once.
    pub infer_rows: Option<usize>,
    /// Whether the caller reads again if the types of the first rows do not hold. Then a value does not in a column of CSV
    /// that has none in these rows, which otherwise is text.
    pub reads_again: bool,
    /// The schema that was inferred when the same rows were opened before with these options, all columns of it: they
    /// are not inspected again.
    pub inferred: Option<SchemaRef>,
    /// Whether columns of CSV without values have the type Null, as those of JSON have; otherwise they are text.
    pub null_columns: bool,
    /// The single columns of CSV and JSON whose types are not inferred; of JSON also nested ones, named with dots.
    #[cfg(any(feature = "csv", feature = "json"))]
    pub types: Vec<FieldRef>,
    /// Rows of a batch, at most.
    pub batch_size: usize,
    /// Limits on the memory that reading may take.
    pub limits: Limits,
    /// The columns that are wanted, nested ones with dots; `None` for all.
    pub columns: Option<Vec<String>>,
    /// The rows that are wanted, from 0; `None` for all.
    pub rows: Option<Range<u64>>,
    /// Which of these rows are wanted, by the values in them; it may look at columns that are not wanted themselves.
    pub predicate: Option<Predicate>,
    /// How many rows are wanted, at most, of those that pass.
    pub limit: Option<u64>,
    /// How CSV is read.
    #[cfg(feature = "csv")]
    pub csv: CsvReadOptions,
    /// How JSON is read.
    #[cfg(feature = "json")]
    pub json: JsonReadOptions,
    /// The encoding of CSV and JSON; UTF-8 if it is not known, or UTF-16 if there is a byte-order mark.
    #[cfg(any(feature = "csv", feature = "json"))]
    pub encoding: Option<Encoding>,
    /// Whether numbers may lose digits where a schema makes floating-point numbers of integers. Otherwise a row in
    /// which one would is bad.
    pub lossy: bool,
    /// What rows of Protocol Buffers are.
    #[cfg(feature = "protobuf")]
    pub protobuf: Option<ProtobufType>,
    /// What rows of Thrift are.
    #[cfg(feature = "thrift")]
    pub thrift: Option<ThriftType>,
    /// The dtype of Blosc containers without one, as NumPy writes it; its size must be that of their elements.
    #[cfg(feature = "blosc")]
    pub dtype: Option<String>,
    /// Threads that read: of CSV, JSON and Avro, of data sets, and of Blosc containers.
    pub threads: usize,
    /// How many bad rows may be left out before one is an error.
    pub skip_bad: u64,
    /// Counts the rows and values that were skipped.
    pub report: Arc<Report>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            schema: None,
            infer_rows: None,
            reads_again: false,
            inferred: None,
            null_columns: false,
            #[cfg(any(feature = "csv", feature = "json"))]
            types: Vec::new(),
            batch_size: trevni::defaults::BATCH_SIZE,
            limits: Limits::default(),
            columns: None,
            rows: None,
            predicate: None,
            limit: None,
            #[cfg(feature = "csv")]
            csv: CsvReadOptions::default(),
            #[cfg(feature = "json")]
            json: JsonReadOptions::default(),
            #[cfg(any(feature = "csv", feature = "json"))]
            encoding: None,
            lossy: false,
            #[cfg(feature = "protobuf")]
            protobuf: None,
            #[cfg(feature = "thrift")]
            thrift: None,
            #[cfg(feature = "blosc")]
            dtype: None,
            threads: 1,
            skip_bad: 0,
            report: Arc::default(),
        }
    }
}

/// Options for writing rows.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// For Trevni files.
    pub properties: WriterProperties,
    /// The codec of Avro and Parquet files and Blosc containers, by the format's name for it. Default: snappy; for
    /// Blosc lz4.
    pub codec: Option<String>,
    /// For Blosc containers.
    #[cfg(feature = "blosc")]
    pub blosc: BloscOptions,
    /// For data sets.
    pub dataset: DatasetOptions,
    /// What rows of Protocol Buffers are to be.
    #[cfg(feature = "protobuf")]
    pub protobuf: Option<ProtobufType>,
    /// What rows of Thrift are to be.
    #[cfg(feature = "thrift")]
    pub thrift: Option<ThriftType>,
    /// The delimiter of CSV.
    pub delimiter: u8,
    /// Whether the first line of CSV has the names.
    pub header: bool,
    /// How many threads encode rows of CSV and JSON; with one, the caller's does.
    pub threads: usize,
    /// Whether values without a type in the format are written as numbers or bytes, without their unit or scale.
    /// Otherwise they are an error.
    pub lossy: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        let properties = WriterProperties::builder().build();
        Self {
            properties,
            codec: None,
            #[cfg(feature = "blosc")]
            blosc: BloscOptions::default(),
            dataset: DatasetOptions::default(),
            #[cfg(feature = "protobuf")]
            protobuf: None,
            #[cfg(feature = "thrift")]
            thrift: None,
            delimiter: b',',
            header: true,
            threads: 1,
            lossy: false,
        }
    }
}

impl Format {
    /// Returns the format of a name, or of an extension.
    pub fn named(name: &str) -> Result<&'static Format> {
        let is = |format: &&Format| format.name == name || format.extensions.contains(&name);
        FORMATS.iter().find(is).ok_or_else(|| {
            let all: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
            Error::invalid(format!("no format {name:?}: there are {}", all.join(", ")))
        })
    }

    /// Returns the format of a path's extension, upper and lower case being the same.
    pub fn of_path(path: &Path) -> Option<&'static Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()))
    }

    /// Returns the format of an input's extension, or of the one before that of a compressed file.
    pub fn of_input(path: &Path) -> Option<&'static Format> {
        let inner = Source::decompressed_path(path);
        Self::of_path(inner.as_deref().unwrap_or(path))
    }

    /// Returns the format of a source: of a folder by its content, of a file by its first bytes.
    pub fn of_source(source: &mut Source) -> std::io::Result<Option<&'static Format>> {
        if let Some(path) = source.folder() {
            let holds = |format: &&Format| format.holds.is_some_and(|holds| holds(path));
            return Ok(FORMATS.iter().find(holds));
        }
        #[cfg(feature = "object_store")]
        if let Some(prefix) = source.prefix() {
            return Ok(Some(Self::of_prefix(&prefix)?));
        }
        #[cfg(feature = "blosc")]
        if let Some(files) = source.as_files() {
            let is_container = trevni_blosc::is_container_of(files)?;
            return Ok(is_container.then_some(&blosc::BCOLZ));
        }
        Ok(Self::sniff(source.head()?))
    }

    /// Returns the format of the objects below a prefix.
    #[cfg(feature = "object_store")]
    fn of_prefix(prefix: &source::StoredObject) -> Result<&'static Format> {
        #[cfg(feature = "blosc")]
        if prefix.has(trevni_blosc::frame::INDEX_KEY)? {
            return Ok(&blosc::SPARSE);
        }
        let _ = prefix;
        Ok(&dataset::FORMAT)
    }

    /// Returns the format of what begins so.
    pub fn sniff(head: &[u8]) -> Option<&'static Format> {
        FORMATS.iter().find(|format| (format.sniff)(head))
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name).finish()
    }
}

/// Fails if a schema is given for a format that has its own.
fn refuse_schema(format: &str, options: &ReadOptions) -> Result<()> {
    match options.schema {
        Some(_) => Err(Error::invalid(format!("{format} files have a schema of their own"))),
        None => Ok(()),
    }
}

/// The example of the README compiles.
#[cfg(all(doctest, feature = "csv", feature = "json"))]
#[doc = include_str!("../README.md")]
mod readme {}
