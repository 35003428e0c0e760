//! Dictionaries, run-end encoded arrays and Avro enums: the values that they stand for, and back.

pub(crate) mod encode;
pub(crate) mod encoded_arrays;
pub(crate) mod enum_symbols;
