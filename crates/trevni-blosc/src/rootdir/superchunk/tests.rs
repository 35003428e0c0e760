use super::*;
use crate::chunk::{Decoder, Encoder, Generation, Params};
use trevni::wire::put_fixed32;

/// Returns a chunk of `n` bytes that cannot be made smaller.
fn chunk(n: usize, seed: u8) -> Vec<u8> {
    chunk_of(n, n, seed)
}

/// Returns a chunk of `total` bytes, of which all after the first `n` are 0.
fn chunk_of(total: usize, n: usize, seed: u8) -> Vec<u8> {
    let mut state = u32::from(seed) + 1;
    let mut data: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(n)
    .collect();
    data.resize(total, 0);
    let mut out = Vec::new();
    Encoder::new(&Params::new(Generation::Blosc1, 1)).unwrap().encode(&data, &mut out).unwrap();
    out
}

fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let bytes = Bytes::copy_from_slice(bytes);
    let index = Index::read("x", &bytes)?;
    (0..index.starts.len()).map(|k| Ok(index.chunk("x", &bytes, k, 10_000)?.to_vec())).collect()
}

#[test]
fn chunks_come_back_with_and_without_slack_and_checksums() {
    let chunks = [chunk(100, 1), chunk(100, 2), chunk(50, 3)];
    let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
    for digest in [Digest::None, Digest::Adler32, Digest::Sha256] {
        for (slack, version, len) in
            [(Slack::Bytes(0), 3, 0), (Slack::Bytes(10), 2, 30), (Slack::Percent(50), 2, 150)]
        {
            let bytes = assemble(&slices, digest, slack, None).unwrap();
            assert_eq!(read(&bytes).unwrap(), chunks);
            assert_eq!(bytes[4], version);
            assert!(bytes.len().abs_diff(32 + 24 + 116 + 116 + 66 + 3 * digest.size() + len) < 2);
            if digest != Digest::None {
                let mut wrong = bytes.clone();
                wrong[32 + 24 + 40] ^= 1;
                assert!(read(&wrong).is_err());
            }
        }
    }
    assert_eq!(assemble(&[], Digest::None, Slack::Bytes(9), None).unwrap().len(), 32);
}

#[test]
fn what_fits_stays_where_it_is() {
    let chunk = |n, seed| chunk_of(5000, n, seed);
    let mut chunks = vec![chunk(100, 1), chunk(100, 2), chunk(100, 3)];
    let build = |chunks: &[Vec<u8>], old: Option<&Index>| {
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        assemble(&slices, Digest::None, Slack::Bytes(20), old).unwrap()
    };
    let first = build(&chunks, None);
    let index = Index::read("x", &first.as_slice()).unwrap();
    chunks[1] = chunk(110, 4);
    let second = build(&chunks, Some(&index));
    assert_eq!(Index::read("x", &second.as_slice()).unwrap().starts, index.starts);
    assert_eq!((second.len(), read(&second).unwrap()), (first.len(), chunks.clone()));
    chunks[1] = chunk(130, 5);
    let third = build(&chunks, Some(&index));
    assert_ne!(Index::read("x", &third.as_slice()).unwrap().starts, index.starts);
    assert_eq!(read(&third).unwrap(), chunks);
    chunks.pop();
    assert_eq!(read(&build(&chunks, Some(&index))).unwrap(), chunks);
}

/// Returns the file that the first proposal draws.
fn proposal(chunks: &[Vec<u8>], base: u64) -> Vec<u8> {
    let mut out = b"blpk\x01\x00\x01\0".to_vec();
    put_fixed32(&mut out, 100);
    put_fixed32(&mut out, 0);
    let first = 32 + 8 * chunks.len() as u64;
    put_fixed64(&mut out, first + chunks.iter().map(|c| c.len() as u64).sum::<u64>());
    put_fixed64(&mut out, chunks.len() as u64);
    let mut start = first - base;
    for chunk in chunks {
        put_fixed64(&mut out, start);
        start += chunk.len() as u64;
    }
    out.extend(chunks.concat());
    out
}

#[test]
fn reads_every_way_that_the_proposals_leave_open() {
    let chunks = [chunk(100, 1), chunk(100, 2)];
    // From the start of the file, from after the header, from the first chunk.
    for base in [0, 32, 48] {
        assert_eq!(read(&proposal(&chunks, base)).unwrap(), chunks, "{base}");
    }
    let mut unknown = proposal(&chunks, 0);
    unknown[32..48].fill(0xff);
    assert_eq!(read(&unknown).unwrap(), chunks);
    let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
    let tight = assemble(&slices, Digest::None, Slack::Bytes(0), None).unwrap();
    // Without offsets, with the number of chunks and without it, and with bare metadata between.
    let mut bare = [&tight[..32], &tight[48..]].concat();
    bare[5] = 0;
    assert_eq!(read(&bare).unwrap(), chunks);
    bare[16..24].fill(0xff);
    assert_eq!(read(&bare).unwrap(), chunks);
    let mut with_metadata = [&bare[..32], b"{}  ", &bare[32..]].concat();
    (with_metadata[4], with_metadata[5], with_metadata[24]) = (2, 2, 4);
    assert_eq!(read(&with_metadata).unwrap(), chunks);
    let mut section =
        b"JSON\0\0\0\0\0\x01\0\x06\x02\0\0\0\x06\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0{}\0\0\0\0"
            .to_vec();
    section.extend(Digest::Adler32.of(b"{}"));
    let mut with_section = [&bare[..32], &section, &bare[32..]].concat();
    (with_section[4], with_section[5]) = (3, 2);
    with_section[24..32].fill(0);
    assert_eq!(read(&with_section).unwrap(), chunks);
}

#[test]
fn damage_is_an_error_and_never_more() {
    let chunks = [chunk(100, 1), chunk(60, 2)];
    let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
    let whole = assemble(&slices, Digest::Crc32, Slack::Bytes(5), None).unwrap();
    let mut decoder = Decoder::default();
    for len in 0..whole.len() - 5 {
        assert!(read(&whole[..len]).is_err(), "{len}");
    }
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut wrong = whole.clone();
            wrong[at] = value;
            for chunk in read(&wrong).into_iter().flatten() {
                let nbytes = chunk::Header::parse(&chunk).unwrap().nbytes;
                let mut out = vec![0; usize::try_from(nbytes.min(1000)).unwrap()];
                let _ = decoder.decode(&chunk, &mut out);
            }
        }
    }
    let mut many = whole;
    many[16..24].copy_from_slice(&(i64::MAX / 8).to_le_bytes());
    assert!(read(&many).unwrap_err().to_string().contains("short of offsets"));
    assert_eq!(number("__12__.bin"), Some(12));
    assert!(["__012__.bin", "__12.blp", "__-1__.bin"].iter().all(|name| number(name).is_none()));
}
