//! Counts the distinct values of a vector.
//!
//! ```text
//! numbers   7 9 7 7        values 7 9   codes 0 1 0 0
//! table     hash ──► slot: number, code + 1, or 0 where nothing is; the next slots if it is another's
//! ```

/// The maximum number of probes of a search: only adversarial numbers need this many.
const PROBES: usize = 64;

/// How many slots there are at first; more are made when half of them are taken.
const SLOTS: usize = 1024;

/// Distinct numbers, in the order in which they come.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) values: Vec<u64>,
    /// Which of the values each number is.
    pub(crate) codes: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    number: u64,
    /// The code and 1; 0 where nothing is.
    code: u32,
}

struct Table {
    /// A power of two of them.
    slots: Vec<Slot>,
    shift: u32,
}

impl Counted {
    /// Of all numbers; `None` if more than `most` are distinct.
    pub(crate) fn of(numbers: impl ExactSizeIterator<Item = u64>, most: usize) -> Option<Self> {
        let n = numbers.len();
        let mut table = Table::new(SLOTS.min((n * 2).next_power_of_two().max(16)));
        let mut found = Self { codes: Vec::with_capacity(n), ..Self::default() };
        for number in numbers {
            let code = match table.first(number) {
                Some(code) => code,
                None => found.code(number, &mut table, most)?,
            };
            found.codes.push(code);
        }
        Some(found)
    }

    /// Returns the code of a number that is not where it would be if it were alone.
    #[inline(never)]
    fn code(&mut self, number: u64, table: &mut Table, most: usize) -> Option<u32> {
        if self.values.len() * 2 >= table.slots.len() {
            *table = Table::of(&self.values, table.slots.len() * 4)?;
        }
        let slot = table.slot(number)?;
        if slot.code == 0 {
            if self.values.len() == most {
                return None;
            }
            self.values.push(number);
            *slot = Slot { number, code: u32::try_from(self.values.len()).ok()? };
        }
        slot.code.checked_sub(1)
    }

    /// Returns how often each value comes.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.values.len()];
        for code in &self.codes {
            if let Some(count) = counts.get_mut(*code as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// Returns the value that comes most often, and how often.
    pub(crate) fn most_frequent(&self) -> Option<(u64, usize)> {
        let all = self.values.iter().copied().zip(self.counts());
        all.max_by_key(|(value, count)| (*count, *value))
    }

    /// Estimates how many values are distinct among all of which these are a sample, by Chao's estimator: from how
    /// many come once, and how many twice. `None` if none comes twice.
    pub(crate) fn estimate_distinct(&self) -> Option<usize> {
        let counts = self.counts();
        let that_come = |times| counts.iter().filter(|count| **count == times).count();
        let (once, twice) = (that_come(1), that_come(2));
        match (once, twice) {
            (0, _) => Some(self.values.len()),
            (_, 0) => None,
            _ => Some(self.values.len() + once * once / (2 * twice)),
        }
    }

    /// Returns the values sorted by `compare`, and the code of each number among them.
    pub(crate) fn in_order(
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

impl Table {
    fn new(slots: usize) -> Self {
        Self { slots: vec![Slot::default(); slots], shift: slots.leading_zeros() + 1 }
    }

    /// Of values that have been found so far.
    fn of(values: &[u64], slots: usize) -> Option<Self> {
        let mut table = Self::new(slots);
        for (code, number) in (1..).zip(values) {
            *table.slot(*number)? = Slot { number: *number, code };
        }
        Some(table)
    }

    #[inline(always)]
    fn place(&self, number: u64) -> usize {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from((hash ^ hash << 32) >> self.shift).unwrap_or(0)
    }

    /// Returns the code of a number that is in the slot where it belongs.
    #[inline(always)]
    fn first(&self, number: u64) -> Option<u32> {
        let slot = self.slots.get(self.place(number))?;
        if slot.number == number { slot.code.checked_sub(1) } else { None }
    }

    /// Returns the slot that has a number, or could have it.
    fn slot(&mut self, number: u64) -> Option<&mut Slot> {
        let (mut at, mask) = (self.place(number), self.slots.len() - 1);
        for _ in 0..PROBES {
            let slot = self.slots.get(at)?;
            if slot.code == 0 || slot.number == number {
                return self.slots.get_mut(at);
            }
            at = (at + 1) & mask;
        }
        None
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
        let all: std::collections::BTreeSet<u64> = numbers.iter().copied().collect();
        assert_eq!((counted.codes.len(), counted.values.len()), (3000, all.len()));
        let (values, codes) = counted.in_order(|a, b| a.cmp(&b));
        assert!(values.is_sorted_by(|a, b| a < b));
        for (number, code) in numbers.iter().zip(&codes) {
            assert_eq!(values[*code as usize], *number);
        }
        assert!(Counted::of(numbers.iter().copied(), values.len() - 1).is_none());
        let sample = numbers.iter().copied().step_by(7);
        let estimate = Counted::of(sample, 3000).unwrap().estimate_distinct().unwrap();
        assert!((values.len() / 2..values.len() * 2).contains(&estimate), "{estimate}");
        assert_eq!(Counted::of([5, 6, 7].into_iter(), 3).unwrap().estimate_distinct(), None);
        assert_eq!(Counted::of([5, 6, 5].into_iter(), 2).unwrap().most_frequent(), Some((5, 2)));
    }
}
