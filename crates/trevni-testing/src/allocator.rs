//! An allocator that counts the memory that each thread holds, and that of all threads.
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
use std::sync::atomic::{AtomicIsize, Ordering};

/// What all threads hold, and the most since it was last set.
static ALL: AtomicIsize = AtomicIsize::new(0);
static ALL_PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, with counters for the thread that allocates or frees.
#[derive(Debug)]
pub struct CountingAllocator;

fn count(change: isize) {
    let all = ALL.fetch_add(change, Ordering::Relaxed) + change;
    if change > 0 {
        ALL_PEAK.fetch_max(all, Ordering::Relaxed);
    }
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

/// Runs `f`, as [`peak`] does. Returns the most bytes that all threads held meanwhile, beyond what they held before.
pub fn peak_of_all_threads<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = ALL.load(Ordering::Relaxed);
    ALL_PEAK.store(before, Ordering::Relaxed);
    let result = f();
    let peak = ALL_PEAK.load(Ordering::Relaxed) - before;
    (result, usize::try_from(peak).unwrap_or(0))
}
