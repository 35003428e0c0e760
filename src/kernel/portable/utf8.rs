//! Validates UTF-8.
//!
//! ```text
//! all below 0x80   every part is
//! others           UTF-8 of the buffer, and each slice starts at a character
//! ```

/// Returns whether the parts of `bytes` that begin at `starts` are each UTF-8.
pub(crate) fn is_utf8(bytes: &[u8], mut starts: impl Iterator<Item = usize>) -> bool {
    if bytes.is_ascii() {
        return true;
    }
    let Ok(text) = simdutf8::basic::from_utf8(bytes) else { return false };
    starts.all(|start| text.is_char_boundary(start))
}
