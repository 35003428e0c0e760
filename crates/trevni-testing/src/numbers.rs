//! Pseudo-random numbers that are the same in every run.

/// A linear congruential generator.
#[derive(Debug, Clone)]
pub struct Numbers(pub u64);

impl Numbers {
    /// Returns the next number, of 31 bits.
    pub fn next31(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as i64
    }
}

/// Returns the next number, less than `n`.
pub fn below(numbers: &mut Numbers, n: usize) -> usize {
    (numbers.next31() as usize) % n
}
