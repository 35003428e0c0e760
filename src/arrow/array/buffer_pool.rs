//! Reuses the buffers of dropped batches.
//!
//! ```text
//! batch n      made ──► returned out ──► dropped by the caller
//!                └ buffers listed         └ no other owner: theirs for batch n + 1
//! ```
//! A reader that is drained batch by batch then uses the same few pages, which stay in the cache. New pages would
//! be requested from the operating system, and cleared by it, for each batch. Buffers that the caller keeps are not
//! reused. Where several batches wait for the caller, the oldest of them are looked at.

use std::collections::VecDeque;

use arrow::array::{Array, ArrayData, ArrayRef, BufferSpec, downcast_primitive_array, layout};
use arrow::buffer::Buffer;
use arrow::datatypes::ArrowNativeType;
use arrow::record_batch::RecordBatch;

/// Memory, each with the alignment of what it held: only as that can it be filled again.
#[derive(Debug, Default)]
pub(crate) struct BufferPool {
    /// Buffers of the last batches, the oldest first, and memory for a list of them.
    listed: VecDeque<Vec<(usize, Buffer)>>,
    spare: Vec<(usize, Buffer)>,
    /// The number of batches that are in use besides the one that is made.
    others: usize,
    /// The bytes of the listed buffers, and the maximum, if there is one.
    bytes: usize,
    most_bytes: Option<usize>,
    /// Memory that was needed only while a batch was made.
    returned: Vec<(usize, Buffer)>,
    ones: VecDeque<Buffer>,
    twos: VecDeque<Buffer>,
    fours: VecDeque<Buffer>,
    eights: VecDeque<Buffer>,
    sixteens: VecDeque<Buffer>,
}

impl BufferPool {
    /// Sets how many batches are in use at the same time, the one that is made included, and how many bytes of buffers
    /// are listed.
    pub(crate) fn set_depth(&mut self, batches: usize, bytes: usize) {
        self.others = batches.saturating_sub(1);
        self.most_bytes = Some(bytes);
    }

    /// Removes the buffers of the oldest batch from the list.
    fn pop_oldest(&mut self) -> Option<Vec<(usize, Buffer)>> {
        let oldest = self.listed.pop_front()?;
        self.bytes = self.bytes.saturating_sub(size(&oldest));
        Some(oldest)
    }

    /// Collects the unshared buffers of the oldest batch, in the order in which they were listed. Free buffers from
    /// before are dropped.
    pub(crate) fn collect(&mut self) {
        for align in [1, 2, 4, 8, 16] {
            self.of(align).into_iter().for_each(VecDeque::clear);
        }
        let mut returned = std::mem::take(&mut self.returned);
        let is_dropped = |oldest: &Vec<(usize, Buffer)>| {
            oldest.iter().all(|(_, buffer)| buffer.strong_count() == 1)
        };
        if self.listed.len() > self.others || self.listed.front().is_some_and(is_dropped) {
            let mut oldest = self.pop_oldest().unwrap_or_default();
            self.keep(&mut oldest);
            self.spare = oldest;
        }
        self.keep(&mut returned);
        self.returned = returned;
    }

    fn keep(&mut self, buffers: &mut Vec<(usize, Buffer)>) {
        for (align, buffer) in buffers.drain(..) {
            if let Some(kept) = self.of(align) {
                kept.push_back(buffer);
            }
        }
    }

    /// Notes the buffers of a batch that is about to be returned.
    pub(crate) fn note(&mut self, batch: &RecordBatch) {
        let mut buffers = std::mem::take(&mut self.spare);
        batch.columns().iter().for_each(|column| note(column, &mut buffers));
        self.bytes = self.bytes.saturating_add(size(&buffers));
        self.listed.push_back(buffers);
        while self.most_bytes.is_some_and(|most| self.bytes > most) {
            let Some(mut oldest) = self.pop_oldest() else { break };
            oldest.clear();
            self.spare = oldest;
        }
    }

    /// Lists the buffers of arrays that are about to be dropped, to be reused by the next batch.
    pub(crate) fn give_arrays(&mut self, arrays: &[ArrayRef]) {
        arrays.iter().for_each(|array| note(array, &mut self.returned));
    }

    /// Returns an empty vector, with the memory of a free buffer if there is one.
    pub(crate) fn take<T: ArrowNativeType>(&mut self) -> Vec<T> {
        let Some(kept) = self.of(align_of::<T>()) else { return Vec::new() };
        while let Some(buffer) = kept.pop_front() {
            if let Ok(mut empty) = buffer.into_vec() {
                empty.clear();
                return empty;
            }
        }
        Vec::new()
    }

    /// Adds the memory of a vector to the free buffers.
    pub(crate) fn give<T: ArrowNativeType>(&mut self, vec: Vec<T>) {
        self.returned.push((align_of::<T>(), Buffer::from_vec(vec)));
    }

    fn of(&mut self, align: usize) -> Option<&mut VecDeque<Buffer>> {
        match align {
            1 => Some(&mut self.ones),
            2 => Some(&mut self.twos),
            4 => Some(&mut self.fours),
            8 => Some(&mut self.eights),
            16 => Some(&mut self.sixteens),
            _ => None,
        }
    }
}

/// The capacities of buffers, in bytes.
fn size(buffers: &[(usize, Buffer)]) -> usize {
    buffers.iter().fold(0, |sum, (_, buffer)| sum.saturating_add(buffer.capacity()))
}

/// Notes the buffers of an array.
fn note(array: &dyn Array, listed: &mut Vec<(usize, Buffer)>) {
    downcast_primitive_array!(
        array => {
            listed.extend(array.nulls().map(|nulls| (1, nulls.inner().inner().clone())));
            let values = array.values().inner();
            listed.push((align_of_val(&array.values()[..]), values.clone()));
        }
        _ => note_data(&array.to_data(), listed),
    )
}

fn note_data(data: &ArrayData, listed: &mut Vec<(usize, Buffer)>) {
    listed.extend(data.nulls().map(|nulls| (1, nulls.inner().inner().clone())));
    let layout = layout(data.data_type());
    let aligns = layout.buffers.iter().map(|buffer| match buffer {
        BufferSpec::FixedWidth { alignment, .. } => *alignment,
        _ => 1,
    });
    // Views have any number of buffers of bytes.
    listed.extend(aligns.chain(std::iter::repeat(1)).zip(data.buffers().iter().cloned()));
    data.child_data().iter().for_each(|child| note_data(child, listed));
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
        let mut pool = BufferPool::default();
        let first = batch();
        let numbers = first.column(0).to_data().buffers()[0].as_ptr();
        pool.note(&first);
        drop(first);
        pool.collect();
        let again: Vec<i64> = pool.take();
        assert!(again.is_empty() && again.as_ptr().cast() == numbers);
        assert!(pool.take::<u8>().capacity() >= 3 && pool.take::<i32>().capacity() >= 3);
        assert!(pool.take::<i128>().capacity() >= 2);
        let held = batch();
        pool.note(&held);
        pool.collect();
        assert_eq!(pool.take::<f64>().capacity(), 0);
        pool.give(vec![1.0f64; 9]);
        pool.collect();
        assert_eq!((pool.take::<i64>().capacity(), pool.take::<i64>().capacity()), (9, 0));
        assert_eq!(held, batch());
    }
}
