//! LZ4 blocks.
//!
//! ```text
//! token           high 4 bits: literals, low 4 bits: length of the copy less 4
//! [more bytes]    added to the literals while they are 255, if the high bits are 15
//! literals
//! distance        2 bytes, low byte first; the stream may end before it
//! [more bytes]    added to the length while they are 255, if the low bits are 15
//! ```
//! With a dictionary, distances reach beyond the start of the output into the dictionary's end.

use lz4::block::{self, CompressionMode};

use super::window::Window;

/// How hard to look.
#[derive(Debug, Clone, Copy)]
pub(in crate::blosc) enum Mode {
    Fast(i32),
    High(i32),
}

impl Mode {
    /// Quick, at a level of 1 to 9. The larger the acceleration, the less is looked at.
    pub(super) fn fast(level: u8) -> Self {
        Self::Fast(i32::from(10_u8.saturating_sub(level).max(1)))
    }

    /// Slow, at a level of 1 to 9.
    pub(super) fn high(level: u8) -> Self {
        Self::High(i32::from(level))
    }
}

pub(super) fn compress(mode: Mode, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let mode = match mode {
        Mode::Fast(acceleration) => CompressionMode::FAST(acceleration),
        Mode::High(level) => CompressionMode::HIGHCOMPRESSION(level),
    };
    block::compress_to_buffer(bytes, Some(mode), false, out).ok()
}

pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Option<()> {
    let size = i32::try_from(out.len()).ok()?;
    let n = block::decompress_to_buffer(bytes, Some(size), out).ok()?;
    (n == out.len()).then_some(())
}

/// Reads a block whose writer knew a dictionary.
pub(super) fn decompress_with(dictionary: &[u8], mut bytes: &[u8], out: &mut [u8]) -> Option<()> {
    let mut window = Window::new(out);
    loop {
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
        if n > before {
            // A distance of 0 refers to what is not written yet.
            (distance > 0).then_some(())?;
            window.repeat(distance, n - before)?;
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
        // Two literals, then 6 bytes from 5 back: 3 of the dictionary, 2 of the output, 1 of the copy; then one literal.
        let stream = [0x22, b'x', b'y', 5, 0, 0x10, b'!'];
        let mut out = [0; 9];
        decompress_with(b"abcdef", &stream, &mut out).unwrap();
        assert_eq!(&out, b"xydefxyd!");
        // Further back than the dictionary reaches.
        assert_eq!(decompress_with(b"ab", &stream, &mut out), None);
        // No distance.
        let none = [0x22, b'x', b'y', 0, 0, 0x10, b'!'];
        assert_eq!(decompress_with(b"abcdef", &none, &mut out), None);
        for cut in 0..stream.len() {
            assert_eq!(decompress_with(b"abcdef", &stream[..cut], &mut out), None);
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
