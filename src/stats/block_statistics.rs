//! Statistics of the blocks of a column: null counts, minimum and maximum.
//!
//! ```text
//! arrow.statistics   byte version 1 │ byte order │ long blocks │ of each block: long 4n + b, bounds │ fixed32 proof
//! n                  rows without a value                b   0 no bounds, 1 the least and greatest, 2 around them
//! bounds             boolean   byte, 1 if the least is true, and 2 if the greatest is
//!                    int, long long distance from the least of the block before (0 at first), long distance to the
//!                              greatest, both modulo 2^64
//!                    float     fixed32 least, fixed32 greatest          double   fixed64, fixed64
//!                    string    least, greatest: long bytes shared with the one before, bytes the others
//! proof              CRC-32 of all before it, and of fixed32 rows and fixed32 size before the codec of each block
//! ```
//! The entry is in the metadata of the column. It is valid only with the blocks for which it was written: an entry
//! that does not fit them, or is malformed, is ignored, since the rows can be read without it. A writer that is
//! given the column of another file writes new statistics in the same order. (`spec/statistics.md`)

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::sort_order::Order;

use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::{Value, ValueType};
use crate::keys::STATISTICS;
use crate::wire::{self, Cursor};

const VERSION: u8 = 1;

/// The longest bound of strings.
pub(crate) const LONGEST: usize = 64;

/// The statistics of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// How the values are compared.
    pub order: Order,
    /// Each block.
    pub blocks: Vec<BlockStatistics>,
}

/// The statistics of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockStatistics {
    /// Rows in the block.
    pub rows: u32,
    /// Bytes before the codec.
    pub uncompressed_size: u32,
    /// Rows without a value.
    pub nulls: u32,
    /// The minimum and maximum, if they are known and there are values.
    pub bounds: Option<Bounds>,
}

/// The bounds of values, both inclusive.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// No value is less.
    pub min: Value<'static>,
    /// No value is greater.
    pub max: Value<'static>,
    /// Whether both are values of the block. Long strings are truncated, the maximum upwards.
    pub exact: bool,
}

impl ColumnMetadata {
    /// Requests statistics of each block from the writer, for values in an order. Only for columns with at most one
    /// value per row.
    pub fn with_statistics(mut self, order: Order) -> Self {
        self.put(STATISTICS, Statistics::request(order));
        self
    }
}

impl Statistics {
    /// Returns the entry that requests statistics in an order.
    pub(crate) fn request(order: Order) -> Vec<u8> {
        vec![VERSION, order.number()]
    }

    /// Returns the requested order, or that of the statistics of another file.
    pub(crate) fn requested(column: &ColumnMetadata) -> Option<Order> {
        match column.metadata().get(STATISTICS)? {
            [VERSION, order, ..] => Order::from_number(*order, column.value_type()),
            _ => None,
        }
    }

    /// Returns the value in the metadata.
    pub(crate) fn write(&self, value_type: ValueType) -> Vec<u8> {
        let mut out = Self::request(self.order);
        wire::put_long(&mut out, self.blocks.len() as i64);
        let mut last = Last::default();
        for block in &self.blocks {
            let kind = block.bounds.as_ref().map_or(0, |bounds| if bounds.exact { 1 } else { 2 });
            wire::put_long(&mut out, i64::from(block.nulls) * 4 + kind);
            if let Some(bounds) = &block.bounds {
                last.put(bounds, value_type, &mut out);
            }
        }
        let proof = proof(&out, self.blocks.iter().map(|b| (b.rows, b.uncompressed_size)));
        wire::put_fixed32(&mut out, proof);
        out
    }

    /// Reads the value in the metadata of a column with these blocks.
    pub(crate) fn read(
        bytes: &[u8],
        value_type: ValueType,
        blocks: &[BlockDescriptor],
    ) -> Result<Self> {
        let Some((entry, stored)) = bytes.split_last_chunk::<4>() else {
            return Err(Error::malformed("statistics without a proof"));
        };
        let sizes = blocks.iter().map(|block| (block.rows, block.uncompressed_size));
        if proof(entry, sizes) != u32::from_le_bytes(*stored) {
            return Err(Error::malformed("statistics of other blocks"));
        }
        let mut cursor = Cursor::new(entry);
        let [version, order] = cursor.array("statistics")?;
        if version != VERSION {
            return Err(Error::unsupported(format!("statistics of version {version}")));
        }
        let order = Order::from_number(order, value_type)
            .ok_or_else(|| Error::malformed(format!("order {order} of {value_type}")))?;
        if cursor.count("blocks")? != blocks.len() as u64 {
            return Err(Error::malformed("statistics of another number of blocks"));
        }
        let mut last = Last::default();
        let take = |block: &BlockDescriptor| last.take_block(&mut cursor, block, value_type, order);
        let blocks = blocks.iter().map(take).collect::<Result<_>>()?;
        match cursor.remaining() {
            0 => Ok(Self { order, blocks }),
            n => Err(Error::malformed(format!("{n} bytes after statistics"))),
        }
    }

    /// Concatenates the statistics of columns; `None` if their orders differ.
    pub(crate) fn concat(parts: Vec<Self>) -> Option<Self> {
        let order = parts.first()?.order;
        let alike = parts.iter().all(|part| part.order == order);
        let blocks = parts.into_iter().flat_map(|part| part.blocks).collect();
        alike.then_some(Self { order, blocks })
    }

