//! Parses the values of a column to an Arrow array.
//!
//! ```text
//! spans ──► value is null? ──► parsed by its type ──► array
//!                              cannot be            ──► a bad row: line, column, value
//! ```
//! Inferred types accept the texts from which they are inferred, and no others. Declared types accept those of
//! Arrow's parsers: see [`declared_types`].

pub(super) mod declared_types;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, NullBufferBuilder, PrimitiveArray, StringBuilder,
};
use arrow::datatypes::*;

use super::inferred_type::{self, Candidates, InferredType};
use super::nulls::Nulls;
use super::table::Span;
use super::{datetime, number};
use crate::float_digits;

/// A column that is wanted.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) field: FieldRef,
    /// The inferred type; `None` if the type is declared.
    pub(super) kind: Option<InferredType>,
    pub(super) nulls: Nulls,
    /// Whether null values are tested before parsing.
    pub(super) nulls_first: bool,
    /// Whether numbers may lose digits.
    pub(super) lossy: bool,
    /// Whether a comma is before the fraction of numbers.
    pub(super) decimal_comma: bool,
}

/// The bad rows of a chunk, the first ones if there are many.
#[derive(Debug)]
pub(super) struct BadRows {
    rows: BTreeMap<usize, BadValue>,
    most: usize,
}

/// A value that its column does not take.
#[derive(Debug)]
pub(super) struct BadValue {
    pub(super) what: String,
    /// The type that inference from more rows might find.
    pub(super) fitting: Option<InferredType>,
    /// The column's name.
    pub(super) column: String,
}

impl BadRows {
    pub(super) fn new(most: usize) -> Self {
        Self { rows: BTreeMap::new(), most }
    }

    fn add(&mut self, row: usize, column: &Column, value: Option<&str>) {
        let is_behind = self.rows.last_key_value().is_some_and(|(last, _)| *last < row);
        if self.rows.contains_key(&row) || (self.rows.len() >= self.most && is_behind) {
            return;
        }
        self.rows.insert(row, column.fault(value));
        if self.rows.len() > self.most {
            self.rows.pop_last();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn has(&self, row: usize) -> bool {
        self.rows.contains_key(&row)
    }

    pub(super) fn into_rows(self) -> impl Iterator<Item = (usize, BadValue)> {
        self.rows.into_iter()
    }
}

/// The values of a column within a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) column: &'a Column,
    pub(super) text: &'a str,
    pub(super) spans: &'a [Span],
}

impl<'a> Cells<'a> {
    /// Returns the array of all values.
    pub(super) fn parse(self, bad: &mut BadRows) -> ArrayRef {
        let (lossy, comma) = (self.column.lossy, self.column.decimal_comma);
        let Some(kind) = self.column.kind else { return declared_types::parse(self, bad) };
        match kind {
            InferredType::Boolean => Arc::new(self.booleans(bad, inferred_type::boolean)),
            InferredType::Integer => {
                self.array::<Int64Type>(bad, |text| number::signed(text.as_bytes()))
            }
            InferredType::Unsigned => {
                self.array::<UInt64Type>(bad, |text| number::unsigned(text.as_bytes()))
            }
            InferredType::Float => self.array::<Float64Type>(bad, |text| {
                let text = number::with_point(text, comma);
                let value = number::float(&text)?;
                (lossy || keeps_digits(value, &text)).then_some(value)
            }),
            InferredType::Decimal(scale) => self.decimals(scale, bad),
            InferredType::Date => {
                self.array::<Date32Type>(bad, |text| datetime::date(text.as_bytes()))
            }
            InferredType::Time(TimeUnit::Nanosecond) => {
                self.array::<Time64NanosecondType>(bad, |text| datetime::time(text.as_bytes()))
            }
            InferredType::Time(_) => self.array::<Time64MicrosecondType>(bad, |text| {
                let time = datetime::time(text.as_bytes())?;
                (time % 1000 == 0).then_some(time / 1000)
            }),
            InferredType::Timestamp(unit) => self.timestamps(unit, None, bad, naive),
            InferredType::TimestampUtc(unit) => {
                let utc = Some(Arc::from("UTC"));
                self.timestamps(unit, utc, bad, |text| {
                    datetime::moment(text.as_bytes()).filter(|moment| moment.has_offset)
                })
            }
            InferredType::Text => self.texts(true, bad),
            InferredType::EmptyText => {
                for (row, text) in self.values().filter(|(_, text)| !text.is_empty()) {
                    self.bad(row, text, bad);
                }
                self.texts(true, bad)
            }
            InferredType::Null => declared_types::nothing(self, bad),
        }
    }

    fn decimals(self, scale: i8, bad: &mut BadRows) -> ArrayRef {
        let comma = self.column.decimal_comma;
        let values = self.primitives::<Decimal128Type>(bad, |text| {
            let text = number::with_point(text, comma);
            number::float(&text)?;
            float_digits::unscaled(text.trim(), scale)
        });
        Arc::new(values.with_data_type(self.column.field.data_type().clone()))
    }

    /// Each row and its value, null or not.
    pub(super) fn values(self) -> impl Iterator<Item = (usize, &'a str)> {
        let text = self.text;
        self.spans.iter().map(move |span| span.of(text)).enumerate()
    }

    fn array<T: ArrowPrimitiveType>(
        self,
        bad: &mut BadRows,
        parse: impl Fn(&str) -> Option<T::Native>,
    ) -> ArrayRef {
        Arc::new(self.primitives::<T>(bad, parse))
    }

