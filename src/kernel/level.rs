//! Detects the instruction sets of the machine.
//!
//! ```text
//! Portable   any machine; safe Rust
//! Bmi2       x86-64 with AVX2 and BMI2, where pext and pdep are quick
//! Avx512     x86-64 with AVX-512 F, BW, VL, DQ, VBMI, VBMI2 besides
//! ```

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::x86::{Avx512, Bmi2};

/// A set of instructions that this machine has: but for the portable one, a level can only be had by asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Those of every machine.
    Portable,
    /// AVX2 and BMI2.
    #[cfg(target_arch = "x86_64")]
    Bmi2(Bmi2),
    /// AVX-512 with the byte permutations of VBMI and VBMI2.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Level {
    /// The level that is in use: the machine's best, unless `TREVNI_SIMD` asks for less.
    pub fn in_use() -> Self {
        static IN_USE: OnceLock<Level> = OnceLock::new();
        *IN_USE.get_or_init(|| {
            let wish = std::env::var("TREVNI_SIMD").unwrap_or_default();
            Self::at_most(&wish)
        })
    }

    /// The levels of this machine, lowest first.
    pub fn all() -> Vec<Self> {
        let levels = [
            Some(Level::Portable),
            #[cfg(target_arch = "x86_64")]
            Bmi2::detect().map(Level::Bmi2),
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(Level::Avx512),
        ];
        levels.into_iter().flatten().collect()
    }

    /// What `TREVNI_SIMD` calls the level.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "avx512",
        }
    }

    /// Whether it has AVX-512.
    pub fn is_avx512(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => true,
            _ => false,
        }
    }

    /// The best of this machine's levels up to the one of that name; of all, if there is no such name.
    fn at_most(name: &str) -> Self {
        let known = ["portable", "avx2", "avx512"];
        let most = known.iter().position(|known| *known == name).unwrap_or(known.len());
        let allowed =
            |level: &Level| known.iter().position(|known| *known == level.name()) <= Some(most);
        Self::all().into_iter().rfind(allowed).unwrap_or(Level::Portable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_lowers_the_level_and_an_unknown_one_does_nothing() {
        let all = Level::all();
        assert_eq!(Level::at_most("portable"), Level::Portable);
        assert_eq!(Some(&Level::at_most("")), all.last());
        assert_eq!(Some(&Level::at_most("sse9")), all.last());
        for level in &all {
            assert_eq!(Level::at_most(level.name()), *level);
        }
    }
}
