//! The kernels in safe Rust: what each does, on every machine.

mod expand;
mod presence;
mod strings;
mod varints;

pub(super) use expand::{expand, ones, repeat_ends, word};
pub(super) use presence::presence;
pub use presence::{Present, Run};
pub(super) use strings::{put_strings, skip_strings, strings};
pub(super) use varints::{Number, ints, longs, numbers, put_ints, put_longs, skip};
