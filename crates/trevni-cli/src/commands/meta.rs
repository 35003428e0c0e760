//! `trevni meta`: prints the metadata, as the reference's `trevni_meta` does.
//!
//! ```text
//! {"rowCount":3,"columnCount":1,"metadata":{},"columns":[{"trevni.name":"a","trevni.type":"int"}]}
//! ```
//! Values are bytes; like the reference, each byte is printed as the character of that number (ISO 8859-1).

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use trevni::{Header, Metadata};

use crate::exit::CliError;
use crate::input::file;
use crate::input::trevni_files::files_of;
use crate::stdout;

/// Print the metadata of the file and of its columns as JSON.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, a data set, a folder, a pattern such as 'data/*.trv', or a URL; `-` is standard input.
    file: PathBuf,
    /// On many lines, indented.
    #[arg(long, short)]
    pretty: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let Some(files) = files_of(&args.file)? else {
        return stdout::print_json(&meta(&file::header(&args.file)?), args.pretty);
    };
    let (mut rows, mut all) = (0u64, Vec::new());
    for file in files {
        let header = file::header(&file.path)?;
        rows = rows.saturating_add(header.rows);
        let mut one = meta(&header);
        if let Some(one) = one.as_object_mut() {
            one.insert("path".into(), file.path.display().to_string().into());
        }
        all.push(one);
    }
    let all = json!({"rowCount": rows, "fileCount": all.len(), "files": all});
    stdout::print_json(&all, args.pretty)
}

fn meta(header: &Header) -> Value {
    let columns: Vec<Value> = header.columns.iter().map(|c| object(c.metadata())).collect();
    json!({
        "rowCount": header.rows,
        "columnCount": columns.len(),
        "metadata": object(&header.metadata),
        "columns": columns,
    })
}

fn object(metadata: &Metadata) -> Value {
    let latin1 = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
    let pairs = metadata.iter().map(|(key, value)| (key.to_owned(), Value::from(latin1(value))));
    Value::Object(pairs.collect::<Map<_, _>>())
}
