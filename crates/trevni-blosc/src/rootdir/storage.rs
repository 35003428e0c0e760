//! `meta/storage`: the dtype, the chunk length and the compression.
//!
//! ```text
//! bcolz, Blaze                                         RFC, carray (YAML), and superchunks as written (JSON)
//! {"dtype": "int64",                                   dtype: int64            or a map of columns
//!  "cparams": {"clevel": 5, "shuffle": 1,              compression: {library: lz4, level: 5, filters: [shuffle]}
//!              "cname": "lz4", "quantize": 0},         endianness: little
//!  "chunklen": 128,                                    chunkshape: (128,)
//!  "expectedlen": 300,                                 order: C
//!  "dflt": 0}                                          superchunksize: 10
//! ```
//! Keys of both formats are accepted in any file; only `dtype` is required.

mod columns;
mod compression;

pub(super) use columns::{Column, Columns};

use serde_json::Value;

use super::chunklen;
use super::directory_format::{DirectoryFormat, Slack, Superchunks};
use super::excerpt;
use super::fill_value;
use super::meta::Meta;
use crate::chunk::{Generation, Params};
use crate::json;
use crate::{ByteOrder, Dtype, DtypeKind, Order};
use trevni::{Error, Result};

/// The file, in its folder.
pub(super) const STORAGE: &str = "meta/storage";

/// What the elements of an array are and how they are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Storage {
    /// What an element is.
    pub dtype: Dtype,
    /// How chunks are compressed; of the first generation.
    pub params: Params,
    /// Elements of a chunk along each dimension, or rows alone.
    pub chunk_shape: Vec<u64>,
    /// The order of the dimensions; only superchunks can have `F`.
    pub order: Order,
    /// How many rows were expected when it was made.
    pub expectedlen: u64,
    /// The bytes of the element that growing fills with; empty: zeros.
    pub fill: Vec<u8>,
    /// The digits that floats were rounded to before compression; 0 for none. Recorded, not applied.
    pub quantize: u64,
}

impl Storage {
    /// Creates the defaults of bcolz for rows of this shape (without their number): LZ4 at level 5 after a shuffle,
    /// chunks of 16 KiB to 4 MiB by the expected number of rows. `Invalid` if elements have no bytes.
    pub fn new(dtype: Dtype, row_shape: &[u64], expectedlen: u64) -> Result<Self> {
        let row_bytes = row_shape.iter().try_fold(dtype.size as u64, |n, of| n.checked_mul(*of));
        let Some(row_bytes) = row_bytes.filter(|bytes| *bytes > 0) else {
            return Err(Error::invalid(format!("rows of {} {dtype}", excerpt::list(row_shape))));
        };
        Ok(Self {
            params: Params::new(Generation::Blosc1, typesize(&dtype)),
            dtype,
            chunk_shape: vec![chunklen::default_chunklen(expectedlen, row_bytes)],
            order: Order::C,
            expectedlen,
            fill: Vec::new(),
            quantize: 0,
        })
    }

    /// Parses the rest of the file, for elements of a type and an array of this shape.
    fn parse(meta: &Meta, dtype: Dtype, dflt: Option<&Value>, shape: &[u64]) -> Result<Self> {
        let (rows, row_shape) = shape.split_first().unwrap_or((&0, &[]));
        let expectedlen = meta.count("expectedlen")?.unwrap_or(*rows);
        let mut storage = Self::new(dtype, row_shape, expectedlen).map_err(|_| {
            Error::unsupported(format!("an array of {} without bytes", excerpt::list(shape)))
        })?;
        (storage.params, storage.quantize) = compression::parse(meta, storage.params)?;
        storage.order = match meta.text("order")? {
            None | Some("C") => Order::C,
            Some("F") => Order::F,
            Some(_) => return Err(meta.wrong("order", "C or F")),
        };
        if let Some(chunk_shape) = meta.counts("chunkshape")?.or(meta.counts("chunklen")?) {
            storage.chunk_shape = chunk_shape;
        }
        if let Some(dflt) = dflt {
            storage.fill = fill_value::parse(dflt, &storage.dtype)?;
        }
        Ok(storage)
    }

    /// Returns the bytes of the file as bcolz writes it.
    pub(super) fn to_bcolz(&self) -> Result<Vec<u8>> {
        self.check_bcolz()?;
        let [chunklen] = self.chunk_shape.as_slice() else {
            return Err(Error::invalid("bcolz divides rows only: a chunk shape has one dimension"));
        };
        let (cparams, expectedlen) = (compression::to_bcolz(self), self.expectedlen);
        let (dtype, dflt) = (json::text(&self.dtype.name().into(), json::BLANKS), self.dflt()?);
        Ok(format!(
            "{{\"dtype\": {dtype}, \"cparams\": {cparams}, \"chunklen\": {chunklen}, \
             \"expectedlen\": {expectedlen}, \"dflt\": {dflt}}}\n"
        )
        .into_bytes())
    }

