//! `trevni tojson`: a JSON object a row, as the reference's `trevni_tojson`; from the columns alone, without
//! Arrow.

use std::io::Write;
use std::path::PathBuf;

use trevni::{ColumnData, FileReader};

use crate::exit::CliError;
use crate::input::file;
use crate::output::json_rows::RowText;
use crate::stdout;

/// Print each row as a JSON object, nested as the columns are.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file; `-` is standard input.
    file: PathBuf,
    /// On many lines, indented.
    #[arg(long, short)]
    pretty: bool,
}

/// About how many bytes of values are in memory at a time.
const BATCH_BYTES: u64 = 4 << 20;
const MOST_ROWS: u64 = 1024;

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let file = file::open(&args.file)?;
    let of_file = || CliError::of(args.file.display());
    let columns: Vec<usize> = (0..file.columns().len()).collect();
    let batch = batch_rows(&file).map_err(of_file())?;
    let mut reader = file.projected_reader(&columns).map_err(of_file())?;
    let text = RowText::new(file.columns(), file.tree(), args.pretty);
    let mut text = text.map_err(CliError::of(args.file.display()))?;
    let mut data: Vec<_> = file.columns().iter().map(ColumnData::of).collect();
    let mut out = stdout::stdout();
    while reader.remaining() > 0 {
        data.iter_mut().for_each(ColumnData::clear);
        // A file without columns has rows too, as many as the header says.
        let wanted = usize::try_from(reader.remaining()).map_or(batch, |left| left.min(batch));
        let rows = match reader.read(wanted, &mut data) {
            Ok(rows) => rows,
            // Rows before the fault have been printed: flush them before the error is reported.
            Err(e) => {
                out.flush()?;
                return Err(of_file()(e));
            }
        };
        text.write(rows, &data, &mut out)?;
    }
    Ok(out.flush()?)
}

/// Returns the number of rows of about [`BATCH_BYTES`], by the block descriptors.
fn batch_rows(file: &FileReader<std::fs::File>) -> trevni::Result<usize> {
    let mut bytes = 0u64;
    for column in 0..file.columns().len() {
        let blocks = file.blocks(column)?;
        bytes += blocks.iter().map(|block| u64::from(block.uncompressed_size)).sum::<u64>();
    }
    let a_row = bytes / file.rows().max(1) + 1;
    Ok(usize::try_from((BATCH_BYTES / a_row).clamp(1, MOST_ROWS)).unwrap_or(1))
}
