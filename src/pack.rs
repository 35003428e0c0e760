//! `pack`: the value codec. It chooses an encoding for the values of each block, and decodes them straight into
//! buffers: all of them, a range, or the values at given positions.
//!
//! ```text
//! payload   form byte │ how the rows are filled │ values
//! values    numbers │ bits │ floats │ strings            each a kind byte and its parts, numbers within numbers
//! ```
//! `spec/pack.md` specifies every bit, and a second implementation follows it. Any bytes give values or an error:
//! counts are compared with the bytes that exist, codes with their dictionaries, and nothing is indexed.
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
pub(crate) use string::distinct::{Distinct, StringsRef};
pub(crate) use string::hints::StringHints;
pub use string::view_dictionary::ViewDictionary;
pub use string::views::{ViewBuffer, Views};
pub(crate) use string::{PackedStrings, STRINGS, Target, put as put_strings};

#[cfg(test)]
mod tests;
