//! The scheduler.

use std::net::AddrParseError;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{Config, SchedulerConfig};
use ballista_scheduler::scheduler_process::start_server;

use crate::codec::{logical_codec, physical_codec};
use crate::session::{session_config, session_state};

/// Runs a scheduler until it is stopped, with the options of Ballista's command line.
pub async fn run_scheduler(options: Config) -> Result<()> {
    let address = format!("{}:{}", options.bind_host, options.bind_port);
    let address = address
        .parse()
        .map_err(|e: AddrParseError| BallistaError::Configuration(format!("{address}: {e}")))?;
    let mut config: SchedulerConfig = options.try_into()?;
    config.override_logical_codec = Some(logical_codec());
    config.override_physical_codec = Some(physical_codec());
    config.override_config_producer = Some(Arc::new(session_config));
    config.override_session_builder = Some(Arc::new(session_state));
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, address, Arc::new(config)).await
}
