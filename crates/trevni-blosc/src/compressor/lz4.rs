//! LZ4 blocks.
//!
//! ```text
//! token           high 4 bits: literals, low 4 bits: length of the copy less 4
//! [more bytes]    added to the literals while they are 255, if the high bits are 15
//! literals
//! distance        2 bytes, low byte first; the stream may end before it
//! [more bytes]    added to the length while they are 255, if the low bits are 15
//! ```
//! A distance of 0, which no writer produces, means zeros, as in the library.
//!
//! With a dictionary, distances reach beyond the start of the output into the dictionary's end.
//!
//! The library is fastest for streams of many short sequences. It is slow if one byte repeats, since it copies
//! eight bytes at a time from eight bytes back. Such streams are encoded and decoded here.

#[cfg(not(target_family = "wasm"))]
use lz4::block::{self, CompressionMode};

use super::window::Window;
use crate::repeated_byte::run;

/// Streams that are this many times shorter than their output are decoded here: they are mostly repeats.
#[cfg(not(target_family = "wasm"))]
const SHORT: usize = 32;

/// The shortest run that the library makes a copy of.
const RUN: usize = 13;

/// Literals at the end of every stream.
const TAIL: usize = 5;

/// How hard to look.
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "no library looks there"))]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mode {
    Fast(i32),
    High(i32),
}

impl Mode {
    /// Creates a fast compressor for level 1 to 9. A larger acceleration searches less.
    pub(super) fn fast(level: u8) -> Self {
        Self::Fast(i32::from(10_u8.saturating_sub(level).max(1)))
    }

    /// Slow, at a level of 1 to 9.
    pub(super) fn high(level: u8) -> Self {
        Self::High(i32::from(level))
    }
}

pub(super) fn compress(mode: Mode, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    if let (Mode::Fast(_), Some(byte), RUN..) = (mode, run(bytes), bytes.len()) {
        return put_run(byte, bytes.len(), out);
    }
    compress_with_library(mode, bytes, out)
}

#[cfg(not(target_family = "wasm"))]
fn compress_with_library(mode: Mode, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let mode = match mode {
        Mode::Fast(acceleration) => CompressionMode::FAST(acceleration),
        Mode::High(level) => CompressionMode::HIGHCOMPRESSION(level),
    };
    block::compress_to_buffer(bytes, Some(mode), false, out).ok()
}

/// Compilers for browsers have no C: other streams are stored.
#[cfg(target_family = "wasm")]
fn compress_with_library(mode: Mode, _: &[u8], _: &mut [u8]) -> Option<usize> {
    let (Mode::Fast(_) | Mode::High(_)) = mode;
    None
}

/// Writes the stream of `n` times a byte, as the library does: a literal, a copy of it, and literals.
fn put_run(byte: u8, n: usize, out: &mut [u8]) -> Option<usize> {
    let more = n.checked_sub(1 + TAIL + 4)?.checked_sub(15);
    let long = more.map_or(0, |more| more / 255 + 1);
    let len = 4 + long + 1 + TAIL;
    let (head, rest) = out.get_mut(..len)?.split_first_chunk_mut::<4>()?;
    let (lengths, tail) = rest.split_at_mut_checked(long)?;
    let copied = more.map_or(n - (1 + TAIL + 4), |_| 15);
    *head = [0x10 | u8::try_from(copied).ok()?, byte, 1, 0];
    lengths.fill(255);
    if let (Some(last), Some(more)) = (lengths.last_mut(), more) {
        *last = u8::try_from(more % 255).ok()?;
    }
    let (token, literals) = tail.split_first_mut()?;
    *token = 0x50;
    literals.fill(byte);
    Some(len)
}

pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Option<()> {
    #[cfg(not(target_family = "wasm"))]
    if bytes.len() > out.len() / SHORT {
        let size = i32::try_from(out.len()).ok()?;
        let n = block::decompress_to_buffer(bytes, Some(size), out).ok()?;
        return (n == out.len()).then_some(());
    }
    decompress_with(b"", bytes, out)
}

/// Reads a block whose writer knew a dictionary.
pub(super) fn decompress_with(dictionary: &[u8], bytes: &[u8], out: &mut [u8]) -> Option<()> {
    let wanted = out.len();
    read(dictionary, bytes, out, wanted)
}

/// Decodes at least the first `wanted` bytes of a block; bytes after them are unspecified.
pub(super) fn decompress_start(bytes: &[u8], out: &mut [u8], wanted: usize) -> Option<()> {
    read(b"", bytes, out, wanted)
}

