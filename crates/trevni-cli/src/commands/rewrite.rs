//! `trevni rewrite`: rewrites a Trevni file with other properties or fewer columns.
//!
//! ```text
//! codec, checksum, block size            columns ──► columns          types and metadata are kept
//! layout, order, dropped columns         rows ──► rows                where there is a schema, which changes with them
//! ```

mod dataset;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::error::ArrowError;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions, ColumnPath, Layout, WriterProperties};
use trevni::codec::Codec;
use trevni::{ColumnMetadata, FileReader, Metadata, copy_rows, keys};
use trevni_convert::Rows;

use crate::exit::{CliError, tell};
use crate::input::file;
use crate::input::progress::InputSize;
use crate::input::trevni_files::is_dataset;
use crate::output::sink::{Dialect, Input, OutputArgs};
use crate::output::target::Target;

/// The metadata keys of the schema.
pub(crate) const SCHEMAS: [&str; 3] = [keys::ARROW_SCHEMA, keys::AVRO_SCHEMA, keys::LAYOUT];

/// Rewrite a Trevni file: with another codec, checksum, layout or block size, other order of columns, or fewer.
///
/// Settings without an option are kept, including codec, checksum and metadata.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, or a data set, of which each file is rewritten; `-` is standard input.
    input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// These columns at the top, in this order.
    #[arg(long, value_delimiter = ',', value_name = "a,b", conflicts_with = "drop")]
    columns: Option<Vec<String>>,
    /// All columns at the top but these.
    #[arg(long, value_delimiter = ',', value_name = "a,b")]
    drop: Option<Vec<String>>,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    if is_dataset(&args.input) {
        return dataset::run(args);
    }
    let file = file::open(&args.input)?;
    let has_schema = SCHEMAS.iter().any(|key| file.header().metadata.get(key).is_some());
    let format = args.output.to.map_or("trv", |format| format.name);
    if format != "trv" {
        return Err(CliError::Usage(format!("rewrite makes trv files, and convert {format}")));
    }
    let by_rows = args.output.write.layout.is_some()
        || (has_schema && (args.columns.is_some() || args.drop.is_some()))
        || (has_schema && changes_kind(&file, args)?);
    let written = if by_rows { rows_anew(&file, args)? } else { columns_anew(&file, args)? };
    let (before, rows) = (file.file_len(), file.rows());
    tell(&format!("{rows} rows, {before} -> {written} bytes"));
    Ok(())
}

/// Returns whether a value codec is added or removed, which changes the columns of the split layout.
fn changes_kind(file: &FileReader<File>, args: &Args) -> Result<bool, CliError> {
    let Some(name) = args.output.write.codec.as_deref().filter(|name| *name != "none") else {
        return Ok(false);
    };
    let codec = Codec::from_name(name).map_err(|e| CliError::Usage(e.to_string()))?;
    Ok(codec.is_value_codec() != codec_of(file)?.is_value_codec())
}

pub(crate) fn codec_of(file: &FileReader<File>) -> Result<Codec, CliError> {
    Ok(file.header().metadata.get_str(keys::CODEC).map_or(Ok(Codec::Null), Codec::from_name)?)
}

/// Rewrites the same columns with other settings.
fn columns_anew(file: &FileReader<File>, args: &Args) -> Result<u64, CliError> {
    let header = file.header();
    let chosen = choose_columns(file, args)?;
    let write = &args.output.write;
    let columns = chosen.iter().filter_map(|i| header.columns.get(*i));
    let columns = columns
        .map(|column| with_settings(column, write.codec.is_some(), write.checksum.is_some()));
    let columns: Vec<ColumnMetadata> = columns.collect::<Result<_, CliError>>()?;
    let mut builder = write.file_writer(header.metadata.clone())?;
    if header.version.number() == 1 {
        builder = builder.set_version(header.version);
    }
    let output = &args.output;
    let mut target = Target::create(&output.output, output.force)?;
    let mut writer = builder.build(&mut target, columns)?;
    copy_rows(file, &chosen, &mut writer).map_err(CliError::of(args.input.display()))?;
    writer.finish()?;
    target.commit(&output.output)
}

/// Returns a column without the settings that the file's are to replace.
fn with_settings(
    column: &ColumnMetadata,
    no_codec: bool,
    no_checksum: bool,
) -> Result<ColumnMetadata, CliError> {
    let mut new = ColumnMetadata::new(column.name(), column.value_type());
    if let Some(parent) = column.parent() {
        new = new.with_parent(parent);
    }
    if column.is_array() {
        new = new.array();
    }
    if column.is_indexed() {
        new = new.indexed();
    }
    if let Some(codec) = column.codec()?.filter(|_| !no_codec) {
        new = new.with_codec(codec);
    }
    if let Some(checksum) = column.checksum()?.filter(|_| !no_checksum) {
        new = new.with_checksum(checksum);
    }
    for (key, value) in column.metadata().iter().filter(|(key, _)| !key.starts_with("trevni.")) {
        new = new.with_metadata(key, value)?;
    }
    Ok(new)
}

