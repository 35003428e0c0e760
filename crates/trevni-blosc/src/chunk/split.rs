//! Decides whether blocks are split into one stream per byte of an element, as the reference implementations do.

use super::{Generation, Params, Split};
use crate::{Compressor, Filter};

/// The largest typesize whose blocks are split.
const MAX_STREAMS: usize = 16;

/// Returns the minimum size of the streams of a split block; shorter streams are not compressed.
pub(super) fn shortest(generation: Generation) -> usize {
    match generation {
        Generation::Blosc1 => 128,
        Generation::Blosc2 => 32,
    }
}

/// Returns whether blocks of this size are split: whether they should be, and divide evenly.
pub(super) fn is_split(params: &Params, block_size: u32) -> bool {
    block_size.is_multiple_of(u32::from(params.typesize.max(1))) && should_split(params, block_size)
}

/// Returns whether blocks of such a size should be split, as the references decide it.
pub(super) fn should_split(params: &Params, block_size: u32) -> bool {
    let (typesize, block_size) = (usize::from(params.typesize), block_size as usize);
    let divides = divides(params.generation, typesize, block_size);
    match (params.generation, params.split) {
        (_, Split::Never) => false,
        (Generation::Blosc1, Split::Always) => divides,
        (Generation::Blosc2, Split::Always) => true,
        (Generation::Blosc1, Split::Auto) => {
            matches!(params.compressor, Compressor::BloscLz | Compressor::Snappy) && divides
        }
        (Generation::Blosc1, Split::ForwardCompat) => {
            params.compressor != Compressor::Zstd && divides
        }
        (Generation::Blosc2, Split::Auto | Split::ForwardCompat) => {
            let is_fast = match params.compressor {
                Compressor::BloscLz | Compressor::Lz4 => true,
                Compressor::Zstd => params.level <= 5,
                _ => false,
            };
            let shuffled = |filter| matches!(filter, &Filter::Shuffle { .. });
            is_fast && params.filters.iter().any(shuffled) && divides
        }
    }
}

/// Returns whether a block divides into one stream per byte of an element, none of which is too short.
pub(super) fn divides(generation: Generation, typesize: usize, block_size: usize) -> bool {
    typesize <= MAX_STREAMS && block_size / typesize >= shortest(generation)
}