fn read(dictionary: &[u8], mut bytes: &[u8], out: &mut [u8], wanted: usize) -> Option<()> {
    let is_part = wanted < out.len();
    let mut window = Window::new(out);
    loop {
        if is_part && window.written() >= wanted {
            return Some(());
        }
        let token = usize::from(take(&mut bytes)?);
        let literals = length(token >> 4, &mut bytes)?;
        window.literals(bytes, literals)?;
        bytes = bytes.get(literals..)?;
        if bytes.is_empty() {
            return window.is_full().then_some(());
        }
        let distance = usize::from(u16::from_le_bytes([take(&mut bytes)?, take(&mut bytes)?]));
        let n = length(token & 15, &mut bytes)?.checked_add(4)?;
        let before = distance.saturating_sub(window.written()).min(n);
        if before > 0 {
            let back = distance - window.written();
            let tail = dictionary.get(dictionary.len().checked_sub(back)?..)?;
            window.literals(tail, before)?;
        }
        match n - before {
            0 => {}
            rest if distance == 0 => window.zeros(rest)?,
            rest => window.repeat(distance, rest)?,
        }
    }
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn length(nibble: usize, bytes: &mut &[u8]) -> Option<usize> {
    let mut n = nibble;
    if nibble == 15 {
        loop {
            let more = take(bytes)?;
            n = n.checked_add(usize::from(more))?;
            if more < 255 {
                break;
            }
        }
    }
    Some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_into_a_dictionary() {
        // Two literals, then 6 bytes from 5 back: 3 of the dictionary, 2 of the output, 1 of the copy; then one
        // literal.
        let stream = [0x22, b'x', b'y', 5, 0, 0x10, b'!'];
        let mut out = [0; 9];
        decompress_with(b"abcdef", &stream, &mut out).unwrap();
        assert_eq!(&out, b"xydefxyd!");
        // Further back than the dictionary reaches.
        assert_eq!(decompress_with(b"ab", &stream, &mut out), None);
        // No distance.
        let none = [0x22, b'x', b'y', 0, 0, 0x10, b'!'];
        decompress_with(b"abcdef", &none, &mut out).unwrap();
        assert_eq!(&out, b"xy\0\0\0\0\0\0!");
        for cut in 0..stream.len() {
            assert_eq!(decompress_with(b"abcdef", &stream[..cut], &mut out), None);
        }
    }

    #[test]
    fn a_distance_of_0_is_read_as_by_the_library() {
        for literals in [1_u8, 7, 14] {
            for n in (4..19_u8).chain([200]) {
                let mut stream = vec![literals << 4 | (n - 4).min(15)];
                stream.extend((1..=literals).map(|i| i * 9));
                stream.extend([0, 0]);
                stream.extend((n >= 19).then_some(n.wrapping_sub(19)));
                stream.extend(std::iter::once(0x80).chain(*b"the tail"));
                let len = usize::from(literals) + usize::from(n) + 8;
                let mut expected = vec![0xee; len];
                let size = i32::try_from(len).ok();
                block::decompress_to_buffer(&stream, size, &mut expected).unwrap();
                let (mut whole, mut start) = (vec![0xdd; len], vec![0xcc; len]);
                decompress_with(b"", &stream, &mut whole).unwrap();
                assert_eq!(whole, expected, "{literals} {n}");
                decompress_start(&stream, &mut start, len - 1).unwrap();
                assert_eq!(start, expected);
            }
        }
    }

    #[test]
    fn runs_are_written_as_by_the_library() {
        let lengths = (1..700).chain([65_535, 65_536, 65_546, 65_547, 131_072, 262_144]);
        for n in lengths {
            let bytes = vec![7; n];
            let mut expected = vec![0; n];
            let fast = Some(CompressionMode::FAST(5));
            let len = block::compress_to_buffer(&bytes, fast, false, &mut expected).ok();
            let mut stream = vec![0; n];
            assert_eq!(compress(Mode::fast(5), &bytes, &mut stream), len, "{n}");
            let Some(len) = len else { continue };
            assert_eq!(stream[..len], expected[..len], "{n}");
            assert_eq!(compress(Mode::fast(5), &bytes, &mut stream[..len - 1]), None);
            let mut back = vec![0; n];
            decompress(&expected[..len], &mut back).unwrap();
            assert_eq!(back, bytes);
        }
    }

    #[test]
    fn reads_starts() {
        let data: Vec<u8> = (0..70_000_u32).map(|i| (i / 3 % 1000 * 7).to_le_bytes()[0]).collect();
        let mut stream = vec![0; data.len()];
        let n = compress(Mode::fast(9), &data, &mut stream).unwrap();
        for wanted in [0, 1, 500, 69_999, 70_000] {
            let mut start = vec![0; data.len()];
            decompress_start(&stream[..n], &mut start, wanted).unwrap();
            assert!(start[..wanted] == data[..wanted]);
            // Only the needed bytes must exist.
            let is_read = decompress_start(&stream[..n - 1], &mut start, wanted).is_some();
            assert_eq!(is_read, wanted < 69_000, "{wanted}");
        }
    }

    #[test]
    fn reads_what_the_library_writes() {
        let data: Vec<u8> = (0..70_000_u32).map(|i| (i / 3 % 1000 * 7).to_le_bytes()[0]).collect();
        let mut stream = vec![0; data.len()];
        for mode in [Mode::fast(9), Mode::high(9)] {
            let n = compress(mode, &data, &mut stream).unwrap();
            let mut back = vec![0; data.len()];
            decompress_with(b"", &stream[..n], &mut back).unwrap();
            assert!(back == data);
        }
    }
}
