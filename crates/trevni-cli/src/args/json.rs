//! Arguments for reading JSON.

use trevni_convert::{Format, ReadOptions};

use super::write::size;
use crate::exit::CliError;

/// How JSON is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading jsonl")]
pub(crate) struct JsonArgs {
    /// The longest row of jsonl, in bytes of text; k, M and G are understood. It bounds the memory that is taken.
    /// Default: 64M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    max_row_size: Option<usize>,
    /// The array that has the rows, if it is within an object of jsonl: names with dots, such as features.
    #[arg(long, value_name = "a.b")]
    rows_at: Option<String>,
}

impl JsonArgs {
    /// Refuses arguments that are not for a format.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        let given = [
            ("--max-row-size", self.max_row_size.is_some()),
            ("--rows-at", self.rows_at.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given && format.name != "jsonl") {
            Some((option, _)) => {
                let name = format.name;
                Err(CliError::Usage(format!("{option} is for jsonl, and the input is {name}")))
            }
            None => Ok(()),
        }
    }

    /// Adds the arguments to the ways of reading.
    pub(crate) fn apply(&self, options: &mut ReadOptions) {
        if let Some(size) = self.max_row_size {
            options.json.max_row_size = size;
        }
        if let Some(path) = &self.rows_at {
            options.json.rows_at = path.split('.').map(str::to_owned).collect();
        }
    }
}
