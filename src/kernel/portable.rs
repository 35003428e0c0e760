//! The kernels in safe Rust, which define the results of all levels.
//!
//! ```text
//! varints    numbers of 1 to 10 bytes ↔ values         bits       bits from any place to any other
//! strings    lengths and bytes ↔ offsets and bytes     presence   lengths of 0 and 1 → bits
//! offsets    lengths → offsets                         expand     dense values → places among nulls
//! lanes      numbers of so many bits ↔ values          views    offsets → views
//! symbols    codes → text                              shuffle    elements ↔ columns of bytes, of bits
//! text       UTF-8 or not                               gather   codes → values; runs → values
//! bounds     values → the least and the greatest       words    strings → how they begin, as numbers
//! decimals   digits ↔ floats                           figures  numbers → their decimal text
//! tuples     codes → strings, some at a time
//! ```

mod bitpack;
mod bits;
mod decimals;
mod digits;
mod expand;
mod fsst;
mod gather;
mod length_bitmap;
mod min_max;
mod offsets;
mod prefixes;
mod string_gather;
mod strings;
mod utf8;
mod varints;
mod views;

pub use crate::kernel::portable::bitpack::{CHUNK, ChunkStats, LANES, Modular};
pub(super) use crate::kernel::portable::bitpack::{
    accumulate, chunk_stats, count_above, frame, one, scale, side_by_side, unframe, unframe_to,
    varint_size, widen,
};
pub(super) use crate::kernel::portable::digits::figures;
pub use crate::kernel::portable::digits::{FIGURES, ZEROS};
pub(super) use crate::kernel::portable::fsst::symbols;
pub use crate::kernel::portable::fsst::{GROUP, SymbolTable};
pub(super) use crate::kernel::portable::length_bitmap::presence;
pub use crate::kernel::portable::length_bitmap::{Present, Run};
pub use crate::kernel::portable::min_max::Ordered;
pub(super) use crate::kernel::portable::min_max::bounds;
pub use crate::kernel::portable::string_gather::Tuples;
pub(super) use crate::kernel::portable::string_gather::gather_tuples;
pub(super) use crate::kernel::portable::utf8::is_text;
pub(super) use bits::{copy_bits, count_ones, each_run, ranks};
pub use decimals::{Bits, DIGITS, DigitRange, Multipliers, Real};
pub(super) use decimals::{decimals, digit_range, digits};
pub(super) use expand::{expand, repeat_ends};
pub use gather::{SLOT, Slots};
pub(super) use gather::{gather, gather_strings, repeat};
pub(super) use offsets::lengths_to_offsets;
pub(super) use strings::{put_strings, skip_strings, strings};
pub(super) use varints::{ints, longs, put_ints, put_longs, skip};

pub use crate::kernel::portable::prefixes::{Offset, Places, WORDS, WordEnds, word_of};
pub(super) use crate::kernel::portable::prefixes::{ends_among, places, words};
pub use views::INLINE;
pub(super) use views::{view, views};

/// What the kernels of other levels share.
#[cfg(target_arch = "x86_64")]
pub(super) use {
    bits::{ones, word},
    fsst::WINDOW,
    gather::all_below,
    prefixes::{first_bytes, words_of_bytes},
    string_gather::{CODES, TUPLE},
    varints::{Number, numbers},
};

/// For every machine there is `snap`.
#[cfg(feature = "snappy")]
pub(super) fn decompress_snappy(_elements: &[u8], _raw_len: usize, _out: &mut Vec<u8>) -> bool {
    false
}
