//! Prints the times, and writes them as JSON.

use std::fs;
use std::path::Path;

use datafusion::error::Result;
use serde::Serialize;

use crate::engines::Engine;

/// The times of all queries.
#[derive(Debug, Serialize)]
pub struct Report {
    processor: String,
    /// The widest vectors that the compiler could use by itself.
    build: &'static str,
    engines: Vec<String>,
    /// The size of the tables of each, in bytes.
    bytes: Vec<u64>,
    /// The bytes that all queries read of each, once; 0 if the engine does not say.
    read: Vec<u64>,
    queries: Vec<Query>,
}

/// The medians and the least times of one query, in milliseconds, one for each engine.
#[derive(Debug, Serialize)]
struct Query {
    number: usize,
    milliseconds: Vec<f64>,
    least: Vec<f64>,
}

impl Report {
    pub fn new(engines: &[Engine], data: &Path) -> Result<Self> {
        let size = |engine: &Engine| -> Result<u64> {
            let files = fs::read_dir(data.join(engine.files().0))?;
            files.map(|file| Ok(file?.metadata()?.len())).sum()
        };
        let bytes = engines.iter().map(size).collect::<Result<_>>()?;
        let names: Vec<String> = engines.iter().map(Engine::to_string).collect();
        print!("{:<8}", "query");
        names.iter().for_each(|name| print!("{name:>18}"));
        println!();
        let read = vec![0; engines.len()];
        let queries = Vec::new();
        Ok(Self { processor: processor(), build: build(), engines: names, bytes, read, queries })
    }

    /// Adds the bytes that a query has read of the engine at a place.
    pub fn add_read(&mut self, place: usize, bytes: usize) {
        if let Some(read) = self.read.get_mut(place) {
            *read += bytes as u64;
        }
    }

    /// Adds the times of a query in seconds, of each engine.
    pub fn add(&mut self, number: usize, times: Vec<Vec<f64>>) {
        let least = |times: &Vec<f64>| 1e3 * times.iter().copied().fold(f64::INFINITY, f64::min);
        let least = times.iter().map(least).collect();
        let milliseconds: Vec<f64> = times.into_iter().map(|times| 1e3 * median(times)).collect();
        print_row(&number.to_string(), &milliseconds);
        self.queries.push(Query { number, milliseconds, least });
    }

    /// Prints sums, and writes the file.
    pub fn finish(&self, out: Option<&Path>) -> Result<()> {
        let of = |place: usize| self.queries.iter().filter_map(move |q| q.milliseconds.get(place));
        let places = 0..self.engines.len();
        print_row("total", &places.clone().map(|place| of(place).sum()).collect::<Vec<_>>());
        let mean = |place: usize| {
            let ratios = of(0).zip(of(place)).map(|(first, time)| (first / time).ln());
            (ratios.sum::<f64>() / self.queries.len() as f64).exp()
        };
        print_row("geomean", &places.map(mean).collect::<Vec<_>>());
        for (name, bytes) in [("MB", &self.bytes), ("MB read", &self.read)] {
            print_row(name, &bytes.iter().map(|bytes| *bytes as f64 / 1e6).collect::<Vec<_>>());
        }
        if let Some(out) = out {
            let text = serde_json::to_string_pretty(self).map_err(std::io::Error::from)?;
            fs::write(out, text + "\n")?;
        }
        Ok(())
    }
}

fn print_row(name: &str, values: &[f64]) {
    print!("{name:<8}");
    values.iter().for_each(|value| print!("{value:>18.2}"));
    println!();
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn build() -> &'static str {
    match (cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2")) {
        (true, _) => "native, AVX-512",
        (_, true) => "native, AVX2",
        _ => "default",
    }
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name"));
    name.map_or("unknown", |name| name.trim_start_matches([' ', '\t', ':'])).to_owned()
}
