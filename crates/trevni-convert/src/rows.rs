//! Builds and reads columns value by value, for row-oriented formats.
//!
//! ```text
//! a row, value by value ──► Grow ──► an Arrow array       Protocol Buffers, Thrift
//!                       ◄── Walk ◄──
//! ```
//! Both follow the given Arrow field or array.

mod array_builder;
mod row_cursor;

pub(super) use crate::rows::array_builder::Grow;
pub(super) use crate::rows::row_cursor::Walk;
