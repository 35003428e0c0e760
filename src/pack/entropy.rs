//! Estimates the size of bytes after zstd from the frequencies of their values.
//!
//! ```text
//! numbers   7 7 0 7 ...        counts   0: 1 │ 7: 3 │ ...        size   bits by rarity
//! ```

/// The approximate number of sampled numbers.
const SAMPLE: usize = 4096;

/// How often each number below 256 comes among some of many, at even distances; others are not counted.
#[derive(Debug)]
pub(super) struct Frequencies {
    counts: [u32; 256],
    /// The number of sampled numbers, and of all.
    seen: usize,
    n: usize,
}

impl Frequencies {
    /// Of what `number` makes of values.
    pub(super) fn of(values: &[i64], number: impl Fn(&i64) -> u64) -> Self {
        let n = values.len();
        // Not of all rows of a period: the step is odd.
        let step = (n / SAMPLE) | 1;
        let seen = n.div_ceil(step);
        let mut counts = [0u32; 256];
        for number in values.iter().step_by(step).map(number) {
            let count = usize::try_from(number).ok().and_then(|number| counts.get_mut(number));
            if let Some(count) = count {
                *count += 1;
            }
        }
        Self { counts, seen, n }
    }

    /// Estimates the size after zstd of numbers with this many bits of each byte.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An estimate.
    pub(super) fn size(&self, width: u32) -> usize {
        let seen = self.seen.max(1) as f64;
        let occurring = || self.counts.iter().filter(|count| **count > 0);
        let bits = |count: &u32| f64::from(*count) * (seen / f64::from(*count)).log2();
        let each = occurring().map(bits).sum::<f64>() / seen;
        // Of some, the more there are the less they show how even all are.
        let hidden = match self.seen < self.n {
            true => occurring().count() as f64 / (2.0 * std::f64::consts::LN_2 * seen),
            false => 0.0,
        };
        let bits = (self.n as f64 * (each + hidden)) as usize;
        // No byte takes less than a bit; the table takes about half a byte for each number.
        bits.max(self.n * width as usize / 8) / 8 + occurring().count() / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_about_those_of_zstd() {
        let size = |width: u32, rule: fn(u64) -> u64| {
            let mut r = super::super::tests::random(9);
            let values: Vec<i64> = (0..16_384).map(|_| r().cast_signed()).collect();
            Frequencies::of(&values, |value| rule(value.cast_unsigned())).size(width)
        };
        assert!((16_300..16_600).contains(&size(8, |r| r % 256)));
        assert!((8_180..8_220).contains(&size(8, |r| r % 16)));
        assert!((2_000..2_100).contains(&size(8, |r| u64::from(r % 16 == 3))));
        assert!((600..800).contains(&size(1, |r| u64::from(r % 16 == 3))));
        assert!(size(8, |_| 3) < 2_100);
    }
}
