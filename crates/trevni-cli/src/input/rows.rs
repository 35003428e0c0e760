//! Opens a row file of any format.

use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::datatypes::SchemaRef;
use trevni::ErrorKind;
use trevni::arrow::Predicate;
use trevni_convert::{Format, ReadOptions, Report, Rows, Source, WriteOptions};

use super::path::PIPE;
use super::remote;
use crate::args::csv::CsvArgs;
use crate::args::json::JsonArgs;
use crate::args::memory;
use crate::args::rename::RenameArgs;
use crate::args::row_types::RowTypeArgs;
use crate::args::schema_file;
use crate::cores::cores;
use crate::exit::{CliError, tell};
use crate::input::progress::InputSize;

/// How the input is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// Format of the input, by name. Otherwise its extension says, or its first bytes.
    #[arg(long, value_parser = Format::named)]
    pub(crate) from: Option<&'static Format>,
    /// Only these columns; parts of nested ones with dots.
    ///
    /// Names with commas are in double quotes.
    #[arg(long, value_parser = column_names, value_name = "a,b.c")]
    pub(crate) columns: Option<::std::vec::Vec<String>>,
    /// Only these rows, from 0; the last is left out, and either may be missing.
    #[arg(long, value_parser = range, value_name = "A..B")]
    pub(crate) rows: Option<Range<u64>>,
    /// Only rows of which this is true, such as "price > 10 and city in ('Ulm')". Its columns need not be among
    /// --columns; --rows counts the rows of the file, before this filter.
    #[arg(long = "where", value_parser = predicate, value_name = "EXPR")]
    pub(crate) predicate: Option<Predicate>,
    /// Whether the input is read again if types of its first rows do not hold.
    #[arg(skip)]
    pub(super) reads_again: bool,
    /// The schema that was inferred when the same input was opened before, with all columns.
    #[arg(skip)]
    pub(crate) inferred: Option<SchemaRef>,
    /// The maximum number of these rows; commands that limit rows have their own options.
    #[arg(skip)]
    pub(crate) limit: Option<u64>,
    /// How many of the rows that pass the predicate are skipped.
    #[arg(skip)]
    pub(crate) offset: u64,
    /// Schema of csv and jsonl: what `trevni schema --format json` prints, or an Avro schema. Of avro the schema
    /// that its rows are read with: fields by name or alias, missing ones with their defaults, numbers widened.
    #[arg(long, value_name = "FILE")]
    pub(super) schema: Option<PathBuf>,
    /// Infer the types of csv and jsonl from this many rows; 0 for all rows. Default: all rows of a file, the first
    /// 1,000 of a pipe, which can be read only once.
    #[arg(long, value_name = "N")]
    pub(super) infer_rows: Option<usize>,
    /// Rows that are in memory at a time.
    #[arg(long, default_value_t = trevni::defaults::BATCH_SIZE, value_name = "N", value_parser = at_least_one)]
    batch_size: usize,
    /// Allow integers to lose digits where a schema makes them floating-point numbers, and durations and times in
    /// nanoseconds their unit in avro, which has no types for them.
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Skip up to this many bad rows, and count them. In avro, the rest of a block is skipped with one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) skip_bad: u64,
    /// The dtype of Blosc containers without one, as NumPy writes it: `<f8`, `[('a', '<i4'), ('b', 'S4')]`.
    #[cfg(feature = "blosc")]
    #[arg(long, value_name = "DTYPE")]
    dtype: Option<String>,
    #[command(flatten)]
    pub(crate) csv: CsvArgs,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    pub(crate) row_types: RowTypeArgs,
}

/// An open file of rows.
pub(crate) struct Opened {
    /// What it is called in errors.
    pub(crate) name: String,
    /// The name of the format, if all files have one.
    pub(crate) format: Option<&'static str>,
    pub(crate) rows: Rows,
    /// How many bytes it has, if that is known.
    pub(crate) size: Option<u64>,
    /// Bytes read of it so far.
    pub(crate) taken: Arc<AtomicU64>,
    /// What has been left out so far.
    pub(crate) report: Arc<Report>,
}

impl Opened {
    /// Returns the same, with the columns under the names that are wanted.
    pub(crate) fn renamed(self, names: &RenameArgs) -> Result<Self, CliError> {
        Ok(Self { rows: names.apply(self.rows)?, ..self })
    }

    /// Returns how much there is to read.
    pub(crate) fn input_size(&self) -> InputSize {
        let rows = self.report.row_count.load(Ordering::Relaxed);
        InputSize {
            bytes: self.size.map(|size| (size, self.taken.clone())),
            rows: (rows > 0).then_some(rows),
        }
    }
}

