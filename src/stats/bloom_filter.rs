//! Split-block Bloom filters of the values of a block.
//!
//! ```text
//! arrow.bloom  byte version 1 │ fixed64 double: rate of false answers │ fixed64 most distinct values, 0 for any
//!              │ long blocks │ of each block: long n, n times 32 bytes │ fixed32 proof
//! 32 bytes     8 words of 32 bits, low byte first: of a value one bit is set in each
//! hash         XXH64, seed 0, of the bytes of a string, or of the 8 bytes of a number, low byte first
//! which 32     high half of the hash, times n, over 2^32         which bits   low half, times 8 odd numbers, over 2^27
//! ```
//! Filter, hash and parameters are those of Parquet. The filter of a block is as large as its distinct values need.
//! It has the checksum of statistics; a malformed filter is ignored. (`spec/statistics.md`)

use std::ops::Range;

use super::block_statistics::proof;
use crate::error::{Error, Result};
use crate::format::block::BlockDescriptor;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::values_ref::ValuesRef;
use crate::keys::BLOOM;
use crate::wire::{self, Cursor};

const VERSION: u8 = 1;

const SALT: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Eight words.
type FilterBlock = [u32; 8];

/// The most of them that a filter has: 4 MiB.
const MOST_WORDS: usize = 1 << 17;

/// How large filters are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bloom {
    /// The approximate rate of false positives.
    pub fpp: f64,
    /// How many distinct values of a block are reckoned with at most; `None` for all there are.
    pub ndv: Option<u64>,
}

/// The values of a block, to ask for one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BloomFilter {
    words: Vec<FilterBlock>,
}

impl ColumnMetadata {
    /// Requests a filter of the values of each block from the writer, for integers, strings and bytes.
    pub fn with_bloom_filter(mut self, bloom: Bloom) -> Self {
        self.put(BLOOM, bloom.request());
        self
    }
}

impl Bloom {
    /// Returns the entry that requests filters.
    pub(crate) fn request(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        wire::put_fixed64(&mut out, self.fpp.to_bits());
        wire::put_fixed64(&mut out, self.ndv.unwrap_or(0));
        out
    }

    /// Returns the requested filters, or those of another file.
    pub(crate) fn requested(column: &ColumnMetadata) -> Option<Self> {
        Self::take(&mut Cursor::new(column.metadata().get(BLOOM)?)).ok()
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self> {
        let [version] = cursor.array("filters")?;
        let fpp = f64::from_bits(cursor.fixed64("rate of a filter")?);
        let ndv = cursor.fixed64("values of a filter")?;
        if version != VERSION || !(fpp > 0.0 && fpp < 1.0) {
            return Err(Error::unsupported(format!("filters of version {version}, rate {fpp}")));
        }
        Ok(Self { fpp, ndv: Some(ndv).filter(|ndv| *ndv > 0) })
    }

    /// Appends the hashes of some values.
    pub(crate) fn hash(&self, values: ValuesRef<'_>, range: Range<usize>, out: &mut Vec<u64>) {
        out.extend(hashes(values, range));
    }

    /// Returns a filter of values of these hashes.
    pub(crate) fn filter(&self, hashes: &mut Vec<u64>) -> BloomFilter {
        hashes.sort_unstable();
        hashes.dedup();
        let distinct = self.ndv.map_or(hashes.len() as u64, |ndv| ndv.min(hashes.len() as u64));
        let mut filter = BloomFilter { words: vec![[0; 8]; self.size(distinct)] };
        hashes.iter().for_each(|hash| filter.insert(*hash));
        filter
    }

    /// Returns the number of 32-byte filter blocks for this many values.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    fn size(&self, distinct: u64) -> usize {
        // Each of the 8 bits of a value is set by others with the eighth root of the rate.
        let bits = -8.0 * distinct as f64 / (1.0 - self.fpp.powf(0.125)).ln();
        // Casts of floating-point numbers stop at the ends of the range.
        ((bits / 256.0).ceil() as usize).clamp(usize::from(distinct > 0), MOST_WORDS)
    }
}

/// Returns the hashes of some values; of types without a filter none.
pub(crate) fn hashes(values: ValuesRef<'_>, range: Range<usize>) -> Vec<u64> {
    let of = |bytes: &[u8]| twox_hash::XxHash64::oneshot(0, bytes);
    let long = |v: i64| of(&v.to_le_bytes());
    match values {
        ValuesRef::Int(v) => {
            v.get(range).unwrap_or_default().iter().map(|v| long(i64::from(*v))).collect()
        }
        ValuesRef::Long(v) => v.get(range).unwrap_or_default().iter().map(|v| long(*v)).collect(),
        ValuesRef::Bytes { offsets, data } => {
            range.filter_map(|i| offsets.value(i, data)).map(of).collect()
        }
        _ => Vec::new(),
    }
}

impl BloomFilter {
    /// Returns the filter block and the bits of a hash.
    #[allow(clippy::cast_possible_truncation)] // The halves are meant.
    fn place(&self, hash: u64) -> (usize, FilterBlock) {
        let word = ((hash >> 32) * self.words.len() as u64) >> 32;
        let low = hash as u32;
        (word as usize, SALT.map(|salt| 1 << (low.wrapping_mul(salt) >> 27)))
    }

    fn insert(&mut self, hash: u64) {
        let (word, bits) = self.place(hash);
        if let Some(words) = self.words.get_mut(word) {
            words.iter_mut().zip(bits).for_each(|(word, bit)| *word |= bit);
        }
    }

