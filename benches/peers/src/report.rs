//! The results of a run: as JSON for `report.py`, and as a table for a terminal.

use std::fmt::Write;

use serde_json::json;

use crate::Result;
use crate::race::Outcome;

/// Returns the results, one outcome a line, with the processor and the instructions that the compiler could use.
pub fn json(outcomes: &[Outcome]) -> Result<String> {
    let lines = outcomes.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let (processor, build) = (json!(processor()), json!(build()));
    let lines = lines.join(",\n");
    Ok(format!("{{\"processor\": {processor}, \"build\": {build}, \"outcomes\": [\n{lines}\n]}}"))
}

/// Returns the name of the processor, and how many of its cores are here.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = name.map_or("unknown", |name| name.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}, {cores} cores")
}

/// Returns the widest vectors that the compiler could use by itself.
pub fn build() -> &'static str {
    match (cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2")) {
        (true, _) => "native, AVX-512",
        (_, true) => "native, AVX2",
        _ => "default",
    }
}

/// The columns that are shown, by the names of measures.
const COLUMNS: [&str; 8] =
    ["write", "read", "kept", "views", "column", "rows", "open_rows", "filter"];

/// Returns a table of medians.
pub fn tables(outcomes: &[Outcome]) -> String {
    let mut out = String::from("MB, and milliseconds, medians; smaller is better.\n\n");
    let _ = write!(out, "{:<25}{:<28}{:>10}", "table", "configuration", "size");
    COLUMNS.iter().for_each(|name| out.push_str(&format!("{name:>10}")));
    out.push('\n');
    for outcomes in outcomes.chunk_by(|a, b| a.table == b.table) {
        for outcome in outcomes {
            let size = brief(outcome.size_mb);
            let _ = write!(out, "{:<25}{:<28}{size:>10}", outcome.table, outcome.config);
            for name in COLUMNS {
                let cell = outcome.median(name).map_or_else(|| "-".to_owned(), brief);
                out.push_str(&format!("{cell:>10}"));
            }
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// Three digits are all that a measurement can tell.
fn brief(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
