//! Rows to columns and back, a value at a time, for formats whose readers and writers know rows only.
//!
//! ```text
//! a row, value by value ──► Grow ──► an Arrow array       Protocol Buffers, Thrift
//!                       ◄── Walk ◄──
//! ```
//! Which columns there are is never decided here: both take an Arrow field or array as it is.

mod grow;
mod walk;

pub(super) use grow::Grow;
pub(super) use walk::Walk;
