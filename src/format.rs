//! What the bytes of a Trevni file mean: header, metadata, columns, blocks and values. Nothing here reads files or
//! starts threads.
//!
//! ```text
//! file    = header, column ...
//! header  = 'T' 'r' 'v' version, fixed64 rows, fixed32 columns,
//!           metadata of the file, metadata of each column, fixed64 start of each column
//! column  = fixed32 blocks, descriptor of each block, block ...
//! block   = values (of array columns: the length of each row, then its values), checksum
//! ```
//! The values of a block are plain ([`plain`]), or encoded by the value codec ([`packed_block`]).

pub(crate) mod bitmap;

pub(crate) mod block;
pub(crate) mod block_table;
pub(crate) mod block_values;
pub(crate) mod budget;
pub(crate) mod column_data;
pub(crate) mod column_metadata;
pub(crate) mod column_tree;
pub(crate) mod header;
pub(crate) mod lengths;
pub(crate) mod metadata;
pub(crate) mod packed_block;
pub(crate) mod plain;
pub(crate) mod row_offsets;
pub(crate) mod string_values;
pub(crate) mod value;
pub(crate) mod values;
pub(crate) mod values_ref;
pub(crate) mod varint;
