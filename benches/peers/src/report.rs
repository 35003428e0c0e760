//! What a race came to, to be read: by programs as JSON, by people as tables.

use std::fmt::Write;

use crate::Result;
use crate::race::{Outcome, mean};

/// Returns a list with one object a line, so that two runs can be compared line by line.
pub fn json(outcomes: &[Outcome]) -> Result<String> {
    let lines = outcomes.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[\n{}\n]", lines.join(",\n")))
}

type Column = (&'static str, fn(&Outcome) -> Option<f64>);

const COLUMNS: [Column; 11] = [
    ("size MB", |o| Some(o.size_mb)),
    ("write", |o| o.write_ms),
    ("read", |o| o.read_ms),
    ("views", |o| o.read_views_ms),
    ("1 column", |o| o.read1_ms),
    ("1000 rows", |o| o.rand1000_ms),
    ("10 rows", |o| o.rand10_ms),
    ("filter", |o| o.filter_ms),
    ("kept", |o| o.kept_ms),
    ("floor", |o| o.floor_ms),
    ("copy", |o| o.copy_ms),
];

/// What can be compared with a peer.
const COMPARED: &[Column] = COLUMNS.split_at(9).0;

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
        out += "The last columns: reading beside decompression and checksums alone, and beside a copy of the arrays.\n\n";
        out += &ratios;
    }
    let means = means(outcomes);
    if !means.is_empty() {
        out += "\nGeometric means over the tables: size beside the peer's, and how many times as fast.\n\n";
        out += &means;
    }
    out
}

/// Returns how each of ours compares with each peer over all tables.
fn means(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    let mut configs: Vec<_> = outcomes.iter().map(|outcome| outcome.config).collect();
    configs.sort_unstable();
    configs.dedup();
    let (ours, peers): (Vec<&str>, Vec<&str>) =
        configs.into_iter().partition(|config| config.starts_with("trevni-"));
    for (ours, peer) in ours.iter().flat_map(|ours| peers.iter().map(move |peer| (*ours, *peer))) {
        let of = |config: &str| outcomes.iter().filter(|o| o.config == config).count();
        if of(ours) < 2 || of(peer) < 2 {
            continue;
        }
        if out.is_empty() {
            let _ = write!(out, "{:<18}{:<15}", "ours", "peer");
            COMPARED.iter().for_each(|(name, _)| out.push_str(&format!("{name:>11}")));
            out.push('\n');
        }
        let _ = write!(out, "{ours:<18}{peer:<15}");
        for (place, (_, value)) in COMPARED.iter().enumerate() {
            let mean = mean(outcomes, ours, peer, *value);
            let mean = mean.map(|mean| if place == 0 { mean } else { 1.0 / mean });
            let cell = mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"));
            out.push_str(&format!("{cell:>11}"));
        }
        out.push('\n');
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
            (names[0], names[9], names[10]) = ("size", "read/floor", "read/copy");
            heading(&mut out, &names);
        }
        let mut cells = COLUMNS.map(|(_, value)| ratio(value(ours), value(theirs)));
        cells[9] = ratio(ours.read_ms, ours.floor_ms);
        cells[10] = ratio(ours.read_ms, ours.copy_ms);
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
    let _ = write!(out, "{:<25}{:<18}", "table", "config");
    names.iter().for_each(|name| out.push_str(&format!("{name:>11}")));
    out.push('\n');
}

fn line<const N: usize>(out: &mut String, outcome: &Outcome, cells: [Option<String>; N]) {
    let _ = write!(out, "{:<25}{:<18}", outcome.table, outcome.config);
    for cell in cells {
        out.push_str(&format!("{:>11}", cell.as_deref().unwrap_or("-")));
    }
    out.push('\n');
}
