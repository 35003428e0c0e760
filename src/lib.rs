//! The Trevni column file format, as a home for Arrow data.
//!
//! ```text
//! 'T' 'r' 'v' 2 │ rows, columns │ metadata of the file, of each column │ where each column starts
//! ├ column 0: block count │ descriptors │ block, crc │ block, crc │ ...
//! ├ column 1: ...
//! ```
//!
//! There are two doors. With [`arrow`], record batches go in and come out; this is the one to take:
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
//! The other, [`trevni`], gives and takes the plain values of columns and knows no Arrow; it is there without
//! any feature. Below both lie the bytes: [`wire`], [`io`], [`codec`], [`checksum`]. A module imports only from
//! those below it.
//!
//! Files may lie in a store: with the feature `object_store`, `arrow::ArrowStreamBuilder` and `arrow::AsyncArrowWriter`
//! read and write them there. Bytes are planned, fetched, and then decoded by the same code as those of local files.
//!
//! A folder of files, or a prefix of a store, is one table with the feature `arrow`: `dataset` writes it by commits that
//! appear whole, and reads it without opening files that cannot have what is asked for.
//!
//! Files are readable by the format's other readers unless a codec is asked for that they lack. The one that is worth
//! it is [`Codec::Pack`](codec::Codec::Pack): smaller, and several times as fast to read.
//!
//! The hot loops use AVX-512 or AVX2 and BMI2 where the machine has them. The environment variable `TREVNI_SIMD`
//! = `portable`, `avx2` or `avx512` asks for no more than that; the results are the same.
//!
//! The formats are restated in `spec/`. Input is never trusted: a count or size that a file claims is compared
//! with the bytes that are there, or with [`Limits`](io::Limits), before anything is allocated, and whatever
//! the bytes, the result is a value or an [`Error`] that says where.

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod checksum;
pub mod codec;
#[cfg(feature = "arrow")]
pub mod dataset;
mod error;
pub mod io;
mod kernel;
#[cfg(feature = "object_store")]
pub mod object_store;
mod pack;
pub mod parallelism;
mod scratch;
pub mod trevni;
pub mod wire;

/// The kernels, for their own benchmarks; no part of the interface.
#[doc(hidden)]
pub mod __kernel {
    pub use crate::kernel::*;
}

pub use error::{Error, ErrorKind, Place, Result};

/// The README's example compiles.
#[cfg(all(doctest, feature = "arrow"))]
#[doc = include_str!("../README.md")]
mod readme {}
