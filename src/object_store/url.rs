//! The object store of a URL.
//!
//! ```text
//! s3://bucket/key   gs://bucket/key   az://container/key   https://host/path   http://host/path   file:///path
//! ```
//! Each scheme needs the feature of its store. Keys of `s3`, `gs` and `az` are literal, `%20` included; paths of
//! `https`, `http` and `file` are percent-encoded.

use std::sync::Arc;

use ::object_store::path::Path;
use ::object_store::{ObjectStore, parse_url_opts};
use url::Url;

use crate::error::{Error, Result};

/// The prefixes of the environment variables with the regions, endpoints and keys of stores.
const PREFIXES: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// Returns the store of a URL and the path in it. Options are named as in the crate `object_store`
/// (`aws_endpoint`); options of other stores are ignored. A URL of plain http is allowed.
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
    let literal = literal_key(url);
    let url = Url::parse(url).map_err(|e| Error::invalid(format!("{url:?}: {e}")))?;
    let plain = url.scheme() == "http";
    let plain = plain.then(|| ("allow_http".to_owned(), "true".to_owned()));
    let options: Vec<_> = options.into_iter().chain(plain).collect();
    options.iter().try_for_each(|(name, value)| check_endpoint(&url, name, value))?;
    let (store, mut path) = parse_url_opts(&url, options)?;
    if let Some(key) = literal {
        path = Path::parse(key).map_err(|e| Error::invalid(format!("{key:?}: {e}")))?;
    }
    Ok((store.into(), path))
}

/// Returns whether the key in a URL is literal, as the tools of its store write it: `%20` is three characters. The
/// paths of other URLs are percent-encoded.
pub fn is_literal(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    LITERAL.iter().any(|literal| scheme.eq_ignore_ascii_case(literal))
}

/// Returns the literal key in a URL.
fn literal_key(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://").filter(|_| is_literal(url))?;
    Some(rest.split_once('/').map_or("", |(_, key)| key))
}

/// The schemes of such stores.
const LITERAL: [&str; 8] = ["s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss"];

/// Returns the prefix of the options for the stores of a scheme.
fn prefix_of(scheme: &str) -> &'static str {
    match scheme {
        "s3" | "s3a" => "aws_",
        "gs" => "google_",
        _ => "azure_",
    }
}

/// Fails if an endpoint is not a URL; the library would panic.
fn check_endpoint(of: &Url, name: &str, value: &str) -> Result<()> {
    let key = name.to_ascii_lowercase();
    if !key.starts_with(prefix_of(of.scheme())) || !key.contains("endpoint") {
        return Ok(());
    }
    let wrong = match Url::parse(value) {
        _ if value.is_empty() => "it is empty; unset it, or give the URL of the store".to_owned(),
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => return Ok(()),
        Ok(_) => "a URL that begins with https:// or http:// is needed".to_owned(),
        Err(e) => format!("{e}; a URL such as https://host:9000 is needed"),
    };
    Err(Error::invalid(format!("{name} = {value:?}: {wrong}")))
}

/// Returns the options in the environment: the variables that begin with `AWS_`, `GOOGLE_` or `AZURE_`.
pub fn environment() -> Vec<(String, String)> {
    let ours = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).filter(|(name, _)| ours(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "aws")]
    #[test]
    fn keys_are_literal_where_the_tools_of_the_store_take_them_so() {
        let region = || [("aws_region".to_owned(), "us-east-1".to_owned())];
        for (url, key) in [
            ("s3://bucket/a%20b.trv", "a%20b.trv"),
            ("s3://bucket/a b.trv", "a b.trv"),
            ("s3://bucket/city=Ulm%2Fb/x#1?.trv", "city=Ulm%2Fb/x#1?.trv"),
            ("s3://bucket/table/", "table"),
            ("S3://bucket", ""),
        ] {
            assert_eq!(from_url(url, region()).unwrap().1.as_ref(), key, "{url}");
        }
        assert!(from_url("s3://bucket/a/../b", region()).is_err());
    }

    #[test]
    fn urls_of_other_schemes_are_percent_encoded() {
        for (url, key) in [
            ("memory:///a%20b.trv", "a b.trv"),
            ("memory:///a b.trv", "a b.trv"),
            ("memory:///100%25.trv", "100%.trv"),
        ] {
            assert_eq!(from_url(url, []).unwrap().1.as_ref(), key, "{url}");
        }
    }

    #[cfg(feature = "aws")]
    #[test]
    fn an_endpoint_that_is_no_url_is_refused() {
        let from = |value: &str| {
            let options = [("AWS_ENDPOINT", value), ("AWS_REGION", "us-east-1")];
            let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
            from_url("s3://bucket/key", options).map(|_| ()).map_err(|e| e.to_string())
        };
        for bad in ["", "localhost:9000", "localhost", "ftp://host", "http://"] {
            assert!(from(bad).unwrap_err().contains("AWS_ENDPOINT = "), "{bad}");
        }
        for good in ["http://localhost:9000", "https://host"] {
            from(good).unwrap();
        }
    }
}
