//! Trevni files as tables of [DataFusion](datafusion).
//!
//! ```text
//! SQL         CREATE EXTERNAL TABLE, COPY TO, INSERT INTO: files, data sets
//! planning    schema, statistics and sorting: header, block tables
//! execution   file ──► rows of its byte range ──► blocks that may pass
//!                  ──► rows that pass ──► projection
//! ```
//! Projections, filters and limits are pushed down. A filter is evaluated exactly, on the columns that it names, before
//! other columns are decoded; the dynamic filter of a join as long as that saves time. Blocks whose statistics exclude
//! the filter are not read. A file is split among partitions by byte ranges, which the file alone maps to rows.
//!
//! `EXPLAIN ANALYZE` shows for each scan:
//!
//! | metric | what it counts |
//! |---|---|
//! | `requests`, `bytes_scanned`, `fetch_time` | requests to the store; the times of concurrent ones are added |
//! | `files_pruned` | files in which no row can pass, by their statistics and partition values |
//! | `blocks_pruned_statistics` | blocks of the columns of the filter, and those of them that may have rows that pass |
//! | `rows_pruned_statistics` | rows in none of these |
//! | `blocks_read` | blocks of all columns that were decompressed |
//! | `decode_time` | time of decoding and of evaluating filters |
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use trevni_datafusion::SessionContextExt;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let ctx = SessionContext::new();
//! ctx.register_trevni_format()?;
//! # let path = folder.path().join("numbers.trv");
//! # let path = path.display();
//! ctx.sql(&format!("COPY (VALUES (1, 'a'), (2, 'b')) TO '{path}' STORED AS TREVNI")).await?.collect().await?;
//! ctx.sql(&format!("CREATE EXTERNAL TABLE t STORED AS TREVNI LOCATION '{path}'")).await?;
//! let rows = ctx.sql("SELECT column2 FROM t WHERE column1 > 1").await?.collect().await?;
//! assert_eq!(rows[0].num_rows(), 1);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! byte_range error location metrics options reader_table table uncommitted
//! blosc_factory dataset_write_exec field_paths filter_steps metadata_cache pruning sink statistics
//! optional_filter
//! opener
//! dataset_sink source
//! dataset_table format
//! dataset_factory dataset_format table_factory
//! format_factory
//! context proto
//! ```

#[cfg(feature = "blosc")]
mod blosc_factory;
mod byte_range;
mod context;
mod dataset_factory;
mod dataset_format;
mod dataset_sink;
mod dataset_table;
mod dataset_write_exec;
mod error;
mod field_paths;
mod filter_steps;
mod format;
mod format_factory;
mod location;
mod metadata_cache;
mod metrics;
mod opener;
mod optional_filter;
mod options;
#[cfg(feature = "proto")]
mod proto;
mod pruning;
mod reader_table;
mod sink;
mod source;
mod statistics;
mod table;
mod table_factory;
mod uncommitted;

#[cfg(feature = "blosc")]
pub use blosc_factory::BloscTableFactory;
pub use context::SessionContextExt;
pub use dataset_factory::TrevniDatasetFactory;
pub use dataset_table::TrevniDatasetTable;
pub use format::TrevniFormat;
pub use format_factory::TrevniFormatFactory;
pub use options::TrevniOptions;
#[cfg(feature = "proto")]
pub use proto::{CopyOptionsInFormat, TrevniLogicalCodec, TrevniPhysicalCodec};
pub use reader_table::{ReaderScan, ReaderTable};
pub use source::TrevniSource;
pub use table::TrevniTable;
pub use table_factory::TrevniTableFactory;

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
