//! Decodes records of the common types in one pass, and checks values while they are appended.
//!
//! ```text
//! {"a":1,"b":["x"]}    a: Int64         1
//! {"b":null,"a":2}     b: List(Utf8)    offsets 0 1 1, items "x"
//! ```
//! Values that need more are left to arrow-json's decoder, which converts them or says why they do not fit: text in
//! numbers, numbers in text, digits that floating-point numbers cannot hold, names that come twice, other types.

use std::str::FromStr;
use std::sync::Arc;

use arrow::array::builder::{
    BooleanBuilder, Decimal128Builder, Float64Builder, Int64Builder, NullBufferBuilder,
    StringBuilder, UInt64Builder,
};
use arrow::array::{ArrayRef, ListArray, NullArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, SchemaRef};
use arrow::error::ArrowError;

use super::json_text::minified;
use super::records::Chunk;
use super::scanner::Scanner;
use crate::float_digits::{decimal_type, is_held, unscaled};
use crate::json_field::is_json;

/// Decodes records of a schema, or some columns of them.
#[derive(Debug)]
pub(super) struct TypedDecoder {
    /// The columns of the records that are wanted.
    schema: SchemaRef,
    fields: Fields,
    /// In the order of the schema.
    wanted: Vec<usize>,
    is_strict: bool,
}

impl TypedDecoder {
    /// Returns a decoder of the columns at `wanted`; `None` if one has another type.
    pub(super) fn new(schema: &SchemaRef, wanted: &[usize], is_strict: bool) -> Option<Self> {
        let fields = schema.fields().clone();
        let projected = Arc::new(schema.project(wanted).ok()?);
        projected.fields().iter().try_for_each(|field| Values::new(field, 0).map(drop))?;
        Some(Self { schema: projected, fields, wanted: wanted.to_vec(), is_strict })
    }

    /// Decodes the records of a chunk; `None` if one needs more than this decoder does.
    pub(super) fn decode(&self, chunk: &Chunk) -> Option<Result<RecordBatch, ArrowError>> {
        let text = simdutf8::basic::from_utf8(chunk.text()).ok()?;
        let mut records = chunk.ranges().map(|(_, range)| text.get(range));
        if self.wanted.is_empty() {
            let rows =
                records.try_fold(0, |rows, record| skip_object(record?).map(|()| rows + 1))?;
            return Some(self.batch(Vec::new(), rows));
        }
        let rows = chunk.ranges().count();
        let values = |at: usize| match self.wanted.binary_search(&at).is_ok() {
            true => self.fields.get(at).and_then(|field| Values::new(field, rows)),
            false => Some(Values::Skipped),
        };
        let columns = (0..self.fields.len()).map(values).collect::<Option<_>>()?;
        let mut rows = Objects::new(self.fields.clone(), columns);
        for record in records {
            let mut json = Scanner::new(record?);
            rows.append(&mut json, self.is_strict)?;
            is_at_end(&mut json)?;
        }
        Some(self.batch(rows.columns.into_iter().filter_map(Values::finish).collect(), rows.len))
    }

