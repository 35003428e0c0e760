//! `trevni meta`: the metadata, as the JSON of the reference's `trevni_meta`.
//!
//! ```text
//! {"rowCount":3,"columnCount":1,"metadata":{},"columns":[{"trevni.name":"a","trevni.type":"int"}]}
//! ```
//! Values are bytes; like the reference, each byte is printed as the character of that number (ISO 8859-1).

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use trevni::trevni::Metadata;

use crate::fault::Fault;
use crate::{input, output};

/// Print the metadata of the file and of its columns as JSON.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Trevni file, or the URL of one; `-` is standard input.
    file: PathBuf,
    /// On many lines, indented.
    #[arg(long, short)]
    pretty: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Fault> {
    let header = input::header(&args.file)?;
    let columns: Vec<Value> = header.columns.iter().map(|c| object(c.metadata())).collect();
    let all = json!({
        "rowCount": header.rows,
        "columnCount": columns.len(),
        "metadata": object(&header.metadata),
        "columns": columns,
    });
    output::print_json(&all, args.pretty)
}

fn object(metadata: &Metadata) -> Value {
    let latin1 = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
    let pairs = metadata.iter().map(|(key, value)| (key.to_owned(), Value::from(latin1(value))));
    Value::Object(pairs.collect::<Map<_, _>>())
}
