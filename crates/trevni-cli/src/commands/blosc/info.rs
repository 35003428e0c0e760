//! `trevni blosc info`: describes a container.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use trevni_blosc::chunk::{Content, Header};
use trevni_blosc::{ChunkedArray, ContainerKind, Contents, Filter};

use crate::exit::CliError;
use crate::input::path::bytes_at;
use crate::stdout;

/// Print the structure of a container of the Blosc family.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Bloscpack file, a frame, or a directory of bcolz or Blosc2.
    file: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let of_file = || CliError::of(args.file.display());
    let contents = trevni_blosc::open(&args.file).map_err(of_file())?;
    // A Bloscpack file does not say at which level it was compressed.
    let has_level = !matches!(contents.kind, ContainerKind::Bloscpack);
    let arrays = contents.arrays.iter().map(|(name, array)| about(name, array, has_level));
    let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(of_file())?;
    let said = json!({
        "container": contents.kind.name(),
        "bytes": bytes_at(&args.file)?,
        "arrays": arrays,
        "attributes": contents.attributes,
    });
    if args.json {
        return stdout::print_json(&said, false);
    }
    print(&contents, &said)
}

fn about(name: &str, array: &ChunkedArray, has_level: bool) -> trevni::Result<Json> {
    let layout = array.layout();
    let params = array.container().params();
    let first = match layout.chunks {
        0 => Json::Null,
        _ => header(&Header::parse(&array.container().chunk(0)?)?),
    };
    let filters: Vec<_> = params.filters.iter().filter_map(filter).collect();
    Ok(json!({
        "name": name,
        "dtype": layout.dtype.name(),
        "shape": layout.shape,
        "chunks": layout.chunks,
        "chunkShape": array.chunk_shape(),
        "codec": params.compressor.name(),
        "level": has_level.then_some(params.level),
        "filters": filters,
        "typesize": params.typesize,
        "firstChunk": first,
    }))
}

fn filter(filter: &Filter) -> Option<&'static str> {
    match filter {
        Filter::None => None,
        Filter::Shuffle { .. } => Some("shuffle"),
        Filter::BitShuffle => Some("bitshuffle"),
        Filter::Delta => Some("delta"),
        Filter::TruncPrec { .. } => Some("trunc_prec"),
    }
}

/// Returns the header of a chunk as JSON.
pub(crate) fn header(header: &Header) -> Json {
    let filters = header.filters().unwrap_or_default();
    let filters: Vec<_> = filters.iter().filter_map(filter).collect();
    json!({
        "version": header.version,
        "nbytes": header.nbytes,
        "cbytes": header.cbytes,
        "blocksize": header.block_size,
        "typesize": header.typesize,
        "codec": header.compressor().map(|c| c.name()).ok(),
        "filters": filters,
        "content": content(header.content),
    })
}

/// Returns how a chunk holds its bytes.
pub(crate) fn content(content: Content) -> String {
    format!("{content:?}").to_lowercase()
}

fn print(contents: &Contents, said: &Json) -> Result<(), CliError> {
    let mut out = stdout::stdout();
    writeln!(out, "{}, {} bytes", contents.kind.name(), said["bytes"])?;
    for array in said["arrays"].as_array().into_iter().flatten() {
        writeln!(out, "\n{}", array["name"].as_str().unwrap_or_default())?;
        for (key, value) in
            array.as_object().into_iter().flatten().filter(|(key, _)| *key != "name")
        {
            match value {
                Json::Object(parts) => {
                    writeln!(out, "  {key}")?;
                    for (key, value) in parts {
                        writeln!(out, "    {key}: {value}")?;
                    }
                }
                value => writeln!(out, "  {key}: {value}")?,
            }
        }
    }
    if !contents.attributes.is_empty() {
        writeln!(out, "\nattributes")?;
        for (key, value) in &contents.attributes {
            writeln!(out, "  {key}: {value}")?;
        }
    }
    Ok(out.flush()?)
}
