//! Reads and writes Avro object container files: a header, and blocks of rows.
//!
//! ```text
//! 'O' 'b' 'j' 1 │ metadata: a map of bytes, avro.schema and avro.codec among them │ sync, 16 bytes
//! long rows │ long bytes │ rows under the codec │ sync              a block, as often as there are rows
//! ```
//! (Avro specification: "Object Container Files".)

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, Read, Write};

use super::codec::Codec;
use trevni::io::Limits;
use trevni::keys::AVRO_SCHEMA;
use trevni::wire;
use trevni::{Error, ErrorKind, Result};

/// The first bytes.
pub(super) const MAGIC: &[u8] = b"Obj\x01";

const CODEC: &str = "avro.codec";
const SYNC: usize = 16;

/// Bytes of metadata, and of a block, at most.
const MOST_METADATA: u64 = 64 << 20;

/// Bytes of rows at which a block ends.
const BLOCK: usize = 1 << 16;

/// A block of rows.
#[derive(Debug)]
pub(super) struct StoredBlock {
    /// From 0.
    pub(super) number: usize,
    /// Where in the file it starts.
    pub(super) offset: u64,
    pub(super) first_row: u64,
    pub(super) rows: u64,
    codec: Codec,
    /// The rows under the codec.
    bytes: Vec<u8>,
}

impl StoredBlock {
    /// Returns how many bytes it has.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Replaces `rows` by the bytes of the rows, of which there are `most` at most.
    pub(super) fn decompress(&self, most: u64, rows: &mut Vec<u8>) -> Result<()> {
        let decompressed = self.codec.decompress(&self.bytes, most, rows);
        decompressed.map_err(|e| e.at(self.offset).in_block_at(self.number, self.offset))
    }
}

/// Reads blocks, one after another.
#[derive(Debug)]
pub(super) struct BlockReader<R> {
    input: Input<R>,
    metadata: Vec<(String, Vec<u8>)>,
    codec: Codec,
    sync: [u8; SYNC],
    number: usize,
    rows: u64,
    /// The most bytes of a block.
    limit: u64,
}

impl<R: BufRead> BlockReader<R> {
    /// Reads the header.
    pub(super) fn try_new(from: R) -> Result<Self> {
        let mut input = Input { from, at: 0 };
        let magic: [u8; 4] = input.array("magic")?;
        if magic != MAGIC {
            return Err(Error::malformed("no Avro file: it does not start with Obj and 1").at(0));
        }
        let metadata = input.metadata()?;
        let sync = input.array("sync marker")?;
        let codec = match metadata.iter().find(|(key, _)| key == CODEC) {
            Some((_, name)) => Codec::from_name(&String::from_utf8_lossy(name))?,
            None => Codec::Null,
        };
        let limit = Limits::default().block_bytes as u64;
        Ok(Self { input, metadata, codec, sync, number: 0, rows: 0, limit })
    }

    /// Refuses blocks of more bytes, with and without their codec.
    pub(super) fn with_limit(self, bytes: usize) -> Self {
        Self { limit: bytes as u64, ..self }
    }

    /// Returns the schema, in JSON.
    pub(super) fn avro_schema(&self) -> Result<&str> {
        let found = self.metadata.iter().find(|(key, _)| key == AVRO_SCHEMA);
        let (_, text) = found.ok_or_else(|| Error::malformed("no avro.schema in the header"))?;
        std::str::from_utf8(text).map_err(|_| Error::malformed("avro.schema is not UTF-8"))
    }

    /// Returns the limit.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the next block that has rows, or bytes.
    pub(super) fn next(&mut self) -> Result<Option<StoredBlock>> {
        loop {
            if self.input.is_at_end()? {
                return Ok(None);
            }
            let (number, offset) = (self.number, self.input.at);
            let block = self.block().map_err(|e| e.in_block_at(number, offset))?;
            self.number += 1;
            if block.rows > 0 || !block.bytes.is_empty() {
                return Ok(Some(block));
            }
        }
    }

    fn block(&mut self) -> Result<StoredBlock> {
        let offset = self.input.at;
        let rows = self.input.count("rows of a block")?;
        let size = self.input.count("bytes of a block")?;
        let mut bytes = Vec::new();
        self.input.bytes(size, self.limit, "block", &mut bytes)?;
        let sync: [u8; SYNC] = self.input.array("sync marker")?;
        if sync != self.sync {
            let what = "the marker after a block differs from that in the header";
            return Err(Error::malformed(what).at(self.input.at - SYNC as u64));
        }
        let first_row = self.rows;
        self.rows = self.rows.saturating_add(rows);
        let (number, codec) = (self.number, self.codec);
        Ok(StoredBlock { number, offset, first_row, rows, codec, bytes })
    }
}

/// Bytes that come one after another.
#[derive(Debug)]
struct Input<R> {
    from: R,
    at: u64,
}

