//! Configures a writer of column data.

use std::path::PathBuf;

use std::io::Write;

use super::FileWriter;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::defaults::MEMORY_BUDGET;
use crate::error::{Error, Result};
use crate::format::column_metadata::ColumnMetadata;
use crate::format::column_tree::ColumnTree;
use crate::format::header::{Header, Version};
use crate::format::metadata::Metadata;
use crate::io::Spool;
use crate::parallelism::threads;
use crate::write::block_compressor::{IdleCompressors, SealQueue};
use crate::write::column_writer::{BlockSettings, ColumnWriter};
use crate::write::encoding_choice::EncodingSampling;

/// What a [`FileWriter`] is to do.
#[derive(Debug, Clone)]
pub struct FileWriterBuilder {
    header: Header,
    blocks: BlockSettings,
    memory_budget: usize,
    temporary_folder: Option<PathBuf>,
    sampling: bool,
    /// Columns whose value type is not changed.
    typed: Vec<usize>,
    parallelism: usize,
    /// Whether no checksum was set.
    default_checksum: bool,
}

impl Default for FileWriterBuilder {
    fn default() -> Self {
        let (metadata, columns, starts) = (Metadata::new(), Vec::new(), Vec::new());
        let header = Header { version: Version::V2, rows: 0, metadata, columns, starts };
        Self {
            header,
            blocks: BlockSettings::default(),
            memory_budget: MEMORY_BUDGET,
            temporary_folder: None,
            sampling: false,
            typed: Vec::new(),
            parallelism: 1,
            default_checksum: true,
        }
    }
}

impl FileWriterBuilder {
    /// Sets the codec of all columns that have none of their own. Default: none is named, which is `null`.
    pub fn set_codec(mut self, codec: Codec) -> Self {
        self.header.set_codec(codec);
        self
    }

    /// Sets the checksum of all columns that have none of their own. Default: crc32. `null` is not named in the
    /// file.
    pub fn set_checksum(mut self, checksum: Checksum) -> Self {
        self.header.set_checksum(checksum);
        self.default_checksum = false;
        self
    }

    /// Sets all metadata of the file at once, as another file has it; a codec and checksum are those it names,
    /// or none.
    pub fn set_metadata(mut self, metadata: Metadata) -> Self {
        self.header.metadata = metadata;
        self.default_checksum = false;
        self
    }

    /// Sets the version. Default: 2. In version 1 array lengths have no runs.
    pub fn set_version(mut self, version: Version) -> Self {
        self.header.version = version;
        self
    }

    /// Sets the bytes before compression at which a block ends with the row that reaches them. Default: 65,536;
    /// of the value codec 1 MiB.
    pub fn set_block_size(mut self, bytes: usize) -> Self {
        self.blocks.bytes = Some(bytes);
        self
    }

    /// Sets the rows at which a block of the value codec ends. Default: 32,768.
    pub fn set_block_rows(mut self, rows: usize) -> Self {
        self.blocks.rows = rows;
        self
    }

    /// Sets what strings under the value codec must take less as symbols, in hundredths of what they take by
    /// themselves: 0 never replaces them, which is written and read fastest; 100 does so wherever it saves a byte,
    /// and cuts doubles in two where that is smaller. Default: 68.
    pub fn set_fsst_threshold(mut self, hundredths: u8) -> Self {
        self.blocks.fsst_threshold = hundredths;
        self
    }

    /// Sets the size of the compressed blocks held in memory, in bytes; more go to a temporary file. Default: 256
    /// MiB.
    pub fn set_memory_budget(mut self, bytes: usize) -> Self {
        self.memory_budget = bytes;
        self
    }

