//! What a race came to, to be read: by programs as JSON, by people as tables.

use std::fmt::Write;

use crate::Result;
use crate::race::{Outcome, Times};

/// Returns a list with one object a line, so that two runs can be compared line by line.
pub fn json(outcomes: &[Outcome]) -> Result<String> {
    let lines = outcomes.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[\n{}\n]", lines.join(",\n")))
}

type Column = (&'static str, fn(&Outcome) -> Option<Times>);

const COLUMNS: [Column; 5] = [
    ("write ms", |o| o.write_ms),
    ("read ms", |o| o.read_ms),
    ("load ms", |o| o.load_ms),
    ("element us", |o| o.element_us),
    ("chunk us", |o| o.chunk_us),
];

const OURS: &str = "trevni";

/// Returns the times, then ours beside theirs.
pub fn tables(outcomes: &[Outcome]) -> String {
    let mut out = String::from("Medians, and in brackets the least; smaller is better.\n\n");
    heading(&mut out, "MB");
    for lines in in_order(outcomes).chunk_by(|a, b| a.values == b.values && a.threads == b.threads)
    {
        for outcome in lines {
            let size = format!("{:.3}", outcome.bytes as f64 / 1e6);
            line(&mut out, outcome, &size, |value| brief(value(outcome)));
        }
        out.push('\n');
    }
    out += "Ours / theirs, of medians and in brackets of the least; below 1 ours is better.\n\n";
    heading(&mut out, "size");
    for theirs in in_order(outcomes).into_iter().filter(|outcome| outcome.who != OURS) {
        let same = |o: &&Outcome| {
            (&o.values, o.threads, o.home, o.who)
                == (&theirs.values, theirs.threads, theirs.home, OURS)
        };
        let Some(ours) = outcomes.iter().find(same) else { continue };
        let size = format!("{:.3}", ours.bytes as f64 / theirs.bytes as f64);
        line(&mut out, theirs, &size, |value| ratio(value(ours), value(theirs)));
    }
    out
}

/// Those of one home together, ours first.
fn in_order(outcomes: &[Outcome]) -> Vec<&Outcome> {
    let homes: Vec<_> = outcomes.iter().map(|o| o.home).collect();
    let place = |o: &&Outcome| homes.iter().position(|home| *home == o.home);
    let mut sorted: Vec<&Outcome> = outcomes.iter().collect();
    for lines in sorted.chunk_by_mut(|a, b| a.values == b.values && a.threads == b.threads) {
        lines.sort_by_key(place);
    }
    sorted
}

fn heading(out: &mut String, size: &str) {
    let _ = write!(out, "{:<8}{:<19}{:<15}{size:>8}", "values", "home", "who");
    COLUMNS.iter().for_each(|(name, _)| out.push_str(&format!("{name:>16}")));
    out.push('\n');
}

fn line(
    out: &mut String,
    outcome: &Outcome,
    size: &str,
    cell: impl Fn(fn(&Outcome) -> Option<Times>) -> Option<String>,
) {
    let values = format!("{} {}T", outcome.values, outcome.threads);
    let _ = write!(out, "{values:<8}{:<19}{:<15}{size:>8}", outcome.home, outcome.who);
    for (_, value) in COLUMNS {
        out.push_str(&format!("{:>16}", cell(value).as_deref().unwrap_or("-")));
    }
    out.push('\n');
}

fn ratio(ours: Option<Times>, theirs: Option<Times>) -> Option<String> {
    let (ours, theirs) = (ours?, theirs?);
    Some(format!("{:.2} ({:.2})", ours.median / theirs.median, ours.least / theirs.least))
}

fn brief(times: Option<Times>) -> Option<String> {
    times.map(|Times { median, least }| format!("{} ({})", digits(median), digits(least)))
}

/// Three digits are all that a race can tell.
fn digits(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}
