//! Gathers values by index, and repeats values.
//!
//! ```text
//! codes   0 2 2 1        table   a b c         values   a c c b
//! runs    x to 3, y to 5                       values   x x x y y
//! entries mail air       codes   1 0 1         data     airmailair     offsets   0 3 7 10
//! ```

use super::Modular;

/// Bytes of a slot.
pub const SLOT: usize = 32;

/// Strings in slots of one size, and their lengths.
#[derive(Debug, Clone, Default)]
pub struct StringSlots {
    /// The bytes of each, and zeros.
    pub bytes: Vec<[u8; SLOT]>,
    /// How many each has.
    pub lengths: Vec<u32>,
}

impl StringSlots {
    /// Returns the slots of the strings between offsets. The excess of a longer string is left out.
    pub fn of(offsets: &[i32], data: &[u8]) -> Self {
        let at = |offset: &i32| offset.cast_unsigned() as usize;
        let pairs = offsets.iter().zip(offsets.iter().skip(1));
        let strings = pairs.map(|(start, end)| (at(start), at(end).saturating_sub(at(start))));
        Self {
            bytes: strings.clone().map(|(start, len)| slot(data, start, len)).collect(),
            lengths: strings.map(|(_, len)| u32::try_from(len).unwrap_or(0)).collect(),
        }
    }

    /// Returns how many entries there are.
    pub fn count(&self) -> usize {
        self.bytes.len().min(self.lengths.len())
    }
}

/// Returns `len` bytes from `start`, and zeros.
fn slot(data: &[u8], start: usize, len: usize) -> [u8; SLOT] {
    let mut slot = [0; SLOT];
    let rest = data.get(start..).unwrap_or_default();
    let Some(bytes) = rest.first_chunk::<SLOT>() else {
        let len = len.min(rest.len()).min(SLOT);
        slot.iter_mut().zip(rest.iter().take(len)).for_each(|(to, from)| *to = *from);
        return slot;
    };
    // All bytes are loaded, and those after the string are cleared.
    for (i, (to, from)) in slot.as_chunks_mut().0.iter_mut().zip(bytes.as_chunks().0).enumerate() {
        let kept = 8 * u32::try_from(len.saturating_sub(16 * i).min(16)).unwrap_or(0);
        let mask = u128::MAX.checked_shr(128 - kept).unwrap_or(0);
        *to = (u128::from_le_bytes(*from) & mask).to_le_bytes();
    }
    slot
}

/// Appends the value of each code. Returns whether the table has them all: if not, nothing is appended.
pub(crate) fn gather<T: Copy + Default>(codes: &[u32], table: &[T], out: &mut Vec<T>) -> bool {
    if !all_below(codes, table.len()) {
        return false;
    }
    out.extend(codes.iter().map(|code| table.get(*code as usize).copied().unwrap_or_default()));
    true
}

/// Returns whether each code is less than `count`.
#[inline(always)]
pub(crate) fn all_below(codes: &[u32], count: usize) -> bool {
    let mut most = 0;
    for code in codes {
        most = most.max(*code);
    }
    codes.is_empty() || (most as usize) < count
}

/// Appends the string of each code to `data` and its end to `offsets`. Returns false, and appends nothing, if a
/// code has no string. The caller has checked that no length exceeds [`SLOT`] and that the total fits an offset.
pub(crate) fn gather_strings(
    codes: &[u32],
    slots: &StringSlots,
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
) -> bool {
    if !all_below(codes, slots.count()) {
        return false;
    }
    let length = |code: &u32| {
        slots.lengths.get(*code as usize).map_or(0, |length| (*length as usize).min(SLOT))
    };
    let mut at = data.len();
    // A complete slot is copied for each, over the excess of the one before.
    data.resize(at + codes.iter().map(length).sum::<usize>() + SLOT, 0);
    offsets.extend(codes.iter().map(|code| {
        let slot = slots.bytes.get(*code as usize).unwrap_or(&[0; SLOT]);
        if let Some(to) = data.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
            *to = *slot;
        }
        at += length(code);
        i32::try_from(at).unwrap_or(i32::MAX)
    }));
    data.truncate(at);
    true
}

/// Appends each value until its end is reached, from `start` on: `ends` ascend.
pub(crate) fn repeat<T: Modular>(values: &[i64], ends: &[usize], start: usize, out: &mut Vec<T>) {
    let mut at = start;
    for (value, end) in values.iter().zip(ends) {
        let value = T::wrap(value.cast_unsigned());
        out.extend(std::iter::repeat_n(value, end.saturating_sub(at)));
        at = at.max(*end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_have_the_bytes_of_their_strings() {
        let data: Vec<u8> = (1..=200).collect();
        let offsets = [0, 0, 1, 16, 33, 65, 98, 180, 199, 200];
        let slots = StringSlots::of(&offsets, &data);
        assert_eq!(slots.count(), offsets.len() - 1);
        for (i, pair) in offsets.windows(2).enumerate() {
            let string = &data[pair[0] as usize..pair[1] as usize];
            let kept = string.len().min(SLOT);
            assert_eq!(slots.lengths[i] as usize, string.len());
            assert_eq!(slots.bytes[i][..kept], string[..kept]);
            assert_eq!(slots.bytes[i][kept..], [0; SLOT][kept..]);
        }
    }
}
