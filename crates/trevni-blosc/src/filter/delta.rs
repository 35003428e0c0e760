//! The delta filter: XOR with a reference block.
//!
//! ```text
//! block 0       x0   x1^x0   x2^x1   ..        the element before
//! block k       y0^x0   y1^x1   y2^x2   ..     the same element of block 0
//! ```
//! The element width is the typesize if that is 1, 2, 4 or 8; else 8 bytes if it is a multiple of 8; else 1. Bytes
//! after the last complete element are not changed.

/// Returns the width of an element.
fn width(typesize: usize) -> usize {
    match typesize {
        1 | 2 | 4 | 8 => typesize,
        _ if typesize.is_multiple_of(8) => 8,
        _ => 1,
    }
}

/// Fills `out` with block 0, changed.
pub(super) fn first(typesize: usize, block: &[u8], out: &mut [u8]) {
    let width = width(typesize);
    let whole = block.len() / width * width;
    out.copy_from_slice(block);
    let changed = out.iter_mut().take(whole).skip(width);
    changed.zip(block).for_each(|(to, before)| *to ^= before);
}

/// The inverse of [`first`], in place.
pub(super) fn undo_first(typesize: usize, block: &mut [u8]) {
    match width(typesize) {
        1 => undo::<1>(block),
        2 => undo::<2>(block),
        4 => undo::<4>(block),
        _ => undo::<8>(block),
    }
}

fn undo<const WIDTH: usize>(block: &mut [u8]) {
    let mut before = [0; WIDTH];
    for element in block.as_chunks_mut::<WIDTH>().0 {
        element.iter_mut().zip(before).for_each(|(to, before)| *to ^= before);
        before = *element;
    }
}

/// Fills `out` with a block, changed by the block 0 of its chunk.
pub(super) fn other(typesize: usize, reference: &[u8], block: &[u8], out: &mut [u8]) {
    out.copy_from_slice(block);
    undo_other(typesize, reference, out);
}

/// The inverse of [`other`], in place.
pub(super) fn undo_other(typesize: usize, reference: &[u8], block: &mut [u8]) {
    let width = width(typesize);
    let whole = block.len() / width * width;
    block.iter_mut().take(whole).zip(reference).for_each(|(to, same)| *to ^= same);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_both_ways_at_every_width_and_tail() {
        for typesize in 1..40 {
            for len in 0..70_usize {
                let block: Vec<u8> = (0..len).map(|i| (i * i + 3 * i).to_le_bytes()[0]).collect();
                let mut out = vec![0; len];
                first(typesize, &block, &mut out);
                undo_first(typesize, &mut out);
                assert_eq!(out, block);
                let reference: Vec<u8> = (0..len + 5).map(|i| (i * 7).to_le_bytes()[0]).collect();
                other(typesize, &reference, &block, &mut out);
                undo_other(typesize, &reference, &mut out);
                assert_eq!(out, block);
            }
        }
        let mut out = [0; 7];
        first(2, &[1, 2, 3, 4, 5, 6, 7], &mut out);
        assert_eq!(out, [1, 2, 2, 6, 6, 2, 7]);
        other(3, &[1; 9], &[1, 2, 3, 4, 5, 6, 7], &mut out);
        assert_eq!(out, [0, 3, 2, 5, 4, 7, 6]);
    }
}
