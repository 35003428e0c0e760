//! Arguments for writing files, and the check that the output format supports them.

use trevni::arrow::{Layout, WriterProperties, WriterPropertiesBuilder};
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::{FileWriterBuilder, Metadata};
use trevni_convert::Format;

use crate::cores::cores;
use crate::exit::CliError;

/// How a file is written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Writing trv, avro, parquet and Blosc containers")]
pub(crate) struct WriteArgs {
    /// The codec: for trv snappy (the default), null, deflate, bzip2, zstd, lz4, pack, pack+zstd; --help lists those of
    /// other formats.
    ///
    /// trv: null, deflate, snappy, bzip2, or `none` to name none, which is null. zstd, lz4, pack and pack+zstd are not
    /// known to other readers of the format. avro: null, deflate, snappy, bzip2, xz, zstandard. parquet: null, snappy,
    /// lz4, gzip, zstd, brotli. Default: snappy. Blosc containers: blosclz, lz4, lz4hc, zlib, zstd; default: lz4.
    #[arg(long, value_name = "NAME")]
    pub(crate) codec: Option<String>,
    /// Level of the codec.
    #[arg(long, allow_negative_numbers = true)]
    level: Option<i32>,
    /// crc32 or null; or crc32-stored, which is the default under pack and which other readers do not know.
    #[arg(long, value_parser = Checksum::from_name)]
    pub(crate) checksum: Option<Checksum>,
    /// Bytes of a block before the codec; k, M and G are understood. Default: 64k; under pack 1M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    block_size: Option<usize>,
    /// Rows of a block under pack. Default: 32768.
    #[arg(long, value_name = "ROWS")]
    block_rows: Option<usize>,
    /// Under pack, compress strings with FSST if that is below this percentage of their size: 0 is fastest to write
    /// and read, 100 is smallest. Default: 68.
    #[arg(long, value_name = "HUNDREDTHS", value_parser = clap::value_parser!(u8).range(0..=100))]
    fsst_threshold: Option<u8>,
    /// split, or avro: the columns of the reference's Avro tools. Default: split; of what comes from avro, avro.
    #[arg(long, value_parser = layout)]
    pub(crate) layout: Option<Layout>,
    /// Keep this many bytes in memory before writing to a temporary file; k, M and G are understood. Default: 256M.
    #[arg(long, value_parser = size, value_name = "BYTES")]
    memory_budget: Option<usize>,
    /// Of Blosc containers: none, byte or bit. Default: byte.
    #[cfg(feature = "blosc")]
    #[arg(long, value_name = "NAME")]
    shuffle: Option<String>,
    /// Of Blosc containers the rows of a chunk. Default: as many as fit 1 MiB.
    #[cfg(feature = "blosc")]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    chunk_rows: Option<u64>,
    /// Threads that encode and compress; the file is the same with any number. Default: one for each core.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write columns as their types declare, whatever their first blocks suggest: every one with the codec, all
    /// integers as varints.
    #[arg(long)]
    no_sampling: bool,
    /// Keep no statistics of the blocks of trv, by which --where leaves out those without rows that match.
    #[arg(long)]
    no_statistics: bool,
}

