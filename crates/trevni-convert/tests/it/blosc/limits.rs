//! Blosc containers of a few bytes that represent many values: any reader stays within its limits.
//!
//! Containers are random: chunks of special values and of runs, of any size, in files, frames and directories, with
//! numbers replaced by large ones.

use std::path::Path;

use proptest::prelude::*;
use trevni::io::Limits;
use trevni_blosc::chunk::{Generation, Params, Special, special};
use trevni_blosc::frame::{Cut, NewFrame};
use trevni_blosc::{Attributes, Dtype};
use trevni_convert::{Format, ReadOptions, Source};

use crate::damaged_files::first_rows;
use crate::hostile::{BESIDES, MEMORY};
use trevni_testing::allocator::peak;

/// What a container is.
#[derive(Debug, Clone)]
enum Kind {
    /// A Bloscpack file of chunks that are one run.
    Bloscpack,
    /// A frame of elements without a type, of chunks of special values.
    Flat { is_sparse: bool },
    /// A frame of rows of this many elements.
    Grid { is_sparse: bool, row: u64 },
}

#[derive(Debug, Clone)]
struct Input {
    kind: Kind,
    typesize: u8,
    /// Elements of a chunk.
    elements: u32,
    chunks: u32,
    special: Special,
    threads: usize,
    /// Where bytes of the first file are replaced, in thousandths, and by which.
    damage: Option<(usize, [u8; 4])>,
}

/// Returns a chunk of the second generation whose one block is a run of zeros.
fn run(nbytes: u32, typesize: u8) -> Vec<u8> {
    let mut out = vec![5, 1, 0x35, typesize];
    [nbytes, nbytes, 40].iter().for_each(|number| out.extend(number.to_le_bytes()));
    out.extend([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend(36u32.to_le_bytes());
    out.extend([0; 4]);
    out
}

fn bloscpack(input: &Input) -> Vec<u8> {
    let nbytes = input.elements * u32::from(input.typesize);
    let mut out = b"blpk\x03\0\0".to_vec();
    out.push(input.typesize);
    (0..2).for_each(|_| out.extend(nbytes.to_le_bytes()));
    [u64::from(input.chunks), 0].iter().for_each(|number| out.extend(number.to_le_bytes()));
    (0..input.chunks).for_each(|_| out.extend(run(nbytes, input.typesize)));
    out
}

/// Writes a frame. Fails if there is none of these sizes.
fn write_frame(path: &Path, input: &Input, row: Option<u64>) -> trevni::Result<()> {
    let (elements, typesize) = (u64::from(input.elements), input.typesize);
    let nbytes = input.elements * u32::from(typesize);
    let rows = elements / row.unwrap_or(1);
    let is_sparse =
        matches!(input.kind, Kind::Flat { is_sparse: true } | Kind::Grid { is_sparse: true, .. });
    let cut = match row {
        None => Cut::Flat { typesize: typesize.into(), chunk_bytes: nbytes.into() },
        Some(row) => Cut::Grid {
            dtype: Dtype::parse(&format!("<i{typesize}"))?,
            chunk_shape: vec![rows, row],
            block_shape: vec![rows.min(1000), row],
        },
    };
    let params = Params::new(Generation::Blosc2, typesize);
    let frame = NewFrame { params, cut, metalayers: Vec::new() };
    let mut frame =
        if is_sparse { frame.sparse(path, false)? } else { frame.contiguous(path, false)? };
    let chunk = special(input.special, nbytes, typesize);
    (0..input.chunks).try_for_each(|_| frame.push(&chunk))?;
    let count = u64::from(input.chunks);
    let shape = match row {
        None => vec![count * elements],
        Some(row) => vec![count * rows, row],
    };
    frame.finish(&shape, &Attributes::new())
}

/// Writes the container, damaged.
fn write(path: &Path, input: &Input) -> trevni::Result<()> {
    match input.kind {
        Kind::Bloscpack => std::fs::write(path, bloscpack(input))?,
        Kind::Flat { .. } => write_frame(path, input, None)?,
        Kind::Grid { row, .. } => write_frame(path, input, Some(row))?,
    }
    let Some((at, bytes)) = input.damage else { return Ok(()) };
    let file = if path.is_dir() { path.join("chunks.b2frame") } else { path.to_owned() };
    let mut damaged = std::fs::read(&file)?;
    let at = damaged.len() * at / 1000;
    damaged.iter_mut().skip(at).zip(bytes).for_each(|(to, byte)| *to = byte);
    Ok(std::fs::write(&file, damaged)?)
}

fn read(path: &Path, input: &Input) -> trevni::Result<usize> {
    let limits = Limits::of_memory(MEMORY);
    let options = ReadOptions { limits, threads: input.threads, ..ReadOptions::default() };
    let mut source = Source::open(path)?;
    let Some(format) = Format::of_source(&mut source)? else { return Ok(0) };
    let row = if let Kind::Grid { row, .. } = input.kind { row as usize } else { 1 };
    first_rows((format.open)(source, &options)?, 100_000 / row)
}

fn input() -> impl Strategy<Value = Input> {
    let kind = prop_oneof![
        Just(Kind::Bloscpack),
        any::<bool>().prop_map(|is_sparse| Kind::Flat { is_sparse }),
        (any::<bool>(), prop::sample::select(vec![1u64, 3, 4096, 1 << 20, 1 << 26]))
            .prop_map(|(is_sparse, row)| Kind::Grid { is_sparse, row }),
    ];
    let large = prop::sample::select(vec![
        [0xff, 0xff, 0xff, 0x7f],
        [0x7f, 0xff, 0xff, 0xff],
        [0xff; 4],
        [0, 0, 0, 0x40],
    ]);
    let special = prop::sample::select(vec![Special::Zeros, Special::Nan, Special::Uninit]);
    (
        kind,
        prop::sample::select(vec![1u8, 2, 4, 8]),
        prop::sample::select(vec![1u32, 1000, 1 << 16, 1 << 20, 1 << 26, (1 << 28) - 64]),
        prop::sample::select(vec![1u32, 2, 50, 3000]),
        special,
        prop::sample::select(vec![1usize, 2, 16]),
        prop::option::of((0..1000usize, large)),
    )
        .prop_map(|(kind, typesize, elements, chunks, special, threads, damage)| Input {
            // A chunk has less than 2 GiB.
            elements: elements.min((1 << 30) / u32::from(typesize)),
            kind,
            typesize,
            chunks,
            special,
            threads,
            damage,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Any such container gives its rows or an error, within the limits.
    #[test]
    fn containers_take_no_more_than_the_limit(input in input()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("container");
        if write(&path, &input).is_ok() {
            let (result, held) = peak(|| read(&path, &input));
            prop_assert!(held < MEMORY + BESIDES, "{held} bytes: {result:?}");
        }
    }
}
