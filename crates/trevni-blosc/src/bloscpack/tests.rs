//! Complete files: those of the reference, changed and damaged ones, and those of the documents.

#![allow(clippy::cast_possible_truncation)]

mod changes;
mod damage;
mod documents;
mod golden;
mod spec;

use super::*;
use crate::array::{Attributes, Build};
use crate::chunk::{Decoder, Encoder, Header as ChunkHeader};

/// Returns parameters for elements of this size.
fn params_of(typesize: u8) -> Params {
    Params::new(Generation::Blosc1, typesize)
}

/// Returns the chunk of these bytes.
fn encoded(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new(&params_of(4)).unwrap().encode(data, &mut out).unwrap();
    out
}

fn decoded(chunk: &[u8]) -> Vec<u8> {
    let mut out = vec![0; ChunkHeader::parse(chunk).unwrap().nbytes as usize];
    Decoder::default().decode(chunk, &mut out).unwrap();
    out
}

/// Returns all bytes of all chunks.
fn content(file: &Bloscpack) -> Vec<u8> {
    let chunks = 0..file.layout().chunks;
    chunks.flat_map(|number| decoded(&file.chunk(number).unwrap())).collect()
}

/// Returns the array of the layout, for a builder; nothing for bytes.
fn array_of(file: &Bloscpack) -> Option<(Dtype, Order)> {
    file.described.as_ref().map(|d| (d.dtype.clone(), d.order))
}

/// Returns the file of these chunks, in memory.
fn built(
    array: Option<(Dtype, Order)>,
    typesize: u8,
    properties: BloscpackProperties,
    chunks: &[Vec<u8>],
    shape: &[u64],
    attributes: &Attributes,
) -> Result<Vec<u8>> {
    let mut builder = BloscpackBuilder::new(Vec::new(), array, &params_of(typesize), properties)?;
    chunks.iter().try_for_each(|chunk| builder.push_chunk(chunk))?;
    builder.finish_into(shape, attributes)
}
