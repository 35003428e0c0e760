//! Arrays of every chunking, changed at random, compared with the same rows in memory.

#![allow(clippy::cast_possible_truncation)]

mod ranges;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::array::Build;
use crate::chunk::{Decoder, Generation, Header, Params};
use crate::dtype::DtypeKind;

/// Chunks in memory.
#[derive(Debug, Clone)]
struct Memory {
    layout: Layout,
    params: Params,
    chunks: Vec<Vec<u8>>,
}

impl Container for Memory {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn params(&self) -> &Params {
        &self.params
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        let chunk = self.chunks.get(number as usize);
        chunk.map(|c| Bytes::from(c.clone())).ok_or_else(|| Error::malformed("no such chunk"))
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        for (number, chunk) in edit.chunks {
            assert!(number <= self.chunks.len() as u64, "a chunk is left out before {number}");
            match self.chunks.get_mut(number as usize) {
                Some(old) => *old = chunk,
                None => self.chunks.push(chunk),
            }
        }
        assert!(edit.count <= self.chunks.len() as u64);
        self.chunks.truncate(edit.count as usize);
        self.layout.chunks = edit.count;
        self.layout.shape = edit.shape;
        if let Chunking::Varied { ends } = &mut self.layout.chunking {
            let mut end = 0;
            *ends = self
                .chunks
                .iter()
                .map(|chunk| {
                    end += u64::from(Header::parse(chunk).unwrap().nbytes);
                    end
                })
                .collect();
        }
        if let Some(attributes) = edit.attributes {
            self.layout.attributes = attributes;
        }
        Ok(())
    }
}

/// Chunks that were pushed, shared with the test.
struct Pushed(Vec<Vec<u8>>, Arc<Mutex<Vec<Vec<u8>>>>);

impl Build for Pushed {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        self.0.push(chunk.to_vec());
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[u64], _: &Attributes) -> Result<()> {
        *self.1.lock().unwrap() = self.0;
        Ok(())
    }
}

fn layout(shape: &[u64], chunking: Chunking, fill: &[u8]) -> Layout {
    Layout {
        dtype: Dtype::new(DtypeKind::Int, 4),
        shape: shape.to_vec(),
        order: Order::C,
        chunking,
        chunks: 0,
        fill: fill.to_vec(),
        attributes: Attributes::new(),
    }
}

fn flat(bytes: u64) -> Chunking {
    Chunking::Flat { chunk_bytes: bytes }
}

fn grid(chunk: &[u64], block: &[u64]) -> Chunking {
    Chunking::Grid { chunk_shape: chunk.to_vec(), block_shape: block.to_vec() }
}

/// Returns a layout for every chunking, of empty arrays.
fn layouts() -> Vec<Layout> {
    let fill = [1, 2, 3, 4];
    vec![
        layout(&[0], flat(40), &fill),
        layout(&[0, 3], flat(60), &[]),
        layout(&[0, 3], flat(40), &fill),
        layout(&[0], Chunking::Varied { ends: Vec::new() }, &fill),
        layout(&[0], grid(&[8], &[4]), &fill),
        layout(&[0], grid(&[7], &[4]), &fill),
        layout(&[0, 5], grid(&[4, 5], &[2, 5]), &[]),
        layout(&[0, 5], grid(&[4, 3], &[3, 2]), &fill),
        layout(&[0, 3, 4], grid(&[3, 2, 3], &[2, 2, 2]), &fill),
    ]
}

#[derive(Debug, Clone)]
enum Change {
    Append(usize),
    Write(usize, usize),
    Truncate(usize),
    Grow(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..60usize).prop_map(Change::Append),
        (0..100usize, 0..40usize).prop_map(|(at, n)| Change::Write(at, n)),
        (0..100usize).prop_map(Change::Truncate),
        (0..70usize).prop_map(Change::Grow),
    ]
}

/// Returns the rows that no two changes have alike.
fn rows(count: usize, row: usize, seed: &mut u8) -> Vec<u8> {
    (0..count * row)
        .map(|i| {
            if i % row == 0 {
                *seed = seed.wrapping_add(37);
            }
            seed.wrapping_add((i % row) as u8)
        })
        .collect()
}

