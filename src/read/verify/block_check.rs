//! Recomputes what a file states about the values of its blocks, value by value, and reports what differs.
//!
//! ```text
//! values of a block ──► null count, minimum, maximum   against   arrow.statistics
//!                   ──► hashes                         against   arrow.bloom
//!                   ──► the first value, ascending     against   trevni.values
//! ```
//! The writer computes statistics with kernels, over slots, or takes them from the value codec. Here each value that
//! a reader returns is compared with the others, whatever the layout and the codec.

use std::cmp::Ordering;

use super::super::file_reader::FileReader;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::header::Version;
use crate::format::value::{Value, ValueType};
use crate::format::values::Values;
use crate::io::ReadAt;
use crate::keys::{BLOOM, STATISTICS};
use crate::stats::block_statistics::{Bounds, Statistics};
use crate::stats::bloom_filter::{BloomFilters, hashes};
use crate::stats::sort_order::Order;

/// What a column states of its blocks.
pub(super) struct StatedOfBlocks {
    statistics: Option<Statistics>,
    filters: Option<BloomFilters>,
    /// Whether blocks have first values that are those of their first rows.
    has_first_values: bool,
    ascending: Option<Ascending>,
}

/// The values of a block so far.
#[derive(Default)]
pub(super) struct SeenValues {
    values: u64,
    bounds: Option<[Value<'static>; 2]>,
    /// Whether values have been compared that have no order.
    unordered: bool,
    /// Whether a value is in no filter.
    unfiltered: bool,
    first: Option<Value<'static>>,
}

impl StatedOfBlocks {
    /// Reads what a column states, `None` if that is nothing. Fails if it cannot be read.
    pub(super) fn read<R: ReadAt>(file: &FileReader<R>, column: usize) -> Result<Option<Self>> {
        let (meta, blocks) = (file.column(column)?, file.blocks(column)?);
        let wrong = |what: &str, e: Error| {
            Error::malformed(format!("its {what} cannot be read: {e}")).in_column(meta.name())
        };
        let statistics = match meta.metadata().get(STATISTICS) {
            Some(bytes) => Some(
                Statistics::read(bytes, meta.value_type(), &blocks)
                    .map_err(|e| wrong("statistics", e))?,
            ),
            None => None,
        };
        let filters = match meta.metadata().get(BLOOM) {
            Some(bytes) => {
                Some(BloomFilters::read(bytes, &blocks).map_err(|e| wrong("Bloom filters", e))?)
            }
            None => None,
        };
        // The reference of version 1 wrote first values that were none.
        let has_first_values = meta.is_indexed() && file.header().version >= Version::V2;
        let ascending = meta.is_indexed().then(|| Ascending::new(meta));
        let is_stated = statistics.is_some() || filters.is_some() || ascending.is_some();
        Ok(is_stated.then_some(Self { statistics, filters, has_first_values, ascending }))
    }

    /// Adds values of a block.
    pub(super) fn add(&mut self, block: usize, values: &Values, seen: &mut SeenValues) {
        let values = values.as_slice();
        let n = values.len();
        seen.values += n as u64;
        if seen.first.is_none() {
            seen.first = values.get(0).map(Value::into_owned);
        }
        if let Some(filter) = self.filters.as_ref().and_then(|filters| filters.blocks.get(block)) {
            seen.unfiltered |= hashes(values, 0..n).iter().any(|hash| !filter.may_have(*hash));
        }
        let order = self.statistics.as_ref().map_or(Order::Unknown, |statistics| statistics.order);
        if order != Order::Unknown {
            let each = (0..n).filter_map(|i| values.get(i));
            let mut bounds = seen.bounds.take();
            for value in each {
                seen.unordered |= !widen(&mut bounds, value, order);
            }
            seen.bounds = bounds;
        }
        if let Some(ascending) = &mut self.ascending {
            (0..n).filter_map(|i| values.get(i)).for_each(|value| ascending.add(value));
        }
    }

