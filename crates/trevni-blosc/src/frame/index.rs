//! The index of a frame: the offset of each chunk.
//!
//! ```text
//! a chunk of typesize 8    n x i64, little-endian
//!   0 and more             contiguous frame: bytes after the header; sparse frame: the name of the file
//!   80|kind 00 x 7         (top byte first) no bytes anywhere: 1 zeros, 2 NaN, 4 never written
//! ```
//! The chunk is written as C-Blosc2 writes it: BloscLZ at level 5 after a byte shuffle, blocks of 16 KiB that are
//! not split; one repeated value if all offsets are equal.

use super::special;
use crate::chunk::{self, Decoder, Encoder, Generation, Header, Params, Special, Split};
use crate::{Compressor, Filter, Filters};
use trevni::{Error, Result};

/// The most chunks that an index may have on its word alone: an index of equal offsets takes 40 bytes, whatever
/// their number.
const MOST: u64 = 1 << 24;

/// The maximum ratio of the offsets of an index to its stored size.
const RATIO: u64 = 64;

/// Bytes of a block of the chunk that is written.
const BLOCK: u32 = 16 * 1024;

/// The position of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Nowhere: its values are all alike.
    Special(Special),
    /// The offset after the header; in sparse frames, the number of the file.
    At(u64),
}

impl Slot {
    /// Returns the slot of an offset.
    ///
    /// # Errors
    /// `Malformed` for negative offsets that name no kind of special chunk.
    pub fn from_offset(offset: i64) -> Result<Self> {
        if let Ok(at) = u64::try_from(offset) {
            return Ok(Slot::At(at));
        }
        let kinds = [Special::Zeros, Special::Nan, Special::Uninit];
        kinds
            .into_iter()
            .map(Slot::Special)
            .find(|slot| slot.offset() == offset)
            .ok_or_else(|| Error::malformed(format!("offset {offset:x} of a chunk")))
    }

    /// Returns the offset of a slot.
    pub fn offset(self) -> i64 {
        match self {
            Slot::Special(kind) => i64::from_be_bytes([0x80 | kind.code(), 0, 0, 0, 0, 0, 0, 0]),
            Slot::At(at) => at.cast_signed(),
        }
    }
}

/// The positions of the chunks, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    slots: Vec<i64>,
}

impl Index {
    /// Creates an index of slots.
    pub fn new(slots: impl IntoIterator<Item = Slot>) -> Self {
        Self { slots: slots.into_iter().map(Slot::offset).collect() }
    }

    /// Returns how many chunks there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the position of a chunk; `None` if it does not exist.
    pub fn slot(&self, number: u64) -> Option<Slot> {
        let offset = self.slots.get(usize::try_from(number).ok()?)?;
        Slot::from_offset(*offset).ok()
    }

    /// Returns all slots, in order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().filter_map(|offset| Slot::from_offset(*offset).ok())
    }

    /// Opens the chunk of an index.
    ///
    /// # Errors
    /// `Malformed`; `TooLarge` if few bytes claim very many chunks.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let header = Header::parse(bytes)?;
        let (nbytes, claimed) = (u64::from(header.nbytes), bytes.len() as u64);
        if !nbytes.is_multiple_of(8) {
            return Err(Error::malformed(format!("index of {nbytes} bytes")));
        }
        let limit = MOST.max(claimed.saturating_mul(RATIO) / 8);
        if nbytes / 8 > limit {
            return Err(Error::too_large("index of chunks", nbytes / 8, limit));
        }
        let mut raw = vec![0; usize::try_from(nbytes).unwrap_or(0)];
        Decoder::default().decode(bytes, &mut raw)?;
        let slots: Vec<_> = raw.as_chunks().0.iter().map(|raw| i64::from_le_bytes(*raw)).collect();
        slots.iter().try_for_each(|offset| Slot::from_offset(*offset).map(|_| ()))?;
        Ok(Self { slots })
    }

    /// Returns the chunk of an index; none if there are no chunks.
    ///
    /// # Errors
    /// `Invalid` if there are more chunks than an index can name.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if self.is_empty() {
            return Ok(out);
        }
        let raw: Vec<u8> = self.slots.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        if raw.len() > chunk::MAX_NBYTES {
            return Err(Error::invalid(format!("a frame of {} chunks", self.len())));
        }
        if let [first, second, rest @ ..] = &self.slots[..]
            && first == second
            && rest.iter().all(|offset| offset == first)
        {
            let nbytes = u32::try_from(raw.len()).unwrap_or(u32::MAX);
            return special::repeated(&first.to_le_bytes(), nbytes, 8, BLOCK);
        }
        let mut filters = Filters::default();
        filters[5] = Filter::Shuffle { group: 0 };
        let params = Params {
            generation: Generation::Blosc2,
            compressor: Compressor::BloscLz,
            level: 5,
            filters,
            typesize: 8,
            block_size: BLOCK,
            split: Split::Never,
            use_dictionary: false,
        };
        Encoder::new(&params)?.encode(&raw, &mut out)?;
        Ok(out)
    }
}
