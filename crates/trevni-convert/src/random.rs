//! Random rows of any schema, from a seed.
//!
//! ```text
//! schema, count, seed ──► RecordBatch, RecordBatch, ...      the same for the same seed
//! ```
//! An eighth of what can be null is; lists and maps have up to four items; times are of 1970 to 2040; numbers of all
//! magnitudes come, NaN and the infinities do not.

mod leaf;

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::*;
use arrow::error::ArrowError;
use fastrand::Rng;

use super::Rows;
use trevni::{Error, Result};

/// Returns the rows made by chance.
pub fn random_rows(schema: SchemaRef, rows: u64, seed: u64, batch_size: usize) -> Rows {
    let rng = Rng::with_seed(seed);
    Box::new(Random { schema, left: rows, batch_size: batch_size.max(1), rng })
}

struct Random {
    schema: SchemaRef,
    left: u64,
    batch_size: usize,
    rng: Rng,
}

impl Random {
    fn batch(&mut self) -> Result<RecordBatch> {
        let n = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.batch_size);
        self.left -= n as u64;
        let columns = self.schema.fields().iter().map(|field| array(field, n, &mut self.rng));
        let columns = columns.collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(n));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

impl Iterator for Random {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = (self.left > 0).then(|| self.batch());
        if let Some(Err(_)) = batch {
            self.left = 0;
        }
        Some(batch?.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for Random {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Returns an array of a field.
fn array(field: &Field, n: usize, rng: &mut Rng) -> Result<ArrayRef> {
    let nulls = field.is_nullable().then(|| {
        let there: Vec<bool> = (0..n).map(|_| rng.u8(..8) > 0).collect();
        NullBuffer::from(there)
    });
    match field.data_type() {
        DataType::Struct(fields) => {
            let columns = fields.iter().map(|field| array(field, n, rng)).collect::<Result<_>>()?;
            Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, n)?))
        }
        DataType::List(item) => Ok(Arc::new(list::<i32>(item, nulls, n, rng)?)),
        DataType::LargeList(item) => Ok(Arc::new(list::<i64>(item, nulls, n, rng)?)),
        DataType::ListView(item) => {
            Ok(Arc::new(ListViewArray::from(list::<i32>(item, nulls, n, rng)?)))
        }
        DataType::LargeListView(item) => {
            Ok(Arc::new(LargeListViewArray::from(list::<i64>(item, nulls, n, rng)?)))
        }
        DataType::FixedSizeList(item, size) => {
            let each = usize::try_from(*size).unwrap_or(0);
            let items = array(item, each.saturating_mul(n), rng)?;
            let list =
                FixedSizeListArray::try_new_with_length(item.clone(), *size, items, nulls, n)?;
            Ok(Arc::new(list))
        }
        DataType::Map(entries, ordered) => {
            let offsets = offsets::<i32>(n, rng);
            let inner = array(entries, last(&offsets), rng)?;
            let entries_of = inner.as_struct().clone();
            let map = MapArray::try_new(entries.clone(), offsets, entries_of, nulls, *ordered)?;
            Ok(Arc::new(map))
        }
        DataType::Union(fields, mode) => union(fields, *mode, n, rng),
        DataType::Dictionary(keys, values) => {
            leaf::dictionary(field, keys, values, nulls.as_ref(), n, rng)
        }
        DataType::RunEndEncoded(ends, values) => runs(ends, values, n, rng),
        _ => leaf::leaf(field, nulls, n, rng),
    }
}

fn offsets<O: OffsetSizeTrait>(n: usize, rng: &mut Rng) -> OffsetBuffer<O> {
    OffsetBuffer::from_lengths((0..n).map(|_| rng.usize(..5)))
}

fn last<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> usize {
    offsets.last().map_or(0, |last| last.as_usize())
}

fn list<O: OffsetSizeTrait>(
    item: &FieldRef,
    nulls: Option<NullBuffer>,
    n: usize,
    rng: &mut Rng,
) -> Result<GenericListArray<O>> {
    let offsets = offsets::<O>(n, rng);
    let items = array(item, last(&offsets), rng)?;
    Ok(GenericListArray::try_new(item.clone(), offsets, items, nulls)?)
}

fn union(fields: &UnionFields, mode: UnionMode, n: usize, rng: &mut Rng) -> Result<ArrayRef> {
    let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
    let chosen: Vec<i8> = (0..n).filter_map(|_| rng.choice(ids.iter().copied())).collect();
    if chosen.len() < n {
        return Err(Error::invalid("a union without branches has no rows"));
    }
    let count = |id: i8| chosen.iter().filter(|other| **other == id).count();
    let children = fields.iter().map(|(id, field)| match mode {
        UnionMode::Dense => array(field, count(id), rng),
        UnionMode::Sparse => array(field, n, rng),
    });
    let children = children.collect::<Result<_>>()?;
    let offsets = (mode == UnionMode::Dense).then(|| {
        let mut next = [0i32; 256];
        let offset = |id: &i8| {
            let next = next.get_mut(usize::from(id.cast_unsigned()));
            next.map_or(0, |next| std::mem::replace(next, *next + 1))
        };
        chosen.iter().map(offset).collect::<Vec<_>>().into()
    });
    Ok(Arc::new(UnionArray::try_new(fields.clone(), chosen.into(), offsets, children)?))
}

fn runs(ends: &Field, values: &FieldRef, n: usize, rng: &mut Rng) -> Result<ArrayRef> {
    let mut at = 0;
    let lengths = std::iter::from_fn(|| {
        (at < n).then(|| {
            at = n.min(at + rng.usize(1..6));
            at as i64
        })
    });
    let ends_of: Int64Array = lengths.collect::<Vec<_>>().into();
    let values_of = array(values, ends_of.len(), rng)?;
    let ends_of = arrow::compute::cast(&ends_of, ends.data_type())?;
    Ok(match ends.data_type() {
        DataType::Int16 => {
            Arc::new(RunArray::<Int16Type>::try_new(ends_of.as_primitive(), &values_of)?)
        }
        DataType::Int32 => {
            Arc::new(RunArray::<Int32Type>::try_new(ends_of.as_primitive(), &values_of)?)
        }
        _ => Arc::new(RunArray::<Int64Type>::try_new(ends_of.as_primitive(), &values_of)?),
    })
}
