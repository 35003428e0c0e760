//! BloscLZ, a compressor derived from FastLZ.
//!
//! ```text
//! 000nnnnn  n+1 bytes                     literals, 1 to 32
//! lllddddd  [more length]  dddddddd       copy of l+2 bytes from d+1 back; d = 5 high bits, 8 low bits
//! lll11111  [more length]  11111111 hi lo copy of l+2 bytes from hi:lo + 8192 back
//! ```
//! `lll` is 1 to 7. At 7 more length follows: bytes that are summed up to the first that is not 255. The first
//! control byte of a stream is always literals; its three high bits are a marker, 001, and are ignored. Readers of
//! the reference drop a copy that nothing follows, so a stream ends with literals.

use super::window::Window;

/// The maximum number of literals after one control byte.
const LITERALS: usize = 32;
/// The largest distance of two bytes.
const NEAR: usize = 8191;
/// The largest distance of four bytes.
const FAR: usize = 65535 + NEAR + 1;
/// Far copies shorter than this gain next to nothing.
const FAR_LENGTH: usize = 7;
/// The end of a stream in which no copy begins.
const TAIL: usize = 12;
/// The number of hashed bytes, and the minimum length of a copy.
const WORD: usize = 4;

/// The most bits of a hash.
const HASH_BITS: u32 = 14;

pub(super) fn decompress(mut bytes: &[u8], out: &mut [u8]) -> Option<()> {
    let mut window = Window::new(out);
    let mut control = usize::from(take(&mut bytes)? & 31);
    loop {
        if control < LITERALS {
            window.literals(bytes, control + 1)?;
            bytes = bytes.get(control + 1..)?;
        } else {
            let mut n = (control >> 5) + 2;
            if n == 9 {
                n += more_length(&mut bytes)?;
            }
            let mut distance = ((control & 31) << 8) + usize::from(take(&mut bytes)?);
            if distance == NEAR {
                distance += usize::from(u16::from_be_bytes([take(&mut bytes)?, take(&mut bytes)?]));
            }
            window.repeat(distance + 1, n)?;
        }
        match bytes.split_first() {
            Some((next, rest)) => (control, bytes) = (usize::from(*next), rest),
            None => return window.is_full().then_some(()),
        }
    }
}

#[inline(always)]
fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn more_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut n = 0_usize;
    loop {
        let more = take(bytes)?;
        n = n.checked_add(usize::from(more))?;
        if more < 255 {
            return Some(n);
        }
    }
}

/// The hash table, reused between streams.
pub(crate) struct Encoder {
    seen: Vec<u32>,
    bits: u32,
    /// After two to this many literals the steps become longer.
    patience: u32,
}

impl Encoder {
    /// Creates an encoder for level 1 to 9: the size of the hash table, and how fast incompressible data is
    /// skipped.
    pub(super) fn new(level: u8) -> Self {
        let (bits, patience) = match level {
            ..=1 => (12, 4),
            2 => (13, 4),
            3..=5 => (HASH_BITS, 5),
            6..=8 => (HASH_BITS, 6),
            _ => (HASH_BITS, 8),
        };
        Self { seen: Vec::new(), bits, patience }
    }

    /// Writes the stream of `bytes`; `None` if it is not shorter than `out`, or there is too little to compress.
    pub(super) fn compress(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        let limit = bytes.len().checked_sub(TAIL).filter(|limit| *limit > WORD)?;
        // A short stream needs no large table, which would take longer to clear than to use.
        let bits = self.bits.min(usize::BITS - bytes.len().leading_zeros());
        self.seen.clear();
        self.seen.resize(1 << bits, 0);
        let mut writer = Writer { out, at: 0 };
        // Literals that are not written yet begin here; the first byte always is one.
        let mut anchor = 0;
        let mut at = 1;
        while at < limit {
            let Some((from, n)) = self.find(bytes, at, bits) else {
                at += 1 + ((at - anchor) >> self.patience);
                continue;
            };
            let back = same_before(bytes, from, at, anchor);
            let (start, distance) = (at - back, at - from);
            at += n;
            if distance > NEAR && n + back < FAR_LENGTH {
                continue;
            }
            writer.literals(bytes.get(anchor..start)?)?;
            writer.copy(distance, n + back)?;
            anchor = at;
            self.note(bytes, at - 2, bits);
        }
        writer.literals(bytes.get(anchor..)?)?;
        // The mark. The first byte is literals, so nothing else is in its high bits.
        *writer.out.first_mut()? |= 1 << 5;
        Some(writer.at)
    }

    /// Returns an earlier position with the same bytes as at `at`, and the length of the match; records `at`.
    #[inline(always)]
    fn find(&mut self, bytes: &[u8], at: usize, bits: u32) -> Option<(usize, usize)> {
        let word = word(bytes, at)?;
        let from = self.swap(word, at, bits)?;
        if self::word(bytes, from)? != word || at - from > FAR {
            return None;
        }
        // The last byte stays a literal.
        let (early, late) = (bytes.get(from + WORD..)?, bytes.get(at + WORD..bytes.len() - 1)?);
        Some((from, WORD + same(early, late)))
    }

    fn note(&mut self, bytes: &[u8], at: usize, bits: u32) {
        if let Some(word) = word(bytes, at) {
            self.swap(word, at, bits);
        }
    }

