//! `trevni rewrite` of data sets: rewrites each file, and commits once.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use trevni::arrow::{Layout, WriterProperties, WriterPropertiesBuilder};
use trevni::dataset::{Dataset, DatasetMode, DatasetWriter};
use trevni_convert::Format;

use super::{Args, choose, codec_of, layout_of};
use crate::cores::cores;
use crate::exit::{CliError, tell};
use crate::input::file;
use crate::input::path::is_folder;
use crate::signals;

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let to = &args.output.output;
    check_output(args)?;
    let table = Dataset::open(&args.input).map_err(CliError::of(args.input.display()))?;
    let names: Vec<&str> = table.schema().fields().iter().map(|f| f.name().as_str()).collect();
    let order = choose(&names, args)?;
    let schema = projected(table.schema(), &order, names.len())?;
    let writer = writer(args, &table, schema)?;
    let (rows, before) = (table.rows(), table.bytes());
    let replaced = !args.output.dataset.is_append();
    let (files, after) = copy(&table, &order, writer).map_err(|fault| match fault {
        CliError::Data(text) => CliError::Data(format!("{}: {text}", args.input.display())),
        other => other,
    })?;
    if replaced {
        Dataset::remove_replaced(to).map_err(CliError::of(to.display()))?;
    }
    tell(&format!("{rows} rows, {files} files, {before} -> {after} bytes"));
    Ok(())
}

/// Refuses an output that is no folder, and one that holds something, unless it may be replaced.
fn check_output(args: &Args) -> Result<(), CliError> {
    let (to, output) = (&args.output.output, &args.output);
    let format = Format::named("dataset")?;
    output.write.check(format)?;
    let is_url = to.to_str().is_some_and(|text| text.contains("://"));
    if is_url || output.to.is_some_and(|to| to.name != format.name) {
        return Err(CliError::Usage(
            "rewrite makes a folder of a data set; convert makes others".into(),
        ));
    }
    if !is_folder(to) && !to.is_dir() && output.to.is_none() {
        let what = "rewrite makes a data set of one: the output ends in /; concat makes one file";
        return Err(CliError::Usage(what.into()));
    }
    let holds = to.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if holds && !output.force && !output.dataset.is_append() {
        let what = "exists; --append adds to it, --force replaces what it holds";
        return Err(CliError::Data(format!("{} {what}", to.display())));
    }
    Ok(())
}

/// Some columns; metadata that describes all columns is dropped.
fn projected(schema: &SchemaRef, order: &[usize], all: usize) -> Result<SchemaRef, CliError> {
    if order.iter().copied().eq(0..all) {
        return Ok(schema.clone());
    }
    let some = schema.project(order).map_err(trevni::Error::from)?;
    Ok(Arc::new(Schema::new(some.fields().clone())))
}

fn writer(args: &Args, table: &Dataset, schema: SchemaRef) -> Result<DatasetWriter, CliError> {
    let (output, format) = (&args.output, Format::named("dataset")?);
    let first = table.files().next().map(|file| args.input.join(file.path()));
    let properties = output.write.properties(format, like(first.as_deref())?)?;
    let mode = match output.dataset.is_append() {
        true => DatasetMode::Append,
        false => DatasetMode::Overwrite,
    };
    let mut builder = output.dataset.options().properties;
    if !output.dataset.is_partitioned() {
        let names = table.partitions().iter().map(|field| field.name());
        builder = builder.set_partition_by(names.filter(|name| schema.index_of(name).is_ok()));
    }
    let properties = builder.set_mode(mode).set_writer_properties(properties).build();
    DatasetWriter::try_new(&output.output, schema, properties)
        .map_err(CliError::of(output.output.display()))
}

/// Returns the settings of a file.
fn like(file: Option<&Path>) -> Result<WriterPropertiesBuilder, CliError> {
    let builder = WriterProperties::builder();
    let Some(path) = file else { return Ok(builder) };
    let file = file::open(path)?;
    let layout: Layout = layout_of(&file.header().metadata);
    Ok(builder.set_codec(codec_of(&file)?).set_layout(layout))
}

/// Writes the rows of each file to files of their own. Returns how many there are, and their bytes.
fn copy(
    table: &Dataset,
    order: &[usize],
    mut writer: DatasetWriter,
) -> Result<(usize, u64), CliError> {
    let threads = cores();
    let mut first = 0u64;
    for file in table.files() {
        let end = first.saturating_add(file.rows());
        let scan = table.scan().with_row_range(first..end).with_parallelism(threads);
        for batch in scan.build()? {
            signals::check()?;
            let batch =
                batch.and_then(|batch| batch.project(order)).map_err(trevni::Error::from)?;
            let batch = batch.with_schema(writer.schema().clone()).map_err(trevni::Error::from)?;
            writer.write(&batch)?;
        }
        writer.end_files()?;
        first = end;
    }
    let summary = writer.finish()?;
    Ok((summary.files.len(), summary.bytes))
}
