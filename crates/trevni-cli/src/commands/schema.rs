//! `trevni schema`: prints the schema.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow::datatypes::{FieldRef, SchemaRef};
use clap::ValueEnum;
use trevni::arrow::schema_to_avro;
use trevni::keys::AVRO_SCHEMA;
use trevni_convert::Source;

use crate::exit::CliError;
use crate::input::file;
use crate::input::path::PIPE;
use crate::input::remote;
use crate::input::rows::ReadArgs;
use crate::output::table::plain;
use crate::output::type_name::type_and_children;
use crate::stdout;

/// Print the schema of a file, of any format that `convert` reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, or URLs; `-` is standard input. A folder, a pattern such as 'data/*.parquet', or several of these
    /// are one table.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Lines to read; JSON that `--schema` takes back; or an Avro schema.
    #[arg(long, short, value_enum, default_value_t = SchemaFormat::Arrow)]
    format: SchemaFormat,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaFormat {
    Arrow,
    Avro,
    Json,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let schema = args.read.open_all(&args.files)?.rows.schema();
    let mut out = stdout::stdout();
    match args.format {
        SchemaFormat::Arrow => write_fields(schema.fields(), 0, &mut out)?,
        SchemaFormat::Avro => writeln!(out, "{}", avro(&args.files, &schema)?)?,
        SchemaFormat::Json => {
            serde_json::to_writer_pretty(&mut out, schema.as_ref())?;
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

/// Returns a line a field; the fields of nested ones are indented below.
fn write_fields(fields: &[FieldRef], level: usize, out: &mut impl Write) -> std::io::Result<()> {
    for field in fields {
        let null = if field.is_nullable() { "" } else { " not null" };
        let (kind, inner) = type_and_children(field.data_type());
        let name = plain(field.name(), usize::MAX);
        writeln!(out, "{:1$}{name}: {kind}{null}", "", level * 2)?;
        write_fields(&inner, level + 1, out)?;
    }
    Ok(())
}

/// Returns the Avro schema of a Trevni file, or one converted from its Arrow schema.
fn avro(paths: &[PathBuf], schema: &SchemaRef) -> Result<String, CliError> {
    let [path] = paths else {
        return schema_to_avro(schema).map_err(|e| CliError::Data(e.to_string()));
    };
    let said = match is_trevni(path) {
        true => file::header(path)?.metadata.get_str(AVRO_SCHEMA).map(str::to_owned),
        false => None,
    };
    said.map_or_else(|| schema_to_avro(schema).map_err(CliError::of(path.display())), Ok)
}

/// Of standard input, which has been read, only the Arrow schema is left.
fn is_trevni(path: &Path) -> bool {
    let open = || remote::source(path).ok().flatten().or_else(|| Source::open(path).ok());
    let mut source = (path != Path::new(PIPE)).then(open).flatten();
    let head = source.as_mut().and_then(|source| source.head().ok());
    head.is_some_and(|head| head.starts_with(b"Trv"))
}
