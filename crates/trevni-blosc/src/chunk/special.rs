//! Writes and decodes chunks of special values, which have no streams.
//!
//! ```text
//! code   content       after the header
//!    1   zeros         nothing
//!    2   NaN           nothing; of 4 or 8 bytes
//!    3   a value       the value, as long as the chunk is longer than its header
//!    4   never written nothing
//! ```

use super::special_kind::Special;
use super::{Content, Generation, Header, MAX_NBYTES, Params, block_size};
use trevni::{Error, Result};

/// Returns the 32 bytes of a second-generation chunk of special values. A typesize of 0 is replaced by 1. The size
/// may not exceed [`MAX_NBYTES`].
///
/// ```
/// use trevni_blosc::chunk::{Content, Decoder, Header, Special, special};
/// let chunk = special(Special::Nan, 16, 8);
/// assert_eq!(Header::parse(&chunk)?.content, Content::Special(Special::Nan));
/// let mut out = [0; 16];
/// Decoder::default().decode(&chunk, &mut out)?;
/// assert_eq!(out[8..], f64::NAN.to_le_bytes());
/// # Ok::<(), trevni::Error>(())
/// ```
pub fn special(kind: Special, nbytes: u32, typesize: u8) -> Vec<u8> {
    let typesize = typesize.max(1);
    let nbytes = nbytes.min(u32::try_from(MAX_NBYTES).unwrap_or(u32::MAX));
    let block_size = block_size::choose(&Params::new(Generation::Blosc2, typesize), nbytes);
    Header::without_streams(kind, nbytes, block_size, typesize).to_bytes().to_vec()
}

/// Fills `out` with the special or repeated values of a chunk, from byte `start` on.
pub(super) fn fill(header: &Header, chunk: &[u8], start: usize, out: &mut [u8]) -> Result<()> {
    let value = match (header.content, header.typesize) {
        (Content::Repeated, _) => chunk.get(header.size()..).unwrap_or_default(),
        (Content::Special(Special::Nan), 4) => &f32::NAN.to_le_bytes()[..],
        (Content::Special(Special::Nan), 8) => &f64::NAN.to_le_bytes()[..],
        (Content::Special(Special::Nan), n) => {
            return Err(Error::malformed(format!("NaN of {n} bytes")));
        }
        _ => &[0],
    };
    if let ([byte], _) | (_, [byte]) = (value, &*out) {
        let byte = if value.len() == 1 { *byte } else { at(value, start) };
        out.fill(byte);
        return Ok(());
    }
    // One value, rotated to `start`, then copies of doubling size.
    let first = value.len().min(out.len());
    for (i, byte) in out.iter_mut().take(first).enumerate() {
        *byte = at(value, start + i);
    }
    let mut done = first;
    while 0 < done && done < out.len() {
        let n = done.min(out.len() - done);
        out.copy_within(..n, done);
        done += n;
    }
    Ok(())
}

fn at(value: &[u8], place: usize) -> u8 {
    place.checked_rem(value.len()).and_then(|place| value.get(place)).copied().unwrap_or(0)
}
