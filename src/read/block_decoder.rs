//! Decodes blocks: verifies the checksum, decompresses, and reads values.
//!
//! ```text
//! byte codec    payload ──► plain values ──► decoder          checksum of the values
//! value codec   payload ──► packed block                           checksum of the payload, or of the values
//!               form 0  ──► plain values ──► decoder
//! ```
//! This is the only module that distinguishes the forms of a payload.

use bytes::Bytes;

use crate::checksum::{Checksum, Verdict};
use crate::codec::{Codec, Decompress};
use crate::error::{Error, Result};
use crate::format::bitmap::Bits;
use crate::format::block::BlockDescriptor;
use crate::format::block_values::BlockValues;
use crate::format::header::{Header, Version};
use crate::format::packed_block::{PACKED, PACKED_ZSTD, PackedBlock, SERIALISED, most_inflated};
use crate::format::plain::decode::Decoder;
use crate::format::value::{Value, ValueType};
use crate::format::values::Values;
use crate::io::Limits;
use crate::wire::Cursor;

/// Opens one block after another of a column; keeps its memory between them.
pub(crate) struct BlockDecoder {
    kind: BlockEncoding,
    decompressor: Option<Box<dyn Decompress>>,
    limits: Limits,
    plain: PlainBlock,
    decoder: Decoder,
    /// The open block where its values are packed.
    packed: Option<PackedBlock>,
    /// The uncompressed size of the open block, by its descriptor.
    size: usize,
}

/// The open block where it is plain.
#[derive(Debug, Default)]
struct PlainBlock {
    /// Where its codec is `null`: the stored bytes themselves.
    stored: Option<Bytes>,
    /// Where it was compressed.
    decompressed: Vec<u8>,
}

impl PlainBlock {
    fn bytes(&self) -> &[u8] {
        self.stored.as_deref().unwrap_or(&self.decompressed)
    }
}

/// What the blocks of a column are.
#[derive(Debug, Clone, Copy)]
struct BlockEncoding {
    codec: Codec,
    checksum: Checksum,
    value_type: ValueType,
    array: bool,
    with_runs: bool,
}

impl BlockDecoder {
    /// Returns an opener of the blocks of a column.
    pub(crate) fn new(header: &Header, column: usize, limits: Limits) -> Result<Self> {
        let meta = header.columns.get(column);
        let meta = meta.ok_or_else(|| Error::invalid(format!("no column {column}")))?;
        Self::of(
            BlockEncoding {
                codec: header.codec(column)?,
                checksum: header.checksum(column)?,
                value_type: meta.value_type(),
                array: meta.is_array(),
                with_runs: header.version >= Version::V2,
            },
            limits,
        )
    }

    fn of(kind: BlockEncoding, limits: Limits) -> Result<Self> {
        kind.codec.check_available()?;
        let decompressor = match kind.codec {
            Codec::Pack => None,
            Codec::PackZstd => Some(Codec::Zstd.decompressor()?),
            codec => Some(codec.decompressor()?),
        };
        Ok(Self {
            kind,
            decompressor,
            limits,
            plain: PlainBlock::default(),
            decoder: Decoder::default(),
            packed: None,
            size: 0,
        })
    }

    /// One like this, without a block.
    pub(crate) fn another(&self) -> Result<Self> {
        Self::of(self.kind, self.limits)
    }

    pub(crate) fn checksum(&self) -> Checksum {
        self.kind.checksum
    }

    /// Opens a block: verifies its checksum and decompresses it.
    pub(crate) fn open(&mut self, block: &BlockDescriptor, stored: Bytes) -> Result<Verdict> {
        let raw_len = block.uncompressed_size as usize;
        if raw_len > self.limits.block_bytes && !self.is_stored(block) {
            return Err(Error::too_large("block", raw_len as u64, self.limits.block_bytes as u64));
        }
        (self.plain.stored, self.packed, self.size) = (None, None, raw_len);
        self.decoder = Decoder::default();
        let mut cursor = Cursor::new(&stored);
        let payload = cursor.take(block.compressed_size as usize, "block")?;
        let proof = cursor.rest();
        let BlockEncoding { codec, checksum, .. } = self.kind;
        let verdict = match checksum.is_of_stored() {
            true => Some(checksum.verify(payload, proof, false)?),
            false => None,
        };
        if codec.is_value_codec() {
            self.open_packed(stored.slice_ref(payload), raw_len)?;
        } else if codec == Codec::Null {
            self.lend(stored.slice_ref(payload), raw_len)?;
        } else if let Some(decompressor) = &mut self.decompressor {
            decompressor.decompress(payload, raw_len, &mut self.plain.decompressed)?;
        }
        match verdict {
            Some(verdict) => Ok(verdict),
            None if self.packed.is_some() => self.verify_values(proof),
            None => checksum.verify(self.plain.bytes(), proof, codec == Codec::Null),
        }
    }

    /// Uses values that are stored plain without copying them.
    fn lend(&mut self, payload: Bytes, raw_len: usize) -> Result<()> {
        if payload.len() != raw_len {
            return Err(Error::malformed(format!(
                "block of {} bytes announces {raw_len} without a codec",
                payload.len()
            )));
        }
        self.plain.stored = Some(payload);
        Ok(())
    }

