//! `pack`: the value codec. It packs the values of a block, each kind of value in the form that takes least, and
//! brings them straight back into buffers, any range of them, or those at any places.
//!
//! ```text
//! payload   form byte │ how the rows are filled │ values
//! values    numbers │ bits │ floats │ strings            each a kind byte and its parts, numbers within numbers
//! ```
//! A second implementation finds every bit in `spec/pack.md`. Whatever the bytes are, they give values or an error:
//! counts are compared with what is there, codes with their dictionaries, and nothing is indexed.

mod alp;
mod alp_rd;
mod bits;
mod choose;
mod chunks;
mod counted;
mod dictionary;
mod distinct;
mod entries;
mod exceptions;
mod factor;
mod floats;
mod frequencies;
mod frequent;
mod fsst;
mod groups;
mod hints;
mod input;
mod integers;
mod numbers;
mod payload;
mod real;
mod row;
mod spread;
mod strings;
mod template;
mod views;

pub(crate) use bits::{PackedBits, put as put_bits};
pub(crate) use distinct::StringsRef;
pub(crate) use floats::{Floats, put as put_floats};
pub(crate) use hints::{GOOD_FOR, Hints, Options};
pub(crate) use input::Input;
pub(crate) use numbers::{DEPTH, Numbers, long, put as put_numbers};
pub(crate) use payload::Payload;
pub(crate) use strings::{PackedStrings, STRINGS, Target, put as put_strings};
pub use views::{ViewBuffer, Views};

#[cfg(test)]
mod tests;
