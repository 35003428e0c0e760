//! Concatenates files: copies blocks where the settings agree, and rewrites rows otherwise.
//!
//! ```text
//! a.trv  header │ column 0: 2 blocks │ column 1: 1 block             out  header │ column 0: 2 + 1 blocks │ column 1: 1 + 1
//! b.trv  header │ column 0: 1 block  │ column 1: 1 block
//! ```
//! Blocks are independent, so where the columns and their settings agree nothing is decoded. Nothing is verified
//! either: a faulty block is copied. Checksums of 0, which the reference leaves where the codec is `null`, are computed.
//! Statistics are kept. First values are kept only if it is known that the values ascend over all files.

use std::io::Write;
use std::ops::Range;

use super::file_summary::{ColumnSummary, FileSummary};
use super::file_writer::FileWriter;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::format::block::{self, BlockDescriptor};
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::header::Header;
use crate::io::ReadAt;
use crate::keys::{BLOOM, SORTING, STATISTICS};
use crate::read::file_reader::FileReader;
use crate::stats::block_statistics::Statistics;
use crate::stats::bloom_filter::BloomFilters;
use crate::stats::sort_order::Order;
use crate::wire;

/// Bytes that are copied at a time.
const PIECE: u64 = 1 << 20;

/// About how many bytes of values are decoded at a time.
const BATCH_BYTES: u64 = 4 << 20;
const MOST_ROWS: u64 = 16_384;

/// Why files cannot be one file by copying their blocks: where their columns or settings differ. `None` if they can.
pub fn schema_difference<R: ReadAt>(files: &[FileReader<R>]) -> Result<Option<String>> {
    let Some((first, others)) = files.split_first() else {
        return Err(Error::invalid("no files to put together"));
    };
    for other in others {
        let (ours, theirs) = (first.header(), other.header());
        if ours.columns.len() != theirs.columns.len() {
            let (a, b) = (ours.columns.len(), theirs.columns.len());
            return Ok(Some(format!("{a} columns | {b}")));
        }
        for (i, (a, b)) in ours.columns.iter().zip(&theirs.columns).enumerate() {
            let settings = |header: &Header| -> Result<_> {
                Ok((header.codec(i)?.name(), header.checksum(i)?.name()))
            };
            let (a_settings, b_settings) = (settings(ours)?, settings(theirs)?);
            if !are_alike(a, b) {
                return Ok(Some(format!("column {:?} is another column", a.name())));
            }
            if a_settings != b_settings {
                let [(c, k), (d, l)] = [a_settings, b_settings];
                let name = a.name();
                return Ok(Some(format!("column {name:?}: codec {c}, checksum {k} | {d}, {l}")));
            }
        }
    }
    Ok(None)
}

/// Returns whether two columns have the same type and parent.
fn are_alike(a: &ColumnMetadata, b: &ColumnMetadata) -> bool {
    let kind = |c: &ColumnMetadata| (c.value_type(), c.is_array(), c.is_indexed());
    a.name() == b.name() && a.parent() == b.parent() && kind(a) == kind(b)
}

/// Concatenates files by copying their blocks. Their columns must not [differ](schema_difference). The metadata is
/// that of the first file, without sorting columns.
pub fn concat<R: ReadAt, W: Write>(files: &[FileReader<R>], mut to: W) -> Result<FileSummary> {
    if let Some(what) = schema_difference(files)? {
        return Err(Error::invalid(format!("files that differ cannot be one: {what}")));
    }
    let Some(first) = files.first() else { return Err(Error::invalid("no files")) };
    let mut header = first.header().clone();
    header.rows = 0;
    for file in files {
        header.version = header.version.max(file.header().version);
        let rows = header.rows.checked_add(file.rows());
        header.rows = rows.ok_or_else(|| Error::invalid("more rows than 64 bits count"))?;
    }
    if files.len() > 1 {
        header.metadata.remove(SORTING);
        for (i, column) in header.columns.iter_mut().enumerate() {
            *column = joined(files, i, column.clone())?;
        }
    }
    let mut out = Vec::new();
    header.write(&mut out)?;
    let (mut at, mut parts) = (out.len() as u64, Vec::with_capacity(header.columns.len()));
    for (i, start) in header.starts.iter_mut().enumerate() {
        let column = header.columns.get(i).ok_or_else(|| Error::invalid("no such column"))?;
        let part = ConcatPart::of(files, i, column)?;
        *start = at;
        at += 4 + part.descriptors.len() as u64 + part.stored;
        parts.push(part);
    }
    out.clear();
    header.write(&mut out)?;
    to.write_all(&out)?;
    for (i, part) in parts.iter().enumerate() {
        out.clear();
        wire::put_fixed32(&mut out, block::block_size(part.blocks)?);
        to.write_all(&out)?;
        to.write_all(&part.descriptors)?;
        files.iter().try_for_each(|file| copy_blocks(file, i, &mut to))?;
    }
    to.flush()?;
    let columns = parts.into_iter().map(|part| part.summary).collect();
    Ok(FileSummary { rows: header.rows, bytes: at, columns })
}

