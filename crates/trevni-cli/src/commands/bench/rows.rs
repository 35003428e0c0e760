//! Random row numbers.

use std::collections::BTreeSet;

/// Distinct rows, ascending; the same for the same seed.
pub(super) fn random_rows(total: usize, count: usize, seed: u64) -> Vec<usize> {
    if count >= total {
        return (0..total).collect();
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut rows = BTreeSet::new();
    while rows.len() < count {
        rows.insert(random.usize(..total));
    }
    rows.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_rows_are_distinct_and_ascend() {
        for (total, count) in [(1, 1000), (1000, 1000), (1001, 1000), (100_000, 1000)] {
            let rows = random_rows(total, count, 7);
            assert_eq!(rows.len(), count.min(total));
            assert!(rows.is_sorted_by(|a, b| a < b) && rows.iter().all(|row| *row < total));
            assert_eq!(rows, random_rows(total, count, 7));
        }
    }
}
