//! Writes the profile as an HTML page, in one file without scripts or external resources.
//!
//! ```text
//! name, rows, columns, bytes
//! columns: a card for each, with a histogram or the most frequent values
//! sizes by column: of Trevni files and Parquet
//! blocks by rows and by offset: of Trevni files
//! ```

use std::fmt::{self, Write};

use super::block_chart::write_blocks;
use super::blocks::FileLayout;
use super::html_text::{Html, NAME, grouped, text};
use super::profile::{ColumnProfile, Histogram, short};
use super::{Profile, VALUE};
use crate::output::table::ratio;
use crate::output::type_name::type_name;

const STYLE: &str = include_str!("page.css");
/// Frequent values that are shown.
const TOP: usize = 6;
/// Units of a histogram.
const WIDTH: u64 = 320;
const HEIGHT: u64 = 80;

/// Returns the page of a profile.
pub(super) fn page(profile: &Profile, layout: Option<&FileLayout>) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let name = text(&profile.name, NAME);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    )?;
    let columns = profile.columns.len() as u64;
    let format = profile.format.map_or(String::new(), |format| format!("{format}, "));
    write!(
        out,
        "<header>\n<h1>{name}</h1>\n<p class=\"dim\">{format}{}, {}",
        counted(profile.rows, "row"),
        counted(columns, "column")
    )?;
    if let Some(bytes) = layout.map(|layout| layout.bytes).or(profile.bytes) {
        write!(out, ", {}", counted(bytes, "byte"))?;
    }
    out.write_str("</p>\n</header>\n<main>\n<h2>Columns</h2>\n<div class=\"columns\">\n")?;
    for column in &profile.columns {
        write_column(column, &mut out)?;
    }
    out.write_str("</div>\n")?;
    if let Some(layout) = layout {
        write_sizes(layout, &mut out)?;
        if layout.columns.iter().any(|column| column.block_count > 0) {
            write_blocks(layout, &mut out)?;
        }
    }
    out.write_str("</main>\n</body>\n</html>\n")?;
    Ok(out)
}

fn write_column(column: &ColumnProfile, out: &mut String) -> fmt::Result {
    let name = match column.name() {
        "" => "(no name)".to_owned(),
        name => text(name, NAME),
    };
    let of = text(&type_name(column.data_type()), NAME);
    writeln!(out, "<section class=\"column\">\n<h3>{name}</h3>\n<p class=\"type\">{of}</p>")?;
    out.write_str("<dl>")?;
    let share = percent(column.nulls, column.rows);
    let nulls = match column.nulls {
        0 => "none".to_owned(),
        nulls => format!("{} ({share:.1} %)", grouped(nulls)),
    };
    write_fact(out, "nulls", &nulls)?;
    if let Some(distinct) = column.distinct() {
        write_fact(out, "distinct", &grouped(distinct))?;
    }
    if let Some((least, greatest)) = column.bounds(VALUE) {
        write_fact(out, "min", &Html(&least).to_string())?;
        write_fact(out, "max", &Html(&greatest).to_string())?;
    }
    if let Some(mean) = column.mean() {
        write_fact(out, "mean", &text(&mean, NAME))?;
    }
    out.write_str("</dl>\n")?;
    if column.nulls > 0 {
        let width = share.max(0.5);
        writeln!(
            out,
            "<div class=\"nulls\" role=\"img\" aria-label=\"{share:.1} % nulls\"><i style=\"width:{width:.1}%\"></i></div>"
        )?;
    }
    if let Some(histogram) = column.histogram().filter(|histogram| histogram.counts.len() > 1) {
        write_histogram(column, &histogram, out)?;
    }
    write_top(column, out)?;
    out.write_str("</section>\n")
}

fn write_fact(out: &mut String, name: &str, value: &str) -> fmt::Result {
    write!(out, "<dt>{name}</dt><dd>{value}</dd>")
}

/// Returns a bar for each bin, and the ends below.
fn write_histogram(column: &ColumnProfile, histogram: &Histogram, out: &mut String) -> fmt::Result {
    let counts = &histogram.counts;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bins = counts.len().max(1) as u64;
    let width = WIDTH / bins;
    let (least, greatest) = match column.bounds(VALUE) {
        // Infinities are values, but in no bin.
        Some(bounds) if histogram.min.is_finite() && !has_infinity(&bounds) => bounds,
        _ => (short(histogram.min), short(histogram.max)),
    };
    let (least, greatest) = (Html(&least), Html(&greatest));
    writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"histogram of {} from {least} to {greatest}: {bins} bins of at most {}\">",
        text(column.name(), NAME),
        counted(most, "value")
    )?;
    for (bin, count) in (0u64..).zip(counts).filter(|(_, count)| **count > 0) {
        let height = scaled(*count, most, HEIGHT).max(1);
        writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{}</title></rect>",
            bin * width,
            HEIGHT - height,
            width - 1,
            counted(*count, "value")
        )?;
    }
    out.write_str("</svg>\n")?;
    writeln!(out, "<div class=\"ends\"><span>{least}</span><span>{greatest}</span></div>")
}

fn has_infinity((least, greatest): &(String, String)) -> bool {
    least.ends_with("inf") || greatest.ends_with("inf")
}

/// Returns the most frequent values.
fn write_top(column: &ColumnProfile, out: &mut String) -> fmt::Result {
    let top = column.top(TOP);
    let Some((_, most)) = top.first() else { return Ok(()) };
    let (most, values) = (*most, column.rows - column.nulls);
    out.write_str("<table class=\"top\">\n")?;
    for (value, count) in &top {
        let value = match value.as_str() {
            "" => "<span class=\"dim\">(empty)</span>".to_owned(),
            value => text(value, VALUE),
        };
        writeln!(
            out,
            "<tr><td class=\"name\">{value}</td><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td>\
             <td class=\"n\">{:.1} %</td></tr>",
            percent(*count, most),
            percent(*count, values)
        )?;
    }
    out.write_str("</table>\n")
}

fn write_sizes(layout: &FileLayout, out: &mut String) -> fmt::Result {
    out.write_str(
        "<h2>Bytes by column</h2>\n<table class=\"sizes\">\n<tr><th scope=\"col\">column</th>\
         <th scope=\"col\" class=\"codec\">codec</th><th scope=\"col\" class=\"n\">bytes</th>\
         <th scope=\"col\" class=\"n\">ratio</th><td></td></tr>\n",
    )?;
    let stored = layout.columns.iter().map(|column| column.stored);
    let most = stored.chain([layout.other.1]).max().unwrap_or(0).max(1);
    let mut row = |name: &str, codec: &str, bytes: u64, ratio: &str| {
        writeln!(
            out,
            "<tr><td class=\"name\">{name}</td><td class=\"codec\">{codec}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{ratio}</td><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td></tr>",
            grouped(bytes),
            percent(bytes, most)
        )
    };
    let (name, bytes) = layout.other;
    row(&format!("<span class=\"dim\">{name}</span>"), "", bytes, "")?;
    for column in &layout.columns {
        let ratio = ratio(column.uncompressed, column.stored);
        row(&text(&column.name, NAME), &text(&column.codec, NAME), column.stored, &ratio)?;
    }
    out.write_str("</table>\n")
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn scaled(part: u64, whole: u64, to: u64) -> u64 {
    let scaled = u128::from(part) * u128::from(to) / u128::from(whole.max(1));
    u64::try_from(scaled).unwrap_or(to).min(to)
}

/// Returns a number of things.
fn counted(number: u64, of: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {of}{s}", grouped(number))
}
