//! Array lengths of nothing but 0 and 1 to bits, low bit of each byte first.
//!
//! ```text
//! lengths   03 │ 05 │ 02 │ ...        zig-zag: a run of 2 ones, one of 3 zeros, a single one
//! bits      1 1   0 0 0   1 ...
//! ```
//! Where rows are null at random a run is a few rows, its number one byte: so the 128 numbers of one byte stand
//! in a table, and the runs are shifted into a word.

use super::bits::ones;
use super::varints::{Number, first};

/// What is left of a run of equal lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Run {
    /// The length.
    pub value: u32,
    /// How many more times.
    pub left: u32,
}

/// How far a call came that turns lengths into bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Present {
    /// Bits appended.
    pub rows: usize,
    /// Those that are set.
    pub ones: usize,
    /// Bytes taken.
    pub bytes: usize,
}

/// The longest run of a number of one byte.
const LONGEST: usize = 33;

/// For each number of one byte: twice the count of the run, and its value; 0 for a length above 1.
const RUNS: [u8; 128] = {
    let (mut runs, mut byte) = ([0; 128], 0u8);
    while byte < 128 {
        let half = byte.div_ceil(2);
        let (value, count) =
            if byte % 2 == 0 { (half, 1) } else { ((half + 1) % 2, half.div_ceil(2) + 1) };
        if value < 2 {
            #[allow(clippy::indexing_slicing)] // The compiler would see a wrong index.
            {
                runs[byte as usize] = count * 2 + value;
            }
        }
        byte += 1;
    }
    runs
};

/// Appends up to `n` bits, each a length of 0 or 1, to the `len` bits that lie in `bits`: first what is left of
/// `run`, then lengths from the start of `bytes`; leaves in `run` what goes on behind the `n`. Stops before a
/// length that is cut off, malformed, or above 1.
pub(crate) fn presence(
    bytes: &[u8],
    n: usize,
    run: &mut Run,
    bits: &mut Vec<u8>,
    len: usize,
) -> Present {
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
    Present { rows, ones, bytes: bytes.len() - rest.len() }
}

/// The run that a number at the start stands for, and what follows; none if it is not whole, no int, or a length
/// above 1.
fn number(bytes: &[u8]) -> Option<(Run, &[u8])> {
    let (bits, behind) = first(bytes)?;
    let number = i64::from(i32::from_bits(bits)?);
    let (value, count) = match number {
        0 | 1 => (number, 1),
        2.. => return None,
        _ => ((number + 1) & 1, (1 - number) / 2 + 1),
    };
    Some((Run { value: u32::try_from(value).ok()?, left: u32::try_from(count).ok()? }, behind))
}

/// Bits on their way into bytes.
struct Sink<'a> {
    bits: &'a mut Vec<u8>,
    /// The bits that are not yet in bytes, and how many they are: fewer than 64.
    word: u64,
    fill: usize,
    /// How many bits of 1 were put.
    ones: usize,
}

impl<'a> Sink<'a> {
    /// Behind the `len` bits that are in `bits`.
    fn new(bits: &'a mut Vec<u8>, len: usize) -> Self {
        let fill = len % 8;
        let word = if fill > 0 { u64::from(bits.pop().unwrap_or(0)) & ones(fill) } else { 0 };
        Self { bits, word, fill, ones: 0 }
    }

    /// Appends the runs of numbers of one byte, while `n` rows have room for any such; gives what follows them,
    /// and the new count of rows.
    fn short_runs<'b>(&mut self, bytes: &'b [u8], n: usize, rows: usize) -> (&'b [u8], usize) {
        let (mut rest, mut rows) = (bytes, rows);
        while rows.saturating_add(LONGEST) <= n
            && let Some((byte, behind)) = rest.split_first()
            && let Some(run) = RUNS.get(usize::from(*byte)).filter(|run| **run > 0)
        {
            let count = usize::from(run / 2);
            self.put_few(run & 1 == 1, count);
            rows += count;
            rest = behind;
        }
        (rest, rows)
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
            let whole = self.word.to_le_bytes();
            self.bits.extend_from_slice(whole.get(..self.fill / 8).unwrap_or_default());
            (self.word, self.fill) = (0, 0);
            left -= to_byte;
            self.bits.resize(self.bits.len() + left / 8, if value { 0xff } else { 0 });
            self.ones += if value { left / 8 * 8 } else { 0 };
            left %= 8;
        }
        self.put_few(value, left);
    }

    /// Stores the last bits; gives how many of all were 1.
    fn finish(self) -> usize {
        let bytes = self.word.to_le_bytes();
        self.bits.extend_from_slice(bytes.get(..self.fill.div_ceil(8)).unwrap_or_default());
        self.ones
    }
}
