//! Byte and bit shuffles in safe Rust.
//!
//! ```text
//! elements       a0 a1 a2 │ b0 b1 b2 │ c0 c1 c2 │ d0 d1 d2 │ rest       width 3, n = 4
//! shuffle        a0 b0 c0 d0 │ a1 b1 c1 d1 │ a2 b2 c2 d2 │ rest
//! bitshuffle     bit 0 of a0 b0 ... h0, low bit first │ bit 1 of them │ ... │ bit 7 │ bit 0 of a1 ... │ rest
//! ```
//! Bits are shuffled for groups of eight elements; elements after the last group are copied. Elements of complete
//! words are transposed eight at a time. Each kernel can start after elements that are done.

/// The bytes of a word, and the words that are turned together.
const EIGHT: usize = 8;

/// The number of elements whose bits are shuffled together.
const TILE: usize = 64;

/// Copies the bytes after the elements, which have `len` bytes, as far as both slices have them. Returns the bytes
/// of the elements.
fn copy_rest<'a>(
    len: usize,
    bytes: &'a [u8],
    out: &'a mut [u8],
) -> Option<(&'a [u8], &'a mut [u8])> {
    let (bytes, rest) = bytes.split_at_checked(len)?;
    let (out, to) = out.split_at_mut_checked(len)?;
    let len = rest.len().min(to.len());
    to.get_mut(..len)?.copy_from_slice(rest.get(..len)?);
    Some((bytes, out))
}

/// Exchanges the bits of `y` that `mask` covers with those of `x` that are `by` higher.
#[inline(always)]
fn exchange(by: u32, mask: u64, x: u64, y: u64) -> (u64, u64) {
    let differ = (x >> by ^ y) & mask;
    (x ^ differ << by, y ^ differ)
}

/// Byte `i` of word `j` becomes byte `j` of word `i`.
#[inline(always)]
fn turn_bytes(words: [u64; EIGHT]) -> [u64; EIGHT] {
    let halves = |x, y| exchange(32, 0x0000_0000_ffff_ffff, x, y);
    let pairs = |x, y| exchange(16, 0x0000_ffff_0000_ffff, x, y);
    let bytes = |x, y| exchange(8, 0x00ff_00ff_00ff_00ff, x, y);
    let [a, b, c, d, e, f, g, h] = words;
    let ((a, e), (b, f), (c, g), (d, h)) = (halves(a, e), halves(b, f), halves(c, g), halves(d, h));
    let ((a, c), (b, d), (e, g), (f, h)) = (pairs(a, c), pairs(b, d), pairs(e, g), pairs(f, h));
    let ((a, b), (c, d), (e, f), (g, h)) = (bytes(a, b), bytes(c, d), bytes(e, f), bytes(g, h));
    [a, b, c, d, e, f, g, h]
}

/// Bit `i` of byte `j` becomes bit `j` of byte `i`.
#[inline(always)]
fn turn_bits(word: u64) -> u64 {
    let step = |word: u64, by: u32, mask: u64| {
        let differ = (word ^ word >> by) & mask;
        word ^ differ ^ differ << by
    };
    let word = step(word, 7, 0x00aa_00aa_00aa_00aa);
    let word = step(word, 14, 0x0000_cccc_0000_cccc);
    step(word, 28, 0x0000_0000_f0f0_f0f0)
}

/// Returns how many elements there are, of more than one byte.
fn count(width: usize, bytes: &[u8], out: &[u8]) -> usize {
    if width > 1 { bytes.len().min(out.len()) / width } else { 0 }
}

pub(crate) fn shuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    shuffle_from(0, width, bytes, out);
}

/// Like [`shuffle`], after the first `done` elements.
pub(crate) fn shuffle_from(done: usize, width: usize, bytes: &[u8], out: &mut [u8]) {
    let n = count(width, bytes, out);
    let Some((bytes, out)) = copy_rest(n * width, bytes, out) else { return };
    let whole = done == 0 && n >= EIGHT && width.is_multiple_of(EIGHT);
    let done = if whole { words_to_columns(width, n, bytes, out) } else { done };
    if done == n {
        return;
    }
    let bytes = bytes.get(done * width..).unwrap_or_default();
    for (b, column) in out.chunks_exact_mut(n).enumerate() {
        let column = column.iter_mut().skip(done);
        match width {
            // Bytes that are shifted down are taken many at once.
            2 => column.zip(bytes.as_chunks().0).for_each(|(to, element)| {
                [*to, _] = (u16::from_le_bytes(*element) >> (8 * b)).to_le_bytes();
            }),
            4 => column.zip(bytes.as_chunks().0).for_each(|(to, element)| {
                [*to, ..] = (u32::from_le_bytes(*element) >> (8 * b)).to_le_bytes();
            }),
            _ => column.zip(bytes.chunks_exact(width)).for_each(|(to, element)| {
                *to = element.get(b).copied().unwrap_or(0);
            }),
        }
    }
}

