//! Timestamps and durations: seconds and nanoseconds in a message, one number in a column.
//!
//! ```text
//! Timestamp  -1.5 s   seconds -2, nanos 500000000      nanos count forward
//! Duration   -1.5 s   seconds -1, nanos -500000000     both have one sign
//! ```

use arrow::datatypes::TimeUnit;

use trevni::{Error, Result};

const NANOS: i64 = 1_000_000_000;

/// Seconds from the year 1 to 9999, which is all that timestamps are made for; durations are as long.
const FIRST_SECOND: i64 = -62_135_596_800;
const LAST_SECOND: i64 = 253_402_300_799;
const LONGEST_DURATION: i64 = 315_576_000_000;

/// Which of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnits {
    Timestamp,
    Duration,
}

impl TimeUnits {
    /// Nanoseconds, which must be in the range of 64 bits.
    pub(super) fn nanoseconds(self, seconds: i64, nanos: i64) -> Result<i64> {
        let proper = match self {
            TimeUnits::Timestamp => (0..NANOS).contains(&nanos),
            TimeUnits::Duration => {
                let one_sign = seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0);
                nanos.abs() < NANOS && one_sign
            }
        };
        let said = |what: &str| Error::malformed(format!("{seconds} s and {nanos} ns {what}"));
        if !proper {
            return Err(said("are not well-formed"));
        }
        let all = i128::from(seconds) * i128::from(NANOS) + i128::from(nanos);
        i64::try_from(all).map_err(|_| said("are more nanoseconds than 64 bits can hold"))
    }

    /// Seconds and nanoseconds.
    pub(super) fn parts(self, value: i64, unit: TimeUnit) -> Result<(i64, i64)> {
        let per = match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => NANOS,
        };
        let (seconds, rest, range) = match self {
            TimeUnits::Timestamp => {
                (value.div_euclid(per), value.rem_euclid(per), FIRST_SECOND..=LAST_SECOND)
            }
            TimeUnits::Duration => (value / per, value % per, -LONGEST_DURATION..=LONGEST_DURATION),
        };
        if !range.contains(&seconds) {
            let what = format!("{seconds} s are out of the range of a google.protobuf.{self:?}");
            return Err(Error::invalid(what));
        }
        Ok((seconds, rest * (NANOS / per)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree() {
        for moment in [TimeUnits::Timestamp, TimeUnits::Duration] {
            for value in [0, 1, -1, NANOS, -NANOS, 1 - NANOS, -NANOS - 1, i64::MAX, i64::MIN] {
                let (seconds, nanos) = moment.parts(value, TimeUnit::Nanosecond).unwrap();
                assert_eq!(moment.nanoseconds(seconds, nanos).unwrap(), value);
            }
        }
        assert_eq!(
            TimeUnits::Timestamp.parts(-1500, TimeUnit::Millisecond).unwrap(),
            (-2, 500_000_000)
        );
        assert_eq!(
            TimeUnits::Duration.parts(-1500, TimeUnit::Millisecond).unwrap(),
            (-1, -500_000_000)
        );
    }
}
