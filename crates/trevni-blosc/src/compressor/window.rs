//! The output window of LZ decoders, which copy from earlier output.
//!
//! ```text
//! out   [ ......written...... | ......to come...... ]
//!              ^── distance ──^at
//! ```
//! A copy may reach into what it writes itself: distance 1 repeats one byte, distance 3 repeats three.

/// The number of bytes that are copied at once where there is room; the excess is overwritten later.
const STRIDE: usize = 32;

/// A position in the output.
pub(super) struct Window<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> Window<'a> {
    pub(super) fn new(out: &'a mut [u8]) -> Self {
        Self { out, at: 0 }
    }

    /// Returns whether all of the output is written.
    pub(super) fn is_full(&self) -> bool {
        self.at == self.out.len()
    }

    /// Returns how much is written.
    pub(super) fn written(&self) -> usize {
        self.at
    }

    /// Writes the first `n` of `bytes`.
    #[inline(always)]
    pub(super) fn literals(&mut self, bytes: &[u8], n: usize) -> Option<()> {
        let rest = self.out.get_mut(self.at..)?;
        match (bytes.first_chunk::<STRIDE>(), rest.first_chunk_mut::<STRIDE>()) {
            (Some(from), Some(to)) if n <= STRIDE => *to = *from,
            _ => rest.get_mut(..n)?.copy_from_slice(bytes.get(..n)?),
        }
        self.at += n;
        Some(())
    }

    /// Repeats `n` bytes from `distance` bytes back, which is at least 1.
    #[inline(always)]
    pub(super) fn repeat(&mut self, distance: usize, n: usize) -> Option<()> {
        let from = self.at.checked_sub(distance)?;
        let end = self.at.checked_add(n).filter(|end| *end <= self.out.len())?;
        if distance >= STRIDE && n <= 4 * STRIDE && end + STRIDE <= self.out.len() {
            self.stride(distance, end)?;
        } else if distance == 1 {
            let byte = *self.out.get(from)?;
            self.out.get_mut(self.at..end)?.fill(byte);
        } else {
            self.grow(from, end)?;
        }
        self.at = end;
        Some(())
    }

    /// Writes `n` zeros.
    pub(super) fn zeros(&mut self, n: usize) -> Option<()> {
        let end = self.at.checked_add(n)?;
        self.out.get_mut(self.at..end)?.fill(0);
        self.at = end;
        Some(())
    }

    /// Copies in strides, up to one too many; source and target of a stride do not overlap.
    #[inline(always)]
    fn stride(&mut self, distance: usize, end: usize) -> Option<()> {
        let mut to = self.at;
        while to < end {
            let stride = *self.out.get(to - distance..)?.first_chunk::<STRIDE>()?;
            *self.out.get_mut(to..)?.first_chunk_mut()? = stride;
            to += STRIDE;
        }
        Some(())
    }

    /// Copies all repeats so far, again and again: the period stays, and the length doubles.
    fn grow(&mut self, from: usize, end: usize) -> Option<()> {
        let mut to = self.at;
        while to < end {
            let n = (to - from).min(end - to);
            if from.checked_add(n)? > to {
                return None;
            }
            self.out.copy_within(from..from + n, to);
            to += n;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_as_if_byte_by_byte() {
        for distance in 1..80 {
            for n in (1..300).step_by(7) {
                for slack in [0, 1, 40] {
                    let seed: Vec<u8> =
                        (0..distance).map(|i: usize| (i * 37).to_le_bytes()[0]).collect();
                    let mut expected = seed.clone();
                    (0..n).for_each(|_| expected.push(expected[expected.len() - distance]));
                    let mut out = vec![0xee; distance + n + slack];
                    let mut window = Window::new(&mut out);
                    window.literals(&seed, distance).unwrap();
                    window.repeat(distance, n).unwrap();
                    assert_eq!(window.written(), distance + n);
                    assert_eq!(window.is_full(), slack == 0);
                    assert_eq!(window.repeat(distance + n + 1, 1), None);
                    assert_eq!(window.repeat(1, slack + 1), None);
                    assert_eq!(out[..distance + n], expected);
                }
            }
        }
    }
}
