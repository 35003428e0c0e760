//! Chunks of Blosc: a part of one is what the whole has there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trevni_blosc::chunk::{Decoder, Header};
use trevni_fuzz::{MEMORY, within_limits};

fuzz_target!(|chunk: &[u8]| {
    let Ok(header) = Header::parse(chunk) else { return };
    let nbytes = header.nbytes as usize;
    if nbytes > MEMORY / 4 {
        return;
    }
    within_limits(chunk.len(), || {
        let mut whole = vec![0xee; nbytes];
        let decoded = Decoder::default().with_limit(MEMORY).decode(chunk, &mut whole);
        for (start, length) in
            [(0, 1), (nbytes / 3, 17), (nbytes / 2, nbytes / 4), (nbytes.saturating_sub(5), 5)]
        {
            let mut part = vec![0xdd; length.min(nbytes - start.min(nbytes))];
            let result =
                Decoder::default().with_limit(MEMORY).decode_range(chunk, start, &mut part);
            if decoded.is_ok() {
                assert!(result.is_ok(), "{start}: {result:?}");
                assert_eq!(part, whole[start..start + part.len()], "{start}");
            }
        }
    });
});
