//! The kernels in safe Rust: what each does, on every machine.

mod varints;

pub(super) use varints::{Number, ints, longs, numbers, put_ints, put_longs, skip};
