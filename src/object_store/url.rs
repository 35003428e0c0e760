//! Which store a URL means.
//!
//! ```text
//! s3://bucket/key   gs://bucket/key   az://container/key   https://host/path   http://host/path   file:///path
//! ```
//! Each needs the feature that brings its store.

use std::sync::Arc;

use ::object_store::path::Path;
use ::object_store::{ObjectStore, parse_url_opts};
use url::Url;

use crate::error::{Error, Result};

/// How the names of variables begin that tell stores their regions, endpoints and keys.
const PREFIXES: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// The store of a URL, and the path there. Options are named as the crate `object_store` names them
/// (`aws_endpoint`); those of other stores are passed over. A URL of plain http is taken at its word.
///
/// ```
/// use trevni::object_store::from_url;
///
/// let (_, path) = from_url("memory:///a/b.trv", [])?;
/// assert_eq!(path.as_ref(), "a/b.trv");
/// assert!(from_url("nowhere://a/b.trv", []).is_err());
/// # Ok::<(), trevni::Error>(())
/// ```
pub fn from_url(
    url: &str,
    options: impl IntoIterator<Item = (String, String)>,
) -> Result<(Arc<dyn ObjectStore>, Path)> {
    let url = Url::parse(url).map_err(|e| Error::invalid(format!("{url:?}: {e}")))?;
    let plain = url.scheme() == "http";
    let plain = plain.then(|| ("allow_http".to_owned(), "true".to_owned()));
    let (store, path) = parse_url_opts(&url, options.into_iter().chain(plain))?;
    Ok((store.into(), path))
}

/// The options that the environment has for stores: the variables that begin `AWS_`, `GOOGLE_` and `AZURE_`.
pub fn environment() -> Vec<(String, String)> {
    let ours = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).filter(|(name, _)| ours(name)).collect()
}
