//! Sessions of clients, and those that the scheduler makes for them.

use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt as _};
use ballista_core::object_store::{session_config_with_s3_support, session_state_with_s3_support};
use datafusion::error::Result;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use trevni_datafusion::{CopyOptionsInFormat, SessionContextExt, TrevniOptions};

use crate::codec::{logical_codec, physical_codec};

/// Returns the configuration of a session: that of Ballista, with the codecs and the options of Trevni, and `s3.*` for
/// object stores.
///
/// Text is read as `Utf8` and not as views, of which Arrow IPC would send the buffers whole from stage to stage. The
/// adaptive planner is off: with it, a query of several stages does not end when an executor is lost
/// (apache/datafusion-ballista#1986).
pub fn session_config() -> SessionConfig {
    let mut options = TrevniOptions::default();
    options.view_types = false;
    session_config_with_s3_support()
        .with_option_extension(options)
        .with_ballista_adaptive_query_planner(false)
        .with_ballista_logical_extension_codec(logical_codec())
        .with_ballista_physical_extension_codec(physical_codec())
}

/// Returns the state of a session, with `STORED AS TREVNI` and `STORED AS TREVNI_DATASET`.
pub fn session_state(config: SessionConfig) -> Result<SessionState> {
    let state = SessionStateBuilder::new_from_existing(session_state_with_s3_support(config)?)
        .with_analyzer_rule(Arc::new(CopyOptionsInFormat))
        .build();
    let ctx = SessionContext::new_with_state(state);
    ctx.register_trevni_format()?;
    Ok(ctx.state())
}

/// Returns a session whose queries run on the cluster of a scheduler: `df://host:port`.
pub async fn connect(url: &str) -> Result<SessionContext> {
    SessionContext::remote_with_state(url, session_state(session_config())?).await
}

/// Returns a session whose queries run on a scheduler and an executor in this process.
pub async fn standalone(config: SessionConfig) -> Result<SessionContext> {
    SessionContext::standalone_with_state(session_state(config)?).await
}
