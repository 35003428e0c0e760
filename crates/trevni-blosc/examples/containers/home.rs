//! The containers that are tried, and how each is made and changed.

use std::path::Path;

use trevni_blosc::bloscpack::{BloscpackBuilder, BloscpackProperties, Digest, Room};
use trevni_blosc::chunk::{Encoder, Generation, Params};
use trevni_blosc::frame::{Cut, Metalayer, NewFrame};
use trevni_blosc::rootdir::{
    CarrayBuilder, CtableBuilder, DirectoryFormat, Slack, Storage, Superchunks,
};
use trevni_blosc::{ArrayWriter, Build, ChunkedTable, Chunking, Layout, Order};

use super::Result;
use super::case::{Case, Column};
use super::change::{self, Change, Model, More, attributes};
use super::chunks;

/// The kind of container of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Bloscpack,
    Carray(Dirs),
    Ctable(Dirs),
    /// A super-chunk, contiguous or sparse.
    Frame {
        sparse: bool,
    },
    /// A b2nd array of several dimensions, contiguous or sparse.
    B2nd {
        sparse: bool,
        dimensions: usize,
    },
}

/// The format of chunk files in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dirs {
    Bcolz,
    Superchunk,
}

/// A container that is tried.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
}

pub(crate) const HOMES: [Home; 11] = [
    Home { name: "bloscpack", place: Place::Bloscpack },
    Home { name: "carray", place: Place::Carray(Dirs::Bcolz) },
    Home { name: "superchunk", place: Place::Carray(Dirs::Superchunk) },
    Home { name: "ctable", place: Place::Ctable(Dirs::Bcolz) },
    Home { name: "supertable", place: Place::Ctable(Dirs::Superchunk) },
    Home { name: "frame", place: Place::Frame { sparse: false } },
    Home { name: "sparseframe", place: Place::Frame { sparse: true } },
    Home { name: "b2nd", place: Place::B2nd { sparse: false, dimensions: 1 } },
    Home { name: "sparseb2nd", place: Place::B2nd { sparse: true, dimensions: 1 } },
    Home { name: "grid", place: Place::B2nd { sparse: false, dimensions: 3 } },
    Home { name: "sparsegrid", place: Place::B2nd { sparse: true, dimensions: 3 } },
];

