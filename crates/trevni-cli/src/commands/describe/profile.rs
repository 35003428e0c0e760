//! Profiles a column in one pass, in constant memory.
//!
//! ```text
//!              rows, nulls   min, max   distinct      mean, histogram     most frequent values
//! numbers      exact         exact      HyperLogLog   sum, t-digest
//! times        exact         exact      HyperLogLog   sum, t-digest
//! text, bool   exact         exact      HyperLogLog                       frequent items sketch
//! bytes        exact         exact      HyperLogLog
//! nested       exact
//! ```

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array};
use arrow::compute::{SortOptions, cast, concat, nullif, sort_to_indices, take};
use arrow::datatypes::{DataType, FieldRef, Float64Type};
use arrow::error::ArrowError;
use arrow::row::{RowConverter, SortField};
use datasketches::frequencies::{ErrorType, FrequentItemsSketch};
use datasketches::hll::{HllSketch, HllType};
use datasketches::tdigest::TDigestMut;

use crate::output::row_table::cells;

/// Registers of the estimate of distinct values, as a power of two: an error of 0.8 %.
const REGISTERS: u8 = 14;
/// Entries of the sketch of frequent values.
const FREQUENT: usize = 1024;
/// The compression of t-digests.
const DIGEST: u16 = 200;
/// Characters of a value that are distinguished.
const TEXT: usize = 200;
/// Values of which histograms are exact. Beyond these, they come from a digest of all values.
const EXACT: usize = 8192;
/// Bins of histograms.
const BINS: usize = 16;

/// The profile of a column.
pub(super) struct ColumnProfile {
    field: FieldRef,
    pub(super) rows: u64,
    pub(super) nulls: u64,
    /// The minimum and maximum, arrays of one.
    bounds: Option<(ArrayRef, ArrayRef)>,
    distinct: Option<(RowConverter, HllSketch)>,
    numbers: Option<Numbers>,
    texts: Option<FrequentItemsSketch<String>>,
}

/// Sums of numbers, and their distribution.
struct Numbers {
    sum: f64,
    count: u64,
    digest: TDigestMut,
    /// The first finite values.
    first: Vec<f64>,
}

/// How many values are in each of some ranges of the same width.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Histogram {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) counts: Vec<u64>,
}

impl ColumnProfile {
    pub(super) fn try_new(field: FieldRef) -> Result<Self, ArrowError> {
        let of = value_type(field.data_type());
        let simple = !of.is_nested() && !of.is_null();
        let distinct = simple.then(|| -> Result<_, ArrowError> {
            let converter = RowConverter::new(vec![SortField::new(of.clone())])?;
            Ok((converter, HllSketch::new(REGISTERS, HllType::Hll8).map_err(external)?))
        });
        let interval = matches!(of, DataType::Interval(_));
        let numbers = (of.is_numeric() || of.is_temporal() && !interval).then(|| {
            let digest = TDigestMut::new(DIGEST).map_err(external)?;
            Ok::<_, ArrowError>(Numbers { sum: 0.0, count: 0, digest, first: Vec::new() })
        });
        let texts = (is_text(of) || *of == DataType::Boolean)
            .then(|| FrequentItemsSketch::new(FREQUENT).map_err(external));
        let (distinct, numbers, texts) =
            (distinct.transpose()?, numbers.transpose()?, texts.transpose()?);
        Ok(Self { field, rows: 0, nulls: 0, bounds: None, distinct, numbers, texts })
    }

    pub(super) fn add(&mut self, column: &ArrayRef) -> Result<(), ArrowError> {
        self.rows += column.len() as u64;
        self.nulls += column.logical_null_count() as u64;
        if self.distinct.is_none() || column.logical_null_count() == column.len() {
            return Ok(());
        }
        let values = cast(column, value_type(column.data_type()))?;
        self.add_distinct(&values)?;
        self.add_bounds(&without_nan(&values)?)?;
        if let Some(numbers) = &mut self.numbers {
            numbers.add(&as_float(&values)?);
        }
        if let Some(texts) = &mut self.texts {
            for (row, text) in cells(&values, TEXT).iter().enumerate() {
                if values.is_valid(row) {
                    texts.update_ref(text.as_str());
                }
            }
        }
        Ok(())
    }

    fn add_distinct(&mut self, values: &ArrayRef) -> Result<(), ArrowError> {
        let Some((converter, sketch)) = &mut self.distinct else { return Ok(()) };
        let rows = converter.convert_columns(std::slice::from_ref(values))?;
        for (at, row) in rows.iter().enumerate() {
            if values.is_valid(at) {
                sketch.update(row.data());
            }
        }
        Ok(())
    }

    fn add_bounds(&mut self, values: &ArrayRef) -> Result<(), ArrowError> {
        if values.null_count() == values.len() {
            return Ok(());
        }
        let extreme = |values: &ArrayRef, descending| {
            let options = SortOptions { descending, nulls_first: false };
            take(values, &sort_to_indices(values, Some(options), Some(1))?, None)
        };
        let (mut least, mut greatest) = (extreme(values, false)?, extreme(values, true)?);
        if let Some((least_before, greatest_before)) = &self.bounds {
            least = extreme(&concat(&[least_before, &least])?, false)?;
            greatest = extreme(&concat(&[greatest_before, &greatest])?, true)?;
        }
        self.bounds = Some((least, greatest));
        Ok(())
    }

