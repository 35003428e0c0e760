//! The types that inference considers.
//!
//! ```text
//! value          types that take it                a column has the first type, in the order of `Kind`, that takes
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
pub(super) enum Kind {
    Boolean,
    Integer,
    /// Integers of which one or more are greater than the greatest `i64`.
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

impl Kind {
    pub(super) fn data_type(self) -> DataType {
        match self {
            Kind::Boolean => DataType::Boolean,
            Kind::Integer => DataType::Int64,
            Kind::Unsigned => DataType::UInt64,
            Kind::Float => DataType::Float64,
            Kind::Date => DataType::Date32,
            Kind::Time(unit) => DataType::Time64(unit),
            Kind::Timestamp(unit) => DataType::Timestamp(unit, None),
            Kind::TimestampUtc(unit) => DataType::Timestamp(unit, Some(Arc::from("UTC"))),
            Kind::Text => DataType::Utf8,
        }
    }

    /// What `--type` calls it.
    pub(super) fn name(self) -> &'static str {
        let nanos = TimeUnit::Nanosecond;
        match self {
            Kind::Boolean => "bool",
            Kind::Integer => "int64",
            Kind::Unsigned => "uint64",
            Kind::Float => "float64",
            Kind::Date => "date",
            Kind::Time(unit) if unit == nanos => "time[ns]",
            Kind::Time(_) => "time",
            Kind::Timestamp(unit) if unit == nanos => "timestamp[ns]",
            Kind::Timestamp(_) => "timestamp",
            Kind::TimestampUtc(unit) if unit == nanos => "timestamp[ns,UTC]",
            Kind::TimestampUtc(_) => "timestamp[us,UTC]",
            Kind::Text => "utf8",
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

/// What is known of the values of a column.
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
    pub(super) fn of(kind: Kind) -> Self {
        let types = match kind {
            Kind::Boolean => BOOLEAN,
            Kind::Integer => INTEGER | FLOAT,
            Kind::Unsigned => UNSIGNED,
            Kind::Float => FLOAT,
            Kind::Date => DATE | TIMESTAMP,
            Kind::Time(_) => TIME,
            Kind::Timestamp(_) => TIMESTAMP,
            Kind::TimestampUtc(_) => TIMESTAMP_UTC,
            Kind::Text => 0,
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

    /// The type that takes all values. A column without values is text.
    pub(super) fn kind(&self) -> Kind {
        let has = |types: u8| self.types & types != 0;
        let unit = if self.needs_nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        match () {
            () if !self.any => Kind::Text,
            () if has(BOOLEAN) => Kind::Boolean,
            () if has(INTEGER) => Kind::Integer,
            () if has(UNSIGNED) => Kind::Unsigned,
            () if has(FLOAT) => Kind::Float,
            () if has(DATE) => Kind::Date,
            () if has(TIME) => Kind::Time(unit),
            // Neither unit takes all.
            () if self.needs_nanos && self.is_far => Kind::Text,
            () if has(TIMESTAMP) => Kind::Timestamp(unit),
            () if has(TIMESTAMP_UTC) => Kind::TimestampUtc(unit),
            () => Kind::Text,
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

/// The truth value that a text is, if it is one.
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
        let cases: &[(&[&str], Kind)] = &[
            (&[], Kind::Text),
            (&["true", "FALSE", "True"], Kind::Boolean),
            (&["t", "f"], Kind::Text),
            (&["true", "1"], Kind::Text),
            (&["1", "-2", " 3"], Kind::Integer),
            (&["9223372036854775808", "1"], Kind::Unsigned),
            (&["9223372036854775808", "-1"], Kind::Text),
            (&["9223372036854775808", "0.5"], Kind::Text),
            (&["99999999999999999999999"], Kind::Text),
            (&["1", "2.5"], Kind::Float),
            (&["1e400", "1"], Kind::Text),
            (&["00501", "10001"], Kind::Text),
            (&["10001", "00501"], Kind::Text),
            (&["0", "0.5", "-0.5"], Kind::Float),
            (&["+5", "6"], Kind::Text),
            (&["2020-01-31", "2021-12-01"], Kind::Date),
            (&["2020-01-31", "2021-12-01 01:02"], Kind::Timestamp(Microsecond)),
            (&["2020-02-30", "2021-12-01"], Kind::Text),
            (&["2020-01-31", "1"], Kind::Text),
            (&["2020-01-31T01:02:03.123456"], Kind::Timestamp(Microsecond)),
            (&["2020-01-31T01:02:03.1234567"], Kind::Timestamp(Nanosecond)),
            (&["2020-01-31T01:02:03.1234567", "1500-01-01"], Kind::Text),
            (&["1500-01-31T01:02:03"], Kind::Timestamp(Microsecond)),
            (&["2020-01-31T01:02:03Z"], Kind::TimestampUtc(Microsecond)),
            (&["2020-01-31T01:02:03+02:00", "2020-01-31 01:02Z"], Kind::TimestampUtc(Microsecond)),
            (&["2020-01-31T01:02:03.000000001Z"], Kind::TimestampUtc(Nanosecond)),
            (&["2020-01-31T01:02:03Z", "2020-01-31T01:02:03"], Kind::Text),
            (&["2020-01-31T01:02:03Z", "2020-01-31"], Kind::Text),
            (&["01:02:03", "23:59"], Kind::Time(Microsecond)),
            (&["01:02:03.1234567"], Kind::Time(Nanosecond)),
            (&["01:02:03", "24:00:00"], Kind::Text),
            (&["1.2.3"], Kind::Text),
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
            (Kind::Integer, "2.5", Kind::Float),
            (Kind::Integer, "x", Kind::Text),
            (Kind::Float, "x", Kind::Text),
            (Kind::Date, "2020-01-01 10:00", Kind::Timestamp(Microsecond)),
            (Kind::Boolean, "1", Kind::Text),
        ] {
            let mut candidates = Candidates::of(kind);
            candidates.add(value);
            assert_eq!(candidates.kind(), expected, "{kind:?} {value}");
        }
    }
}