    /// Sets the folder of that temporary file. Default: [`std::env::temp_dir`].
    pub fn set_temporary_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.temporary_folder = Some(folder.into());
        self
    }

    /// Sets the level of codecs that have one; `None` is each codec's own default.
    pub fn set_codec_level(mut self, level: Option<i32>) -> Self {
        self.blocks.level = level;
        self
    }

    /// Sets whether the first blocks of each column choose its encoding: without a codec where that costs a reader
    /// more than it saves, unless the column has a codec of its own, and `int` and `long` as `fixed32` and
    /// `fixed64` where varints cost more. The first blocks keep their rows, and so may be a little larger than
    /// others. Default: false, columns are written as they are declared.
    pub fn set_sampling(mut self, sampling: bool) -> Self {
        self.sampling = sampling;
        self
    }

    /// Columns whose value type is as declared even so.
    pub fn set_typed_columns(mut self, columns: Vec<usize>) -> Self {
        self.typed = columns;
        self
    }

    /// Sets the number of threads that compress blocks and, from four on, encode columns in parallel. The bytes of
    /// the file are the same. Default: 1, the caller's. Threads live as long as the writer; the number of pending
    /// blocks is bounded.
    pub fn set_parallelism(mut self, threads: usize) -> Self {
        self.parallelism = threads;
        self
    }

    /// Starts a file of these columns. Nothing is written to `to` before [`FileWriter::finish`].
    ///
    /// # Errors
    /// If a setting is out of its range, or the columns do not form a tree.
    pub fn build<W: Write>(self, to: W, columns: Vec<ColumnMetadata>) -> Result<FileWriter<W>> {
        self.check_settings()?;
        let (mut header, mut columns) = (self.header, columns);
        if self.default_checksum {
            set_default_checksums(&mut header, &mut columns)?;
        }
        if header.version == Version::V0 {
            return Err(Error::unsupported("version 0 is not written"));
        }
        let tree = ColumnTree::new(&columns)?;
        header.columns = columns;
        let idle = IdleCompressors::default();
        let writer = |i: usize| {
            let column = header.columns.get(i);
            let own_codec = column.is_some_and(|column| !matches!(column.codec(), Ok(None)));
            let sampling = EncodingSampling {
                codec: self.sampling && !own_codec,
                value_type: self.sampling && !self.typed.contains(&i),
            };
            ColumnWriter::new(&header, i, &self.blocks, sampling, &idle)
        };
        let writers = (0..header.columns.len()).map(writer).collect::<Result<Vec<_>>>()?;
        header.columns = writers.iter().map(|writer| writer.column().clone()).collect();
        let spool = Spool::new(writers.len(), self.memory_budget);
        let spool = spool.with_folder(self.temporary_folder);
        let pool = threads::pool(self.parallelism)?;
        let queue = SealQueue::new(pool.clone());
        Ok(FileWriter { to, header, tree, writers, pool, queue, spool, broken: false })
    }
}

impl FileWriterBuilder {
    /// Fails if a setting is out of its range.
    fn check_settings(&self) -> Result<()> {
        let settings = [
            ("a block size of 0 bytes", self.blocks.bytes == Some(0)),
            ("blocks of 0 rows", self.blocks.rows == 0),
            ("an FSST threshold above 100", self.blocks.fsst_threshold > 100),
            ("a parallelism of 0 threads", self.parallelism == 0),
        ];
        match settings.iter().find(|(_, is_wrong)| *is_wrong) {
            Some((setting, _)) => Err(Error::invalid(*setting)),
            None => Ok(()),
        }
    }
}

/// Sets the checksum of the file to that of most columns, and of other columns to their own: blocks of a value
/// codec have a checksum of their stored bytes.
fn set_default_checksums(header: &mut Header, columns: &mut [ColumnMetadata]) -> Result<()> {
    let checksum = |codec: Codec| match codec.is_value_codec() {
        true => Checksum::StoredCrc32,
        false => Checksum::Crc32,
    };
    let of_file = checksum(header.metadata.codec()?.unwrap_or(Codec::Null));
    header.set_checksum(of_file);
    for column in columns {
        let own = column.codec()?.map(checksum).filter(|own| *own != of_file);
        if let (Some(own), None) = (own, column.checksum()?) {
            *column = column.clone().with_checksum(own);
        }
    }
    Ok(())
}
