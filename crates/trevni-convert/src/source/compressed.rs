//! Detects compressed input by its first bytes, and decompresses it.
//!
//! ```text
//! 1f 8b 08      gzip, of any number of members        42 5a 68 '1'..'9'     bzip2
//! 28 b5 2f fd   zstd                                  fd 37 7a 58 5a 00     xz
//! ```

use std::io::Read;
#[cfg(feature = "gzip")]
use std::io::{self, BufRead, BufReader};

use trevni::Result;

/// The extensions of compressed files, after that of the content.
pub(super) const EXTENSIONS: [&str; 5] = ["gz", "gzip", "zst", "bz2", "xz"];

/// Memory that xz may take; the strongest preset takes an eighth of it.
#[cfg(feature = "xz")]
const XZ_MEMORY: u64 = 512 << 20;

/// A compression of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

type Input = Box<dyn Read + Send>;

impl Compression {
    /// Returns how a stream is compressed that begins so.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 0x08, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    /// Returns the bytes that were compressed.
    #[allow(unused_variables, reason = "without any of the features nothing is read")]
    pub(super) fn decoder(self, input: Input) -> Result<Input> {
        match self {
            #[cfg(feature = "gzip")]
            Self::Gzip => Ok(Box::new(GzipMembers::new(input))),
            #[cfg(not(feature = "gzip"))]
            Self::Gzip => Err(lacks("gzip")),
            #[cfg(feature = "zstd")]
            Self::Zstd => Ok(Box::new(zstd::Decoder::new(input)?)),
            #[cfg(not(feature = "zstd"))]
            Self::Zstd => Err(lacks("zstd")),
            #[cfg(feature = "bzip2")]
            Self::Bzip2 => Ok(Box::new(bzip2::read::MultiBzDecoder::new(input))),
            #[cfg(not(feature = "bzip2"))]
            Self::Bzip2 => Err(lacks("bzip2")),
            #[cfg(feature = "xz")]
            Self::Xz => {
                let flags = liblzma::stream::CONCATENATED;
                let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, flags);
                let stream = stream.map_err(std::io::Error::other)?;
                Ok(Box::new(liblzma::read::XzDecoder::new_stream(input, stream)))
            }
            #[cfg(not(feature = "xz"))]
            Self::Xz => Err(lacks("xz")),
        }
    }
}

/// The members of a gzip file, one after another. Zeros may follow the last, as tapes have them.
#[cfg(feature = "gzip")]
struct GzipMembers {
    /// `None` at the end.
    member: Option<flate2::bufread::GzDecoder<BufReader<Input>>>,
}

#[cfg(feature = "gzip")]
impl GzipMembers {
    fn new(input: Input) -> Self {
        let input = BufReader::with_capacity(1 << 16, input);
        Self { member: Some(flate2::bufread::GzDecoder::new(input)) }
    }
}

#[cfg(feature = "gzip")]
impl Read for GzipMembers {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let n = member.read(into)?;
            if n > 0 || into.is_empty() {
                return Ok(n);
            }
            let Some(mut input) = self.member.take().map(|member| member.into_inner()) else {
                return Ok(0);
            };
            match after_zeros(&mut input)? {
                None => return Ok(0),
                Some([0x1f, 0x8b]) => {
                    self.member = Some(flate2::bufread::GzDecoder::new(input));
                }
                Some([first, _]) => {
                    let what = format!(
                        "byte 0x{first:02x} follows the gzip data, and begins no more of it: the file is damaged, or other \
                         bytes were appended"
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
        }
    }
}

/// Moves to the next byte that is not zero. Returns it and the next one; `None` at the end.
#[cfg(feature = "gzip")]
fn after_zeros(input: &mut impl BufRead) -> io::Result<Option<[u8; 2]>> {
    loop {
        let piece = input.fill_buf()?;
        if piece.is_empty() {
            return Ok(None);
        }
        let zeros = piece.iter().take_while(|byte| **byte == 0).count();
        if let Some(first) = piece.get(zeros).copied() {
            // The second may be in the next piece: the decoder checks it.
            let second = piece.get(zeros + 1).copied().unwrap_or(0x8b);
            input.consume(zeros);
            return Ok(Some([first, second]));
        }
        input.consume(zeros);
    }
}

/// Returns what a build cannot read.
#[cfg(not(all(feature = "gzip", feature = "zstd", feature = "bzip2", feature = "xz")))]
fn lacks(feature: &str) -> trevni::Error {
    let what = format!("{feature} in front of rows needs the feature `{feature}`");
    trevni::Error::unsupported(what)
}
