//! c-blosc: chunks in memory, and the same in files, as plain as they can be written.
//!
//! ```text
//! chunk1       the chunks of blosc_compress_ctx in memory
//! bloscpack    a header, a table of offsets, chunk, [adler32], chunk, [adler32], ...      one file
//! bcolz        16 bytes and a chunk                                                       a file each
//! ```
//! With two threads each takes the next chunk when it is done with one. The library's own threads would share the
//! blocks of a chunk, of which there is only one here.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use blosc_src::{
    BLOSC_MAX_OVERHEAD, BLOSC_SHUFFLE, blosc_compress_ctx, blosc_decompress_ctx, blosc_getitem,
};

use crate::Result;
use crate::course::{CHUNK, Course, VALUE};
use crate::lanes::{self, InOrder};
use crate::ours::{remove, size};
use crate::race::{Measure, Racer, new_memory, timed};

/// Bytes before the table of offsets.
const HEADER: u64 = 32;

/// Bytes before the chunk in a file of its own.
const OWN_HEADER: usize = 16;

const ROWS: u64 = (CHUNK / VALUE) as u64;

/// Bytes that a chunk may have.
const ROOM: usize = CHUNK + BLOSC_MAX_OVERHEAD as usize;

fn failed(what: &str, code: c_int) -> io::Error {
    io::Error::other(format!("{what} gave {code}"))
}

/// Compresses into `chunk`, which has [`ROOM`]. Returns the length.
fn compress(bytes: &[u8], chunk: &mut [u8]) -> io::Result<usize> {
    // SAFETY: both are as long as is said.
    let n = unsafe {
        blosc_compress_ctx(
            5,
            BLOSC_SHUFFLE as c_int,
            VALUE,
            bytes.len(),
            bytes.as_ptr().cast::<c_void>(),
            chunk.as_mut_ptr().cast::<c_void>(),
            chunk.len(),
            c"lz4".as_ptr(),
            0,
            1,
        )
    };
    usize::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| failed("blosc_compress_ctx", n))
}

fn decompress(chunk: &[u8], out: &mut [u8]) -> io::Result<()> {
    let (from, to) = (chunk.as_ptr().cast::<c_void>(), out.as_mut_ptr().cast::<c_void>());
    // SAFETY: the chunk is one of ours and whole; the output is as long as is said.
    let n = unsafe { blosc_decompress_ctx(from, to, out.len(), 1) };
    match usize::try_from(n) == Ok(out.len()) {
        true => Ok(()),
        false => Err(failed("blosc_decompress_ctx", n)),
    }
}

