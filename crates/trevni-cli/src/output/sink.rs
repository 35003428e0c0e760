//! Arguments of an output file, and writing rows to it.

use std::io::IsTerminal;
use std::path::PathBuf;
use trevni::arrow::{WriterProperties, WriterPropertiesBuilder};
use trevni_convert::{CreateAt, Format, ReadOptions, Rows, Sink, WriteOptions};

use super::dataset::{self, DatasetArgs};
use super::target::{Target, exists, is_pipe, is_stream};
use crate::args::csv::delimiter_for;
use crate::args::row_types::RowTypeArgs;
use crate::args::write::WriteArgs;
use crate::exit::CliError;
use crate::input::path::{bytes_at, is_dataset_format, is_folder};
use crate::input::progress::{InputSize, RowProgress};
use crate::input::rows::{ReadArgs, batch_fault};
use crate::signals;

/// A file to be made.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// The file to be made, or the URL of one; `-` is standard output. What ends in `/` is a data set: a folder of
    /// files.
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

/// Options of the CSV writer, and the row types of formats without a schema.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: bool,
    pub(crate) row_types: RowTypeArgs,
    pub(crate) lossy: bool,
}

impl Dialect {
    /// Returns that of the options of reading, which are those of writing too.
    pub(crate) fn of(read: &ReadArgs) -> Self {
        Self {
            delimiter: read.csv.delimiter,
            header: !read.csv.no_header,
            row_types: read.row_types.clone(),
            lossy: read.lossy,
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self { delimiter: None, header: true, row_types: RowTypeArgs::default(), lossy: false }
    }
}

/// The result of a write.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

impl OutputArgs {
    /// Returns the format of the option, or that of the extension. Fails if other options do not fit it.
    pub(crate) fn format(&self) -> Result<&'static Format, CliError> {
        let of_path = || match is_folder(&self.output) {
            true => Format::named("dataset").ok(),
            false => Format::of_path(&self.output),
        };
        let Some(format) = self.to.or_else(of_path) else {
            let path = self.output.display();
            return Err(CliError::Usage(format!(
                "{path} has no extension of a format: --to names it"
            )));
        };
        let text = matches!(format.name, "csv" | "jsonl");
        if is_pipe(&self.output) && !text && std::io::stdout().is_terminal() {
            return Err(CliError::Usage(format!("{} is not for a terminal", format.name)));
        }
        self.dataset.check(format)?;
        self.write.check(format)?;
        Ok(format)
    }

    /// Makes the file, of rows that are opened once it is known that it can be made.
    pub(crate) fn make(
        &self,
        dialect: Dialect,
        open: impl FnOnce() -> Result<Input, CliError>,
    ) -> Result<Written, CliError> {
        self.make_with(WriterProperties::builder(), dialect, open)
    }

    /// As above; settings without an option are those of `builder` instead of the defaults.
    pub(crate) fn make_with(
        &self,
        builder: WriterPropertiesBuilder,
        dialect: Dialect,
        open: impl FnOnce() -> Result<Input, CliError>,
    ) -> Result<Written, CliError> {
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
            threads: self.write.threads(),
            lossy: dialect.lossy,
            ..WriteOptions::default()
        };
        dialect.row_types.describe(&mut ReadOptions::default(), &mut options)?;
        if let Some(create) = format.create_at.filter(|_| !is_stream(&self.output)) {
            return self.make_at(create, format, &options, open);
        }
        let mut target = Target::create(&self.output, self.force)?;
        let input = open()?;
        let sink = (format.create)(&mut target, input.rows.schema(), &options);
        let rows = copy(input, format, sink.map_err(CliError::of(format.name))?)?;
        let bytes = target.commit(&self.output)?;
        Ok(Written { rows, bytes })
    }

    fn make_at(
        &self,
        create: CreateAt,
        format: &Format,
        options: &WriteOptions,
        open: impl FnOnce() -> Result<Input, CliError>,
    ) -> Result<Written, CliError> {
        let path = &self.output;
        if is_dataset_format(format) {
            // The file that is replaced does not count.
            let before = if self.force { 0 } else { dataset::bytes(path)? };
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
        let rows = copy(input, format, sink.map_err(CliError::of(format.name))?)?;
        Ok(Written { rows, bytes: bytes_at(path)? })
    }
}

/// Rows that come from somewhere.
pub(crate) struct Input {
    /// What they are called in errors.
    pub(crate) name: String,
    pub(crate) rows: Rows,
    pub(crate) size: InputSize,
}

/// Passes batches on. Returns how many rows there were.
fn copy(input: Input, format: &Format, mut sink: Box<dyn Sink + '_>) -> Result<u64, CliError> {
    let Input { name, rows, size } = input;
    let mut progress = RowProgress::new(&size);
    for batch in rows {
        signals::check()?;
        let batch = batch.map_err(|e| batch_fault(&name, e))?;
        sink.write(&batch).map_err(CliError::of(format.name))?;
        progress.add(batch.num_rows());
    }
    progress.set_message("finishing");
    sink.finish().map_err(CliError::of(format.name))?;
    Ok(progress.rows())
}
