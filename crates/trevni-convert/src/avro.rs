//! Avro object container files.
//!
//! ```text
//! x.avro ── container ──► groups of blocks ── AvroDecoder, by threads ──► RecordBatch ──► x.trv, in the Avro layout
//!        ◄─────────────                    ◄─ AvroEncoder ─────────────
//! ```
//! Rows are decoded by [`AvroDecoder`]. The libraries are not sufficient: `arrow-avro` 59 accepts only records at
//! the top, fails on arrays of null, cannot read types without bytes, and reports neither row nor byte of an error;
//! `apache-avro` builds a tree of values for every row. Here the rows of a block are decoded to the columns of the
//! Avro layout. The tests compare with `arrow-avro`.
//!
//! The schema of the rows keeps the text of the Avro schema (metadata `avro.schema`), so a Trevni file of them is
//! equal to that of the reference's `totrevni`, except for compression. A given schema is the reader's: fields are
//! matched by name or alias, missing ones have their defaults, numbers are widened. A row that cannot be decoded
//! invalidates the rest of its block, since the next row cannot be found.

mod codec;
mod container;
mod groups;
mod lost_types;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use self::container::{BlockReader, BlockWriter, StoredBlock};
use self::groups::{Decoded, Group, GroupDecoder, Groups};
use super::parallel::{Ordered, ordered};
use super::report::Report;
use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, second_timestamps, select};
use trevni::arrow::{AvroDecoder, AvroEncoder, schema_to_avro};
use trevni::wire::Cursor;
use trevni::{Error, ErrorKind, Result};

pub(super) const FORMAT: Format = Format {
    name: "avro",
    extensions: &["avro"],
    sniff: |head| head.starts_with(container::MAGIC),
    open,
    create,
    holds: None,
    create_at: None,
};

/// Bytes of rows that are decoded together, if the batch is not full before.
const BATCH_BYTES: u64 = 32 << 20;

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    let blocks = BlockReader::try_new(BufReader::with_capacity(1 << 16, source.into_read()))?;
    let blocks = blocks.with_limit(options.limits.block_bytes);
    let limit = blocks.limit();
    let reader = options.schema.as_deref().map(schema_to_avro).transpose()?;
    let (writer, lossy) = (blocks.avro_schema()?.to_owned(), options.lossy);
    let create = move || {
        let decoder = AvroDecoder::try_new(&writer, reader.as_deref())?;
        Ok(decoder.with_lossy(lossy))
    };
    let rows = RowDecoder {
        decoder: create()?,
        block: None,
        limit,
        batch_size: options.batch_size,
        bytes: 0,
        skip_bad: options.skip_bad,
        report: options.report.clone(),
    };
    let groups = GroupDecoder::new(create);
    let schema = rows.decoder.schema();
    let decode = move |group: Result<_>| group.map(|group| groups.decode(group));
    let decoded = ordered(Groups::new(blocks, options.batch_size), options.threads, decode);
    select::select(
        Box::new(AvroReader { schema, decoded, rows, waiting: VecDeque::new(), large: None }),
        options,
    )
}

/// Returns rows: groups that threads decoded, and blocks that are decoded row by row.
struct AvroReader<R> {
    schema: SchemaRef,
    decoded: Ordered<Result<Decoded<R>>>,
    rows: RowDecoder,
    /// The blocks that are next.
    waiting: VecDeque<StoredBlock>,
    /// The reader of the other blocks, after one that is large.
    large: Option<BlockReader<R>>,
}

impl<R: BufRead> AvroReader<R> {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.rows.batch(|| self.waiting.pop_front())? {
                return Ok(Some(batch));
            }
            if let Some(blocks) = &mut self.large {
                match blocks.next()? {
                    Some(block) => self.waiting.push_back(block),
                    None => return Ok(None),
                }
                continue;
            }
            match self.decoded.next().transpose()?.transpose()? {
                Some(Decoded::Rows(batch)) => return Ok(Some(batch)),
                Some(Decoded::Group(Group::Small(blocks))) => self.waiting.extend(blocks),
                Some(Decoded::Group(Group::Large(block, others))) => {
                    self.waiting.push_back(block);
                    self.large = Some(others);
                }
                None => return Ok(None),
            }
        }
    }
}

/// Decodes blocks row by row.
struct RowDecoder {
    decoder: AvroDecoder,
    /// The block at hand without its codec, and how far it is decoded.
    block: Option<(StoredBlock, Vec<u8>, BlockPosition)>,
    /// The most bytes of a block.
    limit: u64,
    batch_size: usize,
    /// Bytes of the rows that are decoded and not yet in a batch.
    bytes: u64,
    skip_bad: u64,
    report: Arc<Report>,
}

