//! Writes the statistics and Bloom filters of a column into its metadata.
//!
//! ```text
//! requested by     arrow.statistics = version, order          arrow.bloom = version, rate, most values
//! end of block     rows, size, collected statistics
//! end              arrow.statistics and arrow.bloom of all blocks
//! ```

use super::block_statistics::{BlockStatistics, Statistics};
use super::bloom_filter::{Bloom, BloomFilters};
use super::collector::{CollectedStatistics, StatisticsCollector};
use super::sort_order::Order;
use crate::format::block::BlockDescriptor;
use crate::format::column_metadata::ColumnMetadata;
use crate::keys::{BLOOM, STATISTICS};

/// The statistics of the blocks of a column.
#[derive(Debug)]
pub(crate) struct ColumnStatisticsWriter {
    order: Option<Order>,
    bloom: Option<Bloom>,
    blocks: Vec<(u32, u32, CollectedStatistics)>,
    /// Whether rows have more than one value: then there are no statistics.
    many: bool,
}

impl ColumnStatisticsWriter {
    /// Takes the request for statistics from the metadata of a column.
    pub(crate) fn take(column: &mut ColumnMetadata) -> Self {
        let (order, bloom) = (Statistics::requested(column), Bloom::requested(column));
        column.remove(STATISTICS);
        column.remove(BLOOM);
        Self { order, bloom, blocks: Vec::new(), many: false }
    }

    /// Returns a collector, if statistics are requested.
    pub(crate) fn collector(&self, column: &ColumnMetadata) -> Option<StatisticsCollector> {
        let asked = self.order.is_some() || self.bloom.is_some();
        let order = self.order.unwrap_or(Order::Unknown);
        asked.then(|| StatisticsCollector::new(column.value_type(), order, self.bloom))
    }

    /// Adds the statistics of a block.
    pub(crate) fn note(&mut self, block: &BlockDescriptor, collected: CollectedStatistics) {
        if self.order.is_some() || self.bloom.is_some() {
            self.many |= collected.values > block.rows as usize;
            self.blocks.push((block.rows, block.uncompressed_size, collected));
        }
    }

    /// Returns the column with the statistics of all blocks in its metadata.
    pub(crate) fn finish(&self, column: &ColumnMetadata) -> ColumnMetadata {
        let mut column = column.clone();
        if let Some(order) = self.order.filter(|_| !self.many) {
            let block = |(rows, uncompressed_size, collected): &(u32, u32, CollectedStatistics)| {
                BlockStatistics {
                    rows: *rows,
                    uncompressed_size: *uncompressed_size,
                    nulls: rows.saturating_sub(u32::try_from(collected.values).unwrap_or(*rows)),
                    bounds: collected.bounds.clone(),
                }
            };
            let statistics = Statistics { order, blocks: self.blocks.iter().map(block).collect() };
            column.put(STATISTICS, statistics.write(column.value_type()));
        }
        if let Some(bloom) = self.bloom {
            let filters = self.blocks.iter().map(|(_, _, collected)| collected.filter.clone());
            let filters =
                BloomFilters { bloom, blocks: filters.map(Option::unwrap_or_default).collect() };
            let sizes = self.blocks.iter().map(|(rows, size, _)| (*rows, *size));
            column.put(BLOOM, filters.write(sizes));
        }
        column
    }
}
