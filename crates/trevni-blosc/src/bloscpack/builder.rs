//! Writes a Bloscpack file.
//!
//! ```text
//! push     chunk, checksum ──► spool
//! finish   header │ metadata │ offsets, spare slots │ the spool ──► file
//! ```
//! What comes first in the file is known last: how many chunks there are, and where. Who knows it before needs no
//! spool.

mod in_place;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use super::file_start;
use super::header::{HEADER_LEN, Header, Version};
use super::metadata;
use super::numpy::Described;
use super::offsets::OFFSET_LEN;
use super::properties::BloscpackProperties;
use crate::array::{Attributes, Build, Order};
use crate::chunk::{self, Encoder, Generation, Params};
use crate::dtype::Dtype;
use trevni::io::{AtomicFile, Spool};
use trevni::{Error, Result};

/// Takes the chunks of an array one by one, and writes them as a file.
pub struct BloscpackBuilder<W> {
    to: W,
    array: Option<(Dtype, Order)>,
    params: Params,
    properties: BloscpackProperties,
    spool: Spool,
    /// For each chunk: its stored size with the checksum, and its uncompressed size.
    pushed: Vec<(u64, u32)>,
}

impl BloscpackBuilder<AtomicFile> {
    /// Creates a builder of a file that appears when it is finished. Unless `replace`, an existing path is an
    /// error. See [`new`](BloscpackBuilder::new) for the other arguments.
    pub fn create(
        path: impl Into<PathBuf>,
        replace: bool,
        array: Option<(Dtype, Order)>,
        params: &Params,
        properties: BloscpackProperties,
    ) -> Result<Self> {
        let file = match replace {
            true => AtomicFile::create(path)?,
            false => AtomicFile::create_new(path)?,
        };
        Self::new(file, array, params, properties)
    }

    /// Configures the builder for an array whose shape, attributes and chunk size (in bytes) are known: chunks are
    /// written to their final positions instead of the spool. Finishing with other values is an error. No chunk may
    /// have been pushed.
    pub fn expecting(
        self,
        shape: &[u64],
        attributes: &Attributes,
        chunk_bytes: u32,
    ) -> Result<Box<dyn Build>> {
        in_place::begin(self, shape, attributes, chunk_bytes)
    }
}

impl<W: Write> BloscpackBuilder<W> {
    /// Returns a builder of a file of an array of this type, or of bytes. The chunks, made with these parameters,
    /// are to be of one size but for the last, and of the first generation.
    pub fn new(
        to: W,
        array: Option<(Dtype, Order)>,
        params: &Params,
        properties: BloscpackProperties,
    ) -> Result<Self> {
        if params.generation != Generation::Blosc1 {
            return Err(Error::unsupported(
                "Bloscpack files hold chunks of the first generation only",
            ));
        }
        let spool = Spool::new(1, properties.memory);
        Ok(Self { to, array, params: params.clone(), properties, spool, pushed: Vec::new() })
    }

    /// Takes the next chunk.
    pub fn push_chunk(&mut self, chunk: &[u8]) -> Result<()> {
        let digest = self.note(chunk)?;
        self.spool.push(0, chunk)?;
        Ok(self.spool.push(0, &digest)?)
    }

    /// Notes the sizes of the next chunk. Returns its checksum.
    fn note(&mut self, chunk: &[u8]) -> Result<Vec<u8>> {
        let header = chunk::Header::parse(chunk)?;
        if header.generation() != Generation::Blosc1 {
            return Err(Error::unsupported(
                "Bloscpack files hold chunks of the first generation only",
            ));
        }
        if u64::from(header.cbytes) != chunk.len() as u64 {
            let found = format!("a chunk of {} bytes claims {} bytes", chunk.len(), header.cbytes);
            return Err(Error::invalid(found));
        }
        let digest = self.properties.checksum.of(chunk);
        self.pushed.push(((chunk.len() + digest.len()) as u64, header.nbytes));
        Ok(digest)
    }

