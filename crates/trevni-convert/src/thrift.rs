//! Apache Thrift: a sequence of structs in the binary or compact protocol.
//!
//! ```text
//! row.thrift ─► ThriftType ─┬─► schema
//!                           ├─► struct struct struct ... ─► rows
//!                           └─► rows ─► struct struct struct ...
//! ```
//! The bytes have no names, so the IDL is required, and the name of a struct. Structs are adjacent, without lengths
//! or messages around them. (Specification: "Thrift".)
//!
//! ```
//! # use trevni_convert::{Format, ReadOptions, Source, ThriftType};
//! let row = ThriftType::try_new("struct Row { 1: required i32 id, 2: optional string name }", "Row")?;
//! let options = ReadOptions { thrift: Some(row), ..ReadOptions::default() };
//! let source = Source::pipe("rows", &b"\x08\x00\x01\x00\x00\x00\x07\x00"[..]);
//! let mut rows = (Format::named("thrift")?.open)(source, &options)?;
//! assert_eq!(rows.next().transpose()?.map(|batch| batch.num_rows()), Some(1));
//! # Ok::<(), trevni::Error>(())
//! ```

mod bind;
mod constant;
mod files;
mod idl;
mod input;
mod read;
mod record;
mod resolve;
mod schema;
#[cfg(test)]
mod tests;
mod value;
mod write;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, select};
use files::Files;
use record::Record;
use trevni::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "thrift",
    extensions: &["thriftbin"],
    // Nothing tells where a struct begins.
    sniff: |_| false,
    open,
    create,
    holds: None,
    create_at: None,
};

/// The type of Thrift rows: a struct of an IDL, and the protocol.
#[derive(Debug, Clone)]
pub struct ThriftType {
    record: Arc<Record>,
    protocol: ThriftProtocol,
}

/// A Thrift protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThriftProtocol {
    /// Numbers of fixed size.
    #[default]
    Binary,
    /// Numbers of as few bytes as they need.
    Compact,
}

impl ThriftType {
    /// Returns a struct of an IDL, which includes no other. The protocol is the binary one.
    pub fn try_new(idl: &str, name: &str) -> Result<Self> {
        Self::of_files(&Files::of_text(idl)?, name)
    }

    /// Loads a struct of the IDL in a file. Includes are relative to the folder of the including file.
    pub fn load(path: &Path, name: &str) -> Result<Self> {
        Self::of_files(&Files::load(path)?, name)
    }

    fn of_files(files: &Files, name: &str) -> Result<Self> {
        let record = resolve::resolve(files, name)?;
        Ok(Self { record, protocol: ThriftProtocol::default() })
    }

    /// Returns the schema of the rows that such structs are.
    pub fn schema(&self) -> Result<SchemaRef> {
        self.record.schema().map(Arc::new)
    }

    /// Sets the same struct in a protocol.
    pub fn with_protocol(self, protocol: ThriftProtocol) -> Self {
        Self { protocol, ..self }
    }
}

impl ThriftProtocol {
    /// Returns the protocol of a name.
    pub fn from_name(name: &str) -> Result<Self> {
        let all = [Self::Binary, Self::Compact];
        let found = all.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| {
            Error::invalid(format!("no protocol {name:?}: there are binary, compact"))
        })
    }

    /// Returns what it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Compact => "compact",
        }
    }
}

fn given(thrift: Option<&ThriftType>) -> Result<&ThriftType> {
    thrift
        .ok_or_else(|| Error::invalid("rows of thrift need an IDL, and the name of a struct in it"))
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    refuse_schema(FORMAT.name, options)?;
    let ThriftType { record, protocol } = given(options.thrift.as_ref())?;
    let input = input::Input::new(source.into_read(), &options.limits);
    let structs = read::Structs::new(input, *protocol, record.clone(), options)?;
    select::select(Box::new(structs), options)
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    let ThriftType { record, protocol } = given(options.thrift.as_ref())?;
    let plan = bind::StructEncoding::new(record, schema.fields(), "")?;
    Ok(Box::new(write::Structs { to, protocol: *protocol, plan, bytes: Vec::new(), rows: 0 }))
}
