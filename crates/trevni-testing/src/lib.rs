//! What the tests of the workspace share.
//!
//! ```text
//! data        paths of test files and their companions
//! numbers     pseudo-random numbers that are the same in every run
//! arrays      random Arrow types and arrays
//! store       an object store in memory that records requests and fails on demand
//! equality    comparison of arrays by value
//! allocator   an allocator that counts the memory of a thread
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::cast_possible_truncation)]

pub mod allocator;
pub mod arrays;
pub mod data;
pub mod equality;
pub mod numbers;
pub mod store;