fn check(array: &ChunkedArray, model: &[u8], row: usize) {
    let len = model.len() / row;
    assert_eq!(array.len(), len as u64);
    assert_eq!(array.read(0..len as u64).unwrap(), model);
    for (from, to) in [(0, len / 2), (len / 3, len), (len / 2, len / 2 + usize::from(len > 1))] {
        let part = array.read(from as u64..to as u64).unwrap();
        assert_eq!(part, model[from * row..to * row], "rows {from}..{to} of {len}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn changes_are_those_of_memory(changes in prop::collection::vec(change(), 1..9), threads in 1..3usize) {
        for layout in layouts() {
            let row = layout.row_bytes().unwrap();
            let params = Params::new(Generation::Blosc2, 4);
            let fill = match layout.fill.as_slice() { [] => vec![0; 4], fill => fill.to_vec() };
            let memory = Memory { layout, params, chunks: Vec::new() };
            let mut array = ChunkedArray::new(memory).with_parallelism(threads);
            let (mut model, mut seed) = (Vec::new(), 0u8);
            for change in &changes {
                let len = model.len() / row;
                match *change {
                    Change::Append(n) => {
                        let new = rows(n, row, &mut seed);
                        array.append(&new).unwrap();
                        model.extend(new);
                    }
                    Change::Write(at, n) => {
                        let at = at.min(len);
                        let new = rows(n.min(len - at), row, &mut seed);
                        array.write(at as u64, &new).unwrap();
                        model[at * row..at * row + new.len()].copy_from_slice(&new);
                    }
                    Change::Truncate(to) => {
                        array.truncate(to.min(len) as u64).unwrap();
                        model.truncate(to.min(len) * row);
                    }
                    Change::Grow(by) => {
                        array.grow((len + by) as u64).unwrap();
                        let filled = model.len() + by * row;
                        model.extend(fill.iter().cycle().take(filled - model.len()).copied().collect::<Vec<_>>());
                    }
                }
                check(&array, &model, row);
            }
        }
    }

    #[test]
    fn what_is_written_in_parts_is_what_is_appended(parts in prop::collection::vec(0..50usize, 0..8), threads in 1..3usize) {
        for layout in layouts() {
            if matches!(layout.chunking, Chunking::Varied { .. }) || layout.chunk_shape().is_none() {
                continue;
            }
            let (row, params) = (layout.row_bytes().unwrap(), Params::new(Generation::Blosc2, 4));
            let chunks = Arc::new(Mutex::new(Vec::new()));
            let build = Pushed(Vec::new(), chunks.clone());
            let mut writer = ArrayWriter::try_new(Box::new(build), &params, &layout).unwrap().with_parallelism(threads);
            let (mut model, mut seed) = (Vec::new(), 0u8);
            for n in &parts {
                let new = rows(*n, row, &mut seed);
                writer.write(&new).unwrap();
                model.extend(new);
            }
            let count = writer.finish(&Attributes::new()).unwrap();
            let chunks = std::mem::take(&mut *chunks.lock().unwrap());
            let mut layout = layout;
            layout.shape[0] = count;
            layout.chunks = chunks.len() as u64;
            let array = ChunkedArray::new(Memory { layout, params, chunks });
            check(&array, &model, row);
        }
    }
}

#[test]
fn what_cannot_be_is_said_and_changes_nothing() {
    let memory = Memory {
        layout: layout(&[0], flat(40), &[]),
        params: Params::new(Generation::Blosc1, 4),
        chunks: Vec::new(),
    };
    let mut array = ChunkedArray::new(memory);
    array.append(&rows(25, 4, &mut 0)).unwrap();
    let before = array.read(0..25).unwrap();
    let said = [
        array.append(&[1, 2, 3]).unwrap_err().to_string(),
        array.write(24, &[0; 8]).unwrap_err().to_string(),
        array.write(u64::MAX, &[0; 8]).unwrap_err().to_string(),
        array.truncate(26).unwrap_err().to_string(),
        array.grow(24).unwrap_err().to_string(),
        array.read(3..26).unwrap_err().to_string(),
    ];
    let wanted = [
        "invalid: 3 bytes are not rows of 4 bytes",
        "invalid: 2 rows from 24 on, but there are 25",
        "invalid: 2 rows from 18446744073709551615 on, but there are 25",
        "invalid: 26 rows from 0 on, but there are 25",
        "invalid: 25 rows cannot grow to 24",
        "invalid: 23 rows from 3 on, but there are 25",
    ];
    assert_eq!(said, wanted);
    assert_eq!(array.read(0..25).unwrap(), before);
}

#[test]
fn only_chunks_that_have_wanted_rows_are_asked_for() {
    let params = Params::new(Generation::Blosc2, 4);
    let mut memory = Memory { layout: layout(&[0], flat(40), &[]), params, chunks: Vec::new() };
    let mut array = ChunkedArray::new(memory.clone());
    array.append(&rows(35, 4, &mut 0)).unwrap();
    memory.layout = array.layout().clone();
    memory.chunks = (0..4).map(|n| array.container().chunk(n).unwrap().to_vec()).collect();
    memory.chunks[0].clear();
    memory.chunks[3].clear();
    let damaged = ChunkedArray::new(memory);
    assert_eq!(damaged.read(10..30).unwrap(), array.read(10..30).unwrap());
    let e = damaged.read(9..30).unwrap_err();
    assert_eq!(e.location().chunk, Some(0));
    assert!(damaged.read(30..31).is_err());
}

#[test]
fn rows_of_arrays_in_fortran_order_come_in_c_order() {
    let shape = [6u64, 3, 4];
    let (n, row) = (6usize, 12usize);
    // Element (i, j, k) is 12 i + 4 j + k, in memory at i + 6 j + 18 k.
    let mut memory = vec![0i32; 72];
    for i in 0..6 {
        for j in 0..3 {
            for k in 0..4 {
                memory[i + 6 * j + 18 * k] = (12 * i + 4 * j + k) as i32;
            }
        }
    }
    let bytes: Vec<u8> = memory.iter().flat_map(|v| v.to_le_bytes()).collect();
    let params = Params::new(Generation::Blosc1, 4);
    let mut layout = layout(&shape, flat(52), &[]);
    layout.order = Order::F;
    let parts: Vec<&[u8]> = bytes.chunks(52).collect();
    layout.chunks = parts.len() as u64;
    let chunks = chunk_coder::encode(1, &params, parts).unwrap();
    let mut array = ChunkedArray::new(Memory { layout, params, chunks });
    let wanted: Vec<u8> = (0..72i32).flat_map(i32::to_le_bytes).collect();
    for from in 0..n {
        for to in from..=n {
            let read = array.read(from as u64..to as u64).unwrap();
            assert_eq!(read, wanted[from * row * 4..to * row * 4]);
        }
    }
    assert!(array.append(&[0; 48]).unwrap_err().to_string().contains("Fortran"));
    let mut decoder = Decoder::default();
    let chunk = array.container().chunk(0).unwrap();
    let mut first = [0; 4];
    decoder.decode_range(&chunk, 0, &mut first).unwrap();
    assert_eq!(first, [0; 4]);
}
