//! Checks that an edit fits an array.
//!
//! ```text
//! before    0 1 2 3 4(short)            5 chunks
//! edit            3 4 5 6(short)        replaces 3 and 4, adds 5 and 6
//! after     0 1 2 3 4 5 6(short)        7 chunks
//! ```
//! An edit has every chunk that is new or must grow.

use super::chunk_splitter::Cut;
use super::excerpt;
use crate::Edit;
use crate::chunk::Header;
use trevni::{Error, Result};

/// Parses the header of a chunk. Fails unless it has at least `needed` of the `full` uncompressed bytes.
pub(super) fn check_chunk(chunk: &[u8], number: u64, needed: u64, full: u64) -> Result<Header> {
    let header = Header::parse(chunk)
        .map_err(|e| Error::invalid(format!("chunk {number} is none that can be read: {e}")))?;
    let (nbytes, cbytes) = (u64::from(header.nbytes), u64::from(header.cbytes));
    if header.version > 2 {
        return Err(Error::invalid(format!("chunk {number} is of the second generation")));
    }
    if nbytes < needed || nbytes > full || cbytes > chunk.len() as u64 {
        return Err(Error::invalid(format!(
            "chunk {number} has {} of {cbytes} bytes for {nbytes}, where {needed} to {full} are wanted",
            chunk.len()
        )));
    }
    Ok(header)
}

/// Returns the bytes of a chunk that count.
pub(super) fn counted<'a>(chunk: &'a [u8], header: &Header) -> &'a [u8] {
    usize::try_from(header.cbytes).ok().and_then(|cbytes| chunk.get(..cbytes)).unwrap_or(chunk)
}

/// Returns the headers of an edit's chunks, if it is one of an array that is cut so.
pub(super) fn check(edit: &Edit, before: &Cut, after: &Cut) -> Result<Vec<Header>> {
    let numbers: Vec<_> = edit.chunks.iter().map(|(number, _)| *number).collect();
    if !numbers.is_sorted_by(|a, b| a < b) || numbers.last().is_some_and(|last| *last >= edit.count)
    {
        return Err(Error::invalid(format!(
            "chunks {} of {}",
            excerpt::list(&numbers),
            edit.count
        )));
    }
    if edit.count != after.chunks {
        let (count, chunks) = (edit.count, after.chunks);
        return Err(Error::invalid(format!("{count} chunks, where the shape has {chunks}")));
    }
    let new = numbers.iter().filter(|number| **number >= before.chunks).count() as u64;
    if new != after.chunks.saturating_sub(before.chunks) {
        return Err(Error::invalid(format!(
            "{new} new chunks, from {} to {}",
            before.chunks, after.chunks
        )));
    }
    let check = |(number, chunk): &(u64, Vec<u8>)| {
        check_chunk(chunk, *number, after.needed(*number), after.chunk_bytes)
    };
    edit.chunks.iter().map(check).collect()
}

/// Returns an old chunk that must grow and is not in the edit.
pub(super) fn outgrown(edit: &Edit, before: &Cut, after: &Cut) -> Option<u64> {
    let last = before.chunks.min(after.chunks).checked_sub(1)?;
    let grows = after.needed(last) > before.needed(last);
    (grows && find(edit, last).is_none()).then_some(last)
}

/// Returns a chunk of the edit, by number.
pub(super) fn find(edit: &Edit, number: u64) -> Option<&[u8]> {
    let at = edit.chunks.binary_search_by_key(&number, |(number, _)| *number).ok()?;
    edit.chunks.get(at).map(|(_, chunk)| chunk.as_slice())
}
