//! Loads eight bytes from the start of each string without a bounds check; the rest is the portable code, compiled
//! for wider registers.
#![allow(unsafe_code)]

use crate::kernel::portable::{self, Offset, PREFIXES, PrefixRange};

macro_rules! compiled_for {
    ($features:literal, $module:ident) => {
        pub(in super::super) mod $module {
            use super::*;

            #[target_feature(enable = $features)]
            pub(in super::super) fn prefixes<O: Offset>(
                ends: &[O],
                data: &[u8],
                behind: usize,
                out: &mut [u64; PREFIXES],
            ) -> PrefixRange {
                let Some(last) = data.len().checked_sub(8) else {
                    return portable::prefixes(ends, data, behind, out);
                };
                for (to, start) in out.iter_mut().zip(ends) {
                    let start = (*start).try_into().unwrap_or(usize::MAX);
                    let at = start.saturating_add(behind);
                    *to = match at <= last {
                        // SAFETY: eight bytes are there.
                        true => unsafe { data.as_ptr().add(at).cast::<u64>().read_unaligned() },
                        false => portable::first_bytes(data, at),
                    };
                }
                portable::words_of_bytes(ends, behind, out)
            }
        }
    };
}

compiled_for!("avx2,bmi1,bmi2,lzcnt,popcnt", avx2);
compiled_for!("avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd", avx512);
