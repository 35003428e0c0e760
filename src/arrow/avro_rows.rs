//! Rows of Avro's binary encoding to and from record batches, by an Avro schema.

pub(crate) mod decoder;
mod defaults;
pub(crate) mod encoder;
mod resolve;
mod skip;
mod union_branch;
