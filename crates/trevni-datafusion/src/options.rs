//! Options of reading and writing, of a session and of a statement.
//!
//! ```text
//! SET trevni.codec = 'pack'                               of a session
//! COPY ... OPTIONS ('format.codec' 'pack')                of a statement, over those of the session
//! CREATE EXTERNAL TABLE ... OPTIONS ('format.codec' ...)
//! ```

use std::collections::HashMap;

use datafusion::common::config::{ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::common::{config_datafusion_err, extensions_options};
use datafusion::error::Result;
use trevni::arrow::WriterProperties;
use trevni::codec::Codec;

extensions_options! {
    /// Options of reading and writing Trevni files.
    pub struct TrevniOptions {
        /// Whether filters are evaluated while files are read.
        pub pushdown_filters: bool, default = true

        /// Whether blocks are left out by their statistics.
        pub pruning: bool, default = true

        /// Whether text and binary columns are read as views.
        pub view_types: bool, default = true

        /// The codec of files that are written: null, snappy, deflate, zstd, pack, pack+zstd.
        pub codec: Option<String>, default = None

        /// The level of the codec, if it has levels; 0 is its default.
        pub level: i32, default = 0
    }
}

impl ConfigExtension for TrevniOptions {
    const PREFIX: &'static str = "trevni";
}

impl TrevniOptions {
    /// Returns the options of a session.
    pub fn of_session(config: &ConfigOptions) -> Self {
        config.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// Returns these options with those of a statement, whose keys begin with `format.`.
    pub(crate) fn with_options(mut self, options: &HashMap<String, String>) -> Result<Self> {
        for (key, value) in options {
            if let Some(key) = key.strip_prefix("format.") {
                self.set(key, value)?;
            }
        }
        Ok(self)
    }

    /// Returns the properties of a writer.
    pub(crate) fn writer_properties(&self) -> Result<WriterProperties> {
        let level = Some(self.level).filter(|level| *level != 0);
        let mut builder = WriterProperties::builder().set_codec_level(level);
        if let Some(codec) = &self.codec {
            let codec: Codec =
                codec.parse().map_err(|e| config_datafusion_err!("trevni.codec: {e}"))?;
            builder = builder.set_codec(codec);
        }
        Ok(builder.build())
    }
}
