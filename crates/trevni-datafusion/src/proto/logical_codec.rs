//! Logical plans: tables and formats.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion_proto::logical_plan::LogicalExtensionCodec;

use super::delegate_functions::delegate_functions;
use super::message::{self, FormatNode};
use super::table_node;
use crate::format_factory::TrevniFormatFactory;

/// Encodes tables of Trevni files and data sets, and the format of `COPY`; everything else by another codec.
#[derive(Debug)]
pub struct TrevniLogicalCodec {
    inner: Arc<dyn LogicalExtensionCodec>,
}

impl TrevniLogicalCodec {
    /// Creates a codec around that of an engine.
    pub fn new(inner: Arc<dyn LogicalExtensionCodec>) -> Self {
        Self { inner }
    }
}

impl LogicalExtensionCodec for TrevniLogicalCodec {
    fn try_encode(&self, node: &Extension, buf: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode(node, buf)
    }

    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[LogicalPlan],
        ctx: &TaskContext,
    ) -> Result<Extension> {
        self.inner.try_decode(buf, inputs, ctx)
    }

    fn try_encode_table_provider(
        &self,
        table_ref: &TableReference,
        node: Arc<dyn TableProvider>,
        buf: &mut Vec<u8>,
    ) -> Result<()> {
        match table_node::encode(&*node, self)? {
            Some(node) => {
                message::encode(&node, buf);
                Ok(())
            }
            None => self.inner.try_encode_table_provider(table_ref, node, buf),
        }
    }

    fn try_decode_table_provider(
        &self,
        buf: &[u8],
        table_ref: &TableReference,
        schema: SchemaRef,
        ctx: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match message::decode(buf)? {
            Some(node) => table_node::decode(node, &schema, ctx, self),
            None => self.inner.try_decode_table_provider(buf, table_ref, schema, ctx),
        }
    }

    fn try_encode_file_format(
        &self,
        buf: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        match node.downcast_ref::<TrevniFormatFactory>() {
            Some(format) => {
                let (options, is_dataset) = (format.options().clone(), format.is_dataset());
                message::encode(&FormatNode { options, is_dataset }, buf);
                Ok(())
            }
            None => self.inner.try_encode_file_format(buf, node),
        }
    }

    fn try_decode_file_format(
        &self,
        buf: &[u8],
        ctx: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        match message::decode::<FormatNode>(buf)? {
            Some(FormatNode { options, is_dataset }) => {
                let format = match is_dataset {
                    true => TrevniFormatFactory::dataset(),
                    false => TrevniFormatFactory::new(),
                };
                Ok(Arc::new(format.with_options(options)))
            }
            None => self.inner.try_decode_file_format(buf, ctx),
        }
    }

    delegate_functions!();
}
