//! Prints the results, as a table and as JSON.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::columns::LeftOut;
use super::configs::BASELINE;
use super::machine::Machine;
use super::table::{BATCH, Limit};
use super::timing::{Measure, Outcome};
use super::work::Work;
use crate::exit::CliError;
use crate::output::table::{Align, Table};
use crate::stdout;

/// The widest bar.
const BAR: f64 = 30.0;

/// Everything that is printed.
pub(super) struct Report<'a> {
    pub(super) file: &'a str,
    pub(super) work: &'a Work<'a>,
    pub(super) rounds: u16,
    pub(super) left_out: &'a [LeftOut],
    /// Configurations that this build lacks.
    pub(super) missing: &'a [String],
    pub(super) outcomes: &'a [Outcome],
}

impl Report<'_> {
    /// Prints tables, one a measure.
    pub(super) fn text(&self) -> Result<(), CliError> {
        let mut out = stdout::stdout();
        self.heading(&mut out)?;
        self.group(&mut out, "size, MB", |outcome| Some(megabytes(outcome.size)))?;
        for measure in Measure::ALL {
            if let Some(title) = self.title(measure) {
                self.group(&mut out, &title, |outcome| outcome.median(measure))?;
            }
        }
        writeln!(
            out,
            "\nTimes are in ms; the second number is the ratio to {BASELINE}. Lower is better.\n\
             Trevni's include a CRC-32 of each block; Parquet's pages have no checksums by default."
        )?;
        if self.work.filter.is_none() {
            writeln!(
                out,
                "Left out: the filter, as no column has a comparison that keeps some of the rows"
            )?;
        }
        for column in self.left_out {
            let name = plain(&column.column, 60);
            writeln!(out, "Left out: column {name}, {}", plain(&column.reason, 200))?;
        }
        for missing in self.missing {
            writeln!(out, "Left out: {missing}")?;
        }
        Ok(out.flush()?)
    }

    fn heading(&self, out: &mut impl Write) -> std::io::Result<()> {
        let table = self.work.table;
        let which = match table.limit {
            None => "all rows of the file".to_owned(),
            Some(Limit::Rows) => format!("the first {} rows", grouped(table.rows)),
            Some(Limit::Memory) => "the first rows, as many as --memory allows".to_owned(),
        };
        let columns = table.schema.fields().len();
        let columns =
            if columns == 1 { "1 column".to_owned() } else { format!("{columns} columns") };
        let (rows, bytes) = (grouped(table.rows), number(megabytes(table.bytes())));
        let file = plain(self.file, 200);
        writeln!(out, "{file}: {rows} rows, {columns}, {bytes} MB as Arrow; {which}")?;
        let Machine { cpu, simd, cores } = Machine::this();
        let rounds = match self.rounds {
            1 => "1 round".to_owned(),
            n => format!("medians of {n} rounds"),
        };
        writeln!(out, "{cpu}, {simd}, {cores} cores")?;
        writeln!(out, "In memory, on one thread, in batches of {BATCH} rows; {rounds}")
    }

    /// Returns what a measure is called; `None` if it was not run.
    fn title(&self, measure: Measure) -> Option<String> {
        Some(match measure {
            Measure::Write => "write".to_owned(),
            Measure::Read => "read all".to_owned(),
            Measure::Column => format!("read one column, {}", plain(self.column(), 60)),
            Measure::Rows => format!("read {} scattered rows", grouped(self.work.rows.len())),
            Measure::Filter => {
                let filter = self.work.filter.as_ref()?;
                let kept = self.outcomes.first()?.kept;
                let share = 100.0 * kept as f64 / self.work.table.rows.max(1) as f64;
                let filter = plain(&filter.predicate.to_string(), 100);
                format!("filter, {filter}, keeps {} rows ({share:.2} %)", grouped(kept))
            }
        })
    }

    fn column(&self) -> &str {
        let field = self.work.table.schema.fields().get(self.work.column);
        field.map_or("", |field| field.name().as_str())
    }

    fn group(
        &self,
        out: &mut impl Write,
        title: &str,
        value: impl Fn(&Outcome) -> Option<f64>,
    ) -> std::io::Result<()> {
        let values = || self.outcomes.iter().filter_map(|outcome| Some((outcome, value(outcome)?)));
        let most = values().map(|(_, value)| value).fold(0.0, f64::max);
        let baseline = values().find(|(outcome, _)| outcome.name == BASELINE);
        let heads = [("", Align::Left), ("", Align::Right), ("", Align::Right), ("", Align::Left)];
        let mut table = Table::new(&heads);
        for (outcome, value) in values() {
            let ratio = baseline.as_ref().map(|(_, base)| format!("{:.2}", value / base));
            let ratio = ratio.unwrap_or_default();
            table.push(vec![outcome.name.to_owned(), number(value), ratio, bar(value, most)]);
        }
        write!(out, "\n{title}")?;
        table.write("  ", out)
    }

    /// Prints one JSON object.
    pub(super) fn json(&self) -> Result<(), CliError> {
        let table = self.work.table;
        let machine = Machine::this();
        let filter = self.work.filter.as_ref().map(|filter| {
            let kept = self.outcomes.first().map_or(0, |outcome| outcome.kept);
            json!({"where": filter.predicate.to_string(), "rows": kept})
        });
        let left_out = self.left_out.iter();
        let left_out: Vec<_> =
            left_out.map(|c| json!({"column": c.column, "reason": c.reason})).collect();
        let value = json!({
            "file": self.file,
            "rows": table.rows,
            "limitedBy": table.limit.map(Limit::name),
            "columns": table.schema.fields().len(),
            "leftOut": left_out,
            "missing": self.missing,
            "arrowBytes": table.bytes(),
            "batchRows": BATCH,
            "threads": 1,
            "rounds": self.rounds,
            "optimized": !cfg!(debug_assertions),
            "version": env!("CARGO_PKG_VERSION"),
            "machine": {"cpu": machine.cpu, "simd": machine.simd, "cores": machine.cores},
            "column": self.column(),
            "scatteredRows": self.work.rows.len(),
            "filter": filter,
            "results": self.outcomes.iter().map(result).collect::<Vec<_>>(),
        });
        stdout::print_json(&value, true)
    }
}