    /// Returns an array of what `parse` makes of values.
    pub(super) fn primitives<T: ArrowPrimitiveType>(
        self,
        bad: &mut BadRows,
        parse: impl Fn(&str) -> Option<T::Native>,
    ) -> PrimitiveArray<T> {
        let mut nulls = NullBufferBuilder::new(self.spans.len());
        let mut values = Vec::with_capacity(self.spans.len());
        for (row, text) in self.values() {
            let value = self.value(row, text, bad, &parse);
            nulls.append(value.is_some());
            values.push(value.unwrap_or_default());
        }
        PrimitiveArray::new(values.into(), nulls.finish())
    }

    pub(super) fn booleans(
        self,
        bad: &mut BadRows,
        parse: impl Fn(&str) -> Option<bool>,
    ) -> BooleanArray {
        self.values().map(|(row, text)| self.value(row, text, bad, &parse)).collect()
    }

    /// Returns a value; none if it is null, or bad.
    fn value<V>(
        self,
        row: usize,
        text: &str,
        bad: &mut BadRows,
        parse: impl Fn(&str) -> Option<V>,
    ) -> Option<V> {
        let Column { nulls, nulls_first, .. } = self.column;
        if text.is_empty() || (*nulls_first && nulls.contains(text)) {
            self.null(row, bad);
            return None;
        }
        let value = parse(text);
        if value.is_none() {
            match nulls.contains(text) {
                true => self.null(row, bad),
                false => bad.add(row, self.column, Some(text)),
            }
        }
        value
    }

    /// Notes that a value is null; bad if the field takes none.
    pub(super) fn null(self, row: usize, bad: &mut BadRows) {
        if !self.column.field.is_nullable() {
            bad.add(row, self.column, None);
        }
    }

    /// Notes that a value is not of the column's type.
    pub(super) fn bad(self, row: usize, text: &str, bad: &mut BadRows) {
        bad.add(row, self.column, Some(text));
    }

    pub(super) fn timestamps(
        self,
        unit: TimeUnit,
        zone: Option<Arc<str>>,
        bad: &mut BadRows,
        parse: impl Fn(&str) -> Option<datetime::Datetime>,
    ) -> ArrayRef {
        let lossy = self.column.lossy;
        let units = |per_second: i64| {
            let parse = &parse;
            move |text: &str| {
                let mut moment = parse(text)?;
                if lossy {
                    let unit = u32::try_from(1_000_000_000 / per_second).unwrap_or(1);
                    moment.nanoseconds -= moment.nanoseconds % unit;
                }
                moment.in_units(per_second)
            }
        };
        match unit {
            TimeUnit::Second => {
                let array = self.primitives::<TimestampSecondType>(bad, units(1));
                Arc::new(array.with_timezone_opt(zone))
            }
            TimeUnit::Millisecond => {
                let array = self.primitives::<TimestampMillisecondType>(bad, units(1_000));
                Arc::new(array.with_timezone_opt(zone))
            }
            TimeUnit::Microsecond => {
                let array = self.primitives::<TimestampMicrosecondType>(bad, units(1_000_000));
                Arc::new(array.with_timezone_opt(zone))
            }
            TimeUnit::Nanosecond => {
                let array = self.primitives::<TimestampNanosecondType>(bad, units(1_000_000_000));
                Arc::new(array.with_timezone_opt(zone))
            }
        }
    }

    /// Returns the values as text, null or not. Nothing between quotes is a text where the column is text.
    pub(super) fn texts(self, is_text: bool, bad: &mut BadRows) -> ArrayRef {
        let bytes = self.spans.iter().map(|span| span.len()).sum();
        let mut builder = StringBuilder::with_capacity(self.spans.len(), bytes);
        let takes_empty = is_text && !self.column.nulls.contains_empty_text();
        for ((row, text), span) in self.values().zip(self.spans) {
            let is_empty_text = takes_empty && span.is_empty_text();
            if !is_empty_text && self.column.nulls.contains(text) {
                self.null(row, bad);
                builder.append_null();
            } else {
                builder.append_value(text);
            }
        }
        Arc::new(builder.finish())
    }
}

/// Returns a moment without an offset; a date is its midnight.
pub(super) fn naive(text: &str) -> Option<datetime::Datetime> {
    let bytes = text.as_bytes();
    if let Some(days) = datetime::date(bytes) {
        let seconds = i64::from(days) * 86_400;
        return Some(datetime::Datetime { seconds, nanoseconds: 0, has_offset: false });
    }
    datetime::moment(bytes).filter(|moment| !moment.has_offset)
}

/// Returns whether a number has all digits of a text.
pub(super) fn keeps_digits(value: f64, text: &str) -> bool {
    float_digits::is_held(value, number::trim(text))
}

impl Column {
    fn fault(&self, value: Option<&str>) -> BadValue {
        let (data_type, column) = (self.field.data_type(), self.field.name().clone());
        let Some(value) = value else {
            let what = "is null, but the field is not nullable".to_owned();
            return BadValue { what, fitting: None, column };
        };
        let shown = shorten(value);
        let article = if data_type.to_string().starts_with("Int") { "an" } else { "a" };
        let is_number = data_type.is_floating() && !self.lossy && number::float(value).is_some();
        let what = match is_number {
            true => format!("{shown} would lose digits as a floating-point number"),
            false => format!("{shown:?} is not {article} {data_type}"),
        };
        let fitting = self.kind.map(|kind| {
            let mut candidates = Candidates::of(kind).with_decimal_comma(self.decimal_comma);
            candidates.add(value);
            candidates.kind()
        });
        BadValue { what, fitting, column }
    }
}

/// Returns a value for an error, of bounded length.
fn shorten(value: &str) -> String {
    match value.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", value.get(..at).unwrap_or_default()),
        None => value.to_owned(),
    }
}
