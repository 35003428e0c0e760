//! Executors.

use std::sync::Arc;

use ballista_core::error::Result;
use ballista_core::object_store::runtime_env_with_s3_support;
use ballista_executor::config::Config;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};

use crate::codec::{logical_codec, physical_codec};
use crate::session::session_config;

/// Runs an executor until it is stopped, with the options of Ballista's command line.
pub async fn run_executor(options: Config) -> Result<()> {
    let mut config: ExecutorProcessConfig = options.try_into()?;
    config.override_logical_codec = Some(logical_codec());
    config.override_physical_codec = Some(physical_codec());
    config.override_config_producer = Some(Arc::new(session_config));
    config.override_runtime_producer = Some(Arc::new(runtime_env_with_s3_support));
    start_executor_process(Arc::new(config)).await
}