    /// Returns the fill value, with the numbers of Python that JSON does not know.
    fn dflt(&self) -> Result<String> {
        let value = fill_value::to_value(&self.fill, &self.dtype)?;
        match (&self.dtype.kind, &value) {
            (DtypeKind::Float, Value::String(name)) => Ok(name.clone()),
            _ => Ok(json::text(&value, json::BLANKS)),
        }
    }

    /// Refuses what bcolz could not open.
    fn check_bcolz(&self) -> Result<()> {
        match &self.dtype.kind {
            DtypeKind::Record(_) => {
                Err(Error::invalid("bcolz keeps records as tables, a column for each field"))
            }
            _ if self.order == Order::F => Err(Error::invalid("bcolz has no arrays of order F")),
            _ if self.params.generation != Generation::Blosc1 => {
                Err(Error::invalid("bcolz has chunks of the first generation"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the default number of chunks of a superchunk.
    pub(super) fn automatic_superchunk(&self) -> u64 {
        /// The target uncompressed size; a file is rewritten when one of its chunks changes.
        const TARGET: u64 = 16 << 20;
        let elements = self.chunk_shape.iter().fold(1, |n: u64, of| n.saturating_mul(*of));
        (TARGET / elements.saturating_mul(self.dtype.size as u64).max(1)).clamp(1, 1024)
    }
}

/// Returns the bytes that the compressor takes for an element: texts are shuffled as what they consist of.
fn typesize(dtype: &Dtype) -> u8 {
    match dtype.kind {
        DtypeKind::Bytes => 1,
        DtypeKind::Unicode => 4,
        _ => u8::try_from(dtype.size).unwrap_or(1).max(1),
    }
}

/// Parses a dtype in a file whose default byte order is given.
fn parse_dtype(text: &str, big: bool) -> Result<Dtype> {
    let mut dtype = Dtype::parse(text)?;
    let said = text.trim_start().starts_with(['<', '>', '=', '|', '[', '(', '{', '\'', '"']);
    let ordered = match dtype.kind {
        DtypeKind::Bytes | DtypeKind::Void | DtypeKind::Record(_) => false,
        _ => dtype.size > 1,
    };
    if big && !said && ordered {
        dtype.order = ByteOrder::Big;
    }
    Ok(dtype)
}

/// Returns the form that the file speaks of, if it does.
pub(super) fn parse_form(meta: &Meta) -> Result<Option<Superchunks>> {
    let slack = match meta.get("slack") {
        None => Slack::default(),
        Some(Value::String(text)) => Slack::parse(text)?,
        Some(_) => Slack::Bytes(meta.count("slack")?.unwrap_or(0)),
    };
    let chunks = meta.count("superchunksize")?;
    Ok(chunks.map(|chunks| Superchunks { chunks, slack }))
}

/// Encodes the file for superchunks.
pub(super) fn to_superchunk(columns: &Columns, form: &Superchunks) -> Result<Vec<u8>> {
    let Some(column) = columns.first() else {
        return Err(Error::invalid("a table of superchunks has at least one column"));
    };
    let first = &column.storage;
    let big = columns.all_big();
    let slack = match form.slack {
        Slack::Bytes(bytes) => Value::from(bytes),
        Slack::Percent(_) => Value::from(form.slack.to_string()),
    };
    let fields = [
        ("dtype", columns.dtype(big)?),
        ("chunkshape", column.shared_chunk_shape().into()),
        ("superchunksize", form.chunks.into()),
        ("slack", slack),
        ("endianness", if big { "big" } else { "little" }.into()),
        ("order", if first.order == Order::C { "C" } else { "F" }.into()),
        ("compression", compression::to_superchunk(first)),
        ("expectedlen", first.expectedlen.into()),
        ("dflt", columns.dflt()?),
    ];
    let map = fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Ok((json::text(&Value::Object(map), json::BLANKS) + "\n").into_bytes())
}

/// Returns the form, with the parameters that depend on the chunks.
pub(super) fn resolve_superchunks<'a>(
    form: DirectoryFormat,
    storages: impl Iterator<Item = &'a Storage>,
) -> DirectoryFormat {
    match form {
        DirectoryFormat::Superchunk(Superchunks { chunks: 0, slack }) => {
            let chunks = storages.map(Storage::automatic_superchunk).min().unwrap_or(1);
            DirectoryFormat::Superchunk(Superchunks { chunks, slack })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
