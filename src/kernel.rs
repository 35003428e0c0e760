//! Kernels: loops over many values, in portable Rust and for x86-64.
//!
//! ```text
//! block   fe 01 │ 02 │ 80 08 │ ...          values   127  1  512  ...
//!         └── varints ──┘  longs, ints, skip │ put_longs, put_ints
//! block   06 foo │ 02 x │ 00 │ ...          offsets  0 3 4 4    data  foox
//!         └── strings ──┘  strings, skip_strings │ put_strings
//! block   03 │ 05 │ 02 │ ...                validity 1 1 0 0 0 1
//!         └── lengths ──┘  presence
//! dense   a b c                             spread   a b - - - c
//!         └── values ──┘   expand, repeat_ends
//! stored  05 │ 00 61 │ 01 01                block    a a a a a
//!              └─ elements ──┘  decompress_snappy
//! digits  1234 1250 ...                     floats   12.34 12.5 ...
//!         └── scale ──┘    decimals │ digits, digit_range
//! chunk   │ row │ row │ ...                 values   1,024 numbers of w bits each, in lanes
//!         └── lanes ──┘    unframe, one, scale, widen, accumulate │ frame
//! numbers 42 17003                          words    "00000042" "00017003"
//!         └── eight figures each ──┘  figures
//! ```
//! Each kernel is written once in safe Rust, in `portable`, which says what it does and serves every machine;
//! and most again for machines that have the instructions, equal in every result. The [`Level`] is found once. The
//! environment variable `TREVNI_SIMD` = `portable`, `avx2` or `avx512` lowers it; any other value counts as
//! unset.
//!
//! The bytes are never trusted: a kernel takes the values that are whole and well-formed, stops before the
//! first that is not, and says how far it came; its caller finds out what is wrong. None allocates for more
//! values than the bytes can hold.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use crate::simd::Level;
pub use portable::{
    Bits, CHUNK, ChunkStats, DIGITS, DigitRange, FIGURES, GROUP, INLINE, LANES, Modular,
    Multipliers, Offset, Ordered, Places, Present, Real, Run, SLOT, Slots, SymbolTable, Tuples,
    WORDS, WordEnds, ZEROS, word_of,
};

/// Calls the kernel of a level.
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

/// Calls the kernel of AVX-512, where that is the level; at others the portable one is as good.
macro_rules! at_avx512 {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(level) => level.$kernel($($argument),*),
            _ => portable::$kernel($($argument),*),
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
    at_level!(for_count(level, n), strings(bytes, n, offsets, data))
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
    at_level!(for_count(level, offsets.len()), put_strings(offsets, data, out));
}

/// Appends up to `n` bits, each an array length of 0 or 1, to the `len` bits that lie in `bits`: first what is
/// left of `run`, then lengths from the start of `bytes`; leaves in `run` what goes on behind the `n`. Stops
/// before a length that is cut off, malformed, or above 1.
pub fn presence(bytes: &[u8], n: usize, run: &mut Run, bits: &mut Vec<u8>, len: usize) -> Present {
    portable::presence(bytes, n, run, bits, len)
}

/// Appends `n` values to `out`: the next of `dense` where a bit of `validity`, from bit `offset` on, is set, else
/// `nothing`. Bits that are not there count as 0, values that are not there as `nothing`.
pub fn expand<T: Copy + 'static>(
    level: Level,
    dense: &[T],
    validity: &[u8],
    offset: usize,
    n: usize,
    nothing: T,
    out: &mut Vec<T>,
) {
    at_level!(level, expand(dense, validity, offset, n, nothing, out));
}

/// Appends `n + 1` ends to `out`: the first of `dense`, and for each bit of `validity`, from bit `offset` on, the
/// next if it is set, else the same again: null rows are empty. Bits that are not there count as 0; when there is
/// no next end, the last stays.
pub fn repeat_ends<O: Copy + Default + 'static>(
    level: Level,
    dense: &[O],
    validity: &[u8],
    offset: usize,
    n: usize,
    out: &mut Vec<O>,
) {
    at_avx512!(level, repeat_ends(dense, validity, offset, n, out));
}

/// Appends 0 to `out`, and where each length ends; nothing if their sum passes what an offset can hold.
pub fn lengths_to_offsets(lengths: &[u32], out: &mut Vec<i32>) -> Option<()> {
    portable::lengths_to_offsets(lengths, out)
}

