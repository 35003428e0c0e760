//! Decodes records of the common types in one pass, and checks values while they are appended.
//!
//! ```text
//! {"a":1,"b":["x"]}    a: Int64         1
//! {"b":null,"a":2}     b: List(Utf8)    offsets 0 1 1, items "x"
//! ```
//! Values that need more are left to arrow-json's decoder, which converts them or says why they do not fit: text in
//! numbers, numbers in text, integers that floating-point numbers cannot hold, names that come twice, other types.

use std::sync::Arc;

use arrow::array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, NullBufferBuilder, StringBuilder, UInt64Builder,
};
use arrow::array::{ArrayRef, ListArray, NullArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, SchemaRef};
use arrow::error::ArrowError;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::field_name::FieldName;
use super::records::Chunk;

/// Integers up to this are floating-point numbers, too.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Decodes records of a schema, or some columns of them.
#[derive(Debug)]
pub(super) struct TypedDecoder {
    /// The columns of the records that are wanted.
    schema: SchemaRef,
    fields: Fields,
    wanted: Vec<usize>,
    is_strict: bool,
}

impl TypedDecoder {
    /// Returns a decoder of the columns at `wanted`; `None` if one has another type.
    pub(super) fn new(schema: &SchemaRef, wanted: &[usize], is_strict: bool) -> Option<Self> {
        let fields = schema.fields().clone();
        let projected = Arc::new(schema.project(wanted).ok()?);
        projected.fields().iter().try_for_each(|field| Values::new(field).map(drop))?;
        Some(Self { schema: projected, fields, wanted: wanted.to_vec(), is_strict })
    }

    /// Decodes the records of a chunk; `None` if one needs more than this decoder does.
    pub(super) fn decode(&self, chunk: &Chunk) -> Option<Result<RecordBatch, ArrowError>> {
        let text = simdutf8::basic::from_utf8(chunk.text()).ok()?;
        let mut records = chunk.ranges().map(|(_, range)| text.get(range));
        if self.wanted.is_empty() {
            let rows = records.try_fold(0, |rows, record| check(record?).then_some(rows + 1))?;
            return Some(self.batch(Vec::new(), rows));
        }
        let values = |at: usize| match self.wanted.contains(&at) {
            true => self.fields.get(at).and_then(|field| Values::new(field)),
            false => Some(Values::Skipped),
        };
        let columns = (0..self.fields.len()).map(values).collect::<Option<_>>()?;
        let mut rows = Objects::new(self.fields.clone(), columns);
        for record in records {
            let mut json = serde_json::Deserializer::from_str(record?);
            let object = Object { rows: &mut rows, is_strict: self.is_strict };
            json.deserialize_map(object).ok()?;
            json.end().ok()?;
        }
        Some(self.batch(rows.columns.into_iter().filter_map(Values::finish).collect(), rows.len))
    }

    fn batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// Returns whether a text is an object.
fn check(record: &str) -> bool {
    let mut json = serde_json::Deserializer::from_str(record);
    record.trim_ascii_start().starts_with('{')
        && json.deserialize_ignored_any(IgnoredAny).is_ok()
        && json.end().is_ok()
}

/// The values of a column.
#[derive(Debug)]
enum Values {
    Skipped,
    Null(usize),
    Boolean(BooleanBuilder),
    Int64(Int64Builder),
    UInt64(UInt64Builder),
    Float64(Float64Builder),
    Utf8(StringBuilder),
    List(Box<Lists>),
    Struct(Objects, NullBufferBuilder),
}

#[derive(Debug)]
struct Lists {
    field: FieldRef,
    items: Values,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

/// Objects: the rows, or the values of a struct.
#[derive(Debug)]
struct Objects {
    fields: Fields,
    columns: Vec<Values>,
    len: usize,
}

impl Objects {
    fn new(fields: Fields, columns: Vec<Values>) -> Self {
        Self { fields, columns, len: 0 }
    }

    /// Ends an object: members that it lacks are null.
    fn end(&mut self) -> Option<()> {
        for (values, field) in self.columns.iter_mut().zip(&self.fields) {
            if values.len().is_some_and(|len| len == self.len) {
                values.append_null(field.is_nullable())?;
            }
        }
        self.len += 1;
        Some(())
    }

    fn append_null(&mut self) -> Option<()> {
        self.columns.iter_mut().try_for_each(|values| values.append_null(true))?;
        self.len += 1;
        Some(())
    }
}

impl Values {
    fn new(field: &Field) -> Option<Self> {
        Some(match field.data_type() {
            DataType::Null => Values::Null(0),
            DataType::Boolean => Values::Boolean(BooleanBuilder::new()),
            DataType::Int64 => Values::Int64(Int64Builder::new()),
            DataType::UInt64 => Values::UInt64(UInt64Builder::new()),
            DataType::Float64 => Values::Float64(Float64Builder::new()),
            DataType::Utf8 => Values::Utf8(StringBuilder::new()),
            DataType::List(item) => Values::List(Box::new(Lists {
                field: item.clone(),
                items: Values::new(item)?,
                offsets: vec![0],
                nulls: NullBufferBuilder::new(0),
            })),
            DataType::Struct(fields) => {
                // What is null in a struct that is null may not be allowed elsewhere.
                if fields.iter().any(|field| !field.is_nullable()) {
                    return None;
                }
                let columns = fields.iter().map(|field| Values::new(field));
                let objects = Objects::new(fields.clone(), columns.collect::<Option<_>>()?);
                Values::Struct(objects, NullBufferBuilder::new(0))
            }
            _ => return None,
        })
    }

