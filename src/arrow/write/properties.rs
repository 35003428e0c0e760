//! Properties of a writer: layout, codec, checksum, block size, statistics.
//!
//! ```text
//! layout, version                               the columns
//! value types, sampling                         how values are serialised
//! codec, level, checksum, block size            compression of blocks
//! block rows, symbols                           how blocks of the value codec are packed
//! statistics, filters, sorting columns          pruning by readers
//! memory budget, parallelism                    memory for compressed blocks; number of threads
//! ```

use std::path::PathBuf;

use arrow::datatypes::Fields;

use super::column_paths::{self, is_below};
use crate::arrow::Layout;
use crate::arrow::layout::field_layout::LayoutPlan;
use crate::arrow::stats::sorting::SortingColumn;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::defaults::BLOOM_FILTER_FPP;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::header::Version;
use crate::format::metadata::Metadata;
use crate::format::value::ValueType;
use crate::stats::bloom_filter::Bloom;
use crate::write::file_writer::FileWriter;
use crate::write::file_writer::builder::FileWriterBuilder;

/// How an [`ArrowWriter`](super::arrow_writer::ArrowWriter) writes.
#[derive(Debug, Clone)]
pub struct WriterProperties {
    pub(super) layout: Option<Layout>,
    default_layout: Layout,
    pub(super) codec: CodecSetting,
    column_codecs: Vec<(String, Codec)>,
    column_types: Vec<(String, ValueType)>,
    sampling: bool,
    parallelism: usize,
    codec_level: Option<i32>,
    pub(super) checksum: Option<Checksum>,
    version: Version,
    block_size: Option<usize>,
    block_rows: Option<usize>,
    fsst_threshold: Option<u8>,
    memory_budget: Option<usize>,
    temporary_folder: Option<PathBuf>,
    statistics: Option<bool>,
    column_statistics: Vec<(String, bool)>,
    filters: Filters,
    column_filters: Vec<(String, Filters)>,
    sorting: Vec<SortingColumn>,
    metadata: Metadata,
}

/// The codec of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum CodecSetting {
    /// Snappy if this build has it.
    Default,
    /// The file names none.
    Unnamed,
    Named(Codec),
}

/// The Bloom filter settings of all columns or of one.
#[derive(Debug, Clone, Copy, Default)]
struct Filters {
    enabled: Option<bool>,
    fpp: Option<f64>,
    ndv: Option<u64>,
}

/// Makes [`WriterProperties`].
#[derive(Debug, Clone, Default)]
pub struct WriterPropertiesBuilder(WriterProperties);

impl Default for WriterProperties {
    fn default() -> Self {
        Self {
            layout: None,
            default_layout: Layout::default(),
            codec: CodecSetting::Default,
            column_codecs: Vec::new(),
            column_types: Vec::new(),
            sampling: true,
            parallelism: 1,
            codec_level: None,
            checksum: None,
            version: Version::default(),
            block_size: None,
            block_rows: None,
            fsst_threshold: None,
            memory_budget: None,
            temporary_folder: None,
            statistics: None,
            column_statistics: Vec::new(),
            filters: Filters::default(),
            column_filters: Vec::new(),
            sorting: Vec::new(),
            metadata: Metadata::new(),
        }
    }
}

impl WriterProperties {
    /// Starts from the defaults: split layout, codec snappy if this build has it, checksum crc32.
    pub fn builder() -> WriterPropertiesBuilder {
        WriterPropertiesBuilder::default()
    }

    /// Returns the layout.
    pub fn layout(&self) -> Layout {
        self.layout.unwrap_or(self.default_layout)
    }

    /// Sets the layout of files for which none is set.
    #[must_use]
    pub fn with_default_layout(mut self, layout: Layout) -> Self {
        self.default_layout = layout;
        self
    }