/// Returns the indices of the selected columns, each after its parent.
fn choose_columns(file: &FileReader<File>, args: &Args) -> Result<Vec<usize>, CliError> {
    let roots: Vec<usize> =
        (0..file.columns().len()).filter(|i| file.tree().parent(*i).is_none()).collect();
    let name = |i: usize| file.columns().get(i).map_or("", ColumnMetadata::name);
    let names: Vec<&str> = roots.iter().map(|i| name(*i)).collect();
    let chosen = choose(&names, args)?;
    let mut all = Vec::new();
    for at in chosen {
        roots.iter().skip(at).take(1).for_each(|root| with_children(file, *root, &mut all));
    }
    Ok(all)
}

fn with_children(file: &FileReader<File>, column: usize, all: &mut Vec<usize>) {
    all.push(column);
    for child in file.tree().children(column) {
        with_children(file, child, all);
    }
}

/// Returns the indices of the selected names, in the order of the file.
fn choose(names: &[&str], args: &Args) -> Result<Vec<usize>, CliError> {
    let fields: Fields = names.iter().map(|name| Field::new(*name, DataType::Null, true)).collect();
    let place = |wanted: &String| {
        let steps = ColumnPath::among(wanted, &fields).steps(&fields);
        let whole = steps.into_iter().find(|step| step.rest.is_none());
        whole.map(|step| step.index).ok_or_else(|| {
            CliError::Usage(format!("no column {wanted:?}: there are {}", names.join(", ")))
        })
    };
    match (&args.columns, &args.drop) {
        (Some(columns), _) => columns.iter().map(place).collect(),
        (None, Some(dropped)) => {
            let dropped: Vec<usize> = dropped.iter().map(place).collect::<Result<_, _>>()?;
            Ok((0..names.len()).filter(|i| !dropped.contains(i)).collect())
        }
        (None, None) => Ok((0..names.len()).collect()),
    }
}

/// Returns the rows of the columns that are wanted, written as they would be for the first time.
fn rows_anew(file: &FileReader<File>, args: &Args) -> Result<u64, CliError> {
    let of_input = || CliError::of(args.input.display());
    let builder = ArrowReaderBuilder::from_file(file.clone(), ArrowReaderOptions::new());
    let reader = builder.map_err(of_input())?.build().map_err(of_input())?;
    let schema = reader.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let order = choose(&names, args)?;
    let metadata = &file.header().metadata;
    let layout = layout_of(metadata);
    let pairs = own_pairs(metadata)?;
    let builder = WriterProperties::builder().set_key_value_metadata(pairs);
    let builder = builder.set_codec(codec_of(file)?).set_layout(layout);
    let written = args.output.make_with(builder, Dialect::default(), || {
        let rows = Reordered::over(Box::new(reader), order)?;
        Ok(Input { name: args.input.display().to_string(), rows, size: InputSize::default() })
    })?;
    Ok(written.bytes)
}

/// Returns the layout of a file of this metadata.
pub(crate) fn layout_of(metadata: &Metadata) -> Layout {
    let layout = metadata.get_str(keys::LAYOUT).and_then(Layout::from_name);
    let avro = metadata.get(keys::AVRO_SCHEMA).is_some();
    layout.unwrap_or(if avro { Layout::Avro } else { Layout::Split })
}

/// Returns the user's own metadata of a file.
fn own_pairs(metadata: &Metadata) -> Result<Metadata, CliError> {
    let mut pairs = Metadata::new();
    for (key, value) in metadata.iter() {
        if !key.starts_with("trevni.") && !key.starts_with("arrow.") && !SCHEMAS.contains(&key) {
            pairs.set(key, value)?;
        }
    }
    Ok(pairs)
}

/// Rows with their columns in another order.
struct Reordered {
    rows: Rows,
    order: Vec<usize>,
    schema: SchemaRef,
}

impl Reordered {
    fn over(rows: Rows, order: Vec<usize>) -> Result<Rows, CliError> {
        let schema: Arc<Schema> =
            Arc::new(rows.schema().project(&order).map_err(trevni::Error::from)?);
        Ok(Box::new(Self { rows, order, schema }))
    }
}

impl Iterator for Reordered {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.rows.next()?.and_then(|batch| batch.project(&self.order)))
    }
}

impl RecordBatchReader for Reordered {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
