//! trevni: chunks in memory, and every container.

use std::io;
use std::path::{Path, PathBuf};

use trevni_blosc::bloscpack::{BloscpackBuilder, BloscpackProperties, Digest};
use trevni_blosc::chunk::{Decoder, Encoder, Generation, Params};
use trevni_blosc::frame::{Cut, NewFrame};
use trevni_blosc::rootdir::{CarrayBuilder, DirectoryFormat, Storage};
use trevni_blosc::{ArrayWriter, Attributes, Build, ChunkedArray, Chunking, Dtype, Layout, Order};

use crate::Result;
use crate::course::{CHUNK, Course, VALUE};
use crate::lanes;
use crate::race::{Measure, Racer, new_memory, timed};

const ROWS: u64 = (CHUNK / VALUE) as u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Bloscpack(Digest),
    Bcolz,
    Frame { sparse: bool },
}

/// Everything of ours, on so many threads.
pub fn racers(course: &Course, threads: usize) -> Vec<Box<dyn Racer>> {
    let codec = |home, generation| -> Box<dyn Racer> {
        Box::new(Codec::new(home, generation, course, threads))
    };
    let file = |name, home| -> Box<dyn Racer> {
        let dtype = if course.name == "f64" { "<f8" } else { "<i8" };
        Box::new(Container { name, home, dtype, threads, path: course.dir.join(name) })
    };
    vec![
        codec("chunk1", Generation::Blosc1),
        codec("chunk2", Generation::Blosc2),
        file("bloscpack", Home::Bloscpack(Digest::None)),
        file("bloscpack-adler32", Home::Bloscpack(Digest::Adler32)),
        file("bcolz", Home::Bcolz),
        file("contiguous", Home::Frame { sparse: false }),
        file("sparse", Home::Frame { sparse: true }),
    ]
}

/// Chunks in memory, by coders of which each thread has one.
struct Codec {
    home: &'static str,
    params: Params,
    chunks: Vec<Vec<u8>>,
    decoders: Vec<Decoder>,
}

impl Codec {
    fn new(home: &'static str, generation: Generation, course: &Course, threads: usize) -> Self {
        Self {
            home,
            params: Params::new(generation, VALUE as u8),
            chunks: vec![Vec::new(); course.chunks.len()],
            decoders: (0..threads).map(|_| Decoder::default()).collect(),
        }
    }

    fn write(&mut self, course: &Course) -> Result<()> {
        let encoders = self.decoders.iter().map(|_| Encoder::new(&self.params));
        let mut encoders = encoders.collect::<std::result::Result<Vec<_>, _>>()?;
        let jobs = course.bytes.chunks(CHUNK).zip(&mut self.chunks);
        lanes::each(&mut encoders, jobs, |encoder, (bytes, chunk)| {
            chunk.clear();
            encoder.encode(bytes, chunk).map_err(io::Error::other)
        })
    }

    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        let jobs = self.chunks.iter().zip(out.chunks_mut(CHUNK));
        lanes::each(&mut self.decoders, jobs, |decoder, (chunk, out)| {
            decoder.decode(chunk, out).map_err(io::Error::other)
        })
    }

    fn element(&mut self, element: u64) -> Result<[u8; VALUE]> {
        let (number, row) = ((element / ROWS) as usize, (element % ROWS) as usize);
        let mut value = [0; VALUE];
        self.decoders[0].decode_range(&self.chunks[number], row * VALUE, &mut value)?;
        Ok(value)
    }
}

impl Racer for Codec {
    fn home(&self) -> &'static str {
        self.home
    }

    fn who(&self) -> &'static str {
        "trevni"
    }

    fn clear(&mut self) -> Result<()> {
        Ok(())
    }

    fn lap(
        &mut self,
        course: &Course,
        measure: Measure,
        lap: usize,
        out: &mut [u8],
    ) -> Result<Option<f64>> {
        match measure {
            Measure::Write => timed(|| self.write(course)),
            Measure::Read => timed(|| self.read(out)),
            Measure::Element => timed(|| {
                let mut elements = course.elements(lap).iter();
                elements.try_for_each(|n| {
                    std::hint::black_box(self.element(*n)?);
                    Ok(())
                })
            }),
            Measure::Load | Measure::Chunk => Ok(None),
        }
    }

    fn check(&mut self, course: &Course, out: &mut [u8]) -> Result<u64> {
        self.read(out)?;
        let mut elements = course.elements(0).iter();
        let all = elements.all(|n| self.element(*n).is_ok_and(|v| v == course.value(*n)));
        match all && out == course.bytes {
            true => Ok(self.chunks.iter().map(|chunk| chunk.len() as u64).sum()),
            false => Err("other values than were written".into()),
        }
    }
}

/// A file or a folder.
struct Container {
    name: &'static str,
    home: Home,
    dtype: &'static str,
    threads: usize,
    path: PathBuf,
}

