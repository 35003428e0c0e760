//! Byte and bit shuffles at each level, compared with their definitions.

use super::*;

type Kernel = fn(Level, usize, &[u8], &mut [u8]);

/// Returns the bytes in an allocation of their exact size, so that an address sanitizer sees every read past it.
fn boxed(bytes: &[u8]) -> Box<[u8]> {
    bytes.into()
}

/// Shuffles bytes by the definition.
fn shuffled(width: usize, bytes: &[u8]) -> Vec<u8> {
    let n = bytes.len() / width;
    let mut out = bytes.to_vec();
    for e in 0..n {
        for b in 0..width {
            out[b * n + e] = bytes[e * width + b];
        }
    }
    out
}

/// Shuffles bits by the definition.
fn bitshuffled(width: usize, bytes: &[u8]) -> Vec<u8> {
    let n = bytes.len() / width / 8 * 8;
    let mut out = bytes.to_vec();
    out[..n * width].fill(0);
    for e in 0..n {
        for b in 0..width {
            for i in 0..8 {
                let bit = bytes[e * width + b] >> i & 1;
                out[(b * 8 + i) * (n / 8) + e / 8] |= bit << (e % 8);
            }
        }
    }
    out
}

/// Returns the bytes of which no two words are the same.
fn bytes(len: usize) -> Box<[u8]> {
    let mut state = 88_172_645_463_325_252u64;
    let byte = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    boxed(&(0..len).map(byte).collect::<Vec<_>>())
}

/// Compares both directions, at each level, with a definition.
fn compare(
    width: usize,
    len: usize,
    definition: fn(usize, &[u8]) -> Vec<u8>,
    [there, back]: [Kernel; 2],
) {
    let bytes = bytes(len);
    let expected = boxed(&definition(width, &bytes));
    for level in Level::all() {
        // The previous content does not matter.
        let mut out = boxed(&vec![0xa5; len]);
        there(level, width, &bytes, &mut out);
        assert!(out == expected, "there: width {width}, {len} bytes, {}", level.name());
        let mut out = boxed(&vec![0x5a; len]);
        back(level, width, &expected, &mut out);
        assert!(out == bytes, "back: width {width}, {len} bytes, {}", level.name());
    }
}

fn both(width: usize, len: usize) {
    compare(width, len, shuffled, [shuffle, unshuffle]);
    compare(width, len, bitshuffled, [bitshuffle, unbitshuffle]);
}

const WIDTHS: [usize; 6] = [48, 63, 64, 65, 200, 255];

#[test]
fn few_bytes_of_every_width() {
    for width in (1..=40).chain(WIDTHS) {
        (0..300).for_each(|len| both(width, len));
    }
}

/// Around the tile sizes.
#[test]
fn few_elements_of_every_width() {
    for width in (1..=40).chain(WIDTHS) {
        for n in [31, 32, 33, 63, 64, 65, 72, 127, 200, 256, 264, 504, 511, 512, 520, 1031] {
            both(width, n * width);
            both(width, n * width + width / 2);
        }
    }
}

#[test]
fn whole_blocks_of_every_width() {
    for width in (1..=40).chain(WIDTHS) {
        for len in [4096, 32 << 10, (32 << 10) + 13] {
            both(width, len);
        }
    }
}

/// The longer of both counts as long as the shorter; no width is as good as 1.
#[test]
fn lengths_that_differ_and_no_width() {
    let kernels: [Kernel; 4] = [shuffle, unshuffle, bitshuffle, unbitshuffle];
    for (kernel, level) in
        kernels.iter().flat_map(|kernel| Level::all().into_iter().map(move |level| (kernel, level)))
    {
        for (from, to) in [(700, 650), (650, 700), (0, 700), (700, 0), (9000, 8999)] {
            for width in [0, 1, 3, 4, 8, 20, 1000, usize::MAX] {
                let bytes = bytes(from);
                let shorter = from.min(to);
                let mut expected = vec![7; shorter];
                kernel(level, width.max(1), &bytes[..shorter], &mut expected);
                let mut out = boxed(&vec![9; to]);
                kernel(level, width, &bytes, &mut out);
                assert_eq!(out[..shorter], expected, "{width} {from} {to} {level:?}");
                assert!(out[shorter..].iter().all(|byte| *byte == 9));
            }
        }
    }
}
