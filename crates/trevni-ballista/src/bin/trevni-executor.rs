//! Ballista's executor for Trevni files and data sets. Its options are those of `ballista-executor`; it asks for tasks by
//! default.

use ballista_core::error::Result;
use ballista_executor::config::Config;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> Result<()> {
    let options: Config = trevni_ballista::parse_options("task_scheduling_policy");
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(&options.log_level_setting));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    trevni_ballista::run_executor(options).await
}
