//! Trevni files and data sets on a [Ballista](https://datafusion.apache.org/ballista/) cluster.
//!
//! ```text
//! client     SQL ──► logical plan ──► scheduler
//! scheduler  logical plan ──► stages of a physical plan ──► one task for each partition ──► executors
//! executor   task ──► scan of files, write of files or of a data set ──► shuffle files ──► next stage
//! ```
//! Ballista's own binaries do not know the tables and plan nodes of Trevni; these have their codecs built in. Every host
//! needs access to the files: by the same object store, or by a file system that all of them mount.
//!
//! - A data set is written by all tasks of a stage and committed by one more task. If an executor is lost, its tasks
//!   run again on another one. A commit that is repeated is found, and not made again.
//! - `COPY TO` a file is one object, which appears complete. `COPY TO` a folder, and `INSERT INTO` a table of files, are
//!   several objects: tasks that are repeated write them twice. Use a data set.
//!
//! ```no_run
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let ctx = trevni_ballista::connect("df://localhost:50050").await?;
//! ctx.sql("CREATE EXTERNAL TABLE trips STORED AS TREVNI LOCATION 's3://bucket/trips.trv'").await?;
//! ctx.sql("SELECT count(*) FROM trips").await?.show().await?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs, unsafe_code)]

mod codec;
mod executor;
mod options;
mod scheduler;
mod session;

pub use codec::{logical_codec, physical_codec};
pub use executor::run_executor;
pub use options::parse_options;
pub use scheduler::run_scheduler;
pub use session::{connect, session_config, session_state, standalone};

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
