//! The answer to `values`: the bounds and the most frequent values of a column.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use serde_json::{Value as Json, json};
use trevni::Result;

use crate::cell::cells;
use crate::session::{RowRange, Session};

/// Different values that are counted; those that come after them are not.
const MOST_DISTINCT: usize = 10_000;

/// Values of an answer.
const TOP: usize = 12;

/// Bars of a histogram.
const BARS: usize = 40;

pub(crate) fn values(session: &Session, column: String) -> Result<Json> {
    let range = RowRange { columns: Some(vec![column]), ..RowRange::default() };
    let mut seen = Seen::default();
    for batch in (session.reader)(&range)? {
        batch?.columns().iter().try_for_each(|values| seen.add(values))?;
    }
    // The bars need the bounds, which are known after all values were seen.
    let mut bars = vec![0u64; if seen.min < seen.max { BARS } else { 0 }];
    if !bars.is_empty() {
        for batch in (session.reader)(&range)? {
            for values in batch?.columns() {
                add_to_bars(&mut bars, values, seen.min, seen.max)?;
            }
        }
    }
    Ok(seen.into_json(&bars))
}

/// The values so far.
#[derive(Debug)]
struct Seen {
    rows: u64,
    nulls: u64,
    min: f64,
    max: f64,
    /// The texts of both.
    least: Json,
    greatest: Json,
    counts: HashMap<String, u64>,
    is_complete: bool,
}

impl Default for Seen {
    fn default() -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        Self {
            rows: 0,
            nulls: 0,
            min,
            max,
            least: Json::Null,
            greatest: Json::Null,
            counts: HashMap::new(),
            is_complete: true,
        }
    }
}

impl Seen {
    fn add(&mut self, values: &ArrayRef) -> Result<()> {
        self.rows += values.len() as u64;
        self.nulls += values.logical_null_count() as u64;
        let cells = cells(values.as_ref())?;
        // A text is copied once for a batch: values may come in order.
        let (mut least, mut greatest) = (None, None);
        for (value, cell) in numbers(values)?.into_iter().zip(&cells) {
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            if value < self.min {
                (self.min, least) = (value, Some(cell));
            }
            if value > self.max {
                (self.max, greatest) = (value, Some(cell));
            }
        }
        self.least = least.cloned().unwrap_or(std::mem::take(&mut self.least));
        self.greatest = greatest.cloned().unwrap_or(std::mem::take(&mut self.greatest));
        for cell in cells {
            let Json::String(text) = cell else { continue };
            if self.counts.len() < MOST_DISTINCT || self.counts.contains_key(&text) {
                *self.counts.entry(text).or_default() += 1;
            } else {
                self.is_complete = false;
            }
        }
        Ok(())
    }

    fn into_json(self, bars: &[u64]) -> Json {
        let mut top: Vec<_> = self.counts.into_iter().filter(|(_, count)| *count > 1).collect();
        top.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        top.truncate(TOP);
        json!({
            "rows": self.rows,
            "nulls": self.nulls,
            "min": self.least,
            "max": self.greatest,
            "bars": bars,
            "top": top,
            "complete": self.is_complete,
        })
    }
}

/// Returns the values as numbers, if they are some.
fn numbers(values: &ArrayRef) -> Result<Vec<Option<f64>>> {
    let is_number = values.data_type().is_numeric() || values.data_type().is_temporal();
    if !is_number || matches!(values.data_type(), DataType::Interval(_)) {
        return Ok(Vec::new());
    }
    // Times are numbers of their units.
    let values = match values.data_type() {
        kind if kind.is_temporal() && kind.primitive_width() == Some(4) => {
            cast(values, &DataType::Int32)?
        }
        kind if kind.is_temporal() => cast(values, &DataType::Int64)?,
        _ => values.clone(),
    };
    let values = cast(&values, &DataType::Float64)?;
    Ok(values.as_primitive::<Float64Type>().iter().collect())
}

fn add_to_bars(bars: &mut [u64], values: &ArrayRef, min: f64, max: f64) -> Result<()> {
    let last = bars.len().saturating_sub(1);
    for value in numbers(values)?.into_iter().flatten().filter(|value| value.is_finite()) {
        // In 0..=1, so the product is not greater than the number of bars.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let bar = ((value - min) / (max - min) * bars.len() as f64) as usize;
        if let Some(count) = bars.get_mut(bar.min(last)) {
            *count += 1;
        }
    }
    Ok(())
}
