//! Reads and writes Arrow record batches as Trevni files.
//!
//! ```text
//! write   RecordBatch -> lower -> shred    -> one ColumnSlice a column -> FileWriter
//! read    RecordBatch <- raise <- assemble <- one ColumnData  a column <- ProjectedReader
//! ```
//! `encoded` replaces dictionaries and run-end arrays by their values. `shred` and `assemble` follow a
//! `FieldLayout`, which has the columns of the counts and values of each field. Two layouts exist:
//! [`Split`](Layout::Split), the default, and [`Avro`](Layout::Avro), the columns that Avro's own Trevni tools read
//! and write.
//!
//! Every Arrow type comes back as it went in, because the file carries the Arrow schema. A file without one gets
//! its types from its Avro schema, and a file without either from its columns.
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! field_path
//! array
//! leaf selection
//! layout
//! encoded
//! avro predicate
//! schema
//! projection
//! stats
//! read write
//! avro_rows scan
//! ```

mod array;
mod avro;
mod avro_rows;
mod encoded;
mod field_path;
mod layout;
mod leaf;
mod predicate;
mod projection;
mod read;
mod scan;
mod schema;
mod selection;
mod stats;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use array::map_rows::take;
pub use avro::{ORIGINAL_NAME_KEY, legal_avro_name, schema_from_avro, schema_to_avro};
pub use avro_rows::decoder::AvroDecoder;
pub use avro_rows::encoder::AvroEncoder;
pub use layout::Layout;
pub use leaf::precision::wider_decimals;
pub(crate) use predicate::{Bound, Node, find};
pub use predicate::{BoundPredicate, ColumnPath, Literal, Operator, PathStep, Predicate};
pub use projection::ProjectionMask;
pub(crate) use projection::projected_schema;
pub use read::metadata::ArrowReaderMetadata;
pub use read::options::ArrowReaderOptions;
pub use read::row_filter::{ArrowPredicate, ArrowPredicateFn, RowFilter};
pub use scan::arrow_reader::ArrowReader;
pub use scan::builder::ArrowReaderBuilder;
pub(crate) use scan::file_plan::{Adapter, FilePlan};
pub(crate) use scan::ordered_scan::{OrderedScan, ScanOptions, pool};
pub(crate) use scan::part::Part;
pub(crate) use scan::settings::{ScanSettings, scan_setters};
#[cfg(feature = "object_store")]
pub(crate) use scan::shares;
#[cfg(feature = "object_store")]
pub use scan::stream::{ArrowStream, ArrowStreamBuilder};
pub(crate) use scan::trim::Trim;
pub use scan::verify::verify_rows;
pub use schema::ipc::{schema_from_ipc, schema_to_ipc};
pub use schema::view_types::{with_dictionaries, with_view_types, without_view_types};
pub use selection::{RowSelection, RowSelector};
pub use stats::block_filters::BlockFilters;
pub(crate) use stats::pruning::{BlockBounds, prune_rows};
pub use stats::sorting::SortingColumn;
pub use stats::statistics::ColumnStatistics;
pub use write::arrow_writer::ArrowWriter;
#[cfg(feature = "object_store")]
pub use write::async_writer::AsyncArrowWriter;
pub(crate) use write::batch_schema::conform;
pub(crate) use write::file_settings::FileSettings;
pub use write::properties::{WriterProperties, WriterPropertiesBuilder};
