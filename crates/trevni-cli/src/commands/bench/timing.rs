//! Runs the configurations round-robin and measures them.
//!
//! ```text
//! for each round, for each measure, for each configuration: one lap
//! ```
//! So a busy moment of the machine falls on all of them. A lap that is over at once is repeated until the clock has
//! something to show.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use indicatif::ProgressBar;

use super::Result;
use super::check::Answers;
use super::config::{Config, Request};
use super::work::Work;

/// The minimum duration of a measurement.
const LAP: Duration = Duration::from_millis(2);

/// A measured operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Write,
    Read,
    Column,
    Rows,
    Filter,
}

impl Measure {
    pub(super) const ALL: [Self; 5] =
        [Self::Write, Self::Read, Self::Column, Self::Rows, Self::Filter];
}

/// What a configuration did.
pub(super) struct Outcome {
    pub(super) name: &'static str,
    /// Bytes of the file.
    pub(super) size: usize,
    /// How many rows the filter kept.
    pub(super) kept: usize,
    /// Milliseconds of each measure's laps, ascending.
    laps: [Vec<f64>; Measure::ALL.len()],
}

impl Outcome {
    fn laps(&self, measure: Measure) -> &[f64] {
        let place = Measure::ALL.iter().position(|m| *m == measure);
        place.and_then(|place| self.laps.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Returns the median of a measure's laps; `None` if it was not run.
    pub(super) fn median(&self, measure: Measure) -> Option<f64> {
        let laps = self.laps(measure);
        let (low, high) = (laps.get(laps.len().checked_sub(1)? / 2)?, laps.get(laps.len() / 2)?);
        Some((low + high) / 2.0)
    }

    /// Returns the shortest and the longest lap.
    pub(super) fn range(&self, measure: Measure) -> Option<(f64, f64)> {
        let laps = self.laps(measure);
        Some((*laps.first()?, *laps.last()?))
    }
}

/// A configuration with its file.
struct MeasuredConfig {
    config: Config,
    file: Bytes,
    laps: [Vec<f64>; Measure::ALL.len()],
}

/// Checks all configurations, then times them.
pub(super) fn run(
    work: &Work<'_>,
    configs: Vec<Config>,
    rounds: u16,
    bar: &ProgressBar,
) -> Result<Vec<Outcome>> {
    let answers = Answers::of(work)?;
    let order: Vec<&str> = configs.iter().map(|config| config.name).collect();
    let mut measured = Vec::new();
    for config in configs {
        let name = config.name;
        bar.set_message(format!("{name}: comparing what is read with what was written"));
        measured
            .push(MeasuredConfig::new(config, work, &answers).map_err(|e| format!("{name}: {e}"))?);
    }
    for round in 1..=rounds {
        for (place, measure) in Measure::ALL.into_iter().enumerate() {
            // None is always the first.
            measured.rotate_left(1);
            for config in &mut measured {
                bar.set_message(format!("round {round} of {rounds}: {}", config.config.name));
                let lap = config.lap(work, measure, &answers)?;
                if let (Some(lap), Some(laps)) = (lap, config.laps.get_mut(place)) {
                    laps.push(lap);
                }
            }
        }
    }
    measured.sort_by_key(|config| order.iter().position(|name| *name == config.config.name));
    Ok(measured.into_iter().map(|config| config.outcome(answers.kept())).collect())
}

impl MeasuredConfig {
    /// Writes the file, and checks every measured read.
    fn new(config: Config, work: &Work<'_>, answers: &Answers) -> Result<Self> {
        let table = work.table;
        let file = Bytes::from(config.format.write(&table.schema, &table.batches)?);
        answers.check(&config, &file, work)?;
        Ok(Self { config, file, laps: Default::default() })
    }

    /// Returns the milliseconds of one lap; `None` where there is nothing to run.
    fn lap(&self, work: &Work<'_>, measure: Measure, answers: &Answers) -> Result<Option<f64>> {
        let table = work.table;
        let ms = match measure {
            Measure::Write => timed(|| self.config.format.write(&table.schema, &table.batches))?,
            Measure::Read => self.read(Request::All, table.rows)?,
            Measure::Column => self.read(Request::Column(work.column), table.rows)?,
            Measure::Rows => self.read(Request::Rows(&work.rows), work.rows.len())?,
            Measure::Filter => match &work.filter {
                Some(filter) => self.read(Request::Filter(filter), answers.kept())?,
                None => return Ok(None),
            },
        };
        Ok(Some(ms))
    }

    /// Opens the file and reads it; each batch is dropped at once.
    fn read(&self, request: Request<'_>, expected: usize) -> Result<f64> {
        timed(|| {
            let mut rows = 0;
            self.config.format.read(&self.file, request, &mut |batch| {
                rows += black_box(batch).num_rows();
                Ok(())
            })?;
            match rows == expected {
                true => Ok(()),
                false => Err(format!("{}: {rows} rows of {expected}", self.config.name).into()),
            }
        })
    }

    fn outcome(mut self, kept: usize) -> Outcome {
        for laps in &mut self.laps {
            laps.sort_by(f64::total_cmp);
        }
        Outcome { name: self.config.name, size: self.file.len(), kept, laps: self.laps }
    }
}

/// Returns the mean milliseconds of as many calls as one measurement needs. Dropping results is not measured.
fn timed<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let (mut spent, mut calls) = (Duration::ZERO, 0u32);
    while spent < LAP {
        let start = Instant::now();
        let given = black_box(call()?);
        spent += start.elapsed();
        calls += 1;
        drop(given);
    }
    Ok(spent.as_secs_f64() * 1e3 / f64::from(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        for (laps, median) in [(vec![3.0], 3.0), (vec![1.0, 2.0], 1.5), (vec![1.0, 2.0, 9.0], 2.0)]
        {
            let laps = [laps, vec![], vec![], vec![], vec![]];
            let outcome = Outcome { name: "", size: 0, kept: 0, laps };
            assert_eq!(outcome.median(Measure::Write), Some(median));
            assert_eq!(outcome.median(Measure::Read), None);
        }
    }
}