/// Groups of eight elements of complete words. Returns the number of elements done.
fn words_to_columns(width: usize, n: usize, bytes: &[u8], out: &mut [u8]) -> usize {
    let (words, _) = bytes.as_chunks::<EIGHT>();
    let mut columns = out.chunks_exact_mut(n).map(|column| column.as_chunks_mut::<EIGHT>().0);
    for w in 0..width / EIGHT {
        let mut columns: [_; EIGHT] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        for (at, eight) in words.chunks_exact(width).enumerate() {
            let word = |i| eight.get(i * (width / EIGHT) + w).copied().unwrap_or_default();
            let words = turn_bytes(std::array::from_fn(|i| u64::from_le_bytes(word(i))));
            for (column, word) in columns.iter_mut().zip(words) {
                if let Some(to) = column.get_mut(at) {
                    *to = word.to_le_bytes();
                }
            }
        }
    }
    n / EIGHT * EIGHT
}

pub(crate) fn unshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    unshuffle_from(0, width, bytes, out);
}

/// Like [`unshuffle`], after the first `done` elements.
pub(crate) fn unshuffle_from(done: usize, width: usize, bytes: &[u8], out: &mut [u8]) {
    let n = count(width, bytes, out);
    let Some((bytes, out)) = copy_rest(n * width, bytes, out) else { return };
    let whole = done == 0 && n >= EIGHT && width.is_multiple_of(EIGHT);
    let done = if whole { columns_to_words(width, n, bytes, out) } else { done };
    if done == n {
        return;
    }
    let out = out.get_mut(done * width..).unwrap_or_default();
    let mut columns = bytes.chunks_exact(n).map(|column| column.get(done..).unwrap_or_default());
    let mut next = || columns.next().unwrap_or_default();
    match width {
        2 => {
            for ((to, a), b) in out.as_chunks_mut().0.iter_mut().zip(next()).zip(next()) {
                *to = (u16::from(*a) | u16::from(*b) << 8).to_le_bytes();
            }
        }
        4 => {
            let columns = next().iter().zip(next()).zip(next().iter().zip(next()));
            for (to, ((a, b), (c, d))) in out.as_chunks_mut().0.iter_mut().zip(columns) {
                let [a, b, c, d] = [a, b, c, d].map(|byte| u32::from(*byte));
                *to = (a | b << 8 | c << 16 | d << 24).to_le_bytes();
            }
        }
        _ => {
            for (b, column) in columns.enumerate() {
                for (element, byte) in out.chunks_exact_mut(width).zip(column) {
                    if let Some(to) = element.get_mut(b) {
                        *to = *byte;
                    }
                }
            }
        }
    }
}

/// Groups of eight elements of complete words. Returns the number of elements done.
fn columns_to_words(width: usize, n: usize, bytes: &[u8], out: &mut [u8]) -> usize {
    let (words, _) = out.as_chunks_mut::<EIGHT>();
    let mut columns = bytes.chunks_exact(n).map(|column| column.as_chunks::<EIGHT>().0);
    for w in 0..width / EIGHT {
        let columns: [_; EIGHT] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        for (at, eight) in words.chunks_exact_mut(width).enumerate() {
            let words = columns.map(|column| column.get(at).copied().unwrap_or_default());
            let words = words.map(u64::from_le_bytes);
            for (i, word) in turn_bytes(words).into_iter().enumerate() {
                if let Some(to) = eight.get_mut(i * (width / EIGHT) + w) {
                    *to = word.to_le_bytes();
                }
            }
        }
    }
    n / EIGHT * EIGHT
}

pub(crate) fn bitshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    bitshuffle_from(0, width, bytes, out);
}