impl WriteArgs {
    /// Refuses options that the format has no use for.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        let name = format.name;
        if is_blosc(name) {
            return match self.is_set() {
                true => Err(CliError::Usage(format!("options for trv, but the output is {name}"))),
                false => Ok(()),
            };
        }
        if self.is_set_for_blosc() {
            return Err(CliError::Usage(format!("options for Blosc, but the output is {name}")));
        }
        let trv = matches!(name, "trv" | "dataset");
        if !trv && (self.is_set() || self.level.is_some() || self.threads.is_some()) {
            return Err(CliError::Usage(format!("options for trv, but the output is {name}")));
        }
        if !trv && !matches!(name, "avro" | "parquet") && self.codec.is_some() {
            return Err(CliError::Usage(format!("a codec, but the output is {name}")));
        }
        Ok(())
    }

    /// Returns whether an option is set that only Trevni files have.
    fn is_set(&self) -> bool {
        let Self {
            codec: _,
            level: _,
            checksum,
            block_size,
            block_rows,
            fsst_threshold,
            layout,
            memory_budget,
            threads: _,
            no_sampling,
            no_statistics,
            ..
        } = self;
        *no_sampling
            || *no_statistics
            || checksum.is_some()
            || block_size.is_some()
            || block_rows.is_some()
            || fsst_threshold.is_some()
            || layout.is_some()
            || memory_budget.is_some()
    }

    #[cfg(feature = "blosc")]
    fn is_set_for_blosc(&self) -> bool {
        self.shuffle.is_some() || self.chunk_rows.is_some()
    }

    #[cfg(not(feature = "blosc"))]
    fn is_set_for_blosc(&self) -> bool {
        false
    }

    /// Returns how Blosc containers are written.
    #[cfg(feature = "blosc")]
    pub(crate) fn blosc(&self) -> Result<trevni_convert::BloscOptions, CliError> {
        let level = self.level.map(u8::try_from).transpose();
        Ok(trevni_convert::BloscOptions {
            level: level.map_err(|_| CliError::Usage("the levels of Blosc are 0 to 9".into()))?,
            shuffle: self.shuffle.clone(),
            chunk_rows: self.chunk_rows,
            threads: Some(self.threads()),
        })
    }

    /// Threads that write.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }

    /// Returns the properties of a Trevni file.
    pub(crate) fn properties(
        &self,
        format: &Format,
        builder: WriterPropertiesBuilder,
    ) -> Result<WriterProperties, CliError> {
        let mut builder = builder
            .set_codec_level(self.level)
            .set_sampling(!self.no_sampling)
            .set_parallelism(self.threads());
        if self.no_statistics {
            builder = builder.set_statistics_enabled(false);
        }
        match self.codec.as_deref().filter(|_| matches!(format.name, "trv" | "dataset")) {
            Some("none") => builder = builder.unset_codec(),
            Some(name) => builder = builder.set_codec(codec(name).map_err(CliError::Usage)?),
            None => {}
        }
        if let Some(checksum) = self.checksum {
            builder = builder.set_checksum(checksum);
        }
        if let Some(bytes) = self.block_size {
            builder = builder.set_block_size(bytes);
        }
        if let Some(rows) = self.block_rows {
            builder = builder.set_block_rows(rows);
        }
        if let Some(hundredths) = self.fsst_threshold {
            builder = builder.set_fsst_threshold(hundredths);
        }
        if let Some(layout) = self.layout {
            builder = builder.set_layout(layout);
        }
        if let Some(bytes) = self.memory_budget {
            builder = builder.set_memory_budget(bytes);
        }
        Ok(builder.build())
    }

    /// Returns the writer of columns of a file with this metadata, with the options applied.
    pub(crate) fn file_writer(&self, metadata: Metadata) -> Result<FileWriterBuilder, CliError> {
        let properties = self.properties(Format::named("trv")?, WriterProperties::builder())?;
        let mut builder = properties.file_writer().set_sampling(false).set_metadata(metadata);
        if self.codec.as_deref().is_some_and(|name| name != "none") {
            builder = builder.set_codec(properties.codec());
        }
        if let Some(checksum) = self.checksum {
            builder = builder.set_checksum(checksum);
        }
        Ok(builder)
    }
}

/// Returns whether a format is a container of the Blosc family.
fn is_blosc(name: &str) -> bool {
    matches!(name, "bloscpack" | "bcolz" | "superchunk" | "b2nd" | "b2frame" | "sparse")
}

fn codec(name: &str) -> Result<Codec, String> {
    let codec = Codec::from_name(name).map_err(|e| e.to_string())?;
    if codec.is_available() {
        return Ok(codec);
    }
    Err(format!("this build lacks the feature {name}"))
}

fn layout(name: &str) -> Result<Layout, String> {
    Layout::from_name(name).ok_or_else(|| "split or avro".into())
}

/// Parses a number of bytes with an optional suffix k, M or G.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 20),
            None => text.strip_suffix('G').map_or((text, 0), |digits| (digits, 30)),
        },
    };
    let n: usize = digits.parse().map_err(|e| format!("{e}"))?;
    n.checked_mul(1 << shift).filter(|n| *n > 0).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_letters() {
        assert_eq!(size("12"), Ok(12));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("2M"), Ok(2 << 20));
        assert!(size("0").is_err() && size("k").is_err() && size("99999999999999999999").is_err());
    }
}
