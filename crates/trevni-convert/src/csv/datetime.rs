//! Parses dates and times in the syntax that inference accepts.
//!
//! ```text
//! date        2024-02-29                                    days since 1970-01-01
//! time        13:45   13:45:07   13:45:07.125               nanoseconds since midnight
//! timestamp   a date, `T` or a blank, a time                seconds and nanoseconds since 1970-01-01
//!             with Z, +02, +0200 or +02:00 after it         the same, in UTC
//! ```
//! Years have four digits, fractions of seconds one to nine. There are no leap seconds, and no 24:00.

/// A point in time, or a time of no known zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Datetime {
    /// Seconds since 1970-01-01; in UTC if there was an offset.
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
    pub(super) has_offset: bool,
}

const DAY: i64 = 86_400;

impl Datetime {
    /// Returns the count of units of which a second has `per_second`; `None` if digits would be lost, or there are
    /// too many.
    pub(super) fn in_units(self, per_second: i64) -> Option<i64> {
        let unit = 1_000_000_000 / per_second;
        let part = i64::from(self.nanoseconds);
        if part % unit != 0 {
            return None;
        }
        let units = i128::from(self.seconds) * i128::from(per_second) + i128::from(part / unit);
        i64::try_from(units).ok()
    }
}

/// Returns the days from 1970-01-01 to the date that a text is, if it is one.
pub(super) fn date(text: &[u8]) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let year = i32::from(pair(*y1, *y2)?) * 100 + i32::from(pair(*y3, *y4)?);
    days(year, pair(*m1, *m2)?, pair(*d1, *d2)?)
}

/// Returns the nanoseconds from midnight to the time of day that a text is, if it is one.
pub(super) fn time(text: &[u8]) -> Option<i64> {
    let (seconds, nanoseconds, rest) = clock(text)?;
    rest.is_empty().then_some(seconds * 1_000_000_000 + i64::from(nanoseconds))
}

/// Returns the moment that a text is, if it is one: a date with a time, and an offset or none.
pub(super) fn moment(text: &[u8]) -> Option<Datetime> {
    let (day, rest) = text.split_at_checked(10)?;
    let ([b'T' | b' ', rest @ ..], day) = (rest, date(day)?) else { return None };
    let (seconds, nanoseconds, rest) = clock(rest)?;
    let offset = if rest.is_empty() { None } else { Some(offset(rest)?) };
    let seconds = i64::from(day) * DAY + seconds - offset.unwrap_or(0);
    Some(Datetime { seconds, nanoseconds, has_offset: offset.is_some() })
}

/// Parses a time of day to seconds and nanoseconds. Returns the text after it.
fn clock(text: &[u8]) -> Option<(i64, u32, &[u8])> {
    let [h1, h2, b':', m1, m2, rest @ ..] = text else { return None };
    let (hour, minute) = (pair(*h1, *h2)?, pair(*m1, *m2)?);
    let (second, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (pair(*s1, *s2)?, rest),
        _ => (0, rest),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (nanoseconds, rest) = match rest {
        // A fraction is of seconds.
        [b'.', rest @ ..] if text.get(5) == Some(&b':') => fraction(rest)?,
        _ => (0, rest),
    };
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some((seconds, nanoseconds, rest))
}

/// Parses one to nine digits as nanoseconds. Returns the text after them.
fn fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let (digits, rest) = text.split_at_checked(digits)?;
    let value = digits.iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Some(((digits.len()..9).fold(value, |value, _| value * 10), rest))
}

