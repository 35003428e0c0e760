//! Runs the racers over one course and takes the times.
//!
//! ```text
//! for each repetition, for each measure, for each racer: one lap
//! ```
//! So a noisy second falls on all of them, and what is compared ran side by side.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memmap2::MmapMut;
use serde::Serialize;

use crate::Result;
use crate::course::Course;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// All values to a file, or to chunks in memory.
    Write,
    /// All values to memory that is there.
    Read,
    /// All values to new memory.
    Load,
    /// Single values, here and there.
    Element,
    /// All chunks, in random order.
    Chunk,
}

pub const MEASURES: [Measure; 5] =
    [Measure::Write, Measure::Read, Measure::Load, Measure::Element, Measure::Chunk];

/// Someone who can be measured.
pub trait Racer {
    /// Returns where the values are kept: `bloscpack`, `sparse`, ...
    fn home(&self) -> &'static str;

    /// Who keeps them.
    fn who(&self) -> &'static str;

    /// Removes what an earlier lap wrote. Off the clock.
    fn clear(&mut self) -> Result<()>;

    /// Runs a lap and gives the milliseconds; `None` if there is no such thing. For [`Measure::Read`] and
    /// [`Measure::Chunk`] `out` is as large as the values.
    fn lap(
        &mut self,
        course: &Course,
        measure: Measure,
        lap: usize,
        out: &mut [u8],
    ) -> Result<Option<f64>>;

    /// Returns what has been written, in bytes; verifies first that it reads back as expected.
    fn check(&mut self, course: &Course, out: &mut [u8]) -> Result<u64>;
}

/// Times of a measure in milliseconds, or in microseconds for one element or chunk.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Times {
    pub median: f64,
    pub least: f64,
}

/// A racer on one course.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub values: String,
    pub threads: usize,
    pub home: &'static str,
    pub who: &'static str,
    pub bytes: u64,
    pub write_ms: Option<Times>,
    pub read_ms: Option<Times>,
    pub load_ms: Option<Times>,
    pub element_us: Option<Times>,
    pub chunk_us: Option<Times>,
}

/// A racer with what was measured so far.
struct Candidate {
    racer: Box<dyn Racer>,
    bytes: u64,
    laps: [Vec<f64>; MEASURES.len()],
}

/// Whether laps are timed by what this thread has used of a processor, and not by the clock.
static BY_PROCESSOR: AtomicBool = AtomicBool::new(false);

/// Times by what the thread uses of a processor; fails where the system does not tell.
pub fn time_by_processor() -> Result<()> {
    used()?;
    BY_PROCESSOR.store(true, Ordering::Relaxed);
    Ok(())
}

/// Returns the time that this process' first thread has run.
fn used() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = stat.split(' ').next().ok_or("an empty schedstat")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

/// Returns the milliseconds that a call takes.
pub fn timed<T>(call: impl FnOnce() -> Result<T>) -> Result<Option<f64>> {
    let by_processor = BY_PROCESSOR.load(Ordering::Relaxed);
    let before = if by_processor { used()? } else { Duration::ZERO };
    let start = Instant::now();
    let given = call()?;
    let spent = if by_processor { used()?.saturating_sub(before) } else { start.elapsed() };
    drop(given);
    Ok(Some(spent.as_secs_f64() * 1e3))
}

/// Memory that nobody has touched, in large pages if there are some: NumPy asks for them, so all get it so.
pub fn new_memory(len: usize) -> Result<MmapMut> {
    let memory = MmapMut::map_anon(len)?;
    #[cfg(target_os = "linux")]
    memory.advise(memmap2::Advice::HugePage)?;
    Ok(memory)
}

/// Races over a course; says to `progress` what it is about to do.
pub fn race(
    course: &Course,
    threads: usize,
    racers: Vec<Box<dyn Racer>>,
    repetitions: usize,
    progress: &dyn Fn(String),
) -> Result<Vec<Outcome>> {
    let mut out = vec![1; course.bytes.len()];
    let mut candidates = Vec::new();
    for mut racer in racers {
        progress(format!("checking {} of {}", racer.home(), racer.who()));
        racer.clear()?;
        racer.lap(course, Measure::Write, 0, &mut out)?;
        out.fill(1);
        let bytes = racer.check(course, &mut out);
        let bytes = bytes.map_err(|e| format!("{} of {}: {e}", racer.home(), racer.who()))?;
        candidates.push(Candidate { racer, bytes, laps: Default::default() });
    }
    for repetition in 0..repetitions {
        let values = &course.name;
        progress(format!("{values}, {threads}: repetition {} of {repetitions}", repetition + 1));
        for (place, measure) in MEASURES.into_iter().enumerate() {
            // Nobody always runs first.
            let first = (repetition + place) % candidates.len().max(1);
            let (behind, before) = candidates.split_at_mut(first);
            for candidate in before.iter_mut().chain(behind) {
                if measure == Measure::Write {
                    candidate.racer.clear()?;
                }
                if let Some(ms) = candidate.racer.lap(course, measure, repetition, &mut out)? {
                    candidate.laps[place].push(ms / scale(course, measure, repetition));
                }
            }
        }
    }
    candidates.iter_mut().try_for_each(|candidate| candidate.racer.clear())?;
    Ok(candidates.iter().map(|candidate| candidate.outcome(course, threads)).collect())
}

/// Returns what the milliseconds of a lap are divided by.
fn scale(course: &Course, measure: Measure, lap: usize) -> f64 {
    match measure {
        Measure::Write | Measure::Read | Measure::Load => 1.0,
        Measure::Element => course.elements(lap).len() as f64 / 1e3,
        Measure::Chunk => course.chunks.len() as f64 / 1e3,
    }
}

impl Candidate {
    fn outcome(&self, course: &Course, threads: usize) -> Outcome {
        let times = |measure: Measure| times(&self.laps[measure as usize]);
        Outcome {
            values: course.name.clone(),
            threads,
            home: self.racer.home(),
            who: self.racer.who(),
            bytes: self.bytes,
            write_ms: times(Measure::Write),
            read_ms: times(Measure::Read),
            load_ms: times(Measure::Load),
            element_us: times(Measure::Element),
            chunk_us: times(Measure::Chunk),
        }
    }
}

fn times(laps: &[f64]) -> Option<Times> {
    let mut laps = laps.to_vec();
    laps.sort_by(f64::total_cmp);
    let middle = laps.len() / 2;
    let median = match laps.len() {
        0 => return None,
        odd if odd % 2 == 1 => laps[middle],
        _ => (laps[middle - 1] + laps[middle]) / 2.0,
    };
    Some(Times { median: rounded(median), least: rounded(laps[0]) })
}

/// To three decimals, so that a list of results can be read.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
