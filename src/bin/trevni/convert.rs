//! `trevni convert`: rows of one format to another.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use trevni::arrow::{Layout, WriterProperties};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::convert::{Format, WriteOptions};

use crate::fault::{Fault, tell};
use crate::input::PIPE;
use crate::rows::{Opened, ReadArgs, batch_fault, delimiter_for, tell_report};
use crate::table::ratio;
use crate::target::Target;

/// Convert between trv, avro, parquet, arrow (IPC file), arrows (IPC stream), jsonl and csv.
///
/// Everything streams, in memory of a few batches; blocks of a trv file that is being made wait in memory up to
/// --memory-budget, for its header comes first. Only trv, arrow and parquet from standard input go to a temporary file
/// before they are read. What comes from avro goes to trv in the avro layout. Empty strings become null in csv, NaN and infinities in jsonl.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file of rows; `-` is standard input.
    input: PathBuf,
    /// The file to be made; `-` is standard output.
    output: PathBuf,
    /// Format of the output, by name. Otherwise its extension says.
    #[arg(long, value_parser = Format::named)]
    to: Option<&'static Format>,
    /// Replace the output if it exists.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
}

/// How a file is written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Writing trv")]
pub(crate) struct WriteArgs {
    /// Of trv null, deflate, snappy, bzip2, or none to name none, which is null; or zstd, lz4, pack, pack+zstd, which
    /// other readers of the format do not know. Of avro null, deflate, snappy, bzip2, xz, zstandard; of parquet null,
    /// snappy, lz4, gzip, zstd, brotli. Default: snappy.
    #[arg(long, value_name = "NAME")]
    pub(crate) codec: Option<String>,
    /// Level of the codec.
    #[arg(long, allow_negative_numbers = true)]
    level: Option<i32>,
    /// crc32 or null; or crc32-stored, which is the default under pack and which other readers do not know.
    #[arg(long, value_parser = Checksum::from_name)]
    pub(crate) checksum: Option<Checksum>,
    /// Bytes of a block before the codec; k, M and G are understood. Default: 64k; under pack 1M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    block_size: Option<usize>,
    /// Rows of a block under pack. Default: 16384.
    #[arg(long, value_name = "ROWS")]
    block_rows: Option<usize>,
    /// Strings under pack are replaced by symbols if they take less than so many hundredths of their bytes then: 0 writes
    /// and reads soonest, 100 is smallest. Default: 68.
    #[arg(long, value_name = "HUNDREDTHS", value_parser = clap::value_parser!(u8).range(0..=100))]
    symbols_below: Option<u8>,
    /// split, or avro: the columns of the reference's Avro tools. Default: split; of what comes from avro, avro.
    #[arg(long, value_parser = layout)]
    pub(crate) layout: Option<Layout>,
    /// Bytes held in memory before they go to a temporary file; k, M and G are understood. Default: 256M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    memory_budget: Option<usize>,
    /// Threads that encode and compress; the file is the same with any number. Default: one for each core.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write columns as their types declare, whatever their first blocks suggest: every one with the codec, all
    /// integers as varints.
    #[arg(long)]
    no_sampling: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Fault> {
    let started = Instant::now();
    let format = output_format(args)?;
    let options = WriteOptions {
        properties: args.write.properties(format)?,
        codec: args.write.codec.clone(),
        delimiter: delimiter_for(args.read.delimiter, &args.output),
        header: !args.read.no_header,
    };
    let mut target = Target::create(&args.output, args.force)?;
    let opened = args.read.open(&args.input)?;
    let report = opened.report.clone();
    let (taken, columns) = (opened.taken.clone(), opened.rows.schema().fields().len());
    let rows = copy(opened, format, &mut target, &options)?;
    let written = target.commit(&args.output)?;
    let read = taken.load(Ordering::Relaxed);
    let speed = rows as f64 / started.elapsed().as_secs_f64().max(1e-6);
    tell(&format!(
        "{rows} rows, {columns} columns, {read} -> {written} bytes, ratio {}, {speed:.0} rows/s",
        ratio(read, written)
    ));
    tell_report(&report);
    Ok(())
}

/// Passes batches on; gives how many rows there were.
fn copy(
    opened: Opened,
    format: &Format,
    target: &mut Target,
    options: &WriteOptions,
) -> Result<u64, Fault> {
    let Opened { name, rows, .. } = opened;
    let mut sink =
        (format.create)(target, rows.schema(), options).map_err(Fault::of(format.name))?;
    let bar = progress();
    let mut count = 0u64;
    for batch in rows {
        let batch = batch.map_err(|e| batch_fault(&name, e))?;
        sink.write(&batch).map_err(Fault::of(format.name))?;
        count += batch.num_rows() as u64;
        bar.set_position(count);
    }
    bar.set_message("finishing");
    sink.finish().map_err(Fault::of(format.name))?;
    bar.finish_and_clear();
    Ok(count)
}

fn output_format(args: &Args) -> Result<&'static Format, Fault> {
    let Some(format) = args.to.or_else(|| Format::of_path(&args.output)) else {
        let path = args.output.display();
        return Err(Fault::Usage(format!("{path} does not say its format: --to names it")));
    };
    let text = matches!(format.name, "csv" | "jsonl");
    if args.output == Path::new(PIPE) && !text && std::io::stdout().is_terminal() {
        return Err(Fault::Usage(format!("{} is not for a terminal", format.name)));
    }
    args.write.check(format)?;
    Ok(format)
}

