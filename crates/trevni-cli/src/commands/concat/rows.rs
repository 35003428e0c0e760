//! `trevni concat` of data sets: copies their rows into one file.

use std::path::Path;

use trevni::arrow::{ArrowWriter, WriterProperties};
use trevni_convert::{Format, InputFile, ReadOptions, Rows, Source, rows_of};

use super::Args;
use crate::commands::rewrite::{codec_of, layout_of};
use crate::cores::cores;
use crate::exit::{CliError, tell};
use crate::input::pattern::expand;
use crate::input::rows::batch_fault;
use crate::input::trevni_files::paths_of;
use crate::input::{file, remote};
use crate::output::target::Target;
use crate::signals;

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    // Before the output is made, which may be in the same folder.
    let rows = open(args)?;
    let mut properties = WriterProperties::builder();
    if let Some(first) = paths_of(&args.inputs)?.first() {
        let file = file::open(first)?;
        let layout = layout_of(&file.header().metadata);
        properties = properties.set_codec(codec_of(&file)?).set_layout(layout);
    }
    let mut target = Target::create(&args.output, args.force)?;
    let writer = ArrowWriter::try_new(&mut target, rows.schema(), Some(properties.build()));
    let mut writer = writer?;
    let mut count = 0u64;
    for batch in rows {
        signals::check()?;
        let batch = batch.map_err(|e| batch_fault(&"the rows", e))?;
        writer.write(&batch)?;
        count = count.saturating_add(batch.num_rows() as u64);
    }
    writer.close()?;
    let written = target.commit(&args.output)?;
    tell(&format!("{count} rows, {written} bytes: rows rewritten"));
    Ok(())
}

/// Returns the rows of all inputs.
fn open(args: &Args) -> Result<Rows, CliError> {
    let files = expand(&args.inputs, false)?;
    let parts = files.iter().map(|file| part(&file.path)).collect();
    let threads = cores();
    Ok(rows_of(parts, &ReadOptions { threads, ..ReadOptions::default() })?)
}

fn part(path: &Path) -> InputFile {
    let (name, path) = (path.display().to_string(), path.to_owned());
    let open = move |options: &ReadOptions| {
        let other = |fault: CliError| trevni::Error::from(std::io::Error::other(fault.text()));
        let mut source = match remote::source(&path).map_err(other)? {
            Some(source) => source,
            None => Source::open(&path)?,
        };
        let format = Format::of_source(&mut source)?;
        let format = format.filter(|format| matches!(format.name, "trv" | "dataset"));
        let missing = || trevni::Error::from(std::io::Error::other("no Trevni file"));
        (format.ok_or_else(missing)?.open)(source, options)
    };
    // Values in its path are columns of a data set already.
    InputFile { name, path: String::new(), once: false, open: Box::new(open) }
}
