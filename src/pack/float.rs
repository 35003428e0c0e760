//! Encodings of floating-point numbers: ALP for decimals, ALP-RD for doubles that share their high bits, dictionaries and
//! plain values.

pub(crate) mod alp;
pub(crate) mod alp_rd;
pub(crate) mod encoding;
pub(crate) mod exceptions;
pub(crate) mod width;
