//! The shuffles, at each level of this machine: `cargo bench -p trevni-blosc`. Names end with the level, as
//! `TREVNI_SIMD` has it.
#![allow(clippy::cast_possible_truncation, missing_docs)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use trevni::simd::Level;
use trevni_blosc::shuffle as kernel;
use trevni_testing::numbers::{Numbers, below};

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

/// Shuffles and bit shuffles of elements of several sizes, and their inverses, in bytes per second.
fn shuffle(c: &mut Criterion) {
    type Kernel = fn(Level, usize, &[u8], &mut [u8]);
    let kernels: [(&str, Kernel); 4] = [
        ("unshuffle", kernel::unshuffle),
        ("shuffle", kernel::shuffle),
        ("unbitshuffle", kernel::unbitshuffle),
        ("bitshuffle", kernel::bitshuffle),
    ];
    let mut group = c.benchmark_group("shuffle");
    let n = &mut Numbers(5);
    for block in [32 << 10, 256 << 10] {
        let bytes: Vec<u8> = (0..block).map(|_| below(n, 256) as u8).collect();
        for (name, kernel) in kernels {
            for width in [2, 4, 8, 16] {
                let name = format!("{name}/{width}/{}K", block >> 10);
                each_level(&mut group, &name, block, |level, out: &mut Vec<u8>| {
                    out.resize(block, 0);
                    kernel(level, width, &bytes, out);
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, shuffle);
criterion_main!(benches);