    pub(super) fn name(&self) -> &str {
        self.field.name()
    }

    pub(super) fn data_type(&self) -> &DataType {
        self.field.data_type()
    }

    /// Returns the minimum and maximum as text, truncated to this many characters.
    pub(super) fn bounds(&self, most: usize) -> Option<(String, String)> {
        let (least, greatest) = self.bounds.as_ref()?;
        Some((cells(least, most).pop()?, cells(greatest, most).pop()?))
    }

    /// About how many values are different; exact if they are few.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    pub(super) fn distinct(&self) -> Option<u64> {
        let (_, sketch) = self.distinct.as_ref()?;
        Some((sketch.estimate().round() as u64).min(self.rows - self.nulls))
    }

    /// Returns the mean, as a value of the column's type if that is a time.
    pub(super) fn mean(&self) -> Option<String> {
        let mean = self.numbers.as_ref()?.mean()?;
        let of = value_type(self.data_type());
        if !of.is_temporal() {
            return Some(short(mean));
        }
        let mean: ArrayRef = std::sync::Arc::new(Float64Array::from(vec![mean.round()]));
        let whole = cast(&mean, &DataType::Int64).ok()?;
        let whole = match of {
            DataType::Date32 | DataType::Time32(_) => cast(&whole, &DataType::Int32).ok()?,
            _ => whole,
        };
        cells(&cast(&whole, of).ok()?, TEXT).pop()
    }

    pub(super) fn histogram(&self) -> Option<Histogram> {
        self.numbers.as_ref()?.histogram()
    }

    /// Returns the most frequent values and about how often they are, if they are frequent.
    pub(super) fn top(&self, most: usize) -> Vec<(String, u64)> {
        let Some(texts) = &self.texts else { return Vec::new() };
        let mut rows: Vec<_> = texts
            .frequent_items(ErrorType::NoFalsePositives)
            .into_iter()
            .map(|row| (row.item().clone(), row.estimate()))
            .collect();
        rows.sort_by(|(one, times), (other, more)| more.cmp(times).then(one.cmp(other)));
        rows.truncate(most);
        rows
    }
}

impl Numbers {
    fn add(&mut self, values: &ArrayRef) {
        for value in values.as_primitive::<Float64Type>().iter().flatten() {
            if !value.is_nan() {
                self.sum += value;
                self.count += 1;
            }
            if value.is_finite() {
                self.digest.update(value);
                if self.first.len() < EXACT {
                    self.first.push(value);
                }
            }
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    fn histogram(&self) -> Option<Histogram> {
        let digest = self.digest.clone().freeze();
        let (min, max) = (digest.min_value()?, digest.max_value()?);
        let total = digest.total_weight();
        if min == max {
            return Some(Histogram { min, max, counts: vec![total] });
        }
        let step = max / BINS as f64 - min / BINS as f64;
        let splits: Vec<f64> = (1..BINS).map(|at| min + step * at as f64).collect();
        let counts = if self.first.len() as u64 == total {
            let mut counts = vec![0; BINS];
            for value in &self.first {
                let bin = splits.partition_point(|split| split <= value);
                counts.iter_mut().skip(bin).take(1).for_each(|count| *count += 1);
            }
            counts
        } else {
            let parts = digest.pmf(&splits).ok()??;
            parts.iter().map(|part| (part * total as f64).round() as u64).collect()
        };
        Some(Histogram { min, max, counts })
    }
}

/// Returns a number with a few digits.
pub(super) fn short(value: f64) -> String {
    let large = value.abs() >= 1e15 || value != 0.0 && value.abs() < 1e-4;
    match large {
        true => format!("{value:.4e}"),
        false if value.abs() >= 1000.0 => format!("{value:.1}"),
        false => format!("{value:.4}"),
    }
}

fn external(e: datasketches::error::Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(e))
}

/// Returns the type of the values of dictionaries and run ends.
fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, inner) => value_type(inner),
        DataType::RunEndEncoded(_, inner) => value_type(inner.data_type()),
        other => other,
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Replaces NaN by null.
fn without_nan(values: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if !values.data_type().is_floating() {
        return Ok(values.clone());
    }
    let floats = cast(values, &DataType::Float64)?;
    let floats = floats.as_primitive::<Float64Type>();
    let is_nan = BooleanArray::from_unary(floats, f64::is_nan);
    nullif(values, &is_nan)
}

fn as_float(values: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let values = match values.data_type() {
        of if !of.is_temporal() => values.clone(),
        DataType::Date32 | DataType::Time32(_) => cast(values, &DataType::Int32)?,
        _ => cast(values, &DataType::Int64)?,
    };
    cast(&values, &DataType::Float64)
}
