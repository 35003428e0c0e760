//! The measured filter: the user's, or a comparison that about one row in a hundred passes.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow::compute::{SortOptions, concat, sort, take};
use arrow::datatypes::{DataType, Field};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use trevni::arrow::Predicate;

use super::Result;
use super::rows::random_rows;
use super::table::{BATCH, Table};

/// The share of rows that a filter keeps, as near as it can be.
const SHARE: f64 = 0.01;
/// A filter that keeps a share between these is good enough to look no further.
const GOOD: std::ops::RangeInclusive<f64> = 0.005..=0.02;
/// A column in order is worse than any that is not.
const IN_ORDER: f64 = 1e3;
/// The number of sampled rows.
const SAMPLE: usize = 20_000;
/// Text longer than this makes no readable filter.
const LONGEST: usize = 60;

/// A condition on rows.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) predicate: Predicate,
    /// The part of it that Parquet's page index can evaluate.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has pages"))]
    pub(super) page_tests: Vec<PageTest>,
}

/// A page is skipped unless this is true for its minimum or maximum.
#[derive(Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has pages"))]
pub(super) struct PageTest {
    pub(super) column: String,
    pub(super) extreme: Extreme,
    pub(super) predicate: Predicate,
}

/// Minimum or maximum.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extreme {
    Min,
    Max,
}

impl Filter {
    /// Creates a condition of the caller's. Of its form nothing is known, so no page is left out by the index.
    pub(super) fn given(predicate: Predicate) -> Self {
        Self { predicate, page_tests: Vec::new() }
    }

    /// `column >= literal`
    fn at_least(column: &str, literal: &str) -> Result<Self> {
        let predicate = compare(column, ">=", literal)?;
        let page_tests = vec![PageTest {
            column: column.to_owned(),
            extreme: Extreme::Max,
            predicate: predicate.clone(),
        }];
        Ok(Self { predicate, page_tests })
    }

    /// `column = literal`
    fn equal(column: &str, literal: &str) -> Result<Self> {
        let test = |extreme, sign| {
            let predicate = compare(column, sign, literal)?;
            Ok(PageTest { column: column.to_owned(), extreme, predicate })
        };
        let page_tests = [test(Extreme::Min, "<="), test(Extreme::Max, ">=")];
        let page_tests = page_tests.into_iter().collect::<Result<_>>()?;
        Ok(Self { predicate: compare(column, "=", literal)?, page_tests })
    }
}

fn compare(column: &str, sign: &str, literal: &str) -> Result<Predicate> {
    let column = column.replace('"', "\"\"");
    Ok(Predicate::parse(&format!("\"{column}\" {sign} {literal}"))?)
}

/// Returns the first column, numbers and times before text, with a comparison that keeps about one row in a
/// hundred; if none has, the nearest. Columns in order come last: of these, a reader finds the rows without looking
/// at others. `None` if no column can be compared so.
pub(super) fn choose(table: &Table, seed: u64) -> Result<Option<Filter>> {
    let sample = sample(table, seed)?;
    let mut best: Option<(f64, Filter)> = None;
    for candidate in [threshold, frequent] {
        for (field, values) in sample.schema_ref().fields().iter().zip(sample.columns()) {
            let Some(filter) = candidate(field, values)? else { continue };
            // What the language cannot compare with such a literal makes no filter either.
            let Ok(keeps) = filter.predicate.evaluate(&sample) else { continue };
            let kept = keeps.true_count();
            let share = kept as f64 / sample.num_rows().max(1) as f64;
            if kept == 0 {
                continue;
            }
            let in_order = is_in_order(values)?;
            let distance = (share / SHARE).ln().abs() + if in_order { IN_ORDER } else { 0.0 };
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, filter));
            }
            if GOOD.contains(&share) && !in_order {
                return Ok(best.map(|(_, filter)| filter));
            }
        }
    }
    Ok(best.map(|(_, filter)| filter))
}

/// Some rows of the columns that can be compared.
fn sample(table: &Table, seed: u64) -> Result<RecordBatch> {
    let fields = table.schema.fields().iter().enumerate();
    let places: Vec<usize> =
        fields.filter(|(_, f)| is_comparable(f.data_type())).map(|(place, _)| place).collect();
    let rows = random_rows(table.rows, SAMPLE, seed);
    let mut columns: Vec<ArrayRef> = Vec::new();
    for place in &places {
        let mut parts = Vec::new();
        for (number, batch) in table.batches.iter().enumerate() {
            let first = number * BATCH;
            let start = rows.partition_point(|row| *row < first);
            let end = rows.partition_point(|row| *row < first + batch.num_rows());
            let here = rows.get(start..end).unwrap_or_default();
            let here = UInt64Array::from_iter_values(here.iter().map(|row| (row - first) as u64));
            parts.push(take(batch.column(*place), &here, None)?);
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        columns.push(concat(&parts)?);
    }
    let schema = std::sync::Arc::new(table.schema.project(&places)?);
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

/// Returns whether values ascend or descend, row by row.
fn is_in_order(values: &ArrayRef) -> Result<bool> {
    for descending in [false, true] {
        let options = SortOptions { descending, nulls_first: false };
        if sort(values, Some(options))?.as_ref() == values.as_ref() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_comparable(data_type: &DataType) -> bool {
    is_ordered(data_type) || is_text(data_type)
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns whether the maximum values of a type make a filter.
fn is_ordered(data_type: &DataType) -> bool {
    is_number(data_type) || matches!(data_type, DataType::Date32 | DataType::Timestamp(..))
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_integer()
        || data_type.is_decimal()
        || matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// Returns a comparison with the value that one in a hundred is not below.
fn threshold(field: &Field, values: &ArrayRef) -> Result<Option<Filter>> {
    if !is_ordered(field.data_type()) {
        return Ok(None);
    }
    let sorted = sort(values, Some(SortOptions { descending: true, nulls_first: false }))?;
    let count = sorted.len() - sorted.null_count();
    // Parquet's statistics know no NaN, which is above all in the order of conditions.
    if count == 0 || shown(&sorted, 0).is_none_or(|greatest| greatest == "NaN") {
        return Ok(None);
    }
    let place = (values.len() / 100).min(count - 1);
    let Some(literal) = shown(&sorted, place) else { return Ok(None) };
    let is_number = is_number(field.data_type());
    let literal = if is_number { literal } else { format!("'{literal}'") };
    // A literal that the language does not take makes no filter.
    Ok(Filter::at_least(field.name(), &literal).ok())
}

/// Returns the text that is nearest to being in one row of a hundred.
fn frequent(field: &Field, values: &ArrayRef) -> Result<Option<Filter>> {
    if !is_text(field.data_type()) {
        return Ok(None);
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
        let Some(text) = shown(values, row) else { return Ok(None) };
        *counts.entry(text).or_default() += 1;
    }
    let wanted = SHARE * values.len() as f64;
    let distance = |count: usize| (count as f64 / wanted).ln().abs();
    let texts = counts.into_iter().filter(|(text, _)| text.chars().count() <= LONGEST);
    let best = texts.min_by(|(a, n), (b, m)| distance(*n).total_cmp(&distance(*m)).then(a.cmp(b)));
    let Some((text, _)) = best else { return Ok(None) };
    Ok(Filter::equal(field.name(), &format!("'{}'", text.replace('\'', "''"))).ok())
}

/// Returns a value as text; `None` if it has none.
fn shown(values: &ArrayRef, row: usize) -> Option<String> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(values.as_ref(), &options).ok()?;
    formatter.value(row).try_to_string().ok()
}
