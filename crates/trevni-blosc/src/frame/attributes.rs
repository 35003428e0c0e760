//! User attributes: the variable-length metalayers of the trailer, as JSON.
//!
//! ```text
//! name   chunk [ MessagePack of one value ]
//! ```
//! Values that are no MessagePack are bytes without a meaning. One that an edit does not change keeps the bytes it has,
//! whatever JSON makes of them.

use bytes::Bytes;
use serde_json::Value;

use super::metalayer::Metalayer;
use crate::chunk::{Decoder, Encoder, Generation, Header, Params};
use crate::{Attributes, Compressor, msgpack};
use trevni::{Error, Result};

/// The most bytes that a value may have on the word of a few.
const MOST: u64 = 1 << 20;

/// The maximum ratio of a decompressed value to its stored size.
const RATIO: u64 = 64;

/// Opens the metalayers of a trailer.
///
/// # Errors
/// Those of their chunks; `TooLarge` if few bytes claim very many.
pub(super) fn open(layers: &[Metalayer]) -> Result<Attributes> {
    let mut decoder = Decoder::default();
    let named = |layer: &Metalayer, e| {
        Error::malformed(format!("value of the metalayer {:?}: {e}", layer.name))
    };
    let mut one =
        |layer: &Metalayer| Ok((layer.name.clone(), value(&mut decoder, &layer.content)?));
    layers.iter().map(|layer| one(layer).map_err(|e: Error| named(layer, e))).collect()
}

fn value(decoder: &mut Decoder, chunk: &[u8]) -> Result<Value> {
    let nbytes = Header::parse(chunk)?.nbytes;
    let limit = MOST.max((chunk.len() as u64).saturating_mul(RATIO));
    if u64::from(nbytes) > limit {
        return Err(Error::too_large("attribute", nbytes.into(), limit));
    }
    let mut bytes = vec![0; usize::try_from(nbytes).unwrap_or(0)];
    decoder.decode(chunk, &mut bytes)?;
    Ok(msgpack::to_json(&bytes).unwrap_or_else(|_| msgpack::opaque(&bytes)))
}

/// Returns the metalayers for `new`; unchanged values are copied from `old`.
///
/// # Errors
/// `Invalid` if a value is larger than a chunk can be.
pub(super) fn seal(
    new: &Attributes,
    old: &Attributes,
    layers: &[Metalayer],
) -> Result<Vec<Metalayer>> {
    let mut encoder = Encoder::new(&params())?;
    let kept = |name: &str, value: &Value| {
        let same = old.get(name) == Some(value);
        layers.iter().rev().find(|layer| same && layer.name == *name).cloned()
    };
    let mut one = |(name, value): (&String, &Value)| match kept(name, value) {
        Some(layer) => Ok(layer),
        None => Ok(Metalayer { name: name.clone(), content: packed(&mut encoder, value)? }),
    };
    new.iter().map(&mut one).collect()
}

fn packed(encoder: &mut Encoder, value: &Value) -> Result<Bytes> {
    let mut bytes = Vec::new();
    msgpack::put_json(&mut bytes, value)?;
    let mut chunk = Vec::new();
    encoder.encode(&bytes, &mut chunk)?;
    Ok(chunk.into())
}

/// As python-blosc2 packs them.
fn params() -> Params {
    Params { compressor: Compressor::Zstd, ..Params::new(Generation::Blosc2, 1) }
}