    fn open_packed(&mut self, payload: Bytes, raw_len: usize) -> Result<()> {
        let Some(form) = payload.first() else {
            return Err(Error::malformed("a packed block of no bytes"));
        };
        let rest = payload.slice(1..);
        match *form {
            SERIALISED => self.lend(rest, raw_len)?,
            PACKED => self.packed = Some(self.unpack(rest, raw_len)?),
            PACKED_ZSTD => {
                let rest = self.inflate(&rest, raw_len)?;
                self.packed = Some(self.unpack(rest, raw_len)?);
            }
            other => return Err(Error::malformed(format!("a packed block of form {other}"))),
        }
        Ok(())
    }

    /// Returns whether the values are stored plain, and take as many bytes in the file.
    fn is_stored(&self, block: &BlockDescriptor) -> bool {
        self.kind.codec == Codec::Null && block.compressed_size == block.uncompressed_size
    }

    /// Returns the memory of the open block, without the stored bytes.
    pub(crate) fn memory(&self) -> usize {
        let packed = self.packed.as_ref().map_or(0, PackedBlock::memory);
        self.plain.decompressed.capacity().saturating_add(packed)
    }

    /// Returns the minimum memory of a block that is opened.
    pub(crate) fn memory_of(&self, block: &BlockDescriptor) -> usize {
        let codec = self.kind.codec;
        let decompressed = codec != Codec::Null && !codec.is_value_codec();
        if decompressed { block.uncompressed_size as usize } else { 0 }
    }

    /// Frees the open block.
    pub(crate) fn close(&mut self) {
        (self.plain, self.packed, self.decoder) = Default::default();
    }

    fn unpack(&self, payload: Bytes, raw_len: usize) -> Result<PackedBlock> {
        let BlockEncoding { value_type, array, .. } = self.kind;
        // A value takes a byte or, of booleans, a bit; nulls and counts nothing that can be encoder_statistics.
        let values = match value_type {
            ValueType::Null => usize::MAX,
            ValueType::Boolean => raw_len.saturating_mul(8),
            _ => raw_len,
        };
        let most = if array { values.max(self.limits.values) } else { values };
        PackedBlock::take(payload, value_type, array, most, self.limits.open_bytes)
    }

    /// Returns the payload that zstd went over.
    fn inflate(&mut self, rest: &Bytes, raw_len: usize) -> Result<Bytes> {
        let mut cursor = Cursor::new(rest);
        let size = cursor.long("size of a packed block")?;
        let size = usize::try_from(size).ok().filter(|size| *size <= most_inflated(raw_len));
        let size = size.ok_or_else(|| Error::malformed("a packed block larger than its values"))?;
        let Some(zstd) = self.decompressor.as_mut().filter(|_| self.kind.codec == Codec::PackZstd)
        else {
            return Err(Error::malformed("zstd in a block of codec \"pack\""));
        };
        let mut out = Vec::new();
        zstd.decompress(cursor.rest(), size, &mut out)?;
        Ok(out.into())
    }

    /// Compares a checksum of the plain values.
    fn verify_values(&mut self, proof: &[u8]) -> Result<Verdict> {
        let BlockEncoding { checksum, value_type, array, with_runs, .. } = self.kind;
        if checksum == Checksum::Null {
            return Ok(Verdict::Absent);
        }
        let packed = self.packed.as_mut().ok_or_else(no_block)?;
        let plain = BlockValues::decode(packed, value_type, array, &self.limits)?;
        packed.rewind();
        let plain = plain.encode_plain(with_runs, false);
        if plain.len() != self.size {
            let (found, size) = (plain.len(), self.size);
            return Err(Error::malformed(format!("values of {found} bytes, {size} announced")));
        }
        checksum.verify(&plain, proof, false)
    }

    /// Returns the bytes of the open block before its codec.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Fails unless all values of the open block are taken.
    pub(crate) fn finish(&self) -> Result<()> {
        match &self.packed {
            Some(packed) => packed.finish(),
            None => self.decoder.finish(self.plain.bytes()),
        }
    }

    /// Returns whether the first value of the open block is this one.
    pub(crate) fn starts_with(&self, expected: &Value<'_>) -> Result<bool> {
        let mut first = Values::new(self.kind.value_type);
        match &self.packed {
            Some(packed) => packed.first(&mut first)?,
            None => {
                Decoder::default().values(
                    self.plain.bytes(),
                    self.kind.value_type,
                    1,
                    &mut first,
                )?;
            }
        }
        let order = first.as_slice().get(0).and_then(|first| first.order(expected));
        Ok(order == Some(std::cmp::Ordering::Equal))
    }

    /// Appends the next `n` values.
    pub(crate) fn values(&mut self, n: usize, out: &mut Values) -> Result<()> {
        match &mut self.packed {
            Some(packed) => packed.values(n, out),
            None if out.is_unpacked() => self.through(out, |opener, out| opener.values(n, out)),
            None => {
                let block = self.plain.bytes();
                self.decoder.values(block, self.kind.value_type, n, out)
            }
        }
    }

