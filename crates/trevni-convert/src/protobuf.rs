//! Protocol Buffers: length-delimited messages of one type.
//!
//! ```text
//! varint n │ n bytes: a message │ varint n │ n bytes: a message │ ...
//! ```
//! This is the format of `writeDelimitedTo`. A stream does not have its type, so a [`ProtobufType`] is required.
//! Messages are decoded to columns and encoded from them without a tree of objects, which would be slower, larger,
//! and would lose the order of maps.

mod bind;
mod descriptor;
mod message_layout;
mod read;
mod row_error;
mod scalar;
mod schema;
mod stream;
#[cfg(test)]
mod tests;
mod timestamp;
mod validate;
mod wire;
mod write;

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::{Format, ReadOptions, Rows, Sink, Source, WriteOptions, refuse_schema, select};
use crate::protobuf::message_layout::Record;
use descriptor::Types;
use trevni::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "protobuf",
    extensions: &["pb", "binpb", "protobuf"],
    sniff: |_| false,
    open,
    create,
    holds: None,
    create_at: None,
};

/// A message may be as long as this, in reading and in writing.
const LONGEST: u64 = 64 << 20;

/// A message type of a descriptor set.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use trevni_convert::{ProtobufType, ReadOptions};
/// // Made by `protoc --include_imports --descriptor_set_out=shop.desc shop.proto`.
/// let orders = ProtobufType::try_new(&std::fs::read("shop.desc")?, "shop.Order")?;
/// let options = ReadOptions { protobuf: Some(orders), ..ReadOptions::default() };
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ProtobufType {
    record: Arc<Record>,
    schema: SchemaRef,
}

impl ProtobufType {
    /// Returns the message of a full name (`package.Message`) in a `FileDescriptorSet` that has all imports.
    pub fn try_new(descriptor_set: &[u8], message: &str) -> Result<Self> {
        let types = Types::new(descriptor_set)?;
        let found = types.messages.get(message).ok_or_else(|| unknown(&types, message))?;
        let record = Record::new(&types, found)?;
        let schema = schema::schema(&record)?;
        Ok(Self { record, schema })
    }

    /// Returns the schema of the rows that such messages are.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl fmt::Debug for ProtobufType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProtobufType").field(&self.record.name).finish()
    }
}

/// Lists the messages of a set, or some of them.
fn unknown(types: &Types, message: &str) -> Error {
    const SOME: usize = 20;
    let mut names: Vec<_> = types.names.iter().take(SOME).map(String::as_str).collect();
    if types.names.len() > SOME {
        names.push("...");
    }
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Error::invalid(format!("no message {message:?} in the descriptor set: there are {names}"))
}

fn given(of: &Option<ProtobufType>) -> Result<&ProtobufType> {
    let what = "protobuf rows need a descriptor set and the name of a message";
    of.as_ref().ok_or_else(|| Error::invalid(what))
}

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    let of = given(&options.protobuf)?;
    refuse_schema("protobuf", options)?;
    let messages = stream::Messages::new(source.into_read(), of.clone(), options)?;
    select::select(Box::new(messages), options)
}

fn create<'a>(
    to: &'a mut (dyn Write + Send),
    schema: SchemaRef,
    options: &WriteOptions,
) -> Result<Box<dyn Sink + 'a>> {
    let of = given(&options.protobuf)?;
    Ok(Box::new(write::Delimited::new(to, schema, &of.record)?))
}
