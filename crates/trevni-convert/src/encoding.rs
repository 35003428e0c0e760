//! Decodes text of any encoding to UTF-8, with the crate `encoding_rs`.
//!
//! ```text
//! EF BB BF  a b c      ──► a b c          byte-order marks are left out
//! FF FE  61 00 62 00   ──► a b            UTF-16 is known by its mark
//! e9, as windows-1252  ──► c3 a9          otherwise the given encoding, or UTF-8
//! ```

use std::io::{self, Read};
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult, UTF_8, UTF_16BE, UTF_16LE};

use trevni::{Error, Result};

/// A character encoding, such as UTF-8 or Latin-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl FromStr for Encoding {
    type Err = Error;

    /// Returns the encoding of a name, such as `utf-8`, `latin-1`, `windows-1252`, `utf-16le` or any other that
    /// browsers know. As with browsers, `latin-1` is windows-1252.
    fn from_str(name: &str) -> Result<Self> {
        let label = match name.to_ascii_lowercase().as_str() {
            "latin-1" | "latin_1" => "latin1".to_owned(),
            "utf8" => "utf-8".to_owned(),
            "utf16" => "utf-16".to_owned(),
            other => other.to_owned(),
        };
        let found = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
        found.map(Self).ok_or_else(|| {
            Error::invalid(format!(
                "no encoding {name:?}: there are utf-8, utf-16le, utf-16be, latin-1, windows-1252 and others"
            ))
        })
    }
}

/// Returns whether bytes begin with the mark of UTF-16.
#[cfg(feature = "csv")]
pub(super) fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff])
}

/// Text as UTF-8. Bytes that were UTF-8 before are not checked.
pub(super) fn decode(
    mut input: Box<dyn Read + Send>,
    encoding: Option<Encoding>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::new();
    input.by_ref().take(3).read_to_end(&mut head)?;
    let given = encoding.map(|encoding| encoding.0);
    let is_utf16 = |encoding| encoding == UTF_16LE || encoding == UTF_16BE;
    // The byte-order mark of another encoding than the given one is text.
    let is_mark =
        |found| given.is_none_or(|given| given == found || (is_utf16(given) && is_utf16(found)));
    let marked = encoding_rs::Encoding::for_bom(&head).filter(|(found, _)| is_mark(found));
    let (encoding, mark) = marked.unwrap_or((given.unwrap_or(UTF_8), 0));
    let rest = head.split_off(mark.min(head.len()));
    let input = Box::new(io::Cursor::new(rest).chain(input));
    if encoding == UTF_8 {
        return Ok(input);
    }
    let decoder = encoding.new_decoder_without_bom_handling();
    Ok(Box::new(Decoded {
        input,
        decoder,
        bytes: Window::new(),
        text: Window::new(),
        ended: false,
    }))
}

/// Bytes of a buffer that have not been taken.
struct Window {
    buffer: Vec<u8>,
    from: usize,
    to: usize,
}

impl Window {
    fn new() -> Self {
        Self { buffer: vec![0; 1 << 16], from: 0, to: 0 }
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.get(self.from..self.to).unwrap_or_default()
    }
}

struct Decoded<R> {
    input: R,
    decoder: Decoder,
    bytes: Window,
    text: Window,
    ended: bool,
}

impl<R: Read> Decoded<R> {
    /// Decodes more text, if there is any.
    fn fill(&mut self) -> io::Result<()> {
        let mut is_last = false;
        if self.bytes.from == self.bytes.to {
            let read = self.input.read(&mut self.bytes.buffer)?;
            (self.bytes.from, self.bytes.to, is_last) = (0, read, read == 0);
        }
        let (bytes, text) = (self.bytes.bytes(), &mut self.text.buffer);
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(bytes, text, is_last);
        self.bytes.from += read;
        (self.text.from, self.text.to) = (0, written);
        self.ended = is_last && result != DecoderResult::OutputFull;
        match result {
            DecoderResult::Malformed(..) => {
                let what = format!("the text is not {}", self.decoder.encoding().name());
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.text.bytes().is_empty() && !self.ended {
            self.fill()?;
        }
        let read = self.text.bytes().read(into)?;
        self.text.from += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], encoding: Option<&str>) -> io::Result<String> {
        let encoding = encoding.map(|name| name.parse().unwrap());
        let mut text = String::new();
        decode(Box::new(io::Cursor::new(bytes.to_vec())), encoding)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn text_is_decoded() {
        let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(bytes).collect()
        };
        let text = "a,é,日本,😀\n".repeat(30_000);
        let (le, be) = (utf16(&text, u16::to_le_bytes), utf16(&text, u16::to_be_bytes));
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for (bytes, encoding) in [
            (text.clone().into_bytes(), None),
            (text.clone().into_bytes(), Some("utf8")),
            (marked(b"\xef\xbb\xbf", text.as_bytes()), None),
            (marked(b"\xef\xbb\xbf", text.as_bytes()), Some("utf-8")),
            (marked(b"\xff\xfe", &le), None),
            (marked(b"\xfe\xff", &be), None),
            (marked(b"\xfe\xff", &be), Some("utf-16")),
            (le, Some("utf-16le")),
            (be, Some("UTF-16BE")),
        ] {
            assert!(decoded(&bytes, encoding).unwrap() == text, "{encoding:?}");
        }
        for (bytes, encoding, expected) in [
            (&b"caf\xe9 \x80"[..], Some("latin-1"), "café €"),
            (b"caf\xe9", Some("windows-1252"), "café"),
            (b"\xff\xfe", Some("windows-1252"), "ÿþ"),
            (b"\x83e\x83X\x83g", Some("shift_jis"), "テスト"),
            (b"", None, ""),
            (b"", Some("utf-16"), ""),
            (b"a", None, "a"),
        ] {
            assert_eq!(decoded(bytes, encoding).unwrap(), expected, "{encoding:?}");
        }
        let e = decoded(b"a\0b", Some("utf-16le")).unwrap_err();
        assert_eq!(e.to_string(), "the text is not UTF-16LE");
        assert!("klingon".parse::<Encoding>().is_err());
    }
}
