//! Trains an FSST symbol table.
//!
//! In each of a few rounds the sample is compressed with the current symbols, and the uses of each symbol and each
//! adjacent pair are counted. The symbols of the next round are the best of the used ones and of the joined pairs.
//! So a symbol can double its length in a round, starting with single bytes. The last round does not join.

use std::array::from_fn;
use std::cell::RefCell;

use super::compress::Compressor;
use super::{ESCAPE, MAX_SYMBOLS, Symbol, Symbols};

/// The maximum size of the sample: no count exceeds a `u16`.
const SAMPLE_MAX: usize = u16::MAX as usize;

/// The rounds, by how many eighths of the sample they read. The first symbols are replaced quickly, so little text
/// is enough for them.
const ROUNDS: [usize; 8] = [1, 2, 2, 4, 4, 6, 8, 8];

/// A pair must occur at least 3 times in this much text; rarer ones are random.
const CHANCE: usize = 16 << 10;

/// A piece of text by number: below 256 a byte without a symbol, from there on a symbol.
const PIECES: usize = 512;

/// Before the first piece: the index of the escape, which no symbol has.
const NO_PIECE: u32 = 511;

/// The number of parts of the text that are counted concurrently.
const PARTS: usize = 4;

/// The number of candidates that are sorted. Only those whose slot in the compressor's tables is taken are skipped,
/// so 255 symbols are still found.
const SHORT_LIST: usize = 768;

pub(super) fn train<'a>(samples: impl Iterator<Item = &'a [u8]>) -> Symbols {
    let mut text = Vec::new();
    for sample in samples {
        let room = SAMPLE_MAX - text.len();
        text.extend_from_slice(sample.get(..room).unwrap_or(sample));
        if text.len() == SAMPLE_MAX {
            break;
        }
    }
    let mut has = [false; 256];
    // What is behind the end of a text is read as zeros.
    for byte in text.iter().chain(&[0]) {
        has.get_mut(usize::from(*byte)).into_iter().for_each(|has| *has = true);
    }
    let mut trainer = Trainer {
        bytes: (0..=u8::MAX).filter(|byte| has.get(usize::from(*byte)) == Some(&true)).collect(),
        compressor: Compressor::empty(),
        symbols: Vec::with_capacity(MAX_SYMBOLS),
        singles: [0; PIECES],
        pairs: zeros(),
        // One more, as one too many is written.
        seen: vec![0; text.len() + 1],
        seen_len: 0,
    };
    for (round, eighths) in ROUNDS.into_iter().enumerate() {
        let part = text.get(..text.len() * eighths / 8).unwrap_or(&text);
        trainer.count(part);
        let candidates = trainer.candidates(part.len(), round + 1 < ROUNDS.len());
        trainer.choose(&candidates);
    }
    // All counts are zero again.
    let _ = ZEROS.try_with(|kept| kept.replace(trainer.pairs));
    Symbols { symbols: trainer.symbols }
}

thread_local! {
    /// The counts of pairs of the training before, all zero: to find new memory takes longer than a small training.
    static ZEROS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

fn zeros() -> Vec<u16> {
    let mut zeros = ZEROS.try_with(RefCell::take).unwrap_or_default();
    zeros.resize(PIECES * PIECES, 0);
    zeros
}

struct Trainer {
    /// The bytes that the text has, and 0.
    bytes: Vec<u8>,
    compressor: Compressor,
    symbols: Vec<Symbol>,
    /// How often each piece is used.
    singles: [u16; PIECES],
    /// The number of times a piece directly follows another: index of the first times 512, plus that of the second.
    pairs: Vec<u16>,
    /// The pairs that occur, in the order of their first occurrence.
    seen: Vec<u32>,
    seen_len: usize,
}

/// The rest of a part of the text, and the piece before it.
struct TrainingPart<'a> {
    rest: &'a [u8],
    last: u32,
}

impl Trainer {
    /// Compresses the text, without keeping the codes, and counts. It is done in parts at once,
    /// as runs are compressed.
    fn count(&mut self, text: &[u8]) {
        let share = text.len().div_ceil(PARTS).max(1);
        let mut rests = text.chunks(share);
        let mut parts: [TrainingPart; PARTS] =
            from_fn(|_| TrainingPart { rest: rests.next().unwrap_or_default(), last: NO_PIECE });
        let mut more = true;
        while more {
            more = false;
            for part in &mut parts {
                more |= self.count_one(part);
            }
        }
    }

