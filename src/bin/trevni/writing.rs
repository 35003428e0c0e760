//! Where rows go: the options of a file that is made, and its making.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use trevni::arrow::{Layout, WriterProperties, WriterPropertiesBuilder};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::convert::{CreateAt, Format, ReadOptions, Rows, Sink, WriteOptions};
use trevni::trevni::{FileWriterBuilder, Metadata};

use crate::dataset::{self, DatasetArgs};
use crate::fault::Fault;
use crate::input::PIPE;
use crate::row_types::RowTypeArgs;
use crate::rows::{batch_fault, delimiter_for};
use crate::target::{Target, exists, is_folder};

/// A file to be made.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// The file to be made, or the URL of one; `-` is standard output. What ends in `/` is a data set: a folder of files.
    pub(crate) output: PathBuf,
    /// Format of the output, by name. Otherwise its extension says.
    #[arg(long, value_parser = Format::named)]
    pub(crate) to: Option<&'static Format>,
    /// Replace the output if it exists.
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
}

/// How a file is written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Writing trv, avro, parquet and Blosc containers")]
pub(crate) struct WriteArgs {
    /// Of trv null, deflate, snappy, bzip2, or none to name none, which is null; or zstd, lz4, pack, pack+zstd, which
    /// other readers of the format do not know. Of avro null, deflate, snappy, bzip2, xz, zstandard; of parquet null,
    /// snappy, lz4, gzip, zstd, brotli; default: snappy. Of Blosc containers blosclz, lz4, lz4hc, zlib, zstd; default: lz4.
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
    /// Of Blosc containers: none, byte or bit. Default: byte.
    #[cfg(feature = "blosc")]
    #[arg(long, value_name = "NAME")]
    shuffle: Option<String>,
    /// Of Blosc containers the rows of a chunk. Default: as many as fit 1 MiB.
    #[cfg(feature = "blosc")]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    chunk_rows: Option<u64>,
    /// Threads that encode and compress; the file is the same with any number. Default: one for each core.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write columns as their types declare, whatever their first blocks suggest: every one with the codec, all
    /// integers as varints.
    #[arg(long)]
    no_sampling: bool,
    /// Keep no statistics of the blocks of trv, by which --where leaves out those without rows that match.
    #[arg(long)]
    no_statistics: bool,
}

/// How CSV is written, and what rows are of formats that do not say.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: bool,
    pub(crate) row_types: RowTypeArgs,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { delimiter: None, header: true, row_types: RowTypeArgs::default() }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

