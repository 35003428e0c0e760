//! The argument that limits the memory of reading.

use std::sync::OnceLock;

use trevni::io::Limits;

use super::write::size;

static MEMORY: OnceLock<usize> = OnceLock::new();

/// The memory that reading may take.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct MemoryArgs {
    /// Limit the memory for reading a file; k, M and G are understood. A file that needs more is an error. Default:
    /// 512M. Sorts, groups and DISTINCT of `trevni sql` use temporary files where they would take more; a join of which
    /// neither side fits is an error. Without this, queries have no limit.
    #[arg(long, global = true, hide_short_help = true, value_parser = size, value_name = "BYTES")]
    limit_memory: Option<usize>,
}

impl MemoryArgs {
    /// Sets the limits for the command.
    pub(crate) fn apply(&self) {
        if let Some(bytes) = self.limit_memory {
            MEMORY.get_or_init(|| bytes);
        }
    }
}

/// Returns the limit that was given.
#[cfg(feature = "sql")]
pub(crate) fn limit() -> Option<usize> {
    MEMORY.get().copied()
}

/// Returns the limits in force.
pub(crate) fn limits() -> Limits {
    MEMORY.get().map_or_else(Limits::default, |bytes| Limits::of_memory(*bytes))
}
