//! Encodes record batches in Avro's binary encoding.
//!
//! ```text
//! RecordBatch ── lower, shred ──► columns ── row by row ──► bytes, and where each row ends
//! ```
//! The inverse of [`AvroDecoder`](crate::arrow::avro::AvroDecoder), which describes the encoding. Columns are those
//! of the Avro layout.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::super::Layout;
use crate::arrow::avro::{Avro, of_schema};
use crate::arrow::layout::field_layout::FieldLayout;
use crate::arrow::schema::stored::{self, SchemaPlan};
use crate::arrow::write::batch_schema::conform;
use crate::arrow::write::shred::shred_batch;
use crate::error::{Error, Result};
use crate::format::column_data::ColumnSlice;
use crate::format::metadata::Metadata;
use crate::format::value::Value;
use crate::format::values_ref::ValuesRef;
use crate::wire;

/// Encodes record batches as rows in Avro's binary encoding.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int32Array, RecordBatch};
/// use trevni::arrow::AvroEncoder;
///
/// let a: ArrayRef = Arc::new(Int32Array::from(vec![None, Some(7)]));
/// let batch = RecordBatch::try_from_iter_with_nullable([("a", a, true)])?;
/// let encoder = AvroEncoder::try_new(&batch.schema())?;
/// let (mut bytes, mut ends) = (Vec::new(), Vec::new());
/// encoder.encode(&batch, &mut bytes, &mut ends)?;
/// assert_eq!((bytes, ends), (vec![0, 2, 14], vec![1, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AvroEncoder {
    planning: SchemaPlan,
    avro: Avro,
    text: String,
}

impl AvroEncoder {
    /// Creates an encoder of batches of a schema. It uses the Avro schema that this was converted from, or else a
    /// new one.
    pub fn try_new(schema: &SchemaRef) -> Result<Self> {
        let (avro, text) = of_schema(schema)?;
        let planning = stored::plan(schema, Layout::Avro, &|_, _| false, &mut Metadata::new())?;
        Ok(Self { planning, avro, text })
    }

    /// The Avro schema of the rows, in JSON.
    pub fn avro_schema(&self) -> &str {
        &self.text
    }

    /// Appends the rows of a batch, and where each of them ends. After an error nothing is appended.
    pub fn encode(
        &self,
        batch: &RecordBatch,
        out: &mut Vec<u8>,
        ends: &mut Vec<usize>,
    ) -> Result<()> {
        let (bytes, rows) = (out.len(), ends.len());
        let encoded = self.append(batch, out, ends);
        if encoded.is_err() {
            out.truncate(bytes);
            ends.truncate(rows);
        }
        encoded
    }

    fn append(&self, batch: &RecordBatch, out: &mut Vec<u8>, ends: &mut Vec<usize>) -> Result<()> {
        let batch = conform(batch, &self.planning.schema)?;
        let columns = shred_batch(&self.planning, &[], &batch)?;
        let mut feeds: Vec<Feed<'_>> = columns.iter().map(|c| Feed::new(c.as_slice())).collect();
        let mut rows = Rows { feeds: &mut feeds, out };
        for _ in 0..batch.num_rows() {
            match (&self.avro, self.planning.plan.shapes.as_slice()) {
                (avro @ Avro::Record { .. }, shapes) => rows.record(avro, shapes)?,
                (avro, [shape]) => rows.put(avro, shape)?,
                _ => return Err(unfit()),
            }
            ends.push(rows.out.len());
        }
        Ok(())
    }
}

/// The rest of a column.
struct Feed<'a> {
    lengths: Option<&'a [u32]>,
    values: ValuesRef<'a>,
    next_length: usize,
    next_value: usize,
}

impl<'a> Feed<'a> {
    fn new(column: ColumnSlice<'a>) -> Self {
        Self { lengths: column.lengths, values: column.values, next_length: 0, next_value: 0 }
    }

    fn value(&mut self) -> Result<Value<'a>> {
        let value = self.values.get(self.next_value).ok_or_else(unfit)?;
        self.next_value += 1;
        Ok(value)
    }

    fn count(&mut self) -> Result<u32> {
        let Some(lengths) = self.lengths else {
            // Counts of nothing but 0 and 1 are bits.
            return match self.value()? {
                Value::Boolean(validity) => Ok(validity.into()),
                _ => Err(unfit()),
            };
        };
        let count = lengths.get(self.next_length).copied().ok_or_else(unfit)?;
        self.next_length += 1;
        Ok(count)
    }
}

