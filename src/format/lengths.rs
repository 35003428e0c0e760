//! Array lengths, in which a run of zeros or ones is one number.
//!
//! ```text
//! L >= 0    one length, L
//! L <  0    a run: value (L + 1) & 1, count (1 - L) / 2 + 1
//!           -1 = 0 0   -2 = 1 1   -3 = 0 0 0   -4 = 1 1 1   ...   n times v: L = 3 - v - 2n
//! ```
//! Runs exist since version 2; before, each length is written separately. Where values follow their length (all
//! types but null), a run of ones would separate values from their lengths, so writers write only runs of zeros
//! there; readers accept both. A run does not cross blocks, but it may cross rows. (Reference implementation; the
//! specification has only the plain form.)

use super::bitmap::Bits;
use crate::error::{Error, Result};
use crate::kernel::{self, LengthRun, Level};
use crate::wire::{self, Cursor};

/// How many numbers are decoded at once.
const AT_ONCE: usize = 1024;

/// No run is longer: its number must fit an int.
const LONGEST_RUN: u32 = 1 << 30;

/// Writes lengths; keeps a run that may continue.
#[derive(Debug, Clone)]
pub(crate) struct LengthsEncoder {
    with_runs: bool,
    value: u32,
    count: u32,
}

impl LengthsEncoder {
    pub(crate) fn new(with_runs: bool) -> Self {
        Self { with_runs, value: 0, count: 0 }
    }

    /// Writes a length, or adds it to a run that waits.
    #[inline]
    pub(crate) fn put(&mut self, length: u32, out: &mut Vec<u8>) {
        if length > 1 || !self.with_runs {
            self.flush(out);
            wire::put_long(out, i64::from(length));
        } else if self.count > 0 && self.value == length && self.count < LONGEST_RUN {
            self.count += 1;
        } else {
            self.flush(out);
            (self.value, self.count) = (length, 1);
        }
    }

    /// Writes a length that values follow: it is in no run.
    #[inline]
    pub(crate) fn put_before_values(&mut self, length: u32, out: &mut Vec<u8>) {
        self.flush(out);
        wire::put_long(out, i64::from(length));
    }

    /// Writes `count` lengths of 0 or 1, or adds them to a run that waits.
    #[inline]
    pub(crate) fn put_run(&mut self, bit: bool, count: usize, out: &mut Vec<u8>) {
        let value = u32::from(bit);
        let mut left = u32::try_from(count).unwrap_or(u32::MAX);
        if !self.with_runs {
            (0..left).for_each(|_| self.put(value, out));
            return;
        }
        while left > 0 {
            if self.value != value || self.count == 0 || self.count == LONGEST_RUN {
                self.flush(out);
                self.value = value;
            }
            let more = left.min(LONGEST_RUN - self.count);
            self.count += more;
            left -= more;
        }
    }

    /// Writes the run that waits. Values may only be written after this.
    #[inline]
    pub(crate) fn flush(&mut self, out: &mut Vec<u8>) {
        match std::mem::take(&mut self.count) {
            0 => {}
            1 => wire::put_long(out, i64::from(self.value)),
            n => wire::put_long(out, 3 - i64::from(self.value) - 2 * i64::from(n)),
        }
    }
}

/// Reads lengths; keeps the rest of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct LengthsDecoder {
    run: LengthRun,
}

impl LengthsDecoder {
    /// Returns whether no run is open.
    pub(crate) fn is_done(&self) -> bool {
        self.run.left == 0
    }

    /// Returns whether a run continues for this many lengths.
    pub(crate) fn goes_on(&self, lengths: usize) -> bool {
        self.run.left as usize >= lengths
    }

    /// Returns the next length.
    #[inline]
    pub(crate) fn next(&mut self, cursor: &mut Cursor<'_>) -> Result<u32> {
        let (value, _) = self.run(cursor, 1)?;
        Ok(value)
    }

    /// Returns the next lengths that are equal, `most` of them at most: their value and how many.
    #[inline]
    pub(crate) fn run(&mut self, cursor: &mut Cursor<'_>, most: usize) -> Result<(u32, usize)> {
        if self.run.left == 0 {
            self.run = run_of(cursor.int("array length")?)?;
        }
        let n = u32::try_from(most).unwrap_or(u32::MAX).min(self.run.left);
        self.run.left -= n;
        Ok((self.run.value, n as usize))
    }

