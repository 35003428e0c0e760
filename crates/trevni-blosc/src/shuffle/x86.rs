//! Byte and bit shuffles for x86-64, tile by tile.
//!
//! ```text
//! elements   tile │ tile │ ...  │ rest     columns   tile tile ... rest │ tile tile ... rest │ ...
//! bits       8 tiles of elements ──► 8 tiles of each column ──► each column's bytes, taken as elements of 8 bytes
//!            whose bits are swapped, to 8 rows of bits
//! ```
//! The tiles are those of `avx2_tiles` and `avx512_tiles`; the loops are compiled for both. The last tile overlaps
//! the one before, if it accesses nothing after the elements; otherwise the portable kernel does the rest.
#![allow(unsafe_code)]

use super::{avx2_tiles, avx512_tiles, portable};

/// The size of a part of wider elements.
const PART: usize = 16;

/// Where the tiles of `n` elements begin.
struct Tiles {
    len: usize,
    next: usize,
    /// The start of the second tile: it may overlap the first, so that stores are aligned.
    second: usize,
    /// The last position where a tile fits, if there is one.
    last: Option<usize>,
    /// Whether a tile may begin there.
    back: bool,
}

impl Tiles {
    /// Creates tiles of `tile` elements. If each accesses `spare` more after it, the last does not overlap.
    #[inline]
    fn new(n: usize, len: usize, spare: usize, second: usize) -> Self {
        Self { len, next: 0, second, last: n.checked_sub(len + spare), back: spare == 0 }
    }

    /// Returns how many elements there are before the first that is in no tile.
    #[inline]
    fn done(&self) -> usize {
        match self.last {
            Some(last) if self.back => last + self.len,
            Some(last) if last < self.second => self.len,
            Some(last) => self.second + ((last - self.second) / self.len + 1) * self.len,
            None => 0,
        }
    }
}

impl Iterator for Tiles {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let (last, e) = (self.last?, self.next);
        if e <= last {
            self.next = if e == 0 { self.second } else { e + self.len };
            return Some(e);
        }
        self.last = None;
        let before = if e == self.second { 0 } else { e - self.len };
        (self.back && before < last).then_some(last)
    }
}

/// Returns the number of bytes from an address to the next aligned one.
#[inline]
fn to_even(address: *const u8, register: usize) -> usize {
    register - address.addr() % register
}

/// Returns how many elements there are before one whose address is even; as many as bytes of a register if there is
/// none.
#[inline]
fn elements_to_even(address: *const u8, register: usize, width: usize) -> usize {
    let bytes = to_even(address, register);
    if register.is_multiple_of(width) && bytes.is_multiple_of(width) {
        bytes / width
    } else {
        register
    }
}

/// Returns the starts of the parts of an element: adjacent, but the last may overlap.
#[inline]
fn parts(width: usize) -> impl Iterator<Item = usize> {
    let last = width.saturating_sub(PART);
    (0..last).step_by(PART).chain([last])
}

/// The columns of a part, or their bits, of eight tiles.
#[repr(align(64))]
struct Columns<const LEN: usize>([[u8; LEN]; PART]);

