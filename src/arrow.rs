//! Arrow record batches in and out of Trevni files.
//!
//! ```text
//! write   RecordBatch -> lower -> shred    -> one ColumnSlice a column -> FileWriter
//! read    RecordBatch <- raise <- assemble <- one ColumnData  a column <- RowsReader
//! ```
//! `lower` and `raise` swap dictionaries and run-ends for the values they stand for. `shred` and `assemble` walk
//! a `Shape`, which says for each field which columns hold its counts and its values. Two layouts
//! make shapes: [`Split`](Layout::Split), the default, and [`Avro`](Layout::Avro), the columns that Avro's own
//! Trevni tools read and write.
//!
//! Every Arrow type comes back as it went in, because the file carries the Arrow schema. A file without one gets
//! its types from its Avro schema, and a file without either from its columns.

mod assemble;
#[cfg(feature = "object_store")]
mod async_reader;
#[cfg(feature = "object_store")]
mod async_writer;
mod avro;
mod bare;
mod buffers;
mod dense;
mod filter;
mod lent;
mod nested;
mod packed;
mod predicate;
mod projection;
mod properties;
mod pruning;
mod reader;
mod row_filter;
mod schema;
mod selection;
mod shape;
mod shred;
mod sorting;
mod spare;
mod split;
mod spread;
mod statistics;
mod take;
mod text;
mod types;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

#[cfg(feature = "object_store")]
pub use async_reader::{ArrowStream, ArrowStreamBuilder};
#[cfg(feature = "object_store")]
pub use async_writer::AsyncArrowWriter;
pub use avro::{
    AvroDecoder, AvroEncoder, ORIGINAL_NAME_KEY, legal_avro_name, schema_from_avro, schema_to_avro,
};
pub(crate) use predicate::{Bound, Node};
pub use predicate::{BoundPredicate, ColumnPath, Literal, Operator, Predicate};
pub use projection::ProjectionMask;
pub(crate) use projection::projected_schema;
pub use properties::{WriterProperties, WriterPropertiesBuilder};
pub use reader::{ArrowReader, ArrowReaderBuilder, ArrowReaderOptions};
pub use row_filter::{ArrowPredicate, ArrowPredicateFn, RowFilter};
pub use schema::{schema_from_ipc, schema_to_ipc};
pub use selection::{RowSelection, RowSelector};
pub use sorting::SortingColumn;
pub use statistics::ColumnStatistics;
pub(crate) use take::take;
pub use verify::verify_rows;
pub use writer::ArrowWriter;

/// How Arrow fields become columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Counts never share a column with values: the fastest to write and to read.
    #[default]
    Split,
    /// The columns of Avro's own Trevni tools, with an Avro schema.
    Avro,
}

impl Layout {
    /// The name in the file's metadata.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Split => "split",
            Layout::Avro => "avro",
        }
    }

    /// The layout of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Layout::Split, Layout::Avro].into_iter().find(|layout| layout.name() == name)
    }
}
