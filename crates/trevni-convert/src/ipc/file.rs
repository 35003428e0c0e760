//! Reads Arrow IPC files.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::{Block, Message, root_as_footer, root_as_message};

use super::decoder::Decoder;
use super::{FEATHER_V1, FILE};
use crate::catch_panic::Caught;
use crate::source::planned_read::{PlannedRead, Window};
use crate::{ReadOptions, Rows, Source, refuse_schema, select};
use trevni::io::Limits;
use trevni::{Error, Result};

/// The size of the footer's length and the magic.
const TRAILER: usize = 10;
const MAGIC: &[u8] = b"ARROW1";
/// The marker before the length of a message, since 2019.
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FILE.name, options)?;
    let file = source.into_planned_read()?;
    let rows = Caught::open(Error::malformed, || Batches::try_new(file, &options.limits))?;
    select::select(Box::new(rows), options)
}

/// The batches of a file.
struct Batches {
    file: Arc<dyn PlannedRead>,
    decoder: Decoder,
    blocks: std::vec::IntoIter<Block>,
}

impl Batches {
    fn try_new(file: Arc<dyn PlannedRead>, limits: &Limits) -> Result<Self> {
        let what = || Error::malformed("the file does not end with an Arrow footer");
        let end = file.len()?.checked_sub(TRAILER as u64).ok_or_else(what)?;
        let trailer = file.read_at(end, TRAILER)?;
        let (size, magic) = trailer.split_first_chunk::<4>().ok_or_else(what)?;
        if magic != MAGIC {
            if file.read_at(0, FEATHER_V1.len().min(TRAILER))?.starts_with(FEATHER_V1) {
                let what = "Feather version 1, which pyarrow 26 and older convert";
                return Err(Error::unsupported(what));
            }
            return Err(what());
        }
        let size = usize::try_from(i32::from_le_bytes(*size)).ok();
        let start = size.and_then(|size| Some((end.checked_sub(size as u64)?, size)));
        let (start, size) = start.ok_or_else(what)?;
        let footer = file.read_at(start, size)?;
        let wrong = |what: String| Error::malformed(what).at(start);
        let footer = root_as_footer(&footer).map_err(|e| wrong(format!("the footer: {e}")))?;
        let schema = footer.schema().ok_or_else(|| wrong("a footer without schema".to_owned()))?;
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        let dictionaries: Vec<Block> =
            footer.dictionaries().into_iter().flatten().copied().collect();
        if dictionaries.iter().chain(&blocks).any(|block| !is_within(block, start)) {
            return Err(wrong("a block of the footer is not within the file".to_owned()));
        }
        file.set_plan(windows(dictionaries.iter().chain(&blocks)));
        let decoder = Decoder::try_new(schema, limits)?;
        let mut batches = Self { file, decoder, blocks: blocks.into_iter() };
        for block in &dictionaries {
            batches.read(block)?;
        }
        Ok(batches)
    }

    /// Reads a message. Returns the batch if it is one.
    fn read(&mut self, block: &Block) -> Result<Option<RecordBatch>> {
        let (offset, metadata, body) = parts(block).ok_or_else(|| Error::malformed("a block"))?;
        let size = usize::try_from(metadata + body).map_err(|_| Error::malformed("a block"))?;
        let bytes = Buffer::from(self.file.read_at(offset, size)?);
        let metadata = usize::try_from(metadata).unwrap_or(size);
        let message = bytes
            .get(..metadata)
            .and_then(message)
            .ok_or_else(|| Error::malformed("the metadata of a block is no message").at(offset))?;
        self.decoder.decode(message, &bytes.slice(metadata)).map_err(|e| e.at(offset))
    }
}

/// The bytes of blocks that are fetched together, about.
const WINDOW_BYTES: u64 = 8 << 20;

/// Joins blocks that are read one after another.
fn windows<'a>(blocks: impl Iterator<Item = &'a Block>) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let mut bytes = 0u64;
    for (start, metadata, body) in blocks.filter_map(parts) {
        let size = metadata.saturating_add(body);
        bytes = bytes.saturating_add(size);
        if windows.is_empty() || bytes > WINDOW_BYTES {
            windows.push(Window::new());
            bytes = size;
        }
        if let Some(last) = windows.last_mut() {
            last.push(start..start.saturating_add(size));
        }
    }
    windows
}

/// Returns where a block starts, and how many bytes its metadata and its body have.
fn parts(block: &Block) -> Option<(u64, u64, u64)> {
    let metadata = u64::try_from(block.metaDataLength()).ok()?;
    Some((u64::try_from(block.offset()).ok()?, metadata, u64::try_from(block.bodyLength()).ok()?))
}

fn is_within(block: &Block, end: u64) -> bool {
    let end_of =
        |(start, metadata, body): (u64, u64, u64)| start.checked_add(metadata)?.checked_add(body);
    parts(block).and_then(end_of).is_some_and(|block_end| block_end <= end)
}

/// Returns the message after its length.
fn message(bytes: &[u8]) -> Option<Message<'_>> {
    let bytes = bytes.strip_prefix(&CONTINUATION).unwrap_or(bytes);
    root_as_message(bytes.get(4..)?).ok()
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let block = self.blocks.next()?;
            let batch = self.read(&block).map_err(ArrowError::from).transpose();
            if batch.is_some() {
                return batch;
            }
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.decoder.schema()
    }
}
