//! `meta/sizes`: the shape and the sizes in bytes.
//!
//! ```text
//! meta/sizes   {"shape": [807], "nbytes": 6456, "cbytes": 3022}     bcolz, Blaze; YAML in the RFC
//! meta/shape   (300, 200)                                           carray: the shape alone
//! ```
//! Only the shape decides. `nbytes` follows from it, and `cbytes` is bookkeeping: bcolz counts the bytes of its
//! full chunks and one chunk uncompressed, and loses count when it trims.

use serde_json::Value;

use super::meta::{Meta, as_counts, parse_value};
use crate::json;
use trevni::{Error, Result};

/// The file, in its folder.
pub(super) const SIZES: &str = "meta/sizes";

/// What it is in carray's proposal.
pub(super) const SHAPE: &str = "meta/shape";

/// How much there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// The shape; the first is the number of rows.
    pub(super) shape: Vec<u64>,
    /// Bytes of the elements.
    pub(super) nbytes: u64,
    /// The stored size of the chunks, as bcolz counts it; `None` if there are none.
    pub(super) cbytes: Option<u64>,
}

impl Sizes {
    /// Reads `meta/sizes`.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let meta = Meta::parse(file, bytes)?;
        let shape = meta.counts("shape")?.ok_or_else(|| meta.wrong("shape", "a list of counts"))?;
        Ok(Self {
            shape,
            nbytes: meta.count("nbytes").ok().flatten().unwrap_or(0),
            cbytes: meta.count("cbytes").ok().flatten(),
        })
    }

    /// Reads `meta/shape`.
    pub(super) fn parse_shape(file: &str, bytes: &[u8]) -> Result<Self> {
        let value = parse_value(file, bytes)?;
        let shape = as_counts(&value)
            .ok_or_else(|| Error::malformed(format!("{file}: no list of counts")))?;
        Ok(Self { shape, nbytes: 0, cbytes: None })
    }

    /// Returns the bytes of `meta/sizes`.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let shape = json::text(&Value::from(self.shape.clone()), json::BLANKS);
        let cbytes = self.cbytes.unwrap_or(0);
        format!("{{\"shape\": {shape}, \"nbytes\": {}, \"cbytes\": {cbytes}}}\n", self.nbytes)
            .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_writing() {
        let bytes = b"{\"shape\": [807, 2], \"nbytes\": 6456, \"cbytes\": 3022}\n";
        let sizes = Sizes::parse("x", bytes).unwrap();
        assert_eq!(sizes, Sizes { shape: vec![807, 2], nbytes: 6456, cbytes: Some(3022) });
        assert_eq!(sizes.to_bytes(), bytes);
        let yaml = b"shape: (807, 2)\nnbytes: 6456\ncbytes: 3022\n";
        assert_eq!(Sizes::parse("x", yaml).unwrap(), sizes);
        assert_eq!(Sizes::parse_shape("x", b"(807, 2)\n").unwrap().shape, [807, 2]);
        let odd =
            Sizes::parse("x", b"{\"shape\": 5, \"cbytes\": -1, \"nbytes\": \"many\"}").unwrap();
        assert_eq!(odd, Sizes { shape: vec![5], nbytes: 0, cbytes: None });
        for hostile in
            ["{}", "{\"shape\": [-1]}", "{\"shape\": \"x\"}", "{\"shape\": [1e99]}", "[]", ""]
        {
            assert!(Sizes::parse("x", hostile.as_bytes()).is_err(), "{hostile}");
        }
        assert!(Sizes::parse_shape("x", b"(1, x)").is_err());
    }
}