/// Like [`bitshuffle`], after the first `done` elements, a multiple of eight.
pub(crate) fn bitshuffle_from(done: usize, width: usize, bytes: &[u8], out: &mut [u8]) {
    let width = width.max(1);
    let row = bytes.len().min(out.len()) / width / EIGHT;
    let Some((bytes, out)) = copy_rest(row * EIGHT * width, bytes, out) else { return };
    let bytes = bytes.get(done * width..).unwrap_or_default();
    let len = TILE.saturating_mul(width).min(bytes.len());
    let mut tile = vec![0; len];
    for (i, bytes) in bytes.chunks(len.max(1)).enumerate() {
        let Some(tile) = tile.get_mut(..bytes.len()) else { return };
        shuffle(width, bytes, tile);
        let at = done / EIGHT + i * EIGHT;
        columns_to_rows(width, tile, out, row, at);
    }
}

/// Moves the bits of columns to rows of this many bytes, from byte `at` of each.
fn columns_to_rows(width: usize, columns: &[u8], out: &mut [u8], row: usize, at: usize) {
    let n = columns.len() / width;
    for (b, column) in columns.chunks_exact(n).enumerate() {
        let (words, _) = column.as_chunks();
        let rows = out.chunks_exact_mut(row).skip(b * EIGHT);
        let rows = rows.map(|row| row.get_mut(at..).unwrap_or_default());
        if let Ok(words) = <[_; EIGHT]>::try_from(words) {
            let words = words.map(|word| turn_bits(u64::from_le_bytes(word)));
            for (row, word) in rows.zip(turn_bytes(words)) {
                row.first_chunk_mut().into_iter().for_each(|to| *to = word.to_le_bytes());
            }
        } else {
            let words = words.iter().map(|word| turn_bits(u64::from_le_bytes(*word)).to_le_bytes());
            for (bit, row) in rows.take(EIGHT).enumerate() {
                let bytes = words.clone().map(|word| word.get(bit).copied().unwrap_or(0));
                row.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            }
        }
    }
}

pub(crate) fn unbitshuffle(width: usize, bytes: &[u8], out: &mut [u8]) {
    unbitshuffle_from(0, width, bytes, out);
}

/// Like [`unbitshuffle`], after the first `done` elements, a multiple of eight.
pub(crate) fn unbitshuffle_from(done: usize, width: usize, bytes: &[u8], out: &mut [u8]) {
    let width = width.max(1);
    let row = bytes.len().min(out.len()) / width / EIGHT;
    let Some((bytes, out)) = copy_rest(row * EIGHT * width, bytes, out) else { return };
    let out = out.get_mut(done * width..).unwrap_or_default();
    let len = TILE.saturating_mul(width).min(out.len());
    let mut tile = vec![0; len];
    for (i, out) in out.chunks_mut(len.max(1)).enumerate() {
        let Some(tile) = tile.get_mut(..out.len()) else { return };
        let at = done / EIGHT + i * EIGHT;
        rows_to_columns(width, bytes, row, at, tile);
        unshuffle(width, tile, out);
    }
}

/// The inverse of [`columns_to_rows`].
fn rows_to_columns(width: usize, bytes: &[u8], row: usize, at: usize, columns: &mut [u8]) {
    let n = columns.len() / width;
    for (b, column) in columns.chunks_exact_mut(n).enumerate() {
        let (words, _) = column.as_chunks_mut();
        let rows = bytes.chunks_exact(row).skip(b * EIGHT);
        let mut rows = rows.map(|row| row.get(at..).unwrap_or_default());
        if let Ok(words) = <&mut [_; EIGHT]>::try_from(&mut *words) {
            let mut word = || rows.next()?.first_chunk();
            let rows = std::array::from_fn(|_| word().map_or(0, |word| u64::from_le_bytes(*word)));
            *words = turn_bytes(rows).map(|word| turn_bits(word).to_le_bytes());
        } else {
            for (bit, row) in rows.take(EIGHT).enumerate() {
                for (word, byte) in words.iter_mut().zip(row) {
                    if let Some(to) = word.get_mut(bit) {
                        *to = *byte;
                    }
                }
            }
            words.iter_mut().for_each(|word| {
                *word = turn_bits(u64::from_le_bytes(*word)).to_le_bytes();
            });
        }
    }
}