fn result(outcome: &Outcome) -> Value {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(outcome.name));
    fields.insert("bytes".to_owned(), json!(outcome.size));
    for measure in Measure::ALL {
        let key = match measure {
            Measure::Write => "writeMs",
            Measure::Read => "readMs",
            Measure::Column => "columnMs",
            Measure::Rows => "rowsMs",
            Measure::Filter => "filterMs",
        };
        let median = outcome.median(measure).zip(outcome.range(measure));
        let value = median.map(|(median, (min, max))| {
            json!({"median": rounded(median), "min": rounded(min), "max": rounded(max)})
        });
        fields.insert(key.to_owned(), json!(value));
    }
    Value::Object(fields)
}

/// Text from a file, without control characters, cut to `most` characters.
fn plain(text: &str, most: usize) -> String {
    let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut cut: String = text.chars().take(most).map(shown).collect();
    if text.chars().nth(most).is_some() {
        cut.push('…');
    }
    cut
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// To four decimals, so that a list of results can be read.
fn rounded(ms: f64) -> f64 {
    (ms * 1e4).round() / 1e4
}

/// Three significant digits, or all before the point.
fn number(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

/// Returns a number with a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a bar in eighths of a character.
fn bar(value: f64, most: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut left = if most > 0.0 { BAR * value / most } else { 0.0 };
    let mut bar = String::new();
    while left >= 1.0 {
        bar.push('█');
        left -= 1.0;
    }
    let eighth = EIGHTHS.iter().zip(0u8..8).rev().find(|(_, n)| f64::from(*n) <= left * 8.0);
    bar.push_str(eighth.map_or("", |(block, _)| block));
    if bar.is_empty() { "▏".to_owned() } else { bar }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read() {
        for (value, shown) in
            [(0.01234, "0.012"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1234")]
        {
            assert_eq!(number(value), shown);
        }
        for (value, shown) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(value), shown);
        }
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(2.0, 2.0), "█".repeat(30));
        assert_eq!(bar(1.0, 2.0), "█".repeat(15));
        assert_eq!(bar(1.0, 16.0), "█▉");
        assert_eq!(bar(0.0, 2.0), "▏");
    }
}
