//! Decodes and encodes rows in Avro's binary encoding as record batches.

pub(crate) mod decoder;
mod defaults;
pub(crate) mod encoder;
mod resolve;
mod skip;
mod union_branch;
