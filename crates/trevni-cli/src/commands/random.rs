//! `trevni random`: writes random rows.

use std::path::PathBuf;

use trevni_convert::random_rows;

use crate::args::row_types::RowTypeArgs;
use crate::args::schema_file;
use crate::exit::CliError;
use crate::input::progress::InputSize;
use crate::output::sink::{Dialect, Input, OutputArgs};

/// Rows of a batch.
const BATCH: usize = 4096;

/// Make a file of random rows: the same for the same schema, count and seed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What `trevni schema --format json` prints, or an Avro schema.
    schema: PathBuf,
    /// How many rows.
    count: u64,
    #[command(flatten)]
    output: OutputArgs,
    /// The seed of the random rows.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    row_types: RowTypeArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let schema = schema_file::load(&args.schema)?;
    let dialect = Dialect { row_types: args.row_types.clone(), ..Dialect::default() };
    args.output.make(dialect, || {
        let rows = random_rows(schema, args.count, args.seed, BATCH);
        Ok(Input { name: "random rows".to_owned(), rows, size: InputSize::default() })
    })?;
    Ok(())
}
