//! The two forms of a directory: bcolz and super-chunk.
//!
//! ```text
//! bcolz        data/__0.blp, data/__1.blp, ...      one chunk each; the format of bcolz 1.2
//! superchunk   data/__1__.bin, data/__2__.bin, ...  several chunks each; the proposals of bcolz, carray and Blaze
//! ```

use std::fmt;

use super::excerpt;
use trevni::{Error, Result};

/// The format of the chunk files of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectoryFormat {
    /// One chunk in a file.
    #[default]
    Bcolz,
    /// Several.
    Superchunk(Superchunks),
}

/// How superchunks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Superchunks {
    /// The maximum number of chunks of a file; 0: as many as have 16 MiB of uncompressed data.
    pub chunks: u64,
    /// The free room after each chunk.
    pub slack: Slack,
}

/// Free room after each chunk, in which it can grow without moving others. bloscpack only reads superchunks without
/// any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slack {
    /// A number of bytes.
    Bytes(u64),
    /// A percentage of the chunk.
    Percent(u64),
}

impl DirectoryFormat {
    /// Returns the form of a name: `bcolz` or `superchunk`.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "bcolz" => Ok(DirectoryFormat::Bcolz),
            "superchunk" => Ok(DirectoryFormat::Superchunk(Superchunks::default())),
            _ => Err(Error::invalid(format!(
                "form {}; there are bcolz and superchunk",
                excerpt::text(name)
            ))),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        match self {
            DirectoryFormat::Bcolz => "bcolz",
            DirectoryFormat::Superchunk(_) => "superchunk",
        }
    }
}

impl Default for Slack {
    fn default() -> Self {
        Slack::Bytes(0)
    }
}

impl Slack {
    /// Returns the slack of a text: `128` or `10%`.
    pub fn parse(text: &str) -> Result<Self> {
        let (digits, slack): (_, fn(u64) -> Self) = match text.strip_suffix('%') {
            Some(digits) => (digits, Slack::Percent),
            None => (text, Slack::Bytes),
        };
        let number = digits.trim().parse();
        number.map(slack).map_err(|_| Error::invalid(format!("slack {}", excerpt::text(text))))
    }

    /// Returns the free room after a chunk of this length; at most 2 GiB.
    pub(super) fn behind(self, len: usize) -> usize {
        let bytes = match self {
            Slack::Bytes(bytes) => bytes,
            Slack::Percent(percent) => (len as u64).saturating_mul(percent).div_ceil(100),
        };
        usize::try_from(bytes.min(0x7fff_ffff)).unwrap_or(0)
    }
}

impl fmt::Display for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slack::Bytes(bytes) => write!(f, "{bytes}"),
            Slack::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts() {
        for name in ["bcolz", "superchunk"] {
            assert_eq!(DirectoryFormat::from_name(name).unwrap().name(), name);
        }
        assert!(DirectoryFormat::from_name("carray").is_err());
        for (text, of_205) in
            [("0", 0), ("128", 128), ("10%", 21), ("18446744073709551615%", 0x7fff_ffff)]
        {
            let slack = Slack::parse(text).unwrap();
            assert_eq!((slack.to_string().as_str(), slack.behind(205)), (text, of_205));
        }
        assert!(Slack::parse("-1").is_err() && Slack::parse("x%").is_err());
    }
}
