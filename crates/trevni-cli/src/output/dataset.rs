//! Data sets as outputs: a folder, or a URL that ends in `/`.

use std::io::ErrorKind;
use std::path::Path;

use arrow::datatypes::SchemaRef;
use trevni::dataset::{Dataset, DatasetProperties};
use trevni_convert::{CreateAt, DatasetOptions, Format, Sink, WriteOptions};

use crate::args::write::size;
use crate::exit::CliError;
use crate::input::path::is_dataset_format;
use crate::input::remote;

/// The name of the format.
/// How a data set is written.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Writing data sets: folders, and URLs that end in /")]
pub(crate) struct DatasetArgs {
    /// Columns whose values become names of folders, outermost first; '' is none. Default: those of the data set, if
    /// there is one, which also keeps its codec, layout and checksum.
    #[arg(long, value_delimiter = ',', value_name = "a,b")]
    partition_by: Option<Vec<String>>,
    /// Bytes of a file, about; k, M and G are understood. Default: 128M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    file_size: Option<usize>,
    /// The most rows of a file.
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    file_rows: Option<u64>,
    /// Add to a data set that exists; --force replaces what it holds.
    #[arg(long, conflicts_with = "force")]
    append: bool,
}

impl DatasetArgs {
    /// Refuses these options where the output is none.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        let Self { partition_by, file_size, file_rows, append } = self;
        let set = *append || partition_by.is_some() || file_size.is_some() || file_rows.is_some();
        match set && !is_dataset_format(format) {
            true => Err(CliError::Usage(format!(
                "options for data sets, but the output is {}",
                format.name
            ))),
            false => Ok(()),
        }
    }

    pub(crate) fn is_append(&self) -> bool {
        self.append
    }

    /// Returns whether partition columns are given.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.partition_by.is_some()
    }

    pub(crate) fn options(&self) -> DatasetOptions {
        let mut properties = DatasetProperties::builder();
        if let Some(columns) = &self.partition_by {
            properties =
                properties.set_partition_by(columns.iter().filter(|name| !name.is_empty()));
        }
        if let Some(bytes) = self.file_size {
            properties = properties.set_target_file_size(bytes as u64);
        }
        if let Some(rows) = self.file_rows {
            properties = properties.set_max_rows_per_file(rows);
        }
        DatasetOptions { append: self.append, properties }
    }
}

/// Returns the bytes of a data set; nothing if there is none.
pub(crate) fn bytes(path: &Path) -> Result<u64, CliError> {
    match remote::bytes_below(path)? {
        Some(bytes) => Ok(bytes),
        None => Ok(Dataset::open(path).map_or(0, |table| table.bytes())),
    }
}

/// Starts a data set, in a folder or in a store.
pub(crate) fn create(
    create: CreateAt,
    path: &Path,
    replace: bool,
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink>, CliError> {
    let sink = match remote::dataset(path, replace, schema.clone(), options)? {
        Some(sink) => sink,
        None => create(path, replace, schema, options),
    };
    sink.map_err(|e| match e.kind() {
        trevni::ErrorKind::Io(io) if io.kind() == ErrorKind::AlreadyExists => {
            let what = "exists; --append adds to it, --force replaces what it holds";
            CliError::Data(format!("{} {what}", path.display()))
        }
        trevni::ErrorKind::Invalid(_) => CliError::Usage(format!("{}: {e}", path.display())),
        _ => CliError::of(path.display())(e),
    })
}
