//! Builds views of template-encoded strings of one length directly.
//!
//! ```text
//! text       "user_......"               digits  "004217"
//! view       length │ u s e r _ ......   ──► all at once, then digits are put in
//! longer     length │ / p r o │ buffer │ offset       the strings themselves go to a buffer
//! ```

use std::ops::Range;

use super::{SegmentedStrings, Template};
use crate::error::Result;
use crate::kernel::INLINE;
use crate::pack::integer::{Numbers, each_chunk};
use crate::pack::string::Target;
use crate::pack::string::views::{ViewBuffer, Views};

/// The number of bytes of a longer string that its view has.
const PREFIX: usize = 4;

/// Where the bytes begin in a view, in bits.
const BYTES: usize = 32;

impl Template {
    /// Returns whether all strings have one length.
    pub(in crate::pack) fn is_even(&self) -> bool {
        self.even
    }

    /// Appends a view of each string of a range, if all have one length.
    pub(in crate::pack) fn read_views(&self, range: Range<usize>, out: &mut Views) -> Result<()> {
        let before = out.views.len();
        let mut data = if self.longest > INLINE { std::mem::take(&mut out.spare) } else { vec![] };
        let size = (range.len() as u64).saturating_mul(self.longest as u64);
        let limit = if self.longest > INLINE { out.room() } else { usize::MAX };
        Target { offsets: &mut vec![], data: &mut data, limit }.check_room(size)?;
        let (buffer, mut words) = (out.next_buffer()?, SegmentedStrings::default());
        let made = each_chunk(range, |part| {
            let read = |of: &Numbers, out: &mut Vec<i64>| of.read(part.clone(), out);
            self.fill(read, &mut words)?;
            self.put_views(part.len(), &words, (buffer, data.len()), &mut out.views);
            if self.longest > INLINE {
                self.put_bytes(part.len(), &words, &mut data);
            }
            Ok(())
        });
        if made.is_err() {
            out.views.truncate(before);
        } else if self.longest > INLINE {
            out.add(ViewBuffer::Own(data))?;
        }
        made
    }

    /// Appends views; strings that are not inline are in a buffer from a position on.
    fn put_views(
        &self,
        n: usize,
        words: &SegmentedStrings,
        (buffer, from): (u32, usize),
        out: &mut Vec<u128>,
    ) {
        let (start, length) = (out.len(), self.longest as u128);
        let inside = if self.longest > INLINE { PREFIX } else { INLINE };
        let head = length | self.first_bytes(inside) << BYTES;
        if self.longest > INLINE {
            let head = head | u128::from(buffer) << 64;
            // Offsets fit, since the capacity was checked.
            let places = (0..n).map(|i| (from + i * self.longest) as u128);
            out.extend(places.map(|place| head | place << 96));
        } else {
            out.resize(start + n, head);
        }
        let mut at = 0;
        for piece in &self.pieces {
            at += piece.length;
            let count = piece.digits.count();
            let views = out.get_mut(start..).unwrap_or_default();
            put_digits(views, words.of(piece.digits), at, count.min(inside.saturating_sub(at)));
            at += count;
        }
    }

    /// Returns the first bytes of the texts, and zeros for digits.
    fn first_bytes(&self, count: usize) -> u128 {
        let (mut bytes, mut at) = ([0; INLINE], 0);
        for piece in &self.pieces {
            let text = piece.text.iter().take(piece.length);
            bytes.iter_mut().take(count).skip(at).zip(text).for_each(|(to, from)| *to = *from);
            at += piece.length + piece.digits.count();
        }
        bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
    }
}

/// Puts the first `count` digits of each word into its view, at a byte of the string.
fn put_digits(views: &mut [u128], words: &[u64], at: usize, count: usize) {
    if count == 0 {
        return;
    }
    let mask = u64::MAX >> (64 - 8 * count.min(8));
    let bit = BYTES + 8 * at;
    let views = views.iter_mut().zip(words);
    match bit {
        // Halves of a view each by themselves: numbers of 128 bits are shifted in more steps.
        64.. => {
            views.for_each(|(view, word)| *view |= u128::from((word & mask) << (bit - 64)) << 64)
        }
        _ => views.for_each(|(view, word)| {
            let (low, high) = ((word & mask) << bit, (word & mask) >> (64 - bit));
            *view |= u128::from(high) << 64 | u128::from(low);
        }),
    }
}