/// Prints what was skipped while reading.
pub(crate) fn tell_report(report: &Report) {
    for text in report.warnings() {
        tell(&format!("warning: {text}"));
    }
    match report.bad_rows.load(Ordering::Relaxed) {
        0 => {}
        1 => tell("1 bad row left out"),
        n => tell(&format!("{n} bad rows left out")),
    }
    match report.unknown_fields.load(Ordering::Relaxed) {
        0 => {}
        1 => tell("1 field left out that the schema does not know"),
        n => tell(&format!("{n} fields left out that the schema does not know")),
    }
}

impl ReadArgs {
    /// Returns whether the types of columns are given, which values may not fit, or bad rows are to be skipped.
    pub(crate) fn may_refuse_values(&self) -> bool {
        self.schema.is_some()
            || self.csv.has_types()
            || self.infer_rows.is_some()
            || self.skip_bad > 0
    }

    /// Opens a file, an object in a store, or standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Opened, CliError> {
        let (name, source, format) = self.find(path)?;
        self.open_as(path, name, source, format)
    }

    /// Finds a file, and its format.
    pub(crate) fn find(&self, path: &Path) -> Result<(String, Source, &'static Format), CliError> {
        let pipe = path == Path::new(PIPE);
        let name = if pipe { "standard input".to_owned() } else { path.display().to_string() };
        let remote = if pipe { None } else { remote::source(path)? };
        let is_remote = remote.is_some();
        let mut source = match remote {
            Some(source) => source,
            None if pipe => Source::pipe(&name, std::io::stdin()),
            None => Source::open(path).map_err(CliError::of(&name))?,
        };
        let folder = source.is_folder();
        let is_compressed = Source::decompressed_path(path).is_some();
        let of_path = Format::of_input(path);
        let format = self.from.or(of_path.filter(|format| !folder || format.holds.is_some()));
        // Of an object that is read by ranges, no bytes are fetched to see how they begin.
        let is_text = format.is_none_or(|format| matches!(format.name, "csv" | "jsonl"));
        if !folder && (!is_remote || is_text || is_compressed) {
            source = source.decompressed().map_err(CliError::of(&name))?;
        }
        let format = match format {
            Some(format) => format,
            None => {
                let what =
                    || CliError::Data(format!("{name}: of no known format; --from names it"));
                Format::of_source(&mut source).map_err(CliError::of(&name))?.ok_or_else(what)?
            }
        };
        Ok((name, source, format))
    }

    /// Refuses arguments that are not for a format.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        self.row_types.check(format)?;
        self.csv.check(format)?;
        self.json.check(format)
    }

    /// Refuses a choice of columns and rows, which something else makes: `by` says what.
    #[cfg(any(feature = "sql", feature = "view"))]
    pub(crate) fn refuse_selection(&self, by: &str) -> Result<(), CliError> {
        if self.columns.is_none() && self.rows.is_none() && self.predicate.is_none() {
            return Ok(());
        }
        let text = format!("columns and rows are chosen {by}, not by --columns, --rows or --where");
        Err(CliError::Usage(text))
    }

    /// Opens a file that was found.
    pub(crate) fn open_as(
        &self,
        path: &Path,
        name: String,
        source: Source,
        format: &'static Format,
    ) -> Result<Opened, CliError> {
        self.check(format)?;
        let (taken, size) = (source.taken(), source.size());
        if source.folder().is_some() {
            // Its files are read as they are needed; the size is that of all.
            let bytes = crate::input::path::bytes_at(path).map_err(CliError::of(&name))?;
            taken.store(bytes, Ordering::Relaxed);
        }
        let options = self.options(path)?;
        let report = options.report.clone();
        let rows = (format.open)(source, &options).map_err(|e| self.fault(&name, e))?;
        Ok(Opened { name, format: Some(format.name), rows, size, taken, report })
    }

    /// Returns what cannot be read: if it is the condition, or a column, the call is at fault.
    pub(crate) fn fault(&self, name: &str, e: trevni::Error) -> CliError {
        match e.kind() {
            ErrorKind::Invalid(_)
                if self.predicate.is_some()
                    || self.columns.as_ref().is_some_and(|names| !names.is_empty()) =>
            {
                CliError::Usage(format!("{name}: {e}"))
            }
            _ => CliError::of(name)(e),
        }
    }

    /// Limits the number of rows.
    pub(crate) fn limit_to(&mut self, rows: u64) {
        self.limit = Some(rows);
        // Few rows need no large batch, unless many are filtered.
        if self.predicate.is_none() {
            self.fit_batch(rows);
        }
    }

    /// Returns the same without columns: only the number of rows is read, `batch_size` of them at a time.
    pub(crate) fn without_columns(&self, batch_size: usize) -> Self {
        Self { columns: Some(Vec::new()), batch_size, ..self.clone() }
    }

    /// Limits the batch size to the number of rows.
    fn fit_batch(&mut self, rows: u64) {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX).max(1);
        self.batch_size = self.batch_size.min(rows);
    }

    pub(crate) fn options(&self, path: &Path) -> Result<ReadOptions, CliError> {
        let schema = self.schema.as_deref().map(schema_file::load).transpose()?;
        let mut options = ReadOptions {
            schema,
            infer_rows: self.infer_rows,
            reads_again: self.reads_again,
            inferred: self.inferred.clone(),
            batch_size: self.batch_size,
            limits: memory::limits(),
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            predicate: self.predicate.clone(),
            limit: self.limit.map(|limit| limit.saturating_add(self.offset)),
            lossy: self.lossy,
            skip_bad: self.skip_bad,
            #[cfg(feature = "blosc")]
            dtype: self.dtype.clone(),
            threads: cores(),
            ..ReadOptions::default()
        };
        self.csv.apply(&mut options, path);
        self.json.apply(&mut options);
        self.row_types.describe(&mut options, &mut WriteOptions::default())?;
        Ok(options)
    }
}

