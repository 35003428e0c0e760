//! Data sets as tables: the files that commits name, with their partition values and statistics.
//!
//! ```text
//! created    schema of the table: columns of the files, then the partition columns
//! scan       snapshot ──► files ──► groups for the partitions of the plan ──► DataSourceExec
//! insert     each partition of the input ──► DatasetWriteExec ──► DatasetSink: one commit
//! ```
//! Each scan opens the last snapshot, at planning. Columns that later commits add are visible when the table is created
//! again.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};
use datafusion::datasource::listing::{ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use trevni::ErrorKind;
use trevni::arrow::with_view_types;
use trevni::dataset::{DataFile, Dataset, FileStatistics, Prefix};

use crate::dataset_sink;
use crate::dataset_write_exec::DatasetTarget;
use crate::error::external;
use crate::options::TrevniOptions;
use crate::source::TrevniSource;
use crate::statistics::{bound, count};

/// A data set below a prefix of an object store, as a table.
#[derive(Debug)]
pub struct TrevniDatasetTable {
    url: ListingTableUrl,
    /// The columns of the files, and those whose values are in paths.
    file_schema: SchemaRef,
    partitions: Vec<FieldRef>,
    /// Of both.
    schema: SchemaRef,
    options: TrevniOptions,
}

impl TrevniDatasetTable {
    /// Opens the data set at a URL, whose store the session knows; `None` if there is none.
    pub async fn open(
        state: &dyn Session,
        url: ListingTableUrl,
        options: TrevniOptions,
    ) -> Result<Option<Self>> {
        let store = state.runtime_env().object_store(url.object_store())?;
        let Some(dataset) = open(store, url.prefix()).await? else { return Ok(None) };
        let partitions = dataset.partitions().to_vec();
        Ok(Some(Self::new(url, dataset.schema(), partitions, options)))
    }

    /// Creates the table of a data set that may not exist yet: the first `INSERT` creates it. The schema may have the
    /// partition columns too.
    pub fn new(
        url: ListingTableUrl,
        schema: &Schema,
        partitions: Vec<FieldRef>,
        options: TrevniOptions,
    ) -> Self {
        let is_inside = |field: &&FieldRef| !partitions.iter().any(|p| p.name() == field.name());
        let inside: Vec<FieldRef> = schema.fields().iter().filter(is_inside).cloned().collect();
        let mut file_schema = Schema::new(inside);
        if options.view_types {
            file_schema = with_view_types(&file_schema);
        }
        let fields = file_schema.fields().iter().chain(&partitions).cloned();
        let (schema, file_schema) =
            (Arc::new(Schema::new(fields.collect::<Vec<_>>())), Arc::new(file_schema));
        Self { url, file_schema, partitions, schema, options }
    }

    /// Returns the folder.
    pub fn url(&self) -> &ListingTableUrl {
        &self.url
    }

    /// Returns the columns whose values are in paths.
    pub fn partitions(&self) -> &[FieldRef] {
        &self.partitions
    }

    /// Returns the options.
    pub fn options(&self) -> &TrevniOptions {
        &self.options
    }

    /// Returns the files of a snapshot, with what is known of their values.
    fn files(&self, dataset: &Dataset<Prefix>) -> Result<Vec<PartitionedFile>> {
        // In the types of the table, which may have views.
        let values = dataset.partition_values().map_err(external)?;
        let fields = self.file_schema.fields().iter();
        let known: Vec<Option<FileStatistics>> = fields
            .map(|field| match dataset.schema().field_with_name(field.name()) {
                Ok(found) if is_of_type(found, field) => {
                    dataset.file_statistics(field.name()).map_err(external)
                }
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        let file = |(place, file): (usize, &DataFile)| {
            let columns = known.iter().zip(self.file_schema.fields());
            let columns =
                columns.map(|(known, field)| column_statistics(known.as_ref(), field, place));
            let statistics = Statistics {
                num_rows: count(file.rows()),
                total_byte_size: count(file.bytes()).to_inexact(),
                column_statistics: columns.collect::<Result<_>>()?,
            };
            // Keys of a dictionary may count fewer values than there are files.
            let values = values.iter().zip(&self.partitions).map(|(values, field)| {
                let value = cast(&values.slice(place, 1), field.data_type())?;
                ScalarValue::try_from_array(&value, 0)
            });
            let mut partitioned = PartitionedFile::from(object(dataset, file)?);
            partitioned.partition_values = values.collect::<Result<_>>()?;
            Ok(partitioned.with_statistics(Arc::new(statistics)))
        };
        dataset.files().enumerate().map(file).collect()
    }
}

/// Opens a data set; `None` if there is none.
async fn open(store: Arc<dyn ObjectStore>, prefix: &Path) -> Result<Option<Dataset<Prefix>>> {
    match Dataset::open_in(store, prefix.clone()).await {
        Ok(dataset) => Ok(Some(dataset)),
        Err(e) if matches!(e.kind(), ErrorKind::Io(e) if e.kind() == std::io::ErrorKind::NotFound) => {
            Ok(None)
        }
        Err(e) => Err(external(e)),
    }
}

fn object(dataset: &Dataset<Prefix>, file: &DataFile) -> Result<ObjectMeta> {
    Ok(ObjectMeta {
        location: dataset.location(file).map_err(external)?,
        // Files have unique names, and are never changed.
        last_modified: Default::default(),
        size: file.bytes(),
        e_tag: None,
        version: None,
    })
}

/// Returns whether the bounds of a column are those of a field of the table. A column of another type is cast, and its
/// bounds would have to be; views are the same values.
fn is_of_type(column: &Field, field: &Field) -> bool {
    let views = with_view_types(&Schema::new(vec![column.clone()]));
    column.data_type() == field.data_type()
        || views.fields().iter().all(|column| column.data_type() == field.data_type())
}

/// Returns what is known of a column of one file.
fn column_statistics(
    known: Option<&FileStatistics>,
    field: &Field,
    file: usize,
) -> Result<ColumnStatistics> {
    let mut statistics = ColumnStatistics::new_unknown();
    let Some(known) = known else { return Ok(statistics) };
    // Bounds of floats are in another order than that of SQL, and those of dictionaries may be of values that no row
    // has.
    let data_type = field.data_type();
    let is_exact = !data_type.is_floating() && !matches!(data_type, DataType::Dictionary(..));
    let known_bound = |bounds: &ArrayRef| match bounds.is_valid(file) {
        true if matches!(data_type, DataType::Utf8View | DataType::BinaryView) => {
            bound(&cast(&bounds.slice(file, 1), data_type)?, 0, is_exact)
        }
        true => bound(bounds, file, is_exact),
        false => Ok(Precision::Absent),
    };
    statistics.min_value = known_bound(&known.min)?;
    statistics.max_value = known_bound(&known.max)?;
    if known.null_counts.is_valid(file) {
        statistics.null_count = count(known.null_counts.value(file));
    }
    Ok(statistics)
}

#[async_trait]
impl TableProvider for TrevniDatasetTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// Filters are pushed down again when the plan is optimized, and then evaluated exactly.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let store = state.runtime_env().object_store(self.url.object_store())?;
        let files = match open(store, self.url.prefix()).await? {
            Some(dataset) => self.files(&dataset)?,
            None => Vec::new(),
        };
        let mut statistics = Statistics::new_unknown(&self.schema);
        let rows = files.iter().filter_map(|file| file.statistics.as_ref());
        let rows: Option<usize> =
            rows.map(|file| file.num_rows.get_value().copied()).sum::<Option<usize>>();
        statistics.num_rows = rows.map_or(Precision::Absent, Precision::Exact);
        let groups = FileGroup::new(files).split_files(state.config().target_partitions());
        let table = TableSchema::builder(self.file_schema.clone())
            .with_table_partition_cols(self.partitions.clone())
            .build();
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        let source = TrevniSource::new(table, self.options.clone()).with_metadata_cache(cache);
        let config = FileScanConfigBuilder::new(self.url.object_store(), Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    async fn insert_into(
        &self,
        _state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let partition_by = self.partitions.iter().map(|field| field.name().clone()).collect();
        let (schema, options) = (&self.schema, &self.options);
        let target = DatasetTarget::try_new(&self.url, schema, partition_by, insert_op, options)?;
        dataset_sink::plan(input, target)
    }
}
