//! `trevni convert`: converts rows from one format to another.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::args::rename::RenameArgs;
use crate::exit::{CliError, tell};
use crate::input::first_rows::OpenedReport;
use crate::input::limit::LimitArgs;
use crate::input::rows::{ReadArgs, tell_report};
use crate::output::sink::{Dialect, Input, OutputArgs};
use crate::output::table::ratio;
use crate::output::target::is_stream;

/// Convert between trv, data sets of trv files, avro, parquet, protobuf, thrift, arrow (IPC file), arrows (IPC
/// stream), jsonl and csv.
///
/// Everything streams, in memory of a few batches; blocks of a trv file that is being made wait in memory up to
/// --memory-budget, for its header comes first. Only trv, arrow and parquet from standard input go to a temporary
/// file before they are read. What comes from avro goes to trv in the avro layout. Empty strings become null in
/// csv, NaN and infinities in jsonl.
#[derive(Debug, clap::Args)]
#[command(override_usage = "trevni convert [OPTIONS] <INPUT>... <OUTPUT>")]
pub(crate) struct Args {
    /// Files of rows, or URLs (s3://bucket/key, https://host/path); `-` is standard input. A folder, a pattern such as
    /// 'data/*.parquet', or several of these are one table; a URL that ends in `/` is a data set.
    input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// With more than two paths, the last is the output.
    #[arg(value_name = "PATH", hide = true)]
    more: Vec<PathBuf>,
    #[command(flatten)]
    rename: RenameArgs,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(mut args: Args) -> Result<(), CliError> {
    let mut inputs = vec![args.input.clone()];
    if let Some(output) = args.more.pop() {
        inputs.push(std::mem::replace(&mut args.output.output, output));
        inputs.append(&mut args.more);
    }
    args.limit.apply(&mut args.read);
    // Of output that has begun nothing can be taken back.
    if is_stream(&args.output.output) {
        return convert(&args, &inputs, &args.read, &mut None);
    }
    args.read.read_again(&inputs, |read, report| convert(&args, &inputs, read, report))
}

/// Converts once; `report` becomes that of the inputs.
fn convert(
    args: &Args,
    inputs: &[PathBuf],
    read: &ReadArgs,
    report: &mut OpenedReport,
) -> Result<(), CliError> {
    let started = Instant::now();
    let mut input = None;
    let written = args.output.make(Dialect::of(read), || {
        let opened = read.open_all(inputs)?;
        let columns = opened.rows.schema().fields().len();
        input = Some((opened.taken.clone(), columns));
        let size = opened.input_size();
        *report = Some(opened.report);
        Ok(Input { name: opened.name, rows: args.rename.apply(opened.rows)?, size })
    })?;
    let Some((taken, columns)) = input else { return Ok(()) };
    let (read, rows) = (taken.load(Ordering::Relaxed), written.rows);
    let speed = rows as f64 / started.elapsed().as_secs_f64().max(1e-6);
    tell(&format!(
        "{rows} rows, {columns} columns, {read} -> {} bytes, ratio {}, {speed:.0} rows/s",
        written.bytes,
        ratio(read, written.bytes)
    ));
    if let Some(report) = report {
        tell_report(report);
    }
    Ok(())
}
