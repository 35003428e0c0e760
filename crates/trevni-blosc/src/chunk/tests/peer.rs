//! Each reads what the other writes: these chunks and those of c-blosc 1.21.

use super::*;

const NAMES: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/// Returns the parameters of c-blosc's call.
fn params(name: &str, level: u8, filter: u8, typesize: u8) -> Params {
    let mut params = Params::new(Generation::Blosc1, typesize);
    params.compressor = Compressor::from_name(name).unwrap();
    params.level = level;
    params.filters[5] = match filter {
        0 => Filter::None,
        1 => Filter::Shuffle { group: 0 },
        _ => Filter::BitShuffle,
    };
    params
}

/// Both ways, and to the byte where the compressor is the same library.
fn compare(name: &str, level: u8, filter: u8, typesize: u8, data: &[u8], noise: &mut Noise) {
    let what = format!("{name} {level} filter {filter} typesize {typesize} of {}", data.len());
    let ours = encode(&params(name, level, filter, typesize), data);
    let theirs = oracle::compress(name, level, filter, typesize, data).expect(&what);
    assert!(decode(&theirs, data.len()) == data, "{what}");
    if !data.is_empty() {
        assert!(oracle::decompress(&ours, data.len()).is_some_and(|back| back == data), "{what}");
    }
    let is_same_library = matches!(name, "lz4" | "lz4hc" | "zstd");
    assert!(!is_same_library || ours == theirs, "{what}");
    // The decision to compress may differ.
    let plain = |chunk: &[u8]| (chunk[2] & !0x02, chunk[3], chunk[4..12].to_vec());
    assert_eq!(plain(&ours), plain(&theirs), "{what}");
    let width = usize::from(typesize);
    let count = data.len() / width;
    let start = noise.below(count + 1);
    let n = noise.below(count - start + 1);
    let mut part = vec![0xa5; n * width];
    for chunk in [&ours, &theirs] {
        Decoder::default().decode_range(chunk, start * width, &mut part).unwrap();
        assert!(part == data[start * width..][..n * width], "{what}");
        if let Some(items) = oracle::items(chunk, typesize, start, n) {
            assert!(items == part, "{what}");
        }
    }
}

#[test]
fn every_typesize() {
    let mut noise = Noise(3);
    for typesize in (1..=40).chain([255]) {
        for name in NAMES {
            let width = usize::from(typesize);
            for n in [0, 1, 100, 127, 128, width * 300, width * 500 + noise.below(width)] {
                let kind = noise.below(5);
                let data = &kinds(&mut noise, n)[kind];
                let level = noise.byte_below(8);
                compare(name, level, noise.byte_below(3), typesize, data, &mut noise);
            }
        }
    }
}

#[test]
fn every_level_and_filter() {
    let mut noise = Noise(4);
    for name in NAMES {
        for level in 0..=9 {
            for filter in 0..=2 {
                let slow = name == "zstd" && level > 7;
                let n = if slow { 5000 } else { 70_000 + noise.below(8) };
                let data = kinds(&mut noise, n);
                let kinds = if slow { &data[1..2] } else { &data[..] };
                for data in kinds {
                    compare(name, level, filter, 8, data, &mut noise);
                }
            }
        }
    }
}

/// Large enough for several blocks.
#[test]
fn many_blocks() {
    let mut noise = Noise(5);
    let data = kinds(&mut noise, 1 << 20);
    for name in ["blosclz", "lz4", "snappy"] {
        for typesize in [1, 2, 7, 8, 16, 17] {
            for data in &data[..4] {
                compare(name, 5, 1, typesize, data, &mut noise);
            }
        }
    }
}
