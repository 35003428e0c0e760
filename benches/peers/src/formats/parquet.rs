//! Parquet, under two versions of its crate: that of the workspace's Arrow, and the newest, whose batches cross between
//! versions of Arrow through the C data interface.
//!
//! ```text
//! v59    arrow 59, parquet 59                      the same source, compiled for each
//! v60    arrow 60, parquet 60, with ALP
//! ```

/// The compression of pages.
#[derive(Debug, Clone, Copy)]
pub enum Compression {
    None,
    Snappy,
    Zstd3,
}

/// How many rows a page has.
#[derive(Debug, Clone, Copy)]
pub enum Pages {
    /// As many as the crate chooses: 20,000, or fewer in 1 MiB.
    Default,
    /// 1,000, for single rows.
    Small,
}

mod crossing;
pub mod v59;
pub mod v60;
