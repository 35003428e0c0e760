//! The SIMD level: the instruction set that kernels use.
//!
//! ```text
//! Portable   any machine; safe Rust
//! Avx2       x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT, where pext and pdep are fast
//! Avx512     x86-64 with AVX-512 F, BW, VL, DQ, CD, VBMI and VBMI2 as well
//! ```
//! The results are the same at every level. The environment variable `TREVNI_SIMD` = `portable`, `avx2` or `avx512`
//! lowers the level; any other value is ignored.

use std::sync::OnceLock;

/// An instruction set that this machine has.
///
/// ```
/// use trevni::simd::Level;
///
/// assert_eq!(Level::all().first(), Some(&Level::Portable));
/// assert!(Level::all().contains(&Level::in_use()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// The instructions of every machine.
    Portable,
    /// AVX2 and BMI2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 with the byte permutations of VBMI and VBMI2.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// A token that exists only on machines with AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(());

/// A token that exists only on machines with AVX-512 F, BW, VL, DQ, CD, VBMI and VBMI2, and the instructions of
/// [`Avx2`].
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(Avx2);

impl Level {
    /// Creates the best level of this machine, unless `TREVNI_SIMD` names a lower one.
    pub fn in_use() -> Self {
        static IN_USE: OnceLock<Level> = OnceLock::new();
        *IN_USE.get_or_init(|| {
            let wish = std::env::var("TREVNI_SIMD").unwrap_or_default();
            Self::at_most(&wish)
        })
    }

    /// Returns the levels of this machine, lowest first.
    pub fn all() -> Vec<Self> {
        let levels = [
            Some(Level::Portable),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(Level::Avx512),
        ];
        levels.into_iter().flatten().collect()
    }

    /// Returns the name of the level in `TREVNI_SIMD`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "avx512",
        }
    }

    /// Returns whether the level is AVX-512.
    pub fn is_avx512(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => true,
            _ => false,
        }
    }

    /// Creates the best of this machine's levels up to the one of that name; of all, if there is no such name.
    fn at_most(name: &str) -> Self {
        let known = ["portable", "avx2", "avx512"];
        let most = known.iter().position(|known| *known == name).unwrap_or(known.len());
        let allowed =
            |level: &Level| known.iter().position(|known| *known == level.name()) <= Some(most);
        Self::all().into_iter().rfind(allowed).unwrap_or(Level::Portable)
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        (has && !has_slow_pext()).then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2");
        Avx2::detect().filter(|_| has).map(Self)
    }
}

/// Returns whether pext and pdep are microcoded: on AMD's processors before family 19h, and on Hygon's.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn has_slow_pext() -> bool {
    use std::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 has this instruction; newer compilers know.
    #[allow(unused_unsafe)]
    let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1)) };
    let amd = matches!(&vendor.ebx.to_le_bytes(), b"Auth" | b"Hygo");
    let family = (version.eax >> 8 & 0xf) + (version.eax >> 20 & 0xff);
    amd && family < 0x19
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
