//! Damaged chunks: an error or some bytes, and nothing else.

use super::*;

/// Returns small chunks of all kinds.
fn small() -> Vec<Vec<u8>> {
    let mut noise = Noise(6);
    let data: Vec<u8> = (0..700_u16).flat_map(|i| (i / 3 * 7).to_le_bytes()).collect();
    let mut all = Vec::new();
    for generation in [Generation::Blosc1, Generation::Blosc2] {
        for name in ["blosclz", "lz4", "zlib", "zstd", "snappy"] {
            let compressor = Compressor::from_name(name).unwrap();
            if generation == Generation::Blosc2 && compressor == Compressor::Snappy {
                continue;
            }
            for filter in [Filter::Shuffle { group: 0 }, Filter::BitShuffle] {
                let mut params = Params { compressor, ..Params::new(generation, 2) };
                params.filters[5] = filter;
                params.block_size = 600;
                if generation == Generation::Blosc2 && filter == Filter::BitShuffle {
                    params.filters[2] = Filter::Delta;
                }
                all.push(encode(&params, &data));
            }
        }
        all.push(encode(&Params::new(generation, 4), &noise.bytes(200)));
        all.push(encode(&Params::new(generation, 4), &[3; 400]));
    }
    all.push(special(Special::Nan, 80, 8));
    let mut repeated = special(Special::Uninit, 90, 3);
    (repeated[12], repeated[31]) = (35, 3 << 4);
    repeated.extend_from_slice(b"abc");
    assert_eq!(decode(&repeated, 90), b"abc".repeat(30));
    all.push(repeated);
    all.push(with_dictionary());
    all
}

/// Returns a chunk of one LZ4 stream that refers to a dictionary.
fn with_dictionary() -> Vec<u8> {
    let stream = [0x0f, 16, 0, 25, 0x50, b'!', b'!', b'!', b'!', b'!'];
    let mut chunk = special(Special::Uninit, 49, 1);
    (chunk[2], chunk[12], chunk[31]) = (0x35, 32 + 4 + 4 + 16 + 4 + 10, 1);
    chunk.extend_from_slice(&56_u32.to_le_bytes());
    chunk.extend_from_slice(&16_u32.to_le_bytes());
    chunk.extend_from_slice(b"0123456789abcdef");
    chunk.extend_from_slice(&10_u32.to_le_bytes());
    chunk.extend_from_slice(&stream);
    chunk
}

/// Opens it, whatever it is, into as much as it claims if that is little.
fn open(decoder: &mut Decoder, chunk: &[u8]) -> bool {
    let claimed = Header::parse(chunk).map_or(0, |header| header.nbytes as usize);
    let mut out = vec![0; claimed.min(20_000)];
    let n = out.len();
    let is_read = decoder.decode(chunk, &mut out).is_ok();
    for (start, len) in [(0, 1), (n / 2, n / 3), (n.saturating_sub(7), 7)] {
        let _ = decoder.decode_range(chunk, start, &mut vec![0; len.min(n)]);
    }
    is_read
}

#[test]
fn a_dictionary_comes_before_the_stream() {
    let expected = [b"0123456789abcdef".repeat(3)[..44].to_vec(), b"!!!!!".to_vec()].concat();
    assert_eq!(decode(&with_dictionary(), 49), expected);
}

#[test]
fn every_truncation_is_an_error() {
    let mut decoder = Decoder::default();
    for chunk in small() {
        assert!(open(&mut decoder, &chunk));
        for cut in 0..chunk.len() {
            assert!(!open(&mut decoder, &chunk[..cut]), "{cut} of {}", chunk.len());
        }
        let longer = [&chunk[..], b"behind"].concat();
        assert!(open(&mut decoder, &longer));
    }
}

#[test]
fn every_change_of_a_byte_is_survived() {
    let mut decoder = Decoder::default();
    let mut read = 0;
    for chunk in small() {
        let mut changed = chunk.clone();
        for place in 0..chunk.len() {
            let bits = (0..8).map(|bit| chunk[place] ^ 1 << bit);
            for byte in bits.chain([0, 1, 0x7f, 0x80, 0xff]) {
                changed[place] = byte;
                read += usize::from(open(&mut decoder, &changed));
            }
            changed[place] = chunk[place];
        }
    }
    assert!(read > 0);
}

#[test]
fn noise_behind_a_header_is_survived() {
    let mut decoder = Decoder::default();
    let mut noise = Noise(7);
    for chunk in small() {
        for _ in 0..300 {
            let mut changed = chunk.clone();
            let keep = 16 + noise.below(changed.len() - 15);
            let n = changed.len() - keep;
            changed[keep..].copy_from_slice(&noise.bytes(n));
            open(&mut decoder, &changed);
        }
    }
}

#[test]
fn says_what_it_does_not_know() {
    let chunk = encode(&Params::new(Generation::Blosc2, 8), &[5; 800]);
    let error = |place: usize, byte: u8| {
        let mut changed = chunk.clone();
        changed[place] = byte;
        let mut out = vec![0; 800];
        Decoder::default().decode(&changed, &mut out).unwrap_err().to_string()
    };
    for (place, byte, message) in [
        (0, 0, "unsupported: a chunk of version 0"),
        (0, 7, "unsupported: a chunk of version 7"),
        (1, 2, "unsupported: streams of version 2"),
        (2, 0xc5, "unsupported: a chunk with a compressor of its user's own"),
        (3, 0, "malformed: a chunk with elements of 0 bytes"),
        (8, 0x21, "malformed: a chunk with blocks of 801 of its 800 bytes"),
        (16, 35, "unsupported: filter number 35"),
        (30, 1, "unsupported: a chunk with blocks of various sizes"),
        (31, 0x08, "unsupported: a chunk with the data elsewhere"),
        (31, 0x80, "unsupported: a chunk with timings instead of data"),
        (31, 0x50, "unsupported: special values of number 5"),
    ] {
        assert_eq!(error(place, byte), message, "{place}");
    }
    let first = encode(&Params::new(Generation::Blosc1, 8), &[5; 800]);
    for (byte, message) in [
        (0x29, "unsupported: a first-generation chunk with unknown flags"),
        (0x25, "malformed: a first-generation chunk that is shuffled twice"),
    ] {
        let mut changed = first.clone();
        changed[2] = byte;
        assert_eq!(Header::parse(&changed).unwrap_err().to_string(), message);
    }
}
