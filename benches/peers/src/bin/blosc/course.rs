//! What all racers get: values in memory, and which of them are read one by one.
//!
//! ```text
//! i64   v0 v1 v2 ...        each at most 50 from the one before
//! f64   v0 / 8 + noise ...  the same, with random bits behind
//! ```

use std::path::{Path, PathBuf};

use peers::random::Random;

use crate::{Args, Result};

/// Bytes of a chunk.
pub const CHUNK: usize = 1 << 20;

/// Bytes of a value.
pub const VALUE: usize = 8;

/// How many values there are in a full race: 100 MB.
const VALUES: usize = 12_500_000;

/// Values and what is read of them.
pub struct Course {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The values that are read one by one; each lap reads others.
    elements: Vec<u64>,
    laps: usize,
    /// All chunks, in random order.
    pub chunks: Vec<u64>,
    /// Where racers write.
    pub dir: PathBuf,
}

impl Course {
    pub fn new(name: &str, args: &Args, dir: &Path) -> Result<Self> {
        let count = if args.quick { VALUES / 10 } else { VALUES };
        let bytes = make(name, count)?;
        let mut random = Random::new(3);
        let elements = (0..args.elements).map(|_| random.below(count as u64)).collect();
        let mut chunks: Vec<u64> = (0..bytes.len().div_ceil(CHUNK) as u64).collect();
        for i in (1..chunks.len()).rev() {
            chunks.swap(i, random.below(i as u64 + 1) as usize);
        }
        let laps = if args.quick { 3 } else { args.repetitions };
        let course = Self { name: name.into(), bytes, elements, laps, chunks, dir: dir.to_owned() };
        std::fs::write(course.file("raw"), &course.bytes)?;
        std::fs::write(course.file("elements"), to_bytes(&course.elements))?;
        std::fs::write(course.file("chunks"), to_bytes(&course.chunks))?;
        Ok(course)
    }

    /// Returns a file with what all get, for those who are elsewhere.
    fn file(&self, what: &str) -> PathBuf {
        self.dir.join(format!("{}.{what}", self.name))
    }

    /// Returns the numbers of the elements that a lap reads, as a range of all.
    pub fn lap(&self, lap: usize) -> std::ops::Range<usize> {
        let each = (self.elements.len() / self.laps.max(1)).max(1);
        let from = lap * each;
        from.min(self.elements.len())..(from + each).min(self.elements.len())
    }

    pub fn elements(&self, lap: usize) -> &[u64] {
        &self.elements[self.lap(lap)]
    }

    pub fn value(&self, element: u64) -> &[u8] {
        &self.bytes[element as usize * VALUE..][..VALUE]
    }
}

fn make(name: &str, count: usize) -> Result<Vec<u8>> {
    let mut random = Random::new(1);
    let walk = (0..count).scan(0i64, |at, _| {
        *at += random.below(101) as i64 - 50;
        Some(*at)
    });
    match name {
        "i64" => Ok(walk.flat_map(i64::to_le_bytes).collect()),
        "f64" => {
            let mut noise = Random::new(2);
            let noisy = walk.map(|at| at as f64 / 8.0 + 0.25 * noise.normal());
            Ok(noisy.flat_map(f64::to_le_bytes).collect())
        }
        _ => Err(format!("there are no values {name:?}, but i64 and f64").into()),
    }
}

fn to_bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}
