//! Tables as messages. Their schema is not in them: DataFusion encodes it.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::internal_datafusion_err;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::logical_plan::from_proto::parse_sorts;
use datafusion_proto::logical_plan::to_proto::serialize_sorts;
use datafusion_proto::protobuf;

use super::message::{DatasetTable, FileTable, Location, Options, Table, TableNode, required};
use crate::dataset_table::TrevniDatasetTable;
use crate::format::TrevniFormat;
use crate::options::TrevniOptions;
use crate::table::TrevniTable;

/// Returns the message of a table; `None` if it is another table.
pub(super) fn encode(
    table: &dyn TableProvider,
    codec: &dyn LogicalExtensionCodec,
) -> Result<Option<TableNode>> {
    if let Some(table) = table.downcast_ref::<TrevniTable>() {
        let (options, files) = encode_files(table.files(), codec)?;
        return Ok(Some(TableNode { options: Some(options), table: Some(Table::Files(files)) }));
    }
    let Some(table) = table.downcast_ref::<TrevniDatasetTable>() else { return Ok(None) };
    let partitions = table.partitions().iter().map(|field| field.name().clone());
    let dataset = DatasetTable { url: table.url().to_string(), partitions: partitions.collect() };
    let options = Some(table.options().into());
    Ok(Some(TableNode { options, table: Some(Table::Dataset(dataset)) }))
}

/// Returns the table of a message.
pub(super) fn decode(
    node: TableNode,
    schema: &SchemaRef,
    ctx: &TaskContext,
    codec: &dyn LogicalExtensionCodec,
) -> Result<Arc<dyn TableProvider>> {
    let options: TrevniOptions = required(node.options, "options")?.try_into()?;
    match required(node.table, "a table")? {
        Table::Files(files) => Ok(Arc::new(decode_files(files, options, schema, ctx, codec)?)),
        Table::Dataset(DatasetTable { url, partitions }) => {
            let field = |name: &String| Ok(Arc::new(schema.field_with_name(name)?.clone()));
            let partitions = partitions.iter().map(field).collect::<Result<Vec<FieldRef>>>()?;
            let url = ListingTableUrl::parse(url)?;
            Ok(Arc::new(TrevniDatasetTable::new(url, schema, partitions, options)))
        }
    }
}

fn encode_files(
    files: &ListingTable,
    codec: &dyn LogicalExtensionCodec,
) -> Result<(Options, FileTable)> {
    let listing = files.options();
    let format = listing.format.downcast_ref::<TrevniFormat>();
    let format =
        format.ok_or_else(|| internal_datafusion_err!("a table of Trevni files without them"))?;
    let location = |url: &ListingTableUrl| Location {
        url: url.to_string(),
        glob: url.get_glob().as_ref().map(|glob| glob.as_str().to_owned()),
    };
    let partition = |(name, data_type): &(String, DataType)| {
        Ok(protobuf::PartitionColumn {
            name: name.clone(),
            arrow_type: Some(data_type.try_into()?),
        })
    };
    let order = |order: &Vec<_>| {
        let sort_expr_nodes = serialize_sorts(order, codec)?;
        Ok(protobuf::SortExprNodeCollection { sort_expr_nodes })
    };
    let table = FileTable {
        locations: files.table_paths().iter().map(location).collect(),
        extension: listing.file_extension.clone(),
        partitions: listing.table_partition_cols.iter().map(partition).collect::<Result<_>>()?,
        orders: listing.file_sort_order.iter().map(order).collect::<Result<_>>()?,
    };
    Ok((format.options().into(), table))
}

fn decode_files(
    table: FileTable,
    options: TrevniOptions,
    schema: &SchemaRef,
    ctx: &TaskContext,
    codec: &dyn LogicalExtensionCodec,
) -> Result<TrevniTable> {
    let location = |location: Location| {
        let url = ListingTableUrl::parse(location.url)?;
        match location.glob {
            Some(glob) => url.with_glob(&glob),
            None => Ok(url),
        }
    };
    let partition = |column: protobuf::PartitionColumn| {
        let data_type = required(column.arrow_type, "the type of a partition column")?;
        Ok((column.name, DataType::try_from(&data_type)?))
    };
    let partitions: Vec<(String, DataType)> =
        table.partitions.into_iter().map(partition).collect::<Result<_>>()?;
    let is_inside = |field: &&FieldRef| !partitions.iter().any(|(name, _)| name == field.name());
    let inside: Vec<FieldRef> = schema.fields().iter().filter(is_inside).cloned().collect();
    let inside = Schema::new_with_metadata(inside, schema.metadata().clone());
    let order = |order: &protobuf::SortExprNodeCollection| {
        Ok(parse_sorts(&order.sort_expr_nodes, ctx, codec)?)
    };
    let orders = table.orders.iter().map(order).collect::<Result<_>>()?;
    let listing = ListingOptions::new(Arc::new(TrevniFormat::new(options)))
        .with_file_extension(table.extension)
        .with_table_partition_cols(partitions)
        .with_file_sort_order(orders);
    let locations: Vec<_> = table.locations.into_iter().map(location).collect::<Result<_>>()?;
    required(locations.first(), "a location")?;
    let config = ListingTableConfig::new_with_multi_paths(locations)
        .with_listing_options(listing)
        .with_schema(Arc::new(inside));
    TrevniTable::try_new(config, &ctx.runtime_env())
}