/// Returns an error of a batch, with the name of the file; errors of ours are taken out of Arrow's wrapping.
pub(crate) fn batch_fault(name: &dyn Display, e: arrow::error::ArrowError) -> CliError {
    match e {
        arrow::error::ArrowError::ExternalError(inner) => CliError::of(name)(inner),
        other => CliError::of(name)(other),
    }
}

/// Returns the paths of columns: between commas that are not in quotes, which are doubled within.
fn column_names(text: &str) -> Result<Vec<String>, String> {
    let (mut names, mut name, mut in_quotes) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        // A doubled quote closes the name and opens it again.
        if c == '"' && (in_quotes || name.is_empty() || name.ends_with(['.', '"'])) {
            in_quotes = !in_quotes;
        }
        match c == ',' && !in_quotes {
            true => names.push(std::mem::take(&mut name)),
            false => name.push(c),
        }
    }
    if in_quotes {
        return Err("a quote is not closed".to_owned());
    }
    if !text.is_empty() {
        names.push(name);
    }
    Ok(names)
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("rows are given as A..B")?;
    let number = |text: &str, missing| match text {
        "" => Ok(missing),
        _ => text.parse::<u64>().map_err(|e| format!("{text:?}: {e}")),
    };
    let range = number(from, 0)?..number(to, u64::MAX)?;
    if range.start > range.end {
        return Err("the first row is after the last".into());
    }
    Ok(range)
}

fn predicate(text: &str) -> Result<Predicate, String> {
    Predicate::parse(text).map_err(|e| {
        let what = match e.kind() {
            ErrorKind::Invalid(what) => what.clone(),
            _ => e.to_string(),
        };
        match cfg!(feature = "sql") && what.contains("is arithmetic") {
            true => format!("{what} (`trevni sql` computes)"),
            false => what,
        }
    })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let n: usize = text.parse().map_err(|e| format!("{e}"))?;
    if n == 0 { Err("at least 1".into()) } else { Ok(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_may_be_in_quotes() {
        let names = |text: &str| column_names(text).map(|names| names.join("|"));
        for (text, expected) in [
            ("a,b.c", "a|b.c"),
            ("\"a,b\",c", "\"a,b\"|c"),
            ("\"say \"\"x,\"\"\",y", "\"say \"\"x,\"\"\"|y"),
            ("a.\"b,c\"", "a.\"b,c\""),
            ("5\" pipe", "5\" pipe"),
            ("", ""),
        ] {
            assert_eq!(names(text).as_deref(), Ok(expected), "{text}");
        }
        assert!(names("\"a").is_err());
    }

    #[test]
    fn ranges_may_be_open() {
        assert_eq!(range("3..7"), Ok(3..7));
        assert_eq!(range("..7"), Ok(0..7));
        assert_eq!(range("3.."), Ok(3..u64::MAX));
        assert!(range("7..3").is_err() && range("3").is_err() && range("a..b").is_err());
    }
}
