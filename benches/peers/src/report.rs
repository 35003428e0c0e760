//! What a race came to, to be read: by programs as JSON, by people as tables.

use std::fmt::Write;

use crate::Result;
use crate::race::Outcome;

/// Returns a list with one object a line, so that two runs can be compared line by line.
pub fn json(outcomes: &[Outcome]) -> Result<String> {
    let lines = outcomes.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[\n{}\n]", lines.join(",\n")))
}

type Column = (&'static str, fn(&Outcome) -> Option<f64>);

const COLUMNS: [Column; 9] = [
    ("size MB", |o| Some(o.size_mb)),
    ("write", |o| o.write_ms),
    ("read", |o| o.read_ms),
    ("views", |o| o.read_views_ms),
    ("1 column", |o| o.read1_ms),
    ("1000 rows", |o| o.rand1000_ms),
    ("10 rows", |o| o.rand10_ms),
    ("kept", |o| o.kept_ms),
    ("floor", |o| o.floor_ms),
];

/// Returns the times, then ours beside parquet's.
pub fn tables(outcomes: &[Outcome]) -> String {
    let mut out = String::from("Milliseconds, medians; smaller is better.\n\n");
    heading(&mut out, &COLUMNS.map(|(name, _)| name));
    for outcomes in outcomes.chunk_by(|a, b| a.table == b.table) {
        for outcome in outcomes {
            line(&mut out, outcome, COLUMNS.map(|(_, value)| value(outcome).map(brief)));
        }
        out.push('\n');
    }
    let ratios = ratios(outcomes);
    if !ratios.is_empty() {
        out += "Ours / parquet's (snappy; uncompressed for trevni-null); below 1 ours is better.\n";
        out +=
            "The last column is what reading takes beside decompression and checksums alone.\n\n";
        out += &ratios;
    }
    out
}

fn ratios(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for ours in outcomes.iter().filter(|outcome| outcome.config.starts_with("trevni-")) {
        let peer = if ours.config == "trevni-null" { "parquet-none" } else { "parquet-snappy" };
        let same = |o: &&Outcome| o.table == ours.table && o.config == peer;
        let Some(theirs) = outcomes.iter().find(same) else { continue };
        if out.is_empty() {
            let mut names = COLUMNS.map(|(name, _)| name);
            (names[0], names[8]) = ("size", "read/floor");
            heading(&mut out, &names);
        }
        let mut cells = COLUMNS.map(|(_, value)| ratio(value(ours), value(theirs)));
        cells[8] = ratio(ours.read_ms, ours.floor_ms);
        line(&mut out, ours, cells);
    }
    out
}

fn ratio(ours: Option<f64>, theirs: Option<f64>) -> Option<String> {
    Some(format!("{:.2}", ours? / theirs?))
}

/// Three digits are all that a race can tell.
fn brief(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

fn heading(out: &mut String, names: &[&str]) {
    let _ = write!(out, "{:<13}{:<15}", "table", "config");
    names.iter().for_each(|name| out.push_str(&format!("{name:>11}")));
    out.push('\n');
}

fn line<const N: usize>(out: &mut String, outcome: &Outcome, cells: [Option<String>; N]) {
    let _ = write!(out, "{:<13}{:<15}", outcome.table, outcome.config);
    for cell in cells {
        out.push_str(&format!("{:>11}", cell.as_deref().unwrap_or("-")));
    }
    out.push('\n');
}