    fn batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// Skips an object that is a whole text.
fn skip_object(record: &str) -> Option<()> {
    let mut json = Scanner::new(record);
    (json.peek() == Some(b'{')).then(|| json.skip())??;
    is_at_end(&mut json)
}

fn is_at_end(json: &mut Scanner<'_>) -> Option<()> {
    json.peek().is_none().then_some(())
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
    /// Any values, as their text.
    Json(StringBuilder),
    /// Unscaled values, and their scale.
    Decimal(Decimal128Builder, i8),
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
    /// Their names as they are in JSON.
    names: Vec<String>,
    columns: Vec<Values>,
    len: usize,
}

impl Objects {
    fn new(fields: Fields, columns: Vec<Values>) -> Self {
        let quoted = |name: &str| serde_json::Value::from(name).to_string();
        let names = fields.iter().map(|field| quoted(field.name())).collect();
        Self { fields, names, columns, len: 0 }
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
    /// Returns no values, with room for these rows. Builders otherwise have room for a thousand, which is most of the
    /// memory of wide records.
    fn new(field: &Field, rows: usize) -> Option<Self> {
        Some(match field.data_type() {
            DataType::Null => Values::Null(0),
            DataType::Boolean => Values::Boolean(BooleanBuilder::with_capacity(rows)),
            DataType::Int64 => Values::Int64(Int64Builder::with_capacity(rows)),
            DataType::UInt64 => Values::UInt64(UInt64Builder::with_capacity(rows)),
            DataType::Float64 => Values::Float64(Float64Builder::with_capacity(rows)),
            DataType::Utf8 if is_json(field) => {
                Values::Json(StringBuilder::with_capacity(rows, rows))
            }
            DataType::Utf8 => Values::Utf8(StringBuilder::with_capacity(rows, rows)),
            decimal @ DataType::Decimal128(_, scale) if *decimal == decimal_type(*scale) => {
                let values = Decimal128Builder::with_capacity(rows);
                Values::Decimal(values.with_data_type(decimal.clone()), *scale)
            }
            DataType::List(item) => Values::List(Box::new(Lists {
                field: item.clone(),
                items: Values::new(item, rows)?,
                offsets: vec![0],
                nulls: NullBufferBuilder::new(0),
            })),
            DataType::Struct(fields) => {
                // What is null in a struct that is null may not be allowed elsewhere.
                if fields.iter().any(|field| !field.is_nullable()) {
                    return None;
                }
                let columns = fields.iter().map(|field| Values::new(field, rows));
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
            Values::Utf8(values) | Values::Json(values) => values.len(),
            Values::Decimal(values, _) => values.len(),
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
            Values::Utf8(values) | Values::Json(values) => values.append_null(),
            Values::Decimal(values, _) => values.append_null(),
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
            Values::Utf8(mut values) | Values::Json(mut values) => Arc::new(values.finish()),
            Values::Decimal(mut values, _) => Arc::new(values.finish()),
            Values::List(lists) => {
                let Lists { field, items, offsets, mut nulls } = *lists;
                let offsets = OffsetBuffer::new(offsets.into());
                let lists = ListArray::try_new(field, offsets, items.finish()?, nulls.finish());
                Arc::new(lists.ok()?)
            }
            Values::Struct(objects, mut nulls) => {
                let Objects { fields, columns, len, .. } = objects;
                let columns = columns.into_iter().map(Values::finish).collect::<Option<_>>()?;
                let nulls = nulls.finish();
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, len).ok()?)
            }
        })
    }
}

impl Values {
    /// Appends the next value, if it has the type.
    fn append(&mut self, json: &mut Scanner<'_>, field: &Field, is_strict: bool) -> Option<()> {
        if let Values::Skipped = self {
            return json.skip();
        }
        if json.peek() == Some(b'n') {
            json.word("null")?;
            return self.append_null(field.is_nullable());
        }
        match self {
            Values::Skipped | Values::Null(_) => return None,
            Values::Boolean(values) => {
                let value = json.peek() == Some(b't');
                json.word(if value { "true" } else { "false" })?;
                values.append_value(value);
            }
            Values::Int64(values) => values.append_value(integer(json.number()?)?),
            Values::UInt64(values) => values.append_value(integer(json.number()?)?),
            Values::Float64(values) => {
                let text = json.number()?;
                let value: f64 = text.parse().ok()?;
                values.append_value(is_held(value, text).then_some(value)?);
            }
            Values::Utf8(values) => values.append_value(json.string()?),
            Values::Json(values) => values.append_value(minified(json.value()?)),
            Values::Decimal(values, scale) => {
                values.append_value(unscaled(json.number()?, *scale)?);
            }
            Values::List(lists) => lists.append(json, is_strict)?,
            Values::Struct(objects, nulls) => {
                objects.append(json, is_strict)?;
                nulls.append_non_null();
            }
        }
        Some(())
    }
}

/// Returns an integer, if the number is written as one. That with a sign and no value is not.
fn integer<N: FromStr>(number: &str) -> Option<N> {
    if number == "-0" { None } else { number.parse().ok() }
}

impl Lists {
    /// Appends an array.
    fn append(&mut self, json: &mut Scanner<'_>, is_strict: bool) -> Option<()> {
        let mut is_open = json.take(b'[').then(|| !json.take(b']'))?;
        while is_open {
            self.items.append(json, &self.field, is_strict)?;
            is_open = json.has_next(b']')?;
        }
        self.offsets.push(i32::try_from(self.items.len()?).ok()?);
        self.nulls.append_non_null();
        Some(())
    }
}

impl Objects {
    /// Appends an object.
    fn append(&mut self, json: &mut Scanner<'_>, is_strict: bool) -> Option<()> {
        let mut is_open = json.take(b'{').then(|| !json.take(b'}'))?;
        let mut likely = 0;
        while is_open {
            // Most often the fields come in their order.
            let found = match self.names.get(likely).is_some_and(|name| json.take_name(name)) {
                true => Some(likely),
                false => self.fields.find(&json.name()?).map(|(at, _)| at),
            };
            match found.and_then(|at| self.columns.get_mut(at).zip(self.fields.get(at))) {
                // A name that comes twice.
                Some((values, _)) if values.len().is_some_and(|len| len != self.len) => {
                    return None;
                }
                Some((values, field)) => values.append(json, field, is_strict)?,
                None if is_strict => return None,
                None => json.skip()?,
            }
            likely = found.map_or(0, |at| at + 1);
            is_open = json.has_next(b'}')?;
        }
        self.end()
    }
}
