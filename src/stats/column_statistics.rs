//! What a writer has seen of the blocks of a column, for its metadata.
//!
//! ```text
//! column asks      arrow.statistics = version, order          arrow.bloom = version, rate, most values
//! block sealed     note: rows, size, what was seen
//! end              arrow.statistics and arrow.bloom of all blocks
//! ```

use super::block_statistics::{BlockStatistics, Statistics};
use super::bloom_filter::{Bloom, BloomFilters};
use super::collector::{Seen, Watch};
use super::sort_order::Order;
use crate::format::block::BlockDescriptor;
use crate::format::metadata::ColumnMetadata;
use crate::keys::{BLOOM, STATISTICS};

/// What has been seen of a column.
#[derive(Debug)]
pub(crate) struct Noted {
    order: Option<Order>,
    bloom: Option<Bloom>,
    blocks: Vec<(u32, u32, Seen)>,
    /// Whether rows have more values than one, of which nothing can be said here.
    many: bool,
}

impl Noted {
    /// Takes what a column asks for from its metadata.
    pub(crate) fn take(column: &mut ColumnMetadata) -> Self {
        let (order, bloom) = (Statistics::requested(column), Bloom::requested(column));
        column.remove(STATISTICS);
        column.remove(BLOOM);
        Self { order, bloom, blocks: Vec::new(), many: false }
    }

    /// What looks at the values of a block, if anything is asked.
    pub(crate) fn watch(&self, column: &ColumnMetadata) -> Option<Watch> {
        let asked = self.order.is_some() || self.bloom.is_some();
        let order = self.order.unwrap_or(Order::Unknown);
        asked.then(|| Watch::new(column.value_type(), order, self.bloom))
    }

    /// Notes a block.
    pub(crate) fn note(&mut self, block: &BlockDescriptor, seen: Seen) {
        if self.order.is_some() || self.bloom.is_some() {
            self.many |= seen.values > block.rows as usize;
            self.blocks.push((block.rows, block.uncompressed_size, seen));
        }
    }

    /// The column, with all that was seen.
    pub(crate) fn finish(&self, column: &ColumnMetadata) -> ColumnMetadata {
        let mut column = column.clone();
        if let Some(order) = self.order.filter(|_| !self.many) {
            let block = |(rows, uncompressed_size, seen): &(u32, u32, Seen)| BlockStatistics {
                rows: *rows,
                uncompressed_size: *uncompressed_size,
                nulls: rows.saturating_sub(u32::try_from(seen.values).unwrap_or(*rows)),
                bounds: seen.bounds.clone(),
            };
            let statistics = Statistics { order, blocks: self.blocks.iter().map(block).collect() };
            column.put(STATISTICS, statistics.write(column.value_type()));
        }
        if let Some(bloom) = self.bloom {
            let filters = self.blocks.iter().map(|(_, _, seen)| seen.filter.clone());
            let filters =
                BloomFilters { bloom, blocks: filters.map(Option::unwrap_or_default).collect() };
            let sizes = self.blocks.iter().map(|(rows, size, _)| (*rows, *size));
            column.put(BLOOM, filters.write(sizes));
        }
        column
    }
}
