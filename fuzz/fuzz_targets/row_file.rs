//! Row files and Trevni files, of the format that their first bytes tell.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trevni_convert::Format;
use trevni_fuzz::{allow_caught_panics, read_as, read_options};

fuzz_target!(init: allow_caught_panics(), |data: &[u8]| {
    if let Some(format) = Format::sniff(data) {
        read_as(format, data, &read_options());
    }
});
