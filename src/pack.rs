//! `pack`: the value codec. It packs the values of a block, each kind of value in the form that takes least, and
//! brings them straight back into buffers, any range of them.
//!
//! ```text
//! payload   form byte │ how the rows are filled │ values
//! values    numbers │ bits │ floats │ strings            each a kind byte and its parts, numbers within numbers
//! ```
//! A second implementation finds every bit in `spec/pack.md`. Whatever the bytes are, they give values or an error:
//! counts are compared with what is there, codes with their dictionaries, and nothing is indexed.

mod bits;
mod choose;
mod chunks;
mod input;
mod numbers;
mod row;

#[cfg(test)]
mod tests;
