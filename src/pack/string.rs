//! Encodings of strings: dictionaries, FSST, templates with numbers, decimal integers, byte groups and plain bytes.

pub(crate) mod byte_groups;
pub(crate) mod decimal_strings;
pub(crate) mod dictionary;
pub(crate) mod distinct;
pub(crate) mod encoding;
pub(crate) mod fsst;
pub(crate) mod template;
pub(crate) mod views;