/// Appends the views of the values between offsets into `data`, which is that of a buffer: where a view is longer
/// than [`INLINE`], it says so.
pub fn views(level: Level, offsets: &[i32], data: &[u8], buffer: u32, out: &mut Vec<u128>) {
    at_level!(level, views(offsets, data, buffer, out));
}

/// The view of the `len` bytes from `start` in the data of a buffer.
pub fn view(start: u32, len: u32, data: &[u8], buffer: u32) -> u128 {
    portable::view(start, len, data, buffer)
}

/// Whether the parts of `bytes` that begin at `starts` are each UTF-8.
pub fn is_text(bytes: &[u8], starts: impl Iterator<Item = usize>) -> bool {
    portable::is_text(bytes, starts)
}

/// Appends `n` bits of `source`, from bit `offset` on, to the `len` bits that lie in `out`. Bits that are not there
/// count as 0.
pub fn copy_bits(source: &[u8], offset: usize, n: usize, out: &mut Vec<u8>, len: usize) {
    portable::copy_bits(source, offset, n, out, len);
}

/// Calls `take` with each run of equal bits among the `n` bits from bit `offset`, low bit of each byte first: the
/// bit, and how many. A long run comes in parts.
pub fn each_run(source: &[u8], offset: usize, n: usize, take: impl FnMut(bool, usize)) {
    portable::each_run(source, offset, n, take);
}

/// How many of the `n` bits from bit `offset` are set.
pub fn count_ones(source: &[u8], offset: usize, n: usize) -> usize {
    at_level!(Level::in_use(), count_ones(source, offset, n))
}

/// Appends for each place, which ascend, how many bits before it are set; bits that are not there are not.
pub fn ranks(level: Level, source: &[u8], places: &[u32], out: &mut Vec<u32>) {
    at_level!(level, ranks(source, places, out));
}

/// Replaces `out` by the `raw_len` bytes that the elements of a snappy block make, its length left out; the caller
/// has seen that they may make so many. Says whether they make just these bytes: if not, or if the level has no
/// kernel for it, `out` holds nothing of use, and `snap` is to decide.
#[cfg(feature = "snappy")]
pub fn decompress_snappy(level: Level, elements: &[u8], raw_len: usize, out: &mut Vec<u8>) -> bool {
    at_level!(level, decompress_snappy(elements, raw_len, out))
}

/// Appends the 1,024 numbers of a chunk of `width` bits each, each added to `base`. Bytes that are not there count
/// as 0.
pub fn unframe<T: Modular>(level: Level, bytes: &[u8], width: u32, base: u64, out: &mut Vec<T>) {
    at_level!(level, unframe(bytes, width, base, out));
}

/// Makes each number `number * factor + shift`.
pub fn scale<T: Modular>(level: Level, numbers: &mut [T], factor: T, shift: T) {
    at_level!(level, scale(numbers, factor, shift));
}

/// Appends each number in twice its width.
pub fn widen<N: Copy + Into<i64>>(level: Level, numbers: &[N], out: &mut Vec<i128>) {
    at_level!(level, widen(numbers, out));
}

/// Appends the text of the eight decimal figures of each number, without the first `skip` of them: what comes first
/// is in the lowest byte. Of numbers that have more figures come any bytes.
pub fn figures(level: Level, numbers: &[i64], skip: u32, out: &mut Vec<u64>) {
    at_level!(level, figures(numbers, skip, out));
}

/// Makes each number the sum of `before` and those up to it, modulo the width.
pub fn accumulate<T: Modular>(level: Level, numbers: &mut [T], before: T) {
    at_avx512!(level, accumulate(numbers, before));
}

/// Appends the value of each digit.
pub fn decimals<R: Real>(level: Level, digits: &[R::Digit], by: Multipliers, out: &mut Vec<R>) {
    at_level!(level, decimals(digits, by, out));
}

/// Appends the digits of up to [`DIGITS`] values, and marks those that do not give theirs back; says whether there
/// are such.
pub fn digits<R: Real>(
    level: Level,
    values: &[R],
    by: Multipliers,
    out: &mut Vec<R::Digit>,
    wrong: &mut [R::Bits; DIGITS],
) -> bool {
    at_level!(level, digits(values, by, out, wrong))
}

