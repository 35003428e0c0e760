//! An allocator that counts the memory that each thread holds.
//!
//! ```
//! use trevni_testing::allocator::{CountingAllocator, peak};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let (bytes, held) = peak(|| vec![0u8; 1000]);
//! assert!(bytes.len() == 1000 && held >= 1000);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, with counters for the thread that allocates or frees.
#[derive(Debug)]
pub struct CountingAllocator;

fn count(change: isize) {
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: every call is passed unchanged to the system's allocator; the counters are thread-local numbers.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Runs `f`. Returns its result and the most bytes that this thread held meanwhile, beyond what it held before. It is 0
/// unless [`CountingAllocator`] is the global allocator.
pub fn peak<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = f();
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}
