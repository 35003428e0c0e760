//! Arguments that limit the number of rows.

use super::rows::ReadArgs;

/// How many rows are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LimitArgs {
    /// At most N rows, of those that pass --where.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Skip the first N rows of those that pass --where.
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
}

impl LimitArgs {
    pub(crate) fn apply(&self, read: &mut ReadArgs) {
        match (&read.predicate, self.offset) {
            (_, 0) => {}
            (Some(_), offset) => read.offset = offset,
            // Rows that need no test are not read.
            (None, offset) => {
                let range = read.rows.take().unwrap_or(0..u64::MAX);
                let start = range.start.saturating_add(offset).min(range.end);
                read.rows = Some(start..range.end);
            }
        }
        if let Some(limit) = self.limit {
            read.limit_to(limit);
        }
    }
}
