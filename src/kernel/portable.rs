//! The kernels in safe Rust: what each does, on every machine.

mod strings;
mod varints;

pub(super) use strings::{put_strings, skip_strings, strings};
pub(super) use varints::{Number, ints, longs, numbers, put_ints, put_longs, skip};