fn unfit() -> Error {
    Error::invalid("columns that do not fit the Avro schema")
}

struct Rows<'f, 'a> {
    feeds: &'f mut [Feed<'a>],
    out: &'f mut Vec<u8>,
}

impl<'a> Rows<'_, 'a> {
    fn feed(&mut self, column: usize) -> Result<&mut Feed<'a>> {
        self.feeds.get_mut(column).ok_or_else(unfit)
    }

    fn put(&mut self, avro: &Avro, shape: &FieldLayout) -> Result<()> {
        match (avro, shape) {
            (Avro::Record { .. }, FieldLayout::Record(shapes)) => self.record(avro, shapes),
            (Avro::Array(item), FieldLayout::List { counts, inner }) => {
                let n = self.start(*counts)?;
                (0..n).try_for_each(|_| self.put(item, inner))?;
                self.end()
            }
            (Avro::Map(inner), FieldLayout::Map { counts, key, value }) => {
                let n = self.start(*counts)?;
                let string = Avro::Primitive(crate::arrow::avro::Primitive::String, None);
                for _ in 0..n {
                    self.put(&string, key)?;
                    self.put(inner, value)?;
                }
                self.end()
            }
            (Avro::Union(branches), _) => self.union(branches, shape),
            (avro, FieldLayout::Leaf { column }) => {
                let value = self.feed(*column)?.value()?;
                self.leaf(avro, &value)
            }
            _ => Err(unfit()),
        }
    }

    fn record(&mut self, avro: &Avro, shapes: &[FieldLayout]) -> Result<()> {
        let Avro::Record { fields, .. } = avro else { return Err(unfit()) };
        fields.iter().zip(shapes).try_for_each(|((_, avro), shape)| self.put(avro, shape))
    }

    /// Begins the one block of items that a row has, if it has any.
    fn start(&mut self, counts: usize) -> Result<u32> {
        let n = self.feed(counts)?.count()?;
        if n > 0 {
            wire::put_long(self.out, n.into());
        }
        Ok(n)
    }

    /// Ends the blocks of items.
    fn end(&mut self) -> Result<()> {
        wire::put_long(self.out, 0);
        Ok(())
    }

    fn union(&mut self, branches: &[Avro], shape: &FieldLayout) -> Result<()> {
        let null = branches.iter().position(Avro::is_null);
        let (chosen, inner) = match shape {
            FieldLayout::Nothing => (null, None),
            FieldLayout::Optional { counts, inner } => match self.feed(*counts)?.count()? {
                0 => (null, None),
                _ => (branches.iter().position(|b| !b.is_null()), Some(inner.as_ref())),
            },
            FieldLayout::Union(shapes) => {
                let (mut chosen, mut inner) = (null, None);
                for (at, (counts, shape)) in shapes.iter().enumerate() {
                    if let Some(counts) = counts
                        && self.feed(*counts)?.count()? == 1
                    {
                        (chosen, inner) = (Some(at), Some(shape));
                    }
                }
                (chosen, inner)
            }
            _ => return Err(unfit()),
        };
        let chosen = chosen.ok_or_else(unfit)?;
        wire::put_long(self.out, i64::try_from(chosen).map_err(|_| unfit())?);
        match (branches.get(chosen), inner) {
            (Some(branch), Some(inner)) => self.put(branch, inner),
            _ => Ok(()),
        }
    }

    fn leaf(&mut self, avro: &Avro, value: &Value<'_>) -> Result<()> {
        match (value, avro) {
            (Value::Null, _) => {}
            (Value::Boolean(v), _) => self.out.push(u8::from(*v)),
            (Value::Int(v), _) => wire::put_long(self.out, (*v).into()),
            (Value::Long(v), _) => wire::put_long(self.out, *v),
            (Value::Float(v), _) => self.out.extend_from_slice(&v.to_le_bytes()),
            (Value::Double(v), _) => self.out.extend_from_slice(&v.to_le_bytes()),
            (Value::Bytes(v), Avro::Fixed { size, .. }) => {
                if usize::try_from(*size).ok() != Some(v.len()) {
                    let what = format!("{} bytes for a fixed of {size}", v.len());
                    return Err(Error::invalid(what));
                }
                self.out.extend_from_slice(v);
            }
            (Value::Bytes(v), _) => wire::put_bytes(self.out, v),
        }
        Ok(())
    }
}