    /// Compares a block of which all values have been seen.
    pub(super) fn check(
        &self,
        number: usize,
        block: &BlockDescriptor,
        seen: &SeenValues,
    ) -> Result<()> {
        let wrong = |what: String| Err(Error::malformed(what));
        if seen.unfiltered {
            return wrong("a value is not in its Bloom filter".into());
        }
        if self.has_first_values
            && let (Some(stated), Some(first)) = (&block.first_value, &seen.first)
            && !is_same(stated, first)
        {
            return wrong(format!("its first value is {}, not {}", Shown(first), Shown(stated)));
        }
        let statistics =
            self.statistics.as_ref().and_then(|all| Some((all, all.blocks.get(number)?)));
        let Some((Statistics { order, .. }, stated)) = statistics else { return Ok(()) };
        let nulls = u64::from(block.rows).saturating_sub(seen.values);
        if u64::from(stated.nulls) != nulls {
            return wrong(format!("its statistics count {} nulls, not {nulls}", stated.nulls));
        }
        let Some(Bounds { min, max, exact }) = &stated.bounds else { return Ok(()) };
        let Some([least, greatest]) = seen.bounds.as_ref().filter(|_| !seen.unordered) else {
            return wrong("its statistics have bounds, and it has no values in their order".into());
        };
        for (what, stated, found, outside) in
            [("minimum", min, least, Ordering::Greater), ("maximum", max, greatest, Ordering::Less)]
        {
            let compared = order.compare(stated, found);
            if compared == Some(outside) || *exact && compared != Some(Ordering::Equal) {
                let found = Shown(found);
                return wrong(format!(
                    "the {what} of its statistics is {}, not {found}",
                    Shown(stated)
                ));
            }
        }
        Ok(())
    }

    /// Returns the fault of a column with first values whose values do not ascend.
    pub(super) fn check_ascending(&self) -> Result<()> {
        match self.ascending.as_ref().and_then(|ascending| ascending.fault) {
            Some(row) => Err(Error::malformed(format!(
                "its blocks have first values, but its values do not ascend: row {row} belongs before row {}",
                row - 1
            ))),
            None => Ok(()),
        }
    }
}

/// Extends bounds by a value; returns whether it has an order.
fn widen(bounds: &mut Option<[Value<'static>; 2]>, value: Value<'_>, order: Order) -> bool {
    let Some([min, max]) = bounds else {
        let ordered = order.compare(&value, &value).is_some();
        if ordered {
            let value = value.into_owned();
            *bounds = Some([value.clone(), value]);
        }
        return ordered;
    };
    match (order.compare(&value, min), order.compare(&value, max)) {
        (Some(Ordering::Less), _) => *min = value.into_owned(),
        (_, Some(Ordering::Greater)) => *max = value.into_owned(),
        (Some(_), Some(_)) => {}
        _ => return false,
    }
    true
}

/// Whether values ascend, in the order of this crate or in that of the reference.
struct Ascending {
    value_type: ValueType,
    row: u64,
    last: Option<Value<'static>>,
    /// Whether they do so far: in [`Value::order`], and as the reference compares.
    so_far: [bool; 2],
    /// The first row that belongs before the row before it in both orders.
    fault: Option<u64>,
}

impl Ascending {
    fn new(column: &ColumnMetadata) -> Self {
        let value_type = column.value_type();
        Self { value_type, row: 0, last: None, so_far: [true; 2], fault: None }
    }

    fn add(&mut self, value: Value<'_>) {
        if let Some(last) = self.last.as_ref().filter(|_| self.fault.is_none()) {
            let orders = [last.order(&value), reference_order(last, &value, self.value_type)];
            for (so_far, order) in self.so_far.iter_mut().zip(orders) {
                *so_far &= order.is_some_and(|order| order.is_le());
            }
            if self.so_far == [false; 2] {
                self.fault = Some(self.row);
            }
        }
        if self.fault.is_none() {
            self.last = Some(value.into_owned());
        }
        self.row += 1;
    }
}

/// Compares as the reference does: strings by UTF-16 code units, bytes with their signs, all NaNs as one.
fn reference_order(a: &Value<'_>, b: &Value<'_>, value_type: ValueType) -> Option<Ordering> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) if a.is_nan() || b.is_nan() => {
            Some(a.is_nan().cmp(&b.is_nan()))
        }
        (Value::Double(a), Value::Double(b)) if a.is_nan() || b.is_nan() => {
            Some(a.is_nan().cmp(&b.is_nan()))
        }
        (Value::Bytes(a), Value::Bytes(b)) if value_type == ValueType::String => {
            let (a, b) = (std::str::from_utf8(a).ok()?, std::str::from_utf8(b).ok()?);
            Some(a.encode_utf16().cmp(b.encode_utf16()))
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            let signed = |byte: &u8| byte.cast_signed();
            Some(a.iter().map(signed).cmp(b.iter().map(signed)))
        }
        (a, b) => a.order(b),
    }
}

/// Returns whether values are the same, bit for bit.
fn is_same(a: &Value<'_>, b: &Value<'_>) -> bool {
    a.order(b) == Some(Ordering::Equal)
}

/// A value in a message.
struct Shown<'a>(&'a Value<'static>);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Boolean(v) => v.fmt(f),
            Value::Int(v) => v.fmt(f),
            Value::Long(v) => v.fmt(f),
            Value::Float(v) => v.fmt(f),
            Value::Double(v) => v.fmt(f),
            Value::Bytes(v) => write!(f, "\"{}\"", v.escape_ascii()),
        }
    }
}
