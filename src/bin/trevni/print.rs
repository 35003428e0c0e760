//! How rows are printed: as a table on a terminal, as JSON lines to pipes and files, or as `--format` says.

use std::io::IsTerminal;

use arrow::datatypes::SchemaRef;
use clap::ValueEnum;
use trevni::convert::{Format, Sink, WriteOptions};

use crate::csv_args::{CsvArgs, delimiter_for};
use crate::fault::Fault;
use crate::output;
use crate::row_table::{BorderedTable, MarkdownTable};
use crate::rows::{Opened, batch_fault, tell_report};

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
    pub(crate) fn print(&self, opened: Opened, csv: &CsvArgs) -> Result<(), Fault> {
        let of_file = || Fault::of(opened.name.clone());
        let mut out = output::stdout();
        let mut sink = self.sink(&mut out, opened.rows.schema(), csv)?;
        for batch in opened.rows {
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
    ) -> Result<Box<dyn Sink + 'a>, Fault> {
        let terminal = std::io::stdout().is_terminal();
        let default = if terminal { RowFormat::Table } else { RowFormat::Json };
        let name = match self.format.unwrap_or(default) {
            RowFormat::Table => return Ok(Box::new(BorderedTable::new(out, schema, self.width()))),
            RowFormat::Markdown => return Ok(Box::new(MarkdownTable::try_new(out, &schema)?)),
            RowFormat::Json => "jsonl",
            RowFormat::Csv => "csv",
            RowFormat::Arrow if terminal => {
                let text = "the format arrow is not text: send it to a file or a pipe";
                return Err(Fault::Usage(text.into()));
            }
            RowFormat::Arrow => "arrows",
        };
        let options = WriteOptions {
            delimiter: delimiter_for(csv.delimiter, "".as_ref()),
            header: !csv.no_header,
            ..WriteOptions::default()
        };
        Ok((Format::named(name)?.create)(out, schema, &options)?)
    }

    /// The width of a table, in characters; 0 for any.
    fn width(&self) -> usize {
        let of_terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let of_stdout = std::io::stdout().is_terminal().then(of_terminal).flatten();
        self.width.or(of_stdout).unwrap_or(0)
    }
}
