//! Runs the configurations over one table and takes the times.
//!
//! ```text
//! for each repetition, for each measure, for each configuration: one lap
//! ```
//! So a noisy second falls on all of them, and what is compared ran side by side. Of each measure's laps the
//! median counts. A lap that is over at once is run again until the clock has something to show.

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
use crate::formats::{Config, File, Format, Wanted};
use crate::random::Random;
use crate::tables::Table;

/// A lap takes at least this long.
const LAP: Duration = Duration::from_millis(2);

/// One table under one configuration; times are medians in milliseconds.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub table: String,
    pub rows: usize,
    pub config: &'static str,
    pub size_mb: f64,
    pub write_ms: Option<f64>,
    pub read_ms: Option<f64>,
    pub read_views_ms: Option<f64>,
    pub read1_ms: Option<f64>,
    pub rand1000_ms: Option<f64>,
    pub rand10_ms: Option<f64>,
    pub filter_ms: Option<f64>,
    pub kept_ms: Option<f64>,
    pub floor_ms: Option<f64>,
    pub copy_ms: Option<f64>,
    pub repetitions: usize,
}

#[derive(Debug, Clone, Copy)]
enum Measure {
    Write,
    Read,
    ReadViews,
    Read1,
    Rand1000,
    Rand10,
    Filter,
    Kept,
    Floor,
    Copy,
}

const MEASURES: [Measure; 10] = [
    Measure::Write,
    Measure::Read,
    Measure::ReadViews,
    Measure::Read1,
    Measure::Rand1000,
    Measure::Rand10,
    Measure::Filter,
    Measure::Kept,
    Measure::Floor,
    Measure::Copy,
];

/// What all configurations get.
struct Course<'a> {
    table: &'a Table,
    views: Option<SchemaRef>,
    rand1000: Vec<usize>,
    rand10: Vec<usize>,
    condition: Option<Condition>,
}

/// A configuration on its course.
struct Candidate {
    name: &'static str,
    format: Box<dyn Format>,
    file: File,
    floor: Option<Floor>,
    laps: [Vec<f64>; MEASURES.len()],
}

