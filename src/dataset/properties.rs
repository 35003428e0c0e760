//! Properties of a data set writer.
//!
//! ```text
//! target file size, rows of a file      when the next file begins
//! partition columns                     which folder a row goes to
//! mode                                  whether what was there before stays
//! memory budget                         when the largest of many open files is ended before its time
//! ```

use crate::arrow::WriterProperties;

/// What becomes of what a data set had before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DatasetMode {
    /// It stays.
    #[default]
    Append,
    /// It is no more, from the same moment on from which the new files are there.
    Replace,
}

/// How a [`DatasetWriter`](super::DatasetWriter) writes.
#[derive(Debug, Clone)]
pub struct DatasetProperties {
    pub(super) target: u64,
    pub(super) rows: u64,
    pub(super) partitions: Option<Vec<String>>,
    pub(super) mode: DatasetMode,
    pub(super) memory: usize,
    pub(super) file: WriterProperties,
}

/// Makes [`DatasetProperties`].
#[derive(Debug, Clone, Default)]
pub struct DatasetPropertiesBuilder(DatasetProperties);

impl Default for DatasetProperties {
    fn default() -> Self {
        Self {
            target: 128 << 20,
            rows: u64::MAX,
            partitions: None,
            mode: DatasetMode::Append,
            memory: 256 << 20,
            file: WriterProperties::default(),
        }
    }
}

impl DatasetProperties {
    /// Starts from the defaults.
    pub fn builder() -> DatasetPropertiesBuilder {
        DatasetPropertiesBuilder::default()
    }
}

impl DatasetPropertiesBuilder {
    /// Bytes of a file, about: it ends when blocks of so many are complete. Default: 128 MiB, a block of the file
    /// systems that the format was made for.
    pub fn set_target_file_size(mut self, bytes: u64) -> Self {
        self.0.target = bytes.max(1);
        self
    }

    /// The most rows of a file. Default: no limit.
    pub fn set_max_rows_per_file(mut self, rows: u64) -> Self {
        self.0.rows = rows.max(1);
        self
    }

    /// The columns whose values are in the names of folders, outermost first: integers, text, dates or booleans.
    /// Default: those that the data set has already; of a new one none.
    pub fn set_partition_by<N: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = N>,
    ) -> Self {
        self.0.partitions = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// What becomes of what was there before. Default: it stays.
    pub fn set_mode(mut self, mode: DatasetMode) -> Self {
        self.0.mode = mode;
        self
    }

    /// Bytes that open files may hold in memory together; beyond that the largest is ended. Default: 256 MiB.
    pub fn set_memory_budget(mut self, bytes: usize) -> Self {
        self.0.memory = bytes;
        self
    }

    /// How each file is written.
    pub fn set_writer_properties(mut self, properties: WriterProperties) -> Self {
        self.0.file = properties;
        self
    }

    /// The properties.
    pub fn build(self) -> DatasetProperties {
        self.0
    }
}