    /// Counts the next piece of a part, if there is one.
    #[inline(always)]
    fn count_one(&mut self, part: &mut TrainingPart) -> bool {
        let Some(&byte) = part.rest.first() else { return false };
        let step = match part.rest.first_chunk() {
            Some(word) => self.compressor.step(u64::from_le_bytes(*word)),
            None => self.compressor.last_step(part.rest),
        };
        let piece = if step.is_escape() { u32::from(byte) } else { 256 | u32::from(step.code()) };
        if let Some(count) = self.singles.get_mut(piece as usize) {
            *count += 1;
        }
        let pair = part.last << 9 | piece;
        part.last = piece;
        if let Some(count) = self.pairs.get_mut(pair as usize) {
            // Written in any case, and kept only if it is new: that is not to be foreseen.
            if let Some(seen) = self.seen.get_mut(self.seen_len) {
                *seen = pair;
            }
            self.seen_len += usize::from(*count == 0);
            *count += 1;
        }
        part.rest = part.rest.get(step.text_len() as usize..).unwrap_or_default();
        true
    }

    /// Returns the symbol of a piece; of a byte without one, the symbol which it would be.
    fn symbol(&self, piece: u32) -> Symbol {
        let byte = Symbol { word: u64::from(piece & 255), len: 1 };
        if piece < 256 {
            byte
        } else {
            self.symbols.get((piece & 255) as usize).copied().unwrap_or(byte)
        }
    }

    /// Returns all that could be a symbol in the next round, with its gain. The counts are zero again.
    fn candidates(&mut self, text_len: usize, join: bool) -> Candidates {
        let least = u16::try_from(3 * text_len / CHANCE).unwrap_or(u16::MAX).max(2);
        let mut candidates = Candidates::with_room(PIECES + self.seen_len);
        let singles = std::mem::replace(&mut self.singles, [0; PIECES]);
        for (count, piece) in singles.into_iter().zip(0..) {
            let symbol = self.symbol(piece);
            if count >= least || count > 0 && symbol.len == 1 {
                candidates.add(symbol, count);
            }
        }
        for &pair in self.seen.iter().take(std::mem::take(&mut self.seen_len)) {
            let Some(count) = self.pairs.get_mut(pair as usize).map(std::mem::take) else {
                continue;
            };
            let (first, second) = (self.symbol(pair >> 9), self.symbol(pair & 511));
            if join && count >= least && first.len < 8 && pair >> 9 != NO_PIECE {
                candidates.add(first.join(second), count);
            }
        }
        candidates
    }

    /// Makes the best candidates the symbols.
    fn choose(&mut self, candidates: &Candidates) {
        self.compressor.clear();
        self.symbols.clear();
        for symbol in candidates.best() {
            let Some(code) = u8::try_from(self.symbols.len()).ok().filter(|code| *code < ESCAPE)
            else {
                break;
            };
            if self.compressor.place(symbol, code) {
                self.symbols.push(symbol);
            }
        }
        self.compressor.fill_rows(&self.symbols, self.bytes.iter().copied());
    }
}

/// Possible symbols, each of them once, with what they would gain.
struct Candidates {
    found: Vec<(Symbol, u32)>,
    /// A hash table of a power of two slots: indices in `found`, plus 1.
    places: Vec<u32>,
}

impl Candidates {
    fn with_room(room: usize) -> Self {
        let places = vec![0; (2 * room).next_power_of_two()];
        Self { found: Vec::with_capacity(room), places }
    }

    /// Counts a symbol in, or more of it: one text can be joined from different pairs.
    fn add(&mut self, symbol: Symbol, count: u16) {
        // A single byte saves an escape, and longer symbols grow from it. A long symbol should not gain too much
        // over its parts: the two more than its length were found by experiment.
        let weight = if symbol.len == 1 { 8 } else { u32::from(symbol.len) + 2 };
        let gain = u32::from(count) * weight;
        let mask = self.places.len() - 1;
        let hash = (symbol.word ^ u64::from(symbol.len) << 59).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 40) as usize & mask;
        // There is always an empty slot: at most half of the slots are used.
        while let Some(place) = self.places.get_mut(at) {
            match self.found.get_mut((*place as usize).wrapping_sub(1)) {
                Some((known, sum)) if *known == symbol => {
                    *sum = sum.saturating_add(gain);
                    return;
                }
                Some(_) => at = (at + 1) & mask,
                None => {
                    self.found.push((symbol, gain));
                    *place = u32::try_from(self.found.len()).unwrap_or(0);
                    return;
                }
            }
        }
    }

    /// Returns the best candidates, those with the most gain first and, of the same gain, in the order
    /// in which they were added.
    fn best(&self) -> impl Iterator<Item = Symbol> {
        let order = self.found.iter().zip(0_u64..);
        let mut order: Vec<u64> =
            order.map(|((_, gain), at)| u64::from(u32::MAX - gain) << 32 | at).collect();
        if order.len() > SHORT_LIST {
            order.select_nth_unstable(SHORT_LIST);
            order.truncate(SHORT_LIST);
        }
        order.sort_unstable();
        order.into_iter().filter_map(|key| {
            let at = usize::try_from(key & u64::from(u32::MAX)).ok()?;
            self.found.get(at).map(|(symbol, _)| *symbol)
        })
    }
}
