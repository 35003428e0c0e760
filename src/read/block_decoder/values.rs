//! Reads values of the open block, plain or packed.

use super::{BlockDecoder, no_block};
use crate::error::{Error, Result};
use crate::format::bitmap::Bits;
use crate::format::packed_block::PackedBlock;
use crate::format::value::ValueType;
use crate::format::values::Values;

impl BlockDecoder {
    /// Appends the next `n` values.
    pub(crate) fn values(&mut self, n: usize, out: &mut Values) -> Result<()> {
        match &mut self.packed {
            Some(packed) => packed.values(n, out),
            None if out.is_unpacked() => self.through(out, |opener, out| opener.values(n, out)),
            None => {
                let block = self.plain.bytes();
                self.decoder.values(block, self.kind.value_type, n, out)
            }
        }
    }

    /// Returns whether items at positions can be read: packed ones with at most one value each.
    pub(crate) fn picks(&self) -> bool {
        let of_bits = |packed: &PackedBlock| !self.kind.array || packed.has_bits();
        self.packed.as_ref().is_some_and(of_bits)
    }

    /// Appends the values at positions, which ascend and are after the last value read.
    pub(crate) fn pick_values(&mut self, places: &[u32], out: &mut Values) -> Result<()> {
        self.packed.as_mut().ok_or_else(no_block)?.pick_values(places, out)
    }

    /// Appends a bit and a value for each position. Returns the number of set bits.
    pub(crate) fn pick_slots(
        &mut self,
        places: &[u32],
        validity: &mut Bits,
        out: &mut Values,
    ) -> Result<usize> {
        self.packed.as_mut().ok_or_else(no_block)?.pick_slots(places, validity, out)
    }

    /// Appends a bit for each length at these positions. Returns the number of ones.
    pub(crate) fn pick_presence(&mut self, places: &[u32], out: &mut Bits) -> Result<usize> {
        let packed = self.packed.as_mut().ok_or_else(no_block)?;
        packed.pick_presence(places, out).map(|ranks| ranks.len())
    }

    /// Appends values that are plain to a form that they are not decoded to.
    fn through<T>(
        &mut self,
        out: &mut Values,
        decode: impl FnOnce(&mut Self, &mut Values) -> Result<T>,
    ) -> Result<T> {
        let mut values = Values::new(self.kind.value_type);
        let decoded = decode(self, &mut values)?;
        out.extend(values, self.kind.value_type == ValueType::String)?;
        Ok(decoded)
    }

    /// Passes over the next `n` values.
    pub(crate) fn skip_values(&mut self, n: usize) -> Result<()> {
        match &mut self.packed {
            Some(packed) => packed.skip_values(n),
            None => {
                let block = self.plain.bytes();
                self.decoder.skip_values(block, self.kind.value_type, n)
            }
        }
    }

    /// Appends the next `n` lengths, and the values of all, at most `most`. Returns how many they are.
    pub(crate) fn arrays(
        &mut self,
        n: usize,
        lengths: &mut Vec<u32>,
        out: &mut Values,
        most: usize,
    ) -> Result<usize> {
        let most = most.min(self.limits.values);
        match &mut self.packed {
            Some(packed) => packed.arrays(n, lengths, out, most),
            None if out.is_unpacked() => {
                self.through(out, |opener, out| opener.arrays(n, lengths, out, most))
            }
            None => {
                let block = self.plain.bytes();
                self.decoder.arrays(block, self.kind.value_type, n, lengths, out, most)
            }
        }
    }

    /// Skips the next `n` lengths and their values. Returns the number of values if it is `asked` for.
    pub(crate) fn skip_arrays(&mut self, n: usize, asked: bool) -> Result<usize> {
        match &mut self.packed {
            Some(packed) => packed.skip_arrays(n, asked),
            None => {
                let block = self.plain.bytes();
                self.decoder.skip_arrays(block, self.kind.value_type, n)
            }
        }
    }

    /// Appends a bit for each of the next `n` lengths, which may only be 0 or 1. Returns how many are 1.
    pub(crate) fn presence(&mut self, n: usize, out: &mut Bits) -> Result<usize> {
        match &mut self.packed {
            Some(packed) if packed.has_bits() => packed.presence(n, out),
            Some(_) => {
                let (mut lengths, mut values) = (Vec::new(), Values::new(self.kind.value_type));
                let items = self.arrays(n, &mut lengths, &mut values, n)?;
                put_bits(&lengths, out)?;
                Ok(items)
            }
            None => {
                let block = self.plain.bytes();
                self.decoder.presence(block, n, out, self.limits.values)
            }
        }
    }

    /// Appends a bit and a value for each of the next `n` slots. Returns the number of set bits.
    pub(crate) fn slots(
        &mut self,
        n: usize,
        validity: &mut Bits,
        out: &mut Values,
    ) -> Result<usize> {
        if let Some(packed) = self.packed.as_mut().filter(|packed| packed.has_bits()) {
            return packed.slots(n, validity, out);
        }
        if out.is_unpacked() {
            return self.through(out, |opener, out| opener.slots(n, validity, out));
        }
        let (mut lengths, mut dense) = (Vec::new(), Values::new(self.kind.value_type));
        let items = self.arrays(n, &mut lengths, &mut dense, n)?;
        put_bits(&lengths, validity)?;
        out.extend_slots(&lengths, &dense)?;
        Ok(items)
    }
}

/// Appends a bit for each length, which may only be 0 or 1.
fn put_bits(lengths: &[u32], out: &mut Bits) -> Result<()> {
    if let Some(length) = lengths.iter().find(|length| **length > 1) {
        return Err(Error::malformed(format!("a count of {length} where only 0 or 1 can be")));
    }
    lengths.iter().for_each(|length| out.push(*length == 1));
    Ok(())
}