/// Races over a table; says to `progress` what it is about to do.
pub fn race(
    name: &str,
    table: &Table,
    configs: &[&'static Config],
    repetitions: usize,
    progress: &dyn Fn(String),
) -> Result<Vec<Outcome>> {
    let course = Course {
        table,
        views: table.with_views(),
        rand1000: scattered(table.rows, 1000),
        rand10: scattered(table.rows, 10),
        condition: Condition::of(table)?,
    };
    let mut candidates = line_up(&course, configs, progress)?;
    for repetition in 1..=repetitions {
        progress(format!("{name}: repetition {repetition} of {repetitions}"));
        for (place, measure) in MEASURES.into_iter().enumerate() {
            // Nobody always runs first.
            candidates.rotate_left(1);
            for candidate in &mut candidates {
                if let Some(ms) = candidate.lap(&course, measure)? {
                    candidate.laps[place].push(ms);
                }
            }
        }
    }
    let mut outcomes: Vec<_> = candidates
        .into_iter()
        .map(|candidate| candidate.outcome(&course, name, repetitions))
        .collect();
    outcomes.sort_by_key(|outcome| configs.iter().position(|c| c.name == outcome.config));
    Ok(outcomes)
}

/// Writes each file, and reads it in every way to see that it is right.
fn line_up(
    course: &Course<'_>,
    configs: &[&'static Config],
    progress: &dyn Fn(String),
) -> Result<Vec<Candidate>> {
    let expected = Expected::of(course.table)?;
    let mut candidates = Vec::new();
    for config in configs {
        progress(format!("checking {}", config.name));
        let format = (config.start)()?;
        let schema = course.table.schema.clone();
        let bytes = Bytes::from(format.write(&schema, &course.table.batches)?);
        let file = File { bytes, schema };
        expected
            .check(&*format, &file, &[&course.rand1000, &course.rand10], course.condition.as_ref())
            .map_err(|e| format!("{}: {e}", config.name))?;
        let floor = format.floor(&file)?;
        candidates.push(Candidate {
            name: config.name,
            format,
            file,
            floor,
            laps: Default::default(),
        });
    }
    Ok(candidates)
}

/// Distinct rows, ascending.
fn scattered(total: usize, count: usize) -> Vec<usize> {
    let mut random = Random::new(count as u64);
    let mut rows = std::collections::BTreeSet::new();
    while rows.len() < count.min(total) {
        rows.insert(random.below(total as u64) as usize);
    }
    rows.into_iter().collect()
}

impl Candidate {
    /// Returns the milliseconds of one lap; `None` where there is nothing to run.
    fn lap(&self, course: &Course<'_>, measure: Measure) -> Result<Option<f64>> {
        let Course { table, views, rand1000, rand10, condition } = course;
        let ms = match measure {
            Measure::Write => timed(|| self.format.write(&self.file.schema, &table.batches))?,
            Measure::Read => self.read(Wanted::All, table.rows)?,
            Measure::ReadViews => match views {
                Some(views) if self.format.has_views() => {
                    self.read(Wanted::Views(views), table.rows)?
                }
                _ => return Ok(None),
            },
            Measure::Read1 => self.read(Wanted::FirstColumn, table.rows)?,
            Measure::Rand1000 => self.read(Wanted::Rows(rand1000), rand1000.len())?,
            Measure::Rand10 => self.read(Wanted::Rows(rand10), rand10.len())?,
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
            Measure::Kept => timed(|| self.keep())?,
            Measure::Floor => match &self.floor {
                Some(floor) => timed(|| floor.walk())?,
                None => return Ok(None),
            },
        };
        Ok(Some(ms))
    }

    /// Opens the file and reads; each batch is dropped as soon as it is there.
    fn read(&self, wanted: Wanted<'_>, expected: usize) -> Result<f64> {
        timed(|| {
            let mut rows = 0;
            self.format.read(&self.file, wanted, &mut |batch| {
                rows += black_box(batch).num_rows();
                Ok(())
            })?;
            match rows == expected {
                true => Ok(()),
                false => Err(format!("{}: {rows} rows came of {expected}", self.name).into()),
            }
        })
    }

    fn keep(&self) -> Result<Vec<RecordBatch>> {
        let mut kept = Vec::new();
        self.format.read(&self.file, Wanted::All, &mut |batch| {
            kept.push(batch);
            Ok(())
        })?;
        Ok(kept)
    }

    fn outcome(mut self, course: &Course<'_>, table: &str, repetitions: usize) -> Outcome {
        let mut median = |measure: Measure| median(&mut self.laps[measure as usize]);
        Outcome {
            table: table.to_owned(),
            rows: course.table.rows,
            config: self.name,
            size_mb: rounded(self.file.bytes.len() as f64 / 1e6),
            write_ms: median(Measure::Write),
            read_ms: median(Measure::Read),
            read_views_ms: median(Measure::ReadViews),
            read1_ms: median(Measure::Read1),
            rand1000_ms: median(Measure::Rand1000),
            rand10_ms: median(Measure::Rand10),
            filter_ms: median(Measure::Filter),
            kept_ms: median(Measure::Kept),
            floor_ms: median(Measure::Floor),
            copy_ms: median(Measure::Copy),
            repetitions,
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

/// Returns the mean milliseconds of as many calls as make a lap. What a call gives is dropped off the clock.
fn timed<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let (mut spent, mut calls) = (Duration::ZERO, 0);
    while spent < LAP {
        let start = Instant::now();
        let given = black_box(call()?);
        spent += start.elapsed();
        calls += 1;
        drop(given);
    }
    Ok(spent.as_secs_f64() * 1e3 / f64::from(calls))
}

fn median(laps: &mut [f64]) -> Option<f64> {
    laps.sort_by(f64::total_cmp);
    let middle = laps.len() / 2;
    match laps.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(rounded(laps[middle])),
        _ => Some(rounded((laps[middle - 1] + laps[middle]) / 2.0)),
    }
}

/// Returns the geometric mean of a configuration beside another, over the tables that both have values of.
pub fn mean(
    outcomes: &[Outcome],
    config: &str,
    peer: &str,
    value: fn(&Outcome) -> Option<f64>,
) -> Option<f64> {
    let of = outcomes.iter().filter(|outcome| outcome.config == config);
    let ratios = of.filter_map(|outcome| {
        let same = |o: &&Outcome| o.table == outcome.table && o.config == peer;
        Some((value(outcome)? / value(outcomes.iter().find(same)?)?).ln())
    });
    let logarithms: Vec<f64> = ratios.collect();
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    (!logarithms.is_empty()).then(|| rounded(mean))
}

/// To three decimals, so that a list of results can be read.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
