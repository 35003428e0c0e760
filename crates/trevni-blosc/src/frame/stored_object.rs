//! Objects of python-blosc2 that are stored as frames, but whose elements are not their values.
//!
//! ```text
//! metalayer of the header           object
//! b2o, LazyArray                    an expression: the chunks are empty
//! proxy-source                      a copy of another array, in part; which part is in vlmetalayers
//! vlarray, batcharray, listarray    Python objects, a chunk each or several in blocks
//! b2embed, b2dict, b2tree           a store: frames within a frame
//! vlmetalayer __pack_tensor__       a tensor, with its type and shape in the vlmetalayer
//! ```

use base64::Engine;
use serde_json::Value;

use super::index::Slot;
use super::superchunk::SuperChunk;
use crate::msgpack;

/// Metalayers, and the objects that they mark.
const OBJECTS: [(&str, &str); 8] = [
    ("b2o", "an object"),
    ("LazyArray", "a lazy expression (LazyExpr)"),
    ("listarray", "a ListArray"),
    ("vlarray", "an ObjectArray"),
    ("batcharray", "a BatchArray"),
    ("b2embed", "an EmbedStore"),
    ("b2dict", "a DictStore"),
    ("b2tree", "a TreeStore"),
];

/// Returns the object that a frame stores, unless its elements are the values.
pub(super) fn name(frame: &SuperChunk) -> Option<String> {
    let layers = &frame.header.metalayers;
    let layer = |name: &str| layers.iter().find(|layer| layer.name == name);
    for (key, name) in OBJECTS {
        let Some(layer) = layer(key) else { continue };
        let content = msgpack::to_json(&layer.content).unwrap_or(Value::Null);
        let kind = content.get("kind").and_then(Value::as_str).filter(|_| key == "b2o");
        let name = match kind {
            Some("lazyexpr") => "a lazy expression (LazyExpr)".to_owned(),
            Some("lazyudf") => "a lazy function (LazyUDF)".to_owned(),
            Some(kind) => format!("{name} of kind {kind:?}"),
            None => name.to_owned(),
        };
        return Some(format!("{name} of python-blosc2"));
    }
    if frame.layout.attributes.contains_key("__pack_tensor__") {
        return Some("a tensor of python-blosc2 (pack_tensor)".to_owned());
    }
    layer("proxy-source")?;
    let (chunks, missing) = (frame.index.len(), missing_of_proxy(frame));
    (missing > 0)
        .then(|| format!("a Proxy of python-blosc2 that lacks {missing} of its {chunks} chunks"))
}

/// Returns how many chunks of a proxy are not copied, or not completely.
fn missing_of_proxy(frame: &SuperChunk) -> usize {
    let (attributes, chunks) = (&frame.layout.attributes, frame.index.len());
    let blocks = attributes.get("proxy-fetched-blocks").zip(attributes.get("proxy-fetched-bpc"));
    let blocks = blocks
        .and_then(|(bits, each)| Some((bits, usize::try_from(each.as_u64()?).ok()?)))
        .filter(|(_, each)| *each > 0);
    let bits = blocks.or_else(|| attributes.get("proxy-fetched").map(|bits| (bits, 1)));
    let Some((bits, each)) = bits else {
        // Older proxies have no bits, and no special chunks but those that are missing.
        let is_special =
            |number: &usize| !matches!(frame.index.slot(*number as u64), Some(Slot::At(_)));
        return (0..chunks).filter(is_special).count();
    };
    let bits = bytes_of(bits);
    let is_set = |bit: usize| bits.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
    // The bits bound the loop, whatever the number of blocks is.
    let is_whole = |number: usize| {
        let first = number.saturating_mul(each);
        first.saturating_add(each) <= bits.len().saturating_mul(8)
            && (first..first.saturating_add(each)).all(is_set)
    };
    (0..chunks).filter(|number| !is_whole(*number)).count()
}

/// Returns bytes of which JSON was made.
fn bytes_of(value: &Value) -> Vec<u8> {
    let base64 = value.get("base64").and_then(Value::as_str);
    match (value.as_str(), base64) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (None, Some(text)) => {
            base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default()
        }
        (None, None) => Vec::new(),
    }
}