impl<R: BufRead> Input<R> {
    fn is_at_end(&mut self) -> Result<bool> {
        Ok(self.from.fill_buf()?.is_empty())
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        match self.from.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => Err(self.short(what, 1)),
            Err(e) => Err(e.into()),
        }
    }

    fn short(&self, what: &'static str, missing: u64) -> Error {
        Error::new(ErrorKind::Truncated { what, missing }).at(self.at)
    }

    fn long(&mut self, what: &'static str) -> Result<i64> {
        let (start, mut bytes) = (self.at, Vec::with_capacity(11));
        loop {
            let [byte] = self.array(what)?;
            bytes.push(byte);
            if byte < 0x80 || bytes.len() > 10 {
                let long = || Error::malformed(format!("{what} is longer than ten bytes"));
                return wire::Cursor::new(&bytes).long(what).map_err(|_| long().at(start));
            }
        }
    }

    fn count(&mut self, what: &'static str) -> Result<u64> {
        let start = self.at;
        let value = self.long(what)?;
        u64::try_from(value)
            .map_err(|_| Error::malformed(format!("{what} {value} is negative")).at(start))
    }

    /// Replaces `into` by `n` bytes; memory grows as they come.
    fn bytes(&mut self, n: u64, most: u64, what: &'static str, into: &mut Vec<u8>) -> Result<()> {
        if n > most {
            return Err(Error::too_large(what, n, most).at(self.at));
        }
        into.clear();
        let read = self.from.by_ref().take(n).read_to_end(into)? as u64;
        self.at += read;
        if read < n { Err(self.short(what, n - read)) } else { Ok(()) }
    }

    /// Returns the pairs of the header that are read.
    fn metadata(&mut self) -> Result<Vec<(String, Vec<u8>)>> {
        let (mut pairs, start): (Vec<(String, Vec<u8>)>, _) = (Vec::new(), self.at);
        loop {
            let n = self.long("count of metadata")?;
            if n < 0 {
                self.count("size of metadata")?;
            }
            if n == 0 {
                return Ok(pairs);
            }
            for _ in 0..n.unsigned_abs() {
                let [mut key, mut value] = [Vec::new(), Vec::new()];
                for part in [&mut key, &mut value] {
                    let size = self.count("size of metadata")?;
                    let read = self.at - start;
                    if read.saturating_add(size) > MOST_METADATA {
                        let size = read.saturating_add(size);
                        return Err(Error::too_large("metadata", size, MOST_METADATA).at(self.at));
                    }
                    self.bytes(size, size, "metadata", part)?;
                }
                let key = String::from_utf8(key);
                let key = key.map_err(|_| Error::malformed("a key is not UTF-8").at(self.at))?;
                // Skipped bytes take no memory, however many there are.
                if [CODEC, AVRO_SCHEMA].contains(&key.as_str())
                    && !pairs.iter().any(|(k, _)| *k == key)
                {
                    pairs.push((key, value));
                }
            }
        }
    }
}

/// Writes blocks, one after another.
#[derive(Debug)]
pub(super) struct BlockWriter<W> {
    to: W,
    codec: Codec,
    sync: [u8; SYNC],
    /// Rows of the block that is being filled.
    rows: u64,
    bytes: Vec<u8>,
    stored: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    /// Writes the header.
    pub(super) fn try_new(mut to: W, schema: &str, codec: &str) -> Result<Self> {
        let codec = Codec::from_name(codec)?;
        let sync = sync();
        let mut header = MAGIC.to_vec();
        wire::put_long(&mut header, 2);
        for (key, value) in [(CODEC, codec.name()), (AVRO_SCHEMA, schema)] {
            wire::put_string(&mut header, key);
            wire::put_string(&mut header, value);
        }
        wire::put_long(&mut header, 0);
        header.extend_from_slice(&sync);
        to.write_all(&header)?;
        Ok(Self { to, codec, sync, rows: 0, bytes: Vec::new(), stored: Vec::new() })
    }

    /// Appends rows, each ending at one of `ends`.
    pub(super) fn write(&mut self, rows: &[u8], ends: &[usize]) -> Result<()> {
        let mut start = 0;
        for end in ends {
            self.bytes.extend_from_slice(rows.get(start..*end).unwrap_or_default());
            self.rows += 1;
            start = *end;
            if self.bytes.len() >= BLOCK {
                self.block()?;
            }
        }
        Ok(())
    }

    fn block(&mut self) -> Result<()> {
        self.codec.compress(&self.bytes, &mut self.stored)?;
        let mut head = Vec::new();
        for n in [self.rows, self.stored.len() as u64] {
            let n = i64::try_from(n).map_err(|_| Error::invalid("a block too large"))?;
            wire::put_long(&mut head, n);
        }
        self.to.write_all(&head)?;
        self.to.write_all(&self.stored)?;
        self.to.write_all(&self.sync)?;
        self.rows = 0;
        self.bytes.clear();
        Ok(())
    }

    /// Writes the last block.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.block()?;
        }
        Ok(self.to.flush()?)
    }
}

/// Sixteen random bytes, which do not occur in rows.
fn sync() -> [u8; SYNC] {
    let halves = [0, 1].map(|half: u64| RandomState::new().hash_one(half).to_le_bytes());
    let mut sync = [0; SYNC];
    sync.iter_mut().zip(halves.as_flattened()).for_each(|(to, from)| *to = *from);
    sync
}
