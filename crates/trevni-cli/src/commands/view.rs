//! `trevni view`: shows a file in a browser.
//!
//! ```text
//! file ──► Session ──► server on 127.0.0.1, under a secret path ──► browser
//! ```

mod server;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatchReader;
use trevni::Error;
use trevni_viewer::{CountedSource, Reader, RowRange, Session};

use crate::exit::{CliError, tell};
use crate::input::rows::{Opened, ReadArgs};
use crate::output::target::Target;
use crate::stdout;

use server::Server;

/// Show a file in a browser: its schema, the bytes of its columns and blocks, its rows.
///
/// Serves a page on a loopback address until it is interrupted, and opens it. The page reads the blocks that it shows.
/// Its address has a secret; nothing but the file can be reached through it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file of rows, a folder, a pattern such as 'data/*.parquet', or a URL.
    file: PathBuf,
    /// Another one, to compare it with: sizes, types, and the rows that differ.
    other: Option<PathBuf>,
    /// Write a page that needs no server and no file, and serve nothing. It has the first rows, and everything else.
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["no_browser", "port", "other"])]
    export: Option<PathBuf>,
    /// Overwrite an existing page.
    #[arg(long, requires = "export")]
    force: bool,
    /// Print the address of the page, and open nothing.
    #[arg(long)]
    no_browser: bool,
    /// The port of the page. Default: one that is free.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: Args) -> Result<(), CliError> {
    let read = &args.read;
    read.refuse_selection("in the page")?;
    let mut session = session(&args.file, read)?;
    if let Some(page) = &args.export {
        return export(&session, page, args.force);
    }
    session.set_other(args.other.as_deref().map(|other| self::session(other, read)).transpose()?);
    let server = Server::bind(args.port)?;
    let mut out = stdout::stdout();
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    if !args.no_browser && open::that_detached(server.address()).is_err() {
        tell("no browser can be opened: open the address above");
    }
    server.run(session)
}

fn export(session: &Session, page: &Path, force: bool) -> Result<(), CliError> {
    let mut target = Target::create(page, force)?;
    let export = session.export().map_err(CliError::of(session.name()))?;
    target.write_all(export.html.as_bytes())?;
    target.commit(page)?;
    if export.is_cut {
        tell(&format!("{}: the page has the first {} rows only", page.display(), export.rows));
    }
    Ok(())
}

fn session(path: &Path, read: &ReadArgs) -> Result<Session, CliError> {
    if path.is_file() {
        let (name, mut source, format) = read.find(path)?;
        let head = source.head().map_err(CliError::of(&name))?;
        if format.name == "trv" && head.starts_with(b"Trv") {
            let file = File::open(path).map_err(CliError::of(&name))?;
            return Session::try_new(&name, CountedSource::new(file)).map_err(CliError::of(&name));
        }
    }
    let opened = read.open_all(&[path.to_owned()])?;
    let row_count = opened.input_size().rows;
    let Opened { name, format, rows, size, .. } = opened;
    let (schema, path) = (rows.schema(), path.to_owned());
    let mut read = read.clone();
    read.inferred = Some(schema.clone());
    let reader: Reader = Box::new(move |range| open_rows(&path, &read, range));
    let format = format.unwrap_or("several formats");
    let session = Session::from_reader(name, format, size, schema, reader);
    Ok(session.with_row_count(row_count))
}

/// Opens the rows of a range. The file is opened again: not every format can be read from the middle.
fn open_rows(
    path: &Path,
    read: &ReadArgs,
    range: &RowRange,
) -> trevni::Result<Box<dyn RecordBatchReader + Send>> {
    let mut read = read.clone();
    read.columns.clone_from(&range.columns);
    read.predicate.clone_from(&range.predicate);
    match (&range.predicate, range.count) {
        (Some(_), count) => {
            read.offset = range.start;
            read.limit = count;
        }
        (None, Some(count)) => read.rows = Some(range.start..range.start.saturating_add(count)),
        (None, None) => {}
    }
    let opened = read.open_all(&[path.to_owned()]);
    Ok(opened.map_err(|e| Error::invalid(e.text()))?.rows)
}
