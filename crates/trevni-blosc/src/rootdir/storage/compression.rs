//! Compression parameters, in the terms of bcolz and of the proposals.
//!
//! ```text
//! "cparams": {"clevel": 5, "shuffle": 1, "cname": "lz4", "quantize": 0}      shuffle: 0, 1, 2 (bits); true, false
//! compression: {library: blosclz, level: 5, filters: [shuffle, truncate]}    shuffle, bitshuffle; truncate undoes nothing
//! ```
//! `fastlz`, which Blosc never called its own descendant of it, is read as `blosclz`.

use serde_json::{Value, json};

use super::Storage;
use crate::chunk::Params;
use crate::json;
use crate::rootdir::excerpt;
use crate::rootdir::meta::Meta;
use crate::{Compressor, Filter};
use trevni::{Error, Result};

/// Returns the parameters and the digits that floats were rounded to.
pub(super) fn parse(meta: &Meta, params: Params) -> Result<(Params, u64)> {
    if let Some(inner) = meta.inner("compression")? {
        return Ok((parse_compression(&inner, params)?, 0));
    }
    match meta.inner("cparams")? {
        Some(inner) => parse_cparams(&inner, params),
        None => Ok((params, 0)),
    }
}

fn parse_cparams(inner: &Meta, mut params: Params) -> Result<(Params, u64)> {
    params.compressor = Compressor::from_name(inner.text("cname")?.unwrap_or("blosclz"))?;
    params.level = level(inner, "clevel")?;
    let shuffle = match inner.get("shuffle") {
        Some(Value::Bool(shuffle)) => u64::from(*shuffle),
        _ => inner.count("shuffle")?.unwrap_or(1),
    };
    let filter = match shuffle {
        0 => Filter::None,
        1 => Filter::Shuffle { group: 0 },
        2 => Filter::BitShuffle,
        _ => return Err(inner.wrong("shuffle", "0, 1 or 2")),
    };
    set_filter(&mut params, filter);
    Ok((params, inner.count("quantize")?.unwrap_or(0)))
}

fn parse_compression(inner: &Meta, mut params: Params) -> Result<Params> {
    let name = inner.text("library")?.unwrap_or("blosclz");
    params.compressor = Compressor::from_name(if name == "fastlz" { "blosclz" } else { name })?;
    params.level = level(inner, "level")?;
    if let Some(filters) = inner.get("filters") {
        let filters = filters.as_array().ok_or_else(|| inner.wrong("filters", "a list"))?;
        set_filter(&mut params, Filter::None);
        for name in filters {
            match name.as_str() {
                Some("shuffle") => set_filter(&mut params, Filter::Shuffle { group: 0 }),
                Some("bitshuffle") => set_filter(&mut params, Filter::BitShuffle),
                Some("truncate") => {}
                _ => {
                    return Err(Error::unsupported(format!(
                        "filter {}",
                        excerpt::text(&name.to_string())
                    )));
                }
            }
        }
    }
    Ok(params)
}

fn level(inner: &Meta, key: &str) -> Result<u8> {
    let level = inner.count(key)?.unwrap_or(5);
    u8::try_from(level).ok().filter(|level| *level <= 9).ok_or_else(|| inner.wrong(key, "0 to 9"))
}

fn set_filter(params: &mut Params, filter: Filter) {
    let [.., last] = &mut params.filters;
    *last = filter;
}

/// Returns the value of `cparams`.
pub(super) fn to_bcolz(storage: &Storage) -> String {
    let Params { level, compressor, .. } = storage.params;
    let shuffle = match storage.params.filters {
        [.., Filter::Shuffle { .. }] => 1,
        [.., Filter::BitShuffle] => 2,
        _ => 0,
    };
    json::text(
        &json!({
            "clevel": level, "shuffle": shuffle, "cname": compressor.name(), "quantize": storage.quantize,
        }),
        json::BLANKS,
    )
}

/// Returns the value of `compression`.
pub(super) fn to_superchunk(storage: &Storage) -> Value {
    let Params { level, compressor, .. } = storage.params;
    let filters = match storage.params.filters {
        [.., Filter::Shuffle { .. }] => vec!["shuffle"],
        [.., Filter::BitShuffle] => vec!["bitshuffle"],
        _ => Vec::new(),
    };
    json!({"library": compressor.name(), "level": level, "filters": filters})
}
