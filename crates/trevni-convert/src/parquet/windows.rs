//! Divides the chunks of a row group into what is fetched together.
//!
//! ```text
//! chunks of columns   ├──── a ────┤├── b ──┤├──── c ────┤
//! windows             ├ 0 ┤├ 1 ┤    ├0┤├1┤  ├ 0 ┤├ 1 ┤       each has the same share of each chunk
//! ```

use std::ops::Range;

use crate::source::planned_read::Window;

/// The bytes of a window, at most about.
const WINDOW_BYTES: u64 = 16 << 20;

/// Divides ranges that are read side by side into windows.
pub(super) fn divide(chunks: &[Range<u64>]) -> Vec<Window> {
    let bytes: u64 = chunks.iter().map(|chunk| chunk.end.saturating_sub(chunk.start)).sum();
    let parts = bytes.div_ceil(WINDOW_BYTES).max(1);
    let cut = |chunk: &Range<u64>, at: u64| {
        let size = u128::from(chunk.end.saturating_sub(chunk.start));
        let share = size * u128::from(at) / u128::from(parts);
        chunk.start + u64::try_from(share).unwrap_or(u64::MAX)
    };
    let part = |at| chunks.iter().map(|chunk| cut(chunk, at)..cut(chunk, at + 1)).collect();
    (0..parts).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_all_bytes_once() {
        let chunks = [0..5, 5..(40 << 20) + 5, (50 << 20)..(57 << 20)];
        let windows = divide(&chunks);
        assert_eq!(windows.len(), 3);
        for (i, chunk) in chunks.iter().enumerate() {
            let mut at = chunk.start;
            for window in &windows {
                assert_eq!(window[i].start, at);
                at = window[i].end;
            }
            assert_eq!(at, chunk.end);
        }
        assert_eq!(divide(&[3..7, 9..10]), [[3..7, 9..10]]);
    }
}