    /// Returns the codec of columns that have none of their own.
    pub fn codec(&self) -> Codec {
        match self.codec {
            CodecSetting::Named(codec) => codec,
            CodecSetting::Default if Codec::Snappy.is_available() => Codec::Snappy,
            CodecSetting::Default | CodecSetting::Unnamed => Codec::Null,
        }
    }

    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the builder of a file of plain columns that is written so.
    pub fn file_writer(&self) -> FileWriterBuilder {
        let mut builder = FileWriter::builder()
            .set_version(self.version)
            .set_codec_level(self.codec_level)
            .set_sampling(self.sampling && self.layout() == Layout::Split)
            .set_parallelism(self.parallelism);
        if !matches!(self.codec, CodecSetting::Unnamed) {
            builder = builder.set_codec(self.codec());
        }
        if let Some(checksum) = self.checksum {
            builder = builder.set_checksum(checksum);
        }
        if let Some(rows) = self.block_rows {
            builder = builder.set_block_rows(rows);
        }
        if let Some(hundredths) = self.fsst_threshold {
            builder = builder.set_fsst_threshold(hundredths);
        }
        if let Some(bytes) = self.block_size {
            builder = builder.set_block_size(bytes);
        }
        if let Some(bytes) = self.memory_budget {
            builder = builder.set_memory_budget(bytes);
        }
        if let Some(folder) = &self.temporary_folder {
            builder = builder.set_temporary_folder(folder);
        }
        builder
    }

    /// Returns the properties with paths that mean one field of these.
    pub(crate) fn for_fields(mut self, fields: &Fields) -> Self {
        let codecs = self.column_codecs.iter_mut().map(|(path, _)| path);
        let types = self.column_types.iter_mut().map(|(path, _)| path);
        let statistics = self.column_statistics.iter_mut().map(|(path, _)| path);
        let filters = self.column_filters.iter_mut().map(|(path, _)| path);
        for path in codecs.chain(types).chain(statistics).chain(filters) {
            *path = column_paths::quoted(path, fields);
        }
        self
    }

    /// Returns whether the column of a name has a value codec.
    pub(crate) fn is_packed(&self, name: &str) -> bool {
        let own = self.column_codecs.iter().rev().find(|(path, _)| is_below(name, path));
        own.map_or(self.codec(), |(_, codec)| *codec).is_value_codec()
    }

    /// Sets the codecs of columns that have their own.
    pub(crate) fn set_column_codecs(&self, columns: &mut [ColumnMetadata]) -> Result<()> {
        for (path, codec) in &self.column_codecs {
            let mut found = false;
            for column in columns.iter_mut().filter(|column| is_below(column.name(), path)) {
                *column = column.clone().with_codec(*codec);
                found = true;
            }
            if !found {
                return Err(column_paths::missing(path, "a codec", columns));
            }
        }
        Ok(())
    }

    /// Returns whether statistics are kept of a column.
    pub(crate) fn has_statistics(&self, name: &str) -> bool {
        let mut own = self.column_statistics.iter().rev().filter(|(path, _)| is_below(name, path));
        let all = self.statistics.unwrap_or(self.layout() == Layout::Split);
        own.next().map_or(all, |(_, enabled)| *enabled)
    }

    /// Returns how large the filters of a column are, if it has any.
    pub(crate) fn bloom_filter(&self, name: &str) -> Option<Bloom> {
        let mut filters = self.filters;
        for (_, own) in self.column_filters.iter().filter(|(path, _)| is_below(name, path)) {
            // A size that is set for a column enables its filter, as in the crate `parquet`.
            filters.enabled = own.enabled.or(Some(true));
            filters.fpp = own.fpp.or(filters.fpp);
            filters.ndv = own.ndv.or(filters.ndv);
        }
        let fpp = filters.fpp.unwrap_or(BLOOM_FILTER_FPP);
        filters.enabled.unwrap_or(false).then_some(Bloom { fpp, ndv: filters.ndv })
    }

    /// By which columns rows are sorted.
    pub fn sorting_columns(&self) -> &[SortingColumn] {
        &self.sorting
    }

