//! Prefix sums of lengths: offsets.
//!
//! ```text
//! lengths   3 1 0 2          offsets   0 3 4 4 6
//! ```

/// Appends 0 and where each length ends; nothing if their sum, or their count, is beyond what 32 bits can hold.
pub(crate) fn lengths_to_offsets(lengths: &[u32], out: &mut Vec<i32>) -> Option<()> {
    // This many lengths do not overflow 64 bits.
    u32::try_from(lengths.len()).ok()?;
    let sum: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
    i32::try_from(sum).ok()?;
    out.reserve(lengths.len() + 1);
    out.push(0);
    let mut end = 0i32;
    out.extend(lengths.iter().map(|length| {
        end = end.wrapping_add(length.cast_signed());
        end
    }));
    Some(())
}
