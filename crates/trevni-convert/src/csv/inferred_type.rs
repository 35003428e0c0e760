//! The types that inference considers.
//!
//! ```text
//! value          types that take it                a column has the first type, in the order of `InferredType`, that takes
//! true           boolean                           all its values; text takes any
//! 7              integer, unsigned, float
//! 2024-01-02     date, timestamp                   7, 0.5      float
//! 00501          none but text                     7, 00501    text
//! 0.12345678901234567890     float, which would lose digits: decimal
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};

use super::datetime;
use super::number::{self, Integer};
use crate::float_digits::{Digits, decimal_type};

/// A type that inference knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InferredType {
    Boolean,
    Integer,
    /// Integers, some of which exceed `i64`.
    Unsigned,
    Float,
    /// Numbers with this many digits after the point, of which a float64 would lose some.
    Decimal(i8),
    Date,
    /// In microseconds, or in nanoseconds.
    Time(TimeUnit),
    Timestamp(TimeUnit),
    /// Every value has an offset.
    TimestampUtc(TimeUnit),
    Text,
    /// There are no values.
    Null,
    /// All texts are empty ones between quotes.
    EmptyText,
}

impl InferredType {
    pub(super) fn data_type(self) -> DataType {
        match self {
            InferredType::Boolean => DataType::Boolean,
            InferredType::Integer => DataType::Int64,
            InferredType::Unsigned => DataType::UInt64,
            InferredType::Float => DataType::Float64,
            InferredType::Decimal(scale) => decimal_type(scale),
            InferredType::Date => DataType::Date32,
            InferredType::Time(unit) => DataType::Time64(unit),
            InferredType::Timestamp(unit) => DataType::Timestamp(unit, None),
            InferredType::TimestampUtc(unit) => DataType::Timestamp(unit, Some(Arc::from("UTC"))),
            InferredType::Text | InferredType::EmptyText => DataType::Utf8,
            InferredType::Null => DataType::Null,
        }
    }

    /// `None` for Arrow types that inference does not give.
    pub(super) fn of(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => InferredType::Boolean,
            DataType::Int64 => InferredType::Integer,
            DataType::UInt64 => InferredType::Unsigned,
            DataType::Float64 => InferredType::Float,
            DataType::Decimal128(_, scale) => InferredType::Decimal(*scale),
            DataType::Date32 => InferredType::Date,
            DataType::Time64(unit) => InferredType::Time(*unit),
            DataType::Timestamp(unit, None) => InferredType::Timestamp(*unit),
            DataType::Timestamp(unit, Some(_)) => InferredType::TimestampUtc(*unit),
            DataType::Utf8 => InferredType::Text,
            DataType::Null => InferredType::Null,
            _ => return None,
        })
    }

    /// Returns what `--type` calls it.
    pub(super) fn name(self) -> Cow<'static, str> {
        let nanos = TimeUnit::Nanosecond;
        Cow::Borrowed(match self {
            InferredType::Boolean => "bool",
            InferredType::Integer => "int64",
            InferredType::Unsigned => "uint64",
            InferredType::Float => "float64",
            InferredType::Decimal(scale) => return Cow::Owned(format!("decimal(38,{scale})")),
            InferredType::Date => "date",
            InferredType::Time(unit) if unit == nanos => "time[ns]",
            InferredType::Time(_) => "time",
            InferredType::Timestamp(unit) if unit == nanos => "timestamp[ns]",
            InferredType::Timestamp(_) => "timestamp",
            InferredType::TimestampUtc(unit) if unit == nanos => "timestamp[ns,UTC]",
            InferredType::TimestampUtc(_) => "timestamp[us,UTC]",
            InferredType::Text | InferredType::EmptyText => "utf8",
            InferredType::Null => "null",
        })
    }
}

const BOOLEAN: u8 = 1;
const INTEGER: u8 = 2;
const UNSIGNED: u8 = 4;
/// Any number: a decimal if a float64 would lose digits.
const FLOAT: u8 = 8;
const DATE: u8 = 16;
const TIME: u8 = 32;
const TIMESTAMP: u8 = 64;
const TIMESTAMP_UTC: u8 = 128;

/// The inferred properties of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidates {
    /// The types that take all values so far.
    types: u8,
    /// Whether a comma is before the fraction of numbers.
    decimal_comma: bool,
    any: bool,
    /// Whether there are texts between quotes that are empty, which are null in columns that are not text.
    has_empty_text: bool,
    digits: Digits,
    /// Whether a time has digits below a microsecond.
    needs_nanos: bool,
    /// Whether a time is out of the range of nanoseconds.
    is_far: bool,
}

