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

mod bits;
mod bounds;
mod decimals;
mod expand;
mod figures;
mod gather;
mod lanes;
mod offsets;
mod presence;
mod strings;
mod symbols;
mod text;
mod tuples;
mod varints;
mod views;
mod words;

pub(super) use bits::{copy_bits, count_ones, each_run, ranks};
pub use bounds::Ordered;
pub(super) use bounds::bounds;
pub use decimals::{Bits, DIGITS, DigitRange, Multipliers, Real};
pub(super) use decimals::{decimals, digit_range, digits};
pub(super) use expand::{expand, repeat_ends};
pub(super) use figures::figures;
pub use figures::{FIGURES, ZEROS};
pub use gather::{SLOT, Slots};
pub(super) use gather::{gather, gather_strings, repeat};
pub use lanes::{CHUNK, ChunkStats, LANES, Modular};
pub(super) use lanes::{
    accumulate, chunk_stats, count_above, frame, one, scale, side_by_side, unframe, unframe_to,
    varint_size, widen,
};
pub(super) use offsets::lengths_to_offsets;
pub(super) use presence::presence;
pub use presence::{Present, Run};
pub(super) use strings::{put_strings, skip_strings, strings};
pub(super) use symbols::symbols;
pub use symbols::{GROUP, SymbolTable};
pub(super) use text::is_text;
pub use tuples::Tuples;
pub(super) use tuples::gather_tuples;
pub(super) use varints::{ints, longs, put_ints, put_longs, skip};

pub use views::INLINE;
pub(super) use views::{view, views};
pub use words::{Offset, Places, WORDS, WordEnds, word_of};
pub(super) use words::{ends_among, places, words};

/// What the kernels of other levels share.
#[cfg(target_arch = "x86_64")]
pub(super) use {
    bits::{ones, word},
    gather::all_below,
    symbols::WINDOW,
    tuples::{CODES, TUPLE},
    varints::{Number, numbers},
    words::{first_bytes, words_of_bytes},
};

/// For every machine there is `snap`.
#[cfg(feature = "snappy")]
pub(super) fn decompress_snappy(_elements: &[u8], _raw_len: usize, _out: &mut Vec<u8>) -> bool {
    false
}
