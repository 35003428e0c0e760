//! Kernels: loops over many values, in portable Rust and for x86-64.
//!
//! ```text
//! varint   fe 01 │ 02 │ 80 08          ↔  127  1  512              decode_longs, encode_longs, skip_varints
//! string   06 foo │ 02 x │ 00          ↔  offsets 0 3 4 4, foox    decode_strings, encode_strings, skip_strings
//! bitmap   03 │ 05 │ 02                →  1 1 0 0 0 1              lengths_to_bitmap: runs of array lengths 1 and 0
//! gather   a b c, validity 1 1 0 0 0 1 →  a b - - - c              expand, expand_offsets
//! bitpack  1,024 values of w bits      ↔  integers                 unpack, pack, prefix_sum, scale, min_max
//! decimal  1234 1250                   ↔  12.34 12.5               digits_to_floats, floats_to_digits
//!          42 17003                    →  "00000042" "00017003"    format_digits
//! fsst     codes                       →  text                     expand_symbols
//! snappy   05 │ 00 61 │ 01 01          →  a a a a a                decompress_snappy
//! ```
//! Each kernel has a portable implementation in safe Rust, which defines its result. Most also have one for AVX2 or
//! AVX-512 with the same result. The [`Level`] is detected once. The environment variable `TREVNI_SIMD` = `portable`,
//! `avx2` or `avx512` lowers it; any other value is ignored.
//!
//! Input bytes are not trusted. A kernel decodes the complete, well-formed values, stops before the first that is not,
//! and returns how far it came; its caller reports the error. No kernel allocates for more values than the bytes can
//! hold.

/// Dispatches to the kernel of a level.
macro_rules! at_level {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            Level::Portable => portable::$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(level) => level.$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(level) => level.$kernel($($argument),*),
        }
    };
}

/// Dispatches to the AVX-512 kernel; at other levels the portable one is as fast.
macro_rules! at_avx512 {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(level) => level.$kernel($($argument),*),
            _ => portable::$kernel($($argument),*),
        }
    };
}

pub mod bitmap;
pub mod bitpack;
pub mod decimal;
pub mod fsst;
pub mod gather;
mod portable;
#[cfg(feature = "snappy")]
pub mod snappy;
pub mod string;
pub mod varint;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use crate::simd::Level;
pub use portable::{
    BitmapProgress, Bits, CHUNK, ChunkStats, DIGITS, DIGITS_PER_WORD, DigitRange, FloatBits, GROUP,
    INLINE, LANES, LengthRun, Modular, Multipliers, Offset, Ordered, PREFIXES, PrefixMatches,
    PrefixRange, SLOT, StringSlots, StringTuples, SymbolTable, ZEROS, prefix_of,
};