impl OutputArgs {
    /// The format, which is asked for or that of the extension; fails if the options are not for it.
    pub(crate) fn format(&self) -> Result<&'static Format, Fault> {
        let of_path = || match is_folder(&self.output) {
            true => Format::named("dataset").ok(),
            false => Format::of_path(&self.output),
        };
        let Some(format) = self.to.or_else(of_path) else {
            let path = self.output.display();
            return Err(Fault::Usage(format!("{path} does not say its format: --to names it")));
        };
        let text = matches!(format.name, "csv" | "jsonl");
        if self.output == Path::new(PIPE) && !text && std::io::stdout().is_terminal() {
            return Err(Fault::Usage(format!("{} is not for a terminal", format.name)));
        }
        self.dataset.check(format)?;
        self.write.check(format)?;
        Ok(format)
    }

    /// Makes the file, of rows that are opened once it is known that it can be made.
    pub(crate) fn make(
        &self,
        dialect: Dialect,
        open: impl FnOnce() -> Result<Input, Fault>,
    ) -> Result<Written, Fault> {
        self.make_with(WriterProperties::builder(), dialect, open)
    }

    /// The same, where what is not asked for is not the default but as `builder` has it.
    pub(crate) fn make_with(
        &self,
        builder: WriterPropertiesBuilder,
        dialect: Dialect,
        open: impl FnOnce() -> Result<Input, Fault>,
    ) -> Result<Written, Fault> {
        let format = self.format()?;
        dialect.row_types.check(format)?;
        #[allow(clippy::needless_update, reason = "features bring more fields")]
        let mut options = WriteOptions {
            properties: self.write.properties(format, builder)?,
            codec: self.write.codec.clone(),
            #[cfg(feature = "blosc")]
            blosc: self.write.blosc()?,
            dataset: self.dataset.options(),
            delimiter: delimiter_for(dialect.delimiter, &self.output),
            header: dialect.header,
            ..WriteOptions::default()
        };
        dialect.row_types.describe(&mut ReadOptions::default(), &mut options)?;
        if let Some(create) = format.create_at.filter(|_| self.output != Path::new(PIPE)) {
            return self.make_at(create, format, &options, open);
        }
        let mut target = Target::create(&self.output, self.force)?;
        let input = open()?;
        let sink = (format.create)(&mut target, input.rows.schema(), &options);
        let rows = copy(input, format, sink.map_err(Fault::of(format.name))?)?;
        let bytes = target.commit(&self.output)?;
        Ok(Written { rows, bytes })
    }

    fn make_at(
        &self,
        create: CreateAt,
        format: &Format,
        options: &WriteOptions,
        open: impl FnOnce() -> Result<Input, Fault>,
    ) -> Result<Written, Fault> {
        let path = &self.output;
        if path == Path::new(PIPE) {
            return Err(Fault::Usage(format!(
                "{} is a folder, and no pipe takes one",
                format.name
            )));
        }
        if dataset::is_dataset(format) {
            let before = dataset::bytes(path)?;
            let input = open()?;
            let schema = input.rows.schema();
            let sink = dataset::create(create, path, self.force, schema, options)?;
            let rows = copy(input, format, sink)?;
            return Ok(Written { rows, bytes: dataset::bytes(path)?.saturating_sub(before) });
        }
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let input = open()?;
        let sink = create(path, self.force, input.rows.schema(), options);
        let rows = copy(input, format, sink.map_err(Fault::of(format.name))?)?;
        Ok(Written { rows, bytes: bytes_at(path)? })
    }
}

/// Rows that come from somewhere.
pub(crate) struct Input {
    /// What they are called in errors.
    pub(crate) name: String,
    pub(crate) rows: Rows,
    /// How many bytes there are to read, and how many of them have been, if that is known.
    pub(crate) read: Option<(u64, Arc<AtomicU64>)>,
}

/// Bytes of a file, or of all files below a folder.
pub(crate) fn bytes_at(path: &Path) -> std::io::Result<u64> {
    let about = path.metadata()?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    path.read_dir()?.try_fold(0, |bytes, entry| Ok(bytes + bytes_at(&entry?.path())?))
}

/// Passes batches on; gives how many rows there were.
fn copy(input: Input, format: &Format, mut sink: Box<dyn Sink + '_>) -> Result<u64, Fault> {
    let Input { name, rows, read } = input;
    // Of what is read at any position, all bytes count as taken at once: then only rows tell how far it is.
    let read = read.filter(|(size, taken)| taken.load(Ordering::Relaxed) < *size);
    let bar = progress(read.as_ref().map(|(size, _)| *size));
    let mut count = 0u64;
    for batch in rows {
        let batch = batch.map_err(|e| batch_fault(&name, e))?;
        sink.write(&batch).map_err(Fault::of(format.name))?;
        count += batch.num_rows() as u64;
        match &read {
            Some((_, taken)) => {
                bar.set_position(taken.load(Ordering::Relaxed));
                bar.set_message(format!("{count} rows"));
            }
            None => bar.set_position(count),
        }
    }
    bar.set_message("finishing");
    sink.finish().map_err(Fault::of(format.name))?;
    bar.finish_and_clear();
    Ok(count)
}

