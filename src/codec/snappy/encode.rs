//! A snappy encoder that emits few, long elements, because each costs a reader about the same time.
//!
//! ```text
//! bytes   . . r e q u e s t s . . . . r e q u e s t s .
//!             ▲           back        ▲ at
//!             └── the last position with the same hash of 8 bytes, or else of 4
//! ```
//! A candidate that matches eight bytes is probably the longer match, so it is tried first. If only four bytes
//! match, the eight from the next byte on may be better. Fixed-width numbers may not repeat any eight bytes: if few
//! of the first matches are long, only four bytes are tried for the rest of the block. Positions are stored as
//! their low 16 bits, which is the range of a copy of three bytes. Candidates are compared, so a wrong position
//! does no harm; tables are still cleared, so that equal blocks become equal bytes.

/// The size of a table, as a power of two.
const BITS: u32 = 14;

/// How many bytes are compared at once; the last ones of a block begin no match.
const WORD: usize = 8;

/// The shortest match.
const SHORTEST: usize = 4;

/// A copy of up to 11 bytes from less far back takes two bytes, others take three.
const NEAR: usize = 1 << 11;

/// The most bytes of one copy.
const LONGEST: usize = 64;

/// After this number of positions without a match, the step grows by one byte.
const PATIENCE: usize = 32;

/// The number of matches that decide whether there are long ones.
const TRIAL: usize = 256;

/// A literal of fewer bytes has its length in its tag.
const TAGGED: usize = 60;

/// The last position of each hash.
type Table = [u16; 1 << BITS];

/// The hash tables, reused between blocks.
#[derive(Debug)]
pub(super) struct Encoder {
    eights: Box<Table>,
    fours: Box<Table>,
}

/// A match: its length, and its distance `back`.
#[derive(Clone, Copy)]
struct Match {
    at: usize,
    back: usize,
    len: usize,
}

/// Returns the maximum compressed size, including the length prefix. A copy is shorter than its output by at least
/// as much as a short literal is longer, so only long literals add up.
pub(super) fn most(len: usize) -> usize {
    len.saturating_add(len / 256).saturating_add(16)
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self { eights: Box::new([0; 1 << BITS]), fours: Box::new([0; 1 << BITS]) }
    }

    /// Appends the elements that make `bytes`.
    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.eights.fill(0);
        self.fours.fill(0);
        let (mut done, in_vain) = self.matches::<true>(bytes, 0, out);
        if in_vain {
            (done, _) = self.matches::<false>(bytes, done, out);
        }
        put_literal(bytes, done, bytes.len(), out);
    }

    /// Appends the elements from `done` up to the last match. Returns the end of that match. Stops early, and
    /// returns that, if few of the first matches are long: eight bytes are not worth trying then.
    fn matches<const EIGHTS: bool>(
        &mut self,
        bytes: &[u8],
        mut done: usize,
        out: &mut Vec<u8>,
    ) -> (usize, bool) {
        let (mut at, mut trial, mut long) = (done.max(1), TRIAL, 0);
        while let Some(found) = self.next::<EIGHTS>(bytes, done, at) {
            put_literal(bytes, done, found.at, out);
            put_copies(found.back, found.len, out);
            done = found.at + found.len;
            at = done;
            // Of the positions in a match, the first and the last are most likely to match again.
            for place in [found.at + 1, done - 1] {
                if let Some(word) = word(bytes, place) {
                    self.put::<EIGHTS>(word, place);
                }
            }
            if EIGHTS && trial > 0 {
                long += usize::from(found.len >= WORD);
                trial -= 1;
                if trial == 0 && long < TRIAL / 16 {
                    return (done, true);
                }
            }
        }
        (done, false)
    }

    /// Returns the first match from `at` on that is worth its element; the literal before it begins at `done`.
    #[inline(always)]
    fn next<const EIGHTS: bool>(
        &mut self,
        bytes: &[u8],
        done: usize,
        mut at: usize,
    ) -> Option<Match> {
        let mut vain = PATIENCE;
        loop {
            let here = word(bytes, at)?;
            let (eight, four) = self.put::<EIGHTS>(here, at);
            if EIGHTS && let Some(len) = agree(bytes, here, at, eight, WORD) {
                return Some(Match { at, back: eight, len }.backward(bytes, done));
            }
            if let Some(len) = agree(bytes, here, at, four, SHORTEST)
                && (len > SHORTEST || four < NEAR || at == done)
            {
                let found = Match { at, back: four, len };
                let better = if EIGHTS { self.better(bytes, found) } else { None };
                return Some(better.unwrap_or(found).backward(bytes, done));
            }
            at += vain / PATIENCE;
            vain += 1;
        }
    }

    /// Returns the match at the next byte, if that is a long one and `found` is not.
    #[inline(always)]
    fn better(&mut self, bytes: &[u8], found: Match) -> Option<Match> {
        let at = found.at + 1;
        let next = word(bytes, at).filter(|_| found.len < WORD)?;
        let back = replace(&mut self.eights, hash(next), at);
        agree(bytes, next, at, back, WORD).map(|len| Match { at, back, len })
    }

    /// Records a position. Returns the distances to the last positions with the same eight and the same four bytes,
    /// according to the hashes.
    #[inline(always)]
    fn put<const EIGHTS: bool>(&mut self, word: u64, at: usize) -> (usize, usize) {
        let eight = if EIGHTS { replace(&mut self.eights, hash(word), at) } else { 0 };
        (eight, replace(&mut self.fours, hash(word << 32), at))
    }
}

