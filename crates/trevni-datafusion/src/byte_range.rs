//! Maps byte ranges of a file to rows.
//!
//! ```text
//! rows     0 ........ 32768 ........ 65536 ........ 80000        splits of a fixed number of rows
//! byte     0            mid_row(1) * size / rows    ...          that each split belongs to
//! range          [start ............................ end)        reads the splits whose byte is in it
//! ```
//! The rule depends on the file alone, so that any ranges that cover its bytes once read each row once.

use std::ops::Range;

/// Rows of a split: those of a block of `pack`.
const SPLIT: u64 = 32_768;

/// Returns the rows that a range of bytes reads, of a file of `size` bytes and so many rows.
pub(crate) fn rows_of(bytes: Range<u64>, size: u64, rows: u64) -> Range<u64> {
    let splits = rows.div_ceil(SPLIT);
    let first = |byte: u64| {
        // The first split whose byte is not before this.
        let (mut low, mut high) = (0, splits);
        while low < high {
            let middle = low + (high - low) / 2;
            match byte_of(middle, size, rows) < byte {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (low * SPLIT).min(rows)
    };
    first(bytes.start)..first(bytes.end.max(bytes.start))
}

/// Returns the byte that a split belongs to.
fn byte_of(split: u64, size: u64, rows: u64) -> u64 {
    if split == 0 {
        return 0;
    }
    let start = split * SPLIT;
    let middle = start + (rows.saturating_sub(start)).min(SPLIT) / 2;
    let byte = u128::from(middle) * u128::from(size) / u128::from(rows.max(1));
    u64::try_from(byte).unwrap_or(u64::MAX).min(size.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_whole_file_is_all_rows() {
        for rows in [0, 1, SPLIT, SPLIT + 1, 10 * SPLIT - 1] {
            for size in [1, 2, 100, 1 << 40] {
                assert_eq!(rows_of(0..size, size, rows), 0..rows);
            }
        }
    }

    proptest! {
        #[test]
        fn any_cutting_covers_each_row_once(
            rows in 0u64..1_000_000, size in 1u64..1_000_000,
            cuts in prop::collection::vec(0.0..1.0f64, 0..20),
        ) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let mut cuts: Vec<u64> = cuts.iter().map(|cut| (cut * size as f64) as u64).collect();
            cuts.extend([0, size]);
            cuts.sort_unstable();
            let mut at = 0;
            for pair in cuts.windows(2) {
                let read = rows_of(pair[0]..pair[1], size, rows);
                prop_assert_eq!(read.start.min(read.end), at);
                at = read.end;
            }
            prop_assert_eq!(at, rows);
        }
    }
}
