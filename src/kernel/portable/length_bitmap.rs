//! Converts array lengths of 0 and 1 to a bitmap.
//!
//! ```text
//! lengths   03 │ 05 │ 02 │ ...        zig-zag: a run of 2 ones, one of 3 zeros, a single one
//! bits      1 1   0 0 0   1 ...
//! ```
//! If rows are null at random, a run is a few rows and its number one byte, so a table has the run of each byte.
//! The runs of four bytes are combined and shifted to their position at once, since only that depends on the bits
//! before them.

use super::bits::ones;
use super::varints::{Number, first};

/// The rest of a run of equal lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LengthRun {
    /// The length.
    pub value: u32,
    /// How many more times.
    pub left: u32,
}

/// The progress of a conversion of lengths to bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BitmapProgress {
    /// Bits appended.
    pub rows: usize,
    /// Those that are set.
    pub ones: usize,
    /// Bytes taken.
    pub bytes: usize,
}

/// The longest run of a number of one byte.
const LONGEST: usize = 33;

/// The most bits that are put together.
const MOST: u64 = 56;

/// The number of bytes that are reserved at a time.
const PIECE: usize = 1 << 10;

/// No run: more bits than are put together, and four of it are still less than a byte counts.
const NONE: u64 = 63;

/// For each number of one byte: its bits, from bit 16 on; how many of them are 1, from bit 8 on; how many they are.
/// NONE for a length above 1, or if the byte does not end the number.
const RUNS: [u64; 256] = {
    let (mut runs, mut byte) = ([NONE; 256], 0);
    while byte < 128 {
        let half = (byte as u64).div_ceil(2);
        let (value, count) =
            if byte % 2 == 0 { (half, 1) } else { ((half + 1) % 2, half.div_ceil(2) + 1) };
        if value < 2 {
            #[allow(clippy::indexing_slicing)] // The compiler would see a wrong index.
            {
                runs[byte] = ((value << count) - value) << 16 | (value * count) << 8 | count;
            }
        }
        byte += 1;
    }
    runs
};

/// Decodes up to `n` lengths of 0 or 1 as bits, appended to the `len` bits in `bits`: first the rest of `run`, then
/// lengths from the start of `bytes`. A run that exceeds `n` stays in `run`. Stops before a length that is
/// truncated, malformed or above 1.
pub(crate) fn lengths_to_bitmap(
    bytes: &[u8],
    n: usize,
    run: &mut LengthRun,
    bits: &mut Vec<u8>,
    len: usize,
) -> BitmapProgress {
    let mut sink = Sink::new(bits, len);
    let (mut rest, mut rows) = (bytes, 0);
    while rows < n {
        if run.left == 0 {
            (rest, rows) = sink.short_runs(rest, n, rows);
            let Some((next, behind)) = number(rest).filter(|_| rows < n) else { break };
            (*run, rest) = (next, behind);
        }
        if run.value > 1 {
            break;
        }
        let count = u32::try_from(n - rows).unwrap_or(u32::MAX).min(run.left);
        sink.put(run.value == 1, count as usize);
        run.left -= count;
        rows += count as usize;
    }
    let ones = sink.finish();
    BitmapProgress { rows, ones, bytes: bytes.len() - rest.len() }
}

/// Returns the run of the number at the start, and the bytes after it; `None` if the number is truncated, exceeds
/// an int, or is a length above 1.
fn number(bytes: &[u8]) -> Option<(LengthRun, &[u8])> {
    let (bits, behind) = first(bytes)?;
    let number = i64::from(i32::from_bits(bits)?);
    let (value, count) = match number {
        0 | 1 => (number, 1),
        2.. => return None,
        _ => ((number + 1) & 1, (1 - number) / 2 + 1),
    };
    Some((
        LengthRun { value: u32::try_from(value).ok()?, left: u32::try_from(count).ok()? },
        behind,
    ))
}

/// Returns the runs of four numbers as one; none if they are too many bits or not all runs, which [`NONE`] makes
/// too many.
#[inline(always)]
fn together(four: &[u8; 4]) -> Option<Bits> {
    let [a, b, c, d] = four.map(|byte| RUNS.get(usize::from(byte)).copied().unwrap_or(NONE));
    let sum = a + b + c + d;
    if sum & 0xff > MOST {
        return None;
    }
    let front = a >> 16 | (b >> 16) << (a & 0xff);
    let back = c >> 16 | (d >> 16) << (c & 0xff);
    Some(Bits::of(front | back << ((a + b) & 0xff), sum))
}

/// Returns the run of one number.
fn single(byte: u8) -> Option<Bits> {
    let run = RUNS.get(usize::from(byte)).copied().filter(|run| *run != NONE)?;
    Some(Bits::of(run >> 16, run))
}

/// Up to [`MOST`] bits.
struct Bits {
    bits: u64,
    count: usize,
    ones: usize,
}

