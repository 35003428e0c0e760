//! Compresses text to FSST codes.
//!
//! At each position the longest matching symbol is chosen. Three tables are looked up with the same eight bytes of
//! text: long symbols by a hash of six bytes, middle ones by a hash of three, and short ones, or the escape, by two
//! bytes. A slot of a hash table holds one symbol, so of two that collide the later is not used.

use std::array::from_fn;
use std::hint::select_unpredictable;
use std::ops::Range;

use super::{ESCAPE, Symbol, Symbols, padded_word};

/// The number of slots of a hash table.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;

/// A text is compressed at this many positions concurrently, and the codes are joined afterwards: at one position
/// each step depends on the one before, and the processor has time for others meanwhile.
const LANES: usize = 4;

/// The positions of a lane after its first steps are recorded: there the lane before may join.
const MARKS: usize = 12;

/// The minimum text of a lane. Shorter texts are compressed at one position.
const LEAST_SHARE: usize = 8 * (MARKS + 1);

/// A longer text is compressed in parts of this size, so that little memory is needed besides the codes.
const PART: usize = 64 << 10;

/// The result of a lookup: bits 0..8 are the code, 8..12 the number of text bytes, 12..14 the number of code bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step(u16);

impl Step {
    const ESCAPE: Self = Self(ESCAPE as u16 | 1 << 8 | 2 << 12);

    fn symbol(code: u8, len: u8) -> Self {
        Self(u16::from(code) | u16::from(len) << 8 | 1 << 12)
    }

    pub(super) fn code(self) -> u8 {
        (self.0 & 255) as u8
    }

    pub(super) fn is_escape(self) -> bool {
        self.code() == ESCAPE
    }

    pub(super) fn text_len(self) -> u32 {
        u32::from(self.0 >> 8 & 15)
    }

    fn code_len(self) -> u32 {
        u32::from(self.0 >> 12)
    }
}

/// A slot of a hash table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    word: u64,
    mask: u64,
    step: Step,
}

impl Slot {
    /// No masked word is 1 if the mask is 0.
    const EMPTY: Self = Self { word: 1, mask: 0, step: Step::ESCAPE };

    fn fits(self, word: u64) -> bool {
        word & self.mask == self.word
    }
}