    /// Writes the file of an array of this shape; of bytes, the shape is their number.
    pub fn finish_into(mut self, shape: &[u64], attributes: &Attributes) -> Result<W> {
        if self.pushed.is_empty() {
            // No file is without chunks: bloscpack reads none that is.
            let mut empty = Vec::new();
            Encoder::new(&self.params)?.encode(&[], &mut empty)?;
            self.push_chunk(&empty)?;
        }
        self.put_beginning(shape, attributes)?;
        while let Some(chunk) = self.spool.take(0)? {
            self.to.write_all(&chunk)?;
        }
        Ok(self.to)
    }

    /// Writes everything before the first chunk. Returns its length.
    fn put_beginning(&mut self, shape: &[u64], attributes: &Attributes) -> Result<u64> {
        let (header, section, first) = self.beginning(shape, attributes)?;
        let ends = self.pushed.iter().scan(first, |end, (len, _)| {
            *end += len;
            Some(*end - len)
        });
        let starts: Vec<_> = ends.collect();
        file_start::put(&mut self.to, &header, &section, &starts)?;
        Ok(first)
    }

    /// Header and metadata section for the chunks that have come, and where the first of them starts.
    fn beginning(&self, shape: &[u64], attributes: &Attributes) -> Result<(Header, Vec<u8>, u64)> {
        let section = self.section(shape, attributes)?;
        let header = self.header(!section.is_empty())?;
        let table = header.slots()?.checked_mul(OFFSET_LEN);
        let first = table.and_then(|table| table.checked_add((HEADER_LEN + section.len()) as u64));
        let first =
            first.ok_or_else(|| Error::invalid("more spare offset slots than fit a file"))?;
        Ok((header, section, first))
    }

    /// Returns the metadata section; empty if there is none.
    fn section(&self, shape: &[u64], attributes: &Attributes) -> Result<Vec<u8>> {
        let total = self.pushed.iter().map(|(_, nbytes)| u64::from(*nbytes)).sum::<u64>();
        let value = match &self.array {
            Some((dtype, order)) => {
                let (dtype, shape, order) = (dtype.clone(), shape.to_vec(), *order);
                let described = Described { dtype, shape, order };
                if described.nbytes()? != total {
                    return Err(Error::invalid(format!(
                        "shape {:?} of {total} bytes",
                        described.shape
                    )));
                }
                described.metadata(attributes)?
            }
            None if shape != [total] => {
                return Err(Error::invalid(format!("shape {shape:?} of {total} bytes")));
            }
            None if attributes.is_empty() => return Ok(Vec::new()),
            None => attributes.clone().into(),
        };
        metadata::seal(&value, &self.properties.metadata)
    }

    fn header(&self, has_metadata: bool) -> Result<Header> {
        let sizes = self.pushed.iter().map(|(_, nbytes)| *nbytes);
        let chunk_size = sizes.clone().next().unwrap_or(0);
        let last_chunk = sizes.clone().next_back().unwrap_or(0);
        let uneven = sizes.rev().skip(1).find(|size| *size != chunk_size);
        if let Some(size) = uneven.or(Some(last_chunk).filter(|last| *last > chunk_size)) {
            return Err(Error::invalid(format!(
                "a chunk of {size} bytes in a Bloscpack file of chunks of {chunk_size}"
            )));
        }
        let nchunks = self.pushed.len() as u64;
        let BloscpackProperties { checksum, offsets, max_app_chunks, .. } = self.properties;
        let most = i64::MAX as u64 - nchunks;
        Ok(Header {
            version: Version::V3 {
                max_app_chunks: if offsets { max_app_chunks.of(nchunks).min(most) } else { 0 },
            },
            has_offsets: offsets,
            has_metadata,
            checksum,
            typesize: self.params.typesize,
            chunk_size: Some(chunk_size),
            last_chunk: Some(last_chunk),
            nchunks: Some(nchunks),
        })
    }
}

impl Build for BloscpackBuilder<AtomicFile> {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        self.push_chunk(chunk)
    }

    fn finish(self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()> {
        Ok(self.finish_into(shape, attributes)?.commit()?)
    }
}

impl<W> fmt::Debug for BloscpackBuilder<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BloscpackBuilder")
            .field("array", &self.array)
            .field("chunks", &self.pushed.len())
            .field("properties", &self.properties)
            .finish_non_exhaustive()
    }
}