    /// Returns whether a value with this hash may be in the filter.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let (word, bits) = self.place(hash);
        let words = self.words.get(word);
        words.is_some_and(|words| words.iter().zip(bits).all(|(word, bit)| word & bit != 0))
    }
}

/// The filters of all blocks of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BloomFilters {
    pub(crate) bloom: Bloom,
    pub(crate) blocks: Vec<BloomFilter>,
}

impl BloomFilters {
    /// Encodes the entry for blocks of these rows and sizes.
    pub(crate) fn write(&self, sizes: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
        let mut out = self.bloom.request();
        wire::put_long(&mut out, self.blocks.len() as i64);
        for block in &self.blocks {
            wire::put_long(&mut out, block.words.len() as i64);
            let words = block.words.iter().flatten();
            words.for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        let proof = proof(&out, sizes);
        wire::put_fixed32(&mut out, proof);
        out
    }

    /// Reads the value in the metadata of a column with these blocks.
    pub(crate) fn read(bytes: &[u8], blocks: &[BlockDescriptor]) -> Result<Self> {
        let Some((entry, stored)) = bytes.split_last_chunk::<4>() else {
            return Err(Error::malformed("filters without a proof"));
        };
        let sizes = blocks.iter().map(|block| (block.rows, block.uncompressed_size));
        if proof(entry, sizes) != u32::from_le_bytes(*stored) {
            return Err(Error::malformed("filters of other blocks"));
        }
        let mut cursor = Cursor::new(entry);
        let bloom = Bloom::take(&mut cursor)?;
        if cursor.count("blocks")? != blocks.len() as u64 {
            return Err(Error::malformed("filters of another number of blocks"));
        }
        let mut filter = || {
            let n = usize::try_from(cursor.count("size of a filter")?).unwrap_or(usize::MAX);
            let bytes = cursor.take(n.saturating_mul(32), "filter")?;
            let (words, _) = bytes.as_chunks::<4>();
            let (words, _) = words.as_chunks::<8>();
            Ok(BloomFilter { words: words.iter().map(|w| w.map(u32::from_le_bytes)).collect() })
        };
        let filters = blocks.iter().map(|_| filter()).collect::<Result<_>>()?;
        match cursor.remaining() {
            0 => Ok(Self { bloom, blocks: filters }),
            n => Err(Error::malformed(format!("{n} bytes after filters"))),
        }
    }

    /// Concatenates the filters of columns; `None` if their parameters differ.
    pub(crate) fn concat(parts: Vec<Self>) -> Option<Self> {
        let bloom = parts.first()?.bloom;
        let alike = parts.iter().all(|part| part.bloom == bloom);
        let blocks = parts.into_iter().flat_map(|part| part.blocks).collect();
        alike.then_some(Self { bloom, blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(values: &[i64], fpp: f64) -> BloomFilter {
        let mut hashes = hashes(ValuesRef::Long(values), 0..values.len());
        Bloom { fpp, ndv: None }.filter(&mut hashes)
    }

    fn has(filter: &BloomFilter, value: i64) -> bool {
        filter.may_have(hashes(ValuesRef::Long(&[value]), 0..1)[0])
    }

    #[test]
    fn what_is_there_is_found_and_most_that_is_not_is_not() {
        let values: Vec<i64> = (0..5000).map(|i| i * 7919).collect();
        for (fpp, bytes) in [(0.1, 3_610), (0.01, 6_050), (0.001, 9_130)] {
            let filter = filter(&values, fpp);
            assert!(values.iter().all(|value| has(&filter, *value)));
            let wrong = (0..20_000).filter(|i| has(&filter, i * 7919 + 1)).count() as f64;
            assert!(wrong / 20_000.0 < fpp * 3.0, "{fpp}: {wrong}");
            let size = filter.words.len() * 32;
            assert!((bytes * 9 / 10..bytes * 11 / 10).contains(&size), "{fpp}: {size}");
        }
        assert_eq!(filter(&[], 0.01).words.len(), 0);
        assert!(!has(&filter(&[], 0.01), 0));
        assert!(has(&filter(&[3; 1000], 0.01), 3));
        assert_eq!(filter(&[3; 1000], 0.01).words.len(), 1);
    }

    #[test]
    fn go_both_ways_beside_their_blocks_alone() {
        let bloom = Bloom { fpp: 0.01, ndv: Some(100) };
        let blocks = vec![filter(&[1, 2, 3], 0.01), filter(&[], 0.01)];
        let filters = BloomFilters { bloom, blocks };
        let sizes = [(3, 24), (2, 0)];
        let bytes = filters.write(sizes.into_iter());
        let block = |(rows, uncompressed_size): (u32, u32)| BlockDescriptor {
            rows,
            uncompressed_size,
            compressed_size: 0,
            first_value: None,
            first_row: 0,
            offset: 0,
        };
        let blocks = sizes.map(block);
        assert_eq!(BloomFilters::read(&bytes, &blocks).unwrap(), filters);
        assert!(BloomFilters::read(&bytes, &blocks[..1]).is_err());
        for n in 0..bytes.len() {
            assert!(BloomFilters::read(&bytes[..n], &blocks).is_err());
        }
        // A proof that fits, and a size that does not.
        let mut huge = bloom.request();
        wire::put_long(&mut huge, 2);
        wire::put_long(&mut huge, i64::MAX);
        let right = proof(&huge, sizes.into_iter());
        wire::put_fixed32(&mut huge, right);
        assert!(BloomFilters::read(&huge, &blocks).is_err());
    }
}
