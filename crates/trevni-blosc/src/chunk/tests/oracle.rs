//! The reference of the first generation, wrapped in safe functions.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int};

/// Returns what c-blosc 1.21 makes of `data`; `None` if it cannot. `filter`: 0 none, 1 shuffle, 2 bitshuffle.
pub(super) fn compress(
    name: &str,
    level: u8,
    filter: u8,
    typesize: u8,
    data: &[u8],
) -> Option<Vec<u8>> {
    let name = CString::new(name).unwrap();
    let mut out = vec![0_u8; data.len() + 16];
    // SAFETY: the pointers are valid for the lengths that go with them, and the name ends with a NUL. One thread, no
    // state outside the call.
    let n = unsafe {
        blosc_src::blosc_compress_ctx(
            c_int::from(level),
            c_int::from(filter),
            usize::from(typesize),
            data.len(),
            data.as_ptr().cast(),
            out.as_mut_ptr().cast(),
            out.len(),
            name.as_ptr(),
            0,
            1,
        )
    };
    out.truncate(usize::try_from(n).ok()?);
    Some(out)
}

/// Decodes a complete chunk with c-blosc 1.21.
pub(super) fn decompress(chunk: &[u8], nbytes: usize) -> Option<Vec<u8>> {
    let mut out = vec![0_u8; nbytes];
    // SAFETY: the chunk is as long as its header says, which its writer has made sure of; `out` is as long as given.
    let n = unsafe {
        blosc_src::blosc_decompress_ctx(chunk.as_ptr().cast(), out.as_mut_ptr().cast(), nbytes, 1)
    };
    (usize::try_from(n).ok()? == nbytes).then_some(out)
}

/// Decodes `n` elements from `start` with c-blosc 1.21; `None` if it fails.
pub(super) fn items(chunk: &[u8], typesize: u8, start: usize, n: usize) -> Option<Vec<u8>> {
    let mut out = vec![0_u8; n * usize::from(typesize)];
    let (start, n) = (c_int::try_from(start).ok()?, c_int::try_from(n).ok()?);
    // SAFETY: the chunk is as long as its header says; `out` has room for `n` elements of its typesize.
    let got = unsafe {
        blosc_src::blosc_getitem(chunk.as_ptr().cast(), start, n, out.as_mut_ptr().cast())
    };
    (usize::try_from(got).ok()? == out.len()).then_some(out)
}