/// The checksums of the chunks of a Bloscpack file, one after another.
const DIGESTS: [&str; 9] =
    ["None", "adler32", "crc32", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

impl Home {
    /// Returns what reads it.
    pub(crate) fn kind(&self) -> &'static str {
        match self.place {
            Place::Bloscpack => "bloscpack",
            Place::Carray(Dirs::Bcolz) => "carray",
            Place::Carray(Dirs::Superchunk) => "superchunk",
            Place::Ctable(Dirs::Bcolz) => "ctable",
            Place::Ctable(Dirs::Superchunk) => "supertable",
            Place::Frame { .. } => "frame",
            Place::B2nd { .. } => "b2nd",
        }
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.place, Place::Ctable(_))
    }

    pub(crate) fn generation(&self) -> Generation {
        match self.place {
            Place::Bloscpack | Place::Carray(_) | Place::Ctable(_) => Generation::Blosc1,
            Place::Frame { .. } | Place::B2nd { .. } => Generation::Blosc2,
        }
    }

    /// Returns whether the container supports elements of this type.
    pub(crate) fn takes(&self, dtype: &str) -> bool {
        match self.place {
            Place::Bloscpack | Place::B2nd { .. } => true,
            // What fills a bcolz array must be JSON.
            Place::Carray(Dirs::Bcolz) | Place::Ctable(Dirs::Bcolz) => {
                !["V7", "record"].contains(&dtype)
            }
            Place::Carray(_) | Place::Ctable(_) => dtype != "record",
            // It knows sizes only.
            Place::Frame { .. } => {
                ["bool", "i2", "i4", "i8", "f4", "f8", "S10", "c16", "V7"].contains(&dtype)
            }
        }
    }

    pub(crate) fn filters(&self) -> &'static [&'static str] {
        match self.generation() {
            Generation::Blosc1 => &["byte", "bit", "none"],
            Generation::Blosc2 => &["byte", "bit", "none", "delta", "deltabyte", "trunc", "group"],
        }
    }

    pub(crate) fn changes(&self) -> &'static [&'static [Change]] {
        match self.place {
            Place::Bloscpack => &change::APPENDS,
            Place::Frame { .. } => &change::CHUNKS,
            _ => &change::ALL,
        }
    }

    pub(crate) fn row_shape(&self, turn: usize) -> Vec<u64> {
        match self.place {
            Place::B2nd { dimensions: 3, .. } => vec![5, 3],
            Place::Bloscpack | Place::Carray(_) if turn % 4 == 2 => vec![3],
            Place::Bloscpack | Place::Carray(_) if turn % 4 == 3 => vec![2, 3],
            _ => Vec::new(),
        }
    }

    /// Returns the slack after a chunk.
    pub(crate) fn slack(&self, turn: usize) -> Slack {
        match self.place {
            Place::Carray(Dirs::Superchunk) | Place::Ctable(Dirs::Superchunk) => {
                [Slack::Bytes(0), Slack::Bytes(0), Slack::Bytes(64), Slack::Percent(30)][turn % 4]
            }
            _ => Slack::Bytes(0),
        }
    }

    pub(crate) fn write(&self, case: &Case, path: &Path, models: &[Model]) -> Result<()> {
        match (self.place, &*case.columns, models) {
            (Place::Ctable(dirs), ..) => write_table(case, dirs, path, models),
            (place, [column], [model]) => write_array(case, place, column, path, model),
            _ => Err("an array has one column".into()),
        }
    }

    pub(crate) fn change(
        &self,
        case: &Case,
        path: &Path,
        models: &mut [Model],
        changes: &[Change],
        more: &mut More,
    ) -> Result<()> {
        if self.is_table() {
            let mut table = ChunkedTable::open(path)?.with_parallelism(1 + case.turn % 2);
            return change::table(&mut table, models, changes, more);
        }
        let [model] = models else { return Err("an array has one column".into()) };
        let mut changes = changes;
        if let ([Change::Chunks, rest @ ..], Place::Frame { sparse }) = (changes, self.place) {
            chunks::edit(path, sparse, case, model, more)?;
            changes = rest;
        }
        let mut array = match trevni_blosc::open(path)?.arrays.pop() {
            Some((_, array)) => array.with_parallelism(1 + case.turn % 2),
            None => return Err("there is no array".into()),
        };
        change::array(&mut array, model, changes, more)
    }
}

fn write_array(
    case: &Case,
    place: Place,
    column: &Column,
    path: &Path,
    model: &Model,
) -> Result<()> {
    let params = params(case, column);
    let chunk_bytes = case.chunk_rows * model.row as u64;
    let flat = Chunking::Flat { chunk_bytes };
    let (build, chunking, params): (Box<dyn Build>, _, Params) = match place {
        Place::Bloscpack => {
            let array = Some((column.dtype.clone(), Order::C));
            let properties = properties(case.turn)?;
            let build = BloscpackBuilder::create(path, false, array, &params, properties)?;
            (Box::new(build), flat, params)
        }
        Place::Carray(dirs) => {
            let storage = storage(case, column)?;
            let params = storage.params.clone();
            let form = form(case, dirs);
            (Box::new(CarrayBuilder::create(path, storage, form, false)?), flat, params)
        }
        Place::Frame { sparse } => {
            let typesize = u32::try_from(column.dtype.size)?;
            let cut = Cut::Flat { typesize, chunk_bytes };
            (frame(path, sparse, &params, cut)?, flat, params)
        }
        _ => {
            let (chunk_shape, block_shape) = boxes(case, column);
            let dtype = column.dtype.clone();
            let chunking = Chunking::Grid {
                chunk_shape: chunk_shape.clone(),
                block_shape: block_shape.clone(),
            };
            let block = block_shape.iter().product::<u64>() * dtype.size as u64;
            let params = Params { block_size: u32::try_from(block)?, ..params };
            let sparse = matches!(place, Place::B2nd { sparse: true, .. });
            let cut = Cut::Grid { dtype, chunk_shape, block_shape };
            (frame(path, sparse, &params, cut)?, chunking, params)
        }
    };
    let layout = Layout::of_rows(column.dtype.clone(), &column.row_shape, chunking);
    let writer = ArrayWriter::try_new(build, &params, &layout)?;
    let mut writer = writer.with_parallelism(1 + case.turn % 2);
    // In parts that are not chunks.
    model.bytes.chunks(model.row * 53).try_for_each(|rows| writer.write(rows))?;
    writer.finish(&attributes(false))?;
    Ok(())
}

