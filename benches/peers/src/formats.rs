//! The formats that are compared, each under one or more configurations.

mod dictionaries;
mod ipc;
pub mod parquet;
mod trevni;
#[cfg(feature = "vortex")]
pub mod vortex;

use ::arrow::array::RecordBatch;
use ::arrow::datatypes::SchemaRef;
use ::arrow::ipc::CompressionType;
use ::trevni::codec::Codec;
use bytes::Bytes;

use crate::Result;
use crate::filter::Condition;
use crate::floor::Floor;
use parquet::{Compression, Pages, v59, v60};

/// What is read of a file.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    All,
    /// All, with strings as views: the schema says where.
    Views(&'a SchemaRef),
    /// One column of the table.
    Column(usize),
    /// Single rows, ascending.
    Rows(&'a [usize]),
    /// The rows that pass.
    Filter(&'a Condition),
}

/// A file in memory, and the schema of what was written, for formats that do not keep it.
pub struct File {
    pub bytes: Bytes,
    pub schema: SchemaRef,
}

/// Takes each batch that is read.
pub type Sink<'a> = dyn FnMut(RecordBatch) -> Result<()> + 'a;

/// An open file, which reads the same each time that it is called.
pub type Opened<'a> = Box<dyn Fn(&mut Sink<'_>) -> Result<()> + 'a>;

/// What a format has to do.
pub trait Format {
    /// Chooses settings for a table, off the clock.
    fn prepare(&mut self, _schema: &SchemaRef, _batches: &[RecordBatch]) -> Result<()> {
        Ok(())
    }

    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>>;

    /// Opens a file, with what is to be read of it.
    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>>;

    /// Returns the schema of all columns of a file with this schema.
    fn schema_of_all(&self, schema: &SchemaRef) -> SchemaRef {
        schema.clone()
    }

    /// Returns whether strings can be read into views.
    fn has_views(&self) -> bool;

    /// Returns whether conditions are evaluated.
    fn has_filters(&self) -> bool {
        true
    }

    /// Returns the least that any reader of the file has to do, for the formats whose blocks are known here.
    fn floor(&self, _file: &File) -> Result<Option<Floor>> {
        Ok(None)
    }
}

/// A format with its settings.
pub struct Config {
    pub name: &'static str,
    /// Whether it is measured only where it is named.
    pub apart: bool,
    pub start: fn() -> Result<Box<dyn Format>>,
}

macro_rules! config {
    ($name:literal, $format:expr) => {
        Config { name: $name, apart: false, start: || Ok(Box::new($format)) }
    };
    ($name:literal apart, $format:expr) => {
        Config { apart: true, ..config!($name, $format) }
    };
}

/// All configurations, in the order in which they are shown.
pub const CONFIGS: &[Config] = &[
    config!("parquet-snappy", v59::Parquet::new(Compression::Snappy)),
    config!("parquet-zstd3", v59::Parquet::new(Compression::Zstd3)),
    config!("parquet-tuned-snappy", v59::Parquet::tuned(Compression::Snappy, Pages::Default)),
    config!("parquet-tuned-zstd3", v59::Parquet::tuned(Compression::Zstd3, Pages::Default)),
    config!("parquet-tuned-zstd3-small", v59::Parquet::tuned(Compression::Zstd3, Pages::Small)),
    config!("parquet60-tuned-zstd3", v60::Parquet::tuned(Compression::Zstd3, Pages::Default)),
    config!("parquet-none" apart, v59::Parquet::new(Compression::None)),
    config!("ipc-lz4" apart, ipc::Ipc(Some(CompressionType::LZ4_FRAME))),
    #[cfg(feature = "vortex")]
    config!("vortex", vortex::Vortex::new()),
    #[cfg(feature = "vortex")]
    config!("vortex-compact", vortex::Vortex::compact()),
    config!("trevni-snappy", trevni::Trevni::new(Codec::Snappy)),
    config!("trevni-pack", trevni::Trevni::new(Codec::Pack)),
    config!("trevni-pack+zstd", trevni::Trevni::new(Codec::PackZstd)),
    config!("trevni-null" apart, trevni::Trevni::new(Codec::Null)),
    config!("trevni-deflate" apart, trevni::Trevni::new(Codec::Deflate)),
    config!("trevni-zstd" apart, trevni::Trevni::new(Codec::Zstd)),
    config!("trevni-lz4" apart, trevni::Trevni::new(Codec::Lz4)),
    config!("trevni-snappy-bare" apart, trevni::Trevni::bare(Codec::Snappy)),
    config!("trevni-pack-bare" apart, trevni::Trevni::bare(Codec::Pack)),
    config!(
        "parquet-snappy-dictionaries" apart,
        dictionaries::Dictionaries(v59::Parquet::new(Compression::Snappy))
    ),
    config!(
        "trevni-pack-dictionaries" apart,
        dictionaries::Dictionaries(trevni::Trevni::new(Codec::Pack))
    ),
    config!("trevni-snappy-2" apart, trevni::Trevni::by_two(Codec::Snappy)),
    config!("trevni-pack-2" apart, trevni::Trevni::by_two(Codec::Pack)),
];
