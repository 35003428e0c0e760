//! Properties of a data set writer.
//!
//! ```text
//! target file size, rows of a file      when the next file begins
//! partition columns                     the folder of a row
//! mode                                  whether existing rows are kept
//! memory budget                         when the largest of many open files is ended before its time
//! ```

use crate::arrow::WriterProperties;
use crate::defaults::TARGET_FILE_SIZE;

/// What becomes of what a data set had before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DatasetMode {
    /// It stays.
    #[default]
    Append,
    /// It is replaced at the moment that the new files appear.
    Overwrite,
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
            target: TARGET_FILE_SIZE,
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

    /// Returns whether the rows replace those that exist.
    pub(super) fn replaces(&self) -> bool {
        self.mode == DatasetMode::Overwrite
    }
}

impl DatasetPropertiesBuilder {
    /// Sets the approximate size of a file in bytes: it ends when its complete blocks reach this size. Default: 128
    /// MiB.
    pub fn set_target_file_size(mut self, bytes: u64) -> Self {
        self.0.target = bytes.max(1);
        self
    }

    /// Sets the most rows of a file. Default: no limit.
    pub fn set_max_rows_per_file(mut self, rows: u64) -> Self {
        self.0.rows = rows.max(1);
        self
    }

    /// Sets the columns whose values are in the names of folders, outermost first: integers, text, dates,
    /// booleans, or dictionaries of these. Default: those that the data set has, also if its rows are replaced; of a
    /// new one none.
    pub fn set_partition_by<N: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = N>,
    ) -> Self {
        self.0.partitions = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets what happens to existing rows. Default: they are kept.
    pub fn set_mode(mut self, mode: DatasetMode) -> Self {
        self.0.mode = mode;
        self
    }

    /// Sets the bytes that open files may hold in memory together; beyond that the largest is ended. Default:
    /// 256 MiB.
    pub fn set_memory_budget(mut self, bytes: usize) -> Self {
        self.0.memory = bytes;
        self
    }

    /// Sets how each file is written. Default, also of a codec, a layout or a checksum that these properties do not
    /// set: as the last files of the data set are; of a new one as [`WriterProperties`] says.
    pub fn set_writer_properties(mut self, properties: WriterProperties) -> Self {
        self.0.file = properties;
        self
    }

    /// Returns the properties.
    pub fn build(self) -> DatasetProperties {
        self.0
    }
}
