//! Decodes blocks: verifies the checksum, decompresses, and reads values.
//!
//! ```text
//! byte codec    payload ──► plain values ──► decoder          checksum of the values
//! value codec   payload ──► packed block                           checksum of the payload, or of the values
//!               form 0  ──► plain values ──► decoder
//! ```
//! This is the only module that distinguishes the forms of a payload.

mod values;

use bytes::Bytes;

use crate::checksum::{Checksum, Verdict};
use crate::codec::{Codec, Decompress};
use crate::error::{Error, Result};
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
    /// Created for the first block that is compressed.
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

fn get_or_create(
    decompressor: &mut Option<Box<dyn Decompress>>,
    codec: Codec,
) -> Result<&mut Box<dyn Decompress>> {
    match decompressor {
        Some(decompressor) => Ok(decompressor),
        none => Ok(none.insert(codec.decompressor()?)),
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
        Ok(Self {
            kind,
            decompressor: None,
            limits,
            plain: PlainBlock::default(),
            decoder: Decoder::default(),
            packed: None,
            size: 0,
        })
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
        } else {
            let decompressor = get_or_create(&mut self.decompressor, codec)?;
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
        // A value takes a byte or, of booleans, a bit; nulls and counts may take none.
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
        if self.kind.codec != Codec::PackZstd {
            return Err(Error::malformed("zstd in a block of codec \"pack\""));
        }
        let zstd = get_or_create(&mut self.decompressor, Codec::Zstd)?;
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

    /// Names how the values of the open block are encoded.
    pub(crate) fn encoding(&self) -> String {
        match &self.packed {
            Some(packed) => packed.to_string(),
            None => "plain".to_owned(),
        }
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
}

fn no_block() -> Error {
    Error::invalid("no open packed block")
}

impl std::fmt::Debug for BlockDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockDecoder").field("kind", &self.kind).finish_non_exhaustive()
    }
}
