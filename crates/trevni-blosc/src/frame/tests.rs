//! Frames of C-Blosc2, of this crate, and malformed ones.

mod appends_to_goldens;
mod building;
mod commits;
mod crash;
mod golden;
mod hostile;
mod reported;
mod spec;

use std::path::{Path, PathBuf};

use super::{ContiguousFrame, FrameHeader, Index, SparseFrame};
use crate::array::{Attributes, Container, Edit};
use crate::chunk::{Decoder, Encoder, Header, Params};
use trevni::Result;

/// Returns the folder of files that C-Blosc2 wrote: the corpus if it exists, otherwise the selection.
fn golden() -> PathBuf {
    let corpus = trevni_testing::data::corpus("golden/blosc/blosc2");
    corpus.unwrap_or_else(|| trevni_testing::data::selected("blosc/blosc2"))
}

/// A frame of either kind.
#[derive(Debug)]
enum Frame {
    Contiguous(ContiguousFrame),
    Sparse(SparseFrame),
}

macro_rules! either {
    ($self:expr, $frame:ident => $body:expr) => {
        match $self {
            Frame::Contiguous($frame) => $body,
            Frame::Sparse($frame) => $body,
        }
    };
}

impl Frame {
    fn open(path: &Path) -> Result<Self> {
        match path.is_dir() {
            true => SparseFrame::open(path).map(Frame::Sparse),
            false => ContiguousFrame::open(path).map(Frame::Contiguous),
        }
    }

    fn get(&self) -> &dyn Container {
        either!(self, frame => frame)
    }

    fn header(&self) -> &FrameHeader {
        either!(self, frame => frame.header())
    }

    fn index(&self) -> &Index {
        either!(self, frame => frame.index())
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        either!(self, frame => frame.commit(edit))
    }

    fn insert(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        either!(self, frame => frame.insert_chunk(number, chunk))
    }

    fn update(&mut self, number: u64, chunk: &[u8]) -> Result<()> {
        either!(self, frame => frame.update_chunk(number, chunk))
    }

    fn delete(&mut self, number: u64) -> Result<()> {
        either!(self, frame => frame.delete_chunk(number))
    }

    fn append(&mut self, chunk: &[u8]) -> Result<()> {
        either!(self, frame => frame.append_chunk(chunk))
    }

    fn set_attributes(&mut self, attributes: &Attributes) -> Result<()> {
        either!(self, frame => frame.set_attributes(attributes))
    }

    /// Returns the bytes of all chunks, one after another.
    fn bytes(&self) -> Vec<u8> {
        bytes_of(self.get()).unwrap()
    }
}

fn bytes_of(frame: &dyn Container) -> Result<Vec<u8>> {
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    for number in 0..frame.layout().chunks {
        let chunk = frame.chunk(number)?;
        let start = out.len();
        out.resize(start + Header::parse(&chunk)?.nbytes as usize, 0);
        decoder.decode(&chunk, &mut out[start..])?;
    }
    Ok(out)
}

fn packed(params: &Params, data: &[u8]) -> Vec<u8> {
    let mut chunk = Vec::new();
    Encoder::new(params).unwrap().encode(data, &mut chunk).unwrap();
    chunk
}

/// Integers that look like data: a walk of small steps from a seed.
fn walk(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut value = 0i64;
    let steps = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        value += (state % 101) as i64 - 50;
        value
    });
    steps.take(count).flat_map(i64::to_le_bytes).collect()
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::write(to.join(entry.file_name()), std::fs::read(entry.path()).unwrap())
                .unwrap();
        }
    } else {
        std::fs::write(to, std::fs::read(from).unwrap()).unwrap();
    }
}