impl Default for Candidates {
    fn default() -> Self {
        let digits = Digits::default();
        Self {
            types: u8::MAX,
            decimal_comma: false,
            any: false,
            has_empty_text: false,
            digits,
            needs_nanos: false,
            is_far: false,
        }
    }
}

impl Candidates {
    /// Those of a type that was inferred before.
    pub(super) fn of(kind: InferredType) -> Self {
        let types = match kind {
            InferredType::Boolean => BOOLEAN,
            InferredType::Integer => INTEGER | FLOAT,
            InferredType::Unsigned => UNSIGNED | FLOAT,
            InferredType::Float | InferredType::Decimal(_) => FLOAT,
            InferredType::Date => DATE | TIMESTAMP,
            InferredType::Time(_) => TIME,
            InferredType::Timestamp(_) => TIMESTAMP,
            InferredType::TimestampUtc(_) => TIMESTAMP_UTC,
            InferredType::Text => 0,
            InferredType::Null | InferredType::EmptyText => return Self::default(),
        };
        Self { types, any: true, ..Self::default() }
    }

    /// Returns the same, of numbers in which a comma may be before the fraction.
    pub(super) fn with_decimal_comma(self, decimal_comma: bool) -> Self {
        Self { decimal_comma, ..self }
    }

    /// Adds a value that is not null.
    pub(super) fn add(&mut self, text: &str) {
        self.any = true;
        if self.types != 0 {
            self.types &= self.types_of(text);
        }
    }

    /// Adds a text between quotes that is empty.
    pub(super) fn add_empty_text(&mut self) {
        self.has_empty_text = true;
    }

    /// Adds the values of another part of the column.
    pub(super) fn merge(&mut self, other: &Self) {
        self.types &= other.types;
        self.any |= other.any;
        self.has_empty_text |= other.has_empty_text;
        self.digits.merge(&other.digits);
        self.needs_nanos |= other.needs_nanos;
        self.is_far |= other.is_far;
    }

    /// Returns the type that takes all values.
    pub(super) fn kind(&self) -> InferredType {
        let has = |types: u8| self.types & types != 0;
        let unit = if self.needs_nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        match () {
            () if !self.any && self.has_empty_text => InferredType::EmptyText,
            () if !self.any => InferredType::Null,
            () if has(BOOLEAN) => InferredType::Boolean,
            () if has(INTEGER) => InferredType::Integer,
            () if has(UNSIGNED) => InferredType::Unsigned,
            () if has(FLOAT) && !self.digits.is_beyond_float => InferredType::Float,
            () if has(FLOAT) => {
                self.digits.scale().map_or(InferredType::Text, InferredType::Decimal)
            }
            () if has(DATE) => InferredType::Date,
            () if has(TIME) => InferredType::Time(unit),
            // Neither unit takes all.
            () if self.needs_nanos && self.is_far => InferredType::Text,
            () if has(TIMESTAMP) => InferredType::Timestamp(unit),
            () if has(TIMESTAMP_UTC) => InferredType::TimestampUtc(unit),
            () => InferredType::Text,
        }
    }

    fn types_of(&mut self, text: &str) -> u8 {
        if self.types & (INTEGER | UNSIGNED | FLOAT) != 0 {
            let integers = match number::integer(text.as_bytes()) {
                Some(Integer::Signed(0..)) => INTEGER | UNSIGNED,
                Some(Integer::Signed(_)) => INTEGER,
                Some(Integer::Unsigned(_)) => UNSIGNED,
                Some(Integer::Wide) | None => 0,
            };
            let text = number::with_point(text, self.decimal_comma);
            if let Some(value) = number::float(&text) {
                self.digits.add(text.trim(), value);
                return integers | FLOAT;
            }
        }
        if self.types & BOOLEAN != 0 && boolean(text).is_some() {
            return BOOLEAN;
        }
        let bytes = text.as_bytes();
        if let Some(days) = datetime::date(bytes) {
            self.is_far |= !NANOSECOND_DAYS.contains(&days);
            return DATE | TIMESTAMP;
        }
        if let Some(time) = datetime::time(bytes) {
            self.needs_nanos |= time % 1000 != 0;
            return TIME;
        }
        match datetime::moment(bytes) {
            Some(moment) => {
                self.needs_nanos |= moment.nanoseconds % 1000 != 0;
                self.is_far |= moment.in_units(1_000_000_000).is_none();
                if moment.has_offset { TIMESTAMP_UTC } else { TIMESTAMP }
            }
            None => 0,
        }
    }
}