/// Returns the metadata of a column of all files.
fn joined<R: ReadAt>(
    files: &[FileReader<R>],
    i: usize,
    mut column: ColumnMetadata,
) -> Result<ColumnMetadata> {
    let statistics = files.iter().map(|file| file.statistics(i)).collect::<Result<Option<_>>>()?;
    let statistics = statistics.and_then(Statistics::concat);
    let ascends = |s: &Statistics| s.order == Order::Natural && s.ascends();
    if !statistics.as_ref().is_some_and(ascends) {
        column = column.not_indexed();
    }
    match &statistics {
        Some(statistics) => column.put(STATISTICS, statistics.write(column.value_type())),
        None => column.remove(STATISTICS),
    }
    let filters = files.iter().map(|file| file.bloom_filters(i)).collect::<Result<Option<_>>>()?;
    match filters.and_then(BloomFilters::concat) {
        Some(filters) => {
            let mut sizes = Vec::new();
            for file in files {
                let blocks = file.blocks(i)?;
                sizes.extend(blocks.iter().map(|block| (block.rows, block.uncompressed_size)));
            }
            column.put(BLOOM, filters.write(sizes.into_iter()));
        }
        None => column.remove(BLOOM),
    }
    Ok(column)
}

/// A column of all files.
struct ConcatPart {
    blocks: usize,
    descriptors: Vec<u8>,
    /// Bytes of the blocks, checksums included.
    stored: u64,
    summary: ColumnSummary,
}

impl ConcatPart {
    fn of<R: ReadAt>(
        files: &[FileReader<R>],
        column: usize,
        meta: &ColumnMetadata,
    ) -> Result<Self> {
        let name = meta.name().to_owned();
        let summary = ColumnSummary { name, blocks: 0, uncompressed_size: 0, compressed_size: 0 };
        let mut part = Self { blocks: 0, descriptors: Vec::new(), stored: 0, summary };
        for file in files {
            let checksum = file.header().checksum(column)?;
            for block in file.blocks(column)?.iter() {
                let first_value = block.first_value.clone().filter(|_| meta.is_indexed());
                BlockDescriptor { first_value, ..*block }.put(meta, &mut part.descriptors);
                part.blocks += 1;
                part.stored += block.stored_size(checksum);
                part.summary.blocks += 1;
                part.summary.uncompressed_size += u64::from(block.uncompressed_size);
                part.summary.compressed_size += u64::from(block.compressed_size);
            }
        }
        Ok(part)
    }
}

/// Copies the blocks of a column.
fn copy_blocks<R: ReadAt>(file: &FileReader<R>, column: usize, to: &mut impl Write) -> Result<()> {
    let checksum = file.header().checksum(column)?;
    let blocks = file.blocks(column)?;
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Ok(()) };
    if checksum == Checksum::Crc32 && file.header().codec(column)? == Codec::Null {
        for block in blocks.iter() {
            copy_null_block(file, block, to)?;
        }
        return Ok(());
    }
    let end = last.offset + last.stored_size(checksum);
    copy_bytes(file, first.offset..end, to, |_| {})
}

/// Copies a block with codec `null`. The reference stores 0 in place of the checksum, and does not read that: the
/// checksum is computed then.
fn copy_null_block<R: ReadAt>(
    file: &FileReader<R>,
    block: &BlockDescriptor,
    to: &mut impl Write,
) -> Result<()> {
    let end = block.offset + u64::from(block.compressed_size);
    let mut hasher = crc32fast::Hasher::new();
    copy_bytes(file, block.offset..end, to, |bytes| hasher.update(bytes))?;
    let stored = file.read_bytes(end, Checksum::Crc32.size() as u64)?;
    match stored.iter().all(|byte| *byte == 0) {
        true => to.write_all(&hasher.finalize().to_be_bytes())?,
        false => to.write_all(&stored)?,
    }
    Ok(())
}

fn copy_bytes<R: ReadAt>(
    file: &FileReader<R>,
    range: Range<u64>,
    to: &mut impl Write,
    mut seen: impl FnMut(&[u8]),
) -> Result<()> {
    let mut at = range.start;
    while at < range.end {
        let n = PIECE.min(range.end - at);
        let bytes = file.read_bytes(at, n)?;
        seen(&bytes);
        to.write_all(&bytes)?;
        at += n;
    }
    Ok(())
}

/// Appends the rows of some columns of a file to a writer that has the same columns, whatever its codec and checksum.
pub fn copy_rows<R: ReadAt, W: Write + Send>(
    file: &FileReader<R>,
    columns: &[usize],
    to: &mut FileWriter<W>,
) -> Result<()> {
    let mut reader = file.projected_reader(columns)?;
    let mut bytes = 0u64;
    let mut data = Vec::with_capacity(columns.len());
    for column in columns {
        let blocks = file.blocks(*column)?;
        bytes += blocks.iter().map(|block| u64::from(block.uncompressed_size)).sum::<u64>();
        data.push(ColumnData::of(file.column(*column)?));
    }
    let a_row = bytes / file.rows().max(1) + 1;
    let batch = usize::try_from((BATCH_BYTES / a_row).clamp(1, MOST_ROWS)).unwrap_or(1);
    while reader.remaining() > 0 {
        data.iter_mut().for_each(ColumnData::clear);
        let rows = usize::try_from(reader.remaining()).map_or(batch, |left| left.min(batch));
        let rows = reader.read(rows, &mut data)?;
        let slices: Vec<_> = data.iter().map(ColumnData::as_slice).collect();
        to.write(rows, &slices)?;
    }
    Ok(())
}
