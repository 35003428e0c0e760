//! Parses dates, times and durations as nanoseconds.
//!
//! ```text
//! 2024-01-31                       midnight
//! 2024-01-31T10:00:00.5+01:00      a space may replace the T; seconds, fraction and zone are optional
//! 10:00:00.5                       since midnight
//! 1d 2h 3m 4.5s                    together; also ms, us, ns, and a sign before all
//! ```

/// Nanoseconds, and the zone if there is one, as its distance from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Datetime {
    pub(super) nanos: i128,
    pub(super) zone: Option<i128>,
}

pub(super) const SECOND: i128 = 1_000_000_000;
pub(super) const DAY: i128 = 86_400 * SECOND;

/// Returns a date, or a date and a time.
pub(super) fn moment(text: &str) -> Option<Datetime> {
    let (date, rest) = match text.char_indices().find(|(_, c)| matches!(c, 'T' | 't' | ' ')) {
        Some((at, _)) => (text.get(..at)?, text.get(at + 1..)),
        None => (text, None),
    };
    let days = days(date)?;
    let Some(rest) = rest else { return Some(Datetime { nanos: days * DAY, zone: None }) };
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time_text, zone) = (rest.get(..zone_at)?, rest.get(zone_at..)?);
    let zone = if zone.is_empty() { None } else { Some(distance(zone)?) };
    Some(Datetime { nanos: days * DAY + time(time_text)?, zone })
}

/// Days since 1970, of a year of four digits or, with a sign, more.
fn days(text: &str) -> Option<i128> {
    let signed = text.strip_prefix('-').map(|rest| (true, rest));
    let (negative, rest) = signed
        .or_else(|| text.strip_prefix('+').map(|rest| (false, rest)))
        .unwrap_or((false, text));
    let mut parts = rest.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let signed = rest.len() != text.len();
    if parts.next().is_some() || !(year.len() == 4 || signed && (4..=9).contains(&year.len())) {
        return None;
    }
    let year = digits(year, year.len())?;
    let year = if negative { -year } else { year };
    let (month, day) = (digits(month, 2)?, digits(day, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    // Years that begin in March end with the day that some years lack.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

/// Nanoseconds since midnight.
pub(super) fn time(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (second, fraction) = match parts.next() {
        Some(second) => match second.split_once('.') {
            Some((second, fraction)) => (digits(second, 2)?, nanos(fraction)?),
            None => (digits(second, 2)?, 0),
        },
        None => (0, 0),
    };
    let fits = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    fits.then_some(((hour * 60 + minute) * 60 + second) * SECOND + fraction)
}

/// Returns the distance of a zone from UTC in nanoseconds: `Z`, `+01:00`, `+0100` or `+01`.
pub(super) fn distance(zone: &str) -> Option<i128> {
    if zone.eq_ignore_ascii_case("z") || zone.eq_ignore_ascii_case("utc") {
        return Some(0);
    }
    let (sign, rest) = match zone.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, zone.strip_prefix('+')?),
    };
    let hours = digits(rest.get(..2)?, 2)?;
    let minutes = rest.get(2..)?;
    let minutes = match minutes.strip_prefix(':').unwrap_or(minutes) {
        "" if minutes.is_empty() => 0,
        minutes => digits(minutes, 2)?,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60 * SECOND)
}

/// The units of durations. A unit extends to the last letter, so that `m` and `ms` are distinct.
const UNITS: [(&str, i128); 7] = [
    ("d", DAY),
    ("h", 3600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1000),
    ("ns", 1),
];

/// Returns a duration in nanoseconds.
pub(super) fn duration(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.trim().strip_prefix('-') {
        Some(rest) => (-1, rest.trim_start()),
        None => (1, text.trim()),
    };
    let mut sum = 0i128;
    loop {
        let letters = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = (rest.get(..letters)?, rest.get(letters..)?.trim_start());
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| behind.get(..end) == Some(name))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let part = nanos(fraction)? * unit / SECOND;
        sum =
            digits(whole, whole.len())?.checked_mul(*unit)?.checked_add(part)?.checked_add(sum)?;
        rest = behind.get(end..)?.trim_start();
        if rest.is_empty() {
            return Some(sign * sum);
        }
    }
}

/// Parses a number of exactly `n` digits.
fn digits(text: &str, n: usize) -> Option<i128> {
    let fine = text.len() == n && !text.is_empty() && n <= 18;
    let fine = fine && text.bytes().all(|b| b.is_ascii_digit());
    if fine { text.parse().ok() } else { None }
}

/// Parses the fraction of a second, at most nine digits.
fn nanos(fraction: &str) -> Option<i128> {
    let n = u32::try_from(fraction.len()).ok().filter(|n| (1..=9).contains(n))?;
    Some(digits(fraction, fraction.len())? * 10i128.pow(9 - n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_counted_from_1970() {
        let at = |text: &str| moment(text).map(|moment| (moment.nanos / SECOND, moment.zone));
        for (text, seconds, zone) in [
            ("1970-01-01", 0, None),
            ("2024-01-31T10:00:00", 1_706_695_200, None),
            ("2024-02-29 10:00", 1_709_200_800, None),
            ("2024-01-31t10:00:00z", 1_706_695_200, Some(0)),
            ("2024-01-31T10:00:00.25-01:30", 1_706_695_200, Some(-5400 * SECOND)),
            ("1969-12-31T23:59:59", -1, None),
            ("1600-02-29", -11_670_998_400, None),
            ("-0001-03-01", -62_193_657_600, None),
            ("+12345-01-01", 327_403_382_400, None),
        ] {
            assert_eq!(at(text), Some((seconds, zone)), "{text}");
        }
        for bad in [
            "",
            "2024",
            "2024-1-31",
            "2023-02-29",
            "1900-02-29",
            "2024-00-01",
            "2024-13-01",
            "2024-01-32",
            "2024-01-31T",
            "2024-01-31T24:00",
            "2024-01-31T10:00+1",
            "24-01-31",
            "2024-01-31T10:00:60",
            "2024-01-31T10:00:00.",
            "12024-01-01",
            "2024-01-31x",
            "é-01-01",
            "2024-01-31T10:00:00.1234567890",
            "2024-01-31T10:00:00+25:00",
            "2024-01-01-01",
        ] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn times_and_durations_are_nanoseconds() {
        assert_eq!(time("10:00:00.000000001"), Some(36_000 * SECOND + 1));
        assert_eq!(time("23:59"), Some(86_340 * SECOND));
        assert!(time("1:00").is_none() && time("10").is_none() && time("10:00:00:00").is_none());
        for (text, nanos) in [
            ("1d 2h 3m 4.5s", 93_784_500_000_000),
            ("90s", 90 * SECOND),
            ("0s", 0),
            ("- 5 ms", -5_000_000),
            ("1m1us1ns", 60 * SECOND + 1001),
            ("0.5h", 1800 * SECOND),
        ] {
            assert_eq!(duration(text), Some(nanos), "{text}");
        }
        for bad in ["", "5", "s", "5x", "5s 5", "1.s", "1..5s", "-", "99999999999999999999d"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