    /// Puts `at` where the hash of `word` is stored, and returns the previous value.
    #[inline(always)]
    fn swap(&mut self, word: u32, at: usize, bits: u32) -> Option<usize> {
        let hash = word.wrapping_mul(0x9e37_79b1) >> (32 - bits);
        let seen = self.seen.get_mut(hash as usize)?;
        let from = *seen as usize;
        *seen = u32::try_from(at).ok()?;
        Some(from)
    }
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// Returns how many bytes of `late` are as in `early`, which is longer.
#[inline(always)]
fn same(early: &[u8], late: &[u8]) -> usize {
    let mut n = 0;
    for (a, b) in early.chunks_exact(8).zip(late.chunks_exact(8)) {
        let (Some(a), Some(b)) = (a.first_chunk(), b.first_chunk()) else { break };
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return n + (differ.trailing_zeros() / 8) as usize;
        }
        n += 8;
    }
    let rest = early.iter().skip(n).zip(late.iter().skip(n));
    n + rest.take_while(|(a, b)| a == b).count()
}

/// Returns how many bytes before `from` and `at` are the same, back to `anchor`; the first byte of all stays a literal.
#[inline(always)]
fn same_before(bytes: &[u8], from: usize, at: usize, anchor: usize) -> usize {
    let (Some(early), Some(late)) = (bytes.get(..from), bytes.get(anchor.max(1)..at)) else {
        return 0;
    };
    early.iter().rev().zip(late.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// The stream so far.
struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Writer<'_> {
    #[inline(always)]
    fn literals(&mut self, bytes: &[u8]) -> Option<()> {
        for run in bytes.chunks(LITERALS) {
            let to = self.out.get_mut(self.at..=self.at + run.len())?;
            let (control, to) = to.split_first_mut()?;
            *control = low_byte(run.len() - 1);
            to.copy_from_slice(run);
            self.at += 1 + run.len();
        }
        Some(())
    }

    #[inline(always)]
    fn copy(&mut self, distance: usize, n: usize) -> Option<()> {
        let is_far = distance > NEAR;
        let short = if is_far { NEAR } else { distance - 1 };
        let length = (n - 2).min(7);
        self.put(low_byte(length << 5 | short >> 8))?;
        if length == 7 {
            let mut more = n - 9;
            while more >= 255 {
                self.put(255)?;
                more -= 255;
            }
            self.put(low_byte(more))?;
        }
        self.put(low_byte(short))?;
        if is_far {
            let far = distance - NEAR - 1;
            self.put(low_byte(far >> 8))?;
            self.put(low_byte(far))?;
        }
        Some(())
    }

    #[inline(always)]
    fn put(&mut self, byte: u8) -> Option<()> {
        *self.out.get_mut(self.at)? = byte;
        self.at += 1;
        Some(())
    }
}

#[inline(always)]
fn low_byte(n: usize) -> u8 {
    let [low, ..] = n.to_le_bytes();
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_form_of_control() {
        // Two literals; a copy of 3 from 2 back; of 9+1 from 1 back; a literal.
        let stream = [0x21, b'a', b'b', 0x20, 1, 0xe0, 1, 0, 0x00, b'.'];
        let mut out = [0; 16];
        decompress(&stream, &mut out).unwrap();
        assert_eq!(&out, b"ababaaaaaaaaaaa.");
        for cut in 0..stream.len() {
            assert_eq!(decompress(&stream[..cut], &mut out), None);
        }
        assert_eq!(decompress(&stream, &mut [0; 15]), None);
        assert_eq!(decompress(&stream, &mut [0; 17]), None);
        // From before the output.
        assert_eq!(decompress(&[0x20, b'a', 0x20, 1, 0, b'b'], &mut [0; 5]), None);
    }

    #[test]
    fn distances_and_lengths_at_their_edges() {
        for distance in [1, 2, 255, 256, 257, NEAR - 1, NEAR, NEAR + 1, NEAR + 2, FAR - 1, FAR] {
            for n in [3, 8, 9, 10, 263, 264, 265, 519, 520] {
                let byte = |i: usize| (i * i / 31).to_le_bytes()[0];
                let before: Vec<u8> = (0..distance).map(byte).collect();
                let mut stream = vec![0; 2 * distance + 64];
                let mut writer = Writer { out: &mut stream, at: 0 };
                writer.literals(&before).unwrap();
                writer.copy(distance, n).unwrap();
                writer.literals(&[9]).unwrap();
                let at = writer.at;
                let mut out = vec![0; distance + n + 1];
                decompress(&stream[..at], &mut out).unwrap();
                let mut expected = before;
                (0..n).for_each(|i| expected.push(expected[i]));
                expected.push(9);
                assert!(out == expected, "{distance} {n}");
            }
        }
    }

    /// Compressible data becomes smaller, for a wide range of distances.
    #[test]
    fn finds_copies_near_and_far() {
        let noise = |n: u32| -> Vec<u8> {
            let mut x = 1_u32;
            let mut next = || {
                x = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                (x >> 13).to_le_bytes()[1]
            };
            (0..n).map(|_| next()).collect()
        };
        for gap in [0, 100, 8000, 8300, 60_000, 73_000] {
            let piece = noise(700);
            let data = [&piece[..], &vec![0; gap], &piece[..]].concat();
            for level in 1..=9 {
                let mut stream = vec![0; data.len()];
                let n = Encoder::new(level).compress(&data, &mut stream).unwrap();
                assert!(n < 900 + gap / 200, "{gap} {level}: {n}");
                let mut out = vec![1; data.len()];
                decompress(&stream[..n], &mut out).unwrap();
                assert!(out == data);
            }
        }
        assert_eq!(Encoder::new(9).compress(&noise(5000), &mut [0; 5000]), None);
    }
}
