//! Plain encoding: values one after another, as the specification writes them.

pub(crate) mod decode;
pub(crate) mod encode;
