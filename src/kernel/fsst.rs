//! Expansion of FSST codes.

use super::Level;
use super::portable::{self, SymbolTable};

/// Appends the symbols of codes, 64 codes at a time, in groups of [`GROUP`](super::GROUP).
///
/// Stops before a code without a symbol, and before the output exceeds `most` bytes. Returns the number of codes read.
pub fn expand_symbols(
    level: Level,
    codes: &[u8],
    table: &SymbolTable,
    most: usize,
    out: &mut Vec<u8>,
) -> usize {
    at_avx512!(level, expand_symbols(codes, table, most, out))
}