impl WriteArgs {
    /// Refuses options that the format has no use for.
    fn check(&self, format: &Format) -> Result<(), Fault> {
        let name = format.name;
        if is_blosc(name) {
            return match self.is_set() {
                true => Err(Fault::Usage(format!("options for trv, but the output is {name}"))),
                false => Ok(()),
            };
        }
        if self.is_set_for_blosc() {
            return Err(Fault::Usage(format!("options for Blosc, but the output is {name}")));
        }
        let trv = matches!(name, "trv" | "dataset");
        if !trv && (self.is_set() || self.level.is_some() || self.threads.is_some()) {
            return Err(Fault::Usage(format!("options for trv, but the output is {name}")));
        }
        if !trv && !matches!(name, "avro" | "parquet") && self.codec.is_some() {
            return Err(Fault::Usage(format!("a codec, but the output is {name}")));
        }
        Ok(())
    }

    /// Whether there is an option that only Trevni files have.
    fn is_set(&self) -> bool {
        let Self {
            codec: _,
            level: _,
            checksum,
            block_size,
            block_rows,
            symbols_below,
            layout,
            memory_budget,
            threads: _,
            no_sampling,
            no_statistics,
            ..
        } = self;
        *no_sampling
            || *no_statistics
            || checksum.is_some()
            || block_size.is_some()
            || block_rows.is_some()
            || symbols_below.is_some()
            || layout.is_some()
            || memory_budget.is_some()
    }

    #[cfg(feature = "blosc")]
    fn is_set_for_blosc(&self) -> bool {
        self.shuffle.is_some() || self.chunk_rows.is_some()
    }

    #[cfg(not(feature = "blosc"))]
    fn is_set_for_blosc(&self) -> bool {
        false
    }

    /// How Blosc containers are written.
    #[cfg(feature = "blosc")]
    fn blosc(&self) -> Result<trevni::convert::BloscOptions, Fault> {
        let level = self.level.map(u8::try_from).transpose();
        Ok(trevni::convert::BloscOptions {
            level: level.map_err(|_| Fault::Usage("the levels of Blosc are 0 to 9".into()))?,
            shuffle: self.shuffle.clone(),
            chunk_rows: self.chunk_rows,
            threads: Some(self.threads()),
        })
    }

    /// Threads that write.
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }

    /// The properties of a Trevni file, which only the writer of that format looks at.
    fn properties(
        &self,
        format: &Format,
        builder: WriterPropertiesBuilder,
    ) -> Result<WriterProperties, Fault> {
        let mut builder = builder
            .set_codec_level(self.level)
            .set_sampling(!self.no_sampling)
            .set_parallelism(self.threads());
        if self.no_statistics {
            builder = builder.set_statistics_enabled(false);
        }
        match self.codec.as_deref().filter(|_| matches!(format.name, "trv" | "dataset")) {
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

    /// The writer of columns as they are in a file of this metadata, but for what is asked for.
    pub(crate) fn file_writer(&self, metadata: Metadata) -> Result<FileWriterBuilder, Fault> {
        let properties = self.properties(Format::named("trv")?, WriterProperties::builder())?;
        let mut builder = properties.file_writer().set_sampling(false).set_metadata(metadata);
        if self.codec.as_deref().is_some_and(|name| name != "none") {
            builder = builder.set_codec(properties.codec());
        }
        if let Some(checksum) = self.checksum {
            builder = builder.set_checksum(checksum);
        }
        Ok(builder)
    }
}

/// How much of the input is read, or the rows so far where that is not known; on stderr if that is a terminal.
fn progress(size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        Some(size) => {
            let template = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left, {msg}";
            (ProgressBar::new(size), template)
        }
        None => (ProgressBar::new_spinner(), "{spinner} {human_pos} rows, {rate} {msg}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A broken terminal is no reason to stop converting.
            let _ = write!(out, "{:.0} rows/s", state.per_sec());
        };
        bar.set_style(style.with_key("rate", rate));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Whether a format is a container of the Blosc family.
fn is_blosc(name: &str) -> bool {
    matches!(name, "bloscpack" | "bcolz" | "superchunk" | "b2nd" | "b2frame" | "sparse")
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
pub(crate) fn size(text: &str) -> Result<usize, String> {
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
