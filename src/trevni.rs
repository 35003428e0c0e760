//! The Trevni file, without Arrow: columns of plain values in and out.
//!
//! ```text
//! file    = header, column ...
//! header  = 'T' 'r' 'v' version, fixed64 rows, fixed32 columns,
//!           metadata of the file, metadata of each column, fixed64 start of each column
//! column  = fixed32 blocks, descriptor of each block, block ...
//! block   = values (of array columns: each row's count, then its values), checksum
//! ```
//! [`FileWriter`] and [`FileReader`] speak [`ColumnData`]; [`RowWriter`] takes one row at a time.
//!
//! ```
//! use trevni::trevni::{ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, Values, ValuesRef};
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

mod ahead;
mod bits;
mod block;
mod bloom;
mod budget;
mod chunks;
mod column;
mod column_writer;
mod concat;
mod decode;
mod encode;
mod gathered;
mod header;
mod lane;
mod lengths;
mod metadata;
mod opener;
mod packed;
mod packer;
mod plan;
mod reader;
#[cfg(feature = "object_store")]
mod remote;
mod root;
mod row;
mod rows;
mod sample;
mod seal;
mod seek;
mod settle;
mod spans;
mod statistics;
mod strings;
mod summary;
mod table;
mod threads;
mod tree;
mod turns;
mod value;
mod values;
mod varint;
mod verify;
mod writer;

pub use crate::pack::{ViewBuffer, Views};
pub use bits::Bits;
pub use block::BlockDescriptor;
pub use bloom::Bloom;
#[cfg(feature = "arrow")]
pub(crate) use bloom::{BloomFilters, hashes};
pub use chunks::FileChunks;
pub use column::{ColumnData, ColumnSlice};
pub use column_writer::BLOCK_SIZE;
pub use concat::{concat, copy_rows, disagreement};
pub use header::{Header, Version};
#[cfg(feature = "arrow")]
pub(crate) use metadata::SORTING;
pub use metadata::{ColumnMetadata, Metadata};
pub use reader::FileReader;
#[cfg(feature = "object_store")]
pub use remote::RemoteFile;
#[cfg(all(feature = "arrow", feature = "object_store"))]
pub(crate) use remote::insert_pieces;
pub use row::RowWriter;
pub use rows::RowsReader;
pub use statistics::{BlockStatistics, Bounds, Order, Statistics};
pub use strings::{Offsets, Strings};
pub use summary::{ColumnSummary, FileSummary};
pub use tree::ColumnTree;
pub use value::{Value, ValueType};
pub use values::{Values, ValuesRef};
pub use verify::Verification;
#[cfg(feature = "arrow")]
pub(crate) use verify::is_of_nulls;
pub use writer::{FileWriter, FileWriterBuilder};