fn write_table(case: &Case, dirs: Dirs, path: &Path, models: &[Model]) -> Result<()> {
    let columns = case.columns.iter().map(|c| Ok((c.name.to_owned(), storage(case, c)?)));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut builder = CtableBuilder::create(path, columns.clone(), form(case, dirs), false)?;
    let (mut shapes, mut chunk) = (Vec::new(), Vec::new());
    for (number, ((_, storage), model)) in columns.iter().zip(models).enumerate() {
        let mut encoder = Encoder::new(&storage.params)?;
        for rows in model.bytes.chunks(model.row * usize::try_from(case.chunk_rows)?) {
            chunk.clear();
            encoder.encode(rows, &mut chunk)?;
            builder.push(number, &chunk)?;
        }
        shapes.push(vec![case.rows as u64]);
    }
    Ok(builder.finish(&shapes, &attributes(false))?)
}

/// Returns how the chunks of a column are written.
pub(crate) fn params(case: &Case, column: &Column) -> Params {
    let typesize = u8::try_from(column.dtype.size).unwrap_or(1);
    Params { typesize, ..case.params.clone() }
}

fn storage(case: &Case, column: &Column) -> Result<Storage> {
    let storage = Storage::new(column.dtype.clone(), &column.row_shape, case.rows as u64)?;
    Ok(Storage {
        params: Params { typesize: storage.params.typesize, ..case.params.clone() },
        chunk_shape: vec![case.chunk_rows],
        fill: case.fill(&column.dtype),
        ..storage
    })
}

fn form(case: &Case, dirs: Dirs) -> DirectoryFormat {
    let slack = case.home.slack(case.turn);
    match dirs {
        Dirs::Bcolz => DirectoryFormat::Bcolz,
        Dirs::Superchunk => {
            DirectoryFormat::Superchunk(Superchunks { chunks: [0, 1, 2][case.turn % 3], slack })
        }
    }
}

fn properties(turn: usize) -> Result<BloscpackProperties> {
    Ok(BloscpackProperties {
        checksum: Digest::from_name(DIGESTS[turn % DIGESTS.len()])?,
        offsets: turn % 4 != 3,
        max_app_chunks: [Room::Times(10), Room::Exactly(0), Room::Exactly(7)][turn % 3],
        ..BloscpackProperties::default()
    })
}

/// Begins a frame, with a metalayer that is ours.
fn frame(path: &Path, sparse: bool, params: &Params, cut: Cut) -> Result<Box<dyn Build>> {
    // MessagePack: a map of one name to 7.
    let content = bytes::Bytes::from_static(b"\x81\xa4mine\x07");
    let metalayers = vec![Metalayer { name: "ours".into(), content }];
    let new = NewFrame { params: params.clone(), cut, metalayers };
    Ok(if sparse { new.sparse(path, false)? } else { new.contiguous(path, false)? })
}

/// Returns the shapes of a chunk and of a block.
fn boxes(case: &Case, column: &Column) -> (Vec<u64>, Vec<u64>) {
    if column.row_shape.is_empty() {
        let rows = case.chunk_rows;
        return (vec![rows], vec![[rows, rows / 3 + 1, 10][case.turn % 3]]);
    }
    let rows = case.chunk_rows.min(1000);
    let turns = [([5, 3], [5, 3]), ([2, 2], [2, 1]), ([4, 3], [3, 2])];
    let (chunk, block) = turns[case.turn % turns.len()];
    let block_rows = [rows, rows / 3 + 1, 7][case.turn / 3 % 3];
    ([&[rows], &chunk[..]].concat(), [&[block_rows], &block[..]].concat())
}