    /// Fails if settings are for columns that do not exist, or are out of range.
    pub(crate) fn check_paths(&self, columns: &[ColumnMetadata]) -> Result<()> {
        let statistics = self.column_statistics.iter().map(|(path, _)| path);
        let mut paths = statistics.chain(self.column_filters.iter().map(|(path, _)| path));
        let is_valid = |path: &String| columns.iter().any(|column| is_below(column.name(), path));
        if let Some(path) = paths.find(|path| !is_valid(path)) {
            return Err(column_paths::missing(path, "statistics", columns));
        }
        let mut all = self.column_filters.iter().map(|(_, own)| own).chain([&self.filters]);
        match all.find_map(|filters| filters.fpp.filter(|fpp| !(*fpp > 0.0 && *fpp < 1.0))) {
            Some(fpp) => {
                Err(Error::invalid(format!("a filter's rate of {fpp} is not between 0 and 1")))
            }
            None => Ok(()),
        }
    }

    /// Sets the value types of columns that have their own. Returns these columns.
    pub(crate) fn set_column_types(&self, plan: &mut LayoutPlan) -> Result<Vec<usize>> {
        let mut typed = Vec::new();
        for (path, value_type) in &self.column_types {
            let column = column_paths::value_column(path, &plan.columns)?;
            let planned = plan.columns.get_mut(column);
            planned.ok_or_else(|| Error::invalid("no such column"))?.retype(*value_type)?;
            typed.push(column);
        }
        Ok(typed)
    }
}

impl WriterPropertiesBuilder {
    /// Sets the codec of all columns.
    pub fn set_codec(mut self, codec: Codec) -> Self {
        self.0.codec = CodecSetting::Named(codec);
        self
    }

    /// Names no codec, which is `null` to every reader.
    pub fn unset_codec(mut self) -> Self {
        self.0.codec = CodecSetting::Unnamed;
        self
    }

    /// Sets the codec of the column of this name, and of those below it: the name of a field at the top is that of
    /// all its columns. Of several that hold for a column the last set counts.
    pub fn set_column_codec(mut self, path: impl Into<String>, codec: Codec) -> Self {
        self.0.column_codecs.push((path.into(), codec));
        self
    }

    /// Sets the value type of the column of this name, which must be able to hold its values: `fixed64` where `long`
    /// is the default, and the like. Such a column is not [sampled](Self::set_sampling) for its type.
    pub fn set_column_value_type(mut self, name: impl Into<String>, value_type: ValueType) -> Self {
        self.0.column_types.push((name.into(), value_type));
        self
    }

    /// Sets whether the first two blocks of each column choose its encoding: without the codec where decompression
    /// costs more than it saves, and integers in fixed width where varints cost more. Default: true. Columns of the
    /// Avro layout are always as Avro's tools write them.
    pub fn set_sampling(mut self, sampling: bool) -> Self {
        self.0.sampling = sampling;
        self
    }

    /// Sets the number of threads that encode columns and compress blocks. The bytes of the file are the same. Default: 1.
    pub fn set_parallelism(mut self, threads: usize) -> Self {
        self.0.parallelism = threads;
        self
    }

    /// Sets the level of codecs that have one; `None` is each codec's own default.
    pub fn set_codec_level(mut self, level: Option<i32>) -> Self {
        self.0.codec_level = level;
        self
    }

    /// Sets the checksum of all columns. Default: `crc32`; of columns of the value codec `crc32-stored`.
    pub fn set_checksum(mut self, checksum: Checksum) -> Self {
        self.0.checksum = Some(checksum);
        self
    }

    /// Sets the layout of fields in columns. Default: the split layout.
    pub fn set_layout(mut self, layout: Layout) -> Self {
        self.0.layout = Some(layout);
        self
    }

    /// Sets the version of the format.
    pub fn set_version(mut self, version: Version) -> Self {
        self.0.version = version;
        self
    }

    /// Sets the rows at which a block of the value codec ends. Default: 32,768.
    pub fn set_block_rows(mut self, rows: usize) -> Self {
        self.0.block_rows = Some(rows);
        self
    }

    /// Sets what strings under the value codec must take less as symbols, in hundredths of what they take by
    /// themselves: 0 never replaces them, which is written and read fastest; 100 does so wherever it saves a byte,
    /// and cuts doubles in two where that is smaller. Default: 68.
    pub fn set_fsst_threshold(mut self, hundredths: u8) -> Self {
        self.0.fsst_threshold = Some(hundredths);
        self
    }

