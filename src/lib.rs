//! The Trevni column file format for Arrow data.
//!
//! ```text
//! 'T' 'r' 'v' 2 │ rows, columns │ metadata of the file
//! ├ metadata of each column │ where each column starts
//! ├ column 0: block count │ descriptors │ block, crc │ block, crc │ ...
//! ├ column 1: ...
//! ```
//!
//! With [`arrow`], the usual interface, files are written from and read into record batches:
//!
//! ```
//! # #[cfg(feature = "arrow")] {
//! use std::sync::Arc;
//! use arrow::array::{ArrayRef, Int64Array, RecordBatch};
//! use trevni::arrow::{ArrowReaderBuilder, ArrowWriter};
//!
//! let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let batch = RecordBatch::try_from_iter([("id", ids)])?;
//! let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
//! writer.write(&batch)?;
//! let (file, summary) = writer.finish()?;
//! assert_eq!(summary.rows, 3);
//!
//! let mut reader = ArrowReaderBuilder::try_new(bytes::Bytes::from(file))?.build()?;
//! assert_eq!(reader.next().transpose()?, Some(batch));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without Arrow, and without any feature, [`FileWriter`] and [`FileReader`] write and read [`ColumnData`], the
//! values of columns; [`RowWriter`] takes one row at a time:
//!
//! ```
//! use trevni::{ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, Values, ValuesRef};
//! use trevni::codec::Codec;
//!
//! let columns = vec![
//!     ColumnMetadata::new("id", ValueType::Long),
//!     ColumnMetadata::new("to", ValueType::String).array(),
//! ];
//! let mut writer = FileWriter::builder().set_codec(Codec::Null).build(Vec::new(), columns)?;
//! writer.write(2, &[
//!     ColumnSlice::plain(ValuesRef::Long(&[566, 567])),
//!     ColumnSlice::array(&[2, 0], ValuesRef::strings(&[0, 3, 6], b"barfoo")),
//! ])?;
//! let (file, summary) = writer.finish()?;
//! assert_eq!(summary.rows, 2);
//!
//! let reader = FileReader::try_new(bytes::Bytes::from(file))?;
//! let id = reader.read_column(0)?;
//! assert_eq!(id.values, Values::Long(vec![566, 567]));
//! # Ok::<(), trevni::Error>(())
//! ```
//!
//! The modules, from the lowest layer to the highest. A module imports from lower layers only; a test checks that.
//!
//! ```text layers
//! buffer_reuse defaults error keys simd
//! io kernel parallelism wire
//! checksum codec object_store pack
//! format
//! stats
//! read
//! write
//! arrow
//! dataset
//! ```
//!
//! With the feature `object_store`, `arrow::ArrowStreamBuilder` and `arrow::AsyncArrowWriter` read and write files
//! in object stores. Byte ranges are planned, fetched, and decoded by the same code as local files.
//!
//! With the feature `arrow`, a folder of files, or a prefix of a store, is one table: `dataset` writes it by atomic
//! commits, and scans it without opening files that cannot have matching rows.
//!
//! Other readers of the format read the files, unless a codec is chosen that they lack.
//! [`Codec::Pack`](codec::Codec::Pack) is one: its files are smaller and are read several times as fast.
//!
//! Kernels use AVX-512, or AVX2 and BMI2, where the machine has them. The environment variable `TREVNI_SIMD` =
//! `portable`, `avx2` or `avx512` lowers the level; the results are the same.
//!
//! The formats are specified in `spec/`. Input is not trusted: a count or size in a file is compared with the bytes
//! that exist, or with [`Limits`](io::Limits), before anything is allocated. Any input gives a value or an
//! [`Error`] with its location.

#[cfg(feature = "arrow")]
pub mod arrow;
mod buffer_reuse;
pub mod checksum;
pub mod codec;
#[cfg(feature = "arrow")]
pub mod dataset;
pub mod defaults;
mod error;
mod format;
pub mod io;
mod kernel;
pub mod keys;
#[cfg(feature = "object_store")]
pub mod object_store;
mod pack;
pub mod parallelism;
mod read;
pub mod simd;
mod stats;
pub mod wire;
mod write;

/// The kernels, public for benchmarks only.
#[doc(hidden)]
pub mod __kernel {
    pub use crate::kernel::*;
}

/// The crates whose types appear in the interface, in the versions that this crate is built with.
pub mod reexport {
    #[cfg(feature = "arrow")]
    pub use ::arrow;
    #[cfg(feature = "object_store")]
    pub use ::object_store;
    pub use bytes;
}

pub use error::{Error, ErrorKind, ErrorLocation, Result};
pub use format::bitmap::Bits;
pub use format::block::BlockDescriptor;
pub use format::column_data::{ColumnData, ColumnSlice};
pub use format::column_metadata::ColumnMetadata;
pub use format::column_tree::ColumnTree;
pub use format::header::{Header, Version};
pub use format::metadata::{Metadata, MetadataIter};
pub use format::string_values::{Offsets, Strings};
pub use format::value::{Value, ValueType};
pub use format::values::Values;
pub use format::values_ref::ValuesRef;
pub use pack::{ViewBuffer, ViewDictionary, Views};
pub use read::block_encoding::BlockEncoding;
pub use read::file_metadata::FileMetadata;
pub use read::file_reader::FileReader;
pub use read::projected_reader::ProjectedReader;
pub use read::read_metrics::ReadMetrics;
#[cfg(feature = "object_store")]
pub use read::remote_file::RemoteFile;
pub use read::verify::Verification;
pub use stats::block_statistics::{BlockStatistics, Bounds, Statistics};
pub use stats::bloom_filter::Bloom;
pub use stats::sort_order::Order;
pub use write::concat::{concat, copy_rows, schema_difference};
pub use write::file_chunks::FileChunks;
pub use write::file_summary::{ColumnSummary, FileSummary};
pub use write::file_writer::FileWriter;
pub use write::file_writer::builder::FileWriterBuilder;
pub use write::row_writer::RowWriter;

/// The examples of the documents compile.
#[cfg(all(doctest, feature = "arrow"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/rust.md")]
mod documents {}
