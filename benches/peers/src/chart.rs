//! The race at a glance, as an SVG: three panels, in each the three wide tables, for each a bar a configuration.
//!
//! ```text
//! legend
//! Write, ms             Read all, ms           Size, MB
//! │ ▂▄█ ...             │ ▄▂▁ ...              │ ▁▂▄ ...          a scale of its own from 0
//! └ lineitem taxi ...   └ lineitem taxi ...    └ lineitem taxi ...
//! ```

use std::fmt::Write;

use crate::race::{Outcome, mean};

const TABLES: [&str; 3] = ["lineitem", "taxi", "events"];

/// What is shown, and its colour: families share a hue, and neighbours differ in brightness too.
const BARS: [(&str, &str); 9] = [
    ("parquet-snappy", "#1f5a96"),
    ("parquet-zstd1", "#5f93c9"),
    ("parquet-none", "#8db8e2"),
    ("ipc-lz4", "#9a9a9a"),
    ("vortex", "#5b9a68"),
    ("trevni-snappy", "#b8500b"),
    ("trevni-null", "#f5a65b"),
    ("trevni-pack", "#7c1d1d"),
    ("trevni-pack+zstd", "#b0656a"),
];

type Panel = (&'static str, fn(&Outcome) -> Option<f64>);

const PANELS: [Panel; 3] = [
    ("Write, ms", |outcome| outcome.write_ms),
    ("Read all, ms", |outcome| outcome.read_ms),
    ("Size, MB", |outcome| Some(outcome.size_mb)),
];

/// What is shown of all tables.
const MEANS: [Panel; 6] = [
    ("size", |outcome| Some(outcome.size_mb)),
    ("write", |outcome| outcome.write_ms),
    ("read all", |outcome| outcome.read_ms),
    ("one column", |outcome| outcome.read1_ms),
    ("1,000 rows", |outcome| outcome.rand1000_ms),
    ("filter", |outcome| outcome.filter_ms),
];

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 270.0;
const MARGIN: f64 = 20.0;
/// Of one panel: where it begins, what is left of its axis, and its bars' floor and ceiling.
const PANEL: f64 = (WIDTH - MARGIN) / PANELS.len() as f64;
const AXIS: f64 = 28.0;
const FLOOR: f64 = 236.0;
const CEILING: f64 = 72.0;

/// Returns the chart of the three tables; nothing if none of its bars was raced.
pub fn svg(outcomes: &[Outcome]) -> Option<String> {
    let find = |table: &str, config: &str| {
        outcomes.iter().find(|o| o.table == table && o.config == config)
    };
    let raced = |config: &str| TABLES.iter().any(|table| find(table, config).is_some());
    let bars = bars(raced)?;
    let mut out = start("Write time, read time and size of three tables in several formats", &bars);
    for (place, (title, value)) in PANELS.iter().enumerate() {
        let groups = TABLES.map(|table| {
            let heights = bars.iter().map(|(config, _)| find(table, config).and_then(value));
            (table, heights.collect())
        });
        let left = MARGIN + place as f64 * PANEL;
        panel(&mut out, (left, PANEL), title, &bars, &groups);
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Returns the chart of all tables, each beside Parquet with snappy; nothing if that was not raced.
pub fn means(outcomes: &[Outcome]) -> Option<String> {
    let bars = bars(|config| outcomes.iter().any(|outcome| outcome.config == config))?;
    let groups = MEANS.map(|(name, value)| {
        let height = |(config, _): &(&str, _)| mean(outcomes, config, "parquet-snappy", value);
        (name, bars.iter().map(height).collect())
    });
    let mut out = start("Several formats beside Parquet with snappy", &bars);
    let title = "Beside Parquet with snappy, geometric means; lower is better";
    panel(&mut out, (MARGIN, WIDTH - MARGIN), title, &bars, &groups);
    out.push_str("</svg>\n");
    Some(out)
}

fn bars(raced: impl Fn(&str) -> bool) -> Option<Vec<(&'static str, &'static str)>> {
    let bars: Vec<_> = BARS.into_iter().filter(|(config, _)| raced(config)).collect();
    (!bars.is_empty()).then_some(bars)
}

fn start(title: &str, bars: &[(&str, &str)]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"#222\" role=\"img\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    legend(&mut out, bars);
    out
}

fn legend(out: &mut String, bars: &[(&str, &str)]) {
    let mut x = MARGIN;
    for (config, colour) in bars {
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"15\" width=\"11\" height=\"11\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"25\" font-size=\"12\">{config}</text>",
            x + 16.0
        );
        x += 40.0 + 7.0 * config.len() as f64;
    }
}

fn panel(
    out: &mut String,
    (left, width): (f64, f64),
    title: &str,
    bars: &[(&str, &str)],
    groups: &[(&str, Vec<Option<f64>>)],
) {
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"56\" font-size=\"13\" font-weight=\"600\">{title}</text>"
    );
    let most = groups.iter().flat_map(|(_, values)| values).flatten().copied().fold(0.0, f64::max);
    let step = step(most);
    let top = (most / step).ceil().max(1.0) * step;
    let y = |value: f64| FLOOR - value / top * (FLOOR - CEILING);
    let (axis, right) = (left + AXIS, left + width - MARGIN);
    let mut tick = 0.0;
    while tick <= top {
        let _ = writeln!(
            out,
            "<path d=\"M{axis:.1} {0:.1}H{right:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{1:.1}\" y=\"{2:.1}\" text-anchor=\"end\" fill=\"#555\">{tick}</text>",
            y(tick),
            axis - 5.0,
            y(tick) + 4.0
        );
        tick += step;
    }
    let group = (right - axis) / groups.len() as f64;
    let width = group * 0.84 / bars.len() as f64;
    for (place, (table, values)) in groups.iter().enumerate() {
        let start = axis + group * (place as f64 + 0.08);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{table}</text>",
            start + group * 0.42,
            FLOOR + 17.0
        );
        for (bar, ((config, colour), value)) in bars.iter().zip(values).enumerate() {
            let Some(value) = value else { continue };
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\">\
                 <title>{table}, {config}: {value}</title></rect>",
                start + bar as f64 * width,
                y(*value),
                width - 1.0,
                FLOOR - y(*value)
            );
        }
    }
}

/// Returns a round number that goes four or five times, or a little more, into what is shown.
fn step(most: f64) -> f64 {
    let rough = (most / 5.0).max(1e-3);
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * power >= rough);
    round.unwrap_or(10.0) * power
}
