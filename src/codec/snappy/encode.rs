//! A snappy encoder that emits few, long elements, because each costs a reader about the same time.
//!
//! ```text
//! bytes   . . r e q u e s t s . . . . r e q u e s t s .
//!             ▲           back        ▲ at
//!             └── the last place with the same hash of 8 bytes, or else of 4
//! ```
//! Of two places that begin like this one, the one that agrees for eight bytes is likely the longer match; so it is
//! asked first. Where only four agree, the eight from the next byte on may do better. Numbers of fixed width may have
//! no eight bytes twice: after some matches of which few are long, only four are asked for in that block. Places are kept as their low
//! 16 bits: that is as far back as a copy of three bytes reaches. What is found is compared, so a wrong place does
//! no harm; the tables are cleared all the same, for equal blocks to become equal bytes.

/// How many places a table has, as a power of two.
const BITS: u32 = 14;

/// How many bytes are compared at once; the last ones of a block begin no match.
const WORD: usize = 8;

/// The shortest match.
const SHORTEST: usize = 4;

/// A copy of up to 11 bytes from less far back takes two bytes, others take three.
const NEAR: usize = 1 << 11;

/// The most bytes of one copy.
const LONGEST: usize = 64;

/// After so many places in vain, steps get a byte longer.
const PATIENCE: usize = 32;

/// How many matches tell whether there are long ones.
const TRIAL: usize = 256;

/// A literal of fewer bytes has its length in its tag.
const TAGGED: usize = 60;

/// The last place of each hash.
type Table = [u16; 1 << BITS];

/// The tables of places, kept from block to block.
#[derive(Debug)]
pub(super) struct Encoder {
    eights: Box<Table>,
    fours: Box<Table>,
}

/// Bytes that are there `back` before, too.
#[derive(Clone, Copy)]
struct Match {
    at: usize,
    back: usize,
    len: usize,
}

/// More bytes than a block of so many becomes, its length included: a copy is shorter than what it makes by as much
/// as a short literal has besides its bytes, so only long literals add up.
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

    /// Appends the elements from `done` on up to the last match; gives where that ends. Stops early, and says so, if
    /// of the first matches few are long: then to ask for eight bytes is in vain.
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
            // Of the places in a match, its beginning and its end are most likely to be met again.
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

    /// The first match from `at` on that is worth its element; the literal before it begins at `done`.
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

    /// The match at the next byte, if that is a long one and `found` is not.
    #[inline(always)]
    fn better(&mut self, bytes: &[u8], found: Match) -> Option<Match> {
        let at = found.at + 1;
        let next = word(bytes, at).filter(|_| found.len < WORD)?;
        let back = replace(&mut self.eights, hash(next), at);
        agree(bytes, next, at, back, WORD).map(|len| Match { at, back, len })
    }

    /// Notes a place; gives how far back the last ones of its eight and of its four bytes are, or seem to be.
    #[inline(always)]
    fn put<const EIGHTS: bool>(&mut self, word: u64, at: usize) -> (usize, usize) {
        let eight = if EIGHTS { replace(&mut self.eights, hash(word), at) } else { 0 };
        (eight, replace(&mut self.fours, hash(word << 32), at))
    }
}

impl Match {
    /// The match with those bytes before it that agree as well.
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

/// Puts a place into a table; gives how far back the one is that was there.
#[inline(always)]
fn replace(table: &mut Table, hash: usize, at: usize) -> usize {
    let low = u16::try_from(at & 0xffff).unwrap_or_default();
    let last = table.get_mut(hash).map_or(low, |place| std::mem::replace(place, low));
    usize::from(low.wrapping_sub(last))
}

/// The eight bytes at a place.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

/// How many bytes at a place, `here` the first of them, are there `back` before as well, if at least so many.
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
        // The tag says how many bytes the length has.
        let bytes = 8 - (last as u64).leading_zeros() / 8;
        out.push(((59 + bytes) << 2).to_le_bytes()[0]);
        out.extend(number.iter().take(bytes as usize));
    }
    let end = out.len() + last + 1;
    // 16 bytes, of which what is too much is dropped, are sooner stored than just as many as there are.
    match bytes.get(from..).and_then(<[u8]>::first_chunk::<16>) {
        Some(piece) if last < 16 => out.extend_from_slice(piece),
        _ => out.extend_from_slice(bytes.get(from..to).unwrap_or_default()),
    }
    out.truncate(end);
}

/// Appends copies that make so many bytes.
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