    /// Returns whether no value of a later block can be less than one of an earlier one, and each has one.
    pub(crate) fn ascends(&self) -> bool {
        self.blocks.iter().all(|block| block.bounds.is_some())
            && self.blocks.windows(2).all(|pair| match pair {
                [
                    BlockStatistics { bounds: Some(a), .. },
                    BlockStatistics { bounds: Some(b), .. },
                ] => self.order.compare(&a.max, &b.min).is_some_and(|order| order.is_le()),
                _ => false,
            })
    }
}

/// Computes the checksum of an entry and the blocks for which it is written.
pub(crate) fn proof(entry: &[u8], blocks: impl Iterator<Item = (u32, u32)>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(entry);
    for (rows, size) in blocks {
        hasher.update(&rows.to_le_bytes());
        hasher.update(&size.to_le_bytes());
    }
    hasher.finalize()
}

/// What the next bounds are written by their difference from.
#[derive(Debug, Default)]
struct Last {
    number: i64,
    string: Vec<u8>,
}

impl Last {
    fn take_block(
        &mut self,
        cursor: &mut Cursor<'_>,
        block: &BlockDescriptor,
        value_type: ValueType,
        order: Order,
    ) -> Result<BlockStatistics> {
        let number = cursor.count("nulls of a block")?;
        let nulls = u32::try_from(number / 4).ok().filter(|nulls| *nulls <= block.rows);
        let nulls = nulls.ok_or_else(|| Error::malformed("more nulls than rows"))?;
        let bounds = match number % 4 {
            0 => None,
            kind @ (1 | 2) => Some(self.take(cursor, value_type, kind == 1)?),
            kind => return Err(Error::malformed(format!("bounds of kind {kind}"))),
        };
        if let Some(Bounds { min, max, .. }) = &bounds
            && !order.compare(min, max).is_some_and(|order| order.is_le())
        {
            return Err(Error::malformed("bounds that contain no value"));
        }
        let (rows, uncompressed_size) = (block.rows, block.uncompressed_size);
        Ok(BlockStatistics { rows, uncompressed_size, nulls, bounds })
    }

    fn put(&mut self, bounds: &Bounds, value_type: ValueType, out: &mut Vec<u8>) {
        let long = |value: &Value<'_>| match value {
            Value::Int(v) => i64::from(*v),
            Value::Long(v) => *v,
            _ => 0,
        };
        match (&bounds.min, &bounds.max) {
            (Value::Boolean(min), Value::Boolean(max)) => {
                out.push(u8::from(*min) | u8::from(*max) << 1);
            }
            (Value::Bytes(min), Value::Bytes(max)) => {
                self.put_string(min, out);
                self.put_string(max, out);
            }
            (min @ (Value::Int(_) | Value::Long(_)), max) => {
                let (min, max) = (long(min), long(max));
                wire::put_long(out, min.wrapping_sub(self.number));
                wire::put_long(out, max.wrapping_sub(min));
                self.number = min;
            }
            (min, max) => {
                min.put(value_type, out);
                max.put(value_type, out);
            }
        }
    }

    fn take(
        &mut self,
        cursor: &mut Cursor<'_>,
        value_type: ValueType,
        exact: bool,
    ) -> Result<Bounds> {
        let (min, max) = match value_type {
            ValueType::Null => return Err(Error::malformed("bounds of nulls")),
            ValueType::Boolean => {
                let [bits] = cursor.array("bounds")?;
                (Value::Boolean(bits & 1 == 1), Value::Boolean(bits & 2 == 2))
            }
            ValueType::Float | ValueType::Double => {
                (Value::take(value_type, cursor)?, Value::take(value_type, cursor)?)
            }
            ValueType::String | ValueType::Bytes => {
                (self.take_string(cursor)?, self.take_string(cursor)?)
            }
            ValueType::Int | ValueType::Fixed32 | ValueType::Long | ValueType::Fixed64 => {
                let min = self.number.wrapping_add(cursor.long("bounds")?);
                let max = min.wrapping_add(cursor.long("bounds")?);
                self.number = min;
                (number(min, value_type)?, number(max, value_type)?)
            }
        };
        Ok(Bounds { min, max, exact })
    }

    fn put_string(&mut self, string: &[u8], out: &mut Vec<u8>) {
        let shared = self.string.iter().zip(string).take_while(|(a, b)| a == b).count();
        wire::put_long(out, shared as i64);
        wire::put_bytes(out, string.get(shared..).unwrap_or_default());
        self.string = string.to_vec();
    }

    fn take_string(&mut self, cursor: &mut Cursor<'_>) -> Result<Value<'static>> {
        let shared = usize::try_from(cursor.count("bytes shared")?).unwrap_or(usize::MAX);
        let others = cursor.bytes("bound")?;
        let Some(shared) = self.string.get(..shared) else {
            return Err(Error::malformed("a bound shares more bytes than there are"));
        };
        if shared.len() + others.len() > LONGEST {
            return Err(Error::malformed(format!("a bound longer than {LONGEST} bytes")));
        }
        self.string = [shared, others].concat();
        Ok(Value::Bytes(Cow::Owned(self.string.clone())))
    }
}

fn number(long: i64, value_type: ValueType) -> Result<Value<'static>> {
    match value_type {
        ValueType::Long | ValueType::Fixed64 => Ok(Value::Long(long)),
        _ => {
            let int = i32::try_from(long);
            Ok(Value::Int(int.map_err(|_| Error::malformed("a bound is no int"))?))
        }
    }
}
