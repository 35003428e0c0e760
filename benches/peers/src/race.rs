//! Runs the configurations over one table and takes the times.
//!
//! ```text
//! for each round, for each measure, for each configuration: one measurement
//! ```
//! So a noisy second falls on all of them, and what is compared ran side by side. Of each measure the median counts, and
//! the quartiles are kept. What is over at once is run again until the clock has something to show.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use arrow::array::{ArrayData, RecordBatch};
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use serde::Serialize;

use crate::Result;
use crate::check::Expected;
use crate::filter::Condition;
use crate::floor::Floor;
use crate::formats::{Config, File, Format, Opened, Wanted};
use crate::random::Random;
use crate::tables::Table;

/// A measurement takes at least this long.
const LEAST: Duration = Duration::from_millis(1);

/// One table under one configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub table: String,
    pub rows: usize,
    pub columns: usize,
    pub config: &'static str,
    pub size_mb: f64,
    /// Of each measure the median in milliseconds, and the quarters around it.
    pub times: BTreeMap<&'static str, [f64; 3]>,
    pub rounds: usize,
}

impl Outcome {
    /// Returns the median of a measure in milliseconds.
    pub fn median(&self, measure: &str) -> Option<f64> {
        self.times.get(measure).map(|[median, ..]| *median)
    }
}

#[derive(Debug, Clone, Copy)]
enum Measure {
    Write,
    Read,
    Kept,
    Views,
    Column,
    Rows,
    OpenRows,
    Filter,
    Floor,
    Copy,
}

/// The measures, and their names in results.
const MEASURES: [(Measure, &str); 10] = [
    (Measure::Write, "write"),
    (Measure::Read, "read"),
    (Measure::Kept, "kept"),
    (Measure::Views, "views"),
    (Measure::Column, "column"),
    (Measure::Rows, "rows"),
    (Measure::OpenRows, "open_rows"),
    (Measure::Filter, "filter"),
    (Measure::Floor, "floor"),
    (Measure::Copy, "copy"),
];

/// How often is measured.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    pub least: usize,
    pub most: usize,
    /// After this time no round beyond the least begins.
    pub within: Duration,
}

/// What all configurations get.
struct Workload<'a> {
    table: &'a Table,
    views: Option<SchemaRef>,
    rows: Vec<usize>,
    condition: Option<Condition>,
}

/// A configuration, its file, and its times.
struct Candidate {
    name: &'static str,
    format: Box<dyn Format>,
    file: File,
    floor: Option<Floor>,
    times: [Vec<f64>; MEASURES.len()],
}

