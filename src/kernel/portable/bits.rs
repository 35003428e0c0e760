//! Copies bits from any bit offset to any other.
//!
//! ```text
//! source   ·····abc │ defghijk │ lmnop···              from bit 5
//! out      xy······ → xyabcdef │ ghijklmn │ op······      to the end of a byte first, then 64 at a time
//! ```

/// Appends `n` bits of `source`, from bit `offset`, to the `len` bits in `out`. Bits past the end of `source` count
/// as 0.
pub(crate) fn copy_bits(source: &[u8], offset: usize, n: usize, out: &mut Vec<u8>, len: usize) {
    let used = len % 8;
    let end = (len + n).div_ceil(8);
    out.reserve(n / 8 + 16);
    let mut done = 0;
    if used > 0 {
        let [first, ..] = word(source, offset).to_le_bytes();
        if let Some(last) = out.last_mut() {
            *last = *last & low(used) | first << used;
        }
        done = 8 - used;
    }
    let at = offset.saturating_add(done);
    if at.is_multiple_of(8) {
        let rest = source.get(at / 8..).unwrap_or_default();
        let missing = end.saturating_sub(out.len());
        out.extend_from_slice(rest.get(..missing).unwrap_or(rest));
        out.resize(end, 0);
    }
    while out.len() < end {
        out.extend_from_slice(&word(source, offset.saturating_add(done)).to_le_bytes());
        done += 64;
    }
    out.truncate(end);
    if let Some(last) = out.last_mut().filter(|_| !(len + n).is_multiple_of(8)) {
        *last &= low((len + n) % 8);
    }
}

/// Returns the low `n` bits of a byte.
fn low(n: usize) -> u8 {
    let [low, ..] = ones(n).to_le_bytes();
    low
}

/// Returns 64 bits of `source` from bit `at`, low bit of each byte first. Bits past its end are 0.
#[inline]
pub(crate) fn word(source: &[u8], at: usize) -> u64 {
    let rest = source.get(at / 8..).unwrap_or_default();
    let shift = at % 8;
    let (low, high) = match rest.first_chunk::<9>() {
        Some([low @ .., high]) => (u64::from_le_bytes(*low), *high),
        None => {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            (u64::from_le_bytes(bytes), rest.get(8).copied().unwrap_or(0))
        }
    };
    // In two steps: a shift by 64 is none.
    low >> shift | u64::from(high) << (63 - shift) << 1
}

/// Returns the low `n` of 64 bits.
#[inline]
pub(crate) fn ones(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { !(u64::MAX << n) }
}

/// Calls `take` with each run of equal bits among the `n` bits from bit `offset`: the bit, and how many. A run may
/// come in parts, 64 bits and less.
#[inline]
pub(crate) fn for_each_run(
    source: &[u8],
    offset: usize,
    n: usize,
    mut take: impl FnMut(bool, usize),
) {
    for at in (0..n).step_by(64) {
        let mut left = (n - at).min(64);
        let mut word = word(source, offset.saturating_add(at));
        while left > 0 {
            let bit = word & 1 == 1;
            let same = if bit { word.trailing_ones() } else { word.trailing_zeros() };
            let run = (same as usize).min(left);
            take(bit, run);
            word = word.checked_shr(same).unwrap_or(0);
            left -= run;
        }
    }
}

/// Appends the rank of each position: the number of set bits before it. Positions ascend.
#[inline(always)]
pub(crate) fn rank(source: &[u8], places: &[u32], out: &mut Vec<u32>) {
    let words = source.as_chunks::<8>().0;
    let (mut passed, mut before) = (0, 0);
    out.reserve(places.len());
    // Not `extend`, whose loop would not be compiled for the level.
    for at in places.iter().map(|place| *place as usize) {
        let whole = (at / 64).min(words.len());
        let passing = words.get(passed..whole).unwrap_or_default();
        before += passing.iter().map(|bytes| u64::from_le_bytes(*bytes).count_ones()).sum::<u32>();
        passed = whole;
        out.push(before + (word(source, whole * 64) & ones(at - whole * 64)).count_ones());
    }
}

/// Returns how many of the `n` bits from bit `offset` are set.
#[inline(always)]
pub(crate) fn count_ones(source: &[u8], offset: usize, n: usize) -> usize {
    let part = |at: usize| word(source, offset.saturating_add(at)) & ones((n - at).min(64));
    // Bits up to the next byte, then complete words, then the rest.
    let head = (offset.wrapping_neg() % 8).min(n);
    let rest = source.get(offset.saturating_add(head) / 8..).unwrap_or_default();
    let (words, _) = rest.get(..(n - head) / 8).unwrap_or(rest).as_chunks::<8>();
    let whole: usize =
        words.iter().map(|bytes| u64::from_le_bytes(*bytes).count_ones() as usize).sum();
    let first = (part(0) & ones(head)).count_ones() as usize;
    let left = (head + words.len() * 64..n).step_by(64).take(2);
    first + whole + left.map(|at| part(at).count_ones() as usize).sum::<usize>()
}
