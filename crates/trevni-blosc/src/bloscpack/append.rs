//! Appends chunks to a file, extends its last chunk, and replaces its metadata in place.
//!
//! ```text
//! old   header │ metadata │ offsets, spare │ chunk │ ... │ last chunk │
//! new   header │ metadata │ offsets, spare │ copied ...  │ fuller one │ new chunk │ ...
//! ```
//! The sections before the chunks keep their sizes, so existing chunks keep their positions. bloscpack changes
//! files in place and does not update the shape in the metadata, so its own array reader then fails. Here the shape
//! is updated, so that readers see all rows.

use std::io::Write;
use std::path::Path;

use super::file_start::{self, Sizes};
use super::header::{HEADER_LEN, Header, Version};
use super::numpy::Described;
use super::{Bloscpack, metadata, offsets};
use crate::array::{Chunking, Edit, Order};
use crate::chunk;
use trevni::io::{AtomicFile, read_within};
use trevni::{Error, Result};

/// How much is copied at a time.
const COPY: u64 = 1 << 20;

/// What a change makes of a file.
pub(super) struct FileEdit {
    header: Header,
    /// The metadata section, if it changes.
    section: Option<Vec<u8>>,
    /// Where each chunk starts.
    starts: Vec<u64>,
    /// Where the chunks that stay end.
    kept: u64,
    /// The chunks after them.
    chunks: Vec<Vec<u8>>,
}

impl FileEdit {
    /// Returns the plan of a change; `None` if nothing changes.
    pub(super) fn new(file: &Bloscpack, edit: Edit) -> Result<Option<Self>> {
        let Version::V3 { max_app_chunks } = file.beginning.header.version else {
            let found = format!("Bloscpack files of version {} are only read", file.version());
            return Err(Error::unsupported(found));
        };
        let section = new_section(file, &edit)?;
        if edit.chunks.is_empty() && edit.count == file.layout.chunks {
            let same_shape = edit.shape == file.layout.shape;
            return match (section, same_shape) {
                (_, false) => Err(Error::invalid("a new shape without new chunks")),
                (None, true) => Ok(None),
                (section, true) => Self::same_chunks(file, section).map(Some),
            };
        }
        let replaced = check_numbers(file, &edit)?;
        let last = new_last(file, &edit, replaced)?;
        let added = edit.count - file.layout.chunks;
        let spare = if file.beginning.header.has_offsets { max_app_chunks } else { added };
        let Some(spare) = spare.checked_sub(added) else {
            return Err(Error::unsupported(format!(
                "the table of offsets has {spare} spare slots, and {added} chunks are new"
            )));
        };
        let kept = kept_end(file, replaced)?;
        let chunk_bytes = chunk_bytes(file)?;
        let header = Header {
            version: Version::V3 { max_app_chunks: spare },
            chunk_size: Some(if edit.count > 1 { within_31_bits(chunk_bytes)? } else { last }),
            last_chunk: Some(last),
            nchunks: Some(edit.count),
            ..file.beginning.header.clone()
        };
        let mut starts = file.beginning.starts.clone();
        starts.truncate(starts.len() - usize::from(replaced));
        let chunks: Vec<_> = edit.chunks.into_iter().map(|(_, chunk)| chunk).collect();
        let mut end = kept;
        for chunk in &chunks {
            starts.push(end);
            end += (chunk.len() + header.checksum.size()) as u64;
        }
        Ok(Some(Self { header, section, starts, kept, chunks }))
    }

    fn same_chunks(file: &Bloscpack, section: Option<Vec<u8>>) -> Result<Self> {
        Ok(Self {
            header: file.beginning.header.clone(),
            section,
            starts: file.beginning.starts.clone(),
            kept: kept_end(file, false)?,
            chunks: Vec::new(),
        })
    }

    /// Writes the new file and renames it to the path of the old one.
    pub(super) fn write(self, file: &Bloscpack, path: &Path) -> Result<()> {
        let section = match self.section {
            Some(section) => section,
            None => {
                let len =
                    file.beginning.section.as_ref().map_or(0, |section| {
                        metadata::SECTION_HEADER_LEN as u64 + section.rest_len()
                    });
                let start = HEADER_LEN as u64;
                read_within(&file.source, file.file_len, start, len, "metadata")?.into()
            }
        };
        let mut out = AtomicFile::create(path)?;
        file_start::put(&mut out, &self.header, &section, &self.starts)?;
        copy(file, file.beginning.end, self.kept, &mut out)?;
        for chunk in &self.chunks {
            out.write_all(chunk)?;
            out.write_all(&self.header.checksum.of(chunk))?;
        }
        Ok(out.commit()?)
    }
}

