//! Prints rows: as a table on a terminal, as JSON lines to pipes and files, or in the format of `--format`.

use std::io::IsTerminal;

use arrow::datatypes::SchemaRef;
use clap::ValueEnum;
use trevni_convert::{Format, Naming, Rows, Sink, WriteOptions, rename_fields};

use super::row_table::{BorderedTable, MarkdownTable};
use crate::args::csv::{CsvArgs, delimiter_for};
use crate::cores::cores;
use crate::exit::{CliError, tell};
use crate::input::rows::{Opened, batch_fault, tell_report};
use crate::stdout;

/// How rows are printed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PrintArgs {
    /// How rows are printed. Default: as a table on a terminal, as JSON lines otherwise.
    #[arg(long, short, value_enum)]
    format: Option<RowFormat>,
    /// The width that tables are cut to, in characters; 0 for no limit. Default: that of the terminal, if it is one.
    #[arg(long, value_name = "N")]
    width: Option<usize>,
}

/// A format of printed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    /// A table with borders, types under the names.
    Table,
    /// JSON lines.
    Json,
    Csv,
    Markdown,
    /// A stream of Arrow's IPC format.
    Arrow,
}

impl PrintArgs {
    /// Prints all rows. Those before an error are printed.
    pub(crate) fn print(&self, opened: Opened, csv: &CsvArgs) -> Result<(), CliError> {
        let of_file = || CliError::of(opened.name.clone());
        let mut out = stdout::stdout();
        let rows = match self.format() {
            RowFormat::Json => with_unique_names(opened.rows)?,
            _ => opened.rows,
        };
        let mut sink = self.sink(&mut out, rows.schema(), csv)?;
        for batch in rows {
            match batch {
                Ok(batch) => sink.write(&batch).map_err(of_file())?,
                Err(e) => {
                    sink.finish()?;
                    return Err(batch_fault(&opened.name, e));
                }
            }
        }
        sink.finish().map_err(of_file())?;
        tell_report(&opened.report);
        Ok(())
    }

    fn sink<'a>(
        &self,
        out: &'a mut (impl std::io::Write + Send),
        schema: SchemaRef,
        csv: &CsvArgs,
    ) -> Result<Box<dyn Sink + 'a>, CliError> {
        let name = match self.format() {
            RowFormat::Table => return Ok(Box::new(BorderedTable::new(out, schema, self.width()))),
            RowFormat::Markdown => return Ok(Box::new(MarkdownTable::try_new(out, &schema)?)),
            RowFormat::Json => "jsonl",
            RowFormat::Csv => "csv",
            RowFormat::Arrow if std::io::stdout().is_terminal() => {
                let text = "the format arrow is not text: send it to a file or a pipe";
                return Err(CliError::Usage(text.into()));
            }
            RowFormat::Arrow => "arrows",
        };
        let options = WriteOptions {
            delimiter: delimiter_for(csv.delimiter, "".as_ref()),
            header: !csv.no_header,
            threads: cores(),
            ..WriteOptions::default()
        };
        Ok((Format::named(name)?.create)(out, schema, &options)?)
    }

    fn format(&self) -> RowFormat {
        let is_terminal = std::io::stdout().is_terminal();
        let default = if is_terminal { RowFormat::Table } else { RowFormat::Json };
        self.format.unwrap_or(default)
    }

    /// Returns the width of a table, in characters; 0 for any.
    fn width(&self) -> usize {
        let of_terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let of_stdout = std::io::stdout().is_terminal().then(of_terminal).flatten();
        self.width.or(of_stdout).unwrap_or(0)
    }
}

/// Returns an object holds one member of a name: columns that have the name of an earlier one get a number.
fn with_unique_names(rows: Rows) -> Result<Rows, CliError> {
    let before = rows.schema();
    let rows = rename_fields(rows, Naming::Unique)?;
    if rows.schema() != before {
        tell("columns with the same name have numbers in JSON: a, a_2");
    }
    Ok(rows)
}
