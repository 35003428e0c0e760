//! `trevni convert`: rows of one format to another.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::fault::{Fault, tell};
use crate::rows::{ReadArgs, tell_report};
use crate::table::ratio;
use crate::writing::{Dialect, Input, OutputArgs};

/// Convert between trv, data sets of trv files, avro, parquet, protobuf, thrift, arrow (IPC file), arrows (IPC stream), jsonl and csv.
///
/// Everything streams, in memory of a few batches; blocks of a trv file that is being made wait in memory up to
/// --memory-budget, for its header comes first. Only trv, arrow and parquet from standard input go to a temporary file
/// before they are read. What comes from avro goes to trv in the avro layout. Empty strings become null in csv, NaN and infinities in jsonl.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file of rows, or the URL of one (s3://bucket/key, https://host/path); `-` is standard input. A folder of trv
    /// files, or a URL that ends in `/`, is read as one.
    input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Fault> {
    let started = Instant::now();
    let dialect = Dialect {
        delimiter: args.read.delimiter,
        header: !args.read.no_header,
        row_types: args.read.row_types.clone(),
    };
    let mut input = None;
    let written = args.output.make(dialect, || {
        let opened = args.read.open(&args.input)?;
        let columns = opened.rows.schema().fields().len();
        input = Some((opened.taken.clone(), opened.report, columns));
        let read = opened.size.map(|size| (size, opened.taken));
        Ok(Input { name: opened.name, rows: opened.rows, read })
    })?;
    let Some((taken, report, columns)) = input else { return Ok(()) };
    let (read, rows) = (taken.load(Ordering::Relaxed), written.rows);
    let speed = rows as f64 / started.elapsed().as_secs_f64().max(1e-6);
    tell(&format!(
        "{rows} rows, {columns} columns, {read} -> {} bytes, ratio {}, {speed:.0} rows/s",
        written.bytes,
        ratio(read, written.bytes)
    ));
    tell_report(&report);
    Ok(())
}
