//! Plans with Trevni files as Protocol Buffers, so that other hosts run them.
//!
//! ```text
//! client      logical plan  ──► TrevniLogicalCodec ──► bytes of another codec, or ours behind a magic number
//! scheduler   physical plan ──► TrevniPhysicalCodec ──► one task for each partition
//! executor    bytes ──► TrevniPhysicalCodec ──► scan, write of files, write or commit of a data set
//! ```
//! Both codecs wrap the codec of an engine, which encodes everything else.

mod copy_options;
mod delegate_functions;
mod logical_codec;
mod message;
mod physical_codec;
mod physical_node;
mod table_node;

pub use copy_options::CopyOptionsInFormat;
pub use logical_codec::TrevniLogicalCodec;
pub use physical_codec::TrevniPhysicalCodec;
