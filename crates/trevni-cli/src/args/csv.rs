//! Arguments for reading CSV.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::FieldRef;
use trevni_convert::{Encoding, Format, ReadOptions, Source, parse_field};

use crate::exit::CliError;

/// How CSV is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading csv")]
pub(crate) struct CsvArgs {
    /// Between the fields of csv. Default: a tab for .tsv files, otherwise the one of `,` `;` tab `|` that fits the
    /// first rows. Written are tabs to .tsv files, otherwise commas.
    #[arg(long, value_parser = delimiter, value_name = "CHAR")]
    pub(crate) delimiter: Option<u8>,
    /// The first line of csv has no names.
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Around fields that have delimiters or ends of lines in them; `none` if nothing is. Default: `"`.
    #[arg(long, value_parser = quote, value_name = "CHAR")]
    quote: Option<Quote>,
    /// Before a quote that does not close its field, besides another quote. Default: a backslash where the first rows
    /// show that.
    #[arg(long, value_parser = character, value_name = "CHAR")]
    escape: Option<u8>,
    /// What begins a line of csv that is a comment, such as `#`.
    #[arg(long, value_parser = character, value_name = "CHAR")]
    comment: Option<u8>,
    /// Leave out this many lines of csv before the names.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_lines: u64,
    /// Numbers of csv have a comma before their fraction: 1,5.
    #[arg(long)]
    decimal_comma: bool,
    /// Columns that a row of csv lacks at its end are null.
    #[arg(long)]
    pad: bool,
    /// A text that is null in every column, besides the empty one; may be given several times. Default: NA, N/A,
    /// null, NaN, `\N` and others that pyarrow knows, in columns that are not text.
    #[arg(long = "null-value", value_name = "TEXT")]
    null_values: Vec<String>,
    /// The type of a column of csv or jsonl, instead of inferring it; may be given several times. Types: utf8,
    /// bool, int64, float64, date, time, timestamp, timestamp[us,UTC], decimal(10,2), json and any other of Arrow.
    ///
    /// Fields within others are named with dots in jsonl. Arrays and objects are their own text where the type is utf8;
    /// where it is json, so is any value, and it is written as it was.
    #[arg(long = "type", value_parser = column_type, value_name = "NAME=TYPE")]
    types: Vec<FieldRef>,
    /// How characters of csv and jsonl are encoded: utf-8, utf-16le, utf-16be, latin-1, windows-1252 and others.
    /// Default: utf-8, or utf-16 if there is a byte-order mark.
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    encoding: Option<Encoding>,
}

/// What encloses fields, or nothing.
#[derive(Debug, Clone, Copy)]
struct Quote(Option<u8>);

impl CsvArgs {
    /// Returns whether types of columns are given.
    pub(crate) fn has_types(&self) -> bool {
        !self.types.is_empty()
    }

    /// Refuses arguments that are not for a format.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        let of_text = [("--type", !self.types.is_empty()), ("--encoding", self.encoding.is_some())];
        let is_text = matches!(format.name, "csv" | "jsonl");
        if let Some((option, _)) = of_text.into_iter().find(|(_, given)| *given && !is_text) {
            let name = format.name;
            return Err(CliError::Usage(format!(
                "{option} is for csv and jsonl, and the input is {name}"
            )));
        }
        let wrong = [
            ("--quote", self.quote.is_some()),
            ("--escape", self.escape.is_some()),
            ("--comment", self.comment.is_some()),
            ("--skip-lines", self.skip_lines > 0),
            ("--decimal-comma", self.decimal_comma),
            ("--pad", self.pad),
            ("--null-value", !self.null_values.is_empty()),
        ];
        match wrong.into_iter().find(|(_, given)| *given && format.name != "csv") {
            Some((name, _)) => {
                Err(CliError::Usage(format!("{name} is for csv, and the input is {}", format.name)))
            }
            None => Ok(()),
        }
    }

    /// Adds the arguments to the ways of reading a path.
    pub(crate) fn apply(&self, options: &mut ReadOptions, path: &Path) {
        let csv = &mut options.csv;
        csv.delimiter = self.delimiter.or(is_tsv(path).then_some(b'\t'));
        csv.header = !self.no_header;
        csv.null_values = (!self.null_values.is_empty()).then(|| self.null_values.clone());
        if let Some(Quote(quote)) = self.quote {
            csv.quote = quote;
        }
        csv.escape = self.escape;
        csv.comment = self.comment;
        csv.skip_lines = self.skip_lines;
        csv.decimal_comma = self.decimal_comma;
        csv.pad = self.pad;
        options.types.clone_from(&self.types);
        options.encoding = self.encoding;
    }
}

/// Returns the delimiter of CSV output: the given one, or that of the path's extension.
pub(crate) fn delimiter_for(given: Option<u8>, path: &Path) -> u8 {
    given.unwrap_or(if is_tsv(path) { b'\t' } else { b',' })
}

fn is_tsv(path: &Path) -> bool {
    let inner = Source::decompressed_path(path);
    let extension = inner.as_deref().unwrap_or(path).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"))
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r') => Ok(*one),
        _ => Err("one ASCII character, or \\t".into()),
    }
}

fn quote(text: &str) -> Result<Quote, String> {
    match text.as_bytes() {
        b"none" => Ok(Quote(None)),
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r') => Ok(Quote(Some(*one))),
        _ => Err("one ASCII character, or none".into()),
    }
}

fn character(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r') => Ok(*one),
        _ => Err("one ASCII character".into()),
    }
}

fn column_type(text: &str) -> Result<FieldRef, String> {
    // A name may have the sign in it, a type has none.
    let (name, data_type) = text.rsplit_once('=').ok_or("types are given as NAME=TYPE")?;
    parse_field(name, data_type).map(Arc::new).map_err(|e| e.to_string())
}

fn encoding(text: &str) -> Result<Encoding, String> {
    text.parse().map_err(|e: trevni::Error| e.to_string())
}