impl WriteArgs {
    /// Refuses options that the format has no use for.
    pub(crate) fn check(&self, format: &Format) -> Result<(), Fault> {
        let name = format.name;
        if name != "trv" && self.is_set() {
            return Err(Fault::Usage(format!("options for trv, but the output is {name}")));
        }
        if !matches!(name, "trv" | "avro" | "parquet") && self.codec.is_some() {
            return Err(Fault::Usage(format!("a codec, but the output is {name}")));
        }
        Ok(())
    }

    /// Whether there is an option that only Trevni files have.
    fn is_set(&self) -> bool {
        let Self {
            codec: _,
            level,
            checksum,
            block_size,
            block_rows,
            symbols_below,
            layout,
            memory_budget,
            threads,
            no_sampling,
        } = self;
        threads.is_some()
            || *no_sampling
            || level.is_some()
            || checksum.is_some()
            || block_size.is_some()
            || block_rows.is_some()
            || symbols_below.is_some()
            || layout.is_some()
            || memory_budget.is_some()
    }

    /// The properties of a Trevni file, which only the writer of that format looks at.
    pub(crate) fn properties(&self, format: &Format) -> Result<WriterProperties, Fault> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let mut builder = WriterProperties::builder()
            .set_codec_level(self.level)
            .set_sampling(!self.no_sampling)
            .set_parallelism(self.threads.unwrap_or_else(cores));
        match self.codec.as_deref().filter(|_| format.name == "trv") {
            Some("none") => builder = builder.unset_codec(),
            Some(name) => builder = builder.set_codec(codec(name).map_err(Fault::Usage)?),
            None => {}
        }
        if let Some(checksum) = self.checksum {
            builder = builder.set_checksum(checksum);
        }
        if let Some(bytes) = self.block_size {
            builder = builder.set_block_size(bytes);
        }
        if let Some(rows) = self.block_rows {
            builder = builder.set_block_rows(rows);
        }
        if let Some(hundredths) = self.symbols_below {
            builder = builder.set_symbols_below(hundredths);
        }
        if let Some(layout) = self.layout {
            builder = builder.set_layout(layout);
        }
        if let Some(bytes) = self.memory_budget {
            builder = builder.set_memory_budget(bytes);
        }
        Ok(builder.build())
    }
}

/// The rows so far, on stderr if that is a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} rows, {rate} {msg}") {
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A broken terminal is no reason to stop converting.
            let _ = write!(out, "{:.0} rows/s", state.per_sec());
        };
        bar.set_style(style.with_key("rate", rate));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn codec(name: &str) -> Result<Codec, String> {
    let codec = Codec::from_name(name).map_err(|e| e.to_string())?;
    if codec.is_available() {
        return Ok(codec);
    }
    Err(format!("this build lacks the feature {name}"))
}

fn layout(name: &str) -> Result<Layout, String> {
    Layout::from_name(name).ok_or_else(|| "split or avro".into())
}

/// A number of bytes, with k, M or G behind it or not.
fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 20),
            None => text.strip_suffix('G').map_or((text, 0), |digits| (digits, 30)),
        },
    };
    let n: usize = digits.parse().map_err(|e| format!("{e}"))?;
    n.checked_mul(1 << shift).filter(|n| *n > 0).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_letters() {
        assert_eq!(size("12"), Ok(12));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("2M"), Ok(2 << 20));
        assert!(size("0").is_err() && size("k").is_err() && size("99999999999999999999").is_err());
    }
}
