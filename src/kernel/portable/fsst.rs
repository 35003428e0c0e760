//! Expands FSST codes.
//!
//! ```text
//! codes   17 3 200 ...      words   8 bytes of each symbol, whatever its length
//!                           masks   a bit for each byte that counts; none where there is no symbol
//! window  64 codes ──► those before the first without a symbol, 8 at a time ──► their bytes, end to end
//! ```

/// The number of codes that are tested at once.
pub(crate) const WINDOW: usize = 64;

/// Codes that are taken together.
pub const GROUP: usize = 8;

/// The symbol of each code.
#[derive(Debug, Clone)]
pub struct SymbolTable {
    /// Its bytes, the first lowest.
    pub words: Box<[u64; 256]>,
    /// As many low bits as it has bytes, 8 at most.
    pub masks: Box<[u8; 256]>,
}

/// Appends the symbols of codes, a window at a time, in groups. Stops before a code without a symbol and before the
/// output exceeds `most` bytes. Returns the number of codes read.
pub(crate) fn expand_symbols(
    codes: &[u8],
    table: &SymbolTable,
    most: usize,
    out: &mut Vec<u8>,
) -> usize {
    let (start, mut taken) = (out.len(), 0);
    for window in codes.as_chunks::<WINDOW>().0 {
        let length = |code: &u8| {
            table.masks.get(usize::from(*code)).map_or(0, |mask| mask.count_ones() as usize)
        };
        let known = window.iter().take_while(|code| length(code) > 0).count();
        let whole = window.get(..known / GROUP * GROUP).unwrap_or_default();
        let bytes: usize = whole.iter().map(length).sum();
        if out.len() - start + bytes > most {
            break;
        }
        for code in whole {
            let word = table.words.get(usize::from(*code)).copied().unwrap_or(0).to_le_bytes();
            out.extend_from_slice(word.get(..length(code)).unwrap_or(&word));
        }
        taken += whole.len();
        if whole.len() < WINDOW {
            break;
        }
    }
    taken
}