    /// Appends a bit for each of the next lengths, at most `n`, while they are 0 or 1. Returns the number of
    /// lengths, and of ones.
    pub(crate) fn presence(
        &mut self,
        cursor: &mut Cursor<'_>,
        n: usize,
        out: &mut Bits,
    ) -> Result<(usize, usize)> {
        let taken = out.extend_with(|bits, len| {
            let taken =
                kernel::bitmap::lengths_to_bitmap(cursor.rest(), n, &mut self.run, bits, len);
            (taken.rows, taken)
        });
        cursor.take(taken.bytes, "array length")?;
        Ok((taken.rows, taken.ones))
    }

    /// Appends the next lengths, at least one and at most `n`, many at a time. Returns their sum.
    pub(crate) fn many(
        &mut self,
        cursor: &mut Cursor<'_>,
        n: usize,
        out: &mut Vec<u32>,
    ) -> Result<usize> {
        let mut numbers: Vec<i32> = Vec::new();
        let bytes = match self.is_done() {
            true => kernel::varint::decode_ints(
                Level::in_use(),
                cursor.rest(),
                n.min(AT_ONCE),
                &mut numbers,
            ),
            false => 0,
        };
        let mut used = 0;
        let (mut sum, mut left) = (0usize, n);
        for number in &numbers {
            used += 1;
            if let Ok(length) = u32::try_from(*number) {
                out.push(length);
                sum = sum.saturating_add(length as usize);
                left -= 1;
            } else {
                self.run = run_of(*number)?;
                let count = (self.run.left as usize).min(left);
                self.run.left -= u32::try_from(count).unwrap_or(0);
                out.resize(out.len() + count, self.run.value);
                sum = sum.saturating_add(count.saturating_mul(self.run.value as usize));
                left -= count;
            }
            if left == 0 {
                break;
            }
        }
        if used > 0 {
            let all = used == numbers.len();
            let part = || kernel::varint::skip_varints(Level::in_use(), cursor.rest(), used).1;
            let bytes = if all { bytes } else { part() };
            cursor.take(bytes, "array length")?;
            return Ok(sum);
        }
        // A run continues, or the next number is not a length.
        let (length, count) = self.run(cursor, n)?;
        out.resize(out.len() + count, length);
        Ok(count.saturating_mul(length as usize))
    }
}

/// Returns the run of a number; a single length is a run of one.
#[inline]
fn run_of(number: i32) -> Result<LengthRun> {
    let number = i64::from(number);
    let (value, count) =
        if number >= 0 { (number, 1) } else { ((number + 1) & 1, (1 - number) / 2 + 1) };
    let whole = |n: i64| u32::try_from(n).map_err(|_| Error::malformed("array length"));
    Ok(LengthRun { value: whole(value)?, left: whole(count)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(lengths: &[u32], with_runs: bool) -> Vec<u8> {
        let (mut encoder, mut out) = (LengthsEncoder::new(with_runs), Vec::new());
        lengths.iter().for_each(|l| encoder.put(*l, &mut out));
        encoder.flush(&mut out);
        out
    }

    #[test]
    fn bytes_of_the_reference() {
        let lengths = [0, 0, 0, 1, 1, 2, 0, 1, 1, 1, 1, 5];
        assert_eq!(encode(&lengths, true), [0x05, 0x03, 0x04, 0x00, 0x0b, 0x0a]);
        assert_eq!(encode(&lengths, false), [0, 0, 0, 2, 2, 4, 0, 2, 2, 2, 2, 10]);
        for with_runs in [true, false] {
            let bytes = encode(&lengths, with_runs);
            let (mut decoder, mut cursor) = (LengthsDecoder::default(), Cursor::new(&bytes));
            let back: Vec<u32> =
                lengths.iter().map(|_| decoder.next(&mut cursor).unwrap()).collect();
            assert_eq!(back, lengths);
            assert!(decoder.is_done() && cursor.remaining() == 0);
            assert!(decoder.next(&mut cursor).is_err());
        }
    }

    #[test]
    fn the_longest_run_of_a_hostile_file() {
        let mut bytes = Vec::new();
        wire::put_int(&mut bytes, i32::MIN);
        let (value, n) =
            LengthsDecoder::default().run(&mut Cursor::new(&bytes), usize::MAX).unwrap();
        assert_eq!((value, n), (1, (1 << 30) + 1));
    }
}
