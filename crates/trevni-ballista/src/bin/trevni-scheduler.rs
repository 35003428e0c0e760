//! Ballista's scheduler for Trevni files and data sets. Its options are those of `ballista-scheduler`; executors ask it for
//! tasks by default.

use ballista_core::error::Result;
use ballista_scheduler::config::Config;
use tracing_subscriber::EnvFilter;

/// The planner recurses.
const STACK_SIZE: usize = 32 << 20;

fn main() -> Result<()> {
    let options: Config = trevni_ballista::parse_options("scheduler_policy");
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(&options.log_level_setting));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK_SIZE)
        .build()?;
    runtime.block_on(trevni_ballista::run_scheduler(options))
}