impl Match {
    /// Returns the match with those bytes before it that agree as well.
    #[inline(always)]
    fn backward(mut self, bytes: &[u8], done: usize) -> Self {
        while self.at > done.max(self.back)
            && bytes.get(self.at - 1) == bytes.get(self.at - 1 - self.back)
        {
            self.at -= 1;
            self.len += 1;
        }
        self
    }
}

#[inline(always)]
fn hash(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - BITS)) as usize
}

/// Stores a position in a table. Returns the distance to the position that it replaces.
#[inline(always)]
fn replace(table: &mut Table, hash: usize, at: usize) -> usize {
    let low = u16::try_from(at & 0xffff).unwrap_or_default();
    let last = table.get_mut(hash).map_or(low, |place| std::mem::replace(place, low));
    usize::from(low.wrapping_sub(last))
}

/// Returns the eight bytes at a position.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

/// Returns the length of the match at distance `back`, `here` being its first bytes, if it has the minimum length.
#[inline(always)]
fn agree(bytes: &[u8], here: u64, at: usize, back: usize, least: usize) -> Option<usize> {
    let from = at.checked_sub(back).filter(|_| back > 0)?;
    let differ = word(bytes, from)? ^ here;
    if differ != 0 {
        let len = (differ.trailing_zeros() / 8) as usize;
        return (len >= least).then_some(len);
    }
    let mut len = WORD;
    while let (Some(a), Some(b)) = (word(bytes, at + len), word(bytes, from + len)) {
        if a != b {
            return Some(len + ((a ^ b).trailing_zeros() / 8) as usize);
        }
        len += WORD;
    }
    while let (Some(a), Some(b)) = (bytes.get(at + len), bytes.get(from + len))
        && a == b
    {
        len += 1;
    }
    Some(len)
}

/// Appends the bytes from `from` up to `to` as a literal, if there are any.
#[inline(always)]
fn put_literal(bytes: &[u8], from: usize, to: usize, out: &mut Vec<u8>) {
    let Some(last) = (to - from).checked_sub(1) else { return };
    let number = (last as u64).to_le_bytes();
    if last < TAGGED {
        out.push(number[0] << 2);
    } else {
        // The tag has the number of bytes of the length.
        let bytes = 8 - (last as u64).leading_zeros() / 8;
        out.push(((59 + bytes) << 2).to_le_bytes()[0]);
        out.extend(number.iter().take(bytes as usize));
    }
    let end = out.len() + last + 1;
    // Storing 16 bytes and dropping the excess is faster than storing the exact number.
    match bytes.get(from..).and_then(<[u8]>::first_chunk::<16>) {
        Some(piece) if last < 16 => out.extend_from_slice(piece),
        _ => out.extend_from_slice(bytes.get(from..to).unwrap_or_default()),
    }
    out.truncate(end);
}

/// Appends copies that produce this number of bytes.
#[inline(always)]
fn put_copies(back: usize, len: usize, out: &mut Vec<u8>) {
    let mut left = len;
    while left > LONGEST {
        // None is shorter than a match, the last one neither.
        let len = if left < LONGEST + SHORTEST { LONGEST - SHORTEST } else { LONGEST };
        put_copy(back, len, out);
        left -= len;
    }
    put_copy(back, left, out);
}

#[inline(always)]
fn put_copy(back: usize, len: usize, out: &mut Vec<u8>) {
    let (element, size) = if len < 12 && back < NEAR {
        (1 | (len - SHORTEST) << 2 | back >> 8 << 5 | (back & 0xff) << 8, 2)
    } else {
        (2 | (len - 1) << 2 | back << 8, 3)
    };
    let [a, b, c, ..] = (element as u64).to_le_bytes();
    let end = out.len() + size;
    out.extend_from_slice(&[a, b, c]);
    out.truncate(end);
}

#[cfg(test)]
mod tests;
