//! The widths of string columns.
//!
//! ```text
//! "a" "abc" "ab"      3 characters: <U3
//! ```

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, SchemaRef};

use super::{DTYPE_KEY, is_binary, is_text};
use trevni::Result;

/// The maximum width of the strings of each column without a declared one.
#[derive(Debug, Clone)]
pub struct Widths {
    widths: Vec<Option<usize>>,
}

impl Widths {
    /// Creates widths before any rows.
    pub fn new(schema: &SchemaRef) -> Self {
        let of = |field: &Field| {
            let open = !field.metadata().contains_key(DTYPE_KEY) && is_open(field.data_type());
            open.then_some(0)
        };
        Self { widths: schema.fields().iter().map(|field| of(field)).collect() }
    }

    /// Returns whether the widths of all columns are declared.
    pub fn are_known(&self) -> bool {
        self.widths.iter().all(Option::is_none)
    }

    /// Takes some rows into account.
    pub fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        for (width, column) in self.widths.iter_mut().zip(batch.columns()) {
            if let Some(width) = width {
                *width = (*width).max(widest(column)?);
            }
        }
        Ok(())
    }

    /// Returns the width of a column: characters of text, bytes of binary.
    pub fn of(&self, column: usize) -> Option<usize> {
        self.widths.get(column).copied().flatten()
    }
}

/// Returns the value type within dictionaries, run ends and fixed-size lists.
fn values(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, inner) => values(inner),
        DataType::RunEndEncoded(_, inner) | DataType::FixedSizeList(inner, _) => {
            values(inner.data_type())
        }
        other => other,
    }
}

fn is_open(data_type: &DataType) -> bool {
    is_text(values(data_type)) || is_binary(values(data_type))
}

fn widest(column: &ArrayRef) -> Result<usize> {
    if let Some(list) = column.as_fixed_size_list_opt() {
        return widest(list.values());
    }
    if is_binary(values(column.data_type())) {
        let column = cast(column, &DataType::Binary)?;
        return Ok(column.as_binary::<i32>().iter().flatten().map(<[u8]>::len).max().unwrap_or(0));
    }
    let column = cast(column, &DataType::Utf8)?;
    let texts = column.as_string::<i32>().iter().flatten();
    Ok(texts.map(|text| text.chars().count()).max().unwrap_or(0))
}
