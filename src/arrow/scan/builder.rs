//! Configures a reader of one file: projection, row selection, predicate, batch size.
//!
//! ```text
//! rows      range ──► selection ──► predicates ──► offset ──► limit
//! fields    projection                                              columns of predicates only are not output
//! ```

use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::arrow_reader::ArrowReader;
use super::file_plan::{FilePlan, Hooks};
use super::file_setters::file_setters;
use super::ordered_scan::{self, OrderedScan, ScanOptions};
use super::settings::{ScanSettings, scan_setters};
use super::trim::Trim;
use crate::arrow::predicate::{self, ColumnPath};
use crate::arrow::projection::ProjectionMask;
use crate::arrow::read::metadata::ArrowReaderMetadata;
use crate::arrow::read::options::ArrowReaderOptions;
use crate::arrow::read::remaining_rows::RowPruner;
use crate::arrow::read::row_filter::RowFilter;
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::selection::RowSelection;
use crate::arrow::stats::block_filters::BlockFilters;
use crate::arrow::stats::sorting::{self, SortingColumn};
use crate::arrow::stats::statistics::{ColumnStatistics, StatisticsColumn};
use crate::error::Result;
use crate::io::ReadAt;
use crate::read::file_reader::FileReader;
use crate::read::read_metrics::ReadMetrics;

/// Opens a file and configures what is read of it.
pub struct ArrowReaderBuilder<R> {
    pub(super) file: FileReader<R>,
    pub(super) planning: Arc<SchemaPlan>,
    pub(super) projection: ProjectionMask,
    pub(super) selection: Option<RowSelection>,
    pub(crate) settings: ScanSettings,
    pub(super) hooks: Hooks,
}

impl<R: ReadAt + 'static> ArrowReaderBuilder<R> {
    /// Opens a file: reads its header and finds its schema.
    pub fn try_new(source: R) -> Result<Self> {
        Self::try_new_with_options(source, ArrowReaderOptions::default())
    }

    /// Opens a file with options.
    pub fn try_new_with_options(source: R, options: ArrowReaderOptions) -> Result<Self> {
        let file = FileReader::try_new_with_limits(source, options.limits)?;
        Self::from_file(file, options)
    }

    /// Reads from a file that is already open. Its limits stay those it was opened with.
    pub fn from_file(file: FileReader<R>, options: ArrowReaderOptions) -> Result<Self> {
        let metadata = ArrowReaderMetadata::try_new(file.metadata().clone(), options)?;
        Ok(Self::of(file, metadata.planning))
    }

    /// Opens a file of which this is known. Nothing is read.
    pub fn new_with_metadata(source: R, metadata: ArrowReaderMetadata) -> Self {
        let ArrowReaderMetadata { file, planning } = metadata;
        Self::of(FileReader::new_with_metadata(source, file), planning)
    }

    pub(super) fn of(file: FileReader<R>, planning: Arc<SchemaPlan>) -> Self {
        let settings = ScanSettings::new(*file.limits());
        let (projection, hooks) = (ProjectionMask::all(), Hooks::default());
        Self { file, planning, projection, selection: None, settings, hooks }
    }

    /// Returns the statistics of the blocks of a top-level field or a field within structs; `None` if the file has
    /// none. Reads the block descriptors of its columns.
    pub fn statistics(&self, column: impl Into<ColumnPath>) -> Result<Option<ColumnStatistics>> {
        match self.statistics_column(&column.into())? {
            Some(column) => column.statistics(&self.file),
            None => Ok(None),
        }
    }

    /// Returns the Bloom filters of the blocks of such a field; `None` if the file has none. Reads the block descriptors
    /// of its column.
    pub fn bloom_filters(&self, column: impl Into<ColumnPath>) -> Result<Option<BlockFilters>> {
        match self.statistics_column(&column.into())? {
            Some(column) => BlockFilters::of_field(&self.file, &column),
            None => Ok(None),
        }
    }

    /// Returns where a field and its statistics are; `None` if it has none.
    pub(super) fn statistics_column(
        &self,
        column: &ColumnPath,
    ) -> Result<Option<StatisticsColumn>> {
        let SchemaPlan { schema, stored, plan } = &*self.planning;
        let (route, _) = predicate::find(column, schema.fields())?;
        let values = SchemaPlan::values(schema.fields(), stored);
        Ok(values.and_then(|values| StatisticsColumn::find(&route, &values, &plan.shapes)))
    }

    scan_setters!(settings);
    file_setters!();

    /// Returns the file, to look at its header and its blocks.
    pub fn file(&self) -> &FileReader<R> {
        &self.file
    }

    #[cfg(feature = "object_store")]
    pub(super) fn projected_schema(&self) -> Result<SchemaRef> {
        self.projection.projected_schema(&self.planning)
    }

    /// Whether a predicate or a row filter chooses among the rows.
    pub(super) fn has_filters(&self) -> bool {
        self.settings.predicate.is_some() || self.hooks.filter.is_some()
    }

    /// Returns what is read of the file, and what is called meanwhile.
    pub(crate) fn into_plan(self) -> Result<(FilePlan<R>, Hooks)> {
        let Self { file, planning, projection, selection, settings, hooks } = self;
        settings.check()?;
        let range = settings.rows.start..settings.rows.end.min(file.rows());
        let mut rows = RowSelection::from_consecutive_ranges([range].into_iter(), u64::MAX);
        if let Some(selection) = selection {
            rows = selection.intersection(&rows);
        }
        let file = file.with_limits(settings.limits);
        let (batch_size, predicate) = (settings.batch_size, settings.predicate);
        let mut plan = FilePlan::new(file, planning, projection, predicate, batch_size, rows)?;
        if settings.pruning {
            plan.prune()?;
        }
        Ok((plan, hooks))
    }

    /// Starts to read.
    pub fn build(self) -> Result<ArrowReader<R>> {
        let ScanSettings { offset, limit, batch_size, parallelism, limits, .. } = self.settings;
        let filters = self.has_filters();
        let (mut plan, hooks) = self.into_plan()?;
        let mut trim = Trim::new(offset, limit);
        if !filters {
            plan.rows = plan.rows.offset(offset).limit(limit);
            trim = Trim::none();
        }
        let schema = plan.schema.clone();
        // What is called while rows are read is called by one thread.
        let threads = if hooks.is_empty() { parallelism } else { 1 };
        let pool = ordered_scan::pool(threads, 1, plan.rows.row_count(), batch_size)?;
        let options = ScanOptions { limits, trim, pool, joins: filters };
        Ok(ArrowReader::new(schema, OrderedScan::of_file(plan, hooks, options)?))
    }
}

impl<R> std::fmt::Debug for ArrowReaderBuilder<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { planning, projection, settings, .. } = self;
        f.debug_struct("ArrowReaderBuilder")
            .field("schema", &planning.schema)
            .field("projection", projection)
            .field("settings", settings)
            .finish_non_exhaustive()
    }
}
