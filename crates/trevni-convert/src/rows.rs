//! Builds and reads columns value by value, for row-oriented formats.
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
