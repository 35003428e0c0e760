//! Arguments that rename columns.

use clap::ValueEnum;
use trevni_convert::{Naming, Rows, rename_fields};

use crate::exit::CliError;

/// Other names for columns.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Names")]
pub(crate) struct RenameArgs {
    /// Number columns that have the name of an earlier one: a, a_2. JSON objects cannot hold both.
    #[arg(long)]
    rename_duplicates: bool,
    /// Rename columns so that a format accepts them. avro: `_` for each character that is not an ASCII letter, a
    /// digit or `_`; the schema keeps the old name as `originalName`.
    #[arg(long, value_enum, value_name = "FORMAT")]
    rename: Option<Rename>,
}

/// A format whose names are restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rename {
    Avro,
}

impl RenameArgs {
    /// Returns the same rows under the names that are wanted.
    pub(crate) fn apply(&self, rows: Rows) -> Result<Rows, CliError> {
        let rows = match self.rename_duplicates {
            true => rename_fields(rows, Naming::Unique)?,
            false => rows,
        };
        match self.rename {
            Some(Rename::Avro) => Ok(rename_fields(rows, Naming::Avro)?),
            None => Ok(rows),
        }
    }
}
