//! A file of one chunk: `__0.blp`.
//!
//! ```text
//!  0  "blpk", 1, three zeros     a header of its own, 16 bytes; not that of Bloscpack files
//!  8  int64 1                    chunks that follow; low byte first
//! 16  the chunk                  of the first generation; bytes after it are ignored
//! ```
//! bcolz skips the header without checking it, and reads one chunk. So does this.

use bytes::Bytes;

use crate::chunk::Header;
use trevni::{Error, ErrorKind, Result};

/// The header before the chunk.
pub(super) const HEADER: [u8; 16] = *b"blpk\x01\0\0\0\x01\0\0\0\0\0\0\0";

/// Returns the name of the file of a chunk.
pub(super) fn name(number: u64) -> String {
    format!("__{number}.blp")
}

/// Returns the chunk that a name is of.
pub(super) fn number(file: &str) -> Option<u64> {
    let digits = file.strip_prefix("__")?.strip_suffix(".blp")?;
    digits.parse().ok().filter(|number| name(*number) == file)
}

/// Returns the chunk in the content of a file, or in a prefix that must contain it.
pub(super) fn parse(path: &str, bytes: &Bytes) -> Result<Bytes> {
    let chunk = bytes.get(HEADER.len()..).unwrap_or_default();
    let header = Header::parse(chunk).map_err(|e| in_file(path, e))?;
    let cbytes = usize::try_from(header.cbytes).ok();
    match cbytes.and_then(|cbytes| chunk.get(..cbytes)) {
        Some(chunk) => Ok(bytes.slice_ref(chunk)),
        None => {
            let (there, cbytes) = (chunk.len(), header.cbytes);
            Err(Error::malformed(format!("{path}: {there} bytes of a chunk of {cbytes}")))
        }
    }
}

/// Adds the path of a file to an error; the offset within it is dropped.
pub(super) fn in_file(place: &str, e: Error) -> Error {
    let text = e.kind().to_string();
    match e.kind() {
        ErrorKind::Io(_) => e,
        ErrorKind::Unsupported(what) => Error::unsupported(format!("{place}: {what}")),
        _ => {
            let what = text.strip_prefix("malformed: ").unwrap_or(&text);
            Error::malformed(format!("{place}: {what}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        for chunk in [0, 1, 10, u64::MAX] {
            assert_eq!(number(&name(chunk)), Some(chunk));
        }
        for other in
            ["__01.blp", "__+1.blp", "__1__.bin", "_1.blp", "__.blp", "__18446744073709551616.blp"]
        {
            assert_eq!(number(other), None);
        }
    }

    #[test]
    fn a_file_that_is_cut_says_its_name() {
        let chunk = b"\x02\x01\x33\x08\0\0\0\0\x01\0\0\0\x10\0\0\0";
        let whole: Bytes = [&HEADER[..], chunk, b"more"].concat().into();
        assert_eq!(parse("x", &whole).unwrap(), &chunk[..]);
        for len in 0..32 {
            let e = parse("data/__0.blp", &whole.slice(..len)).unwrap_err().to_string();
            assert!(e.starts_with("malformed: data/__0.blp: "), "{e}");
        }
    }
}
