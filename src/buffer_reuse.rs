//! Buffers that a thread reuses between calls.
//!
//! ```text
//! codes ──► Scratch<u32> ──► values        dropped: reused by the next on the same thread
//! ```
//! A block is read in many steps, each of which needs some thousand values temporarily. Allocating and freeing them
//! took a tenth of the time, and more with several threads.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// The maximum number of vectors per type.
const MOST: usize = 8;

/// A vector with more bytes is freed.
const LARGEST: usize = 1 << 18;

type Kept<T> = RefCell<Vec<Vec<T>>>;

/// A type whose vectors are reused.
pub trait Scratched: Sized + 'static {
    /// Returns the free vectors of this thread.
    fn kept() -> &'static LocalKey<Kept<Self>>;
}

macro_rules! scratched {
    ($($type:ty)*) => {$(
        impl Scratched for $type {
            fn kept() -> &'static LocalKey<Kept<Self>> {
                thread_local! {
                    static KEPT: Kept<$type> = const { RefCell::new(Vec::new()) };
                }
                &KEPT
            }
        }
    )*};
}

scratched!(u8 u16 u32 u64 usize i32 i64 i128 f32 f64);

/// An empty vector whose memory is reused when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch<T: Scratched>(Vec<T>);

impl<T: Scratched> Scratch<T> {
    pub(crate) fn new() -> Self {
        let kept = T::kept().try_with(|kept| kept.try_borrow_mut().ok()?.pop());
        Self(kept.ok().flatten().unwrap_or_default())
    }
}

impl<T: Scratched> Default for Scratch<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Scratched> Drop for Scratch<T> {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        if memory.capacity().saturating_mul(size_of::<T>()) > LARGEST {
            return;
        }
        memory.clear();
        // The vectors of a thread that ends are freed.
        let _ = T::kept().try_with(|kept| match kept.try_borrow_mut() {
            Ok(mut kept) if kept.len() < MOST => kept.push(memory),
            _ => {}
        });
    }
}

impl<T: Scratched> Deref for Scratch<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Scratched> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_and_what_is_large_is_not_kept() {
        let mut first = Scratch::<u16>::new();
        first.extend(0..1000);
        let place = first.as_ptr();
        let second = Scratch::<u16>::new();
        assert!(second.is_empty() && second.capacity() == 0);
        drop(first);
        let again = Scratch::<u16>::new();
        assert!(again.is_empty() && again.capacity() >= 1000 && again.as_ptr() == place);
        drop((again, second));
        let all: Vec<_> = (0..2 * MOST).map(|_| Scratch::<u16>::new()).collect();
        drop(all);
        assert_eq!(u16::kept().with_borrow(Vec::len), MOST);
        let mut large = Scratch::<f32>::new();
        large.reserve(LARGEST);
        drop(large);
        assert_eq!(f32::kept().with_borrow(Vec::len), 0);
    }
}