/// Returns the metadata section with the shape and the attributes of the edit, if it changes.
fn new_section(file: &Bloscpack, edit: &Edit) -> Result<Option<Vec<u8>>> {
    let attributes = edit.attributes.as_ref().unwrap_or(&file.layout.attributes);
    if *attributes == file.layout.attributes && edit.shape == file.layout.shape {
        return Ok(None);
    }
    let value = match &file.described {
        Some(described) => {
            Described { shape: edit.shape.clone(), ..described.clone() }.metadata(attributes)?
        }
        // The shape of bytes is not stored.
        None if *attributes == file.layout.attributes => return Ok(None),
        None => attributes.clone().into(),
    };
    match &file.beginning.section {
        Some(section) => metadata::seal(&value, &section.properties()).map(Some),
        None => Err(Error::unsupported(
            "the file was written without metadata, and has no room for any",
        )),
    }
}

/// Returns whether the last chunk is replaced. Fails unless the edit has that chunk and new ones after it.
fn check_numbers(file: &Bloscpack, edit: &Edit) -> Result<bool> {
    let old = file.layout.chunks;
    if edit.count < old {
        return Err(Error::unsupported("Bloscpack files cannot be shrunk: they take only appends"));
    }
    if let Some((number, _)) = edit.chunks.iter().find(|(number, _)| *number + 1 < old) {
        return Err(Error::unsupported(format!(
            "chunk {number} of {old} cannot be overwritten: Bloscpack files take only appends"
        )));
    }
    let first = edit.chunks.first().map_or(old, |(number, _)| *number);
    match edit.chunks.iter().map(|(number, _)| *number).eq(first..edit.count) {
        true if first <= old => Ok(first < old),
        _ => {
            Err(Error::invalid(format!("the new chunks are not all of those up to {}", edit.count)))
        }
    }
}

/// Returns the uncompressed size of the new last chunk. Fails unless all other chunks are full and the total
/// matches the new shape.
fn new_last(file: &Bloscpack, edit: &Edit, replaced: bool) -> Result<u32> {
    let layout = &file.layout;
    let old_total = file.beginning.sizes.ends(file.beginning.starts.len()).last().unwrap_or(0);
    if file.described.as_ref().map_or(Ok(old_total), Described::nbytes)? != old_total {
        return Err(Error::unsupported(
            "the chunks exceed the shape; rows after them would not be found",
        ));
    }
    if layout.order == Order::F && layout.shape.len() > 1 {
        return Err(Error::unsupported("rows cannot be appended to an array in Fortran order"));
    }
    if layout.shape.get(1..) != edit.shape.get(1..) {
        return Err(Error::invalid(format!(
            "shape {:?} cannot become {:?}",
            layout.shape, edit.shape
        )));
    }
    let chunk_bytes = chunk_bytes(file)?;
    let old_last = match file.beginning.sizes {
        Sizes::Even { last, .. } if layout.chunks > 0 => last,
        _ => chunk_bytes,
    };
    let mut last = old_last;
    let mut total = if replaced { old_total - old_last } else { old_total };
    for (i, (number, chunk)) in edit.chunks.iter().enumerate() {
        if (i > 0 || !replaced) && last != chunk_bytes {
            return Err(Error::invalid(format!("chunk {number} follows one that is not full")));
        }
        let header = chunk::Header::parse(chunk)?;
        last = header.nbytes.into();
        let shrinks = i == 0 && replaced && last < old_last;
        if last > chunk_bytes || shrinks || header.cbytes as usize != chunk.len() {
            return Err(Error::invalid(format!(
                "chunk {number} is of {last} bytes, in a file of chunks of {chunk_bytes}"
            )));
        }
        total += last;
    }
    let wanted = edit.shape.iter().try_fold(layout.dtype.size as u64, |n, k| n.checked_mul(*k));
    match wanted == Some(total) {
        true => within_31_bits(last),
        false => Err(Error::invalid(format!("shape {:?} of {total} bytes", edit.shape))),
    }
}

fn chunk_bytes(file: &Bloscpack) -> Result<u64> {
    match file.layout.chunking {
        Chunking::Flat { chunk_bytes } => Ok(chunk_bytes),
        _ => Err(Error::unsupported(
            "a Bloscpack file with chunks of various sizes cannot be appended to",
        )),
    }
}

fn within_31_bits(size: u64) -> Result<u32> {
    u32::try_from(size)
        .ok()
        .filter(|size| i32::try_from(*size).is_ok())
        .ok_or_else(|| Error::too_large("chunk", size, i32::MAX as u64))
}

/// Returns the end of the chunks that are kept; they must be in order.
fn kept_end(file: &Bloscpack, replaced: bool) -> Result<u64> {
    let starts = &file.beginning.starts;
    if !starts.is_sorted_by(|a, b| a < b) {
        return Err(Error::unsupported("the chunks are not in order, and cannot be appended to"));
    }
    match starts.last() {
        None => Ok(file.beginning.end),
        Some(last) if replaced => Ok(*last),
        Some(last) => {
            let header = offsets::chunk_header(&file.source, file.file_len, *last)?;
            Ok(last + u64::from(header.cbytes) + file.checksum().size() as u64)
        }
    }
}

fn copy(file: &Bloscpack, mut from: u64, to: u64, out: &mut impl Write) -> Result<()> {
    while from < to {
        let len = COPY.min(to - from);
        out.write_all(&read_within(&file.source, file.file_len, from, len, "chunks")?)?;
        from += len;
    }
    Ok(())
}
