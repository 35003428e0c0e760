//! The instruction sets that the kernels are compiled for, and which of them this machine has.
//!
//! ```text
//! Portable   any machine; safe Rust
//! Avx2       x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT
//! Avx512     x86-64 with AVX-512 F, BW, VL, DQ, VBMI and VBMI2 as well
//! ```
#![allow(unsafe_code)]

use std::sync::OnceLock;

/// An instruction set that this machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The instructions of every machine.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 with the byte permutations of VBMI and VBMI2.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Proves that the machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(());

/// Proves that the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(());

impl Level {
    /// The best level of this machine, or the one that the environment variable `TREVNI_SIMD` names.
    pub fn in_use() -> Self {
        static IN_USE: OnceLock<Level> = OnceLock::new();
        *IN_USE.get_or_init(|| Self::at_most(&std::env::var("TREVNI_SIMD").unwrap_or_default()))
    }

    /// The levels of this machine, lowest first.
    pub fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let levels = [Some(Level::Portable), detect_avx2(), detect_avx512()];
        #[cfg(not(target_arch = "x86_64"))]
        let levels = [Some(Level::Portable)];
        levels.into_iter().flatten().collect()
    }

    /// The name of the level, as in `TREVNI_SIMD`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "avx512",
        }
    }

    /// The best level of this machine up to the one of this name, or of all if no level has it.
    fn at_most(name: &str) -> Self {
        let names = ["portable", "avx2", "avx512"];
        let most = names.iter().position(|known| *known == name).unwrap_or(names.len());
        let allowed = |level: &Level| names.iter().position(|n| *n == level.name()) <= Some(most);
        Self::all().into_iter().rfind(allowed).unwrap_or(Level::Portable)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect_avx2() -> Option<Level> {
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    has.then_some(Level::Avx2(Avx2(())))
}

#[cfg(target_arch = "x86_64")]
fn detect_avx512() -> Option<Level> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2");
    detect_avx2().filter(|_| has).map(|_| Level::Avx512(Avx512(())))
}

/// Makes the kernels of a token callable.
#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    ($token:ident, $module:ident: $($name:ident),*) => {
        impl $token {
            $(pub(super) fn $name(self, width: usize, bytes: &[u8], out: &mut [u8]) {
                // SAFETY: a token exists only where the machine has the instructions that the kernel is compiled for.
                unsafe { super::x86::$module::$name(width, bytes, out) }
            })*
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernels!(Avx2, avx2: shuffle, unshuffle, bitshuffle, unbitshuffle);
#[cfg(target_arch = "x86_64")]
kernels!(Avx512, avx512: shuffle, unshuffle, bitshuffle, unbitshuffle);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_lowers_the_level_and_an_unknown_one_is_ignored() {
        let all = Level::all();
        assert_eq!(Level::at_most("portable"), Level::Portable);
        assert_eq!(Some(&Level::at_most("")), all.last());
        assert_eq!(Some(&Level::at_most("sse9")), all.last());
        for level in &all {
            assert_eq!(Level::at_most(level.name()), *level);
        }
    }
}