/// What the digits of values are, and how many have none.
pub fn digit_range<R: Real>(level: Level, values: &[R], by: Multipliers) -> DigitRange {
    at_level!(level, digit_range(values, by))
}

/// Appends a chunk of numbers of `width` bits: each value less `base`, and whatever is above those bits must be 0.
pub fn frame(level: Level, values: &[i64; CHUNK], width: u32, base: i64, out: &mut Vec<u8>) {
    at_level!(level, frame(values, width, base, out));
}

/// The numbers of a chunk that lie in the lanes side by side, from number `group * LANES` on, if they are of 16 bits
/// at most and there.
pub fn side_by_side(bytes: &[u8], width: u32, group: usize) -> Option<[u16; LANES]> {
    portable::side_by_side(bytes, width, group)
}

/// The `i`th number of a chunk of `width` bits each; 0 if it is not there.
pub fn one(bytes: &[u8], width: u32, i: usize) -> u64 {
    portable::one(bytes, width, i)
}

/// What there is to know of values before they are packed.
pub fn chunk_stats(level: Level, values: &[i64]) -> ChunkStats {
    at_level!(level, chunk_stats(values))
}

/// The [ranks](Ordered::rank) of the least and the greatest value, if there are any.
pub fn bounds<T: Ordered>(level: Level, values: &[T]) -> Option<(i64, i64)> {
    at_level!(level, bounds(values))
}

/// Writes the words of the strings between `ends`, behind so many bytes of each, as many as fit: the first end is where
/// they start.
pub fn words<O: Offset>(
    level: Level,
    ends: &[O],
    data: &[u8],
    behind: usize,
    out: &mut [u64; WORDS],
) -> WordEnds {
    at_level!(level, words(ends, data, behind, out))
}

/// Which words are this one, a bit for each: the first by the lowest bit.
pub fn places(level: Level, words: &[u64; WORDS], word: u64) -> Places {
    at_level!(level, places(words, word))
}

/// The least and the greatest of the words that have a bit.
pub fn ends_among(level: Level, words: &[u64; WORDS], places: &Places) -> (u64, u64) {
    at_level!(level, ends_among(words, places))
}

/// How many values are further above `base`, modulo 2^64, than `width` bits say.
pub fn count_above(level: Level, values: &[i64], base: i64, width: u32) -> usize {
    at_level!(level, count_above(values, base, width))
}

/// How many bytes the values take as varints.
pub fn varint_size(level: Level, values: &[i64]) -> u64 {
    at_level!(level, varint_size(values))
}

/// Appends the value of each code; says whether the table has them all: if not, nothing is appended.
pub fn gather<T: Copy + Default + 'static>(
    level: Level,
    codes: &[u32],
    table: &[T],
    out: &mut Vec<T>,
) -> bool {
    at_level!(level, gather(codes, table, out))
}

/// Appends the entry of each code to `data`, and where it ends to `offsets`; says whether each has one: if not,
/// nothing is appended. The caller has seen that no length is above [`SLOT`], and that offsets can count them.
pub fn gather_strings(
    level: Level,
    codes: &[u32],
    slots: &Slots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    at_level!(level, gather_strings(codes, slots, offsets, data))
}

/// Appends the entry of each code to `data`, and where it ends to `offsets`; says whether each has one: if not,
/// nothing is appended. The caller has seen that offsets can count them.
pub fn gather_tuples(
    level: Level,
    codes: &[u32],
    tuples: &Tuples,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    at_level!(level, gather_tuples(codes, tuples, offsets, data))
}

/// Appends each value until its end is reached, from `start` on: `ends` ascend.
pub fn repeat<T: Modular>(
    level: Level,
    values: &[i64],
    ends: &[usize],
    start: usize,
    out: &mut Vec<T>,
) {
    at_level!(level, repeat(values, ends, start, out));
}

/// Appends the text of codes, 64 at a time while there are so many, in groups of [`GROUP`], as long as each has a
/// symbol and no more than `most` bytes come of them. Gives how many codes were taken.
pub fn symbols(
    level: Level,
    codes: &[u8],
    table: &SymbolTable,
    most: usize,
    out: &mut Vec<u8>,
) -> usize {
    at_avx512!(level, symbols(codes, table, most, out))
}
