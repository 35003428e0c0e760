//! The bytes of a chunk that are needed to decode a range of it.
//!
//! ```text
//! head      header │ starts                 fetched first, as much as a guess says
//! needed                      block 3 │ block 4          fetched then: from where the first of them begins
//!                                               to where another block does that is not among them
//! ```
//! Blocks may be in any order, and their ends are not stored; blocks do not overlap.

use std::ops::Range;

use super::{Content, Generation, Header, blocks::Blocks};
use crate::filter::Pipeline;
use trevni::Result;
use trevni::wire::Cursor;

/// Bytes of a head that is fetched before it is known how long it is: with the starts of 120 blocks.
pub(crate) const HEAD: usize = 512;

/// Returns the bytes of a chunk that are needed to decode `range`, given its head; all bytes if that is unknown.
pub(crate) fn needed(head: &[u8], range: &Range<usize>) -> Result<Range<usize>> {
    let header = Header::parse(head)?;
    let all = 0..header.cbytes as usize;
    if range.is_empty() || range.end > header.nbytes as usize {
        return Ok(all);
    }
    Ok(match header.content {
        Content::Stored => header.size() + range.start..header.size() + range.end,
        Content::Blocks => of_blocks(&header, head, range)?.unwrap_or(all),
        Content::Special(_) | Content::Repeated => all,
    })
}

fn of_blocks(header: &Header, head: &[u8], range: &Range<usize>) -> Result<Option<Range<usize>>> {
    let is_first = header.generation() == Generation::Blosc1;
    let pipeline = Pipeline::new(&header.filters()?, header.typesize, is_first)?;
    if pipeline.has_delta() || header.has_dictionary {
        return Ok(None);
    }
    let blocks = Blocks::of(header)?;
    let mut cursor = Cursor::new(head);
    cursor.take(header.size(), "the header of a chunk")?;
    let Ok(starts) = cursor.take(blocks.count().saturating_mul(4), "the block starts of a chunk")
    else {
        return Ok(None);
    };
    let starts = starts.as_chunks().0.iter().map(|start| u32::from_le_bytes(*start) as usize);
    let wanted = range.start / blocks.size()..range.end.div_ceil(blocks.size());
    let ours = |index: &usize| wanted.contains(index);
    let first = starts.clone().enumerate().filter(|(i, _)| ours(i)).map(|(_, start)| start).min();
    let last = starts.clone().enumerate().filter(|(i, _)| ours(i)).map(|(_, start)| start).max();
    let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
    let end = starts.enumerate().filter(|(i, start)| !ours(i) && *start > last);
    let end = end.map(|(_, start)| start).min().unwrap_or(usize::MAX);
    Ok(Some(first..end.min(header.cbytes as usize)).filter(|range| !range.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{Decoder, Encoder, Params};
    use crate::{Compressor, Filter};

    /// Returns the bytes that look random at the low end of each element only.
    fn data(len: u32) -> Vec<u8> {
        let noise = |i: u32| i.wrapping_mul(2_654_435_761) >> 20;
        (0..len / 4).flat_map(|i| (i * 3 + noise(i)).to_le_bytes()).collect()
    }

    fn all_params() -> Vec<Params> {
        let mut all = Vec::new();
        for generation in [Generation::Blosc1, Generation::Blosc2] {
            for compressor in [Compressor::Lz4, Compressor::Zlib, Compressor::Zstd] {
                for filter in [Filter::None, Filter::Shuffle { group: 0 }, Filter::BitShuffle] {
                    for (level, typesize) in [(0, 4), (5, 4), (5, 8), (5, 3)] {
                        let mut params = Params::new(generation, typesize);
                        (params.compressor, params.level) = (compressor, level);
                        (params.filters[5], params.block_size) = (filter, 10_000);
                        all.push(params);
                    }
                }
            }
        }
        let mut delta = Params::new(Generation::Blosc2, 4);
        delta.filters[4] = Filter::Delta;
        let grouped = Filter::Shuffle { group: 2 };
        let mut group = Params::new(Generation::Blosc2, 4);
        group.filters[5] = grouped;
        all.extend([delta, group]);
        all
    }

    #[test]
    fn what_is_needed_is_enough() {
        let mut data = data(70_000);
        data.push(9);
        for params in all_params() {
            let mut chunk = Vec::new();
            Encoder::new(&params).unwrap().encode(&data, &mut chunk).unwrap();
            let mut decoder = Decoder::default();
            let behind = vec![0xee; HEAD];
            chunk.extend(&behind);
            for range in [0..1, 0..8, 4999..5020, 9_996..10_012, 33_333..33_341, 69_992..70_001] {
                let needed = needed(&chunk[..HEAD], &range).unwrap();
                let part = &chunk[needed.clone()];
                let mut out = vec![0; range.len()];
                let head = if needed.start == 0 { part } else { &chunk[..HEAD] };
                decoder.decode_part(head, (needed.start, part), range.start, &mut out).unwrap();
                assert!(out == data[range.clone()], "{params:?} {range:?}");
                let mut whole = vec![0; range.len()];
                decoder.decode_range(&chunk, range.start, &mut whole).unwrap();
                assert_eq!(out, whole);
            }
        }
    }

    #[test]
    fn what_is_behind_the_value_that_repeats_is_not_part_of_it() {
        let mut chunk = Vec::new();
        let data = data(4096);
        Encoder::new(&Params::new(Generation::Blosc2, 4))
            .unwrap()
            .encode(&data, &mut chunk)
            .unwrap();
        chunk.truncate(32);
        chunk[31] = 3 << 4;
        chunk[12..16].copy_from_slice(&36u32.to_le_bytes());
        chunk.extend([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(needed(&chunk, &(4..8)).unwrap(), 0..36);
        let mut out = [0; 8];
        Decoder::default().decode_part(&chunk, (0, &chunk), 4, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 4, 1, 2, 3, 4]);
    }

    #[test]
    fn only_the_blocks_that_are_wanted() {
        let params = Params { block_size: 10_000, ..Params::new(Generation::Blosc2, 4) };
        let mut chunk = Vec::new();
        Encoder::new(&params).unwrap().encode(&data(70_000), &mut chunk).unwrap();
        let start =
            |i: usize| u32::from_le_bytes(chunk[32 + 4 * i..][..4].try_into().unwrap()) as usize;
        let needed = |range| needed(&chunk[..HEAD], &range).unwrap();
        assert_eq!(needed(0..4), start(0)..start(1));
        assert_eq!(needed(10_000..20_001), start(1)..start(3));
        assert_eq!(needed(69_999..70_000), start(6)..chunk.len());
        assert_eq!(needed(69_999..70_001), 0..chunk.len());
    }
}
