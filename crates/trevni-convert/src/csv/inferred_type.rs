//! The types that inference considers.
//!
//! ```text
//! value          types that take it                a column has the first type, in the order of `InferredType`, that takes
//! true           boolean                           all its values; text takes any
//! 7              integer, unsigned, float
//! 2024-01-02     date, timestamp                   7, 0.5      float
//! 00501          none but text                     7, 00501    text
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};

use super::datetime;
use super::number::{self, Integer};

/// A type that inference knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InferredType {
    Boolean,
    Integer,
    /// Integers, some of which exceed `i64`.
    Unsigned,
    Float,
    Date,
    /// In microseconds, or in nanoseconds.
    Time(TimeUnit),
    Timestamp(TimeUnit),
    /// Every value has an offset.
    TimestampUtc(TimeUnit),
    Text,
}

impl InferredType {
    pub(super) fn data_type(self) -> DataType {
        match self {
            InferredType::Boolean => DataType::Boolean,
            InferredType::Integer => DataType::Int64,
            InferredType::Unsigned => DataType::UInt64,
            InferredType::Float => DataType::Float64,
            InferredType::Date => DataType::Date32,
            InferredType::Time(unit) => DataType::Time64(unit),
            InferredType::Timestamp(unit) => DataType::Timestamp(unit, None),
            InferredType::TimestampUtc(unit) => DataType::Timestamp(unit, Some(Arc::from("UTC"))),
            InferredType::Text => DataType::Utf8,
        }
    }

    /// Returns what `--type` calls it.
    pub(super) fn name(self) -> &'static str {
        let nanos = TimeUnit::Nanosecond;
        match self {
            InferredType::Boolean => "bool",
            InferredType::Integer => "int64",
            InferredType::Unsigned => "uint64",
            InferredType::Float => "float64",
            InferredType::Date => "date",
            InferredType::Time(unit) if unit == nanos => "time[ns]",
            InferredType::Time(_) => "time",
            InferredType::Timestamp(unit) if unit == nanos => "timestamp[ns]",
            InferredType::Timestamp(_) => "timestamp",
            InferredType::TimestampUtc(unit) if unit == nanos => "timestamp[ns,UTC]",
            InferredType::TimestampUtc(_) => "timestamp[us,UTC]",
            InferredType::Text => "utf8",
        }
    }
}

const BOOLEAN: u8 = 1;
const INTEGER: u8 = 2;
const UNSIGNED: u8 = 4;
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
    any: bool,
    /// Whether a time has digits below a microsecond.
    needs_nanos: bool,
    /// Whether a time is out of the range of nanoseconds.
    is_far: bool,
}

impl Default for Candidates {
    fn default() -> Self {
        Self { types: u8::MAX, any: false, needs_nanos: false, is_far: false }
    }
}

impl Candidates {
    /// Those of a type that was inferred before.
    pub(super) fn of(kind: InferredType) -> Self {
        let types = match kind {
            InferredType::Boolean => BOOLEAN,
            InferredType::Integer => INTEGER | FLOAT,
            InferredType::Unsigned => UNSIGNED,
            InferredType::Float => FLOAT,
            InferredType::Date => DATE | TIMESTAMP,
            InferredType::Time(_) => TIME,
            InferredType::Timestamp(_) => TIMESTAMP,
            InferredType::TimestampUtc(_) => TIMESTAMP_UTC,
            InferredType::Text => 0,
        };
        Self { types, any: true, ..Self::default() }
    }

    /// Adds a value that is not null.
    pub(super) fn add(&mut self, text: &str) {
        self.any = true;
        if self.types != 0 {
            self.types &= self.types_of(text);
        }
    }

    /// Adds the values of another part of the column.
    pub(super) fn merge(&mut self, other: &Self) {
        self.types &= other.types;
        self.any |= other.any;
        self.needs_nanos |= other.needs_nanos;
        self.is_far |= other.is_far;
    }

    /// Returns the type that takes all values. A column without values is text.
    pub(super) fn kind(&self) -> InferredType {
        let has = |types: u8| self.types & types != 0;
        let unit = if self.needs_nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        match () {
            () if !self.any => InferredType::Text,
            () if has(BOOLEAN) => InferredType::Boolean,
            () if has(INTEGER) => InferredType::Integer,
            () if has(UNSIGNED) => InferredType::Unsigned,
            () if has(FLOAT) => InferredType::Float,
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
            match number::integer(text.as_bytes()) {
                Some(Integer::Signed(0..)) => return INTEGER | UNSIGNED | FLOAT,
                Some(Integer::Signed(_)) => return INTEGER | FLOAT,
                Some(Integer::Unsigned(_)) => return UNSIGNED,
                Some(Integer::Wide) => return 0,
                None if number::float(text).is_some() => return FLOAT,
                None => {}
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
            (&[], InferredType::Text),
            (&["true", "FALSE", "True"], InferredType::Boolean),
            (&["t", "f"], InferredType::Text),
            (&["true", "1"], InferredType::Text),
            (&["1", "-2", " 3"], InferredType::Integer),
            (&["9223372036854775808", "1"], InferredType::Unsigned),
            (&["9223372036854775808", "-1"], InferredType::Text),
            (&["9223372036854775808", "0.5"], InferredType::Text),
            (&["99999999999999999999999"], InferredType::Text),
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