/// The days that nanoseconds since 1970-01-01 reach.
const NANOSECOND_DAYS: std::ops::Range<i32> = -106_751..106_752;

/// Returns the truth value that a text is, if it is one.
pub(super) fn boolean(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        return Some(true);
    }
    text.eq_ignore_ascii_case("false").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_first_type_that_takes_all_values() {
        use TimeUnit::{Microsecond, Nanosecond};
        let cases: &[(&[&str], InferredType)] = &[
            (&[], InferredType::Null),
            (&["true", "FALSE", "True"], InferredType::Boolean),
            (&["t", "f"], InferredType::Text),
            (&["true", "1"], InferredType::Text),
            (&["1", "-2", " 3"], InferredType::Integer),
            (&["9223372036854775808", "1"], InferredType::Unsigned),
            (&["9223372036854775809", "-1"], InferredType::Decimal(0)),
            (&["9223372036854775809", "0.5"], InferredType::Decimal(1)),
            (&["9007199254740993", "0.5"], InferredType::Decimal(1)),
            (&["99999999999999999999999"], InferredType::Decimal(0)),
            (&["999999999999999999999999999999999999999"], InferredType::Text),
            (&["0.1234567890123456789", "-7"], InferredType::Decimal(19)),
            (&["0.1234567890123456789", "1e5"], InferredType::Text),
            (&["0.10000000000000001", "1e5"], InferredType::Float),
            (&["1", "2.5"], InferredType::Float),
            (&["1e400", "1"], InferredType::Text),
            (&["00501", "10001"], InferredType::Text),
            (&["10001", "00501"], InferredType::Text),
            (&["0", "0.5", "-0.5"], InferredType::Float),
            (&["+5", "6"], InferredType::Text),
            (&["2020-01-31", "2021-12-01"], InferredType::Date),
            (&["2020-01-31", "2021-12-01 01:02"], InferredType::Timestamp(Microsecond)),
            (&["2020-02-30", "2021-12-01"], InferredType::Text),
            (&["2020-01-31", "1"], InferredType::Text),
            (&["2020-01-31T01:02:03.123456"], InferredType::Timestamp(Microsecond)),
            (&["2020-01-31T01:02:03.1234567"], InferredType::Timestamp(Nanosecond)),
            (&["2020-01-31T01:02:03.1234567", "1500-01-01"], InferredType::Text),
            (&["1500-01-31T01:02:03"], InferredType::Timestamp(Microsecond)),
            (&["2020-01-31T01:02:03Z"], InferredType::TimestampUtc(Microsecond)),
            (
                &["2020-01-31T01:02:03+02:00", "2020-01-31 01:02Z"],
                InferredType::TimestampUtc(Microsecond),
            ),
            (&["2020-01-31T01:02:03.000000001Z"], InferredType::TimestampUtc(Nanosecond)),
            (&["2020-01-31T01:02:03Z", "2020-01-31T01:02:03"], InferredType::Text),
            (&["2020-01-31T01:02:03Z", "2020-01-31"], InferredType::Text),
            (&["01:02:03", "23:59"], InferredType::Time(Microsecond)),
            (&["01:02:03.1234567"], InferredType::Time(Nanosecond)),
            (&["01:02:03", "24:00:00"], InferredType::Text),
            (&["1.2.3"], InferredType::Text),
        ];
        for (values, expected) in cases {
            let mut all = Candidates::default();
            values.iter().for_each(|value| all.add(value));
            assert_eq!(all.kind(), *expected, "{values:?}");
            // In any order, and in parts that are merged.
            let mut merged = Candidates::default();
            for value in values.iter().rev() {
                let mut one = Candidates::default();
                one.add(value);
                merged.merge(&one);
            }
            assert_eq!(merged.kind(), *expected, "{values:?}");
        }
    }

    #[test]
    fn a_type_grows_by_a_value() {
        use TimeUnit::Microsecond;
        for (kind, value, expected) in [
            (InferredType::Integer, "2.5", InferredType::Float),
            (InferredType::Integer, "x", InferredType::Text),
            (InferredType::Float, "x", InferredType::Text),
            (InferredType::Date, "2020-01-01 10:00", InferredType::Timestamp(Microsecond)),
            (InferredType::Boolean, "1", InferredType::Text),
        ] {
            let mut candidates = Candidates::of(kind);
            candidates.add(value);
            assert_eq!(candidates.kind(), expected, "{kind:?} {value}");
        }
    }
}
