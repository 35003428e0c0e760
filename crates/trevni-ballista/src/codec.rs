//! The codecs of plans: those of Ballista, with tables and plan nodes of Trevni.

use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use trevni_datafusion::{TrevniLogicalCodec, TrevniPhysicalCodec};

/// Returns the codec of logical plans, which clients send.
pub fn logical_codec() -> Arc<TrevniLogicalCodec> {
    Arc::new(TrevniLogicalCodec::new(Arc::new(BallistaLogicalExtensionCodec::default())))
}

/// Returns the codec of physical plans, which the scheduler sends.
pub fn physical_codec() -> Arc<TrevniPhysicalCodec> {
    Arc::new(TrevniPhysicalCodec::new(Arc::new(BallistaPhysicalExtensionCodec::default())))
}
