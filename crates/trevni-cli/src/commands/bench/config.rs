//! The formats that are measured, each with its compression.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use trevni::codec::Codec;

use super::Result;
use super::filter::Filter;
use super::trv::Trevni;

/// What is read of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Request<'a> {
    All,
    /// One column, by its place.
    Column(usize),
    /// Single rows, ascending.
    Rows(&'a [usize]),
    /// The rows that a filter keeps.
    Filter(&'a Filter),
}

/// Takes each batch that is read.
pub(super) type Sink<'a> = dyn FnMut(RecordBatch) -> Result<()> + 'a;

/// What is timed of a format.
pub(super) trait Format {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>>;

    /// Opens the file and reads.
    fn read(&self, file: &Bytes, request: Request<'_>, sink: &mut Sink<'_>) -> Result<()>;
}

/// A format with its compression.
pub(super) struct Config {
    pub(super) name: &'static str,
    pub(super) format: Box<dyn Format>,
}

/// The name of the configuration that the others are compared with.
pub(super) const BASELINE: &str = "parquet snappy";

/// The configurations of this build, and what is missing in it.
pub(super) fn all() -> (Vec<Config>, Vec<String>) {
    let (mut configs, mut missing) = (Vec::new(), Vec::new());
    let ours = [
        ("trevni snappy", Codec::Snappy),
        ("trevni pack", Codec::Pack),
        ("trevni pack+zstd", Codec::PackZstd),
    ];
    for (name, codec) in ours {
        match codec.is_available() {
            true => configs.push(Config { name, format: Box::new(Trevni(codec)) }),
            false => missing.push(format!("{name}: this build has no codec {}", codec.name())),
        }
    }
    #[cfg(feature = "parquet")]
    {
        use parquet::basic::{Compression, ZstdLevel};

        let theirs = [
            (BASELINE, Compression::SNAPPY),
            ("parquet zstd", Compression::ZSTD(ZstdLevel::default())),
        ];
        let config = |(name, compression)| {
            let format = super::parquet::Parquet(compression);
            Config { name, format: Box::new(format) as Box<dyn Format> }
        };
        configs.extend(theirs.map(config));
    }
    #[cfg(not(feature = "parquet"))]
    missing.push("parquet: this build is without it".to_owned());
    (configs, missing)
}