/// How far a block is decoded.
#[derive(Debug, Clone, Copy, Default)]
struct BlockPosition {
    row: u64,
    byte: usize,
}

impl RowDecoder {
    /// Returns rows of the block at hand, and of the next ones.
    fn batch(
        &mut self,
        mut next: impl FnMut() -> Option<StoredBlock>,
    ) -> Result<Option<RecordBatch>> {
        while self.decoder.rows() < self.batch_size && self.bytes < BATCH_BYTES {
            let (block, bytes, place) = match self.block.take() {
                Some(at) => at,
                None => {
                    let Some(block) = next() else { break };
                    let mut bytes = Vec::new();
                    block.decompress(self.limit, &mut bytes)?;
                    (block, bytes, BlockPosition::default())
                }
            };
            match self.decode(&block, &bytes, place) {
                Ok(Some(place)) => self.block = Some((block, bytes, place)),
                Ok(None) => {}
                Err((row, e)) => {
                    let e = explained(&block, row, &e);
                    // Bytes after the last row are an error.
                    let rows = (block.rows - row).max(1);
                    self.report.pass_over_all(rows, self.skip_bad, e)?;
                }
            }
        }
        self.bytes = 0;
        if self.decoder.rows() == 0 { Ok(None) } else { self.decoder.flush().map(Some) }
    }

    /// Decodes rows of a block until a batch is full. Returns the position in the block; `None` at its end. An
    /// error has the row number.
    fn decode(
        &mut self,
        block: &StoredBlock,
        bytes: &[u8],
        from: BlockPosition,
    ) -> Result<Option<BlockPosition>, (u64, Error)> {
        let mut rows = Cursor::new(bytes.get(from.byte..).unwrap_or_default());
        for row in from.row..block.rows {
            if self.decoder.rows() >= self.batch_size {
                let byte = bytes.len() - rows.remaining();
                self.bytes += rows.position();
                return Ok(Some(BlockPosition { row, byte }));
            }
            self.decoder.decode(&mut rows).map_err(|e| (row, e))?;
        }
        self.bytes += rows.position();
        match rows.remaining() {
            0 => Ok(None),
            n => Err((block.rows, Error::malformed(format!("{n} bytes after the last row")))),
        }
    }
}

/// Names the row of an error, and the block it is in.
fn explained(block: &StoredBlock, row: u64, e: &Error) -> Error {
    let what = match e.kind() {
        ErrorKind::Malformed(what) => what.clone(),
        ErrorKind::Truncated { what, .. } => format!("the block ends within {what}"),
        other => other.to_string(),
    };
    let (row, number) = (block.first_row + row, block.number);
    let of_row = Error::malformed(format!("row {row}: {what}")).in_block_at(number, block.offset);
    match &e.location().column {
        Some(column) => of_row.in_column(column),
        None => of_row,
    }
}

impl<R: BufRead> Iterator for AvroReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().map_err(ArrowError::from).transpose()
    }
}

impl<R: BufRead> RecordBatchReader for AvroReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    // Avro has no times in seconds: a bare integer would be all that is left of one.
    let stored = second_timestamps::in_milliseconds(&schema);
    if !options.lossy {
        lost_types::check(stored.as_ref().unwrap_or(&schema))?;
    }
    let encoder = AvroEncoder::try_new(stored.as_ref().unwrap_or(&schema))?;
    let codec = options.codec.as_deref().unwrap_or("snappy");
    let blocks = BlockWriter::try_new(to, encoder.avro_schema(), codec)?;
    Ok(Box::new(File { encoder, stored, blocks, bytes: Vec::new(), ends: Vec::new() }))
}

struct File<W> {
    encoder: AvroEncoder,
    /// The schema that batches are cast to, if not their own.
    stored: Option<SchemaRef>,
    blocks: BlockWriter<W>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl<W: Write> Sink for File<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.bytes.clear();
        self.ends.clear();
        let cast = self
            .stored
            .as_ref()
            .map(|schema| second_timestamps::cast(batch, schema))
            .transpose()?;
        self.encoder.encode(cast.as_ref().unwrap_or(batch), &mut self.bytes, &mut self.ends)?;
        self.blocks.write(&self.bytes, &self.ends)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.blocks.finish()
    }
}