    /// Sets the bytes before compression at which a block ends. Default: 65,536; of the value codec 1 MiB.
    pub fn set_block_size(mut self, bytes: usize) -> Self {
        self.0.block_size = Some(bytes);
        self
    }

    /// Sets the size of the compressed blocks held in memory, in bytes; more go to a temporary file. Default: 256
    /// MiB.
    pub fn set_memory_budget(mut self, bytes: usize) -> Self {
        self.0.memory_budget = Some(bytes);
        self
    }

    /// Sets the folder of that temporary file. Default: [`std::env::temp_dir`], which is `TMPDIR` or `/tmp` on Unix.
    pub fn set_temporary_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.0.temporary_folder = Some(folder.into());
        self
    }

    /// Sets whether of each block of a column the nulls are counted, and the minimum and maximum kept, so that
    /// readers with a condition leave out blocks. Default: true; in the Avro layout no, whose columns are always
    /// what Avro's tools make them.
    pub fn set_statistics_enabled(mut self, enabled: bool) -> Self {
        self.0.statistics = Some(enabled);
        self
    }

    /// Sets the same for the column of this name, and those below it. Of several that hold for a column the last
    /// set counts.
    pub fn set_column_statistics_enabled(mut self, path: impl Into<String>, enabled: bool) -> Self {
        self.0.column_statistics.push((path.into(), enabled));
        self
    }

    /// Sets whether blocks of integers, temporal types, strings and binary have Bloom filters, by which readers
    /// skip blocks without the value of a predicate. They are stored in the header, which is read completely.
    /// Default: false.
    pub fn set_bloom_filter_enabled(mut self, enabled: bool) -> Self {
        self.0.filters.enabled = Some(enabled);
        self
    }

    /// Sets the approximate false positive rate of Bloom filters. Default: 0.05.
    pub fn set_bloom_filter_fpp(mut self, fpp: f64) -> Self {
        self.0.filters.fpp = Some(fpp);
        self
    }

    /// Sets how many distinct values of a block filters are made for at most. Default: as many as it has.
    pub fn set_bloom_filter_ndv(mut self, ndv: u64) -> Self {
        self.0.filters.ndv = Some(ndv);
        self
    }

    /// [`set_bloom_filter_enabled`](Self::set_bloom_filter_enabled) for the column of this name, and those below it.
    pub fn set_column_bloom_filter_enabled(self, path: impl Into<String>, enabled: bool) -> Self {
        self.own_filter(path, Filters { enabled: Some(enabled), ..Filters::default() })
    }

    /// [`set_bloom_filter_fpp`](Self::set_bloom_filter_fpp) for the column of this name; it has filters then.
    pub fn set_column_bloom_filter_fpp(self, path: impl Into<String>, fpp: f64) -> Self {
        self.own_filter(path, Filters { fpp: Some(fpp), ..Filters::default() })
    }

    /// [`set_bloom_filter_ndv`](Self::set_bloom_filter_ndv) for the column of this name; it has filters then.
    pub fn set_column_bloom_filter_ndv(self, path: impl Into<String>, ndv: u64) -> Self {
        self.own_filter(path, Filters { ndv: Some(ndv), ..Filters::default() })
    }

    fn own_filter(mut self, path: impl Into<String>, filters: Filters) -> Self {
        self.0.column_filters.push((path.into(), filters));
        self
    }

    /// Sets the columns that the rows are sorted by, the most significant first. Every batch is checked, and
    /// refused if it is not sorted. If the first column ascends and has no nulls, its blocks have first values, as
    /// the format defines for sorted columns.
    pub fn set_sorting_columns(mut self, columns: Vec<SortingColumn>) -> Self {
        self.0.sorting = columns;
        self
    }

    /// Pairs for the file's metadata.
    pub fn set_key_value_metadata(mut self, metadata: Metadata) -> Self {
        self.0.metadata = metadata;
        self
    }

    /// Returns the properties.
    pub fn build(self) -> WriterProperties {
        self.0
    }
}
