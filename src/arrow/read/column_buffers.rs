//! The buffers that each column is decoded into.
//!
//! ```text
//! column                              buffer
//! counts of 0 and 1 and nothing else  a bit each
//! optional leaf of the value codec    a bit and a value each
//! text as views, of the value codec   views
//! dictionaries of them, the same      keys, views
//! decimals of 128 bits, the same      their integers in that width
//! others                              lengths, values
//! ```

use arrow::datatypes::{DataType, Field};

use crate::arrow::array::buffer_pool::BufferPool;
use crate::arrow::array::nested;
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::leaf::types;
use crate::format::bitmap::Bits;
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::string_values::Strings;
use crate::format::value::ValueType;
use crate::format::values::Values;
use crate::pack::{ViewDictionary, Views};

/// What a column is read into.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) column: ColumnMetadata,
    pub(crate) form: BufferForm,
}

/// In which form a column's counts and values are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BufferForm {
    /// A bit for each count.
    pub(crate) bits: bool,
    /// A value for each of these.
    pub(crate) slots: bool,
    pub(crate) views: bool,
    /// Keys of views.
    pub(crate) dictionary: bool,
    /// Integers in the width of decimals.
    pub(crate) wide: bool,
}

impl Buffers {
    /// Returns an empty column, in reused memory.
    pub(crate) fn empty(&self, pool: &mut BufferPool) -> ColumnData {
        let BufferForm { bits, slots, views, dictionary, wide } = self.form;
        if bits {
            let mut data = ColumnData::presence();
            data.values = Values::Boolean(Bits::within(pool.take()));
            return data;
        }
        let mut data = ColumnData::of(&self.column);
        if slots {
            (data.lengths, data.validity) = (None, Some(Bits::within(pool.take())));
        }
        match &mut data.values {
            values if views => {
                *values = Values::Views(Views::within(pool.take(), pool.take()));
            }
            values if dictionary => {
                let views = Views::within(pool.take(), pool.take());
                *values = Values::Dictionary(ViewDictionary::within(pool.take(), views));
            }
            values if wide => *values = Values::Wide(pool.take()),
            Values::Null(_) | Values::Views(_) | Values::Dictionary(_) | Values::Wide(_) => {}
            Values::Boolean(bits) => *bits = Bits::within(pool.take()),
            Values::Int(values) => *values = pool.take(),
            Values::Long(values) => *values = pool.take(),
            Values::Float(values) => *values = pool.take(),
            Values::Double(values) => *values = pool.take(),
            Values::Bytes(strings) => {
                let text = self.column.value_type() == ValueType::String;
                *strings = Strings::within(pool.take(), pool.take(), text);
            }
        }
        data
    }
}

/// Notes in which form the columns of a shape are read: those of a value codec straight into Arrow's.
pub(crate) fn forms(
    shape: &FieldLayout,
    field: &Field,
    columns: &[(ColumnMetadata, bool)],
    into: &mut [BufferForm],
) {
    let data_type = field.data_type();
    let packed = |column: usize| columns.get(column).is_some_and(|(_, packed)| *packed);
    let of_nulls = |column: usize| {
        columns.get(column).is_some_and(|(column, _)| column.value_type() == ValueType::Null)
    };
    let is_integer = |column: usize| {
        use ValueType::{Fixed32, Fixed64, Int, Long};
        let column = columns.get(column).map(|(column, _)| column.value_type());
        matches!(column, Some(Int | Long | Fixed32 | Fixed64))
    };
    let mut set = |column: usize, change: &dyn Fn(&mut BufferForm)| {
        if let Some(form) = into.get_mut(column) {
            change(form);
        }
    };
    match shape {
        FieldLayout::Leaf { column } => {
            if packed(*column) && matches!(data_type, DataType::Utf8View | DataType::BinaryView) {
                set(*column, &|form| form.views = true);
            }
            if packed(*column) && matches!(data_type, DataType::Dictionary(..)) {
                set(*column, &|form| form.dictionary = true);
            }
            if packed(*column)
                && is_integer(*column)
                && matches!(data_type, DataType::Decimal128(..))
            {
                set(*column, &|form| form.wide = true);
            }
        }
        FieldLayout::Optional { counts, inner } => {
            if of_nulls(*counts) {
                set(*counts, &|form| form.bits = true);
            } else if **inner == (FieldLayout::Leaf { column: *counts })
                && packed(*counts)
                && types::has_slots(data_type)
            {
                set(*counts, &|form| form.slots = true);
            }
            forms(inner, field, columns, into);
        }
        FieldLayout::List { inner, .. } => {
            if let Some(item) = nested::item(data_type) {
                forms(inner, item, columns, into);
            }
        }
        FieldLayout::Map { key, value, .. } => {
            let entries = nested::fields(data_type);
            let fields = entries.first().map(|entry| nested::fields(entry.data_type()));
            let fields = fields.unwrap_or_default();
            for (shape, field) in [key, value].into_iter().zip(&fields) {
                forms(shape, field, columns, into);
            }
        }
        FieldLayout::Record(shapes) => {
            for (shape, field) in shapes.iter().zip(nested::fields(data_type)) {
                forms(shape, &field, columns, into);
            }
        }
        FieldLayout::Union(branches) => {
            for ((counts, shape), field) in branches.iter().zip(nested::fields(data_type)) {
                if let Some(counts) = counts.filter(|counts| of_nulls(*counts))
                    && let Some(form) = into.get_mut(counts)
                {
                    form.bits = true;
                }
                forms(shape, &field, columns, into);
            }
        }
        FieldLayout::Nothing => {}
    }
}
