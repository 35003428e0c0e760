//! Formats by name, with the options of a session and of a statement.
//!
//! ```text
//! TREVNI, trv        files                STORED AS in COPY TO and CREATE EXTERNAL TABLE
//! TREVNI_DATASET     one commit           STORED AS in COPY TO
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::GetExt;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::error::Result;

use crate::dataset_format::TrevniDatasetFormat;
use crate::format::{EXTENSION, TrevniFormat};
use crate::options::TrevniOptions;

/// The name of files in SQL, in lower case.
pub(crate) const NAME: &str = "trevni";

/// The name of data sets in SQL, in lower case.
pub(crate) const DATASET_NAME: &str = "trevni_dataset";

/// Creates formats with the options of a session and of a statement.
#[derive(Debug, Clone)]
pub struct TrevniFormatFactory {
    name: &'static str,
    /// Options of a statement.
    options: HashMap<String, String>,
}

impl TrevniFormatFactory {
    /// Creates the factory of files, under the name `trv`.
    pub fn new() -> Self {
        Self::named(EXTENSION)
    }

    /// Creates the factory of data sets, under the name `trevni_dataset`. A `COPY TO` is one commit.
    pub fn dataset() -> Self {
        Self::named(DATASET_NAME)
    }

    /// Creates a factory that is registered under a name.
    pub(crate) fn named(name: &'static str) -> Self {
        Self { name, options: HashMap::new() }
    }

    /// Sets options of a statement, such as `format.codec`. Those of [`create`](FileFormatFactory::create) come after
    /// them.
    pub fn with_options(mut self, options: HashMap<String, String>) -> Self {
        self.options = options;
        self
    }

    /// Returns the options of a statement.
    pub fn options(&self) -> &HashMap<String, String> {
        &self.options
    }

    /// Returns whether a `COPY TO` writes a data set.
    pub fn is_dataset(&self) -> bool {
        self.name == DATASET_NAME
    }

    fn format(&self, options: TrevniOptions) -> Arc<dyn FileFormat> {
        match self.is_dataset() {
            true => Arc::new(TrevniDatasetFormat::new(options)),
            false => Arc::new(TrevniFormat::new(options)),
        }
    }
}

impl Default for TrevniFormatFactory {
    fn default() -> Self {
        Self::new()
    }
}

impl GetExt for TrevniFormatFactory {
    fn get_ext(&self) -> String {
        self.name.to_owned()
    }
}

impl FileFormatFactory for TrevniFormatFactory {
    fn create(
        &self,
        state: &dyn Session,
        format_options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let options = TrevniOptions::of_session(state.config_options());
        let options = options.with_options(&self.options)?.with_options(format_options)?;
        // A codec that does not exist is an error of the statement, not of the first file.
        options.writer_properties()?;
        Ok(self.format(options))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        self.format(TrevniOptions::default())
    }
}
