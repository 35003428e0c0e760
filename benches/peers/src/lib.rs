//! What the races share.

pub mod random;