fn item(chunk: &[u8], row: u64) -> io::Result<[u8; VALUE]> {
    let mut value = [0; VALUE];
    let (from, to) = (chunk.as_ptr().cast::<c_void>(), value.as_mut_ptr().cast::<c_void>());
    // SAFETY: the chunk is one of ours and whole; the output takes one value.
    let n = unsafe { blosc_getitem(from, row as c_int, 1, to) };
    match n == VALUE as c_int {
        true => Ok(value),
        false => Err(failed("blosc_getitem", n)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Memory,
    File { adler32: bool },
    Files,
}

/// Everything of c-blosc, on so many threads.
pub fn racers(course: &Course, threads: usize) -> Vec<Box<dyn Racer>> {
    let racer = |name, who, home| -> Box<dyn Racer> {
        let path = course.dir.join(format!("{name}-c"));
        Box::new(Plain { name, who, home, threads, path, chunks: Vec::new() })
    };
    vec![
        racer("chunk1", "c-blosc", Home::Memory),
        racer("bloscpack", "c-blosc, file", Home::File { adler32: false }),
        racer("bloscpack-adler32", "c-blosc, file", Home::File { adler32: true }),
        racer("bcolz", "c-blosc, files", Home::Files),
    ]
}

struct Plain {
    name: &'static str,
    who: &'static str,
    home: Home,
    threads: usize,
    path: PathBuf,
    /// Those in memory, with their lengths.
    chunks: Vec<(Vec<u8>, usize)>,
}

impl Plain {
    fn own(&self, number: u64) -> PathBuf {
        self.path.join(format!("__{number}.blp"))
    }

    fn digest_len(&self) -> usize {
        if self.home == (Home::File { adler32: true }) { 4 } else { 0 }
    }

    fn write(&mut self, course: &Course) -> Result<()> {
        match self.home {
            Home::Memory => self.write_memory(course),
            Home::File { .. } => self.write_file(course),
            Home::Files => self.write_files(course),
        }
    }

    fn write_memory(&mut self, course: &Course) -> Result<()> {
        self.chunks.resize_with(course.chunks.len(), || (vec![0; ROOM], 0));
        let jobs = course.bytes.chunks(CHUNK).zip(&mut self.chunks);
        lanes::each(&mut vec![(); self.threads], jobs, |(), (bytes, (chunk, len))| {
            *len = compress(bytes, chunk)?;
            Ok(())
        })
    }

    fn write_file(&self, course: &Course) -> Result<()> {
        let mut file = File::create(&self.path)?;
        let table = vec![0; HEADER as usize + 8 * course.chunks.len()];
        file.write_all(&table)?;
        let in_order = InOrder::new((file, table.len() as u64, Vec::new()));
        let mut buffers = vec![vec![0; ROOM]; self.threads];
        let jobs = course.bytes.chunks(CHUNK).enumerate();
        lanes::each(&mut buffers, jobs, |buffer, (number, bytes)| {
            let n = compress(bytes, buffer)?;
            let chunk = &buffer[..n];
            let digest = digest_of(self.home, chunk);
            in_order.take(number, |(file, end, starts)| {
                file.write_all(chunk)?;
                file.write_all(&digest)?;
                starts.push(*end);
                *end += (chunk.len() + digest.len()) as u64;
                Ok(())
            })
        })?;
        let (mut file, end, mut starts) = in_order.into_inner();
        starts.push(end);
        let starts: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        file.seek(SeekFrom::Start(HEADER - 8))?;
        // The end stands before the rest, in the header's last bytes.
        file.write_all(&starts[starts.len() - 8..])?;
        Ok(file.write_all(&starts[..starts.len() - 8])?)
    }

    fn write_files(&self, course: &Course) -> Result<()> {
        std::fs::create_dir(&self.path)?;
        let mut buffers = vec![vec![0; OWN_HEADER + ROOM]; self.threads];
        let jobs = course.bytes.chunks(CHUNK).zip(0..);
        lanes::each(&mut buffers, jobs, |buffer, (bytes, number)| {
            let n = compress(bytes, &mut buffer[OWN_HEADER..])?;
            File::create(self.own(number))?.write_all(&buffer[..OWN_HEADER + n])
        })
    }

    fn open(&self) -> Result<Opened<'_>> {
        let file = match self.home {
            Home::File { .. } => Some(File::open(&self.path)?),
            _ => None,
        };
        let mut starts = Vec::new();
        if let Some(file) = &file {
            let mut end = [0; 8];
            file.read_exact_at(&mut end, HEADER - 8)?;
            let mut first = [0; 8];
            file.read_exact_at(&mut first, HEADER)?;
            let mut table = vec![0; (u64::from_le_bytes(first) - HEADER) as usize];
            file.read_exact_at(&mut table, HEADER)?;
            table.extend(end);
            starts.extend(table.as_chunks().0.iter().map(|start| u64::from_le_bytes(*start)));
        }
        Ok(Opened { plain: self, file, starts })
    }

    fn read(&self, out: &mut [u8]) -> Result<()> {
        let opened = self.open()?;
        let mut buffers = vec![Vec::new(); self.threads];
        lanes::each(&mut buffers, out.chunks_mut(CHUNK).zip(0..), |buffer, (out, number)| {
            decompress(opened.chunk(number, buffer)?, out)
        })
    }

    fn in_order(&self, order: &[u64], out: &mut [u8]) -> Result<()> {
        let (opened, mut buffer) = (self.open()?, Vec::new());
        for number in order {
            let start = *number as usize * CHUNK;
            let end = (start + CHUNK).min(out.len());
            decompress(opened.chunk(*number, &mut buffer)?, &mut out[start..end])?;
        }
        Ok(())
    }

    fn elements(&self, elements: &[u64], mut see: impl FnMut(u64, [u8; VALUE])) -> Result<()> {
        let (opened, mut buffer) = (self.open()?, Vec::new());
        for element in elements {
            see(*element, item(opened.chunk(element / ROWS, &mut buffer)?, element % ROWS)?);
        }
        Ok(())
    }
}

/// Returns what stands behind a chunk.
fn digest_of(home: Home, chunk: &[u8]) -> Vec<u8> {
    match home {
        Home::File { adler32: true } => libdeflater::adler32(chunk).to_le_bytes().to_vec(),
        _ => Vec::new(),
    }
}

/// A racer's files, open.
struct Opened<'a> {
    plain: &'a Plain,
    file: Option<File>,
    starts: Vec<u64>,
}

impl Opened<'_> {
    /// Returns the bytes of a chunk, in the buffer unless they are in memory anyway.
    fn chunk<'a>(&'a self, number: u64, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let at = number as usize;
        if let Some(file) = &self.file {
            let (start, end) = (self.starts[at], self.starts[at + 1]);
            let len = (end - start) as usize;
            if buffer.len() < len {
                buffer.resize(len, 0);
            }
            file.read_exact_at(&mut buffer[..len], start)?;
            let (chunk, digest) = buffer[..len].split_at(len - self.plain.digest_len());
            return match digest_of(self.plain.home, chunk) == digest {
                true => Ok(chunk),
                false => Err(io::Error::other("a wrong checksum")),
            };
        }
        if let Some((chunk, len)) = self.plain.chunks.get(at) {
            return Ok(&chunk[..*len]);
        }
        let file = File::open(self.plain.own(number))?;
        let len = file.metadata()?.len() as usize;
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        file.read_exact_at(&mut buffer[..len], 0)?;
        Ok(&buffer[OWN_HEADER..len])
    }
}

impl Racer for Plain {
    fn home(&self) -> &'static str {
        self.name
    }

    fn who(&self) -> &'static str {
        self.who
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
            Measure::Write => timed(|| self.write(course)),
            Measure::Read => timed(|| self.read(out)),
            Measure::Load | Measure::Chunk if self.home == Home::Memory => Ok(None),
            Measure::Load => timed(|| {
                let mut new = new_memory(out.len())?;
                self.read(&mut new)?;
                Ok(new)
            }),
            Measure::Element => timed(|| {
                self.elements(course.elements(lap), |_, value| {
                    std::hint::black_box(value);
                })
            }),
            Measure::Chunk => timed(|| self.in_order(&course.chunks, out)),
        }
    }

    fn check(&mut self, course: &Course, out: &mut [u8]) -> Result<u64> {
        self.read(out)?;
        let mut right = out == course.bytes;
        out.fill(1);
        self.in_order(&course.chunks, out)?;
        right &= out == course.bytes;
        self.elements(course.elements(0), |n, value| right &= value == course.value(n))?;
        match (right, self.home) {
            (false, _) => Err("other values than were written".into()),
            (_, Home::Memory) => Ok(self.chunks.iter().map(|(_, len)| *len as u64).sum()),
            _ => size(&self.path),
        }
    }
}
