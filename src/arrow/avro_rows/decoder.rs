//! Decodes rows in Avro's binary encoding.
//!
//! ```text
//! record   its fields             array, map   count, items ... 0     (a negative count is followed by a size)
//! union    branch, value          boolean 1 byte   int, long zig-zag   float, double 4, 8 bytes   bytes, string long length
//! ```
//! The inverse of [`AvroEncoder`](crate::arrow::avro::AvroEncoder). Values are appended to the columns of the Avro
//! layout, from which arrays are assembled as from a file. (Avro specification: "Binary Encoding".)

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Fields, SchemaRef};

use super::super::Layout;
use super::defaults::Push;
use super::resolve::{Branch, Read, ResolutionStep, resolve};
use super::skip::{no_branch, skip};
use crate::arrow::avro::{Avro, plan, with_text};
use crate::arrow::encoded;
use crate::arrow::field_path::FieldPath;
use crate::arrow::layout::field_layout::LayoutPlan;
use crate::arrow::leaf::precision::is_within;
use crate::arrow::read::assemble::{Decoded, assemble};
use crate::error::{Error, Result};
use crate::format::column_data::ColumnData;
use crate::format::value::Value;
use crate::format::values::Values;
use crate::wire::Cursor;

/// Items that take no bytes, of all rows of a batch: more are refused, for a few bytes can claim any number.
const MOST_EMPTY: u64 = 1 << 24;

/// Decodes rows in Avro's binary encoding to record batches.
///
/// ```
/// use trevni::arrow::AvroDecoder;
/// use trevni::wire::Cursor;
///
/// let schema = r#"{"type":"record","name":"R","fields":[{"name":"a","type":["null","int"]}]}"#;
/// let mut decoder = AvroDecoder::try_new(schema, None)?;
/// let mut rows = Cursor::new(&[0, 2, 14]);
/// while rows.remaining() > 0 {
///     decoder.decode(&mut rows)?;
/// }
/// let batch = decoder.flush()?;
/// assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 1));
/// # Ok::<(), trevni::Error>(())
/// ```
#[derive(Debug)]
pub struct AvroDecoder {
    schema: SchemaRef,
    stored: Fields,
    plan: LayoutPlan,
    step: ResolutionStep,
    lossy: bool,
    rows: usize,
    empty: u64,
    data: Decoded,
}

impl AvroDecoder {
    /// Creates a decoder of rows written with one schema, which are read with another if it is given. Both are
    /// JSON. The reader's schema determines the fields and the defaults of those that the writer lacks.
    pub fn try_new(writer: &str, reader: Option<&str>) -> Result<Self> {
        let (mut avro, mut notes) = Avro::parse_with_notes(writer.as_bytes())?;
        let written = avro.clone();
        if let Some(reader) = reader {
            (avro, notes) = Avro::parse_with_notes(reader.as_bytes())?;
        }
        let schema = with_text(&avro, reader.unwrap_or(writer))?;
        let stored = encoded::stored_fields(schema.fields(), Layout::Avro);
        let plan = plan(&avro, &stored)?;
        let step = resolve(&written, &avro, &notes, &plan.shapes)?;
        let columns = columns_of(&plan);
        let data = Decoded { columns, ..Decoded::default() };
        let schema = Arc::new(schema);
        Ok(Self { schema, stored, plan, step, lossy: false, rows: 0, empty: 0, data })
    }

    /// Sets whether integers may become the floating-point number nearest to them. Otherwise one that is none is
    /// an error.
    pub fn with_lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the rows decoded since the last batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Decodes a row. After an error the row is not appended, and the position of the cursor is unspecified.
    pub fn decode(&mut self, from: &mut Cursor<'_>) -> Result<()> {
        let before = self.empty;
        let Self { step, lossy, empty, data, .. } = self;
        let mut sink = Sink { columns: &mut data.columns, lossy: *lossy, empty, failed: None };
        let run = sink.run(step, from);
        let failed = sink.failed;
        match run {
            Ok(()) => {
                self.rows += 1;
                Ok(())
            }
            Err(e) => {
                self.plan.truncate(self.rows, &mut self.data.columns);
                self.empty = before;
                let column = failed.and_then(|column| self.plan.columns.get(column));
                Err(match column {
                    Some(column) => e.in_column(column.metadata.name()),
                    None => e,
                })
            }
        }
    }

