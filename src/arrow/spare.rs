//! Memory of batches that nobody holds any more, to be filled again.
//!
//! ```text
//! batch n      made ──► given out ──► dropped by the caller
//!                └ buffers noted         └ no other owner: theirs for batch n + 1
//! ```
//! A reader that is drained batch by batch then works in the same few pages, which stay in the cache; fresh ones
//! would be asked of the system, and cleared by it, for every batch. What the caller keeps is left alone.

use std::collections::VecDeque;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::Buffer;
use arrow::datatypes::ArrowNativeType;
use arrow::record_batch::RecordBatch;

/// Memory by the alignment of what it held.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    /// Buffers of the last batch.
    noted: Vec<Buffer>,
    /// Memory that was needed only while a batch was made.
    given: Vec<Buffer>,
    ones: VecDeque<Vec<u8>>,
    fours: VecDeque<Vec<i32>>,
    eights: VecDeque<Vec<i64>>,
    sixteens: VecDeque<Vec<i128>>,
}

impl Spare {
    /// Takes back what is left of the last batch, in the order in which it was noted; what was there before and
    /// found no use is let go.
    pub(crate) fn collect(&mut self) {
        let Self { noted, given, .. } = std::mem::take(self);
        noted.into_iter().chain(given).for_each(|buffer| self.put(buffer));
    }

    /// Notes the buffers of a batch that is about to be given out.
    pub(crate) fn note(&mut self, batch: &RecordBatch) {
        self.noted.clear();
        for column in batch.columns() {
            self.note_all(&column.to_data());
        }
    }

    fn note_all(&mut self, data: &arrow::array::ArrayData) {
        self.noted.extend(data.nulls().map(|nulls| nulls.inner().inner().clone()));
        self.noted.extend(data.buffers().iter().cloned());
        data.child_data().iter().for_each(|child| self.note_all(child));
    }

    /// Takes back, for the next batch, what arrays are made of that are about to be dropped.
    pub(crate) fn give_arrays(&mut self, arrays: &[ArrayRef]) {
        let noted = std::mem::take(&mut self.noted);
        arrays.iter().for_each(|array| self.note_all(&array.to_data()));
        let given = std::mem::replace(&mut self.noted, noted);
        self.given.extend(given);
    }

    /// An empty vector, with memory if there is some.
    pub(crate) fn take<T: ArrowNativeType>(&mut self) -> Vec<T> {
        let buffer = match align_of::<T>() {
            1 => self.ones.pop_front().map(Buffer::from_vec),
            4 => self.fours.pop_front().map(Buffer::from_vec),
            8 => self.eights.pop_front().map(Buffer::from_vec),
            16 => self.sixteens.pop_front().map(Buffer::from_vec),
            _ => None,
        };
        let mut empty = buffer.and_then(|buffer| buffer.into_vec().ok()).unwrap_or_default();
        empty.clear();
        empty
    }

    /// Gives back, for the next batch, memory that this one does not need any more.
    pub(crate) fn give<T: ArrowNativeType>(&mut self, vec: Vec<T>) {
        self.given.push(Buffer::from_vec(vec));
    }

    /// Keeps a buffer that has no other owner and was a vector.
    fn put(&mut self, buffer: Buffer) {
        let buffer = match buffer.into_vec::<u8>() {
            Ok(vec) => return self.ones.push_back(vec),
            Err(buffer) => buffer,
        };
        let buffer = match buffer.into_vec::<i32>() {
            Ok(vec) => return self.fours.push_back(vec),
            Err(buffer) => buffer,
        };
        let buffer = match buffer.into_vec::<i64>() {
            Ok(vec) => return self.eights.push_back(vec),
            Err(buffer) => buffer,
        };
        if let Ok(vec) = buffer.into_vec::<i128>() {
            self.sixteens.push_back(vec);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Decimal128Array, Float64Array, RecordBatch, StringArray};
    use std::sync::Arc;

    fn batch() -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
        let text: ArrayRef = Arc::new(StringArray::new(
            arrow::buffer::OffsetBuffer::new(vec![0, 1, 3].into()),
            Buffer::from_vec(b"abc".to_vec()),
            None,
        ));
        let wide: ArrayRef = Arc::new(Decimal128Array::from(vec![1, 2]));
        RecordBatch::try_from_iter([("n", numbers), ("t", text), ("w", wide)]).unwrap()
    }

    #[test]
    fn what_is_dropped_is_filled_again_and_what_is_held_is_not() {
        let mut spare = Spare::default();
        let first = batch();
        let numbers = first.column(0).to_data().buffers()[0].as_ptr();
        spare.note(&first);
        drop(first);
        spare.collect();
        let again: Vec<i64> = spare.take();
        assert!(again.is_empty() && again.as_ptr().cast() == numbers);
        assert!(spare.take::<u8>().capacity() >= 3 && spare.take::<i32>().capacity() >= 3);
        assert!(spare.take::<i128>().capacity() >= 2);
        let held = batch();
        spare.note(&held);
        spare.collect();
        assert_eq!(spare.take::<f64>().capacity(), 0);
        spare.give(vec![1.0f64; 9]);
        spare.collect();
        assert_eq!((spare.take::<i64>().capacity(), spare.take::<i64>().capacity()), (9, 0));
        assert_eq!(held, batch());
    }
}
