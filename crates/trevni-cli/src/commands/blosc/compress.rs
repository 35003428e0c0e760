//! `trevni blosc compress`: compresses bytes to a Bloscpack file.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;
use trevni_blosc::bloscpack::{BloscpackBuilder, BloscpackProperties, Digest};
use trevni_blosc::{ArrayWriter, Attributes, Chunking, Dtype, DtypeKind, Layout};

use super::{ChunkArgs, HowArgs, metadata, with_extension};
use crate::exit::{CliError, tell};
use crate::input::path::bytes_at;
use crate::output::table::ratio;
use crate::output::target::exists;

/// Compress a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to be compressed.
    in_file: PathBuf,
    /// The output. Default: the name of the input with .blp appended.
    out_file: Option<PathBuf>,
    /// The size of a chunk, with an optional suffix B, K, M or G; or max.
    #[arg(short = 'z', long, value_name = "SIZE", default_value = "1M", value_parser = chunk_size)]
    chunk_size: u64,
    /// None, adler32, crc32, md5, sha1, sha224, sha256, sha384 or sha512.
    #[arg(short = 'k', long, value_name = "NAME", default_value = "adler32", value_parser = digest)]
    checksum: Digest,
    /// Without a table of offsets.
    #[arg(short = 'o', long)]
    no_offsets: bool,
    /// A file of JSON that becomes the metadata.
    #[arg(short, long, value_name = "FILE")]
    metadata: Option<PathBuf>,
    #[command(flatten)]
    chunks: ChunkArgs,
    #[command(flatten)]
    how: HowArgs,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 22;

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let out = args.out_file.clone().unwrap_or_else(|| with_extension(&args.in_file));
    if !args.how.force && out.symlink_metadata().is_ok() {
        return Err(exists(&out));
    }
    let attributes = match &args.metadata {
        Some(path) => match metadata(path)? {
            Value::Object(attributes) => attributes,
            other => Attributes::from_iter([("metadata".to_owned(), other)]),
        },
        None => Attributes::new(),
    };
    let input = File::open(&args.in_file).map_err(CliError::of(args.in_file.display()))?;
    let before = input.metadata()?.len();
    let mut writer = writer(args, &out).map_err(CliError::of(out.display()))?;
    let bar = indicatif::ProgressBar::new(before);
    let mut input = input.take(u64::MAX);
    let mut piece = vec![0; PIECE];
    loop {
        let read = input.read(&mut piece).map_err(CliError::of(args.in_file.display()))?;
        if read == 0 {
            break;
        }
        writer.write(piece.get(..read).unwrap_or_default()).map_err(CliError::of(out.display()))?;
        bar.inc(read as u64);
    }
    writer.finish(&attributes).map_err(CliError::of(out.display()))?;
    bar.finish_and_clear();
    let after = bytes_at(&out)?;
    tell(&format!("{before} -> {after} bytes, ratio {}", ratio(before, after)));
    Ok(())
}

fn writer(args: &Args, out: &std::path::Path) -> trevni::Result<ArrayWriter> {
    let params = args.chunks.params();
    let properties = BloscpackProperties {
        checksum: args.checksum,
        offsets: !args.no_offsets,
        ..BloscpackProperties::default()
    };
    // Chunks have complete elements, as far as possible.
    let typesize = u64::from(args.chunks.typesize);
    let chunk_bytes = (args.chunk_size / typesize * typesize).max(1);
    let layout =
        Layout::of_rows(Dtype::new(DtypeKind::UInt, 1), &[], Chunking::Flat { chunk_bytes });
    let build = BloscpackBuilder::create(out, args.how.force, None, &params, properties)?;
    let writer = ArrayWriter::try_new(Box::new(build), &params, &layout)?;
    Ok(writer.with_parallelism(args.how.threads()))
}

fn digest(name: &str) -> Result<Digest, String> {
    Digest::from_name(name).map_err(|e| e.to_string())
}

/// The maximum uncompressed size of a chunk.
const MAX: u64 = 0x7fff_ffff - 16;

fn chunk_size(text: &str) -> Result<u64, String> {
    if text == "max" {
        return Ok(MAX);
    }
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'B')) => (text.get(..at), 0),
        Some((at, 'K')) => (text.get(..at), 10),
        Some((at, 'M')) => (text.get(..at), 20),
        Some((at, 'G')) => (text.get(..at), 30),
        _ => (Some(text), 0),
    };
    let number: f64 = digits.unwrap_or_default().parse().map_err(|e| format!("{e}"))?;
    let bytes = number * f64::from(1u32 << shift);
    if !(1.0..=MAX as f64).contains(&bytes) {
        return Err(format!("a chunk has 1 to {MAX} bytes"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_blpk_takes_them() {
        assert_eq!(chunk_size("1M"), Ok(1 << 20));
        assert_eq!(chunk_size("1.5K"), Ok(1536));
        assert_eq!(chunk_size("100"), Ok(100));
        assert_eq!(chunk_size("7B"), Ok(7));
        assert_eq!(chunk_size("max"), Ok(MAX));
        for bad in ["", "0", "-1", "3G", "M", "1X", "NaN"] {
            assert!(chunk_size(bad).is_err(), "{bad}");
        }
    }
}