    /// Returns the number of values; `None` if they are not kept.
    fn len(&self) -> Option<usize> {
        use arrow::array::ArrayBuilder;
        Some(match self {
            Values::Skipped => return None,
            Values::Null(len) => *len,
            Values::Boolean(values) => values.len(),
            Values::Int64(values) => values.len(),
            Values::UInt64(values) => values.len(),
            Values::Float64(values) => values.len(),
            Values::Utf8(values) => values.len(),
            Values::List(lists) => lists.offsets.len() - 1,
            Values::Struct(objects, _) => objects.len,
        })
    }

    /// Appends null, if that is allowed.
    fn append_null(&mut self, is_nullable: bool) -> Option<()> {
        if !is_nullable {
            return None;
        }
        match self {
            Values::Skipped => {}
            Values::Null(len) => *len += 1,
            Values::Boolean(values) => values.append_null(),
            Values::Int64(values) => values.append_null(),
            Values::UInt64(values) => values.append_null(),
            Values::Float64(values) => values.append_null(),
            Values::Utf8(values) => values.append_null(),
            Values::List(lists) => {
                let end = lists.offsets.last().copied().unwrap_or(0);
                lists.offsets.push(end);
                lists.nulls.append_null();
            }
            Values::Struct(objects, nulls) => {
                objects.append_null()?;
                nulls.append_null();
            }
        }
        Some(())
    }

    /// Returns the array; `None` if the values were not kept.
    fn finish(self) -> Option<ArrayRef> {
        Some(match self {
            Values::Skipped => return None,
            Values::Null(len) => Arc::new(NullArray::new(len)),
            Values::Boolean(mut values) => Arc::new(values.finish()),
            Values::Int64(mut values) => Arc::new(values.finish()),
            Values::UInt64(mut values) => Arc::new(values.finish()),
            Values::Float64(mut values) => Arc::new(values.finish()),
            Values::Utf8(mut values) => Arc::new(values.finish()),
            Values::List(lists) => {
                let Lists { field, items, offsets, mut nulls } = *lists;
                let offsets = OffsetBuffer::new(offsets.into());
                let lists = ListArray::try_new(field, offsets, items.finish()?, nulls.finish());
                Arc::new(lists.ok()?)
            }
            Values::Struct(objects, mut nulls) => {
                let Objects { fields, columns, len } = objects;
                let columns = columns.into_iter().map(Values::finish).collect::<Option<_>>()?;
                let nulls = nulls.finish();
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, len).ok()?)
            }
        })
    }
}

/// The error of everything that this decoder does not do.
fn other<E: Error>() -> E {
    E::custom("another decoder is needed")
}

/// Appends a value.
struct Append<'a> {
    values: &'a mut Values,
    is_nullable: bool,
    is_strict: bool,
}

impl<'de> DeserializeSeed<'de> for Append<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match self.values {
            Values::Skipped => json.deserialize_ignored_any(IgnoredAny).map(drop),
            _ => json.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Append<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.values.append_null(self.is_nullable).ok_or_else(other)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self.values {
            Values::Boolean(values) => values.append_value(value),
            _ => return Err(other()),
        }
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        match self.values {
            Values::Int64(values) => values.append_value(value),
            Values::Float64(values) if value.unsigned_abs() < 1 << 53 => {
                values.append_value(value as f64);
            }
            _ => return Err(other()),
        }
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        match (self.values, i64::try_from(value)) {
            (Values::Int64(values), Ok(value)) => values.append_value(value),
            (Values::UInt64(values), _) => values.append_value(value),
            (Values::Float64(values), _) if value < 1 << 53 => values.append_value(value as f64),
            _ => return Err(other()),
        }
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        match self.values {
            Values::Float64(values) if value.abs() < EXACT => values.append_value(value),
            _ => return Err(other()),
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        match self.values {
            Values::Utf8(values) => values.append_value(value),
            _ => return Err(other()),
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let Values::List(lists) = self.values else { return Err(other()) };
        let Lists { field, items, offsets, nulls } = &mut **lists;
        let (is_nullable, is_strict) = (field.is_nullable(), self.is_strict);
        while values.next_element_seed(Append { values: items, is_nullable, is_strict })?.is_some()
        {
        }
        let end = items.len().and_then(|len| i32::try_from(len).ok()).ok_or_else(other)?;
        offsets.push(end);
        nulls.append_non_null();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        let Values::Struct(objects, nulls) = self.values else { return Err(other()) };
        Object { rows: objects, is_strict: self.is_strict }.visit_map(object)?;
        nulls.append_non_null();
        Ok(())
    }
}

/// Appends an object.
struct Object<'a> {
    rows: &'a mut Objects,
    is_strict: bool,
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Objects { fields, columns, len } = &mut *self.rows;
        let (mut likely, is_strict) = (0, self.is_strict);
        while let Some(found) =
            object.next_key_seed(FieldName { fields, likely, other: |_: &str| () })?
        {
            let member = found.and_then(|at| columns.get_mut(at).zip(fields.get(at)));
            let Some((values, field)) = member else {
                if is_strict {
                    return Err(other());
                }
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            if values.len().is_some_and(|found| found != *len) {
                return Err(other());
            }
            let is_nullable = field.is_nullable();
            object.next_value_seed(Append { values, is_nullable, is_strict })?;
            likely = found.map_or(0, |at| at + 1);
        }
        self.rows.end().ok_or_else(other)
    }
}
