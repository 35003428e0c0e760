//! Numbers that look random and are the same in every run, on every machine, with every version of anything.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to n - 1, each as likely as the others.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// About normal, with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Small numbers more often than great ones: waiting times, amounts.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.unit()).ln() * mean
    }

    /// 0 to n - 1; a higher `skew` makes the first ones more frequent, 1 makes all the same.
    pub fn skewed(&mut self, n: u64, skew: f64) -> u64 {
        ((self.unit().powf(skew) * n as f64) as u64).min(n - 1)
    }

    /// One of several, as often as its weight says.
    pub fn pick<T: Copy>(&mut self, choices: &[(f64, T)]) -> T {
        let mut left = self.unit() * choices.iter().map(|(weight, _)| weight).sum::<f64>();
        for (weight, choice) in choices {
            left -= weight;
            if left < 0.0 {
                return *choice;
            }
        }
        choices[choices.len() - 1].1
    }
}
