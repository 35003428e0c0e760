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
}

impl JsonArgs {
    /// Refuses arguments that are not for a format.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        match self.max_row_size {
            Some(_) if format.name != "jsonl" => {
                let name = format.name;
                Err(CliError::Usage(format!(
                    "--max-row-size is for jsonl, and the input is {name}"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Adds the arguments to the ways of reading.
    pub(crate) fn apply(&self, options: &mut ReadOptions) {
        if let Some(size) = self.max_row_size {
            options.json.max_row_size = size;
        }
    }
}
