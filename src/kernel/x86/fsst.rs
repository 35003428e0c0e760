//! Expands FSST codes with AVX-512 and its byte permutations.
//!
//! ```text
//! 64 codes  ──vpermi2b──► 64 masks, 0 where there is no symbol
//! 8 codes   ──8 loads───► 64 bytes ──vpcompressb by 8 masks──► adjacent, stored
//! ```
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::kernel::portable::{GROUP, SymbolTable, WINDOW};

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt"
)]
pub(super) fn expand_symbols(
    codes: &[u8],
    table: &SymbolTable,
    most: usize,
    out: &mut Vec<u8>,
) -> usize {
    let SymbolTable { words, masks } = table;
    let (start, mut taken) = (out.len(), 0);
    out.reserve(most.min(codes.len().saturating_mul(8)).saturating_add(WINDOW));
    let to = out.as_mut_ptr();
    let mut at = start;
    // SAFETY: the table of masks has 256 bytes.
    let [a, b, c, d] = unsafe {
        let quarter = |i: usize| _mm512_loadu_si512(masks.as_ptr().add(64 * i).cast());
        [quarter(0), quarter(1), quarter(2), quarter(3)]
    };
    for window in codes.as_chunks::<WINDOW>().0 {
        let mut counts = [0u64; 8];
        // SAFETY: the window has 64 bytes, and so have the counts.
        let known = unsafe {
            let codes = _mm512_loadu_si512(window.as_ptr().cast());
            let low = _mm512_permutex2var_epi8(a, codes, b);
            let high = _mm512_permutex2var_epi8(c, codes, d);
            let masks = _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
            _mm512_storeu_si512(counts.as_mut_ptr().cast(), masks);
            _mm512_test_epi8_mask(masks, masks)
        };
        let groups = known.trailing_ones() as usize / GROUP;
        let mut bytes = 0;
        for mask in counts.iter().take(groups) {
            bytes += mask.count_ones() as usize;
        }
        if at - start + bytes > most {
            break;
        }
        for (codes, mask) in window.as_chunks::<GROUP>().0.iter().zip(counts).take(groups) {
            let word = |i: usize| {
                let code = codes.get(i).copied().unwrap_or(0);
                words.get(usize::from(code)).copied().unwrap_or(0).cast_signed()
            };
            let eight = _mm512_set_epi64(
                word(7),
                word(6),
                word(5),
                word(4),
                word(3),
                word(2),
                word(1),
                word(0),
            );
            let dense = _mm512_maskz_compress_epi8(mask, eight);
            // SAFETY: no more than `most` bytes come before `at`, nor more than 8 for each code, so that the 64 that
            // are stored are reserved.
            unsafe { _mm512_storeu_si512(to.add(at).cast(), dense) };
            at += mask.count_ones() as usize;
        }
        taken += groups * GROUP;
        if groups * GROUP < WINDOW {
            break;
        }
    }
    // SAFETY: all bytes before `at` have been written.
    unsafe { out.set_len(at) };
    taken
}
