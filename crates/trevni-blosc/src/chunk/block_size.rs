//! The default block size of the reference implementations.
//!
//! ```text
//! level                    0    1    2    3    4    5    6    7    8    9
//! not split, quick        8K  16K  32K  64K 128K 128K 256K 256K 256K 256K    quick: blosclz, lz4, snappy
//! not split, slow        16K  32K  64K 128K 256K 256K 512K 512K 512K   1M    slow: lz4hc, zlib, zstd
//! split, 2nd generation       32K  32K  32K  64K  64K  64K 128K 256K 512K    times typesize, 32K to 4M
//! split, 1st generation       the size above, at most 256K, times typesize, 64K to 1M
//! ```
//! A chunk of less than 32 KiB is one block. A block has complete elements.

use super::split::should_split;
use super::{Generation, Params};
use crate::Compressor;

const KIB: u32 = 1024;

/// Returns the block size of a chunk of `nbytes`; at least 1.
pub(super) fn choose(params: &Params, nbytes: u32) -> u32 {
    let typesize = u32::from(params.typesize.max(1));
    let wished = match params.block_size {
        0 if nbytes < typesize => 1,
        0 => automatic(params, nbytes),
        given => given,
    };
    let size = wished.min(nbytes).max(1);
    if size > typesize { size / typesize * typesize } else { size }
}

fn automatic(params: &Params, nbytes: u32) -> u32 {
    let typesize = u32::from(params.typesize);
    let unsplit = if nbytes >= 32 * KIB { by_level(params) } else { nbytes };
    match params.generation {
        _ if params.level == 0 => unsplit,
        Generation::Blosc1 if should_split(params, unsplit) => {
            (unsplit.min(256 * KIB) * typesize).clamp(64 * KIB, 1024 * KIB)
        }
        Generation::Blosc2 if should_split(params, nbytes) => {
            let one = match params.level {
                ..=3 => 32 * KIB,
                4..=6 => 64 * KIB,
                7 => 128 * KIB,
                8 => 256 * KIB,
                _ => 512 * KIB,
            };
            (one * typesize).clamp(32 * KIB, 4096 * KIB)
        }
        _ => unsplit,
    }
}

fn by_level(params: &Params) -> u32 {
    let is_slow =
        matches!(params.compressor, Compressor::Lz4Hc | Compressor::Zlib | Compressor::Zstd);
    let quick = match params.level {
        0 => 8 * KIB,
        1 => 16 * KIB,
        2 => 32 * KIB,
        3 => 64 * KIB,
        4 | 5 => 128 * KIB,
        9 if is_slow => 512 * KIB,
        _ => 256 * KIB,
    };
    if is_slow { 2 * quick } else { quick }
}
