//! Byte and bit shuffles: the elements of a block as columns of their bytes or bits, and back.
//!
//! ```text
//! elements  a0 a1 │ b0 b1 │ c0 c1           columns  a0 b0 c0 │ a1 b1 c1
//!           └── shuffle, bitshuffle ──►     ◄── unshuffle, unbitshuffle ──┘
//! ```
//! Each kernel is written in safe Rust, in `portable`, which defines its result and serves every machine, and again for
//! machines with AVX2 and AVX-512, with equal results. (`spec/blosc-chunk.md`)

#[cfg(target_arch = "x86_64")]
mod avx2_tiles;
#[cfg(target_arch = "x86_64")]
mod avx512_tiles;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use trevni::simd::Level;

/// Calls the kernel of a level.
macro_rules! at_level {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            // SAFETY: the level has a token, which exists only where the machine has the instructions of the kernel.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Avx2(_) => unsafe { x86::avx2::$kernel($($argument),*) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Avx512(_) => unsafe { x86::avx512::$kernel($($argument),*) },
            _ => portable::$kernel($($argument),*),
        }
    };
}

/// Moves byte `b` of element `e` to `b * n + e`, where `n` is the number of complete elements of `width` bytes, and
/// copies the bytes after the last. Only as many bytes as the shorter of `bytes` and `out` has are moved. A width
/// of 0 counts as 1.
pub fn shuffle(level: Level, width: usize, bytes: &[u8], out: &mut [u8]) {
    at_level!(level, shuffle(width, bytes, out));
}

/// The inverse of [`shuffle`].
pub fn unshuffle(level: Level, width: usize, bytes: &[u8], out: &mut [u8]) {
    at_level!(level, unshuffle(width, bytes, out));
}

/// Moves bit `i` of byte `b` of element `e` to bit `e % 8` of byte `(b * 8 + i) * n / 8 + e / 8`, where `n` is the
/// number of complete elements of `width` bytes, rounded down to a multiple of eight, and copies the bytes after
/// them. Lengths and width are as for [`shuffle`].
pub fn bitshuffle(level: Level, width: usize, bytes: &[u8], out: &mut [u8]) {
    at_level!(level, bitshuffle(width, bytes, out));
}

/// The inverse of [`bitshuffle`].
pub fn unbitshuffle(level: Level, width: usize, bytes: &[u8], out: &mut [u8]) {
    at_level!(level, unbitshuffle(width, bytes, out));
}
