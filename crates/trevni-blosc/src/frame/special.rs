//! Special chunks: equal values, stored as a header only.
//!
//! ```text
//! byte 31, bits 4-6   1 zeros   2 NaN   3 one value, which follows the header   4 never written
//! ```
//! Frames whose chunks have one size do not store special chunks of kinds 1, 2 and 4: the index is sufficient. If
//! chunks differ in size, the index cannot have their sizes, and C-Blosc2 cannot read them: they are written as
//! kind 3.

use crate::chunk::{self, Special};
use trevni::{Error, Result};

/// Bytes of a chunk's header.
pub(super) const HEADER: usize = 32;

/// Flag: the uncompressed bytes follow.
const STORED: u8 = 0x02;

/// Bits of byte 31: one value, which follows the header.
const REPEATED: u8 = 3 << 4;

/// Returns a special chunk that needs no help from the index. Values that were never written are zeros then.
///
/// # Errors
/// `Unsupported` for NaN of other sizes than 4 and 8 bytes.
pub(super) fn spelled_out(kind: Special, nbytes: u32, typesize: u8) -> Result<Vec<u8>> {
    let value = match (kind, typesize) {
        (Special::Nan, 4) => f32::NAN.to_le_bytes().to_vec(),
        (Special::Nan, 8) => f64::NAN.to_le_bytes().to_vec(),
        (Special::Nan, _) => {
            return Err(Error::unsupported(format!("NaN in elements of {typesize} bytes")));
        }
        _ => vec![0; typesize.into()],
    };
    if nbytes.is_multiple_of(u32::from(typesize.max(1))) {
        return repeated(&value, nbytes, typesize, 0);
    }
    let zeros = vec![0; usize::try_from(nbytes).unwrap_or(0)];
    with_content(&zeros, nbytes, typesize, |header| header[2] |= STORED)
}

/// Returns a chunk of one value all over again; `block_size` 0: as special chunks have it.
pub(super) fn repeated(
    value: &[u8],
    nbytes: u32,
    typesize: u8,
    block_size: u32,
) -> Result<Vec<u8>> {
    with_content(value, nbytes, typesize, |header| {
        header[31] = header[31] & 0x8f | REPEATED;
        if block_size > 0 {
            header[8..12].copy_from_slice(&block_size.min(nbytes).to_le_bytes());
        }
    })
}

/// Returns a special chunk with a changed header, and bytes after it.
fn with_content(
    content: &[u8],
    nbytes: u32,
    typesize: u8,
    change: impl FnOnce(&mut [u8; HEADER]),
) -> Result<Vec<u8>> {
    let mut chunk = chunk::special(Special::Zeros, nbytes, typesize);
    chunk.extend_from_slice(content);
    let cbytes = u32::try_from(chunk.len())
        .map_err(|_| Error::invalid(format!("a chunk of {nbytes} bytes")))?;
    if let Some(header) = chunk.first_chunk_mut::<HEADER>() {
        header[12..16].copy_from_slice(&cbytes.to_le_bytes());
        change(header);
    }
    Ok(chunk)
}