/// Measures all configurations over a table; says to `progress` what it is about to do.
pub fn race(
    name: &str,
    table: &Table,
    configs: &[&'static Config],
    rounds: Rounds,
    progress: &dyn Fn(String),
) -> Result<Vec<Outcome>> {
    let views = table.with_views();
    let condition = Condition::of(table)?;
    let workload = Workload { table, views, rows: scattered(table.rows), condition };
    let mut candidates = prepare(&workload, configs, progress)?;
    let start = Instant::now();
    let mut round = 0;
    while round < rounds.least || round < rounds.most && start.elapsed() < rounds.within {
        round += 1;
        progress(format!("{name}: round {round}"));
        for (place, (measure, _)) in MEASURES.into_iter().enumerate() {
            // Nobody always runs first.
            candidates.rotate_left(1);
            for candidate in &mut candidates {
                if let Some(ms) = candidate.measure(&workload, measure)? {
                    candidate.times[place].push(ms);
                }
            }
        }
    }
    let outcomes = candidates.into_iter().map(|one| one.outcome(&workload, name, round));
    let mut outcomes: Vec<_> = outcomes.collect();
    outcomes.sort_by_key(|outcome| configs.iter().position(|c| c.name == outcome.config));
    Ok(outcomes)
}

/// Writes each file, and reads it in every way to see that it is right.
fn prepare(
    workload: &Workload<'_>,
    configs: &[&'static Config],
    progress: &dyn Fn(String),
) -> Result<Vec<Candidate>> {
    let expected = Expected::of(workload.table)?;
    let mut candidates = Vec::new();
    for config in configs {
        progress(format!("checking {}", config.name));
        let mut format = (config.start)()?;
        let schema = workload.table.schema.clone();
        format.prepare(&schema, &workload.table.batches)?;
        let bytes = Bytes::from(format.write(&schema, &workload.table.batches)?);
        let file = File { bytes, schema };
        expected
            .check(&*format, &file, &workload.rows, workload.condition.as_ref())
            .map_err(|e| format!("{}: {e}", config.name))?;
        let floor = format.floor(&file)?;
        let times = Default::default();
        candidates.push(Candidate { name: config.name, format, file, floor, times });
    }
    Ok(candidates)
}

/// A thousand distinct rows, ascending, but not more than one in a hundred.
fn scattered(total: usize) -> Vec<usize> {
    let count = (total / 100).clamp(1, 1000);
    let mut random = Random::new(1000);
    let mut rows = std::collections::BTreeSet::new();
    while rows.len() < count {
        rows.insert(random.below(total as u64) as usize);
    }
    rows.into_iter().collect()
}

impl Candidate {
    /// Returns the milliseconds of one measurement; `None` where there is nothing to run.
    fn measure(&self, workload: &Workload<'_>, measure: Measure) -> Result<Option<f64>> {
        let Workload { table, views, rows, condition } = workload;
        let ms = match measure {
            Measure::Write => timed(|| self.format.write(&self.file.schema, &table.batches))?,
            Measure::Read => self.read(Wanted::All, table.rows)?,
            Measure::Kept => timed(|| self.keep())?,
            Measure::Views => match views {
                Some(views) if self.format.has_views() => {
                    self.read(Wanted::Views(views), table.rows)?
                }
                _ => return Ok(None),
            },
            Measure::Column => self.columns(table)?,
            Measure::Rows => self.read(Wanted::Rows(rows), rows.len())?,
            Measure::OpenRows => {
                let opened = self.format.open(&self.file, Wanted::Rows(rows))?;
                timed(|| self.count(&opened, rows.len()))?
            }
            Measure::Filter => match condition {
                Some(condition) if self.format.has_filters() => {
                    self.read(Wanted::Filter(condition), condition.passing)?
                }
                _ => return Ok(None),
            },
            Measure::Copy => match self.floor {
                Some(_) => timed(|| copy(&table.batches))?,
                None => return Ok(None),
            },
            Measure::Floor => match &self.floor {
                Some(floor) => timed(|| floor.walk())?,
                None => return Ok(None),
            },
        };
        Ok(Some(ms))
    }

    /// Opens the file and reads; each batch is dropped as soon as it is there.
    fn read(&self, wanted: Wanted<'_>, expected: usize) -> Result<f64> {
        timed(|| self.count(&self.format.open(&self.file, wanted)?, expected))
    }

    /// Returns the geometric mean over the columns of reading one from the opening of the file on.
    fn columns(&self, table: &Table) -> Result<f64> {
        let count = table.schema.fields().len();
        let logarithm = |column| Ok(self.read(Wanted::Column(column), table.rows)?.ln());
        let sum = (0..count).map(logarithm).sum::<Result<f64>>()?;
        Ok((sum / count as f64).exp())
    }

    fn count(&self, opened: &Opened<'_>, expected: usize) -> Result<()> {
        let mut rows = 0;
        opened(&mut |batch| {
            rows += black_box(batch).num_rows();
            Ok(())
        })?;
        match rows == expected {
            true => Ok(()),
            false => Err(format!("{}: {rows} rows came of {expected}", self.name).into()),
        }
    }

    fn keep(&self) -> Result<Vec<RecordBatch>> {
        let mut kept = Vec::new();
        self.format.open(&self.file, Wanted::All)?(&mut |batch| {
            kept.push(batch);
            Ok(())
        })?;
        Ok(kept)
    }

    fn outcome(mut self, workload: &Workload<'_>, table: &str, rounds: usize) -> Outcome {
        let times = MEASURES.iter().zip(&mut self.times);
        let times = times.filter_map(|((_, name), times)| Some((*name, quartiles(times)?)));
        Outcome {
            table: table.to_owned(),
            rows: workload.table.rows,
            columns: workload.table.schema.fields().len(),
            config: self.name,
            size_mb: rounded(self.file.bytes.len() as f64 / 1e6),
            times: times.collect(),
            rounds,
        }
    }
}

/// Copies the buffers of all batches, one batch after another: the least that makes new arrays.
fn copy(batches: &[RecordBatch]) -> Result<usize> {
    let mut bytes = 0;
    for batch in batches {
        let mut copies = Vec::new();
        batch.columns().iter().for_each(|column| copy_buffers(&column.to_data(), &mut copies));
        bytes += black_box(copies).iter().map(Vec::len).sum::<usize>();
    }
    Ok(bytes)
}

fn copy_buffers(data: &ArrayData, copies: &mut Vec<Vec<u8>>) {
    let buffers = data.buffers().iter().map(|buffer| buffer.as_slice());
    let nulls = data.nulls().map(|nulls| nulls.validity());
    copies.extend(buffers.chain(nulls).map(<[u8]>::to_vec));
    data.child_data().iter().for_each(|child| copy_buffers(child, copies));
}

/// Returns the mean milliseconds of as many calls as make a measurement. What a call gives is dropped off the clock.
fn timed<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let (mut spent, mut calls) = (Duration::ZERO, 0);
    while spent < LEAST {
        let start = Instant::now();
        let given = black_box(call()?);
        spent += start.elapsed();
        calls += 1;
        drop(given);
    }
    Ok(spent.as_secs_f64() * 1e3 / f64::from(calls))
}

/// Returns the median, and the first and the third quartile.
fn quartiles(times: &mut [f64]) -> Option<[f64; 3]> {
    times.sort_by(f64::total_cmp);
    let last = times.len().checked_sub(1)?;
    let at = |quarter: usize| {
        let (low, rest) = (last * quarter / 4, last * quarter % 4);
        let next = times[(low + 1).min(last)];
        rounded(times[low] + (next - times[low]) * rest as f64 / 4.0)
    };
    Some([at(2), at(1), at(3)])
}

/// To four digits, so that a list of results can be read.
fn rounded(value: f64) -> f64 {
    match value {
        0.0 => 0.0,
        value => {
            let unit = 10f64.powf(3.0 - value.abs().log10().floor());
            (value * unit).round() / unit
        }
    }
}
