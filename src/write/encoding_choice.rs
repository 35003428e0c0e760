//! Chooses a column's encoding from its first blocks.
//!
//! ```text
//! first blocks   varints or fixed?  ──►  with the codec, or without?  ──►  the least cost, for all blocks
//! cost           stored bytes + the time to decompress and decode, in bytes that could be read meanwhile
//! ```
//! A codec that hardly compresses a column costs more than it saves: such a column gets the codec `null`. Varints
//! decode so fast that reading them is mostly decompression, and they are often the keys and counts that are read
//! alone, few bytes beside the strings of a table: there an element of snappy costs more. Numbers whose varints are
//! as long as the numbers are written as `fixed32` or `fixed64`.

use super::block_compressor::{BlockCompressor, CompressedBlock, RawBlock};
use crate::codec::Codec;
use crate::error::Result;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::plain::decode::Decoder;
use crate::format::plain::encode::Encoder;
use crate::format::value::ValueType;
use crate::format::values::Values;

/// The number of blocks of a sample.
const BLOCKS: usize = 2;

/// What the sample of a column may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EncodingSampling {
    /// Whether the codec may become `null`.
    pub(crate) codec: bool,
    /// Whether int and long may become fixed32 and fixed64.
    pub(crate) value_type: bool,
}

/// The first blocks of a column.
#[derive(Debug)]
pub(crate) struct EncodingSample {
    open: EncodingSampling,
    blocks: Vec<RawBlock>,
}

/// The chosen encoding, and the blocks of the sample written with it.
#[derive(Debug)]
pub(crate) struct ChosenEncoding {
    /// Another codec than the column had.
    pub(crate) codec: Option<Codec>,
    /// Another value type than the column had.
    pub(crate) value_type: Option<ValueType>,
    pub(crate) blocks: Vec<CompressedBlock>,
    cost: usize,
}

impl EncodingSample {
    /// Returns `None` if nothing can be chosen for this column.
    pub(crate) fn of(
        column: &ColumnMetadata,
        codec: Codec,
        sampling: EncodingSampling,
    ) -> Option<Self> {
        let open = EncodingSampling {
            codec: sampling.codec && codec != Codec::Null,
            value_type: sampling.value_type
                && fixed(column.value_type()).is_some()
                && !column.is_array(),
        };
        (open != EncodingSampling::default()).then(|| Self { open, blocks: Vec::new() })
    }

    /// Adds a block. Returns whether they are enough now.
    pub(crate) fn push(&mut self, raw: RawBlock) -> bool {
        self.blocks.push(raw);
        self.blocks.len() >= BLOCKS
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks.iter().map(|raw| raw.bytes.len()).sum()
    }

    /// Writes the blocks with the encoding that costs least.
    pub(crate) fn fill_nulls(
        self,
        column: &ColumnMetadata,
        compressor: &BlockCompressor,
    ) -> Result<ChosenEncoding> {
        let Self { open, blocks } = self;
        let varints = ColumnEncoding::of(column.value_type(), compressor.codec());
        let Some(value_type) = fixed(column.value_type()).filter(|_| open.value_type) else {
            return open.compress(blocks, varints, compressor);
        };
        let bytes = blocks.iter().map(|raw| raw.bytes.len()).sum::<usize>();
        let values = blocks.iter().map(count_varints).sum::<usize>();
        let width = value_type.width();
        if bytes < values * (width - 2) {
            return open.compress(blocks, varints, compressor);
        }
        let fixed = blocks.iter().map(|raw| as_fixed(raw, column.value_type(), value_type));
        let fixed = fixed.collect::<Result<_>>()?;
        let encoding = ColumnEncoding {
            value_type: Some(value_type),
            ..ColumnEncoding::of(value_type, compressor.codec())
        };
        let fixed = open.compress(fixed, encoding, compressor)?;
        // Varints take time as well, those of more than eight bytes much of it.
        let slow = if bytes > values * 8 { values / 2 } else { values / 16 };
        let varints = open.compress(blocks, ColumnEncoding { slow, ..varints }, compressor)?;
        Ok(if fixed.cost < varints.cost { fixed } else { varints })
    }
}

/// An encoding of a column, and how its cost is weighed.
struct ColumnEncoding {
    /// Another value type than the column had.
    value_type: Option<ValueType>,
    /// How many times the codec's effort counts.
    weight: usize,
    /// The cost of decoding the values.
    slow: usize,
}

impl ColumnEncoding {
    fn of(value_type: ValueType, codec: Codec) -> Self {
        let is_varints = matches!(value_type, ValueType::Null | ValueType::Int | ValueType::Long);
        let weight = if is_varints && codec == Codec::Snappy { 5 } else { 1 };
        Self { value_type: None, weight, slow: 0 }
    }
}

impl EncodingSampling {
    /// Compresses blocks with the codec or, if it may be dropped and that costs less, without.
    fn compress(
        self,
        blocks: Vec<RawBlock>,
        encoding: ColumnEncoding,
        compressor: &BlockCompressor,
    ) -> Result<ChosenEncoding> {
        let ColumnEncoding { value_type, weight, slow } = encoding;
        let bytes: usize = blocks.iter().map(|raw| raw.bytes.len()).sum();
        let (mut cost, mut compressed) = (0, Vec::with_capacity(blocks.len()));
        for raw in blocks {
            let block = compressor.compress(raw, Vec::new())?;
            let stored = block.descriptor.compressed_size as usize;
            let effort = compressor.cost(&block)?.saturating_sub(stored);
            cost += stored + effort * weight;
            compressed.push(block);
        }
        if !self.codec || cost <= bytes {
            return Ok(ChosenEncoding {
                codec: None,
                value_type,
                blocks: compressed,
                cost: cost + slow,
            });
        }
        let null = compressor.with(Codec::Null)?;
        let again = compressed.into_iter().map(|block| null.compress(block.into_raw(), Vec::new()));
        let blocks = again.collect::<Result<_>>()?;
        Ok(ChosenEncoding { codec: Some(Codec::Null), value_type, blocks, cost: bytes + slow })
    }
}

/// Returns the type that holds the same numbers in bytes of their own.
fn fixed(value_type: ValueType) -> Option<ValueType> {
    match value_type {
        ValueType::Int => Some(ValueType::Fixed32),
        ValueType::Long => Some(ValueType::Fixed64),
        _ => None,
    }
}

/// Returns how many varints a block has: as many as bytes that end one.
fn count_varints(raw: &RawBlock) -> usize {
    raw.bytes.iter().filter(|byte| **byte < 0x80).count()
}

/// Returns the block with the same rows, its varints as numbers of fixed width.
fn as_fixed(raw: &RawBlock, from: ValueType, to: ValueType) -> Result<RawBlock> {
    let n = count_varints(raw);
    let mut values = Values::new(from);
    Decoder::default().values(&raw.bytes, from, n, &mut values)?;
    let mut encoder = Encoder::new(true);
    encoder.fixed(values.as_slice(), 0..n);
    debug_assert_eq!(encoder.bytes.len(), n * to.width());
    let (rows, first_value, collected) = (raw.rows, raw.first_value.clone(), raw.collected.clone());
    Ok(RawBlock { bytes: encoder.replace(Vec::new()), rows, first_value, collected })
}
