//! The kernels in safe Rust, which define the results of all levels.
//!
//! ```text
//! varints    numbers of 1 to 10 bytes ↔ values         bits       bits from any offset to any other
//! strings    lengths and bytes ↔ offsets and bytes     presence   lengths of 0 and 1 → bits
//! offsets    lengths → offsets                         expand     compacted values → row positions
//! lanes      w-bit numbers ↔ values                    views    offsets → views
//! symbols    codes → text                              shuffle    elements ↔ columns of bytes, of bits
//! text       UTF-8 or not                               gather   codes → values; runs → values
//! bounds     values → the least and the greatest       words    strings → how they begin, as numbers
//! decimals   digits ↔ floats                           figures  numbers → their decimal text
//! tuples     codes → strings, some at a time
//! ```

mod bitpack;
mod bits;
mod bounds;
mod decimals;
mod digits;
mod expand;
mod fsst;
mod gather;
mod length_bitmap;
mod offsets;
mod prefixes;
mod string_gather;
mod strings;
mod utf8;
mod varints;
mod views;

pub use crate::kernel::portable::bitpack::{CHUNK, ChunkStats, LANES, Modular};
pub(super) use crate::kernel::portable::bitpack::{
    chunk_stats, count_above, pack, prefix_sum, scale, unpack, unpack_group, unpack_one,
    varint_size, widen,
};
pub use crate::kernel::portable::bounds::Ordered;
pub(super) use crate::kernel::portable::bounds::{min_max, min_max_valid};
pub(super) use crate::kernel::portable::digits::format_digits;
pub use crate::kernel::portable::digits::{DIGITS_PER_WORD, ZEROS};
pub(super) use crate::kernel::portable::fsst::expand_symbols;
pub use crate::kernel::portable::fsst::{GROUP, SymbolTable};
pub(super) use crate::kernel::portable::length_bitmap::lengths_to_bitmap;
pub use crate::kernel::portable::length_bitmap::{BitmapProgress, LengthRun};
pub use crate::kernel::portable::string_gather::StringTuples;
pub(super) use crate::kernel::portable::string_gather::gather_string_tuples;
pub(super) use crate::kernel::portable::utf8::is_utf8;
pub(super) use bits::{copy_bits, count_ones, for_each_run, rank};
pub use decimals::{Bits, DIGITS, DigitRange, FloatBits, Multipliers};
pub(super) use decimals::{digit_range, digits_to_floats, floats_to_digits};
pub(super) use expand::{expand, expand_offsets};
pub use gather::{SLOT, StringSlots};
pub(super) use gather::{gather, gather_strings, repeat};
pub(super) use offsets::lengths_to_offsets;
pub(super) use strings::{decode_strings, encode_strings, skip_strings};
pub(super) use varints::{decode_ints, decode_longs, encode_ints, encode_longs, skip_varints};

pub use crate::kernel::portable::prefixes::{
    Offset, PREFIXES, PrefixMatches, PrefixRange, prefix_of,
};
pub(super) use crate::kernel::portable::prefixes::{find_prefix, min_max_among, prefixes};
pub use views::INLINE;
pub(super) use views::{offsets_to_views, view};

/// What the kernels of other levels share.
#[cfg(target_arch = "x86_64")]
pub(super) use {
    bitpack::unpack_to,
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
