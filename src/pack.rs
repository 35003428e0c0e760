//! `pack`: the value codec. It packs the values of a block, each kind of value in the form that takes least, and
//! brings them straight back into buffers, any range of them, or those at any places.
//!
//! ```text
//! payload   form byte │ how the rows are filled │ values
//! values    numbers │ bits │ floats │ strings            each a kind byte and its parts, numbers within numbers
//! ```
//! A second implementation finds every bit in `spec/pack.md`. Whatever the bytes are, they give values or an error:
//! counts are compared with what is there, codes with their dictionaries, and nothing is indexed.
//!
//! The modules, from the lowest layer to the highest:
//!
//! ```text layers
//! entropy options payload payload_reader
//! integer
//! float string
//! column_hints
//! ```

mod column_hints;
mod entropy;
mod float;
mod integer;
mod options;
mod payload;
mod payload_reader;
mod string;

pub(crate) use column_hints::{GOOD_FOR, Hints};
pub(crate) use float::hints::FloatHints;
pub(crate) use float::{Floats, put as put_floats};
pub(crate) use integer::bitmap::{PackedBits, put as put_bits};
pub(crate) use integer::{DEPTH, Numbers, long, put as put_numbers};
pub(crate) use options::Options;
pub(crate) use payload::Payload;
pub(crate) use payload_reader::Input;
pub(crate) use string::distinct::StringsRef;
pub(crate) use string::hints::StringHints;
pub use string::views::{ViewBuffer, Views};
pub(crate) use string::{PackedStrings, STRINGS, Target, put as put_strings};

#[cfg(test)]
mod tests;