/// Returns the offset of a zone from UTC in seconds.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, hour, minute) = match text {
        b"Z" => return Some(0),
        [sign, h1, h2] => (sign, pair(*h1, *h2)?, 0),
        [sign, h1, h2, m1, m2] | [sign, h1, h2, b':', m1, m2] => {
            (sign, pair(*h1, *h2)?, pair(*m1, *m2)?)
        }
        _ => return None,
    };
    if hour > 23 || minute > 59 {
        return None;
    }
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60;
    match sign {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// Two digits.
fn pair(tens: u8, ones: u8) -> Option<u8> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| tens * 10 + ones)
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar; `None` if there is no such day.
fn days(year: i32, month: u8, day: u8) -> Option<i32> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let of_month = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(is_leap),
        1..=12 => 31,
        _ => return None,
    };
    if year == 0 || day == 0 || day > of_month {
        return None;
    }
    // Years begin in March here, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * i32::from(month) + 2) / 5 + i32::from(day) - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2000-02-29", Some(11_016)),
            ("2024-02-29", Some(19_782)),
            ("1900-02-28", Some(-25_509)),
            ("0001-01-01", Some(-719_162)),
            ("9999-12-31", Some(2_932_896)),
            ("1900-02-29", None),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("2024-00-01", None),
            ("2024-04-31", None),
            ("2024-01-00", None),
            ("0000-01-01", None),
            ("2024-1-01", None),
            ("20240101", None),
            ("2024/01/01", None),
            ("2024-01-01 ", None),
            ("", None),
        ] {
            assert_eq!(date(text.as_bytes()), expected, "{text}");
        }
        // Every day of the calendar follows the one before.
        let mut last = date(b"0001-01-01").unwrap();
        for year in 1..=2400 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(next) = days(year, month, day) {
                        assert!(next == last + 1 || next == -719_162, "{year}-{month}-{day}");
                        last = next;
                    }
                }
            }
        }
    }

    #[test]
    fn times_are_of_a_day() {
        for (text, expected) in [
            ("00:00", Some(0)),
            ("01:02", Some(3_720_000_000_000)),
            ("23:59:59.999999999", Some(86_399_999_999_999)),
            ("13:45:07.5", Some(49_507_500_000_000)),
            ("24:00:00", None),
            ("12:60", None),
            ("23:59:60", None),
            ("1:02:03", None),
            ("01:02.5", None),
            ("01:02:03.", None),
            ("01:02:03.1234567890", None),
            ("01:02:03Z", None),
        ] {
            assert_eq!(time(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn moments_are_in_utc_where_they_have_an_offset() {
        let at =
            |seconds, nanoseconds, has_offset| Some(Datetime { seconds, nanoseconds, has_offset });
        for (text, expected) in [
            ("2013-01-01T10:00:00", at(1_357_034_400, 0, false)),
            ("2013-01-01 10:00", at(1_357_034_400, 0, false)),
            ("2013-01-01 10:00:00.25", at(1_357_034_400, 250_000_000, false)),
            ("2013-01-01T10:00:00Z", at(1_357_034_400, 0, true)),
            ("2013-01-01T10:00Z", at(1_357_034_400, 0, true)),
            ("2013-01-01T12:00:00+02:00", at(1_357_034_400, 0, true)),
            ("2013-01-01T12:00:00.5+0200", at(1_357_034_400, 500_000_000, true)),
            ("2013-01-01 05:00:00-05", at(1_357_034_400, 0, true)),
            ("2013-01-01", None),
            ("2013-01-01 10", None),
            ("2013-01-01T10:00:00 Z", None),
            ("2013-01-01T10:00:00z", None),
            ("2013-01-01T10:00:00+2", None),
            ("2013-01-01T10:00:00 UTC", None),
            ("2013-01-01x10:00:00", None),
        ] {
            assert_eq!(moment(text.as_bytes()), expected, "{text}");
        }
        let moment = moment(b"2013-01-01 10:00:00.25").unwrap();
        assert_eq!(moment.in_units(1_000), Some(1_357_034_400_250));
        assert_eq!(moment.in_units(1), None);
        let far = Datetime { seconds: 1 << 62, nanoseconds: 0, has_offset: false };
        assert_eq!(far.in_units(1_000), None);
    }
}