    /// Returns whether items at positions can be read: packed ones with at most one value each.
    pub(crate) fn picks(&self) -> bool {
        let of_bits = |packed: &PackedBlock| !self.kind.array || packed.has_bits();
        self.packed.as_ref().is_some_and(of_bits)
    }

    /// Appends the values at positions, which ascend and are after the last value read.
    pub(crate) fn pick_values(&mut self, places: &[u32], out: &mut Values) -> Result<()> {
        self.packed.as_mut().ok_or_else(no_block)?.pick_values(places, out)
    }

    /// Appends a bit and a value for each position. Returns the number of set bits.
    pub(crate) fn pick_slots(
        &mut self,
        places: &[u32],
        validity: &mut Bits,
        out: &mut Values,
    ) -> Result<usize> {
        self.packed.as_mut().ok_or_else(no_block)?.pick_slots(places, validity, out)
    }

    /// Appends a bit for each length at these positions. Returns the number of ones.
    pub(crate) fn pick_presence(&mut self, places: &[u32], out: &mut Bits) -> Result<usize> {
        let packed = self.packed.as_mut().ok_or_else(no_block)?;
        packed.pick_presence(places, out).map(|ranks| ranks.len())
    }

    /// Appends values that are plain to a form that they are not decoded to.
    fn through<T>(
        &mut self,
        out: &mut Values,
        decode: impl FnOnce(&mut Self, &mut Values) -> Result<T>,
    ) -> Result<T> {
        let mut values = Values::new(self.kind.value_type);
        let decoded = decode(self, &mut values)?;
        out.extend(values, self.kind.value_type == ValueType::String)?;
        Ok(decoded)
    }

    /// Passes over the next `n` values.
    pub(crate) fn skip_values(&mut self, n: usize) -> Result<()> {
        match &mut self.packed {
            Some(packed) => packed.skip_values(n),
            None => {
                let block = self.plain.bytes();
                self.decoder.skip_values(block, self.kind.value_type, n)
            }
        }
    }

    /// Appends the next `n` lengths, and the values of all, at most `most`. Returns how many they are.
    pub(crate) fn arrays(
        &mut self,
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        let most = most.min(self.limits.values);
        match &mut self.packed {
            Some(packed) => packed.arrays(n, lengths, out, most),
            None if out.is_unpacked() => {
                self.through(out, |opener, out| opener.arrays(n, lengths, out, most))
            }
            None => {
                let block = self.plain.bytes();
                self.decoder.arrays(block, self.kind.value_type, n, lengths, out, most)
            }
        }
    }

    /// Skips the next `n` lengths and their values. Returns the number of values if it is `asked` for.
    pub(crate) fn skip_arrays(&mut self, n: usize, asked: bool) -> Result<usize> {
        match &mut self.packed {
            Some(packed) => packed.skip_arrays(n, asked),
            None => {
                let block = self.plain.bytes();
                self.decoder.skip_arrays(block, self.kind.value_type, n)
            }
        }
    }

    /// Appends a bit for each of the next `n` lengths, which may only be 0 or 1. Returns how many are 1.
    pub(crate) fn presence(&mut self, n: usize, out: &mut Bits) -> Result<usize> {
        match &mut self.packed {
            Some(packed) if packed.has_bits() => packed.presence(n, out),
            Some(_) => {
                let (mut lengths, mut values) = (Vec::new(), Values::new(self.kind.value_type));
                let items = self.arrays(n, &mut lengths, &mut values, n)?;
                put_bits(&lengths, out)?;
                Ok(items)
            }
            None => {
                let block = self.plain.bytes();
                self.decoder.presence(block, n, out, self.limits.values)
            }
        }
    }

    /// Appends a bit and a value for each of the next `n` slots. Returns the number of set bits.
    pub(crate) fn slots(
        &mut self,
        n: usize,
        validity: &mut Bits,
        out: &mut Values,
    ) -> Result<usize> {
        if let Some(packed) = self.packed.as_mut().filter(|packed| packed.has_bits()) {
            return packed.slots(n, validity, out);
        }
        if out.is_unpacked() {
            return self.through(out, |opener, out| opener.slots(n, validity, out));
        }
        let (mut lengths, mut dense) = (Vec::new(), Values::new(self.kind.value_type));
        let items = self.arrays(n, &mut lengths, &mut dense, n)?;
        put_bits(&lengths, validity)?;
        out.extend_slots(&lengths, &dense)?;
        Ok(items)
    }
}

fn no_block() -> Error {
    Error::invalid("no open packed block")
}

/// Appends a bit for each length, which may only be 0 or 1.
fn put_bits(lengths: &[u32], out: &mut Bits) -> Result<()> {
    if let Some(length) = lengths.iter().find(|length| **length > 1) {
        return Err(Error::malformed(format!("a count of {length} where only 0 or 1 can be")));
    }
    lengths.iter().for_each(|length| out.push(*length == 1));
    Ok(())
}

impl std::fmt::Debug for BlockDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockDecoder").field("kind", &self.kind).finish_non_exhaustive()
    }
}