impl Bits {
    /// With the counts of a run, or the sum of several.
    #[inline(always)]
    fn of(bits: u64, sum: u64) -> Self {
        let [count, ones, ..] = sum.to_le_bytes();
        Self { bits, count: count.into(), ones: ones.into() }
    }
}

/// Complete bytes, stored eight at a time; the last ones are stored again.
struct Words<'a> {
    out: &'a mut [u8],
    at: usize,
    /// The bits that do not fill a byte yet, and their number.
    word: u64,
    fill: usize,
    rows: usize,
    ones: usize,
}

impl Words<'_> {
    /// Appends bits if there is room for them, and rows remain.
    #[inline(always)]
    fn put(&mut self, bits: Bits, n: usize) -> Option<()> {
        let stored = self.out.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut)?;
        if self.rows + bits.count > n {
            return None;
        }
        self.word |= bits.bits << self.fill;
        *stored = self.word.to_le_bytes();
        self.fill += bits.count;
        self.word >>= self.fill & !7;
        self.at += self.fill / 8;
        self.fill %= 8;
        self.rows += bits.count;
        self.ones += bits.ones;
        Some(())
    }
}

/// Appends bits to bytes.
struct Sink<'a> {
    bits: &'a mut Vec<u8>,
    /// The bits that are not yet in bytes, and how many they are: fewer than 64.
    word: u64,
    fill: usize,
    /// How many bits of 1 were put.
    ones: usize,
}

impl<'a> Sink<'a> {
    /// Starts after the `len` bits in `bits`.
    fn new(bits: &'a mut Vec<u8>, len: usize) -> Self {
        let fill = len % 8;
        let word = if fill > 0 { u64::from(bits.pop().unwrap_or(0)) & ones(fill) } else { 0 };
        Self { bits, word, fill, ones: 0 }
    }

    /// Appends runs of one-byte numbers, up to `n` rows. Returns the remaining bytes and the new number of rows. It
    /// may stop early.
    fn short_runs<'b>(&mut self, bytes: &'b [u8], n: usize, rows: usize) -> (&'b [u8], usize) {
        if bytes.first().and_then(|byte| single(*byte)).is_none() {
            return (bytes, rows);
        }
        self.store();
        let start = self.bits.len();
        let most = bytes.len().saturating_mul(LONGEST).min(n - rows) / 8;
        self.bits.resize(start + most.min(PIECE) + 8, 0);
        let out = self.bits.get_mut(start..).unwrap_or_default();
        let mut words = Words { out, at: 0, word: self.word, fill: self.fill, rows, ones: 0 };
        let mut rest = bytes;
        loop {
            let fours = rest.as_chunks().0.iter();
            let taken = fours.map_while(|four| words.put(together(four)?, n)).count() * 4;
            rest = rest.get(taken..).unwrap_or_default();
            let Some((byte, behind)) = rest.split_first() else { break };
            let Some(()) = single(*byte).and_then(|run| words.put(run, n)) else { break };
            rest = behind;
        }
        let Words { at, word, fill, rows, ones, .. } = words;
        self.bits.truncate(start + at);
        (self.word, self.fill) = (word, fill);
        self.ones += ones;
        (rest, rows)
    }

    /// Stores the complete bytes of the word.
    fn store(&mut self) {
        let whole = self.word.to_le_bytes();
        self.bits.extend_from_slice(whole.get(..self.fill / 8).unwrap_or_default());
        self.word >>= self.fill & !7;
        self.fill %= 8;
    }

    /// Appends a run of up to 63 bits.
    #[inline(always)]
    fn put_few(&mut self, value: bool, count: usize) {
        let run = if value { ones(count) } else { 0 };
        self.ones += if value { count } else { 0 };
        self.word |= run << self.fill;
        self.fill += count;
        if self.fill >= 64 {
            self.bits.extend_from_slice(&self.word.to_le_bytes());
            self.fill -= 64;
            self.word = run >> (count - self.fill);
        }
    }

    /// Appends a run of any length.
    fn put(&mut self, value: bool, count: usize) {
        let mut left = count;
        if left >= 64 {
            // To the next byte, then bytes that are all alike.
            let to_byte = (8 - self.fill % 8) % 8;
            self.put_few(value, to_byte);
            self.store();
            left -= to_byte;
            self.bits.resize(self.bits.len() + left / 8, if value { 0xff } else { 0 });
            self.ones += if value { left / 8 * 8 } else { 0 };
            left %= 8;
        }
        self.put_few(value, left);
    }

    /// Stores the last bits. Returns how many of all were 1.
    fn finish(self) -> usize {
        let bytes = self.word.to_le_bytes();
        self.bits.extend_from_slice(bytes.get(..self.fill.div_ceil(8)).unwrap_or_default());
        self.ones
    }
}
