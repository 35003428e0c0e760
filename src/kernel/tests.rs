//! Each kernel at each level of this machine, compared with its portable twin.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]

mod bitpack;
mod digits;
mod gather;
mod nulls;
#[cfg(feature = "snappy")]
mod snappy;
mod strings;
mod varints;

use proptest::prelude::ProptestConfig;

use super::Level;

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns the levels whose kernels are compared: the portable one too, for appending to existing values.
fn levels() -> Vec<Level> {
    Level::all()
}

/// Returns the bytes in memory of just their size, past which an address sanitizer sees every read.
fn alone<T: Clone>(values: &[T]) -> Box<[T]> {
    values.into()
}

/// Appends a long, byte by byte.
fn put_one(value: i64, out: &mut Vec<u8>) {
    let mut bits = ((value << 1) ^ (value >> 63)) as u64;
    while bits >= 0x80 {
        out.push(bits as u8 | 0x80);
        bits >>= 7;
    }
    out.push(bits as u8);
}
