//! Shortens the contents of files for errors.
//!
//! ```text
//! "a name of half a megabyte that goes on and on"...     60 characters
//! [1, 2, 3, 4, ...]                                      16 numbers
//! ```

/// Returns the start of a text, in quotes.
pub(super) fn text(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", text.get(..end).unwrap_or("")),
        None => format!("{text:?}"),
    }
}

/// Returns the start of a list.
pub(super) fn list(numbers: &[u64]) -> String {
    let shown: Vec<_> = numbers.iter().take(16).map(u64::to_string).collect();
    let more = if numbers.len() > shown.len() { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_are_cut() {
        assert_eq!((text("é"), list(&[1, 2])), ("\"é\"".into(), "[1, 2]".into()));
        assert_eq!(text(&"é".repeat(1000)), format!("\"{}\"...", "é".repeat(60)));
        assert_eq!(list(&[7; 1000]).len(), "[, ...]".len() + 16 * 3 - 2);
    }
}
