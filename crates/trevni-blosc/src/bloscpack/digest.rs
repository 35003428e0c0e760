//! Checksums of chunks and of the metadata.
//!
//! ```text
//! id  name     bytes
//!  0  None      0
//!  1  adler32   4   low byte first
//!  2  crc32     4   low byte first
//!  3  md5      16
//!  4  sha1     20
//!  5  sha224   28
//!  6  sha256   32
//!  7  sha384   48
//!  8  sha512   64
//! ```
//! The checksum of a chunk covers the stored chunk with its header; that of the metadata covers the used bytes,
//! without the reserved room after them.

use md5::{Digest as _, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use trevni::{Error, ErrorKind, Result};

/// The checksum of stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Digest {
    /// Not at all.
    None,
    /// Adler-32, as zlib has it.
    #[default]
    Adler32,
    /// CRC-32, as zlib has it.
    Crc32,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-224.
    Sha224,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

struct Algorithm {
    digest: Digest,
    name: &'static str,
    size: usize,
    of: fn(&[u8]) -> Vec<u8>,
}

/// In the order of their numbers.
#[rustfmt::skip]
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm { digest: Digest::None, name: "None", size: 0, of: |_| Vec::new() },
    Algorithm { digest: Digest::Adler32, name: "adler32", size: 4, of: |b| simd_adler32::adler32(&b).to_le_bytes().to_vec() },
    Algorithm { digest: Digest::Crc32, name: "crc32", size: 4, of: |b| crc32fast::hash(b).to_le_bytes().to_vec() },
    Algorithm { digest: Digest::Md5, name: "md5", size: 16, of: |b| Md5::digest(b).to_vec() },
    Algorithm { digest: Digest::Sha1, name: "sha1", size: 20, of: |b| Sha1::digest(b).to_vec() },
    Algorithm { digest: Digest::Sha224, name: "sha224", size: 28, of: |b| Sha224::digest(b).to_vec() },
    Algorithm { digest: Digest::Sha256, name: "sha256", size: 32, of: |b| Sha256::digest(b).to_vec() },
    Algorithm { digest: Digest::Sha384, name: "sha384", size: 48, of: |b| Sha384::digest(b).to_vec() },
    Algorithm { digest: Digest::Sha512, name: "sha512", size: 64, of: |b| Sha512::digest(b).to_vec() },
];

impl Digest {
    /// Returns the name in the peers' words: `None`, `adler32`, `crc32`, `md5`, `sha1`, `sha224`, `sha256`, `sha384`,
    /// `sha512`.
    pub fn name(self) -> &'static str {
        self.algorithm().map_or("None", |a| a.name)
    }

    /// Returns the checksum of a name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = ALGORITHMS.iter().find(|a| a.name == name);
        found
            .map(|a| a.digest)
            .ok_or_else(|| Error::unsupported(format!("Bloscpack checksum {name:?}")))
    }

    /// Returns the number in headers.
    pub(crate) fn number(self) -> u8 {
        self as u8
    }

    /// Returns the checksum of a number.
    pub(crate) fn from_number(number: u8) -> Result<Self> {
        let found = ALGORITHMS.iter().find(|a| a.digest.number() == number);
        found
            .map(|a| a.digest)
            .ok_or_else(|| Error::unsupported(format!("Bloscpack checksum number {number}")))
    }

    /// Returns how many bytes it has.
    pub fn size(self) -> usize {
        self.algorithm().map_or(0, |a| a.size)
    }

    /// Returns the checksum of these bytes.
    pub(crate) fn of(self, bytes: &[u8]) -> Vec<u8> {
        self.algorithm().map_or_else(Vec::new, |a| (a.of)(bytes))
    }

    /// Fails unless `stored` is the checksum of these bytes.
    pub(crate) fn check(self, bytes: &[u8], stored: &[u8]) -> Result<()> {
        let computed = self.of(bytes);
        if computed == stored {
            return Ok(());
        }
        Err(match (<[u8; 4]>::try_from(stored), <[u8; 4]>::try_from(computed.as_slice())) {
            (Ok(stored), Ok(computed)) => Error::new(ErrorKind::Checksum {
                stored: u32::from_le_bytes(stored),
                computed: u32::from_le_bytes(computed),
            }),
            _ => Error::malformed(format!(
                "{} mismatch: stored {}, computed {}",
                self.name(),
                hex(stored),
                hex(&computed)
            )),
        })
    }

    fn algorithm(self) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|a| a.digest == self)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digests of "abc", from the standards and zlib.
    const OF_ABC: [&str; 9] = [
        "",
        "27014d02",
        "c2412435",
        "900150983cd24fb0d6963f7d28e17f72",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ];

    #[test]
    fn numbers_names_sizes_and_values_agree() {
        for (number, expected) in (0u8..).zip(OF_ABC) {
            let digest = Digest::from_number(number).unwrap();
            assert_eq!(digest.number(), number);
            assert_eq!(Digest::from_name(digest.name()).unwrap(), digest);
            assert_eq!(hex(&digest.of(b"abc")), expected, "{}", digest.name());
            assert_eq!(digest.size() * 2, expected.len());
            digest.check(b"abc", &digest.of(b"abc")).unwrap();
        }
        assert!(Digest::from_number(9).unwrap_err().to_string().contains("number 9"));
        assert!(Digest::from_name("crc-32").is_err());
    }

    #[test]
    fn a_mismatch_shows_both() {
        let e = Digest::Crc32.check(b"abc", &[1, 0, 0, 0]).unwrap_err();
        assert_eq!(e.to_string(), "checksum mismatch: stored 00000001, computed 352441c2");
        let e = Digest::Md5.check(b"abc", &[0xab; 16]).unwrap_err();
        assert!(e.to_string().contains("md5 mismatch: stored abab"), "{e}");
        assert!(e.to_string().ends_with("computed 900150983cd24fb0d6963f7d28e17f72"), "{e}");
        assert!(Digest::Md5.check(b"abc", &[]).is_err());
    }
}
