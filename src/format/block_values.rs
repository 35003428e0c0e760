//! The values of one block, with the number of values of each row of an array column.
//!
//! ```text
//! values   5 6 7 8 · 9     has a value   1 1 1 1 0 1         or   lengths   2 0 4
//! ```

use crate::error::Result;
use crate::format::bitmap::Bits;
use crate::format::budget::ReadBudget;
use crate::format::packed_block::PackedBlock;
use crate::format::plain::encode::Encoder;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::io::Limits;
use crate::kernel;

/// The values of a block.
#[derive(Debug)]
pub(crate) struct BlockValues {
    pub(crate) value_type: ValueType,
    pub(crate) counts: ItemCounts,
    pub(crate) values: Values,
}

/// The number of values of each item.
#[derive(Debug)]
pub(crate) enum ItemCounts {
    /// One value each.
    One,
    /// Any number: the lengths of arrays.
    Lengths(Vec<u32>),
    /// One or none: a bit is set for each item that has a value. The values have a slot for every item.
    Presence(Bits),
}

impl BlockValues {
    /// No values.
    pub(crate) fn new(value_type: ValueType) -> Self {
        Self { value_type, counts: ItemCounts::One, values: Values::new(value_type) }
    }

    /// Decodes all values of a packed block, within the memory that one row may take.
    pub(crate) fn decode(
        packed: &mut PackedBlock,
        value_type: ValueType,
        array: bool,
        limits: &Limits,
    ) -> Result<Self> {
        let n = packed.len();
        let mut all = Self::new(value_type);
        let budget = ReadBudget::new(limits.row_bytes);
        budget.take(n, all.values.width())?;
        all.values.set_room(budget.left());
        if !array {
            packed.values(n, &mut all.values)?;
        } else if packed.has_bits() {
            let mut validity = Bits::default();
            packed.slots(n, &mut validity, &mut all.values)?;
            all.counts = ItemCounts::Presence(validity);
        } else {
            let mut lengths = Vec::new();
            let most = limits.values.min(budget.left() / all.values.width().max(1));
            packed.arrays(n, &mut lengths, &mut all.values, most)?;
            all.counts = ItemCounts::Lengths(lengths);
        }
        Ok(all)
    }

    /// Returns the number of items.
    pub(crate) fn items(&self) -> usize {
        match &self.counts {
            ItemCounts::One => self.values.len(),
            ItemCounts::Lengths(lengths) => lengths.len(),
            ItemCounts::Presence(bits) => bits.len(),
        }
    }

    /// Plain-encodes the values. With `dense`, items without a value have no slot among the values.
    pub(crate) fn encode_plain(&self, with_runs: bool, dense: bool) -> Vec<u8> {
        let fixed = matches!(self.value_type, ValueType::Fixed32 | ValueType::Fixed64);
        let mut encoder = Encoder::new(with_runs);
        let values = self.values.as_slice();
        match &self.counts {
            ItemCounts::One if fixed => encoder.fixed(values, 0..values.len()),
            ItemCounts::One => encoder.values(values, 0..values.len()),
            ItemCounts::Lengths(lengths) => encoder.arrays(lengths, values, 0, fixed),
            ItemCounts::Presence(bits) if self.value_type == ValueType::Null => {
                encoder.presence(bits.as_bytes(), 0, 0..bits.len());
            }
            ItemCounts::Presence(bits) => {
                let mut at = 0;
                kernel::bitmap::for_each_run(bits.as_bytes(), 0, bits.len(), |valid, count| {
                    encoder.arrays(&vec![u32::from(valid); count], values, at, fixed);
                    at += if valid || !dense { count } else { 0 };
                });
            }
        }
        encoder.finish();
        encoder.bytes
    }
}
