//! Nodes of physical plans as messages.
//!
//! ```text
//! DataSourceExec of a TrevniSource   files, schema, projection, filter, options
//! DataSinkExec of a TrevniSink       where files are written, their order, options
//! DatasetWriteExec                   where a data set is, how it is written
//! DataSinkExec of a DatasetSink      the same
//! ```

use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::internal_err;
use datafusion::datasource::physical_plan::{FileScanConfig, FileSink, FileSinkConfig, FileSource};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_expr::{LexRequirement, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::{
    parse_physical_sort_exprs, parse_protobuf_file_scan_config, parse_table_schema_from_proto,
};
use datafusion_proto::physical_plan::to_proto::{
    serialize_file_scan_config, serialize_physical_sort_exprs,
};
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use object_store::path::Path;
use trevni::dataset::DatasetMode;

use super::message::{self, DatasetWrite, FileWrite, Node, PhysicalNode, Scan, required};
use crate::dataset_sink::DatasetSink;
use crate::dataset_write_exec::{DatasetTarget, DatasetWriteExec};
use crate::error::external;
use crate::sink::TrevniSink;
use crate::source::TrevniSource;

/// Encodes nodes, and the expressions in them by a converter.
pub(super) struct Encoder<'a> {
    pub(super) codec: &'a dyn PhysicalExtensionCodec,
    pub(super) converter: &'a dyn PhysicalProtoConverterExtension,
}

/// Decodes nodes, and the expressions in them by a converter.
pub(super) struct Decoder<'a> {
    pub(super) context: PhysicalPlanDecodeContext<'a>,
    pub(super) converter: &'a dyn PhysicalProtoConverterExtension,
}

impl Encoder<'_> {
    /// Returns the message of a node; `None` if it is another node.
    pub(super) fn node(&self, plan: &dyn ExecutionPlan) -> Result<Option<PhysicalNode>> {
        let node = if let Some(exec) = plan.downcast_ref::<DataSourceExec>() {
            self.scan(exec)?.map(|scan| Node::Scan(Box::new(scan)))
        } else if let Some(exec) = plan.downcast_ref::<DatasetWriteExec>() {
            let target = Some(encode_target(exec.target())?);
            Some(Node::DatasetWrite(DatasetWrite { target, is_small: exec.is_small() }))
        } else if let Some(exec) = plan.downcast_ref::<DataSinkExec>() {
            self.sink(exec)?
        } else {
            None
        };
        Ok(node.map(|node| PhysicalNode { node: Some(node) }))
    }

    fn scan(&self, exec: &DataSourceExec) -> Result<Option<Scan>> {
        let Some((config, source)) = exec.downcast_to_file_source::<TrevniSource>() else {
            return Ok(None);
        };
        let filter = source.filter();
        let filter =
            filter.map(|filter| self.converter.physical_expr_to_proto(&filter, self.codec));
        Ok(Some(Scan {
            config: Some(serialize_file_scan_config(config, self.codec, self.converter)?),
            filter: filter.transpose()?,
            options: Some(source.options().into()),
        }))
    }

    fn sink(&self, exec: &DataSinkExec) -> Result<Option<Node>> {
        if let Some(sink) = exec.sink().downcast_ref::<DatasetSink>() {
            return Ok(Some(Node::DatasetCommit(encode_target(&sink.target)?)));
        }
        let Some(sink) = exec.sink().downcast_ref::<TrevniSink>() else { return Ok(None) };
        let order = exec.sort_order().iter().flatten().cloned().map(PhysicalSortExpr::from);
        Ok(Some(Node::FileWrite(FileWrite {
            config: Some(sink.config().try_into()?),
            order: serialize_physical_sort_exprs(order, self.codec, self.converter)?,
            options: Some(sink.options().into()),
        })))
    }
}

impl Decoder<'_> {
    /// Returns the node of a message.
    pub(super) fn node(
        &self,
        node: PhysicalNode,
        inputs: &[Arc<dyn ExecutionPlan>],
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match required(node.node, "a kind")? {
            Node::Scan(scan) => self.scan(*scan),
            Node::FileWrite(write) => self.file_write(write, input(inputs)?),
            Node::DatasetWrite(DatasetWrite { target, is_small }) => {
                let target = decode_target(required(target, "a target")?)?;
                Ok(Arc::new(DatasetWriteExec::new(input(inputs)?, target, None, is_small)))
            }
            Node::DatasetCommit(target) => {
                let sink = DatasetSink::new(decode_target(target)?, None);
                Ok(Arc::new(DataSinkExec::new(input(inputs)?, Arc::new(sink), None)))
            }
        }
    }

    fn scan(&self, scan: Scan) -> Result<Arc<dyn ExecutionPlan>> {
        let config = required(scan.config, "a scan")?;
        let table = parse_table_schema_from_proto(&config)?;
        let filter = scan.filter.map(|filter| {
            let schema = table.table_schema();
            self.converter.proto_to_physical_expr(&filter, schema, &self.context)
        });
        let runtime = self.context.task_ctx().runtime_env();
        let source =
            TrevniSource::new(table.clone(), required(scan.options, "options")?.try_into()?)
                .with_filter(filter.transpose()?)
                .with_metadata_cache(runtime.cache_manager.get_file_metadata_cache());
        let source: Arc<dyn FileSource> = Arc::new(source);
        let config: FileScanConfig =
            parse_protobuf_file_scan_config(&config, &self.context, self.converter, source)?;
        Ok(DataSourceExec::from_data_source(config))
    }

    fn file_write(
        &self,
        write: FileWrite,
        input: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let config = FileSinkConfig::try_from(&required(write.config, "a file sink")?)?;
        let schema = input.schema();
        let order =
            parse_physical_sort_exprs(&write.order, &self.context, &schema, self.converter)?;
        let order = LexRequirement::new(order.into_iter().map(Into::into));
        let sink = TrevniSink::new(config, required(write.options, "options")?.try_into()?);
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), order)))
    }
}

fn input(inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
    match inputs {
        [input] => Ok(input.clone()),
        inputs => internal_err!("a write of {} inputs", inputs.len()),
    }
}

fn encode_target(target: &DatasetTarget) -> Result<message::DatasetTarget> {
    Ok(message::DatasetTarget {
        store: target.store.to_string(),
        prefix: target.prefix.to_string(),
        schema: Some((&*target.schema).try_into()?),
        partition_by: target.partition_by.clone(),
        overwrites: target.mode == DatasetMode::Overwrite,
        write_id: target.write_id.to_string(),
        options: Some((&target.options).into()),
    })
}

fn decode_target(target: message::DatasetTarget) -> Result<DatasetTarget> {
    let schema: Schema = (&required(target.schema, "a schema")?).try_into()?;
    Ok(DatasetTarget {
        store: ObjectStoreUrl::parse(&target.store)?,
        prefix: Path::parse(&target.prefix)?,
        schema: Arc::new(schema),
        partition_by: target.partition_by,
        mode: match target.overwrites {
            true => DatasetMode::Overwrite,
            false => DatasetMode::Append,
        },
        write_id: target.write_id.parse().map_err(external)?,
        options: required(target.options, "options")?.try_into()?,
    })
}