    /// Returns a batch of the rows decoded since the last one.
    pub fn flush(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        self.empty = 0;
        let fields = self.plan.shapes.iter().zip(&self.stored).zip(self.schema.fields());
        let mut arrays = Vec::with_capacity(self.stored.len());
        for ((shape, stored), field) in fields {
            let path = FieldPath::new(field.name());
            let array = assemble(shape, stored, rows, &mut self.data, &path)?;
            let array = encoded::from_stored(&array, field)?;
            arrays.push(array.ok_or_else(|| Error::malformed("more symbols than keys"))?);
        }
        self.data.columns = columns_of(&self.plan);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?)
    }
}

fn columns_of(plan: &LayoutPlan) -> Vec<ColumnData> {
    plan.columns.iter().map(|column| ColumnData::of(&column.metadata)).collect()
}

/// The destination of decoded values.
struct Sink<'a> {
    columns: &'a mut [ColumnData],
    lossy: bool,
    empty: &'a mut u64,
    /// The column of the value that failed.
    failed: Option<usize>,
}

fn unfit() -> Error {
    Error::invalid("a value of another type than its column")
}

impl Sink<'_> {
    fn run(&mut self, step: &ResolutionStep, from: &mut Cursor<'_>) -> Result<()> {
        match step {
            ResolutionStep::Leaf { column, read } => {
                let done = self.leaf(*column, read, from);
                if done.is_err() {
                    self.failed = Some(*column);
                }
                done
            }
            ResolutionStep::List { counts, item } => {
                self.items(*counts, from, |sink, from| sink.run(item, from))
            }
            ResolutionStep::Map { counts, key, value } => {
                self.items(*counts, from, |sink, from| {
                    sink.leaf(*key, &Read::Text, from)?;
                    sink.run(value, from)
                })
            }
            ResolutionStep::Record(steps) => steps.iter().try_for_each(|step| self.run(step, from)),
            ResolutionStep::Union(branches) => {
                let at = from.long("branch of a union")?;
                let branch = usize::try_from(at).ok().and_then(|at| branches.get(at));
                self.branch(branch.ok_or_else(|| no_branch(at))?, from)
            }
            ResolutionStep::Branch(branch) => self.branch(branch, from),
            ResolutionStep::Skip(avro) => skip(avro, from),
            ResolutionStep::Constant(pushes) => pushes.iter().try_for_each(|push| self.push(push)),
        }
    }

    fn branch(&mut self, branch: &Branch, from: &mut Cursor<'_>) -> Result<()> {
        for (column, n) in &branch.counts {
            self.count(*column, *n)?;
        }
        match &branch.step {
            Ok(Some(step)) => self.run(step, from),
            Ok(None) => Ok(()),
            Err(why) => Err(Error::malformed(why.clone())),
        }
    }

    fn items(
        &mut self,
        counts: usize,
        from: &mut Cursor<'_>,
        mut one: impl FnMut(&mut Self, &mut Cursor<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut total = 0u32;
        loop {
            let n = from.long("count of items")?;
            if n < 0 {
                from.count("size of a block of items")?;
            }
            let n = n.unsigned_abs();
            if n == 0 {
                return self.count(counts, total);
            }
            for _ in 0..n {
                let before = from.remaining();
                one(self, from)?;
                if from.remaining() == before {
                    *self.empty += 1;
                    if *self.empty > MOST_EMPTY {
                        return Err(Error::too_large("items without bytes", n, MOST_EMPTY));
                    }
                }
            }
            let added = u32::try_from(n).ok().and_then(|n| total.checked_add(n));
            total = added.ok_or_else(|| Error::too_large("items", n, u32::MAX.into()))?;
        }
    }

    fn column(&mut self, column: usize) -> Result<&mut ColumnData> {
        self.columns.get_mut(column).ok_or_else(unfit)
    }

    fn count(&mut self, column: usize, n: u32) -> Result<()> {
        self.column(column)?.lengths.as_mut().ok_or_else(unfit)?.push(n);
        Ok(())
    }

    fn push(&mut self, push: &Push) -> Result<()> {
        match push.value() {
            Ok(value) => self.value(push.column(), &value),
            Err(n) => self.count(push.column(), n),
        }
    }

    fn value(&mut self, column: usize, value: &Value<'_>) -> Result<()> {
        self.column(column)?.values.push(value)
    }

    fn leaf(&mut self, column: usize, read: &Read, from: &mut Cursor<'_>) -> Result<()> {
        let lossy = self.lossy;
        match (read, &mut self.column(column)?.values) {
            (Read::Null, Values::Null(n)) => *n += 1,
            (Read::Boolean, Values::Boolean(bits)) => bits.push(boolean(from)?),
            (Read::Int, Values::Int(v)) => v.push(from.int("int")?),
            (Read::Long, Values::Long(v)) => v.push(from.long("long")?),
            (Read::LongOfInt, Values::Long(v)) => v.push(from.int("int")?.into()),
            (Read::Float, Values::Float(v)) => v.push(float(from)?),
            (Read::FloatOfInt, Values::Float(v)) => {
                v.push(near_float(from.int("int")?.into(), lossy)?);
            }
            (Read::FloatOfLong, Values::Float(v)) => v.push(near_float(from.long("long")?, lossy)?),
            (Read::Double, Values::Double(v)) => {
                v.push(f64::from_le_bytes(from.array("double")?));
            }
            (Read::DoubleOfInt, Values::Double(v)) => v.push(from.int("int")?.into()),
            (Read::DoubleOfLong, Values::Double(v)) => {
                v.push(near_double(from.long("long")?, lossy)?);
            }
            (Read::DoubleOfFloat, Values::Double(v)) => v.push(float(from)?.into()),
            (Read::Bytes, Values::Bytes(v)) => v.push(from.bytes("bytes")?)?,
            (Read::Text | Read::TextOfBytes, Values::Bytes(v)) => {
                v.push(from.string("string")?.as_bytes())?;
            }
            (Read::Fixed(size), Values::Bytes(v)) => v.push(from.take(*size, "fixed")?)?,
            (Read::Decimal(precision, size), Values::Bytes(v)) => {
                let number = match size {
                    Some(size) => from.take(*size, "fixed")?,
                    None => from.bytes("bytes")?,
                };
                if !is_within(number, *precision) {
                    let what = format!("a decimal has more than {precision} digits");
                    return Err(Error::malformed(what));
                }
                v.push(number)?;
            }
            (Read::Enum(ordinals), Values::Int(v)) => {
                v.push(ordinals.get(from.long("ordinal of a symbol")?)?)
            }
            _ => return Err(unfit()),
        }
        Ok(())
    }
}

fn boolean(from: &mut Cursor<'_>) -> Result<bool> {
    let [byte] = from.array("boolean")?;
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::malformed(format!("a boolean is {other}"))),
    }
}

fn float(from: &mut Cursor<'_>) -> Result<f32> {
    Ok(f32::from_le_bytes(from.array("float")?))
}

fn near_float(value: i64, lossy: bool) -> Result<f32> {
    let near = value as f32;
    if lossy || is_exactly(near.into(), value) { Ok(near) } else { Err(lost(value)) }
}

fn near_double(value: i64, lossy: bool) -> Result<f64> {
    let near = value as f64;
    if lossy || is_exactly(near, value) { Ok(near) } else { Err(lost(value)) }
}

#[expect(clippy::cast_possible_truncation, reason = "the number is whole and in range")]
fn is_exactly(near: f64, value: i64) -> bool {
    // 2^63 is a double, and no i64.
    near < 9_223_372_036_854_775_808.0 && near as i64 == value
}

fn lost(value: i64) -> Error {
    Error::malformed(format!("{value} would lose digits as a floating-point number"))
}