/// Returns the slot of the lowest `KEY` bytes of `word`.
fn slot_of<const KEY: u32>(word: u64) -> usize {
    let hash = (word << (64 - 8 * KEY)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::from((hash >> (64 - SLOT_BITS)) as u16)
}

/// Finds the longest symbol at a position.
#[derive(Debug)]
pub(crate) struct Compressor {
    tables: Box<Tables>,
}

#[derive(Debug)]
struct Tables {
    /// Symbols of 6 to 8 bytes.
    long: [Slot; SLOTS],
    /// Symbols of 3 to 5 bytes.
    middle: [Slot; SLOTS],
    /// By two bytes of text: a symbol of two bytes, of one, or the escape.
    pairs: [Step; 1 << 16],
    /// By one byte: a symbol of one, or the escape. For the last byte of a text.
    ones: [Step; 256],
}

impl Compressor {
    pub(crate) fn new(symbols: &Symbols) -> Self {
        let mut new = Self::empty();
        for (symbol, code) in symbols.symbols.iter().zip(0..ESCAPE) {
            new.place(*symbol, code);
        }
        new.fill_pairs(&symbols.symbols);
        new
    }

    pub(super) fn empty() -> Self {
        let tables = Tables {
            long: [Slot::EMPTY; SLOTS],
            middle: [Slot::EMPTY; SLOTS],
            pairs: [Step::ESCAPE; 1 << 16],
            ones: [Step::ESCAPE; 256],
        };
        Self { tables: Box::new(tables) }
    }

    /// Forgets all symbols, but leaves `pairs` to `fill_pairs`.
    pub(super) fn clear(&mut self) {
        self.tables.long.fill(Slot::EMPTY);
        self.tables.middle.fill(Slot::EMPTY);
        self.tables.ones.fill(Step::ESCAPE);
    }

    /// Adds a symbol. Returns false if its slot is taken.
    pub(super) fn place(&mut self, symbol: Symbol, code: u8) -> bool {
        let step = Step::symbol(code, symbol.len);
        let slot = match symbol.len {
            1 => {
                let [byte, ..] = symbol.word.to_le_bytes();
                if let Some(one) = self.tables.ones.get_mut(usize::from(byte)) {
                    *one = step;
                }
                return true;
            }
            2 => return true,
            3..=5 => self.tables.middle.get_mut(slot_of::<3>(symbol.word)),
            _ => self.tables.long.get_mut(slot_of::<6>(symbol.word)),
        };
        let Some(slot) = slot.filter(|slot| slot.mask == 0) else { return false };
        *slot = Slot { word: symbol.word, mask: symbol.mask(), step };
        true
    }

    /// Fills the table of two bytes, once all symbols have slots.
    pub(super) fn fill_pairs(&mut self, symbols: &[Symbol]) {
        self.fill_rows(symbols, 0..=u8::MAX);
    }

    /// Fills the table of two bytes for texts that have only these bytes after another.
    pub(super) fn fill_rows(&mut self, symbols: &[Symbol], seconds: impl Iterator<Item = u8>) {
        let Tables { pairs, ones, .. } = &mut *self.tables;
        for second in seconds {
            let row = usize::from(second) * ones.len();
            if let Some(row) = pairs.get_mut(row..row + ones.len()) {
                row.copy_from_slice(ones);
            }
        }
        for (symbol, code) in symbols.iter().zip(0..ESCAPE).filter(|(symbol, _)| symbol.len == 2) {
            if let Some(pair) = pairs.get_mut(usize::from((symbol.word & 0xffff) as u16)) {
                *pair = Step::symbol(code, 2);
            }
        }
    }

    /// Returns the longest symbol at the start of these eight bytes, or the escape.
    #[inline(always)]
    pub(super) fn step(&self, word: u64) -> Step {
        let tables = &*self.tables;
        let pair = tables.pairs.get(usize::from((word & 0xffff) as u16));
        let middle = tables.middle.get(slot_of::<3>(word)).unwrap_or(&Slot::EMPTY);
        let long = tables.long.get(slot_of::<6>(word)).unwrap_or(&Slot::EMPTY);
        let step = pair.copied().unwrap_or(Step::ESCAPE);
        // Which one it will be is as hard to foresee as the text.
        let step = select_unpredictable(middle.fits(word), middle.step, step);
        select_unpredictable(long.fits(word), long.step, step)
    }

    /// Returns the longest symbol at the start of a text of fewer than eight bytes, which is not empty.
    pub(super) fn last_step(&self, text: &[u8]) -> Step {
        let word = padded_word(text);
        let long = self.tables.long.get(slot_of::<6>(word)).filter(|slot| slot.fits(word));
        let middle = self.tables.middle.get(slot_of::<3>(word)).filter(|slot| slot.fits(word));
        let pair = self.tables.pairs.get(usize::from((word & 0xffff) as u16));
        // The zeros above the text may match; a symbol that is too long is not in the text.
        let steps = [long.map(|slot| slot.step), middle.map(|slot| slot.step), pair.copied()];
        let fitting =
            steps.into_iter().flatten().find(|step| step.text_len() as usize <= text.len());
        let one = self.tables.ones.get(usize::from((word & 0xff) as u8));
        fitting.or(one.copied()).unwrap_or(Step::ESCAPE)
    }

    /// Appends the codes of `text`, which is one run: at most twice as many bytes.
    pub(crate) fn compress(&self, text: &[u8], out: &mut Vec<u8>) {
        for part in text.chunks(PART) {
            let start = out.len();
            if part.len() < LANES * LEAST_SHARE {
                out.resize(start + 2 * part.len(), 0);
                let mut lane = CompressionLane { at: 0, len: 0 };
                lane.finish(self, part, out.get_mut(start..).unwrap_or_default());
                out.truncate(start + lane.len as usize);
                continue;
            }
            let share = part.len() / LANES;
            out.resize(start + LANES * room(part.len() - (LANES - 1) * share), 0);
            let lanes = self.compress_lanes(part, share, out.get_mut(start..).unwrap_or_default());
            let mut end = start;
            for codes in lanes {
                let len = codes.len();
                out.copy_within(start + codes.start..start + codes.end, end);
                end += len;
            }
            out.truncate(end);
        }
    }

    /// Compresses a text with all lanes; each has a share, the last one also the rest. Returns the ranges of the
    /// codes in `out`.
    fn compress_lanes(&self, text: &[u8], share: usize, out: &mut [u8]) -> [Range<usize>; LANES] {
        let room = room(text.len() - (LANES - 1) * share);
        let mut lanes: [CompressionLane; LANES] =
            from_fn(|lane| CompressionLane::new(lane * share, lane * room));
        let mut marks = lanes.map(|lane| [lane; MARKS]);
        for mark in 1..MARKS {
            for (lane, marks) in lanes.iter_mut().zip(&mut marks) {
                lane.step(self, text, out);
                if let Some(mark) = marks.get_mut(mark) {
                    *mark = *lane;
                }
            }
        }
        let ends: [usize; LANES] =
            from_fn(|lane| if lane + 1 < LANES { (lane + 1) * share } else { text.len() });
        loop {
            // For this many steps no lane reaches its end.
            let left = lanes.iter().zip(ends).map(|(lane, end)| end - lane.at as usize);
            let steps = left.min().unwrap_or(0) / 8;
            if steps == 0 {
                break;
            }
            for _ in 0..steps {
                lanes.iter_mut().for_each(|lane| lane.step(self, text, out));
            }
        }
        // The rest of each lane, together while all of them have text.
        while lanes.iter_mut().zip(ends).fold(false, |more, (lane, end)| {
            let goes = lane.at as usize + 8 <= end;
            if goes {
                lane.step(self, text, out);
            }
            more | goes
        }) {}
        let mut next_marks = marks.iter().skip(1);
        let mut start = 0;
        lanes.map(|mut lane| {
            let from = start;
            match next_marks.next() {
                Some(marks) => start = lane.join(self, marks, text, out),
                None => lane.finish(self, text, out),
            }
            from..lane.len as usize
        })
    }
}

/// Returns the memory a lane needs for the codes of `share` bytes, if all of them are escapes and it continues past
/// its end to all marks of the next lane.
fn room(share: usize) -> usize {
    2 * (share + LEAST_SHARE)
}

/// A position in the text and one in the codes.
#[derive(Clone, Copy)]
struct CompressionLane {
    at: u32,
    len: u32,
}

impl CompressionLane {
    /// Starts at a position in a text of at most `PART` bytes.
    fn new(at: usize, len: usize) -> Self {
        Self { at: u32::try_from(at).unwrap_or(0), len: u32::try_from(len).unwrap_or(0) }
    }

    /// Compresses one symbol; at least eight bytes of text remain.
    #[inline(always)]
    fn step(&mut self, compressor: &Compressor, text: &[u8], out: &mut [u8]) {
        let at = self.at as usize;
        let word = text.get(at..at + 8).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let word = u64::from_le_bytes(word);
        self.put(compressor.step(word), (word & 0xff) as u8, out);
    }

    /// Writes one code and, after it, the byte that an escape needs; the next code overwrites it otherwise.
    #[inline(always)]
    fn put(&mut self, step: Step, byte: u8, out: &mut [u8]) {
        let len = self.len as usize;
        if let Some([code, literal]) = out.get_mut(len..len + 2) {
            (*code, *literal) = (step.code(), byte);
        }
        self.at += step.text_len();
        self.len += step.code_len();
    }

    /// Continues from near the end of a share to a position of the next lane, and returns where the codes of that
    /// lane continue. The codes are those that one lane would have written. If the lanes do not meet, which is
    /// rare, it stops at the start of the next lane.
    fn join(
        &mut self,
        compressor: &Compressor,
        marks: &[Self; MARKS],
        text: &[u8],
        out: &mut [u8],
    ) -> usize {
        let mut over = *self;
        for mark in marks {
            while over.at < mark.at {
                over.step(compressor, text, out);
            }
            if over.at == mark.at {
                *self = over;
                return mark.len as usize;
            }
        }
        let [first, ..] = marks;
        self.finish(compressor, text.get(..first.at as usize).unwrap_or(text), out);
        first.len as usize
    }

    /// Continues to the end of the text.
    fn finish(&mut self, compressor: &Compressor, text: &[u8], out: &mut [u8]) {
        while self.at as usize + 8 <= text.len() {
            self.step(compressor, text, out);
        }
        while let Some((rest, byte)) =
            text.get(self.at as usize..).and_then(|rest| Some((rest, *rest.first()?)))
        {
            self.put(compressor.last_step(rest), byte, out);
        }
    }
}
