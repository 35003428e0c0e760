//! The columns for which statistics and Bloom filters are written.
//!
//! ```text
//! leaf                 in the order of its type; nothing if that is unknown and no row is null
//! optional struct,     nulls alone, by the counts
//! list, map
//! within lists,        nothing: rows have any number of values
//! maps, unions
//! ```

use arrow::datatypes::{DataType, Field};

use super::properties::WriterProperties;
use crate::arrow::array::nested;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::schema::stored::SchemaPlan;
use crate::arrow::stats::block_filters::has_filter;
use crate::arrow::stats::statistics::order;
use crate::error::Result;
use crate::format::column_metadata::ColumnMetadata;
use crate::stats::sort_order::Order;

/// Enables statistics and Bloom filters of columns as the properties say.
pub(crate) fn ask(
    properties: &WriterProperties,
    planning: &SchemaPlan,
    columns: &mut [ColumnMetadata],
) -> Result<()> {
    let mut asking = Asking { properties, columns };
    for (shape, field) in planning.plan.shapes.iter().zip(&planning.stored) {
        asking.field(shape, field, false);
    }
    properties.check_paths(columns)
}

struct Asking<'a> {
    properties: &'a WriterProperties,
    columns: &'a mut [ColumnMetadata],
}

impl Asking<'_> {
    fn field(&mut self, shape: &FieldLayout, field: &Field, nullable: bool) {
        match shape {
            FieldLayout::Leaf { column } => self.leaf(*column, field.data_type(), nullable),
            FieldLayout::Optional { counts, inner } => {
                if !matches!(**inner, FieldLayout::Leaf { .. }) {
                    self.statistics(*counts, Order::Unknown);
                }
                self.field(inner, field, true);
            }
            FieldLayout::Record(shapes) => {
                for (shape, field) in shapes.iter().zip(&nested::fields(field.data_type())) {
                    self.field(shape, field, nullable);
                }
            }
            FieldLayout::List { .. }
            | FieldLayout::Map { .. }
            | FieldLayout::Union(_)
            | FieldLayout::Nothing => {}
        }
    }

    fn leaf(&mut self, column: usize, data_type: &DataType, nullable: bool) {
        let Some(value_type) = self.columns.get(column).map(ColumnMetadata::value_type) else {
            return;
        };
        let order = order(data_type, value_type);
        if nullable || order != Order::Unknown {
            self.statistics(column, order);
        }
        if has_filter(data_type)
            && let Some(column) = self.columns.get_mut(column)
            && let Some(bloom) = self.properties.bloom_filter(column.name())
        {
            *column = column.clone().with_bloom_filter(bloom);
        }
    }

    fn statistics(&mut self, column: usize, order: Order) {
        if let Some(column) = self.columns.get_mut(column)
            && self.properties.has_statistics(column.name())
        {
            *column = column.clone().with_statistics(order);
        }
    }
}
