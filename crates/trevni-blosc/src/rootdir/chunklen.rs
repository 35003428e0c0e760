//! The default number of rows of a chunk, as bcolz computes it.
//!
//! ```text
//! expected MiB   <= 0.0001   <= 0.001   <= 0.01   <= 0.1   ..    >= 10   >= 100   >= 1000   >= 10000
//! KiB a chunk           16         32        64      128   256     512     1024      2048       4096
//! ```

/// Returns the rows of a chunk for this expected number of rows of this size (at least 1).
pub(super) fn default_chunklen(expectedlen: u64, row_bytes: u64) -> u64 {
    #[expect(clippy::cast_precision_loss)]
    let mib = expectedlen as f64 * row_bytes as f64 / f64::from(1 << 20);
    let up = [1e1, 1e2, 1e3, 1e4].into_iter().filter(|step| mib >= *step).count();
    let down = [1e-1, 1e-2, 1e-3, 1e-4].into_iter().filter(|step| mib <= *step).count();
    let bytes = 4096u64 << (6 + up - down);
    (bytes / row_bytes.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_bcolz_has_it() {
        // Rows and bytes a row, and the chunk lengths that bcolz 1.2 wrote for them.
        for (expected, row, chunklen) in [
            (0, 4, 4096),
            (0, 8, 2048),
            (150, 4, 8192),
            (700, 2, 32768),
            (20_000, 4, 32768),
            (100_000, 4, 65536),
            (12_500_000, 8, 65536),
            (1 << 40, 8, 524_288),
            (u64::MAX, 8, 524_288),
            (5, 1 << 40, 1),
        ] {
            assert_eq!(default_chunklen(expected, row), chunklen, "{expected} {row}");
        }
    }
}
