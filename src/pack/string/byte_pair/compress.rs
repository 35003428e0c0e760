//! Compresses strings to the codes of tokens.

use super::CodeWriter;
use super::matcher::{Matcher, word};
use crate::pack::string::distinct::StringsRef;

/// The tokens of a table, to be found in texts.
pub(crate) struct BytePairCompressor {
    pub(super) matcher: Matcher,
    pub(super) width: u32,
}

impl BytePairCompressor {
    /// Appends the codes of a group of strings, up to the end of a byte.
    pub(crate) fn compress(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) {
        let mut codes = CodeWriter::new(self.width, out);
        for (string, mut rest) in strings.rests() {
            let mut length = string.len();
            while length > 0 {
                let (token, taken) = self.matcher.longest(word(rest), length);
                codes.push(token);
                rest = rest.get(taken..).unwrap_or_default();
                length = length.saturating_sub(taken);
            }
        }
        codes.finish();
    }
}

impl std::fmt::Debug for BytePairCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BytePairCompressor").field("width", &self.width).finish_non_exhaustive()
    }
}
