//! Encodings of integers.
//!
//! ```text
//! encoding ──► bit packing with a frame of reference, delta, run length, common factor, sparse, dictionary,
//!              byte stream split; each may encode its parts with another
//! choose       picks the one with the smallest estimated cost
//! ```

pub(crate) mod bit_packing;
pub(crate) mod byte_stream_split;
pub(crate) mod choose;
pub(crate) mod common_factor;
pub(crate) mod delta;
pub(crate) mod dictionary;
pub(crate) mod encoding;
pub(crate) mod sparse;
pub(crate) mod tail;
pub(crate) mod value_counts;

pub(crate) use encoding::put;
