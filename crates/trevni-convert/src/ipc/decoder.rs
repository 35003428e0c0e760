//! Decodes IPC messages.
//!
//! ```text
//! dictionary messages ──► values by id ──┐
//! record batch messages ─────────────────┴──► record batches
//! ```
//! Messages are decoded by `arrow-ipc`, which refuses keys outside of their dictionary even if the struct or list
//! around them is null. Other writers leave such keys at 0, also for a dictionary without values. So a null is
//! added to an empty dictionary, and its keys must be null or within a null.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, new_null_array};
use arrow::buffer::{Buffer, NullBuffer};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{read_dictionary, read_record_batch};
use arrow::ipc::{self, Message, MessageHeader, Schema};

use trevni::io::Limits;
use trevni::{Error, Result};

/// Decodes messages of a schema.
pub(super) struct Decoder {
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// The dictionaries that are empty, and have one null here.
    empty: HashSet<i64>,
    /// The maximum number of bytes of a message that is decompressed.
    most: usize,
}

impl Decoder {
    pub(super) fn try_new(schema: Schema<'_>, limits: &Limits) -> Result<Self> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::unsupported("Arrow data in the other byte order"));
        }
        let schema = Arc::new(fb_to_schema(schema));
        let (dictionaries, empty) = (HashMap::new(), HashSet::new());
        Ok(Self { schema, dictionaries, empty, most: limits.block_bytes })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Decodes a message. Returns the batch if it is one.
    pub(super) fn decode(
        &mut self,
        message: Message<'_>,
        body: &Buffer,
    ) -> Result<Option<RecordBatch>> {
        match message.header_type() {
            MessageHeader::DictionaryBatch => {
                self.dictionary(message, body)?;
                Ok(None)
            }
            MessageHeader::RecordBatch => self.batch(message, body).map(Some),
            MessageHeader::NONE => Ok(None),
            MessageHeader::Schema => Err(Error::malformed("a second schema")),
            _ => Err(Error::unsupported("Arrow messages other than record batches")),
        }
    }

    /// Fails if the buffers of a message are too large when they are decompressed: each begins with that size, or with
    /// -1 if it is not compressed.
    fn check_size(&self, batch: ipc::RecordBatch<'_>, body: &Buffer) -> Result<()> {
        if batch.compression().is_none() {
            return Ok(());
        }
        let size = |buffer: &ipc::Buffer| {
            let stored = u64::try_from(buffer.length()).unwrap_or(0);
            let start = usize::try_from(buffer.offset()).ok();
            let said = start.and_then(|start| body.get(start..)?.first_chunk());
            let said = said.map_or(0, |said| i64::from_le_bytes(*said));
            u64::try_from(said).unwrap_or(stored)
        };
        let sizes = batch.buffers().into_iter().flatten().map(size);
        let bytes = sizes.fold(0, u64::saturating_add);
        if bytes > self.most as u64 {
            let what = "bytes of a message after decompression";
            return Err(Error::too_large(what, bytes, self.most as u64));
        }
        Ok(())
    }

    fn dictionary(&mut self, message: Message<'_>, body: &Buffer) -> Result<()> {
        let what = || Error::malformed("a dictionary message without a dictionary");
        let batch = message.header_as_dictionary_batch().ok_or_else(what)?;
        batch.data().map_or(Ok(()), |data| self.check_size(data, body))?;
        let id = batch.id();
        if self.empty.remove(&id)
            && let Some(values) = self.dictionaries.get_mut(&id)
        {
            *values = values.slice(0, 0);
        }
        let (schema, version) = (&self.schema, message.version());
        read_dictionary(body, batch, schema, &mut self.dictionaries, &version)?;
        if let Some(values) = self.dictionaries.get_mut(&id)
            && values.is_empty()
        {
            *values = new_null_array(values.data_type(), 1);
            self.empty.insert(id);
        }
        Ok(())
    }

    fn batch(&self, message: Message<'_>, body: &Buffer) -> Result<RecordBatch> {
        let what = || Error::malformed("a record batch message without a record batch");
        let batch = message.header_as_record_batch().ok_or_else(what)?;
        self.check_size(batch, body)?;
        let (schema, version) = (self.schema.clone(), message.version());
        let batch = read_record_batch(body, batch, schema, &self.dictionaries, None, &version)?;
        if !self.empty.is_empty() {
            for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                check_keys(column, None).map_err(|e| e.in_column(field.name()))?;
            }
        }
        Ok(batch)
    }
}

/// Refuses keys of dictionaries without values, unless they are null or something around them is.
fn check_keys(array: &ArrayRef, outer: Option<&NullBuffer>) -> Result<()> {
    let nulls = NullBuffer::union(outer, array.nulls());
    match array.data_type() {
        DataType::Dictionary(..) => {
            let values = array.as_any_dictionary().values();
            let is_empty = values.len() == 1 && values.logical_null_count() == 1;
            let null_count = nulls.map_or(0, |nulls| nulls.null_count());
            if is_empty && null_count < array.len() {
                return Err(Error::malformed("a key of a dictionary without values"));
            }
            Ok(())
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            columns.iter().try_for_each(|column| check_keys(column, nulls.as_ref()))
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            let nulls = nulls.filter(|_| size > 0).map(|nulls| nulls.expand(size));
            check_keys(array.as_fixed_size_list().values(), nulls.as_ref())
        }
        // Lists and unions have unreferenced positions, with any keys.
        _ => Ok(()),
    }
}