impl Container {
    fn write(&self, bytes: &[u8]) -> Result<()> {
        let dtype = Dtype::parse(self.dtype)?;
        let (build, params) = self.build(&dtype, (bytes.len() / VALUE) as u64)?;
        let layout = Layout::of_rows(dtype, &[], Chunking::Flat { chunk_bytes: CHUNK as u64 });
        let writer = ArrayWriter::try_new(build, &params, &layout)?;
        let mut writer = writer.with_parallelism(self.threads);
        writer.write(bytes)?;
        writer.finish(&Attributes::new())?;
        Ok(())
    }

    fn build(&self, dtype: &Dtype, rows: u64) -> Result<(Box<dyn Build>, Params)> {
        let path = &self.path;
        Ok(match self.home {
            Home::Bloscpack(checksum) => {
                let params = Params::new(Generation::Blosc1, VALUE as u8);
                let properties = BloscpackProperties { checksum, ..Default::default() };
                let array = Some((dtype.clone(), Order::C));
                let build = BloscpackBuilder::create(path, false, array, &params, properties)?;
                (build.expecting(&[rows], &Attributes::new(), CHUNK as u32)?, params)
            }
            Home::Bcolz => {
                let storage = Storage::new(dtype.clone(), &[], rows)?;
                let storage = Storage { chunk_shape: vec![ROWS], ..storage };
                let params = storage.params.clone();
                (
                    Box::new(CarrayBuilder::create(path, storage, DirectoryFormat::Bcolz, false)?),
                    params,
                )
            }
            Home::Frame { sparse } => {
                let params = Params::new(Generation::Blosc2, VALUE as u8);
                let cut = Cut::Flat { typesize: VALUE as u32, chunk_bytes: CHUNK as u64 };
                let new = NewFrame { params: params.clone(), cut, metalayers: Vec::new() };
                let build =
                    if sparse { new.sparse(path, false)? } else { new.contiguous(path, false)? };
                (build, params)
            }
        })
    }

    fn open(&self) -> Result<ChunkedArray> {
        let mut contents = trevni_blosc::open(&self.path)?;
        let (_, array) = contents.arrays.pop().ok_or("no array")?;
        Ok(array.with_parallelism(self.threads))
    }

    fn chunks(&self, course: &Course, out: &mut [u8]) -> Result<()> {
        let array = self.open()?;
        for number in &course.chunks {
            let start = *number as usize * CHUNK;
            let end = (start + CHUNK).min(out.len());
            array.read_into(number * ROWS, &mut out[start..end])?;
        }
        Ok(())
    }

    fn elements(&self, elements: &[u64], mut see: impl FnMut(u64, [u8; VALUE])) -> Result<()> {
        let array = self.open()?;
        for element in elements {
            let mut value = [0; VALUE];
            array.read_into(*element, &mut value)?;
            see(*element, value);
        }
        Ok(())
    }
}

impl Racer for Container {
    fn home(&self) -> &'static str {
        self.name
    }

    fn who(&self) -> &'static str {
        "trevni"
    }

    fn clear(&mut self) -> Result<()> {
        remove(&self.path)
    }

    fn lap(
        &mut self,
        course: &Course,
        measure: Measure,
        lap: usize,
        out: &mut [u8],
    ) -> Result<Option<f64>> {
        match measure {
            Measure::Write => timed(|| self.write(&course.bytes)),
            Measure::Read => timed(|| Ok(self.open()?.read_into(0, out)?)),
            Measure::Load => timed(|| {
                let mut new = new_memory(course.bytes.len())?;
                self.open()?.read_into(0, &mut new)?;
                Ok(new)
            }),
            Measure::Element => timed(|| {
                self.elements(course.elements(lap), |_, value| {
                    std::hint::black_box(value);
                })
            }),
            Measure::Chunk => timed(|| self.chunks(course, out)),
        }
    }

    fn check(&mut self, course: &Course, out: &mut [u8]) -> Result<u64> {
        self.open()?.read_into(0, out)?;
        let mut right = out == course.bytes;
        out.fill(1);
        self.chunks(course, out)?;
        right &= out == course.bytes;
        self.elements(course.elements(0), |n, value| right &= value == course.value(n))?;
        match right {
            true => size(&self.path),
            false => Err("other values than were written".into()),
        }
    }
}

/// Removes a file or a folder, if it is there.
pub fn remove(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(data) if data.is_dir() => Ok(std::fs::remove_dir_all(path)?),
        Ok(_) => Ok(std::fs::remove_file(path)?),
    }
}

/// Returns the bytes of a file, or of all files of a folder.
pub fn size(path: &Path) -> Result<u64> {
    let data = path.metadata()?;
    if !data.is_dir() {
        return Ok(data.len());
    }
    std::fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}
