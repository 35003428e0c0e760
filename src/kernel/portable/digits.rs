//! Formats numbers as decimal digits, eight at a time.
//!
//! ```text
//! number   1234 5678      fours          1234    5678
//!          12 34 56 78    twos           12  34  56  78
//!          1 2 3 4 5 6 7 8               each in a byte of its own, the first lowest
//! ```

/// Figures of a word.
pub const DIGITS_PER_WORD: usize = 8;

/// The text of the figure 0, eight times.
pub const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends the text of the eight figures of each number, without the first `skip` of them: what comes first is in the
/// lowest byte. Of numbers that have more figures come any bytes.
pub(crate) fn format_digits(numbers: &[i64], skip: u32, out: &mut Vec<u64>) {
    let by = 8 * skip.min(7);
    out.extend(numbers.iter().map(|number| text(number.cast_unsigned() & 0xffff_ffff) >> by));
}

/// Returns the text of a number of no more than eight figures.
#[inline(always)]
fn text(number: u64) -> u64 {
    // 3,518,437,209 / 2^45 is a ten-thousandth of all that come here, 10,486 / 2^20 a hundredth, 103 / 2^10 a tenth.
    let high = (number * 3_518_437_209) >> 45;
    let fours = high | (number - high * 10_000) << 32;
    // The halves separately, since 32-bit numbers multiply faster.
    let hundredth = |four: u64| ((four * 10_486) >> 20) & 0x7f;
    let hundreds = hundredth(fours & 0xffff_ffff) | hundredth(fours >> 32) << 32;
    let twos = hundreds | fours.wrapping_sub(hundreds * 100) << 16;
    let tens = (twos.wrapping_mul(103) >> 10) & 0x000f_000f_000f_000f;
    ZEROS | tens | twos.wrapping_sub(tens * 10) << 8
}
