//! Changes of the chunks of a frame, whatever is in them.
//!
//! ```text
//! 0 1 2 3 4      update 0, insert at 1, delete the last but one, append a short one
//! ```

use std::path::Path;

use trevni_blosc::chunk::Encoder;
use trevni_blosc::frame::{ContiguousFrame, SparseFrame};

use super::Result;
use super::case::Case;
use super::change::{Model, More};
use super::home::params;

/// A frame that takes chunks.
enum Frame {
    Contiguous(ContiguousFrame),
    Sparse(SparseFrame),
}

impl Frame {
    fn insert(&mut self, number: u64, chunk: &[u8]) -> trevni::Result<()> {
        match self {
            Frame::Contiguous(frame) => frame.insert_chunk(number, chunk),
            Frame::Sparse(frame) => frame.insert_chunk(number, chunk),
        }
    }

    fn update(&mut self, number: u64, chunk: &[u8]) -> trevni::Result<()> {
        match self {
            Frame::Contiguous(frame) => frame.update_chunk(number, chunk),
            Frame::Sparse(frame) => frame.update_chunk(number, chunk),
        }
    }

    fn delete(&mut self, number: u64) -> trevni::Result<()> {
        match self {
            Frame::Contiguous(frame) => frame.delete_chunk(number),
            Frame::Sparse(frame) => frame.delete_chunk(number),
        }
    }

    fn append(&mut self, chunk: &[u8]) -> trevni::Result<()> {
        match self {
            Frame::Contiguous(frame) => frame.append_chunk(chunk),
            Frame::Sparse(frame) => frame.append_chunk(chunk),
        }
    }
}

/// Changes the chunks of a frame, and what its rows should be then.
pub(crate) fn edit(
    path: &Path,
    sparse: bool,
    case: &Case,
    model: &mut Model,
    more: &mut More,
) -> Result<()> {
    let mut frame = match sparse {
        true => Frame::Sparse(SparseFrame::open(path)?),
        false => Frame::Contiguous(ContiguousFrame::open(path)?),
    };
    let rows = usize::try_from(case.chunk_rows)?;
    let mut parts: Vec<Vec<u8>> =
        model.bytes.chunks(rows * model.row).map(<[u8]>::to_vec).collect();
    let mut encoder = Encoder::new(&params(case, &case.columns[0]))?;
    let mut made = |rows: usize| -> Result<(Vec<u8>, Vec<u8>)> {
        let (part, mut chunk) = (more(0, rows), Vec::new());
        encoder.encode(&part, &mut chunk)?;
        Ok((part, chunk))
    };
    if let Some(last) = parts.len().checked_sub(1) {
        let (part, chunk) = made(parts[0].len() / model.row)?;
        frame.update(0, &chunk)?;
        parts[0] = part;
        let (part, chunk) = made(rows)?;
        let at = last.min(1);
        frame.insert(at as u64, &chunk)?;
        parts.insert(at, part);
        if last > 0 {
            frame.delete(last as u64)?;
            parts.remove(last);
        }
    }
    let (part, chunk) = made(rows / 2 + 1)?;
    frame.append(&chunk)?;
    parts.push(part);
    model.bytes = parts.concat();
    Ok(())
}
