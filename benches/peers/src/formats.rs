//! The formats that race, each under one or more configurations.

mod dictionaries;
mod ipc;
pub mod parquet;
mod trevni;
#[cfg(feature = "vortex")]
mod vortex;

use ::arrow::array::RecordBatch;
use ::arrow::datatypes::SchemaRef;
use ::arrow::ipc::CompressionType;
use ::parquet::basic::{Compression, ZstdLevel};
use ::trevni::codec::Codec;
use bytes::Bytes;

use crate::Result;
use crate::filter::Condition;
use crate::floor::Floor;

/// What is read of a file.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    All,
    /// All, with strings as views: the schema says where.
    Views(&'a SchemaRef),
    FirstColumn,
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

/// What a format has to do in a race.
pub trait Format {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>>;

    fn read(&self, file: &File, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()>;

    /// Returns the schema of all columns of a file with this schema.
    fn schema_of_all(&self, schema: &SchemaRef) -> SchemaRef {
        schema.clone()
    }

    /// Returns whether strings can be read into views.
    fn has_views(&self) -> bool;

    /// Returns whether conditions are evaluated.
    fn has_filters(&self) -> bool {
        false
    }

    /// Returns the least that any reader of the file has to do, where the race knows how to do just that.
    fn floor(&self, _file: &File) -> Result<Option<Floor>> {
        Ok(None)
    }
}

/// A format with its settings.
pub struct Config {
    pub name: &'static str,
    /// Whether it races only where it is named.
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
    config!("parquet-snappy", parquet::Parquet(Compression::SNAPPY)),
    config!("parquet-zstd1", parquet::Parquet(Compression::ZSTD(ZstdLevel::try_new(1)?))),
    config!("parquet-none", parquet::Parquet(Compression::UNCOMPRESSED)),
    config!("ipc-lz4", ipc::Ipc(Some(CompressionType::LZ4_FRAME))),
    #[cfg(feature = "vortex")]
    config!("vortex", vortex::Vortex::new()),
    #[cfg(feature = "vortex")]
    config!("vortex-compact", vortex::Vortex::compact()),
    config!("trevni-snappy", trevni::Trevni::new(Codec::Snappy)),
    config!("trevni-null", trevni::Trevni::new(Codec::Null)),
    config!("trevni-deflate", trevni::Trevni::new(Codec::Deflate)),
    config!("trevni-zstd", trevni::Trevni::new(Codec::Zstd)),
    config!("trevni-lz4", trevni::Trevni::new(Codec::Lz4)),
    config!("trevni-pack", trevni::Trevni::new(Codec::Pack)),
    config!("trevni-pack+zstd", trevni::Trevni::new(Codec::PackZstd)),
    config!("trevni-snappy-bare" apart, trevni::Trevni::bare(Codec::Snappy)),
    config!("trevni-pack-bare" apart, trevni::Trevni::bare(Codec::Pack)),
    config!(
        "parquet-snappy-dictionaries" apart,
        dictionaries::Dictionaries(parquet::Parquet(Compression::SNAPPY))
    ),
    config!(
        "trevni-pack-dictionaries" apart,
        dictionaries::Dictionaries(trevni::Trevni::new(Codec::Pack))
    ),
    config!("trevni-snappy-2" apart, trevni::Trevni::by_two(Codec::Snappy)),
    config!("trevni-pack-2" apart, trevni::Trevni::by_two(Codec::Pack)),
];
