//! The distinct numbers among many, which of them each is, and how often each comes.
//!
//! ```text
//! numbers   7 9 7 7        values 7 9   counts 3 1   codes 0 1 0 0
//! table     hash ──► slot: code + 1, or 0 where nothing is; the next slots if it is another's
//! ```

/// How many slots are looked at before a search is given up: only numbers made for it come so far.
const PROBES: usize = 64;

/// Distinct numbers, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) values: Vec<u64>,
    pub(super) counts: Vec<usize>,
    /// Which of the values each number is.
    pub(super) codes: Vec<u32>,
}

impl Counted {
    /// Of all numbers; `None` if more than `most` are distinct.
    pub(super) fn of(numbers: impl ExactSizeIterator<Item = u64>, most: usize) -> Option<Self> {
        let n = numbers.len();
        let slots = (most.min(n) * 2).next_power_of_two().max(16);
        let mut table = vec![0u32; slots];
        let shift = slots.leading_zeros() + 1;
        let mut found = Self { codes: Vec::with_capacity(n), ..Self::default() };
        let mut last = (0, u32::MAX);
        for number in numbers {
            let code = match last {
                (before, code) if before == number && code != u32::MAX => code,
                _ => found.code(number, shift, &mut table, most)?,
            };
            if let Some(count) = found.counts.get_mut(code as usize) {
                *count += 1;
            }
            found.codes.push(code);
            last = (number, code);
        }
        Some(found)
    }

    fn code(&mut self, number: u64, shift: u32, table: &mut [u32], most: usize) -> Option<u32> {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = usize::try_from((hash ^ hash << 32) >> shift).ok()?;
        for _ in 0..PROBES {
            at &= table.len() - 1;
            let slot = table.get_mut(at)?;
            match slot.checked_sub(1) {
                Some(code) if self.values.get(code as usize) == Some(&number) => return Some(code),
                Some(_) => at += 1,
                None => {
                    let code = u32::try_from(self.values.len()).ok();
                    let code = code.filter(|code| (*code as usize) < most)?;
                    *slot = code + 1;
                    self.values.push(number);
                    self.counts.push(0);
                    return Some(code);
                }
            }
        }
        None
    }

    /// The value that comes most often, and how often.
    pub(super) fn most_frequent(&self) -> Option<(u64, usize)> {
        let all = self.values.iter().copied().zip(self.counts.iter().copied());
        all.max_by_key(|(value, count)| (*count, *value))
    }

    /// The values in the order that `compare` gives, and the code of each number among them.
    pub(super) fn in_order(
        &self,
        compare: impl Fn(u64, u64) -> std::cmp::Ordering,
    ) -> (Vec<u64>, Vec<i64>) {
        let value = |i: &usize| self.values.get(*i).copied().unwrap_or(0);
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_unstable_by(|a, b| compare(value(a), value(b)));
        let mut ranks = vec![0i64; order.len()];
        for (rank, i) in (0i64..).zip(&order) {
            if let Some(slot) = ranks.get_mut(*i) {
                *slot = rank;
            }
        }
        let rank = |code: &u32| ranks.get(*code as usize).copied().unwrap_or(0);
        (order.iter().map(value).collect(), self.codes.iter().map(rank).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation)]
    use super::*;

    #[test]
    fn counts_each_and_gives_up_on_too_many() {
        let numbers: Vec<u64> = (0..3000u64).map(|i| (i * i % 211) << (i % 3 * 20)).collect();
        let counted = Counted::of(numbers.iter().copied(), 3000).unwrap();
        assert_eq!(counted.counts.iter().sum::<usize>(), 3000);
        let (values, codes) = counted.in_order(|a, b| a.cmp(&b));
        assert!(values.is_sorted_by(|a, b| a < b));
        for (number, code) in numbers.iter().zip(&codes) {
            assert_eq!(values[*code as usize], *number);
        }
        assert!(Counted::of(numbers.iter().copied(), values.len() - 1).is_none());
        assert_eq!(Counted::of([5, 6, 5].into_iter(), 2).unwrap().most_frequent(), Some((5, 2)));
    }
}