macro_rules! compiled_for {
    ($module:ident, $tile:ident, $($features:literal),+) => {
        pub(in super::super) mod $module {
            use super::*;
            use super::$tile::{TILE, spare, to_columns, to_elements};

            /// The number of elements in a tile of bits.
            const EIGHT: usize = 8 * TILE;

            /// Calls a function for the power of two that the width fits into.
            macro_rules! at_width {
                ($width:expr, $run:ident($bytes:expr, $out:expr)) => {
                    match $width {
                        1 => $run::<1>($width, $bytes, $out),
                        2 => $run::<2>($width, $bytes, $out),
                        3..=4 => $run::<4>($width, $bytes, $out),
                        5..=8 => $run::<8>($width, $bytes, $out),
                        _ => $run::<PART>($width, $bytes, $out),
                    }
                };
            }

            $(#[target_feature(enable = $features)])+
            pub(in super::super) fn shuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
                let done = if width < 2 { 0 } else { at_width!(width, shuffled(bytes, out)) };
                portable::shuffle_from(done, width, bytes, out);
            }

            $(#[target_feature(enable = $features)])+
            pub(in super::super) fn unshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
                let done = if width < 2 { 0 } else { at_width!(width, unshuffled(bytes, out)) };
                portable::unshuffle_from(done, width, bytes, out);
            }

            $(#[target_feature(enable = $features)])+
            pub(in super::super) fn bitshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
                let width = width.max(1);
                let done = at_width!(width, bitshuffled(bytes, out));
                portable::bitshuffle_from(done, width, bytes, out);
            }

            $(#[target_feature(enable = $features)])+
            pub(in super::super) fn unbitshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
                let width = width.max(1);
                let done = at_width!(width, unbitshuffled(bytes, out));
                portable::unbitshuffle_from(done, width, bytes, out);
            }

            /// Returns the number of elements done.
            $(#[target_feature(enable = $features)])+
            fn shuffled<const T: usize>(width: usize, bytes: &[u8], out: &mut [u8]) -> usize {
                let n = bytes.len().min(out.len()) / width;
                let second = to_even(out.as_ptr(), TILE);
                let tiles = Tiles::new(n, TILE, spare::<T>(width), second);
                let (done, from, to) = (tiles.done(), bytes.as_ptr(), out.as_mut_ptr());
                for e in tiles {
                    for b in parts(width) {
                        // SAFETY: there are n elements; those of a tile, and spare ones, are among them.
                        unsafe {
                            let from = from.add(e * width + b);
                            to_columns::<T, false>(from, width, to.add(b * n + e), n);
                        }
                    }
                }
                done
            }

            /// Returns the number of elements done.
            $(#[target_feature(enable = $features)])+
            fn unshuffled<const T: usize>(width: usize, bytes: &[u8], out: &mut [u8]) -> usize {
                let n = bytes.len().min(out.len()) / width;
                let second = elements_to_even(out.as_ptr(), TILE, width);
                let tiles = Tiles::new(n, TILE, spare::<T>(width), second);
                let (done, from, to) = (tiles.done(), bytes.as_ptr(), out.as_mut_ptr());
                for e in tiles {
                    for b in parts(width) {
                        // SAFETY: there is room for n elements; those of a tile, and spare ones, are among them.
                        unsafe {
                            let to = to.add(e * width + b);
                            to_elements::<T, false>(from.add(b * n + e), n, to, width);
                        }
                    }
                }
                done
            }

            /// Returns the number of elements done.
            $(#[target_feature(enable = $features)])+
            fn bitshuffled<const T: usize>(width: usize, bytes: &[u8], out: &mut [u8]) -> usize {
                let row = bytes.len().min(out.len()) / width / 8;
                let second = 8 * to_even(out.as_ptr(), TILE);
                let tiles = Tiles::new(row * 8, EIGHT, spare::<T>(width), second);
                let (done, from, to) = (tiles.done(), bytes.as_ptr(), out.as_mut_ptr());
                let mut columns = Columns([[0; EIGHT]; PART]);
                for e in tiles {
                    for b in parts(width) {
                        // SAFETY: as with bytes; there are 8 * width rows, and EIGHT bytes of a column become
                        // an eighth of so many of each of its eight.
                        unsafe {
                            let from = from.add(e * width + b);
                            for i in (0..EIGHT).step_by(TILE) {
                                let to = columns.0.as_mut_ptr().cast::<u8>().add(i);
                                to_columns::<T, false>(from.add(i * width), width, to, EIGHT);
                            }
                            let to = to.add(b * 8 * row + e / 8);
                            for (b, column) in columns.0.iter().enumerate().take(width) {
                                to_columns::<8, true>(column.as_ptr(), 8, to.add(b * 8 * row), row);
                            }
                        }
                    }
                }
                done
            }

            /// Returns the number of elements done.
            $(#[target_feature(enable = $features)])+
            fn unbitshuffled<const T: usize>(width: usize, bytes: &[u8], out: &mut [u8]) -> usize {
                let row = bytes.len().min(out.len()) / width / 8;
                let tiles = Tiles::new(row * 8, EIGHT, spare::<T>(width), EIGHT);
                let (done, from, to) = (tiles.done(), bytes.as_ptr(), out.as_mut_ptr());
                let mut columns = Columns([[0; EIGHT]; PART]);
                for e in tiles {
                    for b in parts(width) {
                        // SAFETY: as with the way there.
                        unsafe {
                            let from = from.add(b * 8 * row + e / 8);
                            for (b, column) in columns.0.iter_mut().enumerate().take(width) {
                                let from = from.add(b * 8 * row);
                                to_elements::<8, true>(from, row, column.as_mut_ptr(), 8);
                            }
                            let to = to.add(e * width + b);
                            for i in (0..EIGHT).step_by(TILE) {
                                let from = columns.0.as_ptr().cast::<u8>().add(i);
                                to_elements::<T, false>(from, EIGHT, to.add(i * width), width);
                            }
                        }
                    }
                }
                done
            }
        }
    };
}

compiled_for!(avx2, avx2_tiles, "avx2,bmi1,bmi2,lzcnt,popcnt");
compiled_for!(
    avx512,
    avx512_tiles,
    "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2",
    "bmi1,bmi2,lzcnt,popcnt"
);
