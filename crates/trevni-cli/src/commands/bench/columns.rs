//! Finds the columns that all formats can store.

use arrow::array::RecordBatch;
use trevni_convert::{Format, WriteOptions};

use super::Result;
use super::check::Expected;
use super::config::{Config, Request};
use super::table::Table;

/// A column that is not measured.
#[derive(Debug)]
pub(super) struct LeftOut {
    pub(super) column: String,
    pub(super) reason: String,
}

/// Returns the table without the columns that a format cannot hold or does not restore, and the names of these.
pub(super) fn common(table: Table, configs: &[Config]) -> Result<(Table, Vec<LeftOut>)> {
    let Some(sample) = table.batches.first().cloned() else { return Ok((table, Vec::new())) };
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for (place, field) in table.schema.fields().iter().enumerate() {
        let one = sample.project(&[place])?;
        match refusal(&one, configs) {
            Some(reason) => left_out.push(LeftOut { column: field.name().clone(), reason }),
            None => kept.push(place),
        }
    }
    if left_out.is_empty() {
        return Ok((table, left_out));
    }
    let schema = std::sync::Arc::new(table.schema.project(&kept)?);
    let batches = table.batches.iter().map(|batch| batch.project(&kept));
    let batches = batches.collect::<std::result::Result<_, _>>()?;
    Ok((Table::new(schema, batches, table.limit), left_out))
}

/// Why a column cannot be measured.
fn refusal(one: &RecordBatch, configs: &[Config]) -> Option<String> {
    // Conversion refuses columns at which the library panics.
    if let Ok(parquet) = Format::named("parquet")
        && let Err(e) = converted(parquet, one)
    {
        return Some(e.to_string());
    }
    // Columns differ by format, not by compression.
    let families = configs.chunk_by(|a, b| family(a) == family(b)).filter_map(|same| same.first());
    families.into_iter().find_map(|config| {
        let came_back = came_back(one, config);
        came_back.err().map(|e| format!("{}: {e}", family(config)))
    })
}

fn family(config: &Config) -> &'static str {
    config.name.split(' ').next().unwrap_or(config.name)
}

fn converted(format: &Format, one: &RecordBatch) -> Result<()> {
    let mut out = Vec::new();
    let mut sink = (format.create)(&mut out, one.schema(), &WriteOptions::default())?;
    sink.write(one)?;
    Ok(sink.finish()?)
}

fn came_back(one: &RecordBatch, config: &Config) -> Result<()> {
    let batches = std::slice::from_ref(one);
    let file = config.format.write(&one.schema(), batches)?.into();
    let mut expected = Expected::new(batches, None);
    config.format.read(&file, Request::All, &mut |batch| expected.compare(&batch))?;
    expected.finish()
}
