//! The hot loops: many values at a time between the bytes of a block and the buffers of a column.
//!
//! ```text
//! block   fe 01 │ 02 │ 80 08 │ ...          values   127  1  512  ...
//!         └── varints ──┘  longs, ints, skip │ put_longs, put_ints
//! block   06 foo │ 02 x │ 00 │ ...          offsets  0 3 4 4    data  foox
//!         └── strings ──┘  strings, skip_strings │ put_strings
//! ```
//! Each kernel is written once in safe Rust, in `portable`, which says what it does and serves every machine;
//! and again for machines that have the instructions, equal in every result. The [`Level`] is found once. The
//! environment variable `TREVNI_SIMD` = `portable`, `avx2` or `avx512` lowers it; any other value counts as
//! unset.
//!
//! The bytes are never trusted: a kernel takes the values that are whole and well-formed, stops before the
//! first that is not, and says how far it came; its caller finds out what is wrong. None allocates for more
//! values than the bytes can hold.

mod level;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use level::Level;

/// Calls the kernel of a level; where a level has none of its own, the next lower one's.
macro_rules! at_level {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            Level::Portable => portable::$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(level) => level.$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(level) => level.$kernel($($argument),*),
        }
    };
}

/// Fewer values than this are sooner decoded, or encoded, than a whole group is.
const FEW: usize = 4;

/// The level for so many values.
fn for_count(level: Level, n: usize) -> Level {
    if n < FEW { Level::Portable } else { level }
}

/// Appends up to `n` longs from the start of `bytes` to `out`; gives the bytes they took. Stops before a varint
/// that is cut off or longer than ten bytes.
pub fn longs(level: Level, bytes: &[u8], n: usize, out: &mut Vec<i64>) -> usize {
    at_level!(for_count(level, n), longs(bytes, n, out))
}

/// Appends up to `n` ints; like [`longs`], but stops also before a value that does not fit 32 bits.
pub fn ints(level: Level, bytes: &[u8], n: usize, out: &mut Vec<i32>) -> usize {
    at_level!(for_count(level, n), ints(bytes, n, out))
}

/// Passes over up to `n` varints; gives how many, and their bytes.
pub fn skip(level: Level, bytes: &[u8], n: usize) -> (usize, usize) {
    at_level!(level, skip(bytes, n))
}

/// Appends longs to `out`, each in its shortest form.
pub fn put_longs(level: Level, values: &[i64], out: &mut Vec<u8>) {
    at_level!(for_count(level, values.len()), put_longs(values, out));
}

/// Appends ints; the same bytes as the longs.
pub fn put_ints(level: Level, values: &[i32], out: &mut Vec<u8>) {
    at_level!(for_count(level, values.len()), put_ints(values, out));
}

/// Appends up to `n` strings from the start of `bytes`: their bytes to `data`, and where each ends to `offsets`,
/// whose last is where `data` ends before. Gives the bytes they took. Stops before a string that is cut off, has
/// a negative length, or ends past what an offset can hold.
pub fn strings(
    level: Level,
    bytes: &[u8],
    n: usize,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> usize {
    at_level!(level, strings(bytes, n, offsets, data))
}

/// Passes over up to `n` strings; gives how many, and their bytes.
pub fn skip_strings(bytes: &[u8], n: usize) -> (usize, usize) {
    portable::skip_strings(bytes, n)
}

/// Appends to `out` the strings between the offsets, each behind its length; one that is not in the data is
/// empty.
pub fn put_strings<O: Copy + TryInto<usize>>(
    level: Level,
    offsets: &[O],
    data: &[u8],
    out: &mut Vec<u8>,
) {
    at_level!(level, put_strings(offsets, data, out));
}
