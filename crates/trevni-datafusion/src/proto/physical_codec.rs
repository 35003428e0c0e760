//! Physical plans: scans, and writes of files and of data sets.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion::physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};

use super::delegate_functions::delegate_functions;
use super::message;
use super::physical_node::{Decoder, Encoder};

/// Encodes scans and writes of Trevni files; everything else by another codec.
///
/// A scan is encoded as it is: with the files of its partitions, its projection and its filter.
#[derive(Debug)]
pub struct TrevniPhysicalCodec {
    inner: Arc<dyn PhysicalExtensionCodec>,
}

impl TrevniPhysicalCodec {
    /// Creates a codec around that of an engine.
    pub fn new(inner: Arc<dyn PhysicalExtensionCodec>) -> Self {
        Self { inner }
    }
}

impl PhysicalExtensionCodec for TrevniPhysicalCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match (Encoder { codec: self, converter }).node(&*node)? {
            Some(node) => {
                message::encode(&node, buf);
                Ok(())
            }
            None => self.inner.try_encode(node, buf, converter),
        }
    }

    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match message::decode(buf)? {
            Some(node) => {
                let context = PhysicalPlanDecodeContext::new(ctx, self);
                Decoder { context, converter }.node(node, inputs)
            }
            None => self.inner.try_decode(buf, inputs, ctx, converter),
        }
    }

    fn try_encode_expr(
        &self,
        node: &Arc<dyn PhysicalExpr>,
        buf: &mut Vec<u8>,
        ctx: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.inner.try_encode_expr(node, buf, ctx)
    }

    fn try_decode_expr(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        ctx: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.inner.try_decode_expr(buf, inputs, ctx)
    }

    delegate_functions!();
}
