//! The kernels, on the values of one block (64 kB), at each level of this machine.
//!
//! `cargo bench --bench kernels`; values or rows a second. Names end with the level, as `TREVNI_SIMD` has it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use trevni::__kernel::{self as kernel, LengthRun, Level};

/// What a block holds before it is compressed.
const BLOCK: usize = 64 << 10;

/// Random bits, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 16) % n
    }
}

/// Measures a kernel at each level; `run` gets an empty state each time.
fn each_level<S: Default>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    elements: usize,
    mut run: impl FnMut(Level, &mut S),
) {
    group.throughput(Throughput::Elements(elements as u64));
    for level in Level::all() {
        let mut state = S::default();
        group.bench_function(format!("{name}/{}", level.name()), |b| {
            b.iter(|| run(level, black_box(&mut state)));
        });
    }
}

/// Longs whose varints fill a block: of 4 bytes and rising, of 1 or 2, of 1, of up to 5, of 9 or 10.
fn numbers() -> [(&'static str, Vec<i64>); 5] {
    let mut n = Numbers(88_172_645_463_325_252);
    [
        ("sorted", (0..16_000).map(|i| 12_000_000 + i * 4 + n.below(2) as i64).collect()),
        ("mid", (0..39_000).map(|_| n.below(200) as i64).collect()),
        ("small", (0..65_000).map(|_| n.below(50) as i64).collect()),
        ("ints", (0..13_000).map(|_| n.next() as i32 / 2).map(i64::from).collect()),
        ("random", (0..6_800).map(|_| n.next() as i64).collect()),
    ]
}

fn varints(c: &mut Criterion) {
    let mut group = c.benchmark_group("varints");
    for (name, values) in numbers() {
        let mut bytes = Vec::new();
        kernel::varint::encode_longs(Level::Portable, &values, &mut bytes);
        let n = values.len();
        each_level(&mut group, &format!("longs/{name}"), n, |level, out: &mut Vec<i64>| {
            out.clear();
            black_box(kernel::varint::decode_longs(level, &bytes, n, out));
        });
        each_level(&mut group, &format!("skip/{name}"), n, |level, _: &mut ()| {
            black_box(kernel::varint::skip_varints(level, &bytes, n));
        });
        each_level(&mut group, &format!("put_longs/{name}"), n, |level, out: &mut Vec<u8>| {
            out.clear();
            kernel::varint::encode_longs(level, &values, out);
        });
        let Ok(ints) = values.iter().map(|v| i32::try_from(*v)).collect::<Result<Vec<_>, _>>()
        else {
            continue;
        };
        each_level(&mut group, &format!("ints/{name}"), n, |level, out: &mut Vec<i32>| {
            out.clear();
            black_box(kernel::varint::decode_ints(level, &bytes, n, out));
        });
        each_level(&mut group, &format!("put_ints/{name}"), n, |level, out: &mut Vec<u8>| {
            out.clear();
            kernel::varint::encode_ints(level, &ints, out);
        });
    }
    group.finish();
}

/// Strings that fill a block, as offsets and data.
fn texts(n: &mut Numbers, shortest: u64, longest: u64) -> (Vec<i32>, Vec<u8>) {
    let (mut offsets, mut data) = (vec![0], Vec::new());
    while data.len() + offsets.len() < BLOCK {
        let len = shortest + n.below(longest - shortest + 1);
        data.extend((0..len).map(|_| b'a' + n.below(26) as u8));
        offsets.push(data.len() as i32);
    }
    (offsets, data)
}

fn strings(c: &mut Criterion) {
    let mut group = c.benchmark_group("strings");
    let mut numbers = Numbers(1);
    for (shortest, longest) in [(4, 4), (14, 14), (26, 26), (3, 7), (10, 50), (100, 100)] {
        let (offsets, data) = texts(&mut numbers, shortest, longest);
        let mut bytes = Vec::new();
        kernel::string::encode_strings(Level::Portable, &offsets, &data, &mut bytes);
        let (n, name) = (offsets.len() - 1, format!("{shortest}-{longest}"));
        type Out = (Vec<i32>, Vec<u8>);
        each_level(
            &mut group,
            &format!("strings/{name}"),
            n,
            |level, (offsets, data): &mut Out| {
                offsets.clear();
                data.clear();
                offsets.push(0);
                black_box(kernel::string::decode_strings(level, &bytes, n, offsets, data));
            },
        );
        each_level(&mut group, &format!("put_strings/{name}"), n, |level, out: &mut Vec<u8>| {
            out.clear();
            kernel::string::encode_strings(level, &offsets, &data, out);
        });
        group.bench_function(format!("skip_strings/{name}/portable"), |b| {
            b.iter(|| black_box(kernel::string::skip_strings(&bytes, n)));
        });
    }
    group.finish();
}

/// Returns the rows of which some are null, as bits and as lengths.
fn rows(n: usize, nulls_in_100: u64) -> (Vec<u8>, Vec<u8>) {
    let mut numbers = Numbers(2);
    let valid: Vec<bool> = (0..n).map(|_| numbers.below(100) >= nulls_in_100).collect();
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    let mut lengths = Vec::new();
    for run in valid.chunk_by(|a, b| a == b) {
        let (value, count) = (i64::from(run[0]), run.len() as i64);
        lengths.push(if count == 1 { value } else { 3 - value - 2 * count });
    }
    let mut bytes = Vec::new();
    kernel::varint::encode_longs(Level::Portable, &lengths, &mut bytes);
    (valid.chunks(8).map(byte).collect(), bytes)
}

fn nulls(c: &mut Criterion) {
    let mut group = c.benchmark_group("nulls");
    let dense: Vec<i32> = (0..=BLOCK as i32).collect();
    let wide: Vec<i64> = dense.iter().map(|v| i64::from(*v)).collect();
    for in_100 in [1, 10, 50] {
        let n = 512 << 10;
        let (validity, lengths) = rows(n, in_100);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(format!("presence/{in_100}%/portable"), |b| {
            let mut bits = Vec::new();
            b.iter(|| {
                bits.clear();
                let mut run = LengthRun::default();
                black_box(kernel::bitmap::lengths_to_bitmap(&lengths, n, &mut run, &mut bits, 0))
            });
        });
        let n = 16 << 10;
        each_level(&mut group, &format!("expand/4/{in_100}%"), n, |level, out: &mut Vec<i32>| {
            out.clear();
            kernel::gather::expand(level, &dense, &validity, 3, n, 0, out);
        });
        each_level(&mut group, &format!("expand/8/{in_100}%"), n, |level, out: &mut Vec<i64>| {
            out.clear();
            kernel::gather::expand(level, &wide, &validity, 3, n, 0, out);
        });
        each_level(
            &mut group,
            &format!("repeat_ends/{in_100}%"),
            n,
            |level, out: &mut Vec<i32>| {
                out.clear();
                kernel::gather::expand_offsets(level, &dense, &validity, 3, n, out);
            },
        );
    }
    group.finish();
}

/// Returns the bytes of columns: amounts in cents, times, words, one of a few codes.
#[cfg(feature = "snappy")]
fn columns(len: usize) -> [(&'static str, Vec<u8>); 4] {
    let mut n = Numbers(3);
    let words = ["the ", "quick", "ly ", "foxes ", "pending accounts ", "sleep", "s. "];
    let amount = |n: &mut Numbers| (n.below(9000) as f64 / 100.0).to_le_bytes();
    let time =
        |n: &mut Numbers, i: u64| (1_700_000_000_000 + i * 1000 + n.below(1000)).to_le_bytes();
    [
        ("amounts", (0..len / 8).flat_map(|_| amount(&mut n)).collect()),
        ("times", (0..len as u64 / 8).flat_map(|i| time(&mut n, i)).collect()),
        ("words", (0..len).flat_map(|_| words[n.below(7) as usize].bytes()).take(len).collect()),
        ("codes", (0..len / 2).flat_map(|_| [2, b"ANR"[n.below(3) as usize]]).collect()),
    ]
}

/// So many blocks that no branch is known from the last time; what has no kernel is `snap`'s.
#[cfg(feature = "snappy")]
fn snappy(c: &mut Criterion) {
    use snap::raw::{Decoder, Encoder};
    let mut group = c.benchmark_group("snappy");
    for (name, bytes) in columns(64 * BLOCK) {
        let blocks: Vec<Vec<u8>> =
            bytes.chunks(BLOCK).map(|block| Encoder::new().compress_vec(block).unwrap()).collect();
        each_level(
            &mut group,
            &format!("decompress_snappy/{name}"),
            bytes.len(),
            |level, out: &mut Vec<u8>| {
                for block in &blocks {
                    // The length of a full block takes three bytes.
                    if !kernel::snappy::decompress_snappy(level, &block[3..], BLOCK, out) {
                        out.resize(BLOCK, 0);
                        Decoder::new().decompress(block, out).unwrap();
                    }
                }
            },
        );
    }
    group.finish();
}

#[cfg(not(feature = "snappy"))]
fn snappy(_: &mut Criterion) {}

/// What the value codec unpacks: a chunk of numbers, codes, entries, runs, views.
fn pack(c: &mut Criterion) {
    const N: usize = kernel::CHUNK;
    let mut group = c.benchmark_group("pack");
    let mut n = Numbers(7);
    for width in [1u32, 8, 13, 20, 44] {
        let values = std::array::from_fn(|_| (n.next() & ((1 << width) - 1)) as i64);
        let mut bytes = Vec::new();
        kernel::bitpack::pack(Level::Portable, &values, width, 0, &mut bytes);
        each_level(&mut group, &format!("frame/{width}"), N, |level, out: &mut Vec<u8>| {
            out.clear();
            kernel::bitpack::pack(level, &values, width, 0, out);
        });
        each_level(&mut group, &format!("unpack/{width}"), N, |level, out: &mut Vec<i64>| {
            out.clear();
            kernel::bitpack::unpack(level, &bytes, width, 17, out);
        });
        let name = format!("unpack/{width}/wide");
        each_level(&mut group, &name, N, |level, out: &mut Vec<i128>| {
            out.clear();
            kernel::bitpack::unpack(level, &bytes, width, 17, out);
            kernel::bitpack::scale(level, out, 100, 3);
        });
    }
    let longs: Vec<i64> = (0..N).map(|_| n.next() as i64).collect();
    each_level(&mut group, "widen", N, |level, out: &mut Vec<i128>| {
        out.clear();
        kernel::bitpack::widen(level, &longs, out);
    });
    let codes: Vec<u32> = (0..N).map(|_| n.below(40) as u32).collect();
    let table: Vec<f64> = (0..40).map(f64::from).collect();
    each_level(&mut group, "gather", N, |level, out: &mut Vec<f64>| {
        out.clear();
        kernel::gather::gather(level, &codes, &table, out);
    });
    let few: Vec<u32> = codes.iter().map(|code| code % 7).collect();
    let table: Vec<u128> = (0..7).collect();
    each_level(&mut group, "gather/views", N, |level, out: &mut Vec<u128>| {
        out.clear();
        kernel::gather::gather(level, &few, &table, out);
    });
    let bits: Vec<u8> = (0..2048).map(|_| n.below(256) as u8).collect();
    let places: Vec<u32> = (0..16).map(|i| i * 1024 + n.below(1024) as u32).collect();
    each_level(&mut group, "ranks", places.len(), |level, out: &mut Vec<u32>| {
        out.clear();
        kernel::bitmap::rank(level, &bits, &places, out);
    });
    for most in [1, 8, 25] {
        let lengths = (0..40).map(|i| if most == 1 { 1 } else { i % most }).collect();
        let slots = kernel::StringSlots { bytes: vec![[b'a'; kernel::SLOT]; 40], lengths };
        let name = format!("gather_strings/{most}");
        each_level(&mut group, &name, N, |level, out: &mut (Vec<i32>, Vec<u8>)| {
            out.0.clear();
            out.1.clear();
            kernel::gather::gather_strings(level, &codes, &slots, &mut out.0, &mut out.1);
        });
    }
    let ends: Vec<usize> = (1..=N / 4).map(|i| i * 4).collect();
    let values: Vec<i64> = (0..N as i64 / 4).collect();
    each_level(&mut group, "repeat", N, |level, out: &mut Vec<i64>| {
        out.clear();
        kernel::gather::repeat(level, &values, &ends, 0, out);
    });
    let offsets: Vec<i32> = (0..=N as i32).map(|i| i * 27 / 2).collect();
    let data = vec![b'x'; 27 * N];
    each_level(&mut group, "views", N, |level, out: &mut Vec<u128>| {
        out.clear();
        kernel::string::offsets_to_views(level, &offsets, &data, 0, out);
    });
    group.finish();
}

criterion_group!(benches, varints, strings, nulls, snappy, pack);
criterion_main!(benches);
