//! Leaves out lines before the rows.

use std::io::{self, Read};

use memchr::memchr;

/// Reads what is behind a number of lines.
pub(super) struct AfterLines<R> {
    input: R,
    lines: u64,
}

impl<R: Read> AfterLines<R> {
    pub(super) fn new(input: R, lines: u64) -> Self {
        Self { input, lines }
    }
}

impl<R: Read> Read for AfterLines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.input.read(into)?;
            if self.lines == 0 || n == 0 {
                return Ok(n);
            }
            let (mut at, read) = (0, into.get(..n).unwrap_or_default());
            while self.lines > 0 {
                let Some(end) = read.get(at..).and_then(|rest| memchr(b'\n', rest)) else {
                    at = n;
                    break;
                };
                at += end + 1;
                self.lines -= 1;
            }
            if at < n {
                into.copy_within(at..n, 0);
                return Ok(n - at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_left_out_in_any_pieces() {
        for (lines, rest) in [(0, "a\n\nb\nc"), (1, "\nb\nc"), (3, "c"), (4, ""), (9, "")] {
            for piece in 1..8 {
                let mut input = AfterLines::new(&b"a\n\nb\nc"[..], lines);
                let (mut all, mut buffer) = (Vec::new(), vec![0; piece]);
                loop {
                    match input.read(&mut buffer).unwrap() {
                        0 => break,
                        n => all.extend_from_slice(&buffer[..n]),
                    }
                }
                assert_eq!(all, rest.as_bytes(), "{lines} {piece}");
            }
        }
    }
}
